"""The known episodes of a show, found by their titles and by the openings of their texts.

Titles and texts are compared by their keys (`key_of`): the key of "Café, part 2!" is "cafepart2".
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TypeVar

from ...dates import find_time_mentions
from ...identity import bare_title_and_numbers
from ...records import DurationRange, EntryData, Show
from ...text.show_notes import to_text
from ...text.urls import enclosure_key, page_key
from ..decoding import clean_text
from .page_lines import key_of

T = TypeVar("T")

MAX_TITLE_KEY = 300  # characters
OPENING_LENGTH = 66  # characters of the key of an opening: about 80 of the text, which has spaces
# Shorter texts may be the same for many episodes: "Questions of our listeners".
MIN_OPENING = OPENING_LENGTH // 2
MIN_LINE_OPENING = 20  # characters of the key of a line that begins like a text
MIN_SHORT_TITLE = 6  # characters of the key of a shortened title
ORDINAL_SIGN = "[回话話集期회화]"
# "#12", "Ep. 12", "ADO31", "S2E5", "第12回"
COUNTER = rf"(?:[^\W\d_]{{1,12}}[.\s]{{0,2}})?[#№]?\d{{1,5}}{ORDINAL_SIGN}?"
LEADING_COUNTER = re.compile(
    rf"^\W*{COUNTER}(?:\W{{0,3}}{COUNTER})?(?:\s*[-–—|:.)\]]|(?<={ORDINAL_SIGN}))\s*(?=\w)"
)
TRAILING_COUNTER = re.compile(rf"(?<!\s)\s*[-–—|:,(\[#]\s*{COUNTER}\W*$")
SEPARATOR = re.compile(r"\s[-–—|:•·/]+\s|[:|()\[\]【】（）：｜]\s*")
PART_WORD = re.compile(
    r"(?:part|pt|teil|partie|parte|del|deel|část|часть|vol|volume|chapter)\b", re.I
)
NUMBER = re.compile(r"\d{1,9}")
NO_INDEX = -1  # in place of an index


@dataclass(slots=True)
class KnownEpisode:
    """All that the show's sources say about one episode."""

    index: int  # among the known episodes
    title: str = ""
    days: set[date] = field(default_factory=set)
    lengths: list[DurationRange] = field(default_factory=list)
    declared_numbers: set[int] = field(default_factory=set)
    episode_numbers: set[int] = field(default_factory=set)  # with the counters in its title
    counters_in_title: set[int] = field(default_factory=set)  # that its title prints as counters
    openings: set[str] = field(default_factory=set)
    addresses: set[str] = field(default_factory=set)  # keys of its page and audio files

    def has_day(self, day: date) -> bool:
        """Return True if a day is the episode's. Sites may print the next day, or when they posted it."""
        return any(abs(day - episode_day) <= timedelta(days=2) for episode_day in self.days)

    def may_be_of_day(self, entry: EntryData) -> bool:
        """Return False only if the days of both are known and differ."""
        if not entry.moment or not self.days:
            return True
        return self.has_day(entry.moment.at.date())

    def is_far_from(self, day: date) -> bool:
        distances = [abs(day - episode_day) for episode_day in self.days]
        return min(distances, default=timedelta()) > timedelta(days=30)

    def add_date_length_and_number(self, entry: EntryData) -> None:
        if entry.moment:
            self.days.add(entry.moment.at.date())
            # The day on the publisher's clock, which sites print. In UTC it may be another day.
            for mention in find_time_mentions(entry.date_raw):
                self.days.update(mention.days)
        if entry.length:
            self.lengths.append(entry.length)
        if entry.number is not None:
            self.declared_numbers.add(entry.number)
            self.episode_numbers.add(entry.number)

    def opens_with(self, line_key: str) -> bool:
        # Many texts begin with the same few words.
        is_long_enough = len(line_key) >= MIN_LINE_OPENING
        beginning = line_key[:OPENING_LENGTH]
        return is_long_enough and any(text.startswith(beginning) for text in self.openings)


@dataclass(slots=True)
class KnownTitle:
    """A title, or a form of it, and the episodes that have it."""

    episode_indexes: set[int] = field(default_factory=set)
    # The title of each episode without its number and the show's name. "Springs" is a part of "Summer: Springs".
    is_whole: bool = False


