"""The known episodes of a show, found by their titles and by the openings of their texts."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date

from ...dates import find_time_mentions
from ...identity import bare_title
from ...records import DurationRange, EntryData, Show
from ...text.show_notes import to_text
from ...text.urls import enclosure_key, page_key
from ..decoding import clean_text
from .page_lines import key_of

MAX_TITLE = 300  # characters of a key
MAX_TEXT = 4_000
DAYS_AGREE = 2
DAYS_FAR = 30
# Keys have no white space, which is a sixth of a text: these are openings of 80 and 40 characters.
OPENING_LENGTH = 66
MIN_TEXT = 34
MIN_OPENING = 20  # characters in which a shorter line must agree
MIN_SHORT_TITLE = 6  # characters of the key of a shortened title
# "#12", "Ep. 12", "ADO31", "S2E5"
COUNTER = r"(?:[^\W\d_]{1,12}[.\s]{0,2})?[#№]?\d{1,5}"
LEADING_COUNTER = re.compile(rf"^\W*{COUNTER}(?:\W{{0,3}}{COUNTER})?\s*[-–—|:.)\]]\s*(?=\w)")
TRAILING_COUNTER = re.compile(rf"(?<!\s)\s*[-–—|:,(\[#]\s*{COUNTER}\W*$")
SEPARATOR = re.compile(r"\s[-–—|:•·/]+\s|[:|()\[\]【】（）：｜]\s*")
PART_WORD = re.compile(
    r"(?:part|pt|teil|partie|parte|del|deel|část|часть|vol|volume|chapter)\b", re.I
)
NUMBER = re.compile(r"\d{1,9}")
NO_PREFIX = -1


@dataclass(slots=True)
class KnownEpisode:
    """All that the show's sources say about one episode."""

    number: int  # its place among the known episodes
    title: str = ""
    days: set[date] = field(default_factory=set)
    lengths: list[DurationRange] = field(default_factory=list)
    episode_numbers: set[int] = field(default_factory=set)
    openings: set[str] = field(default_factory=set)
    addresses: set[str] = field(default_factory=set)  # keys of its page and audio files

    def has_day(self, day: date) -> bool:
        """Return True if a day is the episode's, or at most two days from it."""
        return any(abs((day - own_day).days) <= DAYS_AGREE for own_day in self.days)

    def is_far_from(self, day: date) -> bool:
        """Return True if a day is so far from the episode's that it is another episode's."""
        distances = [abs((day - own_day).days) for own_day in self.days]
        return min(distances, default=0) > DAYS_FAR

    def opens_with(self, opening: str) -> bool:
        """Return True if a text of the episode begins like this key of a line."""
        if len(opening) < MIN_OPENING:
            return False
        return any(text.startswith(opening[:OPENING_LENGTH]) for text in self.openings)


@dataclass(slots=True)
class KnownTitle:
    """A title, or a form of it, and the episodes that have it."""

    episodes: set[int] = field(default_factory=set)
    is_whole: bool = False  # of each of them, but for its number and the show's name


