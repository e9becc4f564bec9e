"""The reasons for and against two clusters of entries being one episode, in the words that a curator
reads. Pure."""

from collections.abc import Collection, Set
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import product, starmap
from typing import Any, NamedTuple

from rapidfuzz import fuzz
from rapidfuzz.distance import Prefix

from ..fields import DATE_TOLERANCE_DAYS, lengths_differ
from ..records import DurationRange, EntryData, Show, SourceEntry
from ..text.formatting import format_count
from .match_keys import MIN_SHARED_OPENING, MIN_WHOLE_OPENING, MatchKeys, SeasonNumber

EQUAL_LENGTH = "equal length"
OTHER_DIGITS = "different digits in the titles"
OTHER_NUMBERS = "different episode numbers"
LATER_ITEM = "a later item of the same feed, with another guid and audio file"
# Dates that are further apart are a reason for doubt. The date of a recording may be three weeks earlier.
DOUBTFUL_DAYS = 30
MIN_TITLE_SIMILARITY = 90  # of 100, the ratio for equal titles


@dataclass
class Profile:
    """All values of the entries of a cluster."""

    entries: list[SourceEntry]
    keys: list[MatchKeys]

    @cached_property
    def titles(self) -> Set[str]:
        return self.values_of_key("title")

    @cached_property
    def days(self) -> Set[date]:
        return self.values_of_key("day")

    @cached_property
    def openings(self) -> Set[str]:
        return self.values_of_key("opening")

    @cached_property
    def lengths(self) -> Set[DurationRange]:
        return self.values_of_key("length")

    @cached_property
    def numbers(self) -> Set[SeasonNumber]:
        return set[SeasonNumber]().union(*(key.seasons_and_numbers for key in self.keys))

    @cached_property
    def digits(self) -> Set[tuple[str, ...]]:
        """Return the digits of each title, () for a title without any."""
        return {key.digits for key in self.keys if key.title}

    @property
    def first(self) -> SourceEntry:
        return min(self.entries, key=lambda entry: entry.order)

    def values_of_key(self, key_name: str) -> Set[Any]:
        return {getattr(key, key_name) for key in self.keys} - {"", None}


@dataclass(frozen=True, slots=True)
class Comparison:
    """The reasons for and against two clusters being one episode."""

    has_equal_title: bool
    opening: int  # characters of an equal beginning that is long enough to count, else 0
    is_whole_text: bool  # one text is the beginning of the other
    supporting: tuple[str, ...]  # reasons beside titles and texts
    contradicting: tuple[str, ...]
    has_other_title: bool  # both have titles, and none is equal
    has_near_title: bool
    has_other_text: bool  # both have texts, and no equal beginning
    has_other_audio: bool  # both have audio files, and none is equal
    days_apart: int | None  # None if a date is unknown
    reasons: tuple[str, ...]

    @property
    def days_between_or_zero(self) -> int:
        """Return 0 if a date is unknown, because that is no reason against a match."""
        return self.days_apart or 0

    def is_match(self, *, is_opening_unique: bool) -> bool:
        """Return whether the reasons are enough to make one episode of both clusters.

        `is_opening_unique` tells that their notes begin alike, and no other cluster has this beginning.
        """
        if self.contradicting:
            return False
        if self.has_equal_title:
            # Re-runs and parts of a series share a title, so a title alone is not enough.
            return is_opening_unique or bool(self.supporting)
        # Without an equal title only the notes can identify the episode.
        if not is_opening_unique:
            return False
        if self.has_other_title:
            # Episodes of a daily show may have the same notes under different titles.
            return self.is_whole_text and bool(self.supporting)
        # At least one cluster has no title. Notes that differ after an equal beginning may share no more
        # than a greeting, so their dates must be near. An unknown date counts as near.
        return self.is_whole_text or self.days_between_or_zero <= DATE_TOLERANCE_DAYS

    @property
    def is_similar_and_uncontradicted(self) -> bool:
        """Return whether nothing contradicts, and the titles are equal, one text is the beginning of the
        other, or the titles are nearly equal and the days agree."""
        if self.contradicting:
            return False
        # The notes of one are the beginning of the notes of the other. Under other titles they may be the
        # notes of a whole series.
        continues_text = self.is_whole_text and not self.has_other_title
        if self.has_equal_title or continues_text:
            return True
        have_near_days = self.days_apart is not None and self.days_apart <= DATE_TOLERANCE_DAYS
        return self.has_near_title and have_near_days

    def needs_review(self, *, is_opening_unique: bool) -> bool:
        """Return whether a curator should be asked about two clusters that do not match."""
        if self.has_equal_title or self.is_similar_and_uncontradicted:
            return True
        # An opening of several clusters is a standard text.
        if not is_opening_unique:
            return False
        # "Looms, part 1" and "Looms, part 2" may have the same notes.
        if OTHER_DIGITS in self.contradicting:
            return False
        # Notes under other titles may share no more than a greeting.
        if self.has_other_title:
            return self.is_whole_text or bool(self.supporting)
        return True

    def forbids_join_by_identifier(self, *, is_guid: bool) -> bool:
        """Return whether the two are different episodes although they share a guid, a page or an audio
        file, because a publisher used it again."""
        # Newscasts give each bulletin the page of the last one.
        if LATER_ITEM in self.contradicting:
            return True
        # A feed may renumber an episode, and keeps its guid then. Two numbers at one page are two episodes.
        if not is_guid and OTHER_NUMBERS in self.contradicting:
            return True
        return self.has_other_title_and_day(DATE_TOLERANCE_DAYS)

    def has_other_title_and_day(self, tolerance_days: int) -> bool:
        """Return whether title and day are of another episode, and the notes do not begin alike."""
        # Another title alone is a correction. Another day alone is a second upload.
        has_other_day = self.days_between_or_zero > tolerance_days
        return self.has_other_title and has_other_day and not self.opening


