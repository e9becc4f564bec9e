"""Reads a page of any site about a known show: finds its entries, and takes what the page says of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ...records import EntryData, FetchedDocument, ParsedPage, Show, WrongShow
from ..described import Described, described
from ..document import sheet
from ..keyed import key_of
from .choosing import chosen
from .episode_index import EpisodeIndex
from .owners import NOBODY, OURS, owners
from .page_rows import page_rows
from .records import Record, records
from .seeds import seeds
from .subject import page_is_ours
from .title_hits import hits
from .to_entries import entries_of

REPEATED = 4  # times that a row may stand on a page and still name an entry


def parse(page: FetchedDocument, show: Show, known: Sequence[EntryData], *, given: bool = False) -> ParsedPage:
    """The entries of the page that belong to the show, in their order, each with what the page says of it.

    `known` is what other sources say of the show's episodes, in any order; `given`: a person said whose page it is.

    Raises:
        DocumentRejected: it is no text, is made to hold up who reads it, or says that it is about another show.
    """
    paper, index = sheet(page), EpisodeIndex(known, show)
    rows = page_rows(paper, show)
    told = described(page, show, frozenset(key_of(episode.title) for episode in index.episodes))
    often = Counter(row.text for row in rows)
    named = seeds(
        rows, [hit for row in rows if often[row.text] <= REPEATED for hit in hits(row, index)], markup=paper.markup
    )
    found = records(named, rows, paper, index.episodes)
    ours = page_is_ours(paper, rows, found, told.series, show)
    owned = list(zip(found, owners(found, rows, show), strict=True))
    if told.series and not ours and not given and all(owner != OURS for _, owner in owned):
        raise WrongShow(f"it is about another show: {told.series[0]}, not {show.title}")
    labelled = {record.seed for record, owner in owned if owner == OURS}
    own = [record for record, owner in owned if owner == OURS or (owner == NOBODY and (ours or given))]
    kept = chosen(own, rows, index, ours=ours or given)
    entries = entries_of(page, paper, rows, index, kept, show)
    said = [
        replace(entry, show=show.title if ours or record.seed in labelled else "")
        for record, entry in zip(kept, entries, strict=True)
    ]
    listed = [entry for record, entry in zip(kept, said, strict=True) if _is_entry(record, entry)]
    return ParsedPage(tuple(_with_described(listed, told)), show.title if ours else "", len(found) - len(kept))


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
