"""What a page says for machines about its show and its episodes: in JSON-LD, and in what its scripts build it from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ..records import EntryData, FetchedDocument, Show
from .decoding import decode
from .json_ld import EPISODES, SERIES, blocks, episodes
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
    text = decode(page)
    found = (*episodes(page), *_of_scripts(text, show, known, page.address))
    if not found and "ld+json" not in text:
        return Described()
    series = tuple(dict.fromkeys(_series(page)))
    if any(is_show(name, show.title) for name in series):
        series = (show.title,)
    elif any(is_show(said.show, show.title) for said in found if said.show):
        series = ()  # a page of several shows
    ours = tuple(said for said in found if not said.show or is_show(said.show, show.title))
    others = tuple(said for said in found if said.show and not is_show(said.show, show.title))
    return Described(series if len(series) < 2 else (), ours, others)


def _of_scripts(text: str, show: Show, known: frozenset[str], address: str) -> Iterator[EntryData]:
    """What lists in scripts say: of each episode once, and not below a name that may be a show's or a shelf's."""
    seen: set[tuple[str, str]] = set()
    for said, above in stated(text, known, address):
        named = said.show or (show.title if is_show(above, show.title) else "")
        if (key_of(said.title), named) not in seen and (named or not above):
            seen.add((key_of(said.title), named))
            yield replace(said, show=named)


def by_title(found: tuple[EntryData, ...]) -> dict[str, list[EntryData]]:
    """Episodes by the key of their title."""
    titles: dict[str, list[EntryData]] = {}
    for said in found:
        titles.setdefault(key_of(said.title), []).append(said)
    return titles


def _series(page: FetchedDocument) -> Iterator[str]:
    for data in blocks(decode(page)):
        stack: list[Any] = [data]
        while stack:
            thing = stack.pop()
            if isinstance(thing, list):
                stack.extend(thing)
            elif isinstance(thing, dict):
                kinds = thing.get("@type")
                kinds = kinds if isinstance(kinds, list) else [kinds]
                name = thing.get("name")
                if isinstance(name, str) and any(kind in SERIES for kind in kinds):
                    yield " ".join(name.split())[:500]
                inner = thing.values() if not any(kind in EPISODES for kind in kinds) else [thing.get("partOfSeries")]
                stack.extend(value for value in inner if isinstance(value, dict | list))
