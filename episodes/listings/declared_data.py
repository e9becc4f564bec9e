"""Finds JSON in the scripts of a page and in saved text, and lays it out as rows."""

import json
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from selectolax.lexbor import LexborHTMLParser

from ..text.formatting import format_time
from ..text.show_notes import to_text
from .decoding import clean_text
from .rows import Blocks, Head, PageRows, Piece, Row, absolute_web_address_or_blank

# Where JSON may begin in a script: in a body of its own, behind "=" or "(", as a value of a list or
# an object, and behind the number of a chunk: x = {"a": 1}, push([1, 2]), 3:["a"]
BEGINNING = re.compile(r"(?:^[^\S\n]*|(?:[=(:,]|^\w+:)\s*)(?=[{\[\"])", re.M)
LENGTHS = re.compile(r"duration|runtime|(?:track|play)_?time|length|seconds|_secs?$", re.I)
NUMBERS = re.compile(r"(?:^| )(?:episode_?)?n(?:umber|um|r|o)$", re.I)
# "podcast name", "show", "collectionName", "partOfSeries name"
SHOW_KEYS = re.compile(
    r"(?:^| )(?:parent_?|part_?of_?)?(?:podcast|show|series|collection|feed|program(?:me)?)(?:_?(?:name|title))?"
    r"(?: (?:data|attributes|name|title))*$",
    re.I,
)
# Keys of values that are addresses, also without a host: "show url", "shareUrl".
ADDRESS_KEYS = re.compile(r"(?:^|[ _])(?:url|href|permalink|link|path)$|Url$")
SHOW_NAME = "name of a show"  # the shape of a row that is declared to be one


# -- the values ------------------------------------------------------------------------------------


def iterate_embedded_json(text: str, tree: LexborHTMLParser | None) -> Iterator[Any]:
    """Yield the JSON values in the scripts of a page, or in saved text from the first line that begins with a
    bracket."""
    if tree is None:
        # A bracket within a line of saved text is a sentence's.
        first_bracket = re.search(r"^[{\[]", text, re.M)
        if first_bracket:
            yield from _iterate_json_values_in_script(text[first_bracket.start() :])
        return
    # Next.js, a framework for sites, writes one JSON text in pieces: self.__next_f.push([1, "3:[…"]). Only all
    # of them together are JSON.
    next_js_pieces: list[str] = []
    max_scripts = 200  # bounds the time for hostile pages
    for script in tree.css("script:not([src])")[:max_scripts]:
        for value in _iterate_json_values_in_script(script.text()):
            yield value
            match value:
                case [int(), str() as piece]:
                    next_js_pieces.append(piece)
    yield from _iterate_json_values_in_script("".join(next_js_pieces))


def _iterate_json_values_in_script(script: str) -> Iterator[Any]:
    """Yield the JSON values in a text of a program: of `a = {"b": 1}; push([2])` these are {"b": 1} and [2]."""
    decoder = json.JSONDecoder()
    position = 0  # of the text that is not searched yet
    failures = 0  # beginnings that only looked like JSON
    max_failures = 200  # bounds the time for hostile pages
    while failures < max_failures:
        beginning = BEGINNING.search(script, position)
        if beginning is None:
            return
        try:
            # The search goes on behind the value.
            value, position = decoder.raw_decode(script, beginning.end())
        except (ValueError, RecursionError):
            position = beginning.end() + 1
            failures += 1
            continue
        # BEGINNING finds no numbers: the value is an object, a list or a text. A text may be JSON that is
        # written as a text. A short text cannot list episodes.
        if isinstance(value, dict | list) or len(value) > 50:
            yield value


# -- the series that a page describes --------------------------------------------------------------


def iterate_series_names(json_values: Sequence[Any]) -> Iterator[str]:
    """Yield the names of the series that JSON-LD describes, which is data about a page in the terms of
    schema.org. Of an episode, only the series that it is part of counts.

    {"@type": "PodcastEpisode", "partOfSeries": {"@type": "PodcastSeries", "name": "Bee Talk"}} gives "Bee Talk".
    """
    # A stack instead of recursion: data may be nested deeper than Python recurses. Each part is put on
    # it in reverse, so that the names come in the order of the data.
    stack = list(reversed(json_values))
    while stack:
        value = stack.pop()
        if isinstance(value, list):
            stack.extend(reversed(value))
        elif isinstance(value, dict):
            name = value.get("name")
            is_series = _has_type(value, ("PodcastSeries", "CreativeWorkSeries", "RadioSeries"))
            if is_series and isinstance(name, str):
                yield " ".join(name.split())[:500]  # far more than any title
            if _has_type(value, ("PodcastEpisode", "RadioEpisode")):
                stack.append(value.get("partOfSeries"))
            else:
                stack.extend(reversed(value.values()))


