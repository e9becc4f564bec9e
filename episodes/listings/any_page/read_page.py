"""Reads a page of any site: lists the known episodes of a show that the page names, each with the reason."""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import dropwhile, takewhile
from typing import NamedTuple

from ...dates import TimeMention
from ...records import EntryData, FetchedDocument, ParsedPage, Show, WrongShow
from ...text.normalize import ends_in_cut_mark, strip_cut_marks
from ..document import PageDocument
from ..rows import PageRows
from .about_show import ListsOfShow, does_page_name_show, is_series_of_show
from .find_entries import EntryFinder, EntryValues, PageEntry, PrintedDate, PrintedLength
from .find_titles import TitleMatch, find_title_matches
from .judge_entries import JudgedEntry, choose_listed_episode_with_reason, has_length
from .known_episodes import NO_INDEX, KnownEpisode, KnownEpisodes, only_item
from .page_lines import PageLine, key_of, page_lines


def parse_known_episodes(
    page: FetchedDocument,
    show: Show,
    known_entries: Sequence[EntryData],
    *,
    is_confirmed: bool = False,
    other_titles: Sequence[str] = (),
) -> ParsedPage:
    """Return the known episodes of a show that a page lists, in the order of the page.

    `known_entries` are the entries of the show's sources, in any order. `is_confirmed`: a person named the
    show of the page. `other_titles` are the titles of the catalog's other shows.

    Raises:
        DocumentRejected: the page is no text, or is made to hold up its parser.
        WrongShow: the page's data say that it is about another show.
    """
    document = PageDocument.from_fetched(page)
    episodes = KnownEpisodes(known_entries, show)
    # `series` are the names of shows in the page's own data.
    is_about_other_show = document.series != () and not is_series_of_show(document.series, show)
    names_show = does_page_name_show(document, show)
    is_about_show = (is_confirmed or names_show) and not is_about_other_show
    finder = _EpisodeFinder(document, episodes, other_titles, is_about_show, is_about_other_show)
    # Many pages have their episodes several times: as text, as JSON in a script, and for browsers without scripts
    # or pictures.
    best = finder.find_listed_episodes_and_left_out_lines(document.rows)
    for rows in (document.data_rows, document.rows_with_alternatives):
        if rows is None:
            continue
        listed_in_rows = finder.find_listed_episodes_and_left_out_lines(rows)
        if len(listed_in_rows.episodes) > len(best.episodes):
            best = listed_in_rows
    entries = tuple(finder.build_values_of_known_episode(listed) for listed in best.episodes)
    # A page about another show may list episodes that name this show.
    if is_about_other_show and not (is_confirmed or best.episodes):
        raise WrongShow(f"it is about another show: {document.series[0]}, not {show.title}")
    return ParsedPage(
        entries,
        show=show.title if names_show else "",
        foreign=len(best.left_out),
        left_out=tuple(best.left_out),
        reasons=tuple(listed.verdict.reason for listed in best.episodes),
    )


@dataclass(slots=True)
class _EpisodeList:
    """The episodes that a page lists, and the lines that it leaves out, each with the reason."""

    episodes: list[JudgedEntry] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class _AcceptedAndRefused:
    """The entries that list an episode of the show, and the reasons against the other entries."""

    accepted: list[JudgedEntry] = field(default_factory=list)
    refusal_reasons: dict[int, str] = field(default_factory=dict)  # by index of line


