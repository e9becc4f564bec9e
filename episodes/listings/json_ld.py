"""Reads the show and the episodes that an HTML page describes in JSON-LD (schema.org PodcastSeries,
PodcastEpisode)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..dates import when_and_how_long
from ..records import EntryData, Show
from .decoding import clean
from .document import PageDocument
from .html import absolute
from .keyed import key_of
from .show_names import is_show

EPISODES = ("PodcastEpisode", "RadioEpisode")
SERIES = ("PodcastSeries", "CreativeWorkSeries", "RadioSeries")
AUDIO = ("AudioObject", "CreativeWork", "Episode")
PARTS = (
    "episode",
    "episodes",
    "hasPart",
    "workExample",
    "containsSeason",
    "itemListElement",
    "item",
    "track",
)
NAMED = 500  # characters of a series' name


@dataclass(frozen=True, slots=True)
class _LinkedObject:
    """An object of the data, with the name of the series that lists it, and whether an episode
    holds it."""

    data: dict[str, Any]
    within: str
    inside_episode: bool

    def is_a(self, kinds: tuple[str, ...]) -> bool:
        own = self.data.get("@type")
        return any(kind in kinds for kind in (own if isinstance(own, list) else [own]))

    def text(self, *names: str) -> str:
        """What the first of the names that is there says."""
        return _text(next((self.data[name] for name in names if self.data.get(name)), ""))

    @property
    def is_episode(self) -> bool:
        """An episode; what a series lists as its parts is one too where it is named and dated."""
        part = (
            self.within
            and self.is_a(AUDIO)
            and self.data.get("name")
            and self.data.get("datePublished")
        )
        return self.is_a(EPISODES) or bool(part)


def episodes(document: PageDocument) -> tuple[EntryData, ...]:
    """The page's episodes in their order."""
    things = list(_things(document))
    named = (thing for thing in things if "@id" in thing.data and thing.data.get("name"))
    names = {_text(thing.data["@id"]): thing.text("name") for thing in named}
    return tuple(_entry(thing, names, document.address) for thing in things if thing.is_episode)


def series(document: PageDocument) -> tuple[str, ...]:
    """Names of the series that the page describes, each once; of what an episode says, the series
    that it is part of."""
    found = (
        thing.data.get("name")
        for thing in _things(document)
        if thing.is_a(SERIES) and not thing.inside_episode
    )
    return tuple(
        dict.fromkeys(" ".join(name.split())[:NAMED] for name in found if isinstance(name, str))
    )


def described(document: PageDocument, show: Show) -> dict[str, list[EntryData]]:
    """The show's episodes and those of no show by name, under the keys of their titles."""
    by_title: dict[str, list[EntryData]] = {}
    for said in episodes(document):
        if not said.show or is_show(said.show, show.title):
            by_title.setdefault(key_of(said.title), []).append(said)
    return by_title


def fill(entries: Sequence[EntryData], document: PageDocument, show: Show) -> tuple[EntryData, ...]:
    """The entries, with what they leave empty taken from the one described episode that has their
    title."""
    by_title = described(document, show)
    same = [by_title.get(key_of(said.title), []) if said.title else [] for said in entries]
    return tuple(
        EntryData.from_payload({**replace(own[0], show="").payload(), **said.payload()})
        if len(own) == 1
        else said
        for said, own in zip(entries, same, strict=True)
    )


def _things(document: PageDocument) -> Iterator[_LinkedObject]:
    """Every object, outer ones first."""
    for data in document.json_ld:
        stack: list[tuple[Any, str, bool]] = [(data, "", False)]
        while stack:
            value, within, inside = stack.pop()
            if isinstance(value, list):
                stack.extend((item, within, inside) for item in reversed(value))
            elif isinstance(value, dict):
                thing = _LinkedObject(value, within, inside)
                yield thing
                stack.extend(reversed(list(_inner(thing))))


def _inner(thing: _LinkedObject) -> Iterator[tuple[Any, str, bool]]:
    own = thing.text("name") if thing.is_a(SERIES) else thing.within
    is_episode = thing.is_a(EPISODES)
    for key, value in thing.data.items():
        if isinstance(value, dict | list):
            inside = thing.inside_episode or (is_episode and key != "partOfSeries")
            yield value, own if key in PARTS else thing.within, inside


def _text(value: Any) -> str:
    """A value, or the name of the thing that stands in its place, as plain text."""
    for _ in range(3):
        if isinstance(value, list):
            value = value[0] if value else ""
        elif isinstance(value, dict):
            value = next(
                (value[key] for key in ("@id", "url", "name", "contentUrl") if value.get(key)), ""
            )
    return " ".join(clean(str(value)).split()) if isinstance(value, str | int | float) else ""


def _entry(thing: _LinkedObject, names: dict[str, str], address: str) -> EntryData:
    media = _media(thing)
    number = thing.text("episodeNumber")
    return EntryData(
        title=thing.text("name", "headline"),
        text=thing.text("description", "abstract"),
        number=int(number) if number.isdecimal() and len(number) < 7 else None,
        url=absolute(thing.text("url", "mainEntityOfPage"), address),
        audio_url=absolute(_text(media.get("contentUrl")), address),
        show=_series_of(thing.data.get("partOfSeries"), names) or thing.within,
        **when_and_how_long(
            thing.text("datePublished"),
            thing.text("duration", "timeRequired") or _text(media.get("duration")),
        ),
    )


def _media(thing: _LinkedObject) -> dict[str, Any]:
    found = thing.data.get("associatedMedia") or thing.data.get("audio") or {}
    found = found[0] if isinstance(found, list) and found else found
    return found if isinstance(found, dict) else {"contentUrl": found}


def _series_of(series: Any, names: dict[str, str]) -> str:
    """The name of a series, which may be given by its identifier only."""
    if isinstance(series, list):
        series = series[0] if series else ""
    if not isinstance(series, dict):
        return names.get(_text(series), _text(series))
    return _text(series.get("name")) or names.get(_text(series.get("@id")), "")
