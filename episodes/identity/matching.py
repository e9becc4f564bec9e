"""Decides which entries of a show are about the same episode: strong, medium and weak tiers over
all its evidence.

Pure, and free of the order in which documents came: documents are taken in the order of their
sources' ranks, and the entries of one document are judged side by side.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import cached_property
from itertools import islice

from rapidfuzz import fuzz

from ..fields import DAYS_AGREE
from ..records import Candidate, Matching, Ruling, SourceEntry
from .identifiers import Ref, join_unvouched, strong_groups
from .match_keys import MatchKeys, common_length
from .signals import DAYS_DOUBT, Profile, Signals, compare

BUCKET = 24  # characters of an opening that texts must share to be compared at all
PREFIXES = (
    BUCKET,
    70,
    100,
    130,
    160,
    190,
    240,
    300,
    400,
)  # characters of an opening under which a group can be found
MANY = 50  # groups under one key beyond which only a share of them is looked at
DISTINCT = 40  # characters by which an opening must outrun what other episodes share of it
NEAR_TITLE = 90  # RapidFuzz ratio from which a title is near another; it only ever proposes
BEATEN = "another entry of the same document fits it as well or better"


@dataclass(slots=True)
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


class Index:
    """Finds the placed groups that a group could belong to, without comparing it with all of
    them."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Placed, frozenset[date], Iterable[MatchKeys]]] = []
        self.by_title: dict[tuple[str, date | None], dict[int, Placed]] = defaultdict(dict)
        self.by_opening: dict[str, dict[int, Placed]] = defaultdict(dict)
        self.by_day: dict[date | None, dict[int, Placed]] = defaultdict(dict)

    def add(self, placed: Placed, known: Iterable[MatchKeys]) -> None:
        """Let a group be found from now on. What nobody looks for, as in a show of one document, is
        not looked at."""
        self.waiting.append((placed, frozenset(placed.profile.days), known))

    def _fill(self) -> None:
        for added in self.waiting:
            self._index(*added)
        self.waiting.clear()

    def _index(self, placed: Placed, days: frozenset[date], known: Iterable[MatchKeys]) -> None:
        for fact in known:
            for day in (None, *days) if fact.title else ():
                self.by_title[fact.title, day][id(placed)] = placed
                self.by_day[day][id(placed)] = placed
            for length in PREFIXES:
                if len(fact.opening) >= length:
                    self.by_opening[fact.opening[:length]][id(placed)] = placed

    def near(self, profile: Profile) -> list[Placed]:
        """Groups with an equal title or a like opening.

        A title or opening that very many share is looked up with the day, or at greater length; a
        share of the many is enough to see that it tells nothing by itself.
        """
        found: dict[int, Placed] = {}
        self._fill()
        for title in sorted(profile.titles):
            same = self.by_title.get((title, None), {})
            found |= _first(same)
            for day in _around(profile.days) if len(same) > MANY else ():
                found |= _first(self.by_title.get((title, day), {}))
        for opening in profile.openings:
            for length in PREFIXES:
                if len(opening) >= length:
                    found |= _first(self.by_opening.get(opening[:length], {}))
        return list(found.values())

    def on_days(self, profile: Profile) -> list[Placed]:
        """Groups with a day that agrees."""
        found: dict[int, Placed] = {}
        for day in _around(profile.days):
            found |= _first(self.by_day.get(day, {}))
        return list(found.values())


def _around(days: Iterable[date]) -> list[date]:
    """The days, and those so near that they agree with one of them."""
    return sorted(
        {day + timedelta(off) for day in days for off in range(-DAYS_AGREE, DAYS_AGREE + 1)}
    )


def _first(places: dict[int, Placed]) -> dict[int, Placed]:
    return dict(islice(places.items(), MANY))


