"""Gives episodes their addresses, and identifiers of our own for feeds in which that of the source
cannot serve; pure."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from itertools import count, islice
from uuid import NAMESPACE_URL, uuid5

from ..records import SourceEntry
from ..text.fingerprints import stable_hash

LONGEST = 200  # bytes, as file systems take no more than 255 with what is added
Taken = Callable[[Collection[str]], Collection[str]]  # picks out slugs of other shows


@lru_cache(maxsize=32_768)  # a resolve asks for that of a title a dozen times
def slug_of(title: str) -> str:
    """The words of a title with "-" between them, letters of every script kept; "" for a title
    without any."""
    text = unicodedata.normalize("NFKC", title).casefold().replace(".", "-").replace("_", "-")
    text = re.sub(r"[^\w\s-]", "", text)
    slug = "-".join(text.replace("-", " ").split())
    return slug.encode("utf-8", "replace")[:LONGEST].decode(errors="ignore").rstrip("-")


def short_hash(text: str) -> str:
    return stable_hash(text, 8)


def nobodys(slugs: Collection[str]) -> Collection[str]:
    """No slugs: none is another show's."""
    return ()


def assign(
    wanted: Sequence[tuple[str, int | None, str]],
    taken: Taken = nobodys,
    show: str = "",
) -> list[str]:
    """One slug an episode, in the order given, oldest first: (title or pinned slug, number, what
    tells it apart).

    The first of equals keeps the plain slug, so that a later re-run does not take an old address;
    the others add their number, else eight hex digits. A slug that is another show's (`taken` picks
    them out) gets eight hex digits of the show's own slug: those never change, whatever becomes of
    the episode's number and notes.
    """
    bases = [
        slug_of(title)
        or (f"untitled-{short_hash(identity)}" if number is None else f"episode-{number}")
        for title, number, identity in wanted
    ]
    theirs = taken(set(bases))
    rows = [
        (f"{base}-{short_hash(show)}" if base in theirs else base, number, identity)
        for base, (_, number, identity) in zip(bases, wanted, strict=True)
    ]
    # All that these equals can need, asked at once: each question is a query.
    asked = {
        slug for row, times in Counter(rows).items() for slug in islice(candidates(*row), times + 2)
    }
    used, slugs = set(taken(asked)), []
    following = {row: candidates(*row) for row in rows}  # equals go on where the last one ended
    # In their order, so that an address stays with whoever had its title first.
    for row in rows:
        slugs.append(next(slug for slug in following[row] if slug not in used))
        used.add(slugs[-1])
    return slugs


def candidates(base: str, number: int | None, identity: str) -> Iterator[str]:
    """The slugs to try, in this order: the plain one, with the number, with eight hex digits of
    what tells it apart, and these with 2, 3 and so on."""
    yield base
    if number is not None:
        yield f"{base}-{number}"
    yield f"{base}-{short_hash(identity)}"
    yield from (f"{base}-{short_hash(identity)}-{place}" for place in count(2))


def own_guids(show: str, groups: Sequence[Sequence[SourceEntry]]) -> list[str]:
    """A URN for each episode's entries, made of the show and the first entry that its best-ranked
    source ever had for it.

    Entries keep their keys and are never deleted, so it stays when title, number, address or guid
    change.
    """
    first = [
        min(group, key=lambda e: (e.rank, e.source, e.first_version, e.key, e.document))
        for group in groups
    ]
    # Two documents of a source can use one key for different episodes.
    uses = Counter(entry.ref[::2] for entry in first)
    names = (e.ref if uses[e.ref[::2]] > 1 else e.ref[::2] for e in first)
    return [uuid5(NAMESPACE_URL, "\0".join((show, *own))).urn for own in names]


def guid_hash(guid: str) -> str:
    """The same for guids that clients may take for one: case and white space apart; "" for none."""
    # Clients leave out case and white space, each in its own way.
    folded = "".join(filter(str.isprintable, guid)).replace(" ", "").casefold()
    return stable_hash(folded) if folded else ""