@dataclass(frozen=True, slots=True)
class _EpisodeFinder:
    document: PageDocument
    known_episodes: KnownEpisodes
    other_shows: Collection[str]
    is_about_show: bool
    is_about_other_show: bool  # by the page's own data

    def find_listed_episodes_and_left_out_lines(self, page_rows: PageRows) -> _EpisodeList:
        """Return each known episode once, by its best entry among the rows of a page or of its data, and the
        lines that look like episodes but were left out, with the reasons."""
        lines: list[PageLine] = []
        matches: list[TitleMatch] = []
        for line in page_lines(page_rows, self.known_episodes.show):
            line_matches = find_title_matches(line, self.known_episodes)
            titles = [(match.start, match.end) for match in line_matches if match.is_title]
            lines.append(replace(line, titles=tuple(titles)) if titles else line)
            matches += line_matches
        entry_finder = EntryFinder(page_rows, lines, matches)
        judged_entries = self._entries_with_verdicts(matches, entry_finder)
        lists = ListsOfShow(
            lines,
            judged_entries,
            self.other_shows,
            is_about_show=self.is_about_show,
            is_about_other_show=self.is_about_other_show,
        )
        entries = _split_accepted_and_refused(judged_entries, lists)
        episodes = _best_entry_of_each_episode(entries.accepted, self.known_episodes)
        reasons_by_line = self._left_out_reasons_by_line_index(entries, episodes, entry_finder)
        left_out = [
            (lines[index].text[:200], reason) for index, reason in sorted(reasons_by_line.items())
        ]
        return _EpisodeList(episodes, left_out)

    def _entries_with_verdicts(
        self, matches: Sequence[TitleMatch], entry_finder: EntryFinder
    ) -> list[JudgedEntry]:
        judged = []
        for match in matches:
            entry = entry_finder.build_entry(match)
            verdict = choose_listed_episode_with_reason(entry, self.known_episodes)
            judged.append(JudgedEntry(entry, verdict))
        return judged

    def _left_out_reasons_by_line_index(
        self,
        entries: _AcceptedAndRefused,
        episodes: Sequence[JudgedEntry],
        entry_finder: EntryFinder,
    ) -> dict[int, str]:
        """Return why lines that look like titles are not listed. `episodes` are the listed ones."""
        # First a reason for each title in the lists of these episodes, as if no line had a match.
        reasons_by_line = {}
        for index in _title_line_indexes_of_lists(episodes, entry_finder):
            reasons_by_line[index] = self._reason_without_match(entry_finder.lines[index])
        reasons_by_line.update(entries.refusal_reasons)
        # A line with an accepted match is not left out, even if it also names a refused episode.
        for listed in entries.accepted:
            reasons_by_line.pop(listed.entry.match.line_index, None)
        return reasons_by_line

    def _reason_without_match(self, line: PageLine) -> str:
        max_pieces = 60  # bounds the time for hostile pages
        for piece in line.row.pieces[:max_pieces]:
            text = line.text_with_blanks_for_dates_and_lengths(piece.start, piece.end).strip()
            if not ends_in_cut_mark(text):
                continue
            beginning = key_of(strip_cut_marks(text))
            if self.known_episodes.has_several_with_prefix(beginning):
                return "its title is cut and fits several known episodes"
        return "no known episode has its title"

    def build_values_of_known_episode(self, judged_entry: JudgedEntry) -> EntryData:
        """Return the values that the page prints for a known episode, under the episode's own title."""
        entry = judged_entry.entry
        episode = self.known_episodes.episodes[judged_entry.verdict.episode_index]
        notes = _notes_text_and_cut_flag(entry, episode)
        printed_numbers = {
            *entry.match.printed_numbers,
            *entry.match.numbers_in_title,
            *entry.values.numbers,
        }
        # The episode 47 "Top 10: Springs" is not number 10.
        possible_numbers = episode.declared_numbers or episode.episode_numbers
        data = EntryData(
            title=episode.title,
            text=notes.text,
            cut=notes.is_cut,
            # Of "S1 Ep 10" both numbers may be the episode's. Then it is not known which one it is.
            number=only_item(possible_numbers & printed_numbers),
            url=self._episode_page_address_or_blank(entry),
            audio_url=only_item(entry.values.audio) or "",
            # If True, the title alone is enough to match the entry with its episode.
            names_show=self.known_episodes.has_unique_title(episode),
        )
        return _with_printed_date_and_length(data, entry.values, episode)

    def _episode_page_address_or_blank(self, entry: PageEntry) -> str:
        """Return the target of the title, else the page itself if the title is its heading, else the
        only link of the entry."""
        if entry.match.link:
            return entry.match.link
        if entry.title_line.row.heading == 1:
            return self.document.address
        return only_item(entry.values.links) or ""


def _split_accepted_and_refused(
    judged_entries: Sequence[JudgedEntry], lists: ListsOfShow
) -> _AcceptedAndRefused:
    entries = _AcceptedAndRefused()
    for judged_entry in judged_entries:
        entry, verdict = judged_entry
        reason = lists.refusal_reason_or_blank(entry, verdict)
        if reason or verdict.episode_index == NO_INDEX:
            entries.refusal_reasons[entry.match.line_index] = reason or verdict.reason
        else:
            entries.accepted.append(judged_entry)
    return entries


def _title_line_indexes_of_lists(
    episodes: Sequence[JudgedEntry], entry_finder: EntryFinder
) -> Iterator[int]:
    # All titles, known or not.
    for kind in {listed.entry.title_line.kind for listed in episodes}:
        yield from entry_finder.title_line_indexes[kind]


