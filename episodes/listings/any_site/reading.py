"""Reads a page of any site about a known show: finds its entries, and takes what the page says of
each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ...records import EntryData, FetchedDocument, ParsedPage, Show, WrongShow
from ..document import PageDocument
from ..json_ld import series
from ..rows import PageRows
from . import columns
from .choosing import chosen
from .episode_index import EpisodeIndex
from .owners import NAMED, NOBODY, OURS, owners
from .page_rows import PageRow, page_rows
from .records import records
from .seeds import Record, seeds
from .subject import page_is_ours
from .title_hits import hits
from .to_entries import entries_of

DISTINCT = 4  # words of a title that on a page of its show is an episode
REPEATED = 3  # times that a row may stand on a page and still name an entry


def parse(
    page: FetchedDocument,
    show: Show,
    known: Sequence[EntryData],
    *,
    given: bool = False,
    others: Sequence[str] = (),
) -> ParsedPage:
    """The entries of the page that belong to the show, in their order, each with what the page says
    of it.

    `known` is what other sources say of the show's episodes, in any order; `given`: a person said
    whose page it is; `others` are the titles of the catalog's other shows.

    Raises:
        DocumentRejected: it is no text, is made to hold up who reads it, or says that it is about
        another show.
    """
    page = PageDocument.of(page)  # its rows and its data are read
    index = EpisodeIndex(known, show)
    paper, rows, found = _entries_in(page, index)
    ours = page_is_ours(paper, rows, found, series(page), index)
    whose = owners(found, rows, show, others)
    _check_show(page, show, named=not {OURS, NAMED}.isdisjoint(whose) or ours or given)
    owned = list(zip(found, whose, strict=True))
    welcome = (NAMED, OURS, *[NOBODY] * (ours or given))
    kept = chosen(
        [record for record, owner in owned if owner in welcome], rows, index, ours=ours or given
    )
    owner_of = dict(owned)
    listed = []
    for record, entry in zip(kept, entries_of(page, rows, index, kept), strict=True):
        owner = owner_of[record]
        if record.is_known or (entry.title and (entry.published or entry.seconds_low)):
            sure = (owner == NAMED or (ours and _is_distinct(record))) and _is_unopposed(
                record, rows, index
            )
            name = show.title if ours or owner in (NAMED, OURS) else ""
            listed.append(replace(entry, show=name, names_show=sure))
    return ParsedPage(tuple(listed), show.title if ours else "", len(found) - len(kept))


def _check_show(page: PageDocument, show: Show, *, named: bool) -> None:
    """Refusal of a page whose data names another show alone."""
    names = series(page)
    if len(names) == 1 and not named:
        raise WrongShow(f"it is about another show: {names[0]}, not {show.title}")


def _entries_in(
    page: PageDocument, index: EpisodeIndex
) -> tuple[PageRows, list[PageRow], list[Record]]:
    """The entries that are found, in the page's rows, or in its data where more known episodes are
    listed there; of JSON as many, as its lines part no entries."""
    ways = []
    for paper in (page.rows, page.data_rows):
        rows = page_rows(paper, index.show)
        often = Counter(row.text for row in rows)
        named = [hit for row in rows if often[row.text] <= REPEATED for hit in hits(row, index)]
        ways.append((paper, rows, seeds(rows, named)))
    paper, rows, found = max(ways, key=lambda way: (len(way[2]), way[0].markup))
    return paper, rows, records(found, rows, paper)


def _is_distinct(record: Record) -> bool:
    """True for a title of several words: a single one is a tag of a show's site as well."""
    return record.title is not None and record.title.words >= DISTINCT


def _is_unopposed(record: Record, rows: Sequence[PageRow], index: EpisodeIndex) -> bool:
    """True where dates and lengths of an entry do not all differ from those of its episode."""
    votes = {value.vote for value in columns.marked(record, rows, index.episodes)}
    return 1 in votes or -1 not in votes
