"""Reads the data that a page's scripts build it from: lists of objects with titles that are known."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ..dates import read_date, read_length
from ..records import EntryData
from ..text.show_notes import to_text
from .decoding import clean
from .document import PageDocument
from .html import absolute
from .keyed import key_of

ASSIGNED = re.compile(r"^\s*(?:window|self|globalThis)?[\w.\[\]\"'$]{0,80}\s*=\s*(?=[{\[])")
SHORTEST = 100  # characters of a script that holds a list
SCRIPTS, LISTS, ITEMS, KEYS = 60, 20_000, 5_000, 60  # of a page, of a script, of a list, of an object
DEEPEST = 5  # keys from an item of a list to what it says
TITLES = ("title", "name", "headline", "episodetitle", "episodename", "trackname")
TEXTS = ("description", "summary", "subtitle", "longdescription", "shortdescription", "htmldescription", "shownotes")
DATES = re.compile(
    r"(?:release[d]?|publish(?:ed)?|publication|pub|air(?:ed)?)(?:date|datetime|time|at|on)?$|date(?:published)?$"
)
LENGTHS = re.compile(r"duration|runtime|tracktime|length(?:inseconds|seconds|ms)?$")
PAGES = ("url", "shareurl", "permalink", "weburl", "canonicalurl", "link", "href", "trackviewurl")
AUDIO = ("audiourl", "enclosureurl", "mediaurl", "mp3url", "streamurl", "episodeurl")
PICTURES = frozenset(("image", "images", "artwork"))
NUMBERS = ("episodenumber", "episodenum", "episodeno")
SHOWS = frozenset(("show", "podcast", "series", "collection", "feed", "program", "channel"))
SHOW_NAMES = frozenset(f"{show}{name}" for show in SHOWS for name in ("name", "title")) | SHOWS
DAY, MILLI = 86_400, 1_000  # a number above a day's seconds counts thousandths
LATEST_IN_SECONDS = 1e11
Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _StateObject:
    """An item of a list: what it says by the lower-case keys that lead there, and the name of the object above the list."""

    said: dict[Path, Any]
    above: str

    @property
    def own(self) -> dict[Path, Any]:
        """What it says of itself, not of its show."""
        return {path: value for path, value in self.said.items() if not SHOWS & set(path[:-1])}


def stated(document: PageDocument, known: frozenset[str]) -> list[tuple[EntryData, str]]:
    """What lists in scripts say of episodes: all items of a list in which two or more carry known (by key) titles.

    Each with the name of the object that holds the list; `show` is what the item itself calls its show.
    """
    found: list[tuple[EntryData, str]] = []
    for data in _states(document):
        for things in _lists(data):
            title = _title_path(things, known)
            found.extend(
                (_entry(thing, title, document.address), thing.above) for thing in things if title in thing.said
            )
    return found


def _states(document: PageDocument) -> Iterator[Any]:
    if not document.is_html:
        yield document.shown_json[0]
        return
    for node in document.tree.css("script:not([src])")[:SCRIPTS] if document.tree else ():
        kind, body = (node.attributes.get("type") or "").lower(), node.text()
        if kind != "application/ld+json" and len(body) >= SHORTEST:
            start = len(body) - len(body.lstrip()) if kind.endswith("json") else _assigned(body)
            with suppress(ValueError, RecursionError):
                yield json.JSONDecoder().raw_decode(body, start)[0]


def _assigned(script: str) -> int:
    """The place of what a script begins by assigning; its end where it does something else."""
    match = ASSIGNED.match(script)
    return match.end() if match else len(script)


def _lists(data: Any) -> Iterator[list[_StateObject]]:
    """Every list, outer ones first, with the objects that it holds."""
    stack: list[tuple[Any, str]] = [(data, "")]
    count = 0
    while stack and count < LISTS:
        value, above = stack.pop()
        if isinstance(value, dict):
            above = _name_of(value) or above
            stack.extend((inner, above) for inner in reversed(value.values()) if isinstance(inner, dict | list))
        elif isinstance(value, list):
            count += 1
            items = [item for item in value[:ITEMS] if isinstance(item, dict)]
            stack.extend((item, above) for item in reversed(items))
            yield [_StateObject(dict(_flat(item)), " ".join(above.split())) for item in items]


def _name_of(thing: dict[str, Any]) -> str:
    own = {key.lower(): value for key, value in thing.items()}
    return next((own[key] for key in TITLES if isinstance(own.get(key), str)), "")


def _flat(item: dict[str, Any]) -> Iterator[tuple[Path, Any]]:
    stack: list[tuple[Path, Any]] = [((), item)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, dict) and len(path) < DEEPEST:
            keys = [(re.sub(r"[^a-z0-9]", "", key.lower()), inner) for key, inner in value.items()]
            stack.extend(((*path, key), inner) for key, inner in reversed(keys[:KEYS]))
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            yield path, value


def _title_path(things: Sequence[_StateObject], known: frozenset[str]) -> Path:
    """The keys that lead to the title in all items, by the known ones among them; () where fewer than two are known."""
    often: Counter[Path] = Counter()
    for thing in things:
        for path, value in thing.own.items():
            if path[-1] in TITLES and isinstance(value, str):
                often[path] += key_of(value[:500]) in known
    path, count = max(often.items(), key=lambda pair: (pair[1], -len(pair[0])), default=((), 0))
    return path if count > 1 else ()


def _entry(thing: _StateObject, title: Path, address: str) -> EntryData:
    own = thing.own
    date = _first(own, lambda path: any(DATES.match(key) for key in path))
    at = _moment(date)
    span = next(filter(None, (_length(path, value) for path, value in own.items())), None)
    texts = [to_text(value) for path, value in own.items() if path[-1] in TEXTS and isinstance(value, str)]
    number = _first(own, lambda path: path[-1] in NUMBERS)
    return EntryData(
        title=clean(" ".join(str(thing.said[title]).split())),
        text=clean(max(texts, key=len, default="").strip()),
        date_raw=str(date or "")[:60] if at else "",
        published=at,
        length_raw=str(span or ""),
        seconds_low=span,
        seconds_high=span,
        number=number if isinstance(number, int) and 0 < number < 100_000 else None,
        url=_address(own, PAGES, address),
        audio_url=_address(own, AUDIO, address),
        show=clean(_show(thing)),
    )


def _first(own: dict[Path, Any], wanted: Callable[[Path], bool]) -> Any:
    return next((value for path, value in own.items() if wanted(path)), None)


def _moment(value: Any) -> str:
    """A date in words, or a number of seconds or thousandths since 1970."""
    if isinstance(value, str) and not value.isdecimal():
        at = read_date(value[:60])
        return at.isoformat() if at else ""
    try:
        number = float(value or 0)
        when = datetime.fromtimestamp(number / MILLI if number > LATEST_IN_SECONDS else number, UTC)
    except (ValueError, OverflowError, OSError):
        return ""
    return when.isoformat() if 2000 < when.year < 2100 else ""


def _length(path: Path, value: Any) -> int | None:
    """Seconds, where the keys that lead to a value say that it is a length."""
    if not any(LENGTHS.search(key) for key in path):
        return None
    if isinstance(value, str) and not value.isdecimal():
        span = read_length(value)
        return span[0] if span else None
    try:
        number = float(value)
    except OverflowError:  # hundreds of digits
        return None
    whole = number * _scale("".join(path), number)
    return int(whole) if 0 < whole < DAY else None


def _scale(keys: str, number: float) -> float:
    """Seconds of the unit that keys name."""
    if "milli" in keys or keys.endswith("ms") or number > DAY:
        return 1 / MILLI
    return 60 if keys.endswith(("minutes", "mins")) else 1


def _address(own: dict[Path, Any], keys: Sequence[str], address: str) -> str:
    for key in keys:
        value = _first(own, lambda path, key=key: path[-1] == key and not PICTURES & set(path))  # type: ignore[misc]
        if isinstance(value, str) and (found := absolute(value, address)):
            return found
    return ""


def _show(thing: _StateObject) -> str:
    for path, value in thing.said.items():
        within = path[-1] in TITLES and SHOWS & set(path[:-1])
        if isinstance(value, str) and (within or path[-1] in SHOW_NAMES):
            return " ".join(value.split())
    return ""
