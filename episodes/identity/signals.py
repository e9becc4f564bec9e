"""Compares two groups of entries: which signals agree, which contradict, in words that a curator
reads; pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import product

from rapidfuzz import fuzz

from ..fields import DAYS_AGREE, lengths_differ
from ..records import DurationRange, SourceEntry
from ..text.normalize import words
from .match_keys import OPENING, WHOLE_OPENING, MatchKeys, common_length

EQUAL_LENGTH = "equal length"
SECONDS_ALIKE = 5  # an advertisement more or less is a matter of the host
DAYS_DOUBT = 30
NEAR_TITLE = 90  # RapidFuzz ratio from which a title is near another
COMMON_TITLE = 3  # words of a title that episodes of several shows may have

# What tells two episodes apart if it differs, where the second of the two is known.
DISTINCT = (
    ("digits", "title", "different digits in the titles"),
    ("markers", "title", "a trailer, bonus or re-run against an episode"),
    ("loose", "loose", "different numbers before the titles"),
    ("kind", "kind", "different episode types"),
)

OTHER_PART = {"different digits in the titles", "a trailer, bonus or re-run against an episode"}


@dataclass
class Profile:
    """A group of entries as a whole: every value that any of them gives."""

    entries: list[SourceEntry]
    facts: list[MatchKeys]

    @cached_property
    def titles(self) -> frozenset[str]:
        return frozenset(f.title for f in self.facts) - {""}

    @cached_property
    def days(self) -> tuple[date, ...]:
        return tuple(f.day for f in self.facts if f.day)

    @cached_property
    def openings(self) -> frozenset[str]:
        return frozenset(f.opening for f in self.facts) - {""}

    @cached_property
    def numbers(self) -> frozenset[tuple[int | None, int]]:
        return frozenset[tuple[int | None, int]]().union(*(f.numbers for f in self.facts))

    def values(self, name: str, needed: str) -> set[object]:
        """The values of one thing, where another is known."""
        return {getattr(f, name) for f in self.facts if getattr(f, needed) not in ("", None)}

    @property
    def first(self) -> SourceEntry:
        return min(self.entries, key=lambda entry: entry.order)


@dataclass(frozen=True, slots=True)
class Signals:
    """Evidence for and against two groups being one episode."""

    title: bool = False
    title_words: int = 0  # of the longest equal title
    opening: int = 0  # characters of equal beginning, 0 where too few to count
    exhausted: bool = False  # the equal beginning is the whole of one of the texts
    agreeing: tuple[str, ...] = ()
    contradicting: tuple[str, ...] = ()
    other_title: bool = False  # both have titles, and none is equal
    near_title: bool = False
    days_apart: int | None = None
    other_text: bool = False  # both have texts, which differ from their beginning
    reasons: tuple[str, ...] = ()

    @property
    def proposes(self) -> bool:
        """True for an equal title, the whole text of a re-run and of its first run, and a near title
        on a day that agrees."""
        is_whole = self.exhausted and not self.other_title
        days = DAYS_DOUBT if self.days_apart is None else self.days_apart
        return self.title or is_whole or (self.near_title and days <= DAYS_AGREE)

    @property
    def is_another(self) -> bool:
        """True for a text that shares no more than a greeting, and for another part or kind."""
        is_greeting = self.other_title and not (self.exhausted or self.agreeing)
        return is_greeting or bool(OTHER_PART.intersection(self.contradicting))

    @property
    def by_chance(self) -> bool:
        """Only an equal length agrees, over a month apart and without a like text; or only a day
        close by, with another text under a title that other shows may have, too."""
        if len(self.agreeing) != 1 or not self.days_apart:
            return False
        if EQUAL_LENGTH in self.agreeing:
            return self.days_apart > DAYS_DOUBT and not self.opening
        is_common = self.title_words <= COMMON_TITLE
        return self.days_apart <= DAYS_AGREE and self.other_text and is_common


def compare(one: Profile, other: Profile) -> Signals:
    """All signals but the neighbours, which depend on what is placed already."""
    titles = one.titles & other.titles
    title, has_both_titles = bool(titles), bool(one.titles and other.titles)
    opening, exhausted = shared_opening(one.openings, other.openings)
    apart = _days_apart(one.days, other.days)
    agreeing = list(_agreeing(one, other, apart))
    titled_alike = title and apart == 0 and EQUAL_LENGTH in agreeing
    near = not title and near_titles(one, other)
    said = {
        "equal title": title,
        "a near title": near,
        f"equal opening of {opening} characters": opening,
    }
    reasons = [words for words, holds in said.items() if holds]
    return Signals(
        title=title,
        title_words=max((len(words(equal)) for equal in titles), default=0),
        opening=opening,
        exhausted=exhausted,
        agreeing=tuple(agreeing),
        contradicting=(*_numbered_apart(one, other, titled_alike), *_contradicting(one, other)),
        other_title=has_both_titles and not title,
        near_title=near,
        days_apart=apart,
        other_text=bool(one.openings and other.openings and not opening),
        reasons=(*reasons, *agreeing),
    )


def near_titles(one: Profile, other: Profile) -> bool:
    return any(fuzz.ratio(*pair) >= NEAR_TITLE for pair in product(one.titles, other.titles))


def shared_opening(one: Collection[str], other: Collection[str]) -> tuple[int, bool]:
    """The longest equal beginning of two groups' texts that counts, in characters without white
    space; 0 for none."""
    best = (0, False)
    for a, b in product(one, other):
        length = common_length(a, b)
        whole = length == min(len(a), len(b))
        if length >= spaceless(WHOLE_OPENING if whole else OPENING):
            best = max(best, (length, whole))
    return best


def spaceless(characters: int) -> int:
    """The rules count characters with white space; an English text has one in six of them."""
    return characters * 5 // 6


def _days_apart(one: Sequence[date], other: Sequence[date]) -> int | None:
    return min((abs((a - b).days) for a, b in product(one, other)), default=None)


def _agreeing(one: Profile, other: Profile, apart: int | None) -> Iterator[str]:
    if apart is not None and apart <= DAYS_AGREE:
        yield "the same day" if apart == 0 else f"dates {apart} day{'s' * (apart > 1)} apart"
    if numbers := common_numbers(one, other):
        yield f"the same episode number {min(numbers)}"
    if any(a.gap(b) <= SECONDS_ALIKE for a, b in _lengths(one, other)):
        yield EQUAL_LENGTH


def common_numbers(one: Profile, other: Profile) -> set[int]:
    """The episode numbers that both declare; a number means the same only within its season."""
    return {
        number
        for (season, number), (other_season, other_number) in product(one.numbers, other.numbers)
        if number == other_number and (season == other_season or None in (season, other_season))
    }


def numbers_differ(one: Profile, other: Profile) -> bool:
    """True where both declare episode numbers and agree on none."""
    return bool(one.numbers and other.numbers) and not common_numbers(one, other)


def strangers(one: Profile, other: Profile, *, silent: bool) -> bool:
    """True for two groups that have titles, days and texts, and are alike in none of them;
    `silent`: one may have no text."""
    if not (one.titles and other.titles) or one.titles & other.titles:
        return False
    apart = _days_apart(one.days, other.days)
    has_texts = silent or bool(one.openings and other.openings)
    is_alike = shared_opening(one.openings, other.openings) != (0, False)
    return has_texts and not is_alike and apart is not None and apart > DAYS_AGREE


def _numbered_apart(one: Profile, other: Profile, titled_alike: bool) -> Iterator[str]:
    """Different numbers contradict, unless seasons are counted, and title, day and length tell that
    one of the two only counts in its own way."""
    seasons = {season for season, _ in one.numbers | other.numbers}
    if numbers_differ(one, other) and (seasons == {None} or not titled_alike):
        yield "different episode numbers"


def _contradicting(one: Profile, other: Profile) -> Iterator[str]:
    lengths = list(_lengths(one, other))
    if lengths and all(lengths_differ(a, b) for a, b in lengths):
        yield "lengths that cannot be equal"
    for name, needed, reason in DISTINCT:
        left, right = one.values(name, needed), other.values(name, needed)
        if left and right and not left & right:
            yield reason


def _lengths(one: Profile, other: Profile) -> Iterator[tuple[DurationRange, DurationRange]]:
    for a, b in product(one.facts, other.facts):
        if a.length and b.length:
            yield a.length, b.length
