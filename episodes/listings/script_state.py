"""Reads the data that a page's scripts build it from: lists of objects with titles that are known."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from ..records import EntryData
from ..text.show_notes import to_text
from .dates import moment, seconds
from .decoding import clean, is_html
from .html import absolute
from .keyed import key_of

ASSIGNED = re.compile(r"^\s*(?:window|self|globalThis)?[\w.\[\]\"'$]{0,80}\s*=\s*(?=[{\[])")
BEGINS = re.compile(r"^[{\[]", re.M)
SHORTEST = 200  # characters of JSON that shows a list
SCRIPTS, LISTS, ITEMS = 60, 20_000, 5_000  # of a page, of a script, of a list
DEEPEST = 5  # keys from an item of a list to what it says
TITLES = ("title", "name", "headline", "episodetitle", "episodename", "trackname")
TEXTS = ("description", "summary", "subtitle", "longdescription", "shortdescription", "htmldescription", "shownotes")
DATES = re.compile(
    r"(?:release[d]?|publish(?:ed)?|publication|pub|air(?:ed)?)(?:date|datetime|time|at|on)?$|date(?:published)?$"
)
LENGTHS = re.compile(r"duration|runtime|tracktime|length(?:inseconds|seconds|ms)?$")
PAGES = ("url", "shareurl", "permalink", "weburl", "canonicalurl", "link", "href", "trackviewurl")
AUDIO = ("audiourl", "enclosureurl", "mediaurl", "mp3url", "streamurl", "episodeurl")
NUMBERS = ("episodenumber", "episodenum", "episodeno")
SHOWS = ("show", "podcast", "series", "collection", "feed", "program", "channel")
SHOW_NAMES = re.compile(rf"(?:{'|'.join(SHOWS)})(?:name|title)$")
DAY, MILLI = 86_400, 1_000  # a number above a day's seconds counts thousandths
Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Thing:
    """An item of a list: what it says by the lower-case keys that lead there, and the name of the object above the list."""

    said: dict[Path, Any]
    above: str


def stated(text: str, known: frozenset[str], address: str) -> list[tuple[EntryData, str]]:
    """What lists in scripts say of episodes: all items of a list in which two or more carry known (by key) titles.

    Each with the name of the object that holds the list; `show` is what the item itself calls its show.
    """
    found: list[tuple[EntryData, str]] = []
    for data in _states(text):
        for things in _lists(data):
            path = _titled(things, known)
            found.extend((_said(thing, path, address), thing.above) for thing in things if path in thing.said)
    return found


@lru_cache(maxsize=2)  # its rows and its data are asked for one after the other
def shown(text: str) -> tuple[Any, str]:
    """JSON that saved text shows, and the rest of the text; (None, the text) where it shows none."""
    for begin in islice(BEGINS.finditer(text), 5):
        with suppress(ValueError, RecursionError):
            data, end = json.JSONDecoder().raw_decode(text, begin.start())
            if end - begin.start() > SHORTEST:
                return data, text[: begin.start()] + text[end:]
    return None, text


def _states(text: str) -> Iterator[Any]:
    if not is_html(text):
        if (data := shown(text)[0]) is not None:
            yield data
        return
    if "<script" not in text:
        return
    for node in LexborHTMLParser(text).css("script:not([src])")[:SCRIPTS]:
        kind, body = (node.attributes.get("type") or "").lower(), node.text()
        if kind == "application/ld+json" or len(body) < 100:
            continue
        start = 0 if kind.endswith("json") else (match.end() if (match := ASSIGNED.match(body)) else -1)
        if start >= 0:
            with suppress(ValueError, RecursionError):
                yield json.JSONDecoder().raw_decode(body, start + len(body[start:]) - len(body[start:].lstrip()))[0]


def _lists(data: Any) -> Iterator[list[_Thing]]:
    """Every list of objects, outer ones first."""
    stack: list[tuple[Any, str]] = [(data, "")]
    count = 0
    while stack and count < LISTS:
        value, above = stack.pop()
        if isinstance(value, dict):
            own = {key.lower(): inner for key, inner in value.items()}
            name = next((own[key] for key in TITLES if isinstance(own.get(key), str)), above)
            stack.extend((inner, name) for inner in reversed(list(value.values())) if isinstance(inner, dict | list))
        elif isinstance(value, list):
            count += 1
            items = [item for item in value[:ITEMS] if isinstance(item, dict)]
            if len(items) > 1:
                yield [_Thing(dict(_flat(item)), " ".join(above.split())) for item in items]
            stack.extend((item, above) for item in reversed(items))


def _flat(item: dict[str, Any]) -> Iterator[tuple[Path, Any]]:
    stack: list[tuple[Path, Any]] = [((), item)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, dict) and len(path) < DEEPEST:
            keys = [(re.sub(r"[^a-z0-9]", "", key.lower()), inner) for key, inner in value.items()]
            stack.extend(((*path, key), inner) for key, inner in reversed(keys[:60]))
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            yield path, value


def _titled(things: Sequence[_Thing], known: frozenset[str]) -> Path:
    """The keys that lead to the title in all items, by the known ones among them; () where fewer than two are known."""
    often: Counter[Path] = Counter()
    for thing in things:
        for path, value in thing.said.items():
            if path[-1] in TITLES and isinstance(value, str) and not set(path[:-1]) & set(SHOWS):
                often[path] += key_of(value[:500]) in known
    path, count = max(often.items(), key=lambda pair: (pair[1], -len(pair[0])), default=((), 0))
    return path if count > 1 else ()


def _said(thing: _Thing, title: Path, address: str) -> EntryData:
    own = {path: value for path, value in thing.said.items() if not set(path[:-1]) & set(SHOWS)}
    date = _first(own, lambda path: any(DATES.match(key) for key in path))
    at = _moment(date)
    span = _length(own)
    texts = [to_text(value) for path, value in own.items() if path[-1] in TEXTS and isinstance(value, str)]
    number = _first(own, lambda path: path[-1] in NUMBERS)
    return EntryData(
        title=clean(" ".join(str(thing.said[title]).split())),
        text=clean(max(texts, key=len, default="").strip()),
        date_raw=str(date or "")[:60] if at else "",
        published=at,
        length_raw=str(span) if span else "",
        seconds_low=span,
        seconds_high=span,
        number=number if isinstance(number, int) and 0 < number < 100_000 else None,
        url=_address(own, PAGES, address),
        audio_url=_address(own, AUDIO, address),
        show=clean(_show(thing)),
    )


def _first(own: dict[Path, Any], wanted: Any) -> Any:
    return next((value for path, value in own.items() if wanted(path)), None)


def _moment(value: Any) -> str:
    """A date in words, or a number of seconds or thousandths since 1970."""
    if isinstance(value, str) and not value.isdecimal():
        at = moment(value[:60])
        return at.isoformat() if at else ""
    try:
        number = float(value or 0)
        when = datetime.fromtimestamp(number / MILLI if number > 1e11 else number, UTC)
    except (ValueError, OverflowError, OSError):
        return ""
    return when.isoformat() if 2000 < when.year < 2100 else ""


def _length(own: dict[Path, Any]) -> int | None:
    for path, value in own.items():
        keys = "".join(path)
        if not any(LENGTHS.search(key) for key in path):
            continue
        if isinstance(value, str) and not value.isdecimal():
            if span := seconds(value):
                return span[0]
            continue
        whole = float(value)
        whole = whole / MILLI if "milli" in keys or keys.endswith("ms") or whole > DAY else whole
        whole = whole * 60 if keys.endswith(("minutes", "mins")) else whole
        if 0 < whole < DAY:
            return int(whole)
    return None


def _address(own: dict[Path, Any], keys: Sequence[str], address: str) -> str:
    for key in keys:
        value = _first(own, lambda path, key=key: path[-1] == key and not {"image", "images", "artwork"} & set(path))
        if isinstance(value, str) and (found := absolute(value, address)):
            return found
    return ""


def _show(thing: _Thing) -> str:
    for path, value in thing.said.items():
        within = path[-1] in TITLES and set(path[:-1]) & set(SHOWS)
        named = path[-1] in SHOWS or SHOW_NAMES.match(path[-1]) or within
        if named and isinstance(value, str):
            return " ".join(value.split())
    return ""
