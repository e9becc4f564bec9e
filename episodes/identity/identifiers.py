"""Joins entries that share an identifier, the strong tier of matching; pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from ..fields import DAYS_AGREE
from ..records import Ruling, SourceEntry
from .match_keys import WHOLE_OPENING, MatchKeys, common_length

Ref = tuple[str, str, str]
T = TypeVar("T")
JUDGED = "a curator judged them the same"
SECONDS_ALIKE = 5  # an advertisement more or less is a matter of the host
NAMES = {"guid": "the same guid", "audio": "the same audio file", "page": "the same page address"}


class Groups:
    """A partition of entries that only joins what nothing forbids to be one episode."""

    def __init__(
        self,
        entries: Sequence[SourceEntry],
        known: Mapping[Ref, MatchKeys],
        rulings: Sequence[Ruling],
    ) -> None:
        self.known = known
        self.root: dict[Ref, Ref] = {entry.ref: entry.ref for entry in entries}
        self.members: dict[Ref, list[SourceEntry]] = {entry.ref: [entry] for entry in entries}
        self.reasons: dict[Ref, tuple[str, ...]] = {}
        self.apart = {
            frozenset((ruling.one, ruling.other)) for ruling in rulings if not ruling.same
        }
        self.settled = (
            False  # what somebody vouched for is joined, and nothing else joins it further
        )

    def of(self, ref: Ref) -> list[SourceEntry]:
        return self.members[self._root(ref)]

    def _root(self, ref: Ref) -> Ref:
        while self.root[ref] != ref:
            self.root[ref] = self.root[self.root[ref]]
            ref = self.root[ref]
        return ref

    def rule(self, ruling: Ruling, one: Ref, other: Ref) -> None:
        """Make one group of two as a curator decided. Only the entry that was judged has that for
        its reason."""
        if self.join(one, other, "", ruled=True) and not ruling.kept:
            self.reasons[one] = (JUDGED,)

    def join(
        self, one: Ref, other: Ref, reason: str, *, ruled: bool = False, strict: bool = False
    ) -> bool:
        """Make one group of two, unless something speaks against it; a curator's ruling only gives
        way to another.

        Against it speaks a document that lists both, a curator who parted them, different episode
        numbers (`strict`), and title, day and text that all differ: publishers use guids and file
        names again. Pages are renumbered, too:
        against a page or a file (`strict`) title and day speak alone where a text is missing.
        """
        left, right = self._root(one), self._root(other)
        if left == right:
            return True
        mine, theirs = self.members[left], self.members[right]
        if self.parted(mine, theirs) or (not ruled and self._forbids(mine, theirs, strict)):
            return False
        if len(mine) < len(theirs):
            left, right = right, left
        self.members[left].extend(self.members.pop(right))
        self.root[right] = left
        for ref in (one, other) if reason else ():
            self.reasons.setdefault(ref, (reason,))
        return True

    def _forbids(
        self, left: Sequence[SourceEntry], right: Sequence[SourceEntry], strict: bool
    ) -> bool:
        """True where something speaks against one group, or a page that nobody vouched for would
        make one of two."""
        would_bridge = self.settled and all(
            any(e.vouched for e in group) for group in (left, right)
        )
        return would_bridge or self.beside(left, right) or self._strangers(left, right, strict)

    def _strangers(
        self, left: Sequence[SourceEntry], right: Sequence[SourceEntry], strict: bool
    ) -> bool:
        one, other = [self.known[e.ref] for e in left], [self.known[e.ref] for e in right]
        return strangers(one, other, silent=strict) or (strict and numbers_differ(one, other))

    def beside(self, left: Sequence[SourceEntry], right: Sequence[SourceEntry]) -> bool:
        """True if one version of a document lists an entry of each: then they are two episodes."""
        return any(a.beside(b) for a in left for b in right)

    def parted(self, left: Sequence[SourceEntry], right: Sequence[SourceEntry]) -> bool:
        """True if a curator judged an entry of each to be different episodes."""
        return bool(self.apart) and any(
            frozenset((a.ref[::2], b.ref[::2])) in self.apart for a in left for b in right
        )


def strangers(
    one: Sequence[MatchKeys], other: Sequence[MatchKeys], *, silent: bool = False
) -> bool:
    """True for two groups that have titles, days and texts, and are alike in none of them;
    `silent`: one may have no text."""
    titles = [{f.title for f in group if f.title} for group in (one, other)]
    if not all(titles) or titles[0] & titles[1]:
        return False
    days = [[f.day for f in group if f.day] for group in (one, other)]
    return _unlike(lambda a, b: abs((a - b).days) <= DAYS_AGREE, *days) and _other_texts(
        one, other, silent=silent
    )


def _other_texts(one: Sequence[MatchKeys], other: Sequence[MatchKeys], *, silent: bool) -> bool:
    """True for texts that differ, and, if it may, for one that is missing."""
    texts = [[f.opening for f in group if f.opening] for group in (one, other)]
    return _unlike(_begin_alike, *texts) or (silent and not all(texts))


def _begin_alike(one: str, other: str) -> bool:
    return one == other or common_length(one, other) >= WHOLE_OPENING


def _unlike(alike: Callable[[T, T], bool], left: Sequence[T], right: Sequence[T]) -> bool:
    """True where both say something, and nothing of the one is like anything of the other."""
    return bool(left and right) and not any(alike(a, b) for a in left for b in right)


def numbers_differ(one: Sequence[MatchKeys], other: Sequence[MatchKeys]) -> bool:
    """True where both declare episode numbers and agree on none, unless one of them only counts in
    its own way."""
    both = all(any(f.number is not None for f in facts) for facts in (one, other))
    return both and not common_numbers(one, other) and not _counted_otherwise(one, other)


def common_numbers(one: Sequence[MatchKeys], other: Sequence[MatchKeys]) -> set[int]:
    """The episode numbers that both declare; a number means the same only within its season."""
    left = {pair for f in one for pair in f.numbers}
    right = {pair for f in other for pair in f.numbers}
    return {
        a[1] for a in left for b in right if a[1] == b[1] and (a[0] == b[0] or None in (a[0], b[0]))
    }


def _counted_otherwise(one: Sequence[MatchKeys], other: Sequence[MatchKeys]) -> bool:
    """True where seasons are counted, and title, day and length tell that it is one episode all the
    same."""
    if all(f.season is None for f in (*one, *other)):
        return False
    return any(_agree(a, b) for a in one for b in other)


def _agree(one: MatchKeys, other: MatchKeys) -> bool:
    """True where two entries give the same title, day and length."""
    if not (one.title and one.day and one.length and other.length):
        return False
    return (one.title, one.day) == (other.title, other.day) and one.length.gap(
        other.length
    ) <= SECONDS_ALIKE


def strong_groups(
    entries: Sequence[SourceEntry], known: Mapping[Ref, MatchKeys], rulings: Sequence[Ruling]
) -> Groups:
    """All entries in groups that share identifiers, or that a curator judged the same. Those of
    pages that nobody vouched for are alone at first."""
    groups = Groups(entries, known, rulings)
    by_pair: dict[tuple[str, str], list[SourceEntry]] = defaultdict(list)
    for entry in entries:
        by_pair[entry.ref[::2]].append(entry)
    for ruling in sorted((r for r in rulings if r.same), key=lambda r: (r.one, r.other)):
        for one in by_pair.get(ruling.one, ()):
            for other in by_pair.get(ruling.other, ()):
                groups.rule(ruling, one.ref, other.ref)
    _join_carriers(groups, [entry for entry in entries if entry.vouched])
    return groups


def join_unvouched(groups: Groups, entries: Sequence[SourceEntry]) -> None:
    """Join the entries that nobody vouched for to the groups they share an identifier with, each to
    one at most."""
    groups.settled = True
    _join_carriers(groups, entries)


def _join_carriers(groups: Groups, entries: Sequence[SourceEntry]) -> None:
    for kind in NAMES:
        for _, carriers in sorted(_carriers(entries, groups.known, kind)):
            _join_all(groups, carriers, NAMES[kind], strict=kind != "guid")


def _join_all(
    groups: Groups, carriers: Sequence[SourceEntry], reason: str, *, strict: bool
) -> None:
    for other in carriers[1:]:
        groups.join(carriers[0].ref, other.ref, reason, strict=strict)


def _carriers(
    entries: Sequence[SourceEntry], known: Mapping[Ref, MatchKeys], kind: str
) -> Iterator[tuple[str, list[SourceEntry]]]:
    """Who carries each identifier; one that two entries of a version carry identifies neither."""
    carriers: dict[str, list[SourceEntry]] = defaultdict(list)
    for entry in entries:
        if value := getattr(known[entry.ref], kind):
            carriers[value].append(entry)
    for value, found in carriers.items():
        by_document: dict[tuple[str, str], list[SourceEntry]] = defaultdict(list)
        for entry in found:
            by_document[(entry.source, entry.document)].append(entry)
        twice = any(
            a.beside(b)
            for own in by_document.values()
            for i, a in enumerate(own)
            for b in own[i + 1 :]
        )
        if len(found) > 1 and not twice:
            yield value, found
