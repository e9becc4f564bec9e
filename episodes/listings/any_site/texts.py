"""The text of an entry: its sentences, without title, fields and buttons, and where a site cut
it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import takewhile

from ...text.urls import page_key
from ..keyed import key_of
from ..rows import Piece
from .episode_index import EpisodeIndex
from .page_rows import PageRow
from .seeds import Record

WORDS = 8  # of a row that reads as a sentence
FEW_WORDS = 5  # of one that ends as a sentence does
SIGNS = " ·|•-–—"  # around a text
LEADS_ON = (*"→⇒➔➜➝➞⟶»›>…", "...")  # signs that end the words of a link to the rest
END = re.compile(r"(?:\s*(?:\[(?:…|\.{3})\]|\((?:…|\.{3})\)|…+|\.{3,}))\s*[^.!?…]{0,30}$")
# Three signs of a script without blanks are a word.
WORD = re.compile(
    r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{3}|[^\s\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2,}"
)
SENTENCE = re.compile(r"(?<!\.)[.!?。]$")
TextAndCut = tuple[str, bool | None]


def is_prose(text: str) -> bool:
    """True for a row that reads as a sentence."""
    words = len(WORD.findall(text))
    return words >= WORDS or (words >= FEW_WORDS and bool(SENTENCE.search(text)))


def texts_of(
    found: Sequence[Record], rows: Sequence[PageRow], index: EpisodeIndex, pages: Sequence[str]
) -> list[TextAndCut]:
    """Each entry's text and whether the site cut it, None where nothing tells.

    What several entries say is none's own. `pages` are the entries' own addresses.
    """
    often = Counter(text for record in found for text in {row.text for row in record.of(rows)})
    repeated = {text for text, count in often.items() if count > 1}
    printed = [
        _text(record, rows, repeated, page) for record, page in zip(found, pages, strict=True)
    ]
    return [
        _without_cut(
            *own, {key for name in record.episodes for key in index.episodes[name].openings}
        )
        for own, record in zip(printed, found, strict=True)
    ]


def _begins(
    record: Record, rows: Sequence[PageRow], repeated: Collection[str]
) -> list[tuple[int, int]]:
    """The rows, and the places in them, at which the text of an entry can begin."""
    known = [(hit.row, hit.start) for hit in record.hits if hit.kind == "text"]
    return known or [
        (row.place, 0)
        for row in record.of(rows)
        if not (record.names_in(row.place) or row.row.heading or row.text in repeated)
        and is_prose(row.words)
    ]


def _text(
    record: Record, rows: Sequence[PageRow], repeated: Collection[str], page: str
) -> tuple[str, bool]:
    """The entry's text as the page prints it, a line for each row, and whether a link below leads
    to its rest: from where a known text begins, else from the first sentence."""
    begins = _begins(record, rows, repeated)
    if not begins:
        return "", False
    first, start = begins[0]
    below = rows[first + 1 : record.last + 1]
    links = [row for row in below if _leads_on(row, page, repeated)]
    more = list(
        takewhile(
            lambda row: row.text not in repeated and is_prose(row.text) and row not in links, below
        )
    )
    lines = [rows[first].text[start:], *(row.text for row in more)]
    goes_on = below[len(more) : len(more) + 1] == links[:1] != []
    if rest := _link_to_rest((rows[first], *more)[-1], page):
        lines[-1], goes_on = lines[-1].removesuffix(rest), True
    return "\n".join(filter(None, (line.strip(SIGNS) for line in lines))), goes_on


def _link_to_rest(row: PageRow, page: str) -> str:
    """The words of a link to the entry's own page behind the last sentence of a row; "" where it
    ends in none."""
    link = next(reversed(row.row.pieces), Piece(0, 0))
    own = link.href and page_key(link.href) == page_key(page) and is_prose(row.text[: link.start])
    return row.text[link.start :] if own else ""


def _leads_on(row: PageRow, page: str, repeated: Collection[str]) -> bool:
    """True for a row below a text that ends in the sign of a link which leads on.

    It leads to the entry's own page; in saved text, without links, it stands in several entries.
    """
    links = row.row.links
    own = page_key(page) in map(page_key, links) if links else row.text in repeated
    return own and row.text.endswith(LEADS_ON)


def _without_cut(text: str, goes_on: bool, openings: Collection[str]) -> TextAndCut:
    """The text without the mark of a cut, and whether it is cut; one that is known whole is not."""
    match = END.search(text)
    bare = text[: match.start()] if match else text
    if key_of(bare) in openings:
        return bare, False
    return bare, True if match or goes_on else None
