"""Reads a page of any site about a known show: finds its entries, and takes what the page says of each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from ...identity.match_keys import bare_title
from ...records import EntryData, FetchedDocument, ParsedPage, Show, WrongShow
from ..dates import Calendar
from ..described import Described, described
from ..document import sheet
from ..html import host_of
from ..keyed import key_of
from ..rows import PageRows
from . import columns, texts
from .columns import Value
from .episode_index import EpisodeIndex, KnownEpisode
from .page_rows import PageRow, page_rows
from .records import Record, records
from .seeds import seeds
from .subject import PARTS, owners, page_is_ours
from .title_context import TitleContext, trimmed
from .title_hits import hits

AUDIO = re.compile(r"\.(?:mp3|m4a|ogg|opus|aac|wav|mp4)(?:$|[?#])", re.I)


def parse(page: FetchedDocument, show: Show, known: Sequence[EntryData], *, given: bool = False) -> ParsedPage:
    """The entries of the page that belong to the show, in their order, each with what the page says of it.

    `known` is what other sources say of the show's episodes, in any order; `given`: a person said whose page it is.

    Raises:
        DocumentRejected: it is no text, is made to hold up who reads it, or says that it is about another show.
    """
    paper, index = sheet(page), EpisodeIndex(known, show)
    rows = page_rows(paper, show)
    told = described(page, show, frozenset(key_of(episode.title) for episode in index.episodes))
    found = _records(rows, paper, index)
    ours = page_is_ours(paper, rows, found, told.series, show)
    whose = owners(found, rows, show)
    if told.series and not ours and not given and "ours" not in whose:
        raise WrongShow(f"it is about another show: {told.series[0]}, not {show.title}")
    kept = [
        (record, owner)
        for record, owner in zip(found, whose, strict=True)
        if owner == "ours" or (owner == "" and (ours or given))
    ]
    kept = [pair for pair in kept if not _is_cut(pair[0]) or _agreeing(pair[0], rows, index) > 1]
    kept = _once(_listed(kept, rows, index, ours=ours or given), rows, index)
    entries = _entries(page, paper, rows, index, [record for record, _ in kept], show)
    named = [
        replace(entry, show=show.title if ours or owner == "ours" else "")
        for entry, (_, owner) in zip(entries, kept, strict=True)
    ]
    named = [entry for entry, (record, _) in zip(named, kept, strict=True) if record.seed.episodes or _is_entry(entry)]
    return ParsedPage(tuple(_with_described(named, told)), show.title if ours else "", len(found) - len(kept))


def _records(rows: Sequence[PageRow], paper: PageRows, index: EpisodeIndex) -> list[Record]:
    known = seeds(rows, [hit for row in rows for hit in hits(row, index)], markup=paper.markup)
    return records(known, rows, paper, index.episodes)


def _is_entry(entry: EntryData) -> bool:
    return bool(entry.title and entry.show and (entry.published or entry.seconds_low))


def _listed(
    kept: Sequence[tuple[Record, str]], rows: Sequence[PageRow], index: EpisodeIndex, *, ours: bool
) -> list[tuple[Record, str]]:
    """The entries without titles alone that stand elsewhere than those with dates, lengths or texts: menus, chapters."""
    told = [_agreeing(record, rows, index) > 1 for record, _ in kept]
    if not any(told):
        told = [_tells(record, rows, index) for record, _ in kept]
    if not any(told):
        return list(kept) if ours else []
    places = {_place(record, rows) for (record, _), tells in zip(kept, told, strict=True) if tells}
    return [pair for pair, tells in zip(kept, told, strict=True) if tells or _place(pair[0], rows) in places]


def _is_cut(record: Record) -> bool:
    """True for an entry of whose title only the beginning is there, which may be that of another one."""
    return record.seed.title is not None and record.seed.title.kind == "cut"


def _tells(record: Record, rows: Sequence[PageRow], index: EpisodeIndex) -> bool:
    """True for an entry with a date, a length or a text that can be its episode's."""
    values = [*columns.dates(record, rows, index.episodes), *columns.lengths(record, rows, index.episodes)]
    return any(hit.kind == "text" for hit in record.seed.hits) or any(value.vote >= 0 for value in values)


def _place(record: Record, rows: Sequence[PageRow]) -> Hashable:
    """Where on an HTML page an entry stands: the kind of its rows and of its element's surroundings."""
    row = rows[record.seed.place]
    alone = row.row.gap > 0 if record.seed.place == record.first else rows[record.first].row.gap > 0
    return (row.slot, any(rows[place].marks for place in record.rows()), alone if not row.row.path else None)


