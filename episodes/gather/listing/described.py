"""What a page says for machines about its show and its episodes (JSON-LD)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...records import Page, Said, Show
from ..json_ld import EPISODES, SERIES, blocks, episodes
from ..names import is_show
from ..text import decode, is_html
from .known import squashed


@dataclass(frozen=True, slots=True)
class Described:
    """The series that a page names as its own subject, and the episodes that it describes."""

    series: tuple[str, ...] = ()
    ours: tuple[Said, ...] = ()  # of the show, or of none named
    others: tuple[Said, ...] = ()  # of other shows


def described(page: Page, show: Show) -> Described:
    found = episodes(page)
    if not found and (not is_html(decode(page)) or b"ld+json" not in page.body):
        return Described()
    series = tuple(dict.fromkeys(_series(page)))
    if any(is_show(name, show.title) for name in series):
        series = (show.title,)
    elif any(is_show(said.show, show.title) for said in found if said.show):
        series = ()  # a page of several shows
    ours = tuple(said for said in found if not said.show or is_show(said.show, show.title))
    others = tuple(said for said in found if said.show and not is_show(said.show, show.title))
    return Described(series if len(series) < 2 else (), ours, others)


def by_title(found: tuple[Said, ...]) -> dict[str, list[Said]]:
    """Episodes by squashed title."""
    titles: dict[str, list[Said]] = {}
    for said in found:
        titles.setdefault(squashed(said.title), []).append(said)
    return titles


def _series(page: Page) -> Iterator[str]:
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
