"""The known episodes of a show, found by title and by the beginning of their text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date

from ...dates import Mark, marks
from ...identity import common_length
from ...records import EntryData, Show
from ...text.show_notes import to_text
from ..decoding import clean
from ..keyed import key_of
from .title_forms import forms, spellings

GRAM = 24  # characters of an opening under which it is found
OPENING = 66  # characters that identify an episode; a whole text of WHOLE does too
WHOLE = 34
DISTINCT = 34  # by which the longest common beginning must outrun those of other episodes
CUT = 12  # letters of a cut title from which it is looked up
LEAST = 4  # of them before the cut
MANY = 500  # titles with one beginning, which tell no episode
LAST = "\U0010ffff"  # behind every letter
LONGEST_TITLE = 300
LONGEST_TEXT = 4_000
SAME_DAY = 2
MINUTE = 60  # by which lengths may differ
NUMBER = re.compile(r"\d{1,9}")


@dataclass(slots=True)
class KnownEpisode:
    """All that is known of one episode."""

    name: int
    title: str = ""
    keys: set[str] = field(default_factory=set)
    days: set[date] = field(default_factory=set)
    spans: set[tuple[int, int]] = field(default_factory=set)
    numbers: set[int] = field(default_factory=set)
    declares_number: bool = False
    openings: set[str] = field(default_factory=set)

    def agrees_with_day(self, days: Iterable[date]) -> int:
        """1 where one of the days is the episode's, -1 where none is, 0 where nothing is known."""
        return vote(abs((a - b).days) <= SAME_DAY for a in days for b in self.days)

    def agrees_with(self, mark: Mark) -> int:
        """The same of a date, or of a length."""
        if mark.kind == "date":
            return self.agrees_with_day(mark.days)
        low, high = mark.span or (0, 0)
        return vote(max(low - MINUTE, a) <= min(high + MINUTE, b) for a, b in self.spans)


def vote(agreeing: Iterable[bool]) -> int:
    """1 where one comparison agrees, -1 where none does, 0 where there is none."""
    return max((1 if agrees else -1 for agrees in agreeing), default=0)


class EpisodeIndex:
    """Known episodes by what a page can say of them; built in an order of its own, so that theirs
    does not matter."""

    def __init__(self, known: Sequence[EntryData], show: Show) -> None:
        self.show = show
        self.episodes: list[KnownEpisode] = []
        self.by_title: dict[str, list[KnownEpisode]] = defaultdict(list)
        # Numbers of the title that a shorter form of it leaves out.
        self.dropped: dict[str, frozenset[int]] = {}
        self.by_gram: dict[str, list[tuple[str, KnownEpisode]]] = defaultdict(list)
        ordered = sorted(
            known, key=lambda data: (key_of(data.title), repr(sorted(data.payload().items())))
        )
        for data in sorted(ordered, key=lambda data: not data.title):
            self._add(data)
        self._add_forms()
        self.longest = max(map(len, self.by_title), default=0)
        self.sorted_titles = sorted(self.by_title)

    def _add(self, data: EntryData) -> None:
        title = key_of(clean(data.title))[:LONGEST_TITLE]
        opening = key_of((data.text or to_text(data.html))[:LONGEST_TEXT])
        episode = self._existing(title, opening, data)
        if episode is None:
            episode = KnownEpisode(len(self.episodes), " ".join(data.title.split()))
            self.episodes.append(episode)
            if title:
                self.by_title[title].append(episode)
        episode.keys |= {title} - {""}
        self._learn(episode, data, opening)

    def _existing(self, title: str, opening: str, data: EntryData) -> KnownEpisode | None:
        if not title:
            found = self.opening_at(opening, 0)
            return found[0] if found else None
        days = [data.moment.at.date()] if data.moment else []
        named = self.by_title[title]
        return next((one for one in named if one.agrees_with_day(days) >= 0), None)

    def _learn(self, episode: KnownEpisode, data: EntryData, opening: str) -> None:
        if data.moment:
            episode.days.add(data.moment.at.date())
        if data.length:
            episode.spans.add((data.length.low, data.length.high))
        if data.number is not None:
            episode.numbers.add(data.number)
            episode.declares_number = True
        if len(opening) >= GRAM and opening not in episode.openings:
            episode.openings.add(opening)
            self.by_gram[opening[:GRAM]].append((opening, episode))

    # -- titles in the forms that sites give them --------------------------------------------------

    def _add_forms(self) -> None:
        """Titles in the shorter forms that are one episode's alone."""
        titled = [episode for episode in self.episodes if episode.title]
        titles = [episode.title[:LONGEST_TITLE] for episode in titled]
        found: dict[str, dict[int, str]] = defaultdict(dict)
        for place, form in forms(titles, self.show.title):
            for spelling in spellings(form):
                found[key_of(spelling)][titled[place].name] = form
        for key, named in found.items():
            if len(named) == 1 and len(key) > 2 and key not in self.by_title:
                (name, form), *_ = named.items()
                episode = self.episodes[name]
                self.by_title[key].append(episode)
                self.dropped[key] = frozenset(_numbers(episode.title) - _numbers(form))
                if not episode.declares_number:
                    episode.numbers |= self.dropped[key]

    # -- looking up --------------------------------------------------------------------------------

    def titled(self, key: str) -> list[KnownEpisode]:
        """Episodes with this title."""
        return self.by_title.get(key, []) if 0 < len(key) <= self.longest else []

    def begun(self, key: str, end: str = "") -> list[KnownEpisode]:
        """The episode whose titles alone begin so, and end so, where a site cuts them."""
        low, high = (bisect_left(self.sorted_titles, part) for part in (key, key + LAST))
        if len(key) < LEAST or len(key + end) < CUT or high - low > MANY:
            return []
        titles = [title for title in self.sorted_titles[low:high] if title.endswith(end)]
        episodes = {one.name: one for title in titles for one in self.by_title[title]}
        return list(episodes.values()) if len(episodes) == 1 else []

    def opening_at(self, key: str, start: int) -> tuple[KnownEpisode, int] | None:
        """The one episode whose text begins there, and how many characters of it follow."""
        lengths: dict[int, int] = {}
        for opening, episode in self.by_gram.get(key[start : start + GRAM], ())[:200]:
            length = common_length(key, opening, start)
            whole = length in (len(opening), len(key) - start) and length >= WHOLE
            if length >= OPENING or whole:
                lengths[episode.name] = max(lengths.get(episode.name, 0), length)
        ranked = sorted(lengths.items(), key=lambda pair: -pair[1])
        if not ranked or (len(ranked) > 1 and ranked[1][1] + DISTINCT > ranked[0][1]):
            return None
        return self.episodes[ranked[0][0]], ranked[0][1]


def _numbers(title: str) -> set[int]:
    """The numbers of a title, without those of a date."""
    dates = [mark for mark in marks(title) if mark.kind == "date"]
    found = NUMBER.finditer(title)
    return {
        int(number[0])
        for number in found
        if not any(date.start <= number.start() < date.end for date in dates)
    }
