"""Values of a feed's elements as they can be stored, and what feedparser loses of an item or a channel:
the Podcasting 2.0 namespace, `itunes:explicit`, chapters in the feed."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, TypeAlias

from lxml import etree

from ...listings import absolute
from ...records import DETAILS
from ...text.normalize import TURNING

Element: TypeAlias = etree._Element
ATOM_LINK = "{http://www.w3.org/2005/Atom}link"
# What feedparser lets through in broken XML, and no database or XML document takes.
UNSTORABLE = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")
WITHOUT_TURNING = str.maketrans("", "", TURNING)


def stored(value: Any) -> str:
    return UNSTORABLE.sub("", str(value or ""))


def one_line(value: Any) -> str:
    return " ".join(stored(value).translate(WITHOUT_TURNING).split())


def address(value: Any, base: str = "") -> str:
    """A whole http(s) address, seen from the page at `base`; "" for anything else."""
    return absolute(one_line(value), base)


ITUNES = "{http://www.itunes.com/dtds/podcast-1.0.dtd}"
CHAPTERS = "{http://podlove.org/simple-chapters}"
PODCAST = "{https://podcastindex.org/namespace/1.0}"
# Each kind of row with its element and where its values are.
OFFERED = {
    "transcript": ("transcript", ("@url", "@type", "@language", "@rel")),
    "chapters": ("chapters", ("@url", "@type")),
    **{kind: (detail.element, tuple(detail.values.values())) for kind, detail in DETAILS.items()},
}
MOST_PEOPLE = 1000  # of an item
ADDRESSES = ("@url", "@uri", "@href", "source@uri")
# A row of these kinds means nothing without its first value; the others need any.
ADDRESSED = ("transcript", "chapters", "social", "alternate", "soundbite")
EXPLICIT = {
    "yes": "yes",
    "true": "yes",
    "explicit": "yes",
    "no": "no",
    "false": "no",
    "clean": "no",
}


def people(element: Element) -> Iterator[tuple[str, str, str]]:
    """Name, role and address of each `podcast:person`."""
    for person in islice(_podcast(element, "person"), MOST_PEOPLE):
        if name := one_line(person.text):
            yield name, one_line(person.get("role") or "host").lower(), address(person.get("href"))


def offered(element: Element) -> Iterator[tuple[str, ...]]:
    """A row for each thing that an item or channel offers or says beside its fields, each once."""
    yield from dict.fromkeys((*_rows(element), *_simple_chapters(element)))


def explicit(element: Element) -> str:
    """`yes`, `no`, or "" where it is not said."""
    return EXPLICIT.get(one_line(element.findtext(f"{ITUNES}explicit")).lower(), "")


def text_of(element: Element, name: str) -> str:
    """The text of the first such element of the Podcasting 2.0 namespace."""
    return next((one_line(found.text) for found in _podcast(element, name)), "")


def _podcast(element: Element, name: str) -> Iterator[Element]:
    return iter(element.iterfind(PODCAST + name))


def _rows(element: Element) -> Iterator[tuple[str, ...]]:
    for kind, (name, places) in OFFERED.items():
        for found in _podcast(element, name):
            values = tuple(_value(found, place) for place in places)
            if values[0] or (kind not in ADDRESSED and any(values)):
                yield (kind, *values)


def _value(element: Element, place: str) -> str:
    """The text or attribute at a place of an element; an address that nobody can follow is left
    out."""
    child, _, attribute = place.rpartition("@")
    if child:
        element = next(element.iterchildren(f"{{*}}{child}"), etree.Element("none"))
    said = element.text if place == "." else element.get(attribute)
    return address(said) if place in ADDRESSES else one_line(said)


def _simple_chapters(element: Element) -> Iterator[tuple[str, ...]]:
    """Podlove Simple Chapters, which stand in the feed itself."""
    for found in element.iterfind(f"{CHAPTERS}chapters/{CHAPTERS}chapter"):
        start, title = one_line(found.get("start")), one_line(found.get("title"))
        if start or title:
            yield "chapter", start, title, address(found.get("href")), address(found.get("image"))