def match(
    entries: Sequence[SourceEntry],
    known: Mapping[Ref, MatchKeys],
    rulings: Sequence[Ruling] = (),
    alone: Collection[tuple[str, str]] = (),
    unwanted: Collection[tuple[str, str]] = (),
) -> Matching:
    """Groups of entries, one an episode; entries held with candidates and reasons; entries that are
    left alone.

    Posts are left out of it: they never are episodes. `known` is what was read off the entries;
    `alone` are entries that a curator made episodes of their own, `unwanted` those that a curator
    wants none of, both by source and key.
    """
    ordered = sorted((e for e in entries if not e.is_post), key=lambda e: e.order)
    wanted = [e for e in ordered if e.ref[::2] not in unwanted]
    matching = _Matcher(wanted, known, rulings, frozenset(alone)).run()
    left = (e for e in ordered if e.ref[::2] in unwanted)
    return replace(matching, ignored=(*matching.ignored, *left))


class _Matcher:
    def __init__(
        self,
        entries: Sequence[SourceEntry],
        known: Mapping[Ref, MatchKeys],
        rulings: Sequence[Ruling],
        alone: frozenset[tuple[str, str]],
    ) -> None:
        self.entries = entries
        self.alone = alone
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
            join_unvouched(
                self.groups, [e for e in self.entries if not e.vouched or e.ref in self.place_of]
            )
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
                self.place_of[e.ref] for e in self.groups.of(entry.ref) if e.ref in self.place_of
            )
            if entry.ref not in self.place_of and (place := next(places, None)):
                self._add(place, [entry])
                self.reasons[entry.ref] = self.groups.reasons.get(entry.ref, ())

    def _place_document(self, entries: list[SourceEntry]) -> None:
        """Place the entries of one document against all that is placed before it, never against
        each other."""
        waiting = self._groups_of(entries)
        settled: list[Verdict] = []
        while True:
            verdicts = [self._judge(group) for group in waiting]
            taken, lost = _one_to_one([verdict for verdict in verdicts if verdict.score])
            for verdict in taken:
                self._join(verdict)
            settled += lost
            unplaced = [verdict for verdict in verdicts if not verdict.score]
            waiting = [verdict.group for verdict in unplaced]
            if not taken:
                break
        settled += unplaced
        for verdict in sorted(settled, key=lambda v: min(e.order for e in v.group)):
            self._settle(verdict)

    def _groups_of(self, entries: list[SourceEntry]) -> list[list[SourceEntry]]:
        groups = {self.groups.of(e.ref)[0].ref: self.groups.of(e.ref) for e in entries}
        return [list(group) for group in groups.values()]

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
        """Make an episode of what is not placed, hold it, or leave it alone."""
        group = verdict.group
        creators = [e for e in group if self._may_create(e)]
        if verdict.candidates:
            self._new(group, _named(verdict.candidates))
        elif any(e.vouched or self._is_alone(e) for e in creators):
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
        if any(self._is_alone(e) for e in group):
            return Verdict(group)
        profile = self.groups.profile(group)
        taken, near = self._near(group, profile)
        telling = self._telling_opening(profile, near, taken)
        good = [(p, s) for p, s in near if self._qualifies(s, p is telling)]
        if len(good) == 1 and good[0][0].held is None:
            return Verdict(group, [(good[0][0], good[0][1].reasons)], _score(good[0][1]))
        doubtful = good or [(p, s) for p, s in near if _is_doubtful(s, p is telling)]
        return Verdict(group, _ranked(doubtful or self._proposed(group, profile, taken)))

    def _near(
        self, group: list[SourceEntry], profile: Profile
    ) -> tuple[list[tuple[Placed, Signals]], list[tuple[Placed, Signals]]]:
        """The groups that an entry could belong to, with what speaks for them: those that another
        entry of its document has, and the others."""
        taken, near = [], []
        for placed in self.index.near(profile):
            if self.groups.parted(group, placed.profile.entries):
                continue
            signals = compare(profile, placed.profile)
            if self.groups.beside(group, placed.profile.entries):
                taken.append((placed, signals))
            else:
                near.append((placed, self._with_neighbours(group, placed, signals)))
        return taken, near

    def _telling_opening(
        self,
        profile: Profile,
        near: Sequence[tuple[Placed, Signals]],
        taken: Sequence[tuple[Placed, Signals]],
    ) -> Placed | None:
        """The group whose equal opening identifies it: no other episode, and no other entry of the
        page, shares it.

        Boilerplate, re-runs and parts share their openings. A text that goes on being equal well
        beyond what others share is told apart by what comes then.
        """
        best = max(near, key=lambda pair: pair[1].opening, default=None)
        if best is None or not best[1].opening:
            return None
        others = [s.opening for p, s in (*near, *taken) if p is not best[0]]
        shared = max([*others, *self._shared_on_page(profile)], default=0)
        return best[0] if not shared or shared + DISTINCT <= best[1].opening else None

    @cached_property
    def siblings(self) -> dict[tuple[str, str, str], list[SourceEntry]]:
        """The entries of each document by the beginning of their opening."""
        siblings: dict[tuple[str, str, str], list[SourceEntry]] = defaultdict(list)
        for entry in self.entries:
            beginning = self.known[entry.ref].opening[:BUCKET]
            siblings[entry.source, entry.document, beginning].append(entry)
        return siblings

    def _shared_on_page(self, profile: Profile) -> Iterator[int]:
        """The lengths of opening that other entries of the same page share; an entry that is listed
        twice does not count."""
        for entry, fact in zip(profile.entries, profile.facts, strict=True):
            key = entry.source, entry.document, fact.opening[:BUCKET]
            for other in self.siblings[key][:MANY]:
                theirs = self.known[other.ref]
                is_twice = other.ref == entry.ref or (fact.title and theirs.title == fact.title)
                if not is_twice and other.beside(entry):
                    yield common_length(fact.opening, theirs.opening)

    def _qualifies(self, signals: Signals, has_telling_opening: bool) -> bool:
        """The medium tier."""
        if signals.contradicting:
            return False
        if signals.title:
            return (bool(signals.agreeing) and not signals.by_chance) or has_telling_opening
        if not has_telling_opening:
            return False
        if not signals.exhausted:
            # Texts that go apart may share no more than a greeting: another title or another day
            # speaks against them.
            return not signals.other_title and (signals.days_apart or 0) <= DAYS_AGREE
        return not signals.other_title or bool(signals.agreeing)

    def _proposed(
        self,
        group: Sequence[SourceEntry],
        profile: Profile,
        taken: Sequence[tuple[Placed, Signals]],
    ) -> list[tuple[Placed, Signals]]:
        """Episodes that the group would fit, were not another entry of its document there already;
        else those with a near title on a day that agrees. Neither is ever more than a proposal."""
        beaten = [(p, replace(s, reasons=(*s.reasons, BEATEN))) for p, s in taken if _would_fit(s)]
        if beaten:
            return beaten
        near = []
        for placed in self.index.on_days(profile):
            there = placed.profile.entries
            is_free = not self.groups.beside(group, there) and not self.groups.parted(group, there)
            if is_free and _are_near(profile.titles, placed.profile.titles):
                signals = compare(profile, placed.profile)
                near.append((placed, replace(signals, reasons=("a near title", *signals.agreeing))))
        return [(placed, signals) for placed, signals in near if not signals.contradicting]

    # -- neighbours
    # -------------------------------------------------------------------------------------------------

    def _with_neighbours(
        self, group: Sequence[SourceEntry], placed: Placed, signals: Signals
    ) -> Signals:
        if not signals.title or signals.agreeing or signals.contradicting:
            return signals
        if any(
            self._neighbours_agree(mine, theirs)
            for mine in group
            for theirs in placed.profile.entries
        ):
            reason = "its neighbours in two lists are neighbours too"
            return replace(signals, agreeing=(reason,), reasons=(*signals.reasons, reason))
        return signals

    def _neighbours_agree(self, mine: SourceEntry, theirs: SourceEntry) -> bool:
        """True if the entries around `mine` in its list stand for the episodes around `theirs` in
        another list: before and after it, or two of either, in the same or the other direction."""
        if mine.ref not in self.place_in_list or theirs.ref not in self.place_in_list:
            return False
        document, place = self.place_in_list[mine.ref]
        other, there = self.place_in_list[theirs.ref]
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
        placed = self.place_of.get(one.ref)
        if placed is not None:
            return placed is self.place_of.get(other.ref)
        a, b = self.known[one.ref], self.known[other.ref]
        return bool(a.title) and a.title == b.title and a.digits == b.digits


