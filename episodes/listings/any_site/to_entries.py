"""What the entries of a page say: title, date, length, number, text and addresses, each believed by
its column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...dates import Calendar
from ...records import EntryData, FetchedDocument
from ..rows import PageRows
from . import columns
from .addresses import audio_of, pages_of
from .columns import Value
from .episode_index import EpisodeIndex, KnownEpisode
from .page_rows import PageRow
from .records import Record
from .texts import texts_of
from .title_context import TitleContext, trimmed


@dataclass(frozen=True, slots=True)
class _Values:
    date: Value | None
    length: Value | None
    number: Value | None


def entries_of(
    page: FetchedDocument,
    paper: PageRows,
    rows: Sequence[PageRow],
    index: EpisodeIndex,
    found: Sequence[Record],
) -> list[EntryData]:
    """What each entry says."""
    values = _values(found, rows, index)
    calendar = Calendar(own.date.mark for own in values if own.date and own.date.mark)
    context = TitleContext.of(found, rows)
    pages = pages_of(found, rows, page, paper)
    notes = texts_of(found, rows, index, pages)
    entries = []
    for place, record in enumerate(found):
        known = [index.episodes[name] for name in record.seed.episodes]
        text, cut = notes[place]
        said = EntryData(
            title=_title(record, rows, known, context),
            text=text,
            cut=cut,
            url=pages[place],
            audio_url=audio_of(record, rows),
        )
        entries.append(_with_values(said, values[place], calendar))
    return entries


def _values(found: Sequence[Record], rows: Sequence[PageRow], index: EpisodeIndex) -> list[_Values]:
    """For each entry its date, length and number, of the columns that are to be believed."""
    marked = [list(columns.marked(record, rows, index.episodes)) for record in found]
    dates = [[value for value in own if value.mark and value.mark.kind == "date"] for own in marked]
    lengths = [
        [value for value in own if value.mark and value.mark.kind != "date"] for own in marked
    ]
    numbers = [list(columns.numbers(record, rows, index.episodes)) for record in found]
    believed = (
        columns.believed(dates, columns.more_right_than_wrong),
        columns.believed(lengths, columns.more_right_than_wrong),
        columns.believed(numbers, columns.hardly_ever_wrong),
    )
    return [_Values(*own) for own in zip(*believed, strict=True)]


def _with_values(said: EntryData, values: _Values, calendar: Calendar) -> EntryData:
    if values.date and values.date.mark:
        said = replace(said, date_raw=values.date.raw, published=calendar.read(values.date.mark))
    if values.length and values.length.mark and values.length.mark.span:
        low, high = values.length.mark.span
        said = replace(said, length_raw=values.length.raw, seconds_low=low, seconds_high=high)
    return replace(said, number=values.number.number) if values.number else said


def _title(
    record: Record,
    rows: Sequence[PageRow],
    known: Sequence[KnownEpisode],
    context: TitleContext,
) -> str:
    """The title of the known episode; a cut one that several have stays as it is printed, and so
    does an unknown one."""
    hit = record.seed.title
    if hit is None:
        return ""
    text = trimmed(rows[hit.row].text[hit.start : hit.end])
    if not known:
        return context.title(rows[hit.row]) if hit.kind == "unknown" else text
    return f"{text}…" if hit.kind == "cut" and len(known) > 1 else known[0].title
