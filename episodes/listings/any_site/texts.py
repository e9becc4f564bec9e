"""The text of an entry: its sentences, without title, fields and buttons, and where a site cut it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import takewhile

from ...text.urls import page_key
from ..keyed import key_of
from .episode_index import EpisodeIndex
from .furniture import MANY, PageText, is_link_to_rest, with_link, without_furniture
from .page_rows import PageRow
from .records import Record

WORDS = 8  # of a row that reads as a sentence
FEW_WORDS = 5  # of one that ends as a sentence does
SIGNS = " ·|•-–—"  # between a text and the fields behind it
WIDEST_FIELD = 40  # characters at the end of a text that may be a field
END = re.compile(r"(?:\s*(?:\[(?:…|\.{3})\]|\((?:…|\.{3})\)|…+|\.{3,}))\s*(?P<button>[^.!?…]{0,30})$")
WIDE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")


def is_prose(text: str) -> bool:
    """True for a row that reads as a sentence."""
    if text.startswith(("©", "Copyright ")):
        return False
    words = len(text) // 3 if WIDE.search(text) else len([word for word in text.split() if len(word) > 1])
    return words >= WORDS or (words >= FEW_WORDS and text.endswith((".", "!", "?", "。")) and not text.endswith(".."))


TextAndCut = tuple[str, bool | None]


def texts_of(
    found: Sequence[Record], rows: Sequence[PageRow], index: EpisodeIndex, pages: Sequence[str]
) -> list[TextAndCut]:
    """Each entry's text and whether the site cut it, None where nothing tells.

    What several entries say is none's own. `pages` are the entries' own addresses.
    """
    repeated = _repeated_rows(found, rows)
    openings = [_openings(record, index) for record in found]
    entries = zip(found, pages, openings, strict=True)
    printed = [_text(record, rows, repeated, page, keys) for record, page, keys in entries]
    written = without_furniture(printed)
    often, buttons = Counter(own.text for own in written), _buttons([own.text for own in written])
    return [
        _without_end(own, keys, buttons) if own.text and often[own.text] == 1 else ("", None)
        for own, keys in zip(written, openings, strict=True)
    ]


def _openings(record: Record, index: EpisodeIndex) -> set[str]:
    """Keys of the known texts of the episodes that an entry may be."""
    return {key for name in record.seed.episodes for key in index.episodes[name].openings}


def _repeated_rows(records: Sequence[Record], rows: Sequence[PageRow]) -> frozenset[str]:
    """Rows of several entries, or of many but for the entry's title: buttons and the like."""
    untitled = [_untitled(record, rows) for record in records]
    often = Counter(text for own in untitled for text in {*own, *own.values()})
    pairs = (pair for own in untitled for pair in own.items())
    return frozenset(text for text, rest in pairs if often[text] > 1 or often[rest] >= MANY)


def _untitled(record: Record, rows: Sequence[PageRow]) -> dict[str, str]:
    """The rows of an entry, each with what it is without the entry's title."""
    hit = record.seed.title
    title = rows[hit.row].text[hit.start : hit.end] if hit else ""
    texts = {rows[place].text for place in record.rows()}
    return {text: text.replace(title, "").strip() if title else text for text in texts}


def _text(
    record: Record,
    rows: Sequence[PageRow],
    repeated: frozenset[str],
    page: str,
    openings: Collection[str],
) -> PageText:
    """The entry's text as the page prints it, a line for each row; "" where it has none."""
    hit = next((hit for hit in record.seed.hits if hit.kind == "text"), None)
    first = hit.row if hit else _first_sentence(record, rows, repeated)
    if first is None:
        return PageText("")
    below = rows[first + 1 : record.last + 1]
    more = list(takewhile(lambda row: _continues(row, record, repeated), below))
    lines = [_beginning(rows[first], hit.start if hit else 0), *(row.text for row in more)]
    joined = "\n".join(filter(None, lines))
    text = PageText(joined, begun=hit is not None, whole=key_of(joined) in openings)
    text = with_link(text, rows[first + len(more)].row)
    if text.link and page_key(text.href) == page_key(page):
        return text.without_link()
    behind = below[len(more) : len(more) + 1]
    leads_on = (is_link_to_rest(row.row, page, repeated=row.text in repeated) for row in behind)
    return replace(text, goes_on=any(leads_on))


def _continues(row: PageRow, record: Record, repeated: frozenset[str]) -> bool:
    """True for a row that goes on with the text above it."""
    return row.text not in repeated and is_prose(row.text) and row.place != record.seed.place


def _first_sentence(record: Record, rows: Sequence[PageRow], repeated: frozenset[str]) -> int | None:
    for row in (rows[place] for place in record.rows()):
        other = record.names_in(row.place) or row.row.heading or row.text in repeated
        if not other and is_prose(without_fields(row)):
            return row.place
    return None


def without_fields(row: PageRow) -> str:
    """The row's text without dates, lengths and the show's name."""
    chars = list(row.text)
    for start, end in (*((mark.start, mark.end) for mark in row.marks), *row.show_names):
        chars[start:end] = " " * (end - start)
    return "".join(chars)


def _beginning(row: PageRow, start: int) -> str:
    """The first row of the text, from its beginning to where a field behind it begins."""
    end = len(row.text)
    for mark in reversed(row.marks):
        last = not row.text[mark.end : end].strip(SIGNS) and mark.end > end - WIDEST_FIELD
        if last and mark.start > start:
            end = mark.start
    return row.text[start:end].strip(SIGNS)


def _without_end(own: PageText, openings: Collection[str], buttons: Collection[str]) -> TextAndCut:
    """The text without the mark of a cut, and whether it is cut; one that is known whole is not."""
    text = own.text
    for button in buttons:
        text = text.removesuffix(button).rstrip()
    match = END.search(text)
    bare = text[: match.start()] if match else text
    if key_of(bare) in openings:
        return bare, False
    return bare, True if match or own.goes_on else None


def _buttons(texts: Sequence[str]) -> frozenset[str]:
    """What stands behind the dots of several texts."""
    found = Counter(match["button"].strip() for text in texts if (match := END.search(text)))
    return frozenset(button for button, count in found.items() if count > 1 and button)