class KnownEpisodes:
    """The known episodes of a show. The order of the entries does not matter."""

    def __init__(self, entries: Sequence[EntryData], show: Show) -> None:
        self.show = show
        self.episodes: list[KnownEpisode] = []
        # By key: every form of a title, with the indexes of its episodes in `self.episodes`.
        self.titles: dict[str, KnownTitle] = defaultdict(KnownTitle)
        # The indexes of episodes, by the key of the beginning of a text.
        self._indexes_by_opening: dict[str, set[int]] = defaultdict(set)
        # The indexes of episodes, by the key of a title as an entry has it.
        self._indexes_by_title: dict[str, set[int]] = defaultdict(set)
        for entry in _ordered_by_content_titled_first(entries):
            self._add_entry(entry)
        for episode in self.episodes:
            self._add_title_forms_and_numbers(episode)
        address_counts = Counter(key for episode in self.episodes for key in episode.addresses)
        # Some feeds give every item the show's home page.
        self.distinct_addresses = {key for key, count in address_counts.items() if count == 1}
        # "" comes first, so that a key stands before every line.
        self.sorted_title_keys = ["", *sorted(self.titles)]
        # By key: the longest other key that it begins with, or "". If a line does not begin with a title, it may
        # begin with this shorter one.
        self._longest_prefix_keys = self._find_longest_prefix_of_each_key()
        self._sorted_openings = sorted(self._indexes_by_opening)
        # A cache: the line of a greeting is compared with all episodes that begin with it.
        self._only_indexes_by_line: dict[str, int | None] = {}

    def _add_entry(self, entry: EntryData) -> None:
        text = entry.text or to_text(entry.html)
        text_key = key_of(text[:4_000])  # to fold whole transcripts would take long
        episode = self._find_or_create_episode(entry, text_key)
        episode.add_date_length_and_number(entry)
        if len(text_key) >= MIN_OPENING:
            episode.openings.add(text_key)
            self._indexes_by_opening[text_key[:OPENING_LENGTH]].add(episode.index)
        episode.addresses.update((page_key(entry.url), enclosure_key(entry.audio_url)))
        episode.addresses.discard("")  # of an entry without a page or without audio

    def _find_or_create_episode(self, entry: EntryData, text_key: str) -> KnownEpisode:
        """Return the known episode of equal title and day, or of equal text for an entry without a title, else
        a new episode. `text_key` is the key of the entry's text."""
        title = " ".join(clean_text(entry.title).split())
        title_key = key_of(title)[:MAX_TITLE_KEY]
        if title_key:
            indexes = self._indexes_by_title[title_key]
        else:
            indexes = self.episode_indexes_by_opening(text_key)
        for index in sorted(indexes):
            episode = self.episodes[index]
            # Re-runs and parts may share a title.
            if episode.may_be_of_day(entry):
                return episode
        new_episode = KnownEpisode(len(self.episodes), title)
        self.episodes.append(new_episode)
        self._indexes_by_title[title_key].add(new_episode.index)  # "" is never looked up
        return new_episode

    def has_unique_title(self, episode: KnownEpisode) -> bool:
        title = self.titles.get(key_of(episode.title)[:MAX_TITLE_KEY])
        return title is not None and len(title.episode_indexes) == 1

    # -- titles ------------------------------------------------------------------------------------

    def _add_title_forms_and_numbers(self, episode: KnownEpisode) -> None:
        whole_forms = _whole_forms(episode.title, self.show)
        for form in whole_forms:
            self._add_title_form(form, episode, is_whole=True)
        # The shortest form has no printed number. So of "#12: Seven springs in 7 days" 12 is the number of the
        # episode, and 7 is not.
        shortest_form = whole_forms[-1]
        number_counts = Counter(NUMBER.findall(episode.title))
        counts_in_shortest_form = Counter(NUMBER.findall(shortest_form))
        counters = set(map(int, number_counts - counts_in_shortest_form))
        episode.counters_in_title.update(counters)
        episode.episode_numbers.update(counters)
        for part in _iterate_title_parts_and_remainders(episode.title):
            if len(key_of(part)) >= MIN_SHORT_TITLE:
                self._add_title_form(part, episode, is_whole=False)

    def _add_title_form(self, form: str, episode: KnownEpisode, *, is_whole: bool) -> None:
        """Add a form of an episode's title. A form that is the whole title of an episode names only this episode,
        even if it is a part of another title, which may have come before."""
        key = key_of(form)[:MAX_TITLE_KEY]
        if not key or key.isdecimal():  # digits alone are no title
            return
        title = self.titles[key]
        if title.is_whole and not is_whole:
            return
        if is_whole and not title.is_whole:
            title.episode_indexes.clear()
            title.is_whole = True
        title.episode_indexes.add(episode.index)

    def _find_longest_prefix_of_each_key(self) -> dict[str, str]:
        """Return, by title key, the longest other key that it begins with, or "". Of the keys "kettle",
        "kettlehours" and "lid" these are "", "kettle" and ""."""
        prefix_by_key: dict[str, str] = {}
        # A key sorts behind all keys that it begins with. These are the last key and the keys that it begins
        # with, the shortest first. Every key begins with "".
        open_keys = [""]
        for key in self.sorted_title_keys:
            while not key.startswith(open_keys[-1]):
                open_keys.pop()
            prefix_by_key[key] = open_keys[-1]
            open_keys.append(key)
        return prefix_by_key

    def title_keys_at_offset_longest_first(self, line_key: str, start: int) -> Iterator[str]:
        """Yield the title keys that stand at a position of a line's key, the longest first."""
        rest = line_key[start : start + MAX_TITLE_KEY]
        # In order: "" < "spring" < "springs" < "springsab" < "springsalive", which is the rest. Each title key
        # that the rest begins with is "springsab", its longest prefix "springs", or the prefix of that.
        position_of_rest = bisect_right(self.sorted_title_keys, rest)
        title_key = self.sorted_title_keys[position_of_rest - 1]
        while title_key:
            if line_key.startswith(title_key, start):
                yield title_key
            title_key = self._longest_prefix_keys[title_key]

    def has_several_with_prefix(self, title_prefix: str) -> bool:
        return len(self.episode_indexes_with_prefix(title_prefix)) > 1

    def episode_indexes_with_prefix(self, title_prefix: str) -> set[int]:
        indexes: set[int] = set()
        # So short a beginning, such as "the", says nothing.
        if len(title_prefix) < MIN_SHORT_TITLE:
            return indexes
        for title_key in _keys_with_prefix(self.sorted_title_keys, title_prefix):
            indexes |= self.titles[title_key].episode_indexes
        return indexes

    # -- texts -------------------------------------------------------------------------------------

    def episode_indexes_by_opening(self, text_key: str) -> set[int]:
        indexes = self._indexes_by_opening.get(text_key[:OPENING_LENGTH], set())
        return self._with_longer_opening(indexes, text_key)

    def only_episode_index_by_line(self, line_key: str) -> int | None:
        """Return the only episode with a text that begins like a line, else None."""
        if line_key not in self._only_indexes_by_line:
            self._only_indexes_by_line[line_key] = self._find_only_episode_index_by_line(line_key)
        return self._only_indexes_by_line[line_key]

    def _find_only_episode_index_by_line(self, line_key: str) -> int | None:
        if len(line_key) < MIN_LINE_OPENING:
            return None
        indexes: set[int] = set()
        for opening in _keys_with_prefix(self._sorted_openings, line_key[:OPENING_LENGTH]):
            indexes |= self._indexes_by_opening[opening]
        return only_item(self._with_longer_opening(indexes, line_key))

    def _with_longer_opening(self, indexes: set[int], line_key: str) -> set[int]:
        """Return those of several episodes whose texts go on like a line, or all if there is none. Many texts may
        begin with the same greeting."""
        if len(indexes) < 2:
            return indexes
        longer = set()
        for index in indexes:
            if any(text.startswith(line_key) for text in self.episodes[index].openings):
                longer.add(index)
        return longer or indexes


