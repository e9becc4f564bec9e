"""Joins entries that share an identifier, the strong tier of matching; pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, product

from ..records import Ruling, SourceEntry
from .match_keys import MatchKeys
from .signals import Profile, numbers_differ, strangers

Ref = tuple[str, str, str]
JUDGED = "a curator judged them the same"
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
        self.group_of: dict[Ref, list[SourceEntry]] = {entry.ref: [entry] for entry in entries}
        self.reasons: dict[Ref, tuple[str, ...]] = {}
        self.apart = {
            frozenset((ruling.one, ruling.other)) for ruling in rulings if not ruling.same
        }
        self.settled = (
            False  # what somebody vouched for is joined, and nothing else joins it further
        )

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
        mine, theirs = self.group_of[one], self.group_of[other]
        if mine is theirs:
            return True
        if self.parted(mine, theirs) or (not ruled and self._forbids(mine, theirs, strict)):
            return False
        small, large = sorted((mine, theirs), key=len)
        large += small
        self.group_of |= {entry.ref: large for entry in small}
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
        one, other = self.profile(left), self.profile(right)
        return (
            would_bridge
            or self.beside(left, right)
            or strangers(one, other, silent=strict)
            or (strict and numbers_differ(one, other))
        )

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
        return bool(self.apart) and any(
            frozenset((a.ref[::2], b.ref[::2])) in self.apart for a, b in product(left, right)
        )


def strong_groups(
    entries: Sequence[SourceEntry], known: Mapping[Ref, MatchKeys], rulings: Sequence[Ruling]
) -> Groups:
    """All entries in groups that share identifiers, or that a curator judged the same. Those of
    pages that nobody vouched for are alone at first."""
    groups = judged_groups(entries, known, rulings)
    _join_carriers(groups, [entry for entry in entries if entry.vouched])
    return groups


def judged_groups(
    entries: Sequence[SourceEntry], known: Mapping[Ref, MatchKeys], rulings: Sequence[Ruling]
) -> Groups:
    """All entries in groups of those that a curator judged the same."""
    groups = Groups(entries, known, rulings)
    by_pair: dict[tuple[str, str], list[SourceEntry]] = defaultdict(list)
    for entry in entries:
        by_pair[entry.ref[::2]].append(entry)
    for ruling in sorted((r for r in rulings if r.same), key=lambda r: (r.one, r.other)):
        for one, other in product(by_pair[ruling.one], by_pair[ruling.other]):
            groups.rule(ruling, one.ref, other.ref)
    return groups


def join_unvouched(groups: Groups, entries: Sequence[SourceEntry]) -> None:
    """Join the entries that nobody vouched for to the groups they share an identifier with, each to
    one at most."""
    groups.settled = True
    _join_carriers(groups, entries)


def _join_carriers(groups: Groups, entries: Sequence[SourceEntry]) -> None:
    """Join who carries an identifier; one that two entries of a version carry identifies neither."""
    for kind, reason in NAMES.items():
        carriers: dict[str, list[SourceEntry]] = defaultdict(list)
        for entry in entries:
            carriers[getattr(groups.known[entry.ref], kind)].append(entry)
        for value, (first, *others) in sorted(carriers.items()):
            if value and not any(a.beside(b) for a, b in combinations((first, *others), 2)):
                for other in others:
                    groups.join(first.ref, other.ref, reason, strict=kind != "guid")
