"""Reads one item of a feed: what feedparser made of it, and from its element what feedparser loses of
an item or a channel: the Podcasting 2.0 namespace, `itunes:explicit`, chapters in the feed. Values are
as they can be stored."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from itertools import islice
from typing import Any, TypeAlias

from lxml import etree

from ...listings import absolute, read_feed_date, read_length
from ...records import DETAILS, EntryData
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
    for person in islice(element.iterfind(f"{PODCAST}person"), MOST_PEOPLE):
        if name := one_line(person.text):
            yield name, one_line(person.get("role") or "host").lower(), address(person.get("href"))


def offered(element: Element) -> Iterator[tuple[str, ...]]:
    """A row for each thing that an item or channel offers or says beside its fields, each once."""
    rows = [*_rows(element)]
    # Podlove Simple Chapters: they are part of the feed itself.
    for found in element.iterfind(f"{CHAPTERS}chapters/{CHAPTERS}chapter"):
        start, title = one_line(found.get("start")), one_line(found.get("title"))
        if start or title:
            addresses = address(found.get("href")), address(found.get("image"))
            rows.append(("chapter", start, title, *addresses))
    yield from dict.fromkeys(rows)


def explicit(element: Element) -> str:
    """`yes`, `no`, or "" where it is not said."""
    return EXPLICIT.get(one_line(element.findtext(f"{ITUNES}explicit")).lower(), "")


def _rows(element: Element) -> Iterator[tuple[str, ...]]:
    for kind, (name, places) in OFFERED.items():
        for found in element.iterfind(PODCAST + name):
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


LONGEST_NOTES = 1_000_000  # characters; a transcript in place of notes has a third of that
# The address of a link that only means something on its own site; "github.com/x" lacks no more than
# its scheme.
RELATIVE = re.compile(
    r"""(<a\s(?:[^<>]{0,300}\s)?href\s*=\s*["']?)(\.{0,2}/(?!/)[^"'<>\s]*)""", re.I
)
WORDED = re.compile(r"(?:\A|>)[^<>]*[^\s<>]")  # text between tags
FORMATTED = re.compile(r"<(b|i|em|strong|u|small|span|sub|sup)\b[^<>]{0,200}>([^<>]*)</\1>", re.I)
SEEN = re.compile(
    r"[^\s\u00ad\u200b-\u200f\u2060-\u2064\ufe0f\ufeff]"
)  # not a joiner or mark alone
CONTENT = "{http://purl.org/rss/1.0/modules/content/}"
RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
ENC = "{http://purl.oclc.org/net/rss_2.0/enc#}"


def read_item(entry: Any, element: Element, base: str = "", site: str = "") -> EntryData:
    """The values of an item. `element` is the item itself, empty where the feed is not well-formed;
    `base` the address that its relative ones are seen from, and `site` that for those in its
    notes."""
    date, published = _date(entry)
    files = _files(entry, element, base)
    audio = next(iter(files), MediaFile())
    length = one_line(entry.get("itunes_duration"))
    shortest, longest = read_length(length) or (None, None)
    kind = one_line(entry.get("itunes_episodetype")).lower()
    # A trailer or bonus has the number of the episode that it belongs to.
    number = None if kind in ("trailer", "bonus") else _number(entry.get("itunes_episode"))
    return EntryData(
        title=title_of(entry, element),
        html=RELATIVE.sub(
            lambda link: link[1] + (address(link[2], site) or link[2]), _notes(entry, element)
        ),
        date_raw=date,
        published=published,
        length_raw=length,
        seconds_low=shortest,
        seconds_high=longest,
        number=number,
        season=_number(entry.get("itunes_season")),
        episode_type=kind,
        guid=one_line(entry.get("id")),
        url=_page(entry, base),
        audio_url=audio.url,
        audio_type=audio.type,
        image_url=address(entry.get("image", {}).get("href"), base),
        explicit=explicit(element),
        author=one_line(entry.get("author")),
        keywords=tuple(
            sorted({one_line(tag.get("term")) for tag in entry.get("tags", []) if tag.get("term")})
        ),
        people=tuple(people(element)),
        extras=(
            *offered(element),
            *(("alternate", file.url, file.type, "") for file in files[1:] if file.played),
        ),
    )


def title_of(entry: Any, element: Element) -> str:
    """The title of an item or a show as plain text: escaped once more than needed or not, without formatting. Other
    markup in it is text; one of which nothing can be seen is none."""
    title = one_line(unescape(stored(entry.get("title") or element.findtext(f"{ITUNES}title"))))
    return FORMATTED.sub(r"\2", title) if SEEN.search(title) else ""


def _page(entry: Any, base: str) -> str:
    """The address of the item's page: its link, else its guid where that is said to be one."""
    permalink = entry.get("id") if entry.get("guidislink") else ""
    # feedparser makes a link of such a guid, which may be no more than a number.
    link = "" if entry.get("link") == permalink else address(entry.get("link"), base)
    return link or address(permalink)


def _number(value: Any) -> int | None:
    text = one_line(value)
    return int(text) if text.isdecimal() and len(text) < 7 else None


def _date(entry: Any) -> tuple[str, str]:
    """The date as it stands in the feed, and what it says: an instant, a day, or "" for what cannot
    be read.

    feedparser's own reading is not used: it makes today of a time without a date, and a New Year's
    Day of "2024".
    """
    # Asked as a plain dict: feedparser warns, and answers with another date, where there is no
    # `updated`.
    raw = one_line(dict.get(entry, "published") or dict.get(entry, "updated"))
    at = read_feed_date(raw)
    return raw, at.isoformat() if at else ""


def _notes(entry: Any, element: Element) -> str:
    """The longest of what the item calls its text, else its subtitle: feedparser can lose the one
    beside the other."""
    texts = [content.get("value") for content in entry.get("content", [])]
    texts += [entry.get("summary"), entry.get("description")]
    texts += [element.findtext("description"), element.findtext(f"{CONTENT}encoded")]
    worded = [text for text in map(stored, texts) if WORDED.search(text)]
    worded = worded or [stored(entry.get("subtitle"))]
    # An itunes:summary without markup is a copy of the notes with the links lost.
    marked = [text for text in worded if "<" in text]
    return max(marked or worded, key=len)[:LONGEST_NOTES].strip()


@dataclass(frozen=True, slots=True)
class MediaFile:
    """A file that an item encloses."""

    url: str = ""
    type: str = ""

    @property
    def played(self) -> bool:
        return self.type.startswith(("audio/", "video/"))


def _files(entry: Any, element: Element, base: str) -> list[MediaFile]:
    """The enclosures of an item, else those of RSS 1.0, else what it calls its media; those that can
    be played first."""
    named = [(file.get("href"), file.get("type")) for file in entry.get("enclosures", [])]
    named = named or [
        (file.get(f"{RDF}resource"), file.get(f"{ENC}type"))
        for file in element.iterfind(f"{ENC}enclosure")
    ]
    named = named or [
        (file.get("url"), file.get("type"))
        for file in entry.get("media_content", [])
        if MediaFile("", one_line(file.get("type"))).played
    ]
    files = dict.fromkeys(MediaFile(address(url, base), one_line(kind)) for url, kind in named)
    return sorted((file for file in files if file.url), key=lambda file: not file.played)
