"""Splits a well-formed feed into its items, so that they are read a few at a time, and known ones
not at all."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain
from xml.parsers import expat

ITEMS = ("item", "{http://www.w3.org/2005/Atom}entry", "{http://purl.org/rss/1.0/}item")
START_TAG = re.compile(rb"""<([^\s/>]+)(?:[^>"']|"[^"]*"|'[^']*')*>""")
# feedparser resolves what follows an element with one of these against its address too.
BASES = ("http://www.w3.org/XML/1998/namespace}base", "base")


@dataclass(frozen=True, slots=True)
class FeedParts:
    """A feed in parts, as bytes: its items, the tags that enclose them, and the rest."""

    opening: bytes
    items: tuple[bytes, ...]
    closing: bytes
    frame: bytes  # the feed without its items

    def with_only(self, items: list[bytes]) -> bytes:
        """A feed of these items alone."""
        return b"".join((self.opening, *items, self.closing))


def parts_of(body: bytes) -> FeedParts | None:
    """The parts of a feed whose items can be read one by one; None for any other.

    Such a feed is well-formed and without a document type, all its items have the same parents,
    none has a base address of its own, and each namespace prefix has one meaning throughout.
    """
    splitter = _Splitter(body)
    try:
        splitter.parser.Parse(body, True)
    except (expat.ExpatError, ValueError, LookupError):
        return None
    if splitter.is_odd or len(splitter.parents) != 1:
        return None
    (parents,) = splitter.parents
    tags = [_start_tag(body, start) for start in parents]
    declaration = body[: body.find(b"?>") + 2] if body.startswith(b"<?xml") else b""
    edges = [0, *chain.from_iterable(splitter.places), len(body)]
    between = zip(edges[::2], edges[1::2], strict=True)
    return FeedParts(
        opening=b"".join((declaration, *(tag[0] for tag in tags))),
        items=tuple(body[start:end] for start, end in splitter.places),
        closing=b"".join(b"</%b>" % tag[1] for tag in reversed(tags)),
        frame=b"".join(body[start:end] for start, end in between),
    )


def _start_tag(body: bytes, start: int) -> re.Match[bytes]:
    return next(START_TAG.finditer(body, start))


class _Splitter:
    """Records where the items begin and end, and where the tags that enclose them begin."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.parser = expat.ParserCreate(namespace_separator="}")
        self.parser.ordered_attributes = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.StartDoctypeDeclHandler = self.doctype
        self.parser.StartNamespaceDeclHandler = self.namespace
        self.names = {name.removeprefix("{") for name in ITEMS}
        self.open: list[int] = []
        self.depth = 0  # inside an item
        self.began = 0
        self.places: list[tuple[int, int]] = []
        self.parents: set[tuple[int, ...]] = set()
        self.namespaces: dict[str | None, str] = {}
        self.is_odd = False

    def doctype(self, *declared: object) -> None:
        self.is_odd = True

    def namespace(self, prefix: str | None, address: str) -> None:
        # feedparser remembers a prefix from one item to the next.
        self.is_odd |= bool(prefix) and self.namespaces.setdefault(prefix, address) != address

    def start(self, name: str, attributes: list[str]) -> None:
        if self.depth:
            self.depth += 1
            self.is_odd |= name in self.names or any(base in attributes[::2] for base in BASES)
        elif name in self.names:
            self.depth, self.began = 1, self.parser.CurrentByteIndex
            self.parents.add(tuple(self.open))
            self.is_odd |= any(base in attributes[::2] for base in BASES)
        else:
            self.open.append(self.parser.CurrentByteIndex)

    def end(self, name: str) -> None:
        if not self.depth:
            self.open.pop()
            return
        self.depth -= 1
        if not self.depth:
            self.places.append((self.began, self._end()))

    def _end(self) -> int:
        """The place after the item that just ended: the parser is before its end tag, but after an
        empty element."""
        here: int = self.parser.CurrentByteIndex
        closes = self.body.find(b">", here) + 1
        end_tag = b"</" + _start_tag(self.body, self.began)[1]
        return closes if self.body[here:closes].rstrip(b"> \t\r\n") == end_tag else here