def _once(kept: Sequence[tuple[Record, str]], rows: Sequence[PageRow], index: EpisodeIndex) -> list[tuple[Record, str]]:
    """Each episode by the entry of which most agrees with it."""
    best: dict[tuple[int, ...], tuple[int, int]] = {}
    for place, (record, _) in enumerate(kept):
        names = record.seed.episodes
        if names:
            rank = (_agreeing(record, rows, index), -place)
            best[names] = max(best.get(names, rank), rank)
    chosen = {-place for _, place in best.values()}
    return [pair for place, pair in enumerate(kept) if not pair[0].seed.episodes or place in chosen]


def _agreeing(record: Record, rows: Sequence[PageRow], index: EpisodeIndex) -> int:
    values = [*columns.dates(record, rows, index.episodes), *columns.lengths(record, rows, index.episodes)]
    text = any(hit.kind == "text" for hit in record.seed.hits)
    return 2 * any(v.vote > 0 for v in values) + 2 * text + (len(record.rows()) > 1)


# -- what an entry says -----------------------------------------------------------------------------------------------


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


def _entries(
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
    addresses = _addresses(found, rows, page, paper)
    context = TitleContext.of(found, rows)
    entries = []
    for place, record in enumerate(found):
        own = [episodes[name] for name in record.seed.episodes]
        text, cut = texts.without_end(written[place], own, buttons) if often[written[place]] == 1 else ("", None)
        values = _without_contradictions(record, _Values(dates[place], lengths[place], numbers[place]))
        entries.append(_entry(record, rows, own, values, calendar, text, cut, addresses[place], show, context))
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
        audio_url=_audio(record, rows),
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


def _audio(record: Record, rows: Sequence[PageRow]) -> str:
    found = {a for place in record.rows() for a in (*rows[place].row.media, *rows[place].row.links) if AUDIO.search(a)}
    found |= {a for place in record.rows() for a in rows[place].row.media}
    return next(iter(found)) if len(found) == 1 else ""


def _addresses(found: Sequence[Record], rows: Sequence[PageRow], page: FetchedDocument, paper: PageRows) -> list[str]:
    """Each entry's own page: the link of its title, else the first link of its own; the page of a single entry."""
    host = host_of(page.address)
    links = [_links(record, rows) for record in found]
    often = Counter(address for own in links for address in set(own))
    addresses = []
    for record, own in zip(found, links, strict=True):
        if _is_subject(record, rows, paper):
            addresses.append(paper.head.address or page.address)
            continue
        titled = _title_link(record, rows)
        alone = [a for a in own if often[a] == 1 and host_of(a) == host]
        addresses.append(titled or next(iter(alone), ""))
    if len(found) == 1 and not addresses[0]:
        addresses = [paper.head.address or page.address]
    return addresses


def _is_subject(record: Record, rows: Sequence[PageRow], paper: PageRows) -> bool:
    """True for the episode that the whole page is about: its title is the page's heading or in the page's title."""
    hit = record.seed.title
    if hit is None:
        return False
    parts = {key_of(part) for part in PARTS.split(paper.head.title)}
    return rows[hit.row].row.heading == 1 or rows[hit.row].keyed.between(hit.start, hit.end) in parts


def _title_link(record: Record, rows: Sequence[PageRow]) -> str:
    for hit in record.seed.hits:
        if hit.kind != "text":
            for piece in rows[hit.row].row.pieces:
                if (
                    piece.href
                    and piece.start < max(hit.end, hit.start + 1)
                    and hit.start <= piece.end
                    and not AUDIO.search(piece.href)
                ):
                    return piece.href
    return ""


def _links(record: Record, rows: Sequence[PageRow]) -> list[str]:
    return [
        address
        for place in record.rows()
        if not texts.is_prose(rows[place].text)
        for address in rows[place].row.links
        if not AUDIO.search(address)
    ]


def _with_described(entries: Sequence[EntryData], told: Described) -> list[EntryData]:
    """The entries with what the page's data says of them, and the episodes that it alone describes."""
    by_title: dict[str, list[EntryData]] = {}
    for data in told.ours:
        by_title.setdefault(key_of(data.title), []).append(data)
    listed = {key_of(entry.title) for entry in entries}
    filled = [_filled(entry, by_title.get(key_of(entry.title), [])) for entry in entries]
    return [*filled, *(data for key, own in by_title.items() if key not in listed for data in own[:1] if data.show)]


def _filled(entry: EntryData, same: Sequence[EntryData]) -> EntryData:
    if len(same) != 1 or not entry.title:
        return entry
    payload, other = entry.payload(), same[0].payload()
    return EntryData.from_payload({**other, **payload})
