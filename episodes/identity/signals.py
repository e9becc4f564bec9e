"""Compares two groups of entries: which signals agree, which contradict, in words that a curator
reads; joins entries that share an identifier, the strong tier of matching; and tells which
entries could be of one episode at all; pure."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from itertools import combinations, product, starmap
from typing import NamedTuple

from rapidfuzz import fuzz
from rapidfuzz.distance import Prefix

from ..fields import DAYS_AGREE, lengths_differ
from ..records import DurationRange, Ruling, SourceEntry
from ..text.fingerprints import fingerprint
from ..text.normalize import words
from .match_keys import NAMES, OPENING, WHOLE_OPENING, MatchKeys

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
OTHER_PART = {reason for _, name, reason in DISTINCT if name == "title"}
OTHER_NUMBERS = "different episode numbers"


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

    @cached_property
    def lengths(self) -> list[DurationRange]:
        return [f.said.length for f in self.facts if f.said.length]

    def values(self, name: str, needed: str) -> set[object]:
        """The values of one thing, where another is known."""
        return {getattr(f, name) for f in self.facts if getattr(f, needed) not in ("", None)}

    @property
    def first(self) -> SourceEntry:
        return min(self.entries, key=lambda entry: entry.order)


@dataclass(frozen=True, slots=True)
class Signals:
    """Evidence for and against two groups being one episode."""

    title: bool
    title_words: int  # of the longest equal title
    opening: int  # characters of equal beginning, 0 where too few to count
    exhausted: bool  # the equal beginning is the whole of one of the texts
    agreeing: tuple[str, ...]
    contradicting: tuple[str, ...]
    other_title: bool  # both have titles, and none is equal
    near_title: bool
    days_apart: int | None
    other_text: bool  # both have texts, which differ from their beginning
    reasons: tuple[str, ...]

    @property
    def days(self) -> int:
        """The days between their dates; 0 where one is not known."""
        return self.days_apart or 0

    def fits(self, has_telling_opening: bool) -> bool:
        """The medium tier. Texts that go apart may share no more than a greeting: another title or
        another day speaks against them."""
        if self.contradicting:
            return False
        if self.title:
            return has_telling_opening or (bool(self.agreeing) and not self.by_chance)
        is_near = self.exhausted or self.days <= DAYS_AGREE
        is_alike = (is_near and not self.other_title) or (self.exhausted and bool(self.agreeing))
        return has_telling_opening and is_alike

    def forbid(self, *, strict: bool) -> bool:
        """True for two groups that an identifier must not join: publishers use guids and file names
        again.

        Titles, days and texts speak against it if all of them differ. Pages are renumbered, too:
        against a page or a file (`strict`) titles and days do where a text is missing, and numbers.
        """
        # One of the two alone is a corrected title, or an episode that was uploaded again.
        is_far = self.other_title and self.days > DAYS_AGREE
        are_strangers = is_far and not self.opening and (strict or self.other_text)
        return are_strangers or (strict and OTHER_NUMBERS in self.contradicting)

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
        if len(self.agreeing) != 1 or not self.days:
            return False
        # Shows of one format have many episodes of one length to the second.
        if EQUAL_LENGTH in self.agreeing:
            return self.days > DAYS_DOUBT and not self.opening
        is_common = self.title_words <= COMMON_TITLE
        return self.days <= DAYS_AGREE and self.other_text and is_common


def compare(one: Profile, other: Profile) -> Signals:
    """Return the reasons for and against two groups being one episode."""
    titles = one.titles & other.titles
    opening, exhausted = shared_opening(one.openings, other.openings)
    apart = min((abs((a - b).days) for a, b in product(one.days, other.days)), default=None)
    agreeing = tuple(_agreeing(one, other, apart))
    titled_alike = bool(titles) and apart == 0 and EQUAL_LENGTH in agreeing
    # The ratio is slow, and says nothing beside an equal title.
    near = not titles and near_titles(one, other)
    said = {
        "equal title": titles,
        "a near title": near,
        f"equal opening of {opening} characters": opening,
    }
    return Signals(
        title=bool(titles),
        title_words=max((len(words(equal)) for equal in titles), default=0),
        opening=opening,
        exhausted=exhausted,
        agreeing=agreeing,
        contradicting=tuple(_contradicting(one, other, titled_alike)),
        other_title=_differ(one.titles, other.titles),
        near_title=near,
        days_apart=apart,
        other_text=bool(one.openings and other.openings and not opening),
        reasons=(*(words for words, holds in said.items() if holds), *agreeing),
    )


def _differ(one: Set[object], other: Set[object]) -> bool:
    """True where both say something, and nothing of it is equal."""
    return bool(one and other) and one.isdisjoint(other)


def near_titles(one: Profile, other: Profile) -> bool:
    return any(fuzz.ratio(*pair) >= NEAR_TITLE for pair in product(one.titles, other.titles))


def shared_opening(one: Collection[str], other: Collection[str]) -> tuple[int, bool]:
    """The longest equal beginning of two groups' texts that counts, in characters without white
    space; 0 for none."""
    best = (0, False)
    for a, b in product(one, other):
        length = Prefix.similarity(a, b)
        whole = length == min(len(a), len(b))
        # A whole text is told apart by less: what goes on must outrun a greeting.
        if length >= spaceless(WHOLE_OPENING if whole else OPENING):
            best = max(best, (length, whole))
    return best


def days_around(days: Collection[date]) -> set[date]:
    """The days that agree with one of these."""
    return {day + timedelta(n) for day in days for n in range(-DAYS_AGREE, DAYS_AGREE + 1)}


def spaceless(characters: int) -> int:
    """The rules count characters with white space; an English text has one in six of them."""
    return characters * 5 // 6


def _agreeing(one: Profile, other: Profile, apart: int | None) -> Iterator[str]:
    if apart is not None and apart <= DAYS_AGREE:
        yield "the same day" if apart == 0 else f"dates {apart} day{'s' * (apart > 1)} apart"
    if numbers := common_numbers(one, other):
        yield f"the same episode number {min(numbers)}"
    if any(a.gap(b) <= SECONDS_ALIKE for a, b in product(one.lengths, other.lengths)):
        yield EQUAL_LENGTH


def common_numbers(one: Profile, other: Profile) -> set[int]:
    """The episode numbers that both declare; a number means the same only within its season."""
    return {
        number
        for (season, number), (other_season, other_number) in product(one.numbers, other.numbers)
        if number == other_number and (season == other_season or None in (season, other_season))
    }


def _contradicting(one: Profile, other: Profile, titled_alike: bool) -> Iterator[str]:
    """Different numbers contradict, unless seasons are counted, and title, day and length tell that
    one of the two only counts in its own way."""
    seasons = {season for season, _ in one.numbers | other.numbers}
    have_numbers = one.numbers and other.numbers and not common_numbers(one, other)
    # Directories number the episodes of a season in their own way.
    if have_numbers and (seasons == {None} or not titled_alike):
        yield OTHER_NUMBERS
    lengths = list(product(one.lengths, other.lengths))
    # All of them: one of several sources may count the advertisements.
    if lengths and all(starmap(lengths_differ, lengths)):
        yield "lengths that cannot be equal"
    for name, needed, reason in DISTINCT:
        if _differ(one.values(name, needed), other.values(name, needed)):
            yield reason


# -- which entries meet: two that could be of one episode, in doubt ------------------------------------

# Entries that a document lists side by side are never compared (matching.py): between these only an
# identifier counts, as one that two entries carry identifies neither.
LONGEST_BEGINNING = spaceless(OPENING)  # an equal beginning counts from here on
BEGINNING = spaceless(WHOLE_OPENING)  # that of a whole text from here on


class EntryKeysData(NamedTuple):
    """The values of an entry that others of its show can meet."""

    guid: str
    audio: str
    page: str
    title: str
    opening: str  # its first characters; all of it where there are fewer
    day: date | None
    digest: str  # of all that matching looks at

    @property
    def beginning(self) -> str:
        """The least that two texts have to share."""
        return self.opening[:BEGINNING]


def entry_keys(entry: SourceEntry, read: MatchKeys) -> EntryKeysData:
    """The values of an entry; equal digests tell that matching would treat it as before."""
    said = entry.said
    length = said.seconds_low, said.seconds_high
    counted = said.number, said.season, said.episode_type
    listed = said.show, entry.gone_version
    seen = said.title, read.opening, said.published, length, counted, listed
    opening = read.opening[:LONGEST_BEGINNING]
    return EntryKeysData(
        read.guid, read.audio, read.page, read.title, opening, read.day, fingerprint(seen)
    )


def shares_identifier(one: EntryKeysData, other: EntryKeysData) -> bool:
    """True for two entries that carry one identifier."""
    return any(getattr(one, name) == getattr(other, name) != "" for name in NAMES)


def may_be_the_same(one: EntryKeysData, other: EntryKeysData) -> bool:
    """True for an equal or near title, and for an equal beginning of the text that counts."""
    is_near = fuzz.ratio(one.title, other.title) >= NEAR_TITLE and "" not in (
        one.title,
        other.title,
    )
    return is_near or any(shared_opening([one.opening], [other.opening]))


# -- entries that share an identifier -------------------------------------------------------------

Ref = tuple[str, str, str]
JUDGED = "a curator judged them the same"


class Groups:
    """A partition of entries that only joins what nothing forbids to be one episode."""

    def __init__(
        self,
        entries: Sequence[SourceEntry],
        known: Mapping[Ref, MatchKeys],
        rulings: Sequence[Ruling],
    ) -> None:
        self.known = known
        self.group_of: dict[Ref, list[SourceEntry]] = {entry.ref: [entry] for entry in entries}
        self.reasons: dict[Ref, tuple[str, ...]] = {}
        self.apart = {
            frozenset((ruling.one, ruling.other)) for ruling in rulings if not ruling.same
        }

    def join(
        self, one: Ref, other: Ref, reason: str, *, ruled: bool = False, strict: bool = False
    ) -> bool:
        """Make one group of two, unless something speaks against it (`Signals.forbid`), or a document
        lists both; a curator's ruling only gives way to another."""
        mine, theirs = self.group_of[one], self.group_of[other]
        if mine is theirs:
            return True
        # Asked of the groups and not of the two: joining them joins all that is with them.
        if self.parted(mine, theirs):
            return False
        if not ruled:
            signals = compare(self.profile(mine), self.profile(theirs))
            if self.beside(mine, theirs) or signals.forbid(strict=strict):
                return False
        # The smaller one moves, so that a chain of thousands does not cost their square.
        small, large = sorted((mine, theirs), key=len)
        large += small
        self.group_of |= {entry.ref: large for entry in small}
        for ref in (one, other) if reason else ():
            self.reasons.setdefault(ref, (reason,))
        return True

    def of(self, entries: Iterable[SourceEntry]) -> list[list[SourceEntry]]:
        """The groups of these entries, each once."""
        groups = [self.group_of[entry.ref] for entry in entries]
        return list({id(group): group for group in groups}.values())

    def profile(self, group: Sequence[SourceEntry]) -> Profile:
        return Profile(list(group), [self.known[entry.ref] for entry in group])

    def beside(self, left: Sequence[SourceEntry], right: Sequence[SourceEntry]) -> bool:
        """True if one version of a document lists an entry of each: then they are two episodes."""
        return any(a.beside(b) for a, b in product(left, right))

    def parted(self, left: Sequence[SourceEntry], right: Sequence[SourceEntry]) -> bool:
        """True if a curator judged an entry of each to be different episodes."""
        pairs = (frozenset((a.ref[::2], b.ref[::2])) for a, b in product(left, right))
        return not self.apart.isdisjoint(pairs)


