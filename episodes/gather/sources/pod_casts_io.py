"""Reads pod.casts.io's topic pages, which mix shows: title, "Show - August 18, 2021 13:00 - 13 minutes ★★★★★", text."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ...listings.dates import moment, printed_length
from ...listings.entries import entry, paragraph
from ...listings.html import TextLine, lines
from ...listings.json_ld import fill
from ...listings.show_names import is_show
from ...records import DocumentRejected, EntryData, FetchedDocument, ParsedPage, Show, WrongShow

TITLE = "pod.casts.io"
HOSTS = ("pod.casts.io",)
MIN_ENTRIES = 1
MIN_WITH_TEXT = 0.5

DASH = re.compile(r"\s+[-–—·•|]\s+")
STARS = re.compile(r"[\s\-–—·•|]*[★☆⯪✩✭⭐½]+[\s\-–—·•|]*")
RATINGS = re.compile(r"(?:[\d.,]+k?|no) (?:ratings?|reviews?)(?: yet)?", re.I)
LENGTH = re.compile(r"(?:about |less than |almost |over )?(?:\d[\w ,]*|a|an) (?:minutes?|hours?|seconds?)", re.I)
HOUR = re.compile(r"\d{1,2}:\d{2}(?:\s*[ap]m)?", re.I)
RELATED = re.compile(r"related .{0,80}topics$", re.I)  # what stands below the last entry
DOTS = re.compile(r"\s*(?:\.\.\.|…)$")
EDGES = " -–—·•|"
WIDEST = 9  # lines that HTML may break an entry's second line into
LONGEST = 400  # characters of such a line, or of a title
CUT_FROM = (
    270  # the site cuts at 297 characters before it collapses white space; a shorter text may end in "..." itself
)


@dataclass(frozen=True, slots=True)
class Meta:
    """What an entry's second line says, and which lines of the page it is."""

    show: str
    date: str
    length: str
    start: int = 0
    end: int = 0
    text: str = ""


def recognises(page: FetchedDocument) -> bool:
    return len(_metas(lines(page))) >= 2


def read(page: FetchedDocument, show: Show) -> ParsedPage:
    """The entries that name the show, in their order; those of other shows are counted and left alone.

    Raises:
        DocumentRejected: it has no such entry, or none that names the show.
    """
    found = lines(page)
    metas = _metas(found)
    if not metas:
        raise DocumentRejected('no entry with a line like "Show - August 18, 2021 13:00 - 13 minutes" in it')
    art = {f"{meta.show} artwork".casefold() for meta in metas}
    marked = sum(bool(line.heading) for line in found) > len(metas)  # those of entries, beside the page's own
    heads = [
        _head(found, marked, before.end if before else 0, meta.start, art)
        for before, meta in zip((None, *metas[:-1]), metas, strict=True)
    ]
    ends = [
        *(head if head is not None else meta.start for head, meta in zip(heads[1:], metas[1:], strict=True)),
        len(found),
    ]
    entries = tuple(
        _entry(
            found[head] if head is not None else None,
            meta,
            [x for x in found[meta.end : end] if x.text.casefold() not in art],
        )
        for head, meta, end in zip(heads, metas, ends, strict=True)
        if is_show(meta.show, show.title)
    )
    foreign = len(metas) - len(entries)
    if not entries:
        raise WrongShow(f"none of its {foreign} entries names {show.title}")
    return ParsedPage(fill(entries, page, show), show.title, foreign)


def _metas(found: tuple[TextLine, ...]) -> list[Meta]:
    metas: list[Meta] = []
    place = 0
    while place < len(found):
        meta = _meta_at(found, place)
        if meta:
            metas.append(meta)
        place = meta.end if meta else place + 1
    return metas


def _meta_at(found: tuple[TextLine, ...], place: int) -> Meta | None:
    """An entry's second line from here on: the longest run of lines that makes one, as HTML may break it at its parts."""
    text = found[place].text.strip(EDGES)
    if _is_part(text):
        return None
    best = None
    for end in range(place + 1, min(place + WIDEST, len(found)) + 1):
        if len(text) > LONGEST:
            break
        if said := _meta(text):
            best = Meta(*said, place, end, text)
        if end == len(found) or not _is_part(found[end].text.strip(EDGES)):
            break
        text = " - ".join(filter(None, (text, found[end].text.strip(EDGES))))
    return best


def _is_part(text: str) -> bool:
    """Whether a line says only what stands after the show in an entry's second line; "" is a dash alone."""
    if not text or len(text) > LONGEST:
        return not text
    found = _meta(f"x - {text}") or _meta(f"x - May 1, 2000 - {text}")
    return found is not None and found[0] == "x"


def _meta(text: str) -> tuple[str, str, str] | None:
    """Show, date and length, where the line says these and nothing but ratings beside them."""
    parts = [part for part in DASH.split(STARS.sub(" - ", text)) if part.strip(EDGES)]
    at = next((place for place, part in enumerate(parts) if place and moment(part)), None)
    if at is None:
        return None
    date, rest = parts[at], parts[at + 1 :]
    if rest and HOUR.fullmatch(rest[0]) and moment(f"{date} {rest[0]}"):
        date, rest = f"{date} {rest[0]}", rest[1:]
    rest = [part.strip(EDGES) for part in rest if not RATINGS.fullmatch(part.strip(EDGES))]
    if len(rest) > 1 or not all(LENGTH.fullmatch(part) or printed_length(part) for part in rest):
        return None
    return " - ".join(parts[:at]), date, rest[0] if rest else ""


def _head(found: tuple[TextLine, ...], marked: bool, low: int, start: int, art: set[str]) -> int | None:
    """The place of an entry's title, right above its second line; None where there is none."""
    for place in range(start - 1, max(low, start - (4 if marked else 1)) - 1, -1):
        if found[place].heading:
            return place
    above = found[start - 1] if start > low else None
    alone = start - 1 == low > 0 and above is not None and above.is_prose  # the text of the entry before
    return None if above is None or alone or above.text.casefold() in art or len(above.text) > LONGEST else start - 1


def _entry(head: TextLine | None, meta: Meta, body: list[TextLine]) -> EntryData:
    last = next((place for place, line in enumerate(body) if line.heading or RELATED.match(line.text)), len(body))
    start = next((place for place, line in enumerate(body[:last]) if line.is_prose), last)
    start, end = paragraph(body, start, last)
    printed = "\n".join(line.text for line in body[start:end])
    cut = len(printed) >= CUT_FROM and DOTS.search(printed) is not None
    text = DOTS.sub("", printed) if cut else printed
    said = entry(head, text, cut if printed else None, (meta.date, meta.length), show=meta.show)
    return replace(said, date_raw=meta.date, length_raw=meta.length)  # "about an hour" is said, though no length
