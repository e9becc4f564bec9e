"""Decides whose page it is, by what names the show: data, title, headings, or the row above a list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...records import Show
from ..rows import Head, PageRows, highest_headings
from ..show_names import is_show, is_titled_after
from . import columns
from .episode_index import EpisodeIndex, KnownEpisode
from .page_rows import PageRow
from .seeds import Record

FIRST_ROWS = 4  # rows at the top of a page, which may name its show
TOP = 40  # rows above the first entry in which saved text names its show
FITTING = 4  # entries of which day and length, or the text, agree, before which it may be chance


def page_is_ours(
    page: PageRows,
    rows: Sequence[PageRow],
    found: Sequence[Record],
    series: Sequence[str],
    index: EpisodeIndex,
) -> bool:
    """True where the page's data, title or headings name the show, or its entries fit the show's
    episodes; in saved text, a row above a list of which most is known."""
    show = index.show
    first = min((record.first for record in found), default=len(rows))
    titles = _titles(page.head, rows[: max(first, 1)])
    named = any(is_show(name, show.title) for name in series) or any(
        is_titled_after(text, show) for text in titles
    )
    if named or len(series) == 1:
        return named
    is_named_above = not page.markup and _is_named_above(found, rows, first, show)
    return is_named_above or _fits(found, rows, index.episodes)


def _fits(
    found: Sequence[Record], rows: Sequence[PageRow], episodes: Sequence[KnownEpisode]
) -> bool:
    """True where day and length, or the text, of most entries are those of known episodes: whose
    page could it be else?"""
    agreeing = sum(_agrees(record, rows, episodes) for record in found)
    return agreeing >= FITTING and agreeing * 2 > len(found)


def _agrees(record: Record, rows: Sequence[PageRow], episodes: Sequence[KnownEpisode]) -> bool:
    if record.title is None or record.is_by_signs:
        return False
    right = {
        value.mark.kind == "date"
        for value in columns.marked(record, rows, episodes)
        if value.vote > 0
    }
    return record.has_text or right == {True, False}


def _titles(head: Head, above: Sequence[PageRow]) -> Iterator[str]:
    """The names that the page gives itself: in its head, and in its highest headings above the list."""
    yield from filter(None, (head.title, *head.names))
    yield from highest_headings(
        [row.row for row in above if row.row.heading and not row.row.in_menu]
    )


def _is_known(found: Sequence[Record], rows: Sequence[PageRow]) -> bool:
    """True where titles or texts name at least half of what has a date."""
    dated = sum(any(mark.kind == "date" for mark in row.marks) for row in rows)
    return sum(record.is_known and not record.is_by_signs for record in found) * 2 >= dated


def _is_named_above(
    found: Sequence[Record], rows: Sequence[PageRow], first: int, show: Show
) -> bool:
    """True where a row above a list of which most is known names the show."""
    return _is_known(found, rows[first:]) and any(
        is_show(row.text, show.title)
        or ((row.row.gap or row.place < FIRST_ROWS) and is_titled_after(row.text, show))
        for row in rows[max(0, first - TOP) : first]
    )
