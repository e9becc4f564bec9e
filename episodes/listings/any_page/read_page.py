"""Reads a page of any site: lists the known episodes of a show that it names, each with the reason."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import dropwhile, takewhile

from ...dates import Mark
from ...records import EntryData, FetchedDocument, ParsedPage, Show, WrongShow
from ...text.normalize import is_marked, without_marks
from ..document import PageDocument
from ..rows import PageRows
from .about_show import ListsOfShow, names_series, page_names_show
from .find_entries import EntryFinder, PageEntry, PrintedValue
from .find_titles import find_titles
from .judge_entries import Verdict, is_length, judge
from .known_episodes import KnownEpisode, KnownEpisodes
from .page_lines import key_of, page_lines

MAX_PRINTED_TITLE = 200  # characters
UNKNOWN_TITLE = "no known episode has its title"


def parse(
    page: FetchedDocument,
    show: Show,
    known: Sequence[EntryData],
    *,
    given: bool = False,
    others: Sequence[str] = (),
) -> ParsedPage:
    """Return the known episodes of a show that a page lists, in the order of the page.

    `known` is what the show's sources say of its episodes, in any order. `given`: a person said
    which show the page is about. `others` are the titles of the catalog's other shows.

    Raises:
        DocumentRejected: it is no text, is made to hold up its reader, or is about another show.
    """
    document = PageDocument.of(page)
    episodes = KnownEpisodes(known, show)
    is_others = bool(document.series) and not names_series(document.series, show)
    names_show = page_names_show(document, show)
    is_about_show = (given or names_show) and not is_others
    reader = _PageReader(document, episodes, others, is_about_show, is_others)
    listings = [reader.read(document.rows), reader.read(document.data_rows)]
    # A page and its data often list the same.
    best = max(listings, key=lambda listing: len(listing.entries))
    if is_others and not (given or best.entries):
        raise WrongShow(f"it is about another show: {document.series[0]}, not {show.title}")
    return ParsedPage(
        tuple(best.entries),
        show.title if names_show else "",
        len(best.left_out),
        tuple(best.left_out),
        reasons=tuple(best.reasons),
    )


@dataclass(frozen=True, slots=True)
class _Listing:
    """The entries of a page, each with the reason, and what it leaves out, with the reasons."""

    entries: list[EntryData]
    reasons: list[str]
    left_out: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class _PageReader:
    document: PageDocument
    known: KnownEpisodes
    other_shows: Collection[str]
    is_about_show: bool
    is_about_other_show: bool  # by its own data

    def read(self, page: PageRows) -> _Listing:
        lines = page_lines(page, self.known.show)
        matches = [match for line in lines for match in find_titles(line, self.known)]
        finder = EntryFinder(page, lines, matches)
        entries = [finder.entry_of(match) for match in matches]
        verdicts = [judge(entry, self.known, strict=not self.is_about_show) for entry in entries]
        judged = list(zip(entries, verdicts, strict=True))
        lists = ListsOfShow(lines, judged, self.other_shows, self.is_about_show)
        if self.is_about_other_show:
            lists.kinds.clear()
        refused: dict[int, str] = {}
        accepted: list[tuple[PageEntry, Verdict]] = []
        for entry, verdict in judged:
            reason = lists.reason_against(entry, verdict) or verdict.reason
            if verdict.episode and reason == verdict.reason:
                accepted.append((entry, verdict))
            else:
                refused[entry.match.line] = reason
        best: dict[int, tuple[PageEntry, Verdict]] = {}
        for entry, verdict in sorted(accepted, key=lambda pair: -pair[1].weight):
            best.setdefault(verdict.number, (entry, verdict))
        listed = sorted(best.values(), key=lambda pair: pair[0].position)
        for kind in {entry.title_line.kind for entry, _ in listed}:
            for line in finder.title_lines[kind]:
                refused.setdefault(line, UNKNOWN_TITLE)
        for entry, _ in accepted:
            refused.pop(entry.match.line, None)
        return _Listing(
            [self._entry_data(entry, self.known.episodes[v.number]) for entry, v in listed],
            [verdict.reason for _, verdict in listed],
            [(lines[line].text[:MAX_PRINTED_TITLE], refused[line]) for line in sorted(refused)],
        )

    def _entry_data(self, entry: PageEntry, episode: KnownEpisode) -> EntryData:
        values = entry.values
        text, is_cut = _text_of(entry, episode)
        printed = {entry.match.printed_number, *entry.match.own_numbers, *values.numbers}
        numbers = episode.episode_numbers & printed
        date = _choose(
            values.dates, episode.days, lambda mark: any(map(episode.has_day, mark.days))
        )
        lengths = episode.lengths
        length = _choose(values.lengths, lengths, lambda mark: is_length(mark, lengths))
        low, high = length.mark.span if length and length.mark.span else (None, None)
        return EntryData(
            title=episode.title,
            text=text,
            cut=is_cut,
            date_raw=date.text if date else "",
            published=_published(date.mark, episode) if date else "",
            length_raw=length.text if length else "",
            seconds_low=low,
            seconds_high=high,
            # Of "S1 Ep 10" both may be printed.
            number=min(numbers) if len(numbers) == 1 else None,
            url=self._page_of(entry),
            audio_url=_only(values.audio),
            names_show=self.known.is_unique(episode),
        )

    def _page_of(self, entry: PageEntry) -> str:
        """Return the target of the title, the page itself if the title is its heading, or the only link
        of the entry."""
        line = entry.title_line
        if entry.match.link:
            return entry.match.link
        return self.document.address if line.row.heading == 1 else _only(entry.values.links)


def _only(addresses: Collection[str]) -> str:
    return next(iter(addresses)) if len(addresses) == 1 else ""


def _choose(
    printed: Sequence[PrintedValue], known: Collection[object], agrees: Callable[[Mark], bool]
) -> PrintedValue | None:
    """Return the first value that agrees with the episode's, else the only one if none is known. Another
    date or length may be that of the page."""
    for value in printed:
        if agrees(value.mark):
            return value
    return printed[0] if len(printed) == 1 and not known else None


def _published(mark: Mark, episode: KnownEpisode) -> str:
    """Return a printed date. Of two days that 4/5/21 can mean, it is the episode's."""
    if mark.at:
        return mark.at.isoformat()
    days = [day for day in mark.days if episode.has_day(day)] or mark.days
    return days[0].isoformat() if len(days) == 1 else ""


def _text_of(entry: PageEntry, episode: KnownEpisode) -> tuple[str, bool | None]:
    """Return the text of an entry from the line on that opens like the episode's, and whether the site
    cut it. Any sentence opens an episode without a text."""
    if not episode.openings:
        lines = dropwhile(lambda line: not line.is_prose, entry.lines)
    else:
        lines = dropwhile(lambda line: not episode.opens_with(line.opening), entry.lines)
    text = "\n".join(line.text for line in takewhile(lambda line: line.is_prose, lines))
    if not text:
        return "", None
    if is_marked(text) and key_of(text) not in episode.openings:
        return without_marks(text), True
    return text, None
