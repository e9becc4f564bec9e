"""Reads a page of any site about a known show: finds its entries, chooses those of its list, and
takes what the page says of each."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from ...records import EntryData, FetchedDocument, ParsedPage, Show, WrongShow
from ..document import PageDocument
from ..rows import PageRows
from ..show_names import is_show
from . import columns
from .episode_index import CONFIRMED, DOUBTFUL, OF_SIGNS, EpisodeIndex, hits
from .owners import NAMED, NOBODY, OTHER, OURS, owners, page_is_ours, says_name
from .page_rows import CALLED, PageRow, page_rows
from .records import Record, column_of, elements_of, in_own_lists, records, seeds
from .signs import SignIndex, with_seeds_by_signs
from .to_entries import entries_of

LIST = 4  # one in so many titles of a list that names no show is of ours
LONGEST_PRINTED = 200  # characters of a title that is told
NOT_OURS = {
    OTHER: "it names another show, or something else, where others name the show",
    NOBODY: "nothing says that it is the show's",
}
FITS_WORSE = "another entry fits its episode better, or it is not of the show's list"
SAYS_LITTLE = "it says little but a title that nobody knows"
PRICE = re.compile(r"[$€£¥]\s?\d|\d\s?(?:[$€£¥]|(?:kr|zł|eur)\b)", re.I)
REPEATED = 3  # rows of one column that may name an episode, of which one still is its entry


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
    ours = page_is_ours(paper, rows, found, page.series, index)
    owner_of = owners(found, rows, show, others)
    if ours:
        owner_of = {record: owner or OURS for record, owner in owner_of.items()}
    _check_show(page, show, owner_of, is_vouched=ours or given)
    welcome = _welcome(owner_of, given=given, is_mentioned=says_name(paper, rows, show))
    kept = chosen(welcome, rows, index, ours=ours or given)
    told = {record for record in kept if owner_of[record]}
    if paper.markup and not told:
        kept = _without_few(kept, rows)
    sure = set(_surely_named(told, owner_of, rows, index, ours=ours))
    entries = entries_of(page, rows, index, kept)
    listed = dict(_listed(kept, entries, told, sure, index))
    left_out = tuple(_left_out(owner_of, listed, welcome, rows))
    return ParsedPage(tuple(listed.values()), show.title if ours else "", len(left_out), left_out)


def _welcome(owner_of: Mapping[Record, str], *, given: bool, is_mentioned: bool) -> list[Record]:
    """The entries that may be the show's, if need be because a person said whose page it is.

    Whoever says so may be wrong: signs alone need the name of the show on the page as well.
    """
    return [
        record
        for record, owner in owner_of.items()
        if owner in (NAMED, OURS)
        or (given and owner == NOBODY and (is_mentioned or record.kind != DOUBTFUL))
    ]


def _left_out(
    owner_of: Mapping[Record, str],
    listed: Collection[Record],
    welcome: Collection[Record],
    rows: Sequence[PageRow],
) -> Iterator[tuple[str, str]]:
    """The printed words of each entry that is left out, and the reason."""
    for record, owner in owner_of.items():
        if record not in listed:
            reason = FITS_WORSE if record.is_known else SAYS_LITTLE
            printed = rows[record.place].text[:LONGEST_PRINTED]
            yield printed, reason if record in welcome else NOT_OURS[owner]


def _without_few(kept: list[Record], rows: Sequence[PageRow]) -> list[Record]:
    """The entries, without known ones where these are few among the titles of their kind: where
    nothing names the show, they are those of another. Lines of text are all of one kind."""
    places = [rows[record.place].kind for record in kept if record.is_known]
    if len(places) * LIST >= sum(row.kind in places for row in rows):
        return kept
    return [record for record in kept if not record.is_known]


def _check_show(
    page: PageDocument, show: Show, owner_of: Mapping[Record, str], *, is_vouched: bool
) -> None:
    """Refusal of a page whose data names another show alone, and whose entries do not name ours."""
    is_named = is_vouched or not {OURS, NAMED}.isdisjoint(owner_of.values())
    if len(page.series) == 1 and not is_named:
        raise WrongShow(f"it is about another show: {page.series[0]}, not {show.title}")


def _entries_in(
    page: PageDocument, index: EpisodeIndex
) -> tuple[PageRows, list[PageRow], list[Record]]:
    """The entries that are found, in the page's rows, or in its data where more known episodes are
    listed there; of JSON as many, as its lines part no entries."""
    ways = []
    is_others = len(page.series) == 1 and not is_show(page.series[0], index.show.title)
    by_sign = SignIndex(index)
    for paper in (page.rows, page.data_rows):
        rows = page_rows(paper, index.show)
        elements = elements_of(rows)
        named = [hit for row in rows for hit in hits(row, index)]
        places = [(hit.episodes, column_of(hit, rows)) for hit in named]
        often = Counter(places)
        few = [hit for hit, own in zip(named, places, strict=True) if often[own] <= REPEATED]
        by_title = seeds(rows, few)
        # On a page that names another show alone titles are needed.
        every = (
            by_title if is_others else with_seeds_by_signs(by_title, rows, paper, elements, by_sign)
        )
        ways.append((paper, rows, elements, every))
    paper, rows, elements, found = max(ways, key=lambda way: (len(way[3]), way[0].markup))
    return paper, rows, records(found, rows, paper, elements)


def _surely_named(
    named: Collection[Record],
    owner_of: Mapping[Record, str],
    rows: Sequence[PageRow],
    index: EpisodeIndex,
    *,
    ours: bool,
) -> Iterator[Record]:
    """The entries that an equal title is enough for: they name the show, or their page does and
    they stand in a list of its titles, and neither their dates and lengths nor their numbers all
    differ from those of the episode."""
    # Entries that are left out for others of their episode are titles of the list as well.
    listed = set(in_own_lists([*owner_of], rows))
    for record in named:
        if owner_of[record] == NAMED or (ours and record in listed):
            told = (
                columns.marked(record, rows, index.episodes),
                columns.numbers(record, rows, index.episodes, CALLED),
            )
            votes = [{value.vote for value in values} for values in told]
            if all(1 in own or -1 not in own for own in votes):
                yield record


def _listed(
    kept: Sequence[Record],
    entries: Sequence[EntryData],
    told: Collection[Record],
    sure: Collection[Record],
    index: EpisodeIndex,
) -> Iterator[tuple[Record, EntryData]]:
    """The entries and what they say, with the show's name where it is told, and marked where an
    equal title is enough for them, or the page has the number of the episode or signs of it;
    unknown ones must say more than a title."""
    for record, entry in zip(kept, entries, strict=True):
        if record.is_known or (entry.title and (entry.published or entry.seconds_low)):
            name = index.show.title if record in told else ""
            numbers = set().union(*(index.episodes[one].numbers for one in record.episodes))
            is_sure = (
                record in sure or entry.number in numbers or record.kind in (CONFIRMED, *OF_SIGNS)
            )
            yield record, replace(entry, show=name, names_show=is_sure)


def chosen(
    found: Sequence[Record], rows: Sequence[PageRow], index: EpisodeIndex, *, ours: bool
) -> list[Record]:
    """The entries that stand where those with dates, lengths or texts do, each episode by the one of
    which most agrees with it, of equals by the first; `ours`: the page is the show's, so that titles
    alone can be its list."""
    if _are_sold(found, rows):
        return []
    weights = {record: _weight(record, rows, index) for record in found}
    places = {_place(record, rows) for record, weight in weights.items() if weight}
    titles_alone = ours and not places
    listed = [record for record in found if titles_alone or _place(record, rows) in places]
    alike: dict[tuple[int, ...], list[Record]] = defaultdict(list)
    for record in sorted(listed, key=lambda record: -weights[record]):
        alike[record.episodes].append(record)
    # Entries that can be any of several episodes are as many as there are of these.
    kept = {one for episodes, own in alike.items() for one in own[: len(episodes) or None]}
    return [record for record in listed if record in kept]


def _are_sold(found: Sequence[Record], rows: Sequence[PageRow]) -> bool:
    """True where most entries have a price: a shop's books may be called as the episodes on them."""
    sold = [one for one in found if any(PRICE.search(row.text) for row in one.of(rows))]
    return len(sold) * 2 > len(found)


def _weight(record: Record, rows: Sequence[PageRow], index: EpisodeIndex) -> int:
    """One for a date, a length or a number that agrees, one for a text."""
    marked = columns.marked(record, rows, index.episodes)
    values = chain(marked, columns.numbers(record, rows, index.episodes))
    return (
        any(value.vote > 0 for value in values)
        + record.has_text
        + (record.kind in (CONFIRMED, *OF_SIGNS))
    )


def _place(record: Record, rows: Sequence[PageRow]) -> Hashable:
    """The elements around an entry's row, its level as a heading, and whether blank lines part it
    from both its neighbours."""
    ends = [rows[record.first], *rows[record.last + 1 : record.last + 2]]
    row = rows[record.place].row
    return row.shape, row.heading, all(row.row.gap > 0 for row in ends)
