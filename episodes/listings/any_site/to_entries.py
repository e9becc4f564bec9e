"""What the entries of a page say: title, date, length, number, text and addresses, each believed by its column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ...identity.match_keys import bare_title
from ...records import EntryData, FetchedDocument, Show
from ..dates import Calendar
from ..keyed import key_of
from ..rows import PageRows
from . import columns, texts
from .addresses import audio_of, pages_of
from .columns import Value
from .episode_index import EpisodeIndex, KnownEpisode
from .page_rows import PageRow
from .records import Record
from .title_context import TitleContext, trimmed


@dataclass(frozen=True, slots=True)
class _Values:
    date: Value | None
    length: Value | None
    number: Value | None


def _without_contradictions(record: Record, values: _Values) -> _Values:
    """The values without those that cannot be the episode's, where something else says that it is this episode."""
    own = (values.date, values.length, values.number)
    if not any(value and value.vote > 0 for value in own) and not any(hit.kind == "text" for hit in record.seed.hits):
        return values
    return _Values(*(value if value and value.vote >= 0 else None for value in own))


def entries_of(
    page: FetchedDocument,
    paper: PageRows,
    rows: Sequence[PageRow],
    index: EpisodeIndex,
    found: Sequence[Record],
    show: Show,
) -> list[EntryData]:
    episodes = index.episodes
    dates = columns.believed([columns.dates(r, rows, episodes) for r in found], columns.more_right_than_wrong)
    lengths = columns.believed([columns.lengths(r, rows, episodes) for r in found], columns.more_right_than_wrong)
    numbers = columns.believed([columns.numbers(r, rows, episodes) for r in found], columns.hardly_ever_wrong)
    calendar = Calendar(value.mark for value in dates if value and value.mark)
    repeated = texts.repeated_rows(found, rows)
    written = [texts.text_of(record, rows, repeated) for record in found]
    often = Counter(written)
    buttons = texts.buttons_behind(written)
    pages = pages_of(found, rows, page, paper)
    context = TitleContext.of(found, rows)
    entries = []
    for place, record in enumerate(found):
        own = [episodes[name] for name in record.seed.episodes]
        text, cut = texts.without_end(written[place], own, buttons) if often[written[place]] == 1 else ("", None)
        values = _without_contradictions(record, _Values(dates[place], lengths[place], numbers[place]))
        entries.append(_entry(record, rows, own, values, calendar, text, cut, pages[place], show, context))
    return entries


def _entry(
    record: Record,
    rows: Sequence[PageRow],
    own: Sequence[KnownEpisode],
    values: _Values,
    calendar: Calendar,
    text: str,
    cut: bool | None,
    address: str,
    show: Show,
    context: TitleContext,
) -> EntryData:
    date, length = values.date, values.length
    published = calendar.read(date.mark) if date and date.mark else ""
    span = length.mark.span if length and length.mark else None
    return EntryData(
        title=_title(record, rows, own, show, context),
        text=text,
        cut=cut if text else None,
        date_raw=date.raw if date else "",
        published=published,
        length_raw=length.raw if length else "",
        seconds_low=span[0] if span else None,
        seconds_high=span[1] if span else None,
        number=values.number.number if values.number else None,
        url=address,
        audio_url=audio_of(record, rows),
    )


def _title(
    record: Record, rows: Sequence[PageRow], own: Sequence[KnownEpisode], show: Show, context: TitleContext
) -> str:
    hit = record.seed.title
    if hit is None:
        return ""
    if hit.kind in ("cut", "link") and len(own) == 1:
        return own[0].title
    text = trimmed(rows[hit.row].text[hit.start : hit.end])
    if not own:
        return context.title(rows[hit.row])
    same = key_of(text) == key_of(own[0].title)
    counted = bare_title(text, show.title)[0] == bare_title(own[0].title, show.title)[0]
    return text if counted and not same else own[0].title