def _keys_with_prefix(sorted_keys: Sequence[str], prefix: str) -> Sequence[str]:
    # They are neighbours, from the prefix itself up to the prefix with the last character of Unicode.
    last_character = "\U0010ffff"
    first = bisect_left(sorted_keys, prefix)
    end = bisect_left(sorted_keys, prefix + last_character)
    return sorted_keys[first:end]


def _ordered_by_content_titled_first(entries: Sequence[EntryData]) -> list[EntryData]:
    # Entries without a title come last, so that they can join the episodes of entries with a title. By content, the
    # same entries in another order make the same episodes.
    return sorted(
        entries, key=lambda entry: (not entry.title, repr(sorted(entry.payload().items())))
    )


def only_item(items: Collection[T]) -> T | None:
    """Return the only item, None if there are none or several."""
    return next(iter(items)) if len(items) == 1 else None


def _whole_forms(title: str, show: Show) -> list[str]:
    """Return a title in all its forms, the shortest last.

    Of "Kettle Hours #12: Springs" these are the title itself, "#12: Springs" and "Springs".
    """
    without_show = bare_title_and_numbers(title, show.title).title
    without_counter = _without_counter(without_show, LEADING_COUNTER)
    without_counters = _without_counter(without_counter, TRAILING_COUNTER)
    return [title, without_show, without_counter, without_counters]


def _without_counter(title: str, pattern: re.Pattern[str]) -> str:
    counter = pattern.search(title)
    # "Part 2: Springs" without its counter would be the title of part 1 as well.
    if counter is None or PART_WORD.search(counter[0]):
        return title
    return title[: counter.start()] + title[counter.end() :]


def _iterate_title_parts_and_remainders(title: str) -> Iterator[str]:
    """Yield the parts between the separators of a title, and all that follows each separator.

    Of "Summer: Springs - Wells" these are "Summer", "Springs - Wells", "Springs" and "Wells".
    """
    start = 0
    for separator in SEPARATOR.finditer(title):
        yield title[start : separator.start()]
        yield title[separator.end() :]
        start = separator.end()