def are_different_episodes(older: EntryData, newer: EntryData, show: Show) -> bool:
    """Return whether entries of a feed are different episodes although they share a page, an audio file, or
    title and day, as a feed of the newest episode alone may use these again."""
    older_keys = MatchKeys(older, show)
    newer_keys = MatchKeys(newer, show)
    if is_later_episode(older_keys, newer_keys):
        return True
    comparison = compare_profiles(Profile([], [older_keys]), Profile([], [newer_keys]))
    tolerance_days = DATE_TOLERANCE_DAYS
    # If file or number differ, too, the entries share no more than an address. Then the next day is
    # another day already.
    if comparison.has_other_audio or OTHER_NUMBERS in comparison.contradicting:
        tolerance_days = 0
    return comparison.has_other_title_and_day(tolerance_days)


def is_later_episode(older: MatchKeys, newer: MatchKeys) -> bool:
    """Return whether an item is another episode than an item that was in its feed before: it has another
    guid and another audio file, and was published later.

    Hourly news may have one title, page and text. An item that is uploaded again keeps guid, file, date or
    number. A new host may drop the time of day, so its items are not later.
    """
    has_other_guid = bool(older.guid and newer.guid) and older.guid != newer.guid
    has_other_file = bool(older.audio and newer.audio) and older.audio != newer.audio
    has_equal_number = older.number is not None and older.number == newer.number
    # No date is later than an unknown date, and no time is later than its own day.
    precision = min(len(older.values.published), len(newer.values.published))
    was_published_later = older.values.published[:precision] < newer.values.published[:precision]
    return has_other_guid and has_other_file and was_published_later and not has_equal_number


def compare_profiles(left: Profile, right: Profile) -> Comparison:
    """Return all reasons for and against the entries of two clusters being one episode."""
    has_equal_title = not left.titles.isdisjoint(right.titles)
    # Comparing titles letter by letter is slow, and needless beside an equal title.
    has_near_title = not has_equal_title and has_near_titles(left, right)
    shared_opening = find_longest_shared_opening(left.openings, right.openings)
    have_texts = bool(left.openings and right.openings)
    days_apart = _days_apart(left, right)
    supporting = _reasons_of_dates_numbers_lengths(left, right, days_apart)
    reasons = []
    if has_equal_title:
        reasons.append("equal title")
    if has_near_title:
        reasons.append("a near title")
    if shared_opening.length:
        reasons.append(f"equal opening of {shared_opening.length} characters")
    reasons += supporting
    return Comparison(
        has_equal_title=has_equal_title,
        opening=shared_opening.length,
        is_whole_text=shared_opening.is_whole_text,
        supporting=tuple(supporting),
        contradicting=tuple(_contradicting_reasons(left, right)),
        has_other_title=_have_none_in_common(left.titles, right.titles),
        has_near_title=has_near_title,
        has_other_text=have_texts and not shared_opening.length,
        has_other_audio=_have_none_in_common(
            left.values_of_key("audio"), right.values_of_key("audio")
        ),
        days_apart=days_apart,
        reasons=tuple(reasons),
    )


class SharedOpening(NamedTuple):
    """The equal beginning of two texts, in characters without white space."""

    length: int
    is_whole_text: bool


