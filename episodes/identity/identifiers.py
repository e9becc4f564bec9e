"""Joins entries that share an identifier, the strong tier of matching; pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, product

from ..records import Ruling, SourceEntry
from .match_keys import NAMES, MatchKeys
from .signals import Profile, compare

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

    def rule(self, ruling: Ruling, one: Ref, other: Ref) -> None:
        """Make one group of two as a curator decided. Only the entry that was judged has that for
        its reason."""
        if self.join(one, other, "", ruled=True) and not ruling.kept:
            self.reasons[one] = (JUDGED,)

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
            groups.rule(ruling, one.ref, other.ref)
    return groups
