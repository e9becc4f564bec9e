"""What a page says for machines about its show and its episodes: in JSON-LD, and in what its scripts build it from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..records import EntryData, FetchedDocument, Show
from .document import ParsedDocument
from .json_ld import episodes, series
from .keyed import key_of
from .script_state import stated
from .show_names import is_show


@dataclass(frozen=True, slots=True)
class Described:
    """The series that a page names as its own subject, and the episodes that it describes."""

    series: tuple[str, ...] = ()
    ours: tuple[EntryData, ...] = ()  # of the show, or of none named
    others: tuple[EntryData, ...] = ()  # of other shows


def described(page: FetchedDocument, show: Show, known: frozenset[str]) -> Described:
    """What JSON-LD says, and what the data of the page's scripts says where titles in it are `known` (by key)."""
    document = ParsedDocument.of(page)
    found = (*episodes(document), *_of_scripts(document, show, known))
    ours = tuple(said for said in found if not said.show or is_show(said.show, show.title))
    others = tuple(said for said in found if said.show and not is_show(said.show, show.title))
    names = series(document)
    if any(is_show(name, show.title) for name in names):
        names = (show.title,)
    elif len(names) > 1 or any(said.show for said in ours):  # a page of several shows
        names = ()
    return Described(names, ours, others)


def _of_scripts(document: ParsedDocument, show: Show, known: frozenset[str]) -> Iterator[EntryData]:
    """What lists in scripts say: of each episode once, and not below a name that may be a show's or a shelf's."""
    seen: set[tuple[str, str]] = set()
    for said, above in stated(document, known):
        named = said.show or (show.title if is_show(above, show.title) else "")
        key = (key_of(said.title), named)
        if key not in seen and (named or not above):
            seen.add(key)
            yield replace(said, show=named)