def _ranked(
    doubtful: Sequence[tuple[Placed, Signals]],
) -> list[tuple[Placed, tuple[str, ...]]]:
    """Candidates, the best first."""
    ranked = sorted(doubtful, key=lambda pair: pair[0].profile.first.order)
    ranked.sort(key=lambda pair: _score(pair[1]), reverse=True)
    return [(p, (*s.reasons, *_against(s))) for p, s in ranked]


def _batches(entries: Sequence[SourceEntry]) -> Iterator[list[SourceEntry]]:
    """Entries that are judged side by side: those of a document's newest version, then those it once
    had, newest first.

    Sources that may make episodes come before those that may not: a rank decides values, not who
    belongs where.
    """
    found: dict[tuple[object, ...], list[SourceEntry]] = defaultdict(list)
    for entry in entries:
        gone = entry.gone_version
        found[(not entry.may_create, *entry.document_order, gone is not None, -(gone or 0))].append(
            entry
        )
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


def _one_to_one(verdicts: Sequence[Verdict]) -> tuple[list[Verdict], list[Verdict]]:
    """The placings that hold, and those that do not: of two entries that want one episode the
    better gets it, of equals none, and the other is held; its second best is not tried."""
    wanted: dict[int, list[Verdict]] = defaultdict(list)
    for verdict in sorted(verdicts, key=lambda verdict: verdict.score, reverse=True):
        wanted[id(verdict.candidates[0][0])].append(verdict)
    taken, lost = [], []
    for rivals in wanted.values():
        has_winner = len(rivals) == 1 or rivals[0].score > rivals[1].score
        taken += rivals[:has_winner]
        lost += rivals[has_winner:]
    return taken, [
        Verdict(rival.group, [(placed, (*reasons, BEATEN))])
        for rival in lost
        for placed, reasons in rival.candidates
    ]


