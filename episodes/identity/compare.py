"""The reasons for and against two clusters of entries being one episode, in the words that a curator
reads. Pure."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import product, starmap
from typing import NamedTuple

from rapidfuzz import fuzz
from rapidfuzz.distance import Prefix

from ..fields import DATE_TOLERANCE_DAYS, lengths_differ
from ..records import DurationRange, SourceEntry
from ..text.normalize import folded_words
from .match_keys import MIN_SHARED_OPENING, MIN_WHOLE_OPENING, MatchKeys

EQUAL_LENGTH = "equal length"
OTHER_DIGITS = "different digits in the titles"
OTHER_MARKERS = "a trailer, bonus or re-run against an episode"
OTHER_NUMBERS = "different episode numbers"
DOUBTFUL_DAYS = 30  # dates that are further apart are a reason for doubt


@dataclass
class Profile:
    """All values of the entries of a cluster."""

    entries: list[SourceEntry]
    keys: list[MatchKeys]

    @cached_property
    def titles(self) -> frozenset[str]:
        return frozenset(key.title for key in self.keys) - {""}

    @cached_property
    def days(self) -> list[date]:
        return [key.day for key in self.keys if key.day]

    @cached_property
    def openings(self) -> frozenset[str]:
        return frozenset(key.opening for key in self.keys) - {""}

    @cached_property
    def numbers(self) -> frozenset[tuple[int | None, int]]:
        return frozenset[tuple[int | None, int]]().union(
            *(key.seasons_and_numbers for key in self.keys)
        )

    @cached_property
    def lengths(self) -> list[DurationRange]:
        return [key.values.length for key in self.keys if key.values.length]

    @property
    def first(self) -> SourceEntry:
        return min(self.entries, key=lambda entry: entry.order)

    def values_of_key(self, key_name: str, required_key: str) -> set[object]:
        """Return the values of the match key `key_name`, only of entries that have the match key
        `required_key`."""
        values = set()
        for match_keys in self.keys:
            if getattr(match_keys, required_key) not in ("", None):
                values.add(getattr(match_keys, key_name))
        return values

    def has_no_common_value(self, other: "Profile", name: str, required: str) -> bool:
        return _have_none_in_common(
            self.values_of_key(name, required), other.values_of_key(name, required)
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """The reasons for and against two clusters being one episode."""

    has_equal_title: bool
    title_words: int  # of the longest equal title
    opening: int  # characters of an equal beginning that is long enough to count, else 0
    is_whole_text: bool  # one text is the beginning of the other
    supporting: tuple[str, ...]  # reasons beside titles and texts
    contradicting: tuple[str, ...]
    has_other_title: bool  # both have titles, and none is equal
    has_near_title: bool
    has_other_text: bool  # both have texts, and no equal beginning
    days_apart: int | None
    reasons: tuple[str, ...]

    @property
    def days(self) -> int:
        return self.days_apart or 0

    def is_match(self, *, is_opening_unique: bool) -> bool:
        """Return whether the reasons are enough to make one episode of both.

        `is_opening_unique` tells that no other cluster shares their opening.
        """
        if self.contradicting:
            return False
        if self.has_equal_title:
            is_supported = bool(self.supporting) and not self.has_single_weak_support
            return is_opening_unique or is_supported
        if self.is_whole_text and self.supporting:
            return is_opening_unique
        # Texts that go apart may share no more than a greeting.
        is_near = self.is_whole_text or self.days <= DATE_TOLERANCE_DAYS
        return is_opening_unique and is_near and not self.has_other_title

    @property
    def is_plausible(self) -> bool:
        """Return whether a curator should be asked: the titles are equal, one text is the beginning
        of the other, or the titles are nearly equal and the days agree."""
        if self.has_equal_title or (self.is_whole_text and not self.has_other_title):
            return True
        has_day = self.days_apart is not None
        return has_day and self.has_near_title and self.days <= DATE_TOLERANCE_DAYS

    @property
    def is_other_episode(self) -> bool:
        """Return whether the two share a greeting at most, or are different parts or kinds."""
        if OTHER_DIGITS in self.contradicting or OTHER_MARKERS in self.contradicting:
            return True
        return self.has_other_title and not (self.is_whole_text or self.supporting)

    @property
    def has_single_weak_support(self) -> bool:
        """Return whether a single reason beside an equal title is too weak."""
        if len(self.supporting) != 1 or not self.days:
            return False
        # Shows of one format have many episodes of one length to the second.
        if EQUAL_LENGTH in self.supporting:
            return self.days > DOUBTFUL_DAYS and not self.opening
        # Episodes of several shows may have a title of three words.
        return self.days <= DATE_TOLERANCE_DAYS and self.has_other_text and self.title_words <= 3

    def forbids_join_by_identifier(self, *, is_guid: bool) -> bool:
        """Return whether the two are different episodes although they share an identifier.

        Publishers use guids, pages and file names again, guids least. Titles, days and texts must all
        differ. For a page or a file a missing text or a different number is enough.
        """
        if not is_guid and OTHER_NUMBERS in self.contradicting:
            return True
        # Another title alone is a correction. Another day alone is a second upload.
        has_other_title_and_day = self.has_other_title and self.days > DATE_TOLERANCE_DAYS
        if not has_other_title_and_day or self.opening:
            return False
        return self.has_other_text or not is_guid


def compare(left: Profile, right: Profile) -> Comparison:
    equal_titles = left.titles & right.titles
    title_words = max((len(folded_words(title)) for title in equal_titles), default=0)
    # The ratio is slow, and says nothing beside an equal title.
    has_near_title = not equal_titles and has_near_titles(left, right)
    opening = longest_shared_opening(left.openings, right.openings)
    has_other_text = bool(left.openings and right.openings and not opening.length)
    days_apart = _days_apart(left, right)
    supporting = _supporting_reasons(left, right, days_apart)
    reasons = []
    if equal_titles:
        reasons.append("equal title")
    if has_near_title:
        reasons.append("a near title")
    if opening.length:
        reasons.append(f"equal opening of {opening.length} characters")
    # Title, day and length agree.
    is_same_event = bool(equal_titles) and days_apart == 0 and EQUAL_LENGTH in supporting
    contradicting = _contradicting_reasons(left, right, is_same_event=is_same_event)
    return Comparison(
        has_equal_title=bool(equal_titles),
        title_words=title_words,
        opening=opening.length,
        is_whole_text=opening.is_whole_text,
        supporting=tuple(supporting),
        contradicting=tuple(contradicting),
        has_other_title=_have_none_in_common(left.titles, right.titles),
        has_near_title=has_near_title,
        has_other_text=has_other_text,
        days_apart=days_apart,
        reasons=(*reasons, *supporting),
    )


class SharedOpening(NamedTuple):
    """The equal beginning of two texts, in characters without white space."""

    length: int
    is_whole_text: bool


def longest_shared_opening(left: Collection[str], right: Collection[str]) -> SharedOpening:
    """Return the longest equal beginning of a text of each cluster, or a length of 0 if none is
    long enough to count. The texts have no white space."""
    longest = SharedOpening(0, False)
    for left_text, right_text in product(left, right):
        length = Prefix.similarity(left_text, right_text)
        is_whole_text = length == min(len(left_text), len(right_text))
        # If one text is whole, fewer characters are enough. Else the part must be longer than a greeting.
        minimum = MIN_WHOLE_OPENING if is_whole_text else MIN_SHARED_OPENING
        if length >= minimum:
            # Of equal lengths the one that is a whole text counts.
            longest = max(longest, SharedOpening(length, is_whole_text))
    return longest


def has_near_titles(left: Profile, right: Profile) -> bool:
    pairs = product(left.titles, right.titles)
    return any(fuzz.ratio(left_title, right_title) >= 90 for left_title, right_title in pairs)


def _days_apart(left: Profile, right: Profile) -> int | None:
    pairs = product(left.days, right.days)
    return min((abs((left_day - right_day).days) for left_day, right_day in pairs), default=None)


def _supporting_reasons(left: Profile, right: Profile, days_apart: int | None) -> list[str]:
    reasons = []
    if days_apart == 0:
        reasons.append("the same day")
    elif days_apart == 1:
        reasons.append("dates 1 day apart")
    elif days_apart is not None and days_apart <= DATE_TOLERANCE_DAYS:
        reasons.append(f"dates {days_apart} days apart")
    common_numbers = _common_numbers_of_same_season(left, right)
    if common_numbers:
        reasons.append(f"the same episode number {min(common_numbers)}")
    # Hosts insert advertisements.
    tolerance_seconds = 5
    for left_length, right_length in product(left.lengths, right.lengths):
        if left_length.gap(right_length) <= tolerance_seconds:
            reasons.append(EQUAL_LENGTH)
            break
    return reasons


def _common_numbers_of_same_season(left: Profile, right: Profile) -> set[int]:
    numbers = set()
    for left_season, left_number in left.numbers:
        for right_season, right_number in right.numbers:
            is_season_unknown = left_season is None or right_season is None
            if left_number == right_number and (is_season_unknown or left_season == right_season):
                numbers.add(left_number)
    return numbers


def _contradicting_reasons(left: Profile, right: Profile, *, is_same_event: bool) -> list[str]:
    """Return reasons in words: numbers, lengths, digits, markers or types that differ.

    `is_same_event` tells that title, day and length agree.
    """
    reasons = []
    have_numbers = bool(left.numbers and right.numbers)
    has_other_number = have_numbers and not _common_numbers_of_same_season(left, right)
    has_season = any(season is not None for season, _ in left.numbers | right.numbers)
    # Directories number the episodes of a season in their own way.
    if has_other_number and not (has_season and is_same_event):
        reasons.append(OTHER_NUMBERS)
    length_pairs = list(product(left.lengths, right.lengths))
    # All pairs must differ, because a source may count the advertisements.
    if length_pairs and all(starmap(lengths_differ, length_pairs)):
        reasons.append("lengths that cannot be equal")
    if left.has_no_common_value(right, "digits", required="title"):
        reasons.append(OTHER_DIGITS)
    if left.has_no_common_value(right, "markers", required="title"):
        reasons.append(OTHER_MARKERS)
    if left.has_no_common_value(right, "kind", required="kind"):
        reasons.append("different episode types")
    return reasons


def _have_none_in_common(left: Collection[object], right: Collection[object]) -> bool:
    return bool(left and right) and set(left).isdisjoint(right)
