"""The text of an entry: its sentences, without title, fields and buttons, and where a site cut it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

from ..keyed import key_of
from .episode_index import EpisodeIndex
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


def texts_of(found: Sequence[Record], rows: Sequence[PageRow], index: EpisodeIndex) -> list[tuple[str, bool | None]]:
    """Each entry's text and whether the site cut it, None where nothing tells; what several entries say is none's own."""
    repeated = _repeated_rows(found, rows)
    written = [_text(record, rows, repeated) for record in found]
    often, buttons = Counter(written), _buttons(written)
    result = []
    for record, text in zip(found, written, strict=True):
        openings = {opening for name in record.seed.episodes for opening in index.episodes[name].openings}
        result.append(_without_end(text, openings, buttons) if text and often[text] == 1 else ("", None))
    return result


def _repeated_rows(records: Sequence[Record], rows: Sequence[PageRow]) -> frozenset[str]:
    """Rows that stand in several entries: buttons and the like."""
    found = Counter(text for record in records for text in {rows[place].text for place in record.rows()})
    return frozenset(text for text, count in found.items() if count > 1)


def _text(record: Record, rows: Sequence[PageRow], repeated: frozenset[str]) -> str:
    """The entry's text as the page prints it, a line for each row; "" where it has none."""
    hit = next((hit for hit in record.seed.hits if hit.kind == "text"), None)
    first = hit.row if hit else _first_sentence(record, rows, repeated)
    if first is None:
        return ""
    lines = [_beginning(rows[first], hit.start if hit else 0)]
    for row in rows[first + 1 : record.last + 1]:
        if row.text in repeated or not is_prose(row.text) or row.place == record.seed.place:
            break
        lines.append(row.text)
    return "\n".join(filter(None, lines))


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


def _without_end(text: str, openings: Collection[str], buttons: Collection[str]) -> tuple[str, bool | None]:
    """The text without what marks its cut, and whether it is cut; a text that is known as a whole is not."""
    for button in buttons:
        text = text.removesuffix(button).rstrip()
    match = END.search(text)
    bare = text[: match.start()] if match else text
    if key_of(bare) in openings:
        return bare, False
    return bare, True if match else None


def _buttons(texts: Sequence[str]) -> frozenset[str]:
    """What stands behind the dots of several texts."""
    found = Counter(match["button"].strip() for text in texts if (match := END.search(text)))
    return frozenset(button for button, count in found.items() if count > 1 and button)
