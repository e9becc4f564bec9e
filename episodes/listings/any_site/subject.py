"""Whose page it is: what names the show in its data, its title, its headings, or above its list."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...records import Show
from ..rows import Head, PageRows
from ..show_names import is_show, normalize_show_name
from ..words import words
from . import columns
from .episode_index import EpisodeIndex, KnownEpisode
from .page_rows import PageRow
from .records import Record

PARTS = re.compile(r"(\s*[|·•»«›‹→>]\s*|\s+/\s+|\s+[-–—]+\s+|[–—]|\s?[:：]\s?)")
FIRST_ROWS = 4  # rows at the top of a page, which may name its show
TOP = 40  # rows above the first entry in which saved text names its show
FITTING = 4  # entries of which day and length, or the text, agree, before which it may be chance
NAMING = 8  # words beside a show's name in a row that says whose page it is


def _around(part: str, show: Show) -> bool:
    """True for a phrase that is the show's name among words that make no other name of it."""
    own, name = normalize_show_name(part).split(), normalize_show_name(show.title).split()
    if not name or len(own) > len(name) + 8:
        return False
    beside = words("around_names") | set(normalize_show_name(show.author).split())
    for place in range(len(own) - len(name) + 1):
        if own[place : place + len(name)] == name:
            others = [*own[:place], *own[place + len(name) :]]
            return all(word in beside or word.isdecimal() for word in others)
    return False


def is_titled_after(text: str, show: Show) -> bool:
    """True for a title or heading that is the show's name, alone or beside its site and words that any page has.

    What follows the name and a colon in capitals makes another show: "NAME: Reloaded".
    """
    pieces = PARTS.split(text[:500])
    for place in range(0, len(pieces), 2):
        behind = pieces[place + 1].strip() if place + 1 < len(pieces) else ""
        after = pieces[place + 2].strip() if behind in (":", "：") else ""
        subtitle = bool(after) and after[0].isupper() and not _around(after, show)
        if not subtitle and (is_show(pieces[place], show.title) or _around(pieces[place], show)):
            return True
    return False


def page_is_ours(
    page: PageRows, rows: Sequence[PageRow], found: Sequence[Record], series: Sequence[str], index: EpisodeIndex
) -> bool:
    """True where the page's data, title or headings name the show, or its entries fit the show's episodes; on a page
    without any title, a row above a list of which most is known."""
    show = index.show
    first = min((record.first for record in found), default=len(rows))
    titles = list(_titles(page.head, rows[: max(first, 1)]))
    named = any(is_show(name, show.title) for name in series) or any(is_titled_after(text, show) for text in titles)
    if named or series:
        return named
    if _fits(found, rows, index.episodes):
        return True
    return not (titles and page.markup) and _is_named_above(found, rows, first, show)


def _fits(found: Sequence[Record], rows: Sequence[PageRow], episodes: Sequence[KnownEpisode]) -> bool:
    """True where day and length, or the text, of most entries are those of known episodes: whose page could it be else?"""
    agreeing = [record for record in found if record.is_known and _agrees(record, rows, episodes)]
    return len(agreeing) >= FITTING and len(agreeing) * 2 > len(found)


def _agrees(record: Record, rows: Sequence[PageRow], episodes: Sequence[KnownEpisode]) -> bool:
    if record.seed.title is None:
        return False
    days = any(value.vote > 0 for value in columns.dates(record, rows, episodes))
    return record.has_text or (days and any(value.vote > 0 for value in columns.lengths(record, rows, episodes)))


def _titles(head: Head, above: Sequence[PageRow]) -> Iterator[str]:
    """What the page calls itself: in its head, and in its highest headings above the list."""
    yield from filter(None, (head.title, *head.names, *head.pictures))
    headings = [row for row in above if row.row.heading and not row.row.region]
    top = min((row.row.heading for row in headings), default=0)
    yield from (row.text for row in headings if row.row.heading == top)


def _is_known(found: Sequence[Record], rows: Sequence[PageRow]) -> bool:
    """True where at least half of what has a date is known."""
    dated = sum(any(mark.kind == "date" for mark in row.marks) for row in rows)
    return sum(record.is_known for record in found) * 2 >= dated


def _is_named_above(found: Sequence[Record], rows: Sequence[PageRow], first: int, show: Show) -> bool:
    """True where a row above a list of which most is known names the show."""
    if not _is_known(found, rows[first:]):
        return False
    rows = rows[max(0, first - TOP) : first]
    if any(is_show(row.text, show.title) for row in rows):
        return True
    begin = [row for row in rows if row.row.gap or row.place < FIRST_ROWS]
    longest = NAMING + len(show.title.split())
    return any(is_titled_after(row.text, show) for row in begin if len(row.text.split()) <= longest)
