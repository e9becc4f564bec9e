"""Reads the episodes that an HTML page describes in JSON-LD (schema.org PodcastEpisode)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from ..records import Page, Said, parse_moment
from .dates import moment, seconds
from .html import absolute, decode, is_html

EPISODES = ("PodcastEpisode", "RadioEpisode")


def episodes(page: Page) -> tuple[Said, ...]:
    """The page's PodcastEpisode objects in their order; () where it has none, or none that can be read."""
    text = decode(page)
    if not is_html(text) or "ld+json" not in text:
        return ()
    found: list[Said] = []
    for node in LexborHTMLParser(text).css('script[type="application/ld+json"]'):
        try:
            data = json.loads(node.text())
        except (ValueError, RecursionError):
            continue
        found.extend(_said(thing, page.address) for thing in _objects(data) if _is_episode(thing))
    return tuple(found)


def fill(entries: tuple[Said, ...], described: tuple[Said, ...]) -> tuple[Said, ...]:
    """The entries, with what they leave empty taken from the described episode of equal title."""
    by_title: dict[str, list[Said]] = {}
    for said in described:
        by_title.setdefault(said.title.casefold(), []).append(said)
    return tuple(_filled(said, by_title.get(said.title.casefold(), [])) if said.title else said for said in entries)


def _filled(said: Said, same: list[Said]) -> Said:
    if len(same) != 1:
        return said
    other = same[0]
    names = ("url", "audio_url", "date_raw", "published", "length_raw", "seconds_low", "seconds_high", "guid", "number")
    missing = {name: getattr(other, name) for name in names if getattr(said, name) in ("", None)}
    if said.published:
        missing.pop("date_raw", None)
    return replace(said, **missing)


def _objects(data: Any) -> Iterator[dict[str, Any]]:
    stack = [data]
    while stack:
        thing = stack.pop()
        if isinstance(thing, list):
            stack.extend(reversed(thing))
        elif isinstance(thing, dict):
            yield thing
            stack.extend(value for value in reversed(list(thing.values())) if isinstance(value, dict | list))


def _is_episode(thing: dict[str, Any]) -> bool:
    kinds = thing.get("@type")
    return any(kind in EPISODES for kind in (kinds if isinstance(kinds, list) else [kinds]))


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return _text(value.get("@id") or value.get("url") or value.get("name") or value.get("contentUrl"))
    if isinstance(value, list):
        return _text(value[0]) if value else ""
    return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""


def _said(thing: dict[str, Any], address: str) -> Said:
    media = thing.get("associatedMedia") or thing.get("audio") or {}
    media = media[0] if isinstance(media, list) and media else media
    media = media if isinstance(media, dict) else {"contentUrl": media}
    date = _text(thing.get("datePublished"))
    at = moment(date) or parse_moment(date)
    length = _text(thing.get("duration") or thing.get("timeRequired") or media.get("duration"))
    span = seconds(length)
    number = _text(thing.get("episodeNumber"))
    series = thing.get("partOfSeries") or {}
    return Said(
        title=_text(thing.get("name") or thing.get("headline")),
        text=_text(thing.get("description") or thing.get("abstract")),
        date_raw=date,
        published=at.isoformat() if at else "",
        length_raw=length,
        seconds_low=span[0] if span else None,
        seconds_high=span[1] if span else None,
        number=int(number) if number.isdigit() and len(number) < 7 else None,
        url=absolute(_text(thing.get("url") or thing.get("mainEntityOfPage")), address),
        audio_url=absolute(_text(media.get("contentUrl")), address),
        show=_text(series.get("name")) if isinstance(series, dict) else "",
        raw=json.dumps(thing, ensure_ascii=False, sort_keys=True),
    )
