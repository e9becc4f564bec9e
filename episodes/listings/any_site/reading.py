"""Reads a page of any site about a known show: finds its entries, and takes what the page says of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from ...records import EntryData, FetchedDocument, ParsedPage, Show, WrongShow
from ..described import Described, described
from ..document import PageDocument
from ..keyed import key_of
from ..rows import PageRows
from .choosing import chosen
from .episode_index import EpisodeIndex
from .owners import NOBODY, OURS, owners
from .page_rows import PageRow, page_rows
from .records import Record, records
from .seeds import Seed, seeds
from .subject import page_is_ours
from .title_hits import hits
from .title_markers import without_marked
from .to_entries import entries_of

REPEATED = 4  # times that a row may stand on a page and still name an entry


def parse(page: FetchedDocument, show: Show, known: Sequence[EntryData], *, given: bool = False) -> ParsedPage:
    """The entries of the page that belong to the show, in their order, each with what the page says of it.

    `known` is what other sources say of the show's episodes, in any order; `given`: a person said whose page it is.

    Raises:
        DocumentRejected: it is no text, is made to hold up who reads it, or says that it is about another show.
    """
    page = PageDocument.of(page)  # its rows and its data are read
    paper, index = page.rows, EpisodeIndex(known, show)
    rows = page_rows(paper, show)
    told = described(page, show, frozenset(key_of(episode.title) for episode in index.episodes))
    found = without_marked(records(_seeds(rows, paper, index), rows, paper, index.episodes), rows, index)
    ours = page_is_ours(paper, rows, _with_whole_titles(found), told.series, index)
    whose = owners(found, rows, show)
    if told.series and OURS not in whose and not (ours or given):
        raise WrongShow(f"it is about another show: {told.series[0]}, not {show.title}")
    welcome = (OURS, NOBODY) if ours or given else (OURS,)
    own = [record for record, owner in zip(found, whose, strict=True) if owner in welcome]
    named = {record.seed for record, owner in zip(found, whose, strict=True) if ours or owner == OURS}
    kept = chosen(own, rows, index, ours=ours or given)
    entries = entries_of(page, paper, rows, index, kept, show)
    listed = list(_listed(kept, entries, named, show))
    return ParsedPage(tuple(_with_described(listed, told)), show.title if ours else "", len(found) - len(kept))


def _with_whole_titles(found: Sequence[Record]) -> Sequence[Record]:
    """The entries by more than a part of a title, which may stand above any list."""
    return [record for record in found if not record.is_cut] or found


def _seeds(rows: Sequence[PageRow], paper: PageRows, index: EpisodeIndex) -> list[Seed]:
    """What names a known episode, in rows that do not repeat over and over."""
    often = Counter(row.text for row in rows)
    found = [hit for row in rows if often[row.text] <= REPEATED for hit in hits(row, index)]
    return seeds(rows, found, markup=paper.markup)


def _listed(
    kept: Sequence[Record], entries: Sequence[EntryData], named: Collection[Seed], show: Show
) -> Iterator[EntryData]:
    """The entries, with the show's name where they or the page name it, without unknown ones that say too little."""
    for record, entry in zip(kept, entries, strict=True):
        said = replace(entry, show=show.title) if record.seed in named else entry
        if _is_entry(record, said):
            yield said


def _is_entry(record: Record, entry: EntryData) -> bool:
    """True for a known episode; one that nobody knows must be the show's and say more than a title."""
    return record.is_known or bool(entry.title and entry.show and (entry.published or entry.seconds_low))


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