def _has_type(value: dict[str, Any], types: Collection[str]) -> bool:
    """Return True if a JSON-LD object declares one of the types: {"@type": "PodcastSeries"}."""
    declared = value.get("@type")
    names = declared if isinstance(declared, list) else [declared]
    return any(name in types for name in names)


# -- rows ------------------------------------------------------------------------------------------


def page_rows_of_data(data: Sequence[Any], head: Head, base_address: str) -> PageRows:
    """Return a row for each text, address, date, length and number in the data of a page at
    `base_address`. Lists and objects are its blocks."""
    layout = _DataLayout(base_address)
    layout.add_row_of_each_scalar(data)
    return PageRows(tuple(layout.rows), head, layout.blocks)


class _DataNode(NamedTuple):
    """A value in data, with its position."""

    value: Any
    keys: tuple[str, ...]  # from the outermost object in: ("show", "episodes", "", "title")
    path: tuple[int, ...]  # the blocks around it


class _DataLayout:
    """Rows and blocks made of data, like the rows and blocks of a page."""

    def __init__(self, base_address: str) -> None:
        self.base_address = base_address
        self.rows: list[Row] = []
        self.blocks = Blocks()

    def add_row_of_each_scalar(self, json_values: Sequence[Any]) -> None:
        """Add a row for each text or number in the data, in order, and a block for each object and list."""
        # A stack instead of recursion: data may be nested deeper than Python recurses.
        # Block 0 is around all data.
        stack = [_DataNode(list(json_values), keys=(), path=(0,))]
        count = 0
        max_values = 200_000  # bounds the time and memory for hostile pages
        while stack and count < max_values:
            node = stack.pop()
            count += 1
            value = node.value
            # A text may be JSON itself, if it is not too short to list episodes: "{\"title\": …}".
            if isinstance(value, str) and re.match(r"\s*[{\[].{50}", value, re.S):
                value = list(_iterate_json_values_in_script(value)) or value
            if isinstance(value, dict | list):
                inner_nodes = self._add_block_and_get_inner_nodes(value, node)
                # In reverse, because the last node on the stack is the next one.
                stack.extend(reversed(inner_nodes))
            else:
                self._add_scalar_row(value, node)

    def _add_block_and_get_inner_nodes(self, container: Any, node: _DataNode) -> list[_DataNode]:
        """Add a block for the object or list of a node, and return the nodes of the values in it."""
        # All objects of one list have the same two innermost keys, and so the same shape.
        block = self.blocks.add(shape=" ".join(node.keys[-2:]), parent=node.path[-1])
        max_depth = 40  # bounds the memory for hostile pages
        path = (*node.path, block)[:max_depth]
        if isinstance(container, list):
            return [_DataNode(item, (*node.keys, ""), path) for item in container]
        nodes = []
        for key, item in container.items():
            # A key with a digit is an id, which says nothing about its object: "13", "ep-13".
            name = "" if re.search(r"\d", key) else key
            nodes.append(_DataNode(item, (*node.keys, name), path))
        return nodes

    def _add_scalar_row(self, value: Any, node: _DataNode) -> None:
        """Add the row of a text, address or number, if it can be a value of an episode."""
        key_names = " ".join(node.keys)  # "show episodes  title", with "" for a list
        # Pictures are no pages of episodes, and times of changes are no dates of episodes.
        if re.search(r"image|artwork|thumb|cover|modified|updated", key_names, re.I):
            return
        link = ""
        text = ""
        if not isinstance(value, str):
            text = _format_number_or_length(key_names, value)
        elif value.startswith(("https://", "http://")):
            link = value.strip()
        elif value.startswith("/") and ADDRESS_KEYS.search(key_names):
            link = absolute_web_address_or_blank(value, self.base_address)
        else:
            text = " ".join(clean_text(to_text(value)).split())
        if text or link:
            piece = Piece(0, len(text), link)
            self.rows.append(Row(text, (piece,), node.path, _shape_of_keys(node.keys)))


def _shape_of_keys(keys: tuple[str, ...]) -> tuple[str, ...]:
    """Return the shape of a row: the innermost two keys, which equal values of all episodes share.

    SHOW_NAME takes the place of a key that declares the name of a show: ("episode", "podcastName").
    """
    if SHOW_KEYS.search(" ".join(keys)):
        return (*keys[-2:-1], SHOW_NAME)
    return keys[-2:]


def _format_number_or_length(key_names: str, value: float | None) -> str:
    """Return an episode's number or its length as pages print them, or "" for any other number."""
    if not value:
        return ""
    if NUMBERS.search(key_names):
        return f"{value:g}"
    seconds_of_day = 86_400
    is_length = LENGTHS.search(key_names) is not None and value < seconds_of_day
    return format_time(value) if is_length else ""
