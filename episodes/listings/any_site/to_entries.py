"""Reads title, date, length, number, text and addresses of the entries of a page, each believed by its
column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...dates import Calendar
from ...identity import bare_title
from ...records import EntryData, FetchedDocument
from . import columns
from .addresses import audio_of, pages_of
from .columns import MarkedValue
from .episode_index import EpisodeIndex, KnownEpisode
from .page_rows import PageRow
from .seeds import Record
from .texts import texts_of
from .title_context import TitleContext

HARDLY_EVER_WRONG = 8  # times that a column of numbers is right for each time that it is not


def entries_of(
    page: FetchedDocument,
    rows: Sequence[PageRow],
    index: EpisodeIndex,
    found: Sequence[Record],
) -> list[EntryData]:
    """The values of each entry, of the columns that are believed."""
    episodes = index.episodes
    marked = [list(columns.marked(record, rows, episodes)) for record in found]
    dates = columns.believed([[one for one in own if one.mark.kind == "date"] for own in marked])
    lengths = columns.believed([[one for one in own if one.mark.span] for own in marked])
    numbers = columns.believed(
        [list(columns.numbers(record, rows, episodes)) for record in found], HARDLY_EVER_WRONG
    )
    calendar = Calendar(date.mark for date in dates if date)
    context = TitleContext.of(found, rows)
    pages = pages_of(found, rows, page)
    notes = texts_of(found, rows, index, pages)
    return [
        EntryData(
            title=_title(record, rows, episodes, context),
            text=text,
            cut=cut,
            url=url,
            audio_url=audio_of(record, rows),
            number=int(number.raw) if number else _number(record, rows, index),
            **_printed(date, length, calendar),
        )
        for record, (text, cut), url, date, length, number in zip(
            found, notes, pages, dates, lengths, numbers, strict=True
        )
    ]


def _printed(
    date: MarkedValue | None,
    length: MarkedValue | None,
    calendar: Calendar,
) -> dict[str, Any]:
    """The date and the length of an entry."""
    fields: dict[str, Any] = {}
    if date:
        fields |= {"date_raw": date.raw, "published": calendar.read(date.mark)}
    if length and length.mark.span:
        low, high = length.mark.span
        fields |= {"length_raw": length.raw, "seconds_low": low, "seconds_high": high}
    return fields


def _number(record: Record, rows: Sequence[PageRow], index: EpisodeIndex) -> int | None:
    """The number in the title as it is printed, where it is known to be the episode's."""
    hit, episodes = record.title, index.episodes
    known = {number for name in record.episodes for number in episodes[name].numbers}
    printed = rows[hit.row].text[hit.start : hit.end] if hit else ""
    number = bare_title(printed, index.show.title)[2]
    return number if number in known else None


def _title(
    record: Record,
    rows: Sequence[PageRow],
    episodes: Sequence[KnownEpisode],
    context: TitleContext,
) -> str:
    """The title of the known episode; an unknown one stays as it is printed."""
    hit = record.title
    if hit is None:
        return ""
    known = record.episodes
    return episodes[known[0]].title if known else context.title(rows[hit.row])
