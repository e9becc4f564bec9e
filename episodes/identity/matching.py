"""Decides which entries of a show are about the same episode: strong, medium and weak tiers over
all its evidence.

Pure, and free of the order in which documents came: documents are taken in the order of their
sources' ranks, and the entries of one document are judged side by side.
"""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import islice, product, starmap

from ..fields import DAYS_AGREE
from ..records import Candidate, Matching, Ruling, SourceEntry
from .identifiers import Ref, join_unvouched, strong_groups
from .match_keys import MatchKeys
from .signals import DAYS_DOUBT, EQUAL_LENGTH, Profile, Signals, compare, near_titles

BUCKET = 24  # characters of an opening that texts must share to be compared at all
MANY = 50  # groups under one key beyond which only a share of them is looked at
BESIDE = 12  # openings before and after one in the order of all that are looked at
DISTINCT = 40  # characters by which an opening must outrun what other episodes share of it
NOTHING, TAKEN, DOUBTFUL, FITS = range(4)  # what speaks for a group
NOWHERE = ("", ""), -9  # the place of an entry that its document lists no more
AGAINST = "against: "
BEATEN = "another entry of the same document fits it as well or better"


@dataclass(slots=True, eq=False)
class Placed:
    """An episode in the making, or a held group that later entries can join."""

    profile: Profile
    held: tuple[Candidate, ...] | None = None


@dataclass(slots=True)
class Verdict:
    """The judgement on a group: with one candidate that fits it goes there, with others it is
    held, without any it is new."""

    group: list[SourceEntry]
    candidates: list[tuple[Placed, tuple[str, ...]]] = field(default_factory=list)
    score: tuple[int, ...] = ()  # where the candidate fits


@dataclass(frozen=True, slots=True)
class Near:
    """A group that another one could belong to, with what speaks for it and against it."""

    placed: Placed
    signals: Signals
    is_taken: bool  # another entry of the same document is there

    @property
    def are_two(self) -> bool:
        """True for two items of one feed that are two episodes: what it lists no more does not become
        doubtful because a later item has its title."""
        signals = self.signals
        is_apart = (signals.days_apart or 0) > DAYS_AGREE and not signals.opening
        is_alike = {EQUAL_LENGTH}.issuperset(signals.agreeing)
        return (
            self.is_taken
            or bool(signals.contradicting)
            or (is_apart and is_alike)
            or signals.by_chance
        )


