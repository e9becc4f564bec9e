"""Reads one item of a feed: what feedparser made of it, and from its element what feedparser
loses."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from html import unescape
from typing import Any

from ...listings import read_feed_date, read_length
from ...records import EntryData
from . import _podcasting as podcasting
from ._values import address, one_line, stored

LONGEST_NOTES = 1_000_000  # characters; a transcript in place of notes has a third of that
ATOM_TITLE = "{http://www.w3.org/2005/Atom}title"
# The address of a link that only means something on its own site; "github.com/x" lacks no more than
# its scheme.
RELATIVE = re.compile(
    r"""(<a\s(?:[^<>]{0,300}\s)?href\s*=\s*["']?)(\.{0,2}/(?!/)[^"'<>\s]*)""", re.I
)
WORDED = re.compile(r"(?:\A|>)[^<>]*[^\s<>]")  # text between tags
FORMATTED = re.compile(r"<(b|i|em|strong|u|small|span|sub|sup)\b[^<>]{0,200}>([^<>]*)</\1>", re.I)
RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
ENC = "{http://purl.oclc.org/net/rss_2.0/enc#}"
ITUNES = "{http://www.itunes.com/dtds/podcast-1.0.dtd}"
CONTENT = "{http://purl.org/rss/1.0/modules/content/}"


def read_item(entry: Any, element: ET.Element, base: str = "", site: str = "") -> EntryData:
    """What an item says. `element` is the item itself, empty where the feed is not well-formed;
    `base` the address that its relative ones are seen from, and `site` that for those in its
    notes."""
    date, published = _date(entry)
    files = _files(entry, element, base)
    audio = next((file for file in files if file.played), next(iter(files), MediaFile()))
    length = one_line(entry.get("itunes_duration"))
    span = read_length(length)
    return EntryData(
        title=_title(entry, element),
        html=RELATIVE.sub(
            lambda link: link[1] + (address(link[2], site) or link[2]), _notes(entry, element)
        ),
        date_raw=date,
        published=published,
        length_raw=length,
        seconds_low=span[0] if span else None,
        seconds_high=span[1] if span else None,
        number=_number(entry.get("itunes_episode")),
        season=_number(entry.get("itunes_season")),
        episode_type=one_line(entry.get("itunes_episodetype")).lower(),
        guid=one_line(entry.get("id")),
        url=_page(entry, base),
        audio_url=audio.url,
        audio_type=audio.type,
        image_url=address((entry.get("image") or {}).get("href"), base),
        explicit=podcasting.explicit(element),
        author=one_line(entry.get("author")),
        keywords=tuple(
            sorted({one_line(tag.get("term")) for tag in entry.get("tags", []) if tag.get("term")})
        ),
        people=tuple(podcasting.people(element)),
        extras=(
            *podcasting.offered(element),
            *(file.alternate for file in files if file.played and file != audio),
        ),
    )


def _title(entry: Any, element: ET.Element) -> str:
    """The title as plain text: escaped once more than needed or not, without formatting. Other
    markup in it is text, save in Atom where it says that it is markup."""
    title = one_line(unescape(stored(entry.get("title") or element.findtext(f"{ITUNES}title"))))
    title = FORMATTED.sub(r"\2", title)
    own = element.find(ATOM_TITLE)
    if own is not None and own.get("type") in ("html", "xhtml"):
        title = one_line(unescape(re.sub(r"<[^<>]{1,300}>", "", title)))
    return title


def _page(entry: Any, base: str) -> str:
    """The address of the item's page: its link, else its guid where that is said to be one."""
    permalink = entry.get("id") if entry.get("guidislink") else ""
    return address(entry.get("link"), base) or address(permalink)


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
    raws = [text for key in ("published", "updated") if (text := one_line(dict.get(entry, key)))]
    for raw in raws:
        if at := read_feed_date(raw):
            return raw, at.isoformat()
    return (raws[0] if raws else ""), ""


def _notes(entry: Any, element: ET.Element) -> str:
    """The longest of what the item calls its text, else its subtitle: feedparser can lose the one
    beside the other."""
    found = [str(content.get("value", "")) for content in entry.get("content", [])]
    found += [str(entry.get("summary", "") or ""), str(entry.get("description", "") or "")]
    found += [element.findtext("description", ""), element.findtext(f"{CONTENT}encoded", "")]
    worded = [text for text in found if WORDED.search(text)] or [str(entry.get("subtitle") or "")]
    # An itunes:summary without markup is a copy of the notes with the links lost.
    marked = [text for text in worded if "<" in text]
    return _bounded(stored(max(marked or worded, key=len)).strip())


def _bounded(notes: str) -> str:
    """The notes up to a whole word and a whole tag, where they are longer than those of any real
    episode."""
    if len(notes) <= LONGEST_NOTES:
        return notes
    kept = notes[:LONGEST_NOTES]
    kept = kept[: kept.rfind("<")] if kept.rfind("<") > kept.rfind(">") else kept
    return f"{kept.rpartition(' ')[0] or kept}…"


@dataclass(frozen=True, slots=True)
class MediaFile:
    """A file that an item encloses."""

    url: str = ""
    type: str = ""

    @property
    def played(self) -> bool:
        return self.type.startswith(("audio/", "video/"))

    @property
    def alternate(self) -> tuple[str, ...]:
        """Its row among what the item offers beside the first."""
        return ("alternate", self.url, self.type, "")


def _files(entry: Any, element: ET.Element, base: str) -> list[MediaFile]:
    """The enclosures of an item; of one without any, those of RSS 1.0, or what it calls its
    media."""
    named = _enclosures(entry) or _rdf_enclosures(element) or _media(entry)
    files = (MediaFile(address(url, base), one_line(kind)) for url, kind in named)
    return list(dict.fromkeys(file for file in files if file.url))


def _enclosures(entry: Any) -> list[tuple[Any, Any]]:
    return [(file.get("href"), file.get("type")) for file in entry.get("enclosures", [])]


def _rdf_enclosures(element: ET.Element) -> list[tuple[Any, Any]]:
    return [
        (file.get(f"{RDF}resource"), file.get(f"{ENC}type"))
        for file in element.iterfind(f"{ENC}enclosure")
    ]


def _media(entry: Any) -> list[tuple[Any, Any]]:
    media = (
        (file.get("url"), str(file.get("type") or "")) for file in entry.get("media_content", [])
    )
    return [(url, kind) for url, kind in media if MediaFile("", kind).played]
