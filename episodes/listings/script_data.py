"""Lays out as HTML the lists that stand as data in a page's scripts, as JSON in saved text, or in
XML."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from html import escape
from itertools import islice
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from ..text.formatting import clock
from ..text.show_notes import to_text
from .xml_repair import Element, defines_entities, parse_xml

ASSIGNED = re.compile(
    r"^(?:(?:var|let|const)\s{1,9}|window|self|globalThis)?[\w.\[\]\"'$]{0,80}\s{0,9}=\s{0,9}(?=[{\[])"
)
BEGINS_JSON = re.compile(r"^[{\[]", re.M)
NOT_BLANK = re.compile(r"\S")
LIST_OF_OBJECTS = re.compile(r'\[\s*\{\s*"')
TRIES = 60  # beginnings of such lists in a script that is no JSON itself
SCRIPTS, LISTS, ITEMS, KEYS = (
    60,
    20_000,
    5_000,
    60,
)  # of a page, of a script, of a list, of an object
DEEPEST = 8  # keys from an item of a list to a value
LENGTHS = re.compile(r"duration|runtime|(?:track|play)_?time|length|seconds|_secs?$", re.I)
DATES = re.compile(
    r"(?:date|publi|releas|creat|timestamp)(?!.{0,200}ids?$)|(?:^|[ _])ts$|_at$", re.I
)
NUMBERS = re.compile(r"(?:^| )(?:episode_?)?n(?:umber|um|r|o)$", re.I)
# Pictures, and when somebody last worked on the data.
LEFT_OUT = re.compile(r"image|artwork|thumb|cover|modified|updated", re.I)
DAY, MILLI = 86_400, 1_000  # a number above a day's seconds counts thousandths
FIRST_SECOND, LAST_SECOND = 10**9, 4 * 10**9  # since 1970, of the years 2001 to 2096
Path = tuple[str, ...]


def as_html(data: Sequence[Any]) -> str:
    """Every list of objects as articles; "" where there is none."""
    found = (items for one in data for items in _lists(one))
    lists = ("".join(map(_article, items)) for items in found)
    return "".join(f"<div><section>{articles}</section></div>" for articles in lists)


def script_data(text: str, tree: LexborHTMLParser | None) -> Iterator[Any]:
    """The values that scripts hold or assign, and the lists in scripts that are no JSON; saved text
    from its first bracket on."""
    if tree is None:
        begins = BEGINS_JSON.search(text)
        bodies = [text[begins.start() :]] if begins else []
    else:
        scripts = tree.css("script:not([src])")[:SCRIPTS]
        bodies = [ASSIGNED.sub("", script.text().lstrip(), count=1).lstrip() for script in scripts]
    for body in bodies:
        values = list(islice(_values(body), ITEMS)) if BEGINS_JSON.match(body) else []
        if values := values or list(_lists_in(body)):
            with suppress(RecursionError):
                yield _resolved(values[0] if len(values) == 1 else values)


def _resolved(data: Any) -> Any:
    """The data; what Nuxt 3 writes, whose lists and objects hold the places of values in one list."""
    match data:
        case [["Reactive" | "ShallowReactive", int()], *_]:
            return _value_at(0, dict(enumerate(data)))
    return data


def _value_at(place: Any, left: dict[int, Any]) -> Any:
    """The value at a place with those that it holds, of the lists and objects that are `left`, since
    none can hold itself; None for what is no place ("Reactive")."""
    match value := left.get(place) if isinstance(place, int) else None:
        case ["Date", str() as day]:
            return day
        case list():
            del left[place]
            return [_value_at(own, left) for own in value]
        case dict():
            del left[place]
            return {key: _value_at(own, left) for key, own in value.items()}
    return value


def xml_data(text: str) -> Iterator[Any]:
    """The data of an XML document, shaped as JSON would hold it; nothing where it defines entities
    or is cut off."""
    if defines_entities(text):
        return
    document = parse_xml(text)
    if document.is_whole:
        with suppress(RecursionError):
            yield _value(document.root)


def _value(element: Element) -> Any:
    """The text of an element, and its attributes and children by their names, those of one name in
    a list."""
    said = defaultdict[str, list[Any]](list, {"": [element.text]})
    for name, value in (*element.items(), *((child.tag, _value(child)) for child in element)):
        said[name.rpartition("}")[2]].append(value)
    return {name: own if len(own) > 1 else own[0] for name, own in said.items()}


def _values(body: str) -> Iterator[Any]:
    """The JSON values that follow each other, one in most bodies, one a line in JSON Lines."""
    decoder, place = json.JSONDecoder(), 0
    with suppress(ValueError, RecursionError):
        while begins := NOT_BLANK.search(body, place):
            value, place = decoder.raw_decode(body, begins.start())
            yield value


def _lists_in(script: str) -> Iterator[Any]:
    """The lists of objects in a script, each from its first bracket on."""
    decoder, place = json.JSONDecoder(), 0
    for begins in islice(LIST_OF_OBJECTS.finditer(script), TRIES):
        if begins.start() >= place:
            with suppress(ValueError, RecursionError):
                value, place = decoder.raw_decode(script, begins.start())
                yield value


def _lists(data: Any) -> Iterator[list[dict[str, Any]]]:
    """The objects of every list that holds several, outer lists first."""
    stack, count = [data], 0
    while stack and count < LISTS:
        value, count = stack.pop(), count + 1
        inner = list(value.values()) if isinstance(value, dict) else value[:ITEMS]
        stack.extend(one for one in reversed(inner) if isinstance(one, dict | list))
        items = [one for one in inner if isinstance(one, dict) and not _is_only_a_link(one)]
        if isinstance(value, list) and len(items) > 1:
            yield items


def _is_only_a_link(item: dict[str, Any]) -> bool:
    """True for a place in a list of schema.org, as in a trail of breadcrumbs, that describes
    nothing."""
    return item.get("@type") == "ListItem" and not isinstance(item.get("item"), dict)


def _article(item: dict[str, Any]) -> str:
    """An object with what it says below its keys, as a page would print it."""
    cells = []
    stack: list[tuple[Path, Any]] = [((), item)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, dict) and len(path) < DEEPEST:
            stack.extend(((*path, key), inner) for key, inner in reversed([*value.items()][:KEYS]))
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            cells.append(_cell(path, value))
    return f"<article>{''.join(cells)}</article>"


def _cell(path: Path, value: str | float) -> str:
    keys = " ".join(path)
    if LEFT_OUT.search(keys):
        return ""
    if isinstance(value, str):
        if value.startswith(("https://", "http://")):
            return f'<a href="{escape(value)}"></a>'
        said = to_text(value)
    else:
        said = _number(keys, value)
    return f'<p class="{escape(keys)}">{escape(said)}</p>' if said else ""


def _number(keys: str, value: float) -> str:
    """The episode's number, its length in seconds or thousandths, or its day; "" for others."""
    if NUMBERS.search(keys):
        return str(value)
    with suppress(ValueError, OverflowError):
        # First: no length has so many seconds, but "publishedAt _seconds" is a day.
        second = value / MILLI if value > LAST_SECOND else value
        if DATES.search(keys) and FIRST_SECOND < second < LAST_SECOND:
            return datetime.fromtimestamp(second, UTC).date().isoformat()
        if LENGTHS.search(keys):
            return clock(int(value / MILLI if value > DAY else value))
    return ""


# -- the series that a page describes --------------------------------------------------------------

EPISODES = ("PodcastEpisode", "RadioEpisode")
SERIES = ("PodcastSeries", "CreativeWorkSeries", "RadioSeries")
NAMED = 500  # characters of a series' name


def series_in(data: Sequence[Any]) -> Iterator[str]:
    """The names of the series that JSON-LD describes (schema.org PodcastSeries); of what an episode
    says, the series that it is part of."""
    stack = list(reversed(data))
    while stack:
        value = stack.pop()
        if isinstance(value, list):
            stack.extend(reversed(value))
        elif isinstance(value, dict):
            if _is_a(value, SERIES) and isinstance(name := value.get("name"), str):
                yield " ".join(name.split())[:NAMED]
            inner = [value.get("partOfSeries")] if _is_a(value, EPISODES) else value.values()
            stack.extend(reversed([*inner]))


def _is_a(value: dict[str, Any], kinds: tuple[str, ...]) -> bool:
    own = value.get("@type")
    return any(kind in kinds for kind in (own if isinstance(own, list) else [own]))
