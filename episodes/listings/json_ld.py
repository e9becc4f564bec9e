"""Reads the episodes that an HTML page describes in JSON-LD (schema.org PodcastEpisode)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from ..records import EntryData, FetchedDocument, Show
from ..text.normalize import fold
from .dates import moment, seconds
from .decoding import clean, decode, is_html
from .html import absolute
from .show_names import is_show

EPISODES = ("PodcastEpisode", "RadioEpisode")
SERIES = ("PodcastSeries", "CreativeWorkSeries", "RadioSeries")
AUDIO = ("AudioObject", "CreativeWork", "Episode")
PARTS = ("episode", "episodes", "hasPart", "workExample", "containsSeason", "itemListElement", "item", "track")


def episodes(page: FetchedDocument) -> tuple[EntryData, ...]:
    """The page's PodcastEpisode objects in their order; () where it has none, or none that can be read."""
    text = decode(page)
    if not is_html(text) or "ld+json" not in text:
        return ()
    things = [pair for data in blocks(text) for pair in _objects(data)]
    names = {
        _text(thing["@id"]): _text(thing.get("name")) for thing, _ in things if "@id" in thing and thing.get("name")
    }
    return tuple(_said(thing, series, names, page.address) for thing, series in things if _is_episode(thing, series))


@lru_cache(maxsize=2)  # who reads a page asks for its episodes and for its series
def blocks(text: str) -> tuple[Any, ...]:
    """What the scripts of JSON-LD on a page say, without those that cannot be read."""
    found = []
    for node in LexborHTMLParser(text).css('script[type="application/ld+json"]')[:200]:
        with suppress(ValueError, RecursionError):
            found.append(json.loads(node.text()))
    return tuple(found)


def fill(entries: tuple[EntryData, ...], page: FetchedDocument, show: Show) -> tuple[EntryData, ...]:
    """The entries, with what they leave empty taken from the described episode of the show that has their title."""
    by_title: dict[str, list[EntryData]] = {}
    for said in episodes(page):
        if not said.show or is_show(said.show, show.title):
            by_title.setdefault(fold(said.title), []).append(said)
    return tuple(_filled(said, by_title.get(fold(said.title), [])) if said.title else said for said in entries)


def _filled(said: EntryData, same: list[EntryData]) -> EntryData:
    if len(same) != 1:
        return said
    other = same[0]
    names = ["text", "url", "audio_url", "number"]
    names += [] if said.published else ["date_raw", "published"]
    names += [] if said.seconds_low else ["length_raw", "seconds_low", "seconds_high"]
    news = {name: getattr(other, name) for name in names if getattr(other, name) not in ("", None)}
    return replace(said, **{name: value for name, value in news.items() if name not in said.payload()})


def _objects(data: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """Every object, outer ones first, with the name of the series that holds it."""
    stack = [(data, "")]
    while stack:
        thing, series = stack.pop()
        if isinstance(thing, list):
            stack.extend((value, series) for value in reversed(thing))
        elif isinstance(thing, dict):
            yield thing, series
            inner = _text(thing.get("name")) if _is(thing, SERIES) else series
            values = [(value, inner if key in PARTS else series) for key, value in thing.items()]
            stack.extend(pair for pair in reversed(values) if isinstance(pair[0], dict | list))


def _is(thing: dict[str, Any], kinds: tuple[str, ...]) -> bool:
    own = thing.get("@type")
    return any(kind in kinds for kind in (own if isinstance(own, list) else [own]))


def _is_episode(thing: dict[str, Any], series: str) -> bool:
    """An episode; what a series lists as its parts is one too where it is named and dated."""
    return _is(thing, EPISODES) or bool(
        series and _is(thing, AUDIO) and thing.get("name") and thing.get("datePublished")
    )


def _text(value: Any) -> str:
    """A value, or the name of the thing that stands in its place, as plain text."""
    for _ in range(3):
        if isinstance(value, list):
            value = value[0] if value else ""
        elif isinstance(value, dict):
            value = next((value[key] for key in ("@id", "url", "name", "contentUrl") if value.get(key)), "")
    return " ".join(clean(str(value)).split()) if isinstance(value, str | int | float) else ""


def _said(thing: dict[str, Any], within: str, names: dict[str, str], address: str) -> EntryData:
    media = thing.get("associatedMedia") or thing.get("audio") or {}
    media = media[0] if isinstance(media, list) and media else media
    media = media if isinstance(media, dict) else {"contentUrl": media}
    date = _text(thing.get("datePublished"))
    at = moment(date)
    length = _text(thing.get("duration") or thing.get("timeRequired") or media.get("duration"))
    span = seconds(length)
    number = _text(thing.get("episodeNumber"))
    series = thing.get("partOfSeries")
    return EntryData(
        title=_text(thing.get("name") or thing.get("headline")),
        text=_text(thing.get("description") or thing.get("abstract")),
        date_raw=date,
        published=at.isoformat() if at else "",
        length_raw=length,
        seconds_low=span[0] if span else None,
        seconds_high=span[1] if span else None,
        number=int(number) if number.isdecimal() and len(number) < 7 else None,
        url=absolute(_text(thing.get("url") or thing.get("mainEntityOfPage")), address),
        audio_url=absolute(_text(media.get("contentUrl")), address),
        show=(_of(series, names) if series else "") or within,
    )


def _of(series: Any, names: dict[str, str]) -> str:
    """The name of a series, which may be given by its identifier only."""
    if isinstance(series, list):
        series = series[0] if series else {}
    if not isinstance(series, dict):
        return names.get(_text(series), _text(series))
    return _text(series.get("name")) or names.get(_text(series.get("@id")), "")
