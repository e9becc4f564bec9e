"""Arguments of assistants' calls: the episode or person that they name, and the page."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from django.db.models import Q
from django.http import Http404, HttpRequest

from ..models import (
    HAS_EPISODES,
    Episode,
    EpisodeQuerySet,
    Person,
    episodes_by_present_or_former_slug,
)
from ..text.markup import storable_text
from .filters import TOO_MANY_TERMS, AddressFilters
from .former_addresses import (
    find_episode_or_replacement_by_number,
    get_former_name_and_person_or_404,
)
from .rendering import NUMBER_IN_ADDRESS


class BadArguments(ValueError):
    """Arguments that a tool cannot use. The reason is for the assistant, which can ask again."""


class RequestedPage:
    """The page of a list that a call asks for."""

    def __init__(self, arguments: Mapping[str, Any], rows_per_page: int) -> None:
        self.number = int(arguments.get("page", 1))  # JSON may write 2.0
        self.end = self.number * rows_per_page
        self.rows = slice(self.end - rows_per_page, self.end)

    def position_among(self, total: int) -> dict[str, Any]:
        """Return the position of the page in a list of `total` rows, for an answer."""
        return {"total": total, "page": self.number, "is_last_page": self.end >= total}


def check_filters_and_return_notes(filters: AddressFilters) -> list[str]:
    """Return notes for the assistant about words that were not searched.

    Raises:
        BadArguments: an argument could not be read.
    """
    notes = filters.complaints()
    # A query that is cut is searched with its first words, so its answer is of use.
    complaints_of_unread_arguments = [note for note in notes if note != TOO_MANY_TERMS]
    if complaints_of_unread_arguments:
        # A page shows its complaints above the list. An assistant should ask again instead.
        raise BadArguments(f"Not searched: {'; '.join(complaints_of_unread_arguments)}.")
    return notes


def _path_on_site_or_empty(request: HttpRequest, address_or_text: str) -> str:
    """Return the path in an address of this site, "" for an address of another site.

    Other text, such as a slug, is a path.
    """
    host = request.get_host()
    try:
        # People leave the scheme out: `example.org/episodes/vmap`.
        address = urlsplit(address_or_text.removeprefix(f"{host}/"))
    except ValueError:
        return ""
    host_without_port = urlsplit(f"//{host}").hostname
    if address.hostname not in (None, host_without_port):
        return ""
    return unquote(address.path)


def clean_text(argument: str) -> str:
    """Return a text without the space around it, and without NUL, which no database takes."""
    return argument.replace("\0", "").strip()


# -- an episode ------------------------------------------------------------------------------------


def get_episode_or_raise(
    request: HttpRequest, slug_or_address: str, episode_rows: EpisodeQuerySet
) -> Episode:
    """Return the episode with a slug, a former slug, a number, or any address of it on this site.

    `episode_rows` are the episodes with the columns to load.

    Raises:
        BadArguments: there is no such episode.
    """
    slug = _episode_slug_of_path_or_empty(
        _path_on_site_or_empty(request, clean_text(slug_or_address))
    )
    episode = episodes_by_present_or_former_slug([slug], episode_rows).get(slug)
    if episode is None:
        raise BadArguments("No episode has this slug or address. Search for it.")
    return episode


def _episode_slug_of_path_or_empty(path: str) -> str:
    """Return the slug, or former slug, in a path of an episode. Return "" for any other path.

    A path is a slug (`vmap`), the page of an episode (`/episodes/vmap/`), one of its files
    (`/episodes/vmap.md`, `/episodes/vmap/chapters.json`), or its number behind the host (`/34`).
    """
    relative_path = path.removeprefix("/")
    slug_and_file = relative_path.removeprefix("episodes/")
    # "vmap" and "chapters.json" of `vmap/chapters.json`. Without a file it is "".
    slug_or_number, _, file = slug_and_file.removesuffix(".md").partition("/")
    is_below_episodes = relative_path.startswith("episodes/")
    # A path of two parts may be another page, such as `topics/cuda`.
    if file and not is_below_episodes:
        return ""
    slug_or_number = storable_text(slug_or_number)
    has_form_of_number = NUMBER_IN_ADDRESS.fullmatch(slug_or_number)
    # Slugs come first: the slug of an episode may be a number, like its title.
    if has_form_of_number and not episodes_by_present_or_former_slug([slug_or_number]):
        return _slug_of_number(slug_or_number)
    return slug_or_number


def _slug_of_number(number: str) -> str:
    try:
        episode = find_episode_or_replacement_by_number(number)
    except Http404:
        # No episode has it as a slug either, so the caller finds none.
        return number
    return episode.slug if episode else ""


# -- a person --------------------------------------------------------------------------------------


def get_person_or_raise(request: HttpRequest, name_or_address: str) -> Person:
    """Return the person with a slug, a former slug, an address on this site, or a name or a part of it.

    Raises:
        BadArguments: there is no such person, or there are several.
    """
    text = clean_text(name_or_address)
    # "edward-yang" of itself, of `/people/edward-yang/`, or of the complete address. A name, such as
    # "Edward Yang", stays as it is, and no person has it as a slug.
    slug = _path_on_site_or_empty(request, text).removeprefix("/people/").strip("/")
    person = Person.objects.filter(slug=slug).first() or _find_person_of_former_slug(slug)
    if person:
        return person
    people = _find_people_with_name(text)
    if len(people) == 1:
        return people[0]
    if not people:
        raise BadArguments("Nobody has this name, slug or address. Search for episodes with it.")
    names = ", ".join(f"{person.name} ({person.slug})" for person in people)
    raise BadArguments(f"Several people have this name: {names}. Ask with a slug.")


def _find_person_of_former_slug(slug: str) -> Person | None:
    try:
        return get_former_name_and_person_or_404(slug).person
    except Http404:
        return None


def _find_people_with_name(name: str) -> list[Person]:
    people = Person.objects.filter(HAS_EPISODES).order_by("-episode_count", "slug")
    is_name = Q(name__iexact=name) | Q(credits__credited_as__iexact=name)
    exact_matches = list(people.filter(is_name).distinct()[:10])
    return exact_matches or list(people.filter(name__has_letters=name)[:10])