def _best_entry_of_each_episode(
    accepted_entries: Sequence[JudgedEntry], known_episodes: KnownEpisodes
) -> list[JudgedEntry]:
    episodes_by_kind: dict[Hashable, set[int]] = defaultdict(set)
    for entry, verdict in accepted_entries:
        episodes_by_kind[entry.title_line.kind].add(verdict.episode_index)
    best: dict[int, JudgedEntry] = {}
    best_ranks: dict[int, tuple[object, ...]] = {}
    for listed in accepted_entries:
        index = listed.verdict.episode_index
        episode_count_of_list = len(episodes_by_kind[listed.entry.title_line.kind])
        rank = _rank(listed, known_episodes.episodes[index], episode_count_of_list)
        if index not in best or rank > best_ranks[index]:
            best[index] = listed
            best_ranks[index] = rank
    return sorted(best.values(), key=lambda listed: listed.entry.position)


def _rank(
    listed: JudgedEntry, episode: KnownEpisode, episode_count_of_list: int
) -> tuple[object, ...]:
    """Return what makes one entry of an episode better than another, the weightiest first."""
    match = listed.entry.match
    # A post of the next day may be about the episode.
    has_exact_day = not episode.days.isdisjoint(listed.entry.values.days)
    # Words of menus, categories and tags may be titles too. The list of episodes has more of them.
    has_only_title = match.is_whole and match.is_alone
    return (listed.verdict.agreement, has_exact_day, episode_count_of_list, has_only_title)


def _with_printed_date_and_length(
    data: EntryData, values: EntryValues, episode: KnownEpisode
) -> EntryData:
    """Return the data with the date and length of an entry that are the episode's."""
    date = _find_date_equal_to_episode(values.dates, episode)
    if date:
        published = _unambiguous_iso_date_or_blank(date.mention, episode)
        data = replace(data, date_raw=date.text, published=published)
    printed = _find_length_of_episode(values.lengths, episode)
    if printed:
        length = printed.length
        data = replace(
            data, length_raw=printed.text, seconds_low=length.low, seconds_high=length.high
        )
    return data


def _find_date_equal_to_episode(
    printed_dates: Sequence[PrintedDate], episode: KnownEpisode
) -> PrintedDate | None:
    """Return the first date that is the episode's, else the only date if the episode has no date. Another
    date may be the date of the page."""
    if not episode.days:
        return only_item(printed_dates)
    for date in printed_dates:
        if any(map(episode.has_day, date.mention.days)):
            return date
    return None


def _find_length_of_episode(
    printed_lengths: Sequence[PrintedLength], episode: KnownEpisode
) -> PrintedLength | None:
    """Return the first length that is the episode's, else the only length if the episode has no length."""
    if not episode.lengths:
        return only_item(printed_lengths)
    for printed in printed_lengths:
        if has_length(episode, printed.length):
            return printed
    return None


def _unambiguous_iso_date_or_blank(mention: TimeMention, episode: KnownEpisode) -> str:
    """Return a printed date in ISO form, "" if it may be two days: 4/5/21."""
    if mention.moment:
        return mention.moment.isoformat()
    days_of_episode = [day for day in mention.days if episode.has_day(day)]
    # Of April 5 and May 4 the episode's day is meant.
    day = only_item(days_of_episode or mention.days)
    return day.isoformat() if day else ""


class _Notes(NamedTuple):
    text: str = ""
    is_cut: bool | None = None  # by the site; None if that is not known


def _notes_text_and_cut_flag(entry: PageEntry, episode: KnownEpisode) -> _Notes:
    """Return the text of an entry, and whether the site cut it.

    The text begins with the line that opens like the episode's text, or with the first sentence if the
    episode has no text.
    """
    if episode.openings:
        # A text may begin with the episode's title. Then the line of the title opens like it, but is no prose.
        from_text_on = dropwhile(
            lambda line: not (line.is_prose and episode.opens_with(line.opening)), entry.lines
        )
    else:
        from_text_on = dropwhile(lambda line: not line.is_prose, entry.lines)
    # A line that is no sentence, such as a link, ends the text.
    paragraphs = takewhile(lambda line: line.is_prose, from_text_on)
    text = "\n".join(line.text for line in paragraphs)
    # Some publishers end a text in "…" themselves. Then the page has all of it, and has not cut it.
    is_whole_text = key_of(text) in episode.openings
    if ends_in_cut_mark(text) and not is_whole_text:
        return _Notes(strip_cut_marks(text), is_cut=True)
    return _Notes(text)