class Index:
    """Finds the placed groups that a group could belong to, without comparing it with all of
    them."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Placed, frozenset[date], Iterable[MatchKeys]]] = []
        self.by_title: dict[str, dict[Placed, None]] = defaultdict(dict)
        self.by_day: dict[date, dict[Placed, None]] = defaultdict(dict)
        self.by_opening: list[tuple[str, int, Placed]] = []  # sorted, each with a number

    def add(self, placed: Placed, known: Iterable[MatchKeys]) -> None:
        """Let a group be found from now on. What nobody looks for, as in a show of one document, is
        not looked at."""
        self.waiting.append((placed, frozenset(placed.profile.days), known))

    def _fill(self) -> None:
        for placed, days, known in self.waiting:
            for day in days:
                self.by_day[day][placed] = None
            for fact in known:
                self.by_title[fact.title][placed] = None
                self.by_opening.append((fact.opening, len(self.by_opening), placed))
        if self.waiting:
            self.by_opening.sort()
        self.waiting.clear()

    def near(self, profile: Profile) -> list[Placed]:
        """Groups with an equal title, a like opening, or a near title on a day that agrees.

        Of those whose title very many share, it is those of the day, and a share of the others, which
        is enough to see that it tells nothing by itself.
        """
        self._fill()
        days = {
            day + timedelta(n) for day in profile.days for n in range(-DAYS_AGREE, DAYS_AGREE + 1)
        }
        found: dict[Placed, None] = {}
        for title in sorted(profile.titles):
            found |= dict.fromkeys(islice(self.by_title.get(title, {}), MANY))
        for day in sorted(days):
            alike = (p for p in self.by_day.get(day, {}) if near_titles(profile, p.profile))
            found |= dict.fromkeys(islice(alike, MANY))
        for opening in sorted(profile.openings):
            found |= dict.fromkeys(self._like(opening))
        return list(found)

    def _like(self, opening: str) -> list[Placed]:
        """Groups with an opening that begins so: of many those that share most of it."""
        if len(opening) < BUCKET:
            return []
        place = bisect(self.by_opening, (opening,))
        beside = self.by_opening[max(0, place - BESIDE) : place + BESIDE]
        return [placed for text, _, placed in beside if text.startswith(opening[:BUCKET])]


def match(
    entries: Sequence[SourceEntry],
    known: Mapping[Ref, MatchKeys],
    rulings: Sequence[Ruling] = (),
    alone: Collection[tuple[str, str]] = (),
    unwanted: Collection[tuple[str, str]] = (),
    apart: Collection[tuple[str, str]] = (),
) -> Matching:
    """Groups of entries, one an episode; entries held with candidates and reasons; entries that are
    left alone.

    Posts are left out of it, as they never are episodes, and transcripts (brought.py). `known` is
    what was read off the entries; `alone` are entries that a curator made episodes of their own,
    `unwanted` those that a curator wants none of, both by source and key. Those `apart` join
    nothing, however sure it is.
    """
    judged = (e for e in entries if not (e.is_post or e.is_transcript))
    ordered = sorted(judged, key=lambda e: e.order)
    wanted = [e for e in ordered if e.ref[::2] not in unwanted]
    matching = _Matcher(wanted, known, rulings, frozenset(alone), frozenset(apart)).run()
    left = (e for e in ordered if e.ref[::2] in unwanted)
    return replace(matching, ignored=(*matching.ignored, *left))


class _Matcher:
    def __init__(
        self,
        entries: Sequence[SourceEntry],
        known: Mapping[Ref, MatchKeys],
        rulings: Sequence[Ruling],
        alone: frozenset[tuple[str, str]],
        apart: frozenset[tuple[str, str]],
    ) -> None:
        self.entries = entries
        self.alone = alone
        self.apart = apart
        self.known = known
        self.groups = strong_groups(entries, self.known, rulings)
        self.reasons: dict[Ref, tuple[str, ...]] = dict(self.groups.reasons)
        self.placed: list[Placed] = []
        self.place_of: dict[Ref, Placed] = {}
        self.index = Index()
        self.ignored: list[SourceEntry] = []
        self.listed = _listed(entries)
        self.place_in_list = {entry.ref: place for place, entry in self.listed.items()}

    def run(self) -> Matching:
        unvouched = [e for e in self.entries if not e.vouched]
        self._place([e for e in self.entries if e.vouched])
        if unvouched:  # they come last, so that they decide about nothing else
            placed = [e for e in self.entries if e.ref in self.place_of]
            join_unvouched(self.groups, sorted([*placed, *unvouched], key=lambda e: e.order))
            self._follow(unvouched)
            self._place(unvouched)
        held = [(e, p.held) for p in self.placed if p.held is not None for e in p.profile.entries]
        return Matching(
            groups=tuple(
                tuple(sorted(p.profile.entries, key=lambda e: e.order))
                for p in self.placed
                if p.held is None
            ),
            held=tuple(sorted(held, key=lambda pair: pair[0].order)),
            ignored=tuple(self.ignored),
            reasons=self.reasons,
        )

    def _place(self, entries: Sequence[SourceEntry]) -> None:
        for document in _batches(entries):
            self._place_document([e for e in document if e.ref not in self.place_of])

    def _follow(self, unvouched: Iterable[SourceEntry]) -> None:
        """Put each of these where one that it shares an identifier with is."""
        for entry in unvouched:
            places = (
                self.place_of[e.ref]
                for e in self.groups.group_of[entry.ref]
                if e.ref in self.place_of
            )
            if entry.ref not in self.place_of and (place := next(places, None)):
                self._add(place, [entry])
                self.reasons[entry.ref] = self.groups.reasons.get(entry.ref, ())

    def _place_document(self, entries: list[SourceEntry]) -> None:
        """Place the entries of one document against all that is placed before it, never against
        each other."""
        waiting = self.groups.of(entries)
        taken = [Verdict([])]
        while taken:
            verdicts = [self._judge(group) for group in waiting]
            taken = _winners(verdict for verdict in verdicts if verdict.score)
            for verdict in taken:
                self._join(verdict)
            waiting = [group for group in waiting if group[0].ref not in self.place_of]
        for verdict in sorted(verdicts, key=lambda v: min(e.order for e in v.group)):
            self._settle(verdict)

    def _join(self, verdict: Verdict) -> None:
        ((placed, reasons),) = verdict.candidates
        self._add(placed, verdict.group)
        for entry in verdict.group:
            self.reasons[entry.ref] = self.reasons.get(entry.ref, ()) + reasons

    def _add(self, placed: Placed, group: Sequence[SourceEntry]) -> None:
        known = [self.known[e.ref] for e in group]
        placed.profile = Profile([*placed.profile.entries, *group], [*placed.profile.facts, *known])
        self.index.add(placed, known)
        for entry in group:
            self.place_of[entry.ref] = placed

    def _settle(self, verdict: Verdict) -> None:
        """Make an episode of what is not placed, hold it, or leave it alone. No doubt holds what a
        curator made an episode of its own."""
        group, is_alone = verdict.group, any(map(self._is_alone, verdict.group))
        creators = [e for e in group if self._may_create(e)]
        if verdict.candidates and not is_alone:
            self._new(group, _named(verdict))
        elif is_alone or any(e.vouched for e in creators):
            self._new(group, None)
        elif creators or any(e.said.show for e in group):
            self._new(group, ())
        else:
            self.ignored.extend(group)

    def _may_create(self, entry: SourceEntry) -> bool:
        return (entry.may_create and not self.known[entry.ref].empty) or self._is_alone(entry)

    def _new(self, group: Sequence[SourceEntry], held: tuple[Candidate, ...] | None) -> None:
        placed = Placed(Profile([], []), held)
        self.placed.append(placed)
        self._add(placed, group)

    # -- judging one group
    # ------------------------------------------------------------------------------------------

    def _is_alone(self, entry: SourceEntry) -> bool:
        return entry.ref[::2] in self.alone

    def _judge(self, group: list[SourceEntry]) -> Verdict:
        if not self.apart.isdisjoint(entry.ref[::2] for entry in group):
            return Verdict(group)
        near = self._near(group)
        telling = _telling_opening(near)
        weights = [_weight(one, one.placed is telling) for one in near]
        best = max(weights, default=NOTHING)
        found = [one for one, own in zip(near, weights, strict=True) if own == best > NOTHING]
        if best == FITS and len(found) == 1 and found[0].placed.held is None:
            signals = found[0].signals
            return Verdict(group, [(found[0].placed, signals.reasons)], _score(signals))
        found.sort(key=lambda one: one.placed.profile.first.order)
        found.sort(key=lambda one: _score(one.signals), reverse=True)
        beaten = (BEATEN,) if best == TAKEN else ()
        reasons = [(*one.signals.reasons, *beaten, *against(one.signals)) for one in found]
        return Verdict(group, [(one.placed, own) for one, own in zip(found, reasons, strict=True)])

    def _near(self, group: Sequence[SourceEntry]) -> list[Near]:
        """The groups that an entry could belong to, with what speaks for them."""
        profile, near = self.groups.profile(group), []
        for placed in self.index.near(profile):
            there = placed.profile.entries
            if not self.groups.parted(group, there):
                is_taken = self.groups.beside(group, there)
                signals = compare(profile, placed.profile)
                lists = () if is_taken else self._neighbours(group, there, signals)
                agreeing, reasons = (*signals.agreeing, *lists), (*signals.reasons, *lists)
                signals = replace(signals, agreeing=agreeing, reasons=reasons)
                one = Near(placed, signals, is_taken)
                if not (self._are_items(group, there) and one.are_two):
                    near.append(one)
        return near

    def _are_items(self, group: Sequence[SourceEntry], there: Sequence[SourceEntry]) -> bool:
        """True if a document that makes episodes listed an entry of each, and lists the first no
        more."""
        gone = (e for e in group if e.gone_version is not None and self._may_create(e))
        documents = {e.ref[:2] for e in gone}
        return any(e.ref[:2] in documents for e in there)

    # -- neighbours
    # ----------------------------------------------------------------------------------------------

    def _neighbours(
        self, group: Sequence[SourceEntry], there: Sequence[SourceEntry], signals: Signals
    ) -> tuple[str, ...]:
        """A reason, where only a title is equal and lists tell more."""
        is_open = signals.title and not signals.agreeing and not signals.contradicting
        if is_open and any(starmap(self._neighbours_agree, product(group, there))):
            return ("its neighbours in two lists are neighbours too",)
        return ()

    def _neighbours_agree(self, mine: SourceEntry, theirs: SourceEntry) -> bool:
        """True if the entries around `mine` in its list stand for the episodes around `theirs` in
        another list: before and after it, or two of either, in the same or the other direction."""
        document, place = self.place_in_list.get(mine.ref, NOWHERE)
        other, there = self.place_in_list.get(theirs.ref, NOWHERE)
        return any(
            all(
                self._stand_for_one(
                    self.listed.get((document, place + step)),
                    self.listed.get((other, there + way * step)),
                )
                for step in steps
            )
            for steps in ((-1, 1), (1, 2), (-1, -2))
            for way in (1, -1)
        )

    def _stand_for_one(self, one: SourceEntry | None, other: SourceEntry | None) -> bool:
        """The same episode already, or equal titles that nothing else in their lists bears."""
        if one is None or other is None:
            return False
        if placed := self.place_of.get(one.ref):
            return placed is self.place_of.get(other.ref)
        a, b = self.known[one.ref], self.known[other.ref]
        return (a.title, a.digits) == (b.title, b.digits) != ("", ())


def _telling_opening(near: Sequence[Near]) -> Placed | None:
    """The group whose equal opening identifies it, since no other episode shares it.

    Boilerplate, re-runs and parts share their openings. A text that goes on being equal well beyond
    what others share is told apart by what comes then.
    """
    free = [one for one in near if one.signals.opening and not one.is_taken]
    if not free:
        return None
    best = max(free, key=lambda one: one.signals.opening)
    shared = max((one.signals.opening for one in near if one is not best), default=0)
    is_apart = not shared or shared + DISTINCT <= best.signals.opening
    return best.placed if is_apart else None


def _weight(one: Near, has_telling_opening: bool) -> int:
    """The weight of what speaks for one group: it fits, it may be meant, or it would fit were not
    another entry of the document there already."""
    signals = one.signals
    may_be = signals.proposes and not signals.contradicting
    if one.is_taken:
        return TAKEN if may_be else NOTHING
    if not signals.contradicting and _fits(signals, has_telling_opening):
        return FITS
    is_doubtful = signals.title or may_be or (has_telling_opening and not signals.is_another)
    return DOUBTFUL if is_doubtful else NOTHING


def _fits(signals: Signals, has_telling_opening: bool) -> bool:
    """The medium tier."""
    if signals.title:
        return has_telling_opening or (bool(signals.agreeing) and not signals.by_chance)
    if signals.exhausted:
        return has_telling_opening and (not signals.other_title or bool(signals.agreeing))
    # Texts that go apart may share no more than a greeting: another title or another day speaks
    # against them.
    is_alike = not signals.other_title and (signals.days_apart or 0) <= DAYS_AGREE
    return has_telling_opening and is_alike


def _batches(entries: Sequence[SourceEntry]) -> Iterator[list[SourceEntry]]:
    """Entries that are judged side by side: those of a document's newest version, then those it once
    had, newest first.

    Sources that may make episodes come before those that may not: a rank decides values, not who
    belongs where.
    """
    found: dict[tuple[object, ...], list[SourceEntry]] = defaultdict(list)
    for entry in entries:
        found[not entry.may_create, *entry.version_order].append(entry)
    for key in sorted(found):
        yield found[key]


def _listed(
    entries: Sequence[SourceEntry],
) -> dict[tuple[tuple[str, str], int], SourceEntry]:
    """The entries that documents list now, by document and place."""
    lists: dict[tuple[str, str], list[SourceEntry]] = defaultdict(list)
    for entry in sorted(entries, key=lambda e: (e.position, e.key)):
        if entry.gone_version is None:
            lists[entry.source, entry.document].append(entry)
    return {(doc, place): e for doc, listed in lists.items() for place, e in enumerate(listed)}


def _winners(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """The placings that hold: of two entries that want one episode the better gets it, of equals
    none. The other is judged anew; its second best is not tried."""
    wanted: dict[Placed, list[Verdict]] = defaultdict(list)
    for verdict in sorted(verdicts, key=lambda verdict: verdict.score, reverse=True):
        wanted[verdict.candidates[0][0]].append(verdict)
    return [
        rivals[0]
        for rivals in wanted.values()
        if len(rivals) == 1 or rivals[0].score > rivals[1].score
    ]


def against(signals: Signals) -> list[str]:
    """The signals against one episode, in words."""
    far = signals.days_apart or 0
    said = dict.fromkeys(signals.contradicting, True)
    said |= {f"dates {far} days apart": far > DAYS_AGREE, "other titles": signals.other_title}
    return [f"{AGAINST}{reason}" for reason, holds in said.items() if holds]


def _score(signals: Signals) -> tuple[int, ...]:
    apart = DAYS_DOUBT if signals.days_apart is None else signals.days_apart
    return (
        int(signals.title),
        len(signals.agreeing),
        -apart,
        signals.opening,
        -len(signals.contradicting),
    )


def _named(verdict: Verdict) -> tuple[Candidate, ...]:
    """Candidates by name; for a group that is held itself, those that it is held for."""
    named: dict[Ref, Candidate] = {}
    for placed, reasons in verdict.candidates:
        told = (*reasons, BEATEN) if verdict.score else reasons
        own = placed.held
        for candidate in (Candidate(placed.profile.first.ref, told),) if own is None else own:
            named.setdefault(candidate.ref, candidate)
    return tuple(named.values())
