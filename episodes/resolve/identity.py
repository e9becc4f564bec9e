"""Joins entries that share an identifier, the strong tier of matching (rules.md 2, 3); pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from ..records import Entry, Ruling
from .facts import Facts

Ref = tuple[str, str, str]
NAMES = {"guid": "the same guid", "audio": "the same audio file", "page": "the same page address"}


class Groups:
    """A partition of entries that only joins what nothing forbids to be one episode."""

    def __init__(self, entries: Sequence[Entry], known: Mapping[Ref, Facts], rulings: Sequence[Ruling]) -> None:
        self.known = known
        self.root: dict[Ref, Ref] = {entry.ref: entry.ref for entry in entries}
        self.members: dict[Ref, list[Entry]] = {entry.ref: [entry] for entry in entries}
        self.reasons: dict[Ref, tuple[str, ...]] = {}
        self.apart = {frozenset((ruling.one, ruling.other)) for ruling in rulings if not ruling.same}

    def of(self, ref: Ref) -> list[Entry]:
        return self.members[self._root(ref)]

    def _root(self, ref: Ref) -> Ref:
        while self.root[ref] != ref:
            self.root[ref] = self.root[self.root[ref]]
            ref = self.root[ref]
        return ref

    def join(self, one: Ref, other: Ref, reason: str, *, strict: bool) -> bool:
        """Make one group of two, unless a document lists both, their numbers differ (`strict`), or a curator parted them."""
        left, right = self._root(one), self._root(other)
        if left == right:
            return True
        if self.forbidden(self.members[left], self.members[right], strict=strict):
            return False
        if len(self.members[left]) < len(self.members[right]):
            left, right = right, left
        self.members[left].extend(self.members.pop(right))
        self.root[right] = left
        for ref in (one, other):
            self.reasons.setdefault(ref, (reason,))
        return True

    def forbidden(self, left: Sequence[Entry], right: Sequence[Entry], *, strict: bool) -> bool:
        if self.beside(left, right) or self.parted(left, right):
            return True
        return strict and numbers_differ([self.known[e.ref] for e in left], [self.known[e.ref] for e in right])

    def beside(self, left: Sequence[Entry], right: Sequence[Entry]) -> bool:
        """Whether one version of a document lists an entry of each: then they are two episodes."""
        return any(a.beside(b) for a in left for b in right)

    def parted(self, left: Sequence[Entry], right: Sequence[Entry]) -> bool:
        """Whether a curator judged an entry of each to be different episodes."""
        return bool(self.apart) and any(frozenset((a.ref[::2], b.ref[::2])) in self.apart for a in left for b in right)


def numbers_differ(one: Sequence[Facts], other: Sequence[Facts]) -> bool:
    """Whether both declare episode numbers and agree on none; a number means the same only within its season."""
    left = {(f.season, f.number) for f in one if f.number is not None}
    right = {(f.season, f.number) for f in other if f.number is not None}
    if not left or not right:
        return False
    return not any(a[1] == b[1] and (a[0] == b[0] or None in (a[0], b[0])) for a in left for b in right)


def strong_groups(entries: Sequence[Entry], known: Mapping[Ref, Facts], rulings: Sequence[Ruling]) -> Groups:
    """All entries in groups that share identifiers, or that a curator judged the same."""
    groups = Groups(entries, known, rulings)
    by_pair: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in entries:
        by_pair[entry.ref[::2]].append(entry)
    for ruling in sorted((r for r in rulings if r.same), key=lambda r: (r.one, r.other)):
        for one in by_pair.get(ruling.one, ()):
            for other in by_pair.get(ruling.other, ()):
                groups.join(one.ref, other.ref, "a curator judged them the same", strict=False)
    for kind in NAMES:
        for _, carriers in sorted(_carriers(entries, known, kind)):
            _join_all(groups, carriers, NAMES[kind], strict=kind != "guid")
    return groups


def _join_all(groups: Groups, carriers: Sequence[Entry], reason: str, *, strict: bool) -> None:
    for other in carriers[1:]:
        groups.join(carriers[0].ref, other.ref, reason, strict=strict)


def _carriers(entries: Sequence[Entry], known: Mapping[Ref, Facts], kind: str) -> Iterator[tuple[str, list[Entry]]]:
    """Who carries each identifier; one that two entries of a version carry identifies neither."""
    carriers: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        if value := getattr(known[entry.ref], kind):
            carriers[value].append(entry)
    for value, found in carriers.items():
        by_document: dict[tuple[str, str], list[Entry]] = defaultdict(list)
        for entry in found:
            by_document[(entry.source, entry.document)].append(entry)
        twice = any(a.beside(b) for own in by_document.values() for i, a in enumerate(own) for b in own[i + 1 :])
        if len(found) > 1 and not twice:
            yield value, found