def _would_fit(signals: Signals) -> bool:
    """True for an episode that would be a group's, were not another entry of its document there
    already."""
    is_whole_text = signals.exhausted and not signals.other_title
    is_titled_alike = signals.title and bool(signals.agreeing or signals.opening)
    return not signals.contradicting and (is_titled_alike or is_whole_text)


def _is_doubtful(signals: Signals, has_telling_opening: bool) -> bool:
    """Less than medium, and more than nothing: an equal title, or an opening that is this episode's
    alone."""
    different = {"different digits in the titles", "a trailer, bonus or re-run against an episode"}
    if signals.title:
        return True
    if signals.exhausted and not signals.other_title and not signals.contradicting:
        return True  # the whole text of a re-run and of its first run: one of them, but which?
    is_greeting = (
        signals.other_title
        and not signals.exhausted
        and not signals.agreeing
        and signals.days_apart is not None
    )
    return has_telling_opening and not is_greeting and not different & set(signals.contradicting)


def _against(signals: Signals) -> tuple[str, ...]:
    far = signals.days_apart
    apart = (f"dates {far} days apart",) if far is not None and far > DAYS_AGREE else ()
    doubt = ("other titles",) if signals.other_title else ()
    return (*(f"against: {reason}" for reason in (*signals.contradicting, *apart, *doubt)),)


def _score(signals: Signals) -> tuple[int, ...]:
    apart = DAYS_DOUBT if signals.days_apart is None else signals.days_apart
    return (
        int(signals.title),
        len(signals.agreeing),
        -apart,
        signals.opening,
        -len(signals.contradicting),
    )


def _are_near(one: Iterable[str], other: Iterable[str]) -> bool:
    return any(fuzz.ratio(a, b) >= NEAR_TITLE for a in one for b in other)


def _named(found: Sequence[tuple[Placed, tuple[str, ...]]]) -> tuple[Candidate, ...]:
    """Candidates by name; for a group that is held itself, those that it is held for."""
    named: dict[Ref, Candidate] = {}
    for placed, reasons in found:
        own = (
            [Candidate(placed.profile.first.ref, reasons)]
            if placed.held is None
            else list(placed.held)
        )
        for candidate in own:
            named.setdefault(candidate.ref, candidate)
    return tuple(named.values())
