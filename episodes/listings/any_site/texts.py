"""The text of an entry: its sentences, without title, fields and buttons, and where a site cut it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from ..keyed import key_of
from .episode_index import KnownEpisode
from .page_rows import PageRow
from .records import Record

WORDS = 8  # of a row that reads as a sentence
FEW_WORDS = 5  # of one that ends as a sentence does
END = re.compile(r"(?:\s*(?:\[(?:…|\.{3})\]|\((?:…|\.{3})\)|…+|\.{3,}))\s*(?P<button>[^.!?…]{0,30})$")
WIDE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")


def is_prose(text: str) -> bool:
    """True for a row that reads as a sentence."""
    if text.startswith(("©", "Copyright ")):
        return False
    words = len(text) // 3 if WIDE.search(text) else len([word for word in text.split() if len(word) > 1])
    return words >= WORDS or (words >= FEW_WORDS and text.endswith((".", "!", "?", "。")) and not text.endswith(".."))


def repeated_rows(records: Sequence[Record], rows: Sequence[PageRow]) -> frozenset[str]:
    """Rows that stand in several entries: buttons and the like."""
    found = Counter(text for record in records for text in {rows[place].text for place in record.rows()})
    return frozenset(text for text, count in found.items() if count > 1)


def text_of(record: Record, rows: Sequence[PageRow], repeated: frozenset[str]) -> str:
    """The entry's text as the page prints it, a line for each row; "" where it has none."""
    hit = next((hit for hit in record.seed.hits if hit.kind == "text"), None)
    first = hit.row if hit else _first_sentence(record, rows, repeated)
    if first is None:
        return ""
    lines = [_beginning(record, rows[first], hit.start if hit else 0)]
    for place in range(first + 1, record.last + 1):
        row = rows[place]
        if row.text in repeated or not is_prose(row.text) or row.place == record.seed.place:
            break
        lines.append(row.text)
    return "\n".join(line for line in lines if line)


def _first_sentence(record: Record, rows: Sequence[PageRow], repeated: frozenset[str]) -> int | None:
    for place in record.rows():
        row = rows[place]
        title = any(hit.row == place for hit in record.seed.hits)
        if not title and row.text not in repeated and not row.row.heading and is_prose(without_fields(row)):
            return place
    return None


def without_fields(row: PageRow) -> str:
    """The row's text without dates, lengths and the show's name."""
    chars = list(row.text)
    for start, end in (*((mark.start, mark.end) for mark in row.marks), *row.show_names):
        chars[start:end] = " " * (end - start)
    return "".join(chars)


def _beginning(record: Record, row: PageRow, start: int) -> str:
    """The first row of the text, from its beginning to where a field behind it begins."""
    end = len(row.text)
    for mark in reversed(row.marks):
        if mark.start > start and not row.text[mark.end : end].strip(" ·|•-–—") and mark.end > end - 40:
            end = mark.start
    return row.text[start:end].strip(" ·|•")


def without_end(text: str, episodes: Sequence[KnownEpisode], buttons: frozenset[str]) -> tuple[str, bool | None]:
    """The text without what marks its cut, and whether it is cut; None where nothing tells."""
    bare, cut = text, None
    for button in buttons:
        if bare.endswith(button):
            bare = bare[: -len(button)].rstrip()
    if match := END.search(bare):
        bare, cut = bare[: match.start()], True
    key = key_of(bare)
    openings = [opening for episode in episodes for opening in episode.openings]
    if any(opening == key for opening in openings):
        return bare, False
    if any(opening.startswith(key) for opening in openings):
        return bare, cut
    return bare, cut


def buttons_behind(texts: Sequence[str]) -> frozenset[str]:
    """What stands behind the dots of several texts."""
    found = Counter(match["button"].strip() for text in texts if (match := END.search(text)))
    return frozenset(button for button, count in found.items() if count > 1 and button)