def find_longest_shared_opening(
    left_texts: Collection[str], right_texts: Collection[str]
) -> SharedOpening:
    """Return the longest equal beginning of a text of each cluster, or a length of 0 if none is
    long enough to count. The texts have no white space."""
    longest = SharedOpening(0, False)
    for left_text, right_text in product(left_texts, right_texts):
        length = Prefix.similarity(left_text, right_text)
        is_whole_text = length == min(len(left_text), len(right_text))
        # If one text is whole, fewer characters are enough. Else the part must be longer than a greeting.
        minimum = MIN_WHOLE_OPENING if is_whole_text else MIN_SHARED_OPENING
        if length >= minimum:
            # Of equal lengths a whole text counts, as False sorts before True.
            longest = max(longest, SharedOpening(length, is_whole_text))
    return longest


def has_near_titles(left: Profile, right: Profile) -> bool:
    pairs = product(left.titles, right.titles)
    return any(
        fuzz.ratio(left_title, right_title) >= MIN_TITLE_SIMILARITY
        for left_title, right_title in pairs
    )


def _days_apart(left: Profile, right: Profile) -> int | None:
    pairs = product(left.days, right.days)
    return min((abs((left_day - right_day).days) for left_day, right_day in pairs), default=None)


def _reasons_of_dates_numbers_lengths(
    left: Profile, right: Profile, days_apart: int | None
) -> list[str]:
    """Return the values that agree, in words: `["the same day", "the same episode number 12"]`."""
    reasons = []
    if days_apart == 0:
        reasons.append("the same day")
    elif days_apart is not None and days_apart <= DATE_TOLERANCE_DAYS:
        reasons.append(f"dates {format_count(days_apart, 'day', 'days')} apart")
    common_numbers = _common_numbers_of_same_season(left, right)
    if common_numbers:
        # Of several numbers always the same one, as the order of a set may differ.
        reasons.append(f"the same episode number {min(common_numbers)}")
    have_far_dates = days_apart is not None and days_apart > DOUBTFUL_DAYS
    # Shows of one format have many episodes of one length to the second, months apart.
    if not have_far_dates and _have_equal_length(left, right):
        reasons.append(EQUAL_LENGTH)
    return reasons


def _have_equal_length(left: Profile, right: Profile) -> bool:
    tolerance_seconds = 5  # hosts insert advertisements
    pairs = product(left.lengths, right.lengths)
    return any(
        left_length.gap(right_length) <= tolerance_seconds for left_length, right_length in pairs
    )


def _common_numbers_of_same_season(left: Profile, right: Profile) -> set[int]:
    numbers = set()
    for (left_season, left_number), (right_season, right_number) in product(
        left.numbers, right.numbers
    ):
        # An unknown season may be any.
        is_same_season = left_season == right_season or None in (left_season, right_season)
        if left_number == right_number and is_same_season:
            numbers.add(left_number)
    return numbers


def _contradicting_reasons(left: Profile, right: Profile) -> list[str]:
    """Return the values that differ, in words: `["different episode numbers"]`. A value that one of both lacks
    contradicts nothing."""
    reasons = []
    have_numbers = bool(left.numbers and right.numbers)
    if have_numbers and not _common_numbers_of_same_season(left, right):
        reasons.append(OTHER_NUMBERS)
    length_pairs = list(product(left.lengths, right.lengths))
    # All pairs must differ, because a source may count the advertisements.
    if length_pairs and all(starmap(lengths_differ, length_pairs)):
        reasons.append("lengths that cannot be equal")
    # "Looms, part 1" and "Looms, part 2"
    if _have_none_in_common(left.digits, right.digits):
        reasons.append(OTHER_DIGITS)
    # A trailer is not a full episode.
    if _have_none_in_common(left.values_of_key("kind"), right.values_of_key("kind")):
        reasons.append("different episode types")
    if _has_later_episode_of_feed(left, right) or _has_later_episode_of_feed(right, left):
        reasons.append(LATER_ITEM)
    return reasons


def _has_later_episode_of_feed(older: Profile, newer: Profile) -> bool:
    # Not strict, as `are_different_episodes` compares values alone, without entries.
    old_items = zip(older.entries, older.keys, strict=False)
    new_items = zip(newer.entries, newer.keys, strict=False)
    for (old_entry, old_keys), (new_entry, new_keys) in product(old_items, new_items):
        is_same_feed = old_entry.document_ref == new_entry.document_ref
        came_later = old_entry.first_version < new_entry.first_version
        # Another host may shift all dates.
        may_be_later = is_same_feed and came_later and not new_entry.came_with_new_host
        if may_be_later and is_later_episode(old_keys, new_keys):
            return True
    return False


def _have_none_in_common(left: Set[object], right: Set[object]) -> bool:
    """Return whether both have values, and share none."""
    return bool(left and right) and left.isdisjoint(right)