def strong_groups(
    entries: Sequence[SourceEntry], known: Mapping[Ref, MatchKeys], rulings: Sequence[Ruling]
) -> Groups:
    """All entries in groups that share identifiers, or that a curator judged the same. An identifier
    that two entries of a version carry identifies neither, and those of pages that nobody vouched
    for join nothing."""
    groups = judged_groups(entries, known, rulings)
    for kind, reason in NAMES.items():
        carriers: dict[str, list[SourceEntry]] = defaultdict(list)
        for entry in entries:
            if entry.vouched and (value := getattr(known[entry.ref], kind)):
                carriers[value].append(entry)
        # Sorted, so that the order in which documents came has no part in it.
        for _, (first, *others) in sorted(carriers.items()):
            if not any(a.beside(b) for a, b in combinations((first, *others), 2)):
                for other in others:
                    groups.join(first.ref, other.ref, reason, strict=kind != "guid")
    return groups


def judged_groups(
    entries: Sequence[SourceEntry], known: Mapping[Ref, MatchKeys], rulings: Sequence[Ruling]
) -> Groups:
    """All entries in groups of those that a curator judged the same."""
    groups = Groups(entries, known, rulings)
    # A judgement names source and key, which several documents of the source can use.
    by_pair: dict[tuple[str, str], list[SourceEntry]] = defaultdict(list)
    for entry in entries:
        by_pair[entry.ref[::2]].append(entry)
    for ruling in sorted((r for r in rulings if r.same), key=lambda r: (r.one, r.other)):
        for one, other in product(by_pair[ruling.one], by_pair[ruling.other]):
            joined = groups.join(one.ref, other.ref, "", ruled=True)
            # Only the entry that was judged has that for its reason.
            if joined and not ruling.kept:
                groups.reasons[one.ref] = (JUDGED,)
    return groups
