"""The addresses of episodes, and guids for feeds that cannot use the guid of a source. Pure."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from itertools import count, islice
from typing import NamedTuple
from uuid import NAMESPACE_URL, uuid5

from ..records import SourceEntry
from ..text.fingerprints import stable_hash

ReservedSlugs = Callable[
    [Collection[str]], Collection[str]
]  # selects the slugs that other shows have


@lru_cache(maxsize=32_768)  # a resolve needs the slug of a title a dozen times
def make_slug(title: str) -> str:
    """Return the words of a title with "-" between them, in letters of any script, or "" without any:
    "v1-2-the-weft-knot" of "v1.2: The weft_knot!"."""
    # NFKC makes "1⁄2" of "½", with a slash of its own: "12½" is 12 and 1 and 2.
    title = re.sub(r"(?<=\d)(?=[¼-¾⅐-⅞])", " ", title)
    text = unicodedata.normalize("NFKC", title).casefold()
    text = re.sub(r"[._⁄-]", " ", text)
    # Vowels of Indic scripts, Thai and their neighbours are marks, which \w leaves out. The gap between
    # the first two ranges has the full stops of Hindi.
    text = re.sub(r"[^\w\s\u0900-\u0963\u0966-\u109f\u1780-\u17d3]", "", text)
    slug = "-".join(text.split())
    # File systems take names of 255 bytes, and a suffix is added to some slugs. The cut may leave a part of a
    # letter, which "ignore" drops.
    return slug.encode()[:200].decode(errors="ignore").rstrip("-")


def short_hash(text: str) -> str:
    return stable_hash(text, 8)


def no_reserved_slugs(slugs: Collection[str]) -> Collection[str]:
    return ()


class SlugRequest(NamedTuple):
    """The values of an episode that its slug can be made of."""

    title: str  # or the slug that a curator pinned
    number: int | None
    identity: str  # tells it from others of the same title

    def plain_slug(self) -> str:
        """Return the slug of the title, or one made from number or identity if it has no letters."""
        slug = make_slug(self.title)
        if slug:
            return slug
        if self.number is not None:
            return f"episode-{self.number}"
        return f"untitled-{short_hash(self.identity)}"

    def slugs_to_try(self) -> Iterator[str]:
        return slug_candidates(self.title, self.number, self.identity)


def make_unique_slugs(
    requests: Sequence[SlugRequest],
    select_reserved: ReservedSlugs = no_reserved_slugs,
    show_slug: str = "",
) -> list[str]:
    """Return a slug for each episode. The requests are in order, oldest first.

    The first of equals keeps the plain slug, so that a later re-run does not take an old address. All
    further ones add their number, else eight hex digits. `select_reserved` returns the slugs that other shows
    have. Such a slug gets eight hex digits of this show's slug, which stay if the episode's number and
    notes change.
    """
    titled_requests = _requests_titled_by_free_slug(requests, select_reserved, show_slug)
    # All at once, as each call of `select_reserved` is a query.
    used_slugs = set(select_reserved(_slugs_possibly_needed(titled_requests)))
    # Equal requests share one iterator, so that each goes on behind the slug of the one before.
    slugs_to_try = {request: request.slugs_to_try() for request in titled_requests}
    slugs = []
    for request in titled_requests:
        slug = next(slug for slug in slugs_to_try[request] if slug not in used_slugs)
        used_slugs.add(slug)
        slugs.append(slug)
    return slugs


def _slugs_possibly_needed(titled_requests: Sequence[SlugRequest]) -> set[str]:
    possible_slugs: set[str] = set()
    for request, equal_requests in Counter(titled_requests).items():
        # Three equal requests take three slugs. Other requests may have taken the first two before,
        # "springs" and "springs-12", so that five are tried.
        max_tries = equal_requests + 2
        possible_slugs.update(islice(request.slugs_to_try(), max_tries))
    return possible_slugs


def _requests_titled_by_free_slug(
    requests: Sequence[SlugRequest], select_reserved: ReservedSlugs, show_slug: str
) -> list[SlugRequest]:
    """Return each request with its slug in place of its title, so that requests for "Springs" and "Springs!"
    are equal. A slug that another show has gets a hash behind it."""
    plain_slugs = [request.plain_slug() for request in requests]
    reserved_slugs = select_reserved(set(plain_slugs))
    titled_requests = []
    for request, plain_slug in zip(requests, plain_slugs, strict=True):
        free_slug = plain_slug
        if plain_slug in reserved_slugs:
            free_slug += f"-{short_hash(show_slug)}"
        titled_requests.append(request._replace(title=free_slug))
    return titled_requests


def slug_candidates(base: str, number: int | None, identity: str) -> Iterator[str]:
    """Yield the slugs to try: the plain one, with the number, with eight hex digits of the identity,
    and these with 2, 3 and so on."""
    yield base
    if number is not None:
        yield f"{base}-{number}"
    yield f"{base}-{short_hash(identity)}"
    for attempt in count(2):
        yield f"{base}-{short_hash(identity)}-{attempt}"


def make_guids_in_cluster_order(
    show_slug: str, clusters: Sequence[Sequence[SourceEntry]]
) -> list[str]:
    """Return a guid for each episode, such as "urn:uuid:0b1c…", made from the show and the first entry that its
    best-ranked source ever had for it.

    Entries keep their keys and are never deleted, so the guid stays if title, number, address or
    guid of the source change.
    """

    def source_and_age(entry: SourceEntry) -> tuple[object, ...]:
        return (entry.rank, entry.source, entry.first_version, entry.key, entry.document)

    first_entries = [min(cluster, key=source_and_age) for cluster in clusters]
    uses_by_source_key = Counter(entry.source_key for entry in first_entries)
    guids = []
    for entry in first_entries:
        # Two documents of a source can use one key for different episodes. Then the document counts, too.
        is_key_shared = uses_by_source_key[entry.source_key] > 1
        identity = entry.ref if is_key_shared else entry.source_key
        unique_name = "\0".join((show_slug, *identity))
        guids.append(uuid5(NAMESPACE_URL, unique_name).urn)
    return guids


def guid_hash(guid: str) -> str:
    """Return a hash that is equal for guids that podcast clients may confuse, or "" for none."""
    # Clients ignore case and white space, each in its own way.
    printable = "".join(character for character in guid if character.isprintable())
    folded = printable.replace(" ", "").casefold()
    return stable_hash(folded) if folded else ""