class KnownEpisodes:
    """The known episodes of a show. The order of the entries does not matter."""

    def __init__(self, entries: Sequence[EntryData], show: Show) -> None:
        """Group the entries into episodes, and index their titles and openings."""
        self.show = show
        self.episodes: list[KnownEpisode] = []
        self.titles: dict[str, KnownTitle] = defaultdict(KnownTitle)
        self.openings: dict[str, set[int]] = defaultdict(set)
        self._by_title: dict[str, list[KnownEpisode]] = defaultdict(list)
        # Sorted by content, so that the same entries in another order make the same episodes.
        ordered = sorted(entries, key=lambda entry: repr(sorted(entry.payload().items())))
        # Entries without a title come last, so that they can join the episodes of entries with a title.
        for entry in sorted(ordered, key=lambda entry: not entry.title):
            self._add_entry(entry)
        for episode in self.episodes:
            self._add_titles(episode)
        addresses = Counter(key for episode in self.episodes for key in episode.addresses)
        # Some feeds give every item the show's home page.
        self.distinct_addresses = {key for key, count in addresses.items() if count == 1}
        self.sorted_keys = sorted(self.titles)
        self._prefix_indexes = self._longest_prefix_indexes()

    def _add_entry(self, entry: EntryData) -> None:
        """Add the values of an entry to its episode, which is created if it is new."""
        opening = key_of((entry.text or to_text(entry.html))[:MAX_TEXT])
        episode = self._get_or_create_episode(entry, opening)
        if entry.moment:
            episode.days.add(entry.moment.at.date())
            # The day on the publisher's clock, which sites print.
            for mention in find_time_mentions(entry.date_raw):
                episode.days.update(mention.days)
        if entry.length:
            episode.lengths.append(entry.length)
        if entry.number is not None:
            episode.episode_numbers.add(entry.number)
        if len(opening) >= MIN_TEXT:
            episode.openings.add(opening)
            self.openings[opening[:OPENING_LENGTH]].add(episode.number)
        for key in (page_key(entry.url), enclosure_key(entry.audio_url)):
            if key:
                episode.addresses.add(key)

    def _get_or_create_episode(self, entry: EntryData, opening: str) -> KnownEpisode:
        """Return the episode of an entry: a known one of equal title and day or opening, else a new one."""
        title_key = key_of(clean_text(entry.title))[:MAX_TITLE]
        if title_key:
            candidates = self._by_title[title_key]
        else:
            numbers = sorted(self.episodes_that_open_with(opening))
            candidates = [self.episodes[number] for number in numbers]
        for episode in candidates:
            # Re-runs and parts may share a title, so the days must agree if both are known.
            if not entry.moment or not episode.days or episode.has_day(entry.moment.at.date()):
                return episode
        title = " ".join(clean_text(entry.title).split())
        episode = KnownEpisode(len(self.episodes), title)
        self.episodes.append(episode)
        if title_key:
            self._by_title[title_key].append(episode)
        return episode

    def is_unique(self, episode: KnownEpisode) -> bool:
        """Return True if no other episode has the title."""
        return len(self.titles[key_of(episode.title)].episodes) == 1

    # -- titles ------------------------------------------------------------------------------------

    def _add_titles(self, episode: KnownEpisode) -> None:
        """Add the title of an episode, its forms and parts, and the numbers in it."""
        for key in _whole_keys(episode.title, self.show):
            self._add_title(key, episode, is_whole=True)
        episode.episode_numbers.update(_stripped_numbers(episode.title, self.show))
        for part in _title_parts(episode.title):
            key = key_of(part)[:MAX_TITLE]
            if len(key) >= MIN_SHORT_TITLE:
                self._add_title(key, episode, is_whole=False)

    def _add_title(self, key: str, episode: KnownEpisode, *, is_whole: bool) -> None:
        """Add an episode to the episodes of a title key. Whole titles replace parts of titles with the same
        key."""
        title = self.titles[key]
        # A part of one title that is the whole title of another episode names only the other episode.
        if is_whole and not title.is_whole:
            title.episodes.clear()
            title.is_whole = True
        if is_whole == title.is_whole:
            title.episodes.add(episode.number)

    def _longest_prefix_indexes(self) -> list[int]:
        """Return, for each title key in order, the index of the longest other key that it begins with, or
        NO_PREFIX."""
        prefix_indexes: list[int] = []
        # The keys so far that a next key may begin with, each the beginning of the one behind it.
        open_indexes: list[int] = []
        for index, key in enumerate(self.sorted_keys):
            while open_indexes and not key.startswith(self.sorted_keys[open_indexes[-1]]):
                open_indexes.pop()
            prefix_indexes.append(open_indexes[-1] if open_indexes else NO_PREFIX)
            open_indexes.append(index)
        return prefix_indexes

    def title_keys_at(self, line_key: str, start: int) -> Iterator[str]:
        """Yield the title keys that stand at a position of a line's key, the longest first."""
        # The rest of the line sorts behind all keys that it begins with. So they are all beginnings of the
        # last key before it.
        rest = line_key[start : start + MAX_TITLE]
        index = bisect_right(self.sorted_keys, rest) - 1
        while index != NO_PREFIX:
            if line_key.startswith(self.sorted_keys[index], start):
                yield self.sorted_keys[index]
            index = self._prefix_indexes[index]

    def only_episode_number_as_set(self, key: str) -> set[int]:
        """Return a set with the number of the only episode with a title that begins with the key, else an
        empty set."""
        if len(key) < MIN_SHORT_TITLE:
            return set()
        # The keys that begin with this key are neighbours in the sorted list.
        last_character = "\U0010ffff"
        first = bisect_left(self.sorted_keys, key)
        end = bisect_left(self.sorted_keys, key + last_character)
        episodes: set[int] = set()
        for title_key in self.sorted_keys[first:end]:
            episodes |= self.titles[title_key].episodes
            if len(episodes) > 1:
                return set()
        return episodes

    # -- texts -------------------------------------------------------------------------------------

    def episodes_that_open_with(self, key: str) -> set[int]:
        """Return the numbers of episodes with a text that begins with the same 80 characters, or is this
        short text."""
        return self.openings.get(key[:OPENING_LENGTH], set())


def _title_and_bare_forms(title: str, show: Show) -> Iterator[str]:
    """Yield a title, then the title without the show's name, then also without the counters at its ends."""
    yield title
    bare = bare_title(title, show.title).title
    yield bare
    # "Part 2: Springs" without its counter would be the title of part 1 as well.
    if not PART_WORD.match(bare):
        bare = LEADING_COUNTER.sub("", bare)
        yield bare
    tail = TRAILING_COUNTER.search(bare)
    if tail and tail.start() > 0 and not PART_WORD.search(tail[0]):
        yield bare[: tail.start()]


def _whole_keys(title: str, show: Show) -> set[str]:
    """Return the keys of a title and of its bare forms."""
    keys = {key_of(bare)[:MAX_TITLE] for bare in _title_and_bare_forms(title, show)}
    # Digits alone are no title.
    return {key for key in keys if key and not key.isdecimal()}


def _stripped_numbers(title: str, show: Show) -> set[int]:
    """Return the numbers of a title that its shortest bare form does not have."""
    *_, shortest = _title_and_bare_forms(title, show)
    numbers = Counter(NUMBER.findall(title)) - Counter(NUMBER.findall(shortest))
    return set(map(int, numbers))


def _title_parts(title: str) -> Iterator[str]:
    """Yield the parts between the separators of a title, and all that follows each separator."""
    start = 0
    for sign in SEPARATOR.finditer(title):
        yield title[start : sign.start()]
        yield title[sign.end() :]
        start = sign.end()
