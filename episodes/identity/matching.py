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
from ..records import Candidate, Matching, Ruling, Show, SourceEntry
from ..text.normalize import words
from .identifiers import Ref, join_unvouched, strong_groups
from .match_keys import MatchKeys, common_length, match_keys
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
RARE = 30  # episodes up to which a word of a title is rare enough to look for near titles by it


@dataclass(slots=True)
class Placed:
    """An episode in the making, or a held group that later entries can join."""

    profile: Profile
    held: tuple[Candidate, ...] | None = None


@dataclass(slots=True)
class Verdict:
    """What is to become of a group: a place, or candidates to be held with, or nothing (`new`)."""

    group: list[SourceEntry]
    place: Placed | None = None
    score: tuple[int, ...] = ()
    reasons: tuple[str, ...] = ()
    candidates: list[tuple[Placed, tuple[str, ...]]] = field(default_factory=list)


class Index:
    """Finds the placed groups that a group could belong to, without comparing it with all of
    them."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Placed, frozenset[date], Iterable[MatchKeys]]] = []
        self.by_title: dict[tuple[str, date | None], dict[int, Placed]] = defaultdict(dict)
        self.by_opening: dict[str, dict[int, Placed]] = defaultdict(dict)
        self.by_word: dict[str, dict[int, Placed]] = defaultdict(dict)

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
            for word in set(words(fact.title)):
                self.by_word[word][id(placed)] = placed
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
        if not (self.by_title or self.by_opening):
            return []
        for title in sorted(profile.titles):
            same = self.by_title.get((title, None), {})
            found |= same if len(same) <= MANY else _first(same)
            for day in _around(profile.days) if len(same) > MANY else ():
                found |= _first(self.by_title.get((title, day), {}))
        for opening in profile.openings:
            for length in PREFIXES:
                if len(opening) >= length:
                    found |= _first(self.by_opening.get(opening[:length], {}))
        return list(found.values())

    def alike(self, profile: Profile) -> list[Placed]:
        """Groups that share a rare word with the title."""
        found: dict[int, Placed] = {}
        self._fill()
        for word in sorted(
            {word for title in profile.titles for word in words(title)} if self.by_word else ()
        ):
            sharing = self.by_word.get(word, {})
            found |= sharing if len(sharing) <= RARE else {}
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
    show: Show,
    rulings: Sequence[Ruling] = (),
    alone: Collection[tuple[str, str]] = (),
    unwanted: Collection[tuple[str, str]] = (),
    known: Mapping[Ref, MatchKeys] | None = None,
) -> Matching:
    """Groups of entries, one an episode; entries held with candidates and reasons; entries that are
    left alone.

    Posts are left out of it: they never are episodes. `alone` are entries that a curator made
    episodes of their own, `unwanted` those that a curator wants none of, both by source and key.
    `known` is what was read off them already.
    """
    ordered = sorted((e for e in entries if not e.is_post), key=lambda e: e.order)
    wanted = [e for e in ordered if e.ref[::2] not in unwanted]
    matching = _Matcher(
        wanted, known or {e.ref: match_keys(e, show) for e in wanted}, rulings, frozenset(alone)
    ).run()
    left = tuple(e for e in ordered if e.ref[::2] in unwanted)
    return replace(matching, ignored=(*matching.ignored, *left)) if left else matching


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
        self.lists = _lists(entries)
        self.where = {
            entry.ref: (document, place)
            for document, found in self.lists.items()
            for place, entry in enumerate(found)
        }

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
            taken, lost = _one_to_one(verdicts)
            for verdict in taken:
                self._join(verdict)
            settled += lost
            unplaced = [verdict for verdict in verdicts if verdict.place is None]
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
        if verdict.place is None:
            return
        self._add(verdict.place, verdict.group)
        for entry in verdict.group:
            self.reasons[entry.ref] = self.reasons.get(entry.ref, ()) + verdict.reasons

    def _add(self, placed: Placed, group: Sequence[SourceEntry]) -> None:
        known = [self.known[e.ref] for e in group]
        placed.profile = Profile([*placed.profile.entries, *group], [*placed.profile.facts, *known])
        self.index.add(placed, known)
        for entry in group:
            self.place_of[entry.ref] = placed

    def _settle(self, verdict: Verdict) -> None:
        """What is not placed becomes an episode, is held, or is left alone."""
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
        profile = Profile(group, [self.known[e.ref] for e in group])
        taken, near = self._near(group, profile)
        openings = self._openings_that_count(profile, near, taken)
        good = [(p, s) for p, s in near if self._qualifies(p, s, openings)]
        if len(good) == 1:
            return _placing(group, *good[0])
        doubtful = good or [(p, s) for p, s in near if _doubtful(p, s, openings)]
        return _held(
            group,
            doubtful or list(self._beaten(profile, taken)) or list(self._fuzzy(group, profile)),
        )

    def _near(
        self, group: list[SourceEntry], profile: Profile
    ) -> tuple[list[Placed], list[tuple[Placed, Signals]]]:
        """The groups that an entry could belong to: those that another entry of its document has,
        and the others with what speaks for them."""
        taken, near = [], []
        for placed in self.index.near(profile):
            if self.groups.parted(group, placed.profile.entries):
                continue
            if self.groups.beside(group, placed.profile.entries):
                taken.append(placed)
            else:
                near.append(
                    (placed, self._with_neighbours(group, placed, compare(profile, placed.profile)))
                )
        return taken, near

    def _beaten(
        self, profile: Profile, taken: Sequence[Placed]
    ) -> Iterator[tuple[Placed, Signals]]:
        """Episodes that this group would fit, were not another entry of the same document there
        already."""
        for placed in taken:
            signals = compare(profile, placed.profile)
            whole = signals.exhausted and not signals.other_title
            if not signals.contradicting and (
                (signals.title and (signals.agreeing or signals.opening)) or whole
            ):
                yield placed, replace(signals, reasons=(*signals.reasons, BEATEN))

    def _free(self, group: Sequence[SourceEntry], placed: Placed) -> bool:
        """True if no document lists both, and no curator parted them."""
        there = placed.profile.entries
        return not self.groups.beside(group, there) and not self.groups.parted(group, there)

    def _openings_that_count(
        self, profile: Profile, near: Sequence[tuple[Placed, Signals]], taken: Sequence[Placed]
    ) -> set[int]:
        """The groups whose equal opening identifies them: no other episode, and no other entry of
        the page, shares it.

        Boilerplate, re-runs and parts share their openings. A text that goes on being equal well
        beyond what others share is told apart by what comes then.
        """
        lengths = {id(p): s.opening for p, s in near if s.opening}
        if not lengths:
            return set()
        others = [s.opening for s in (compare(profile, p.profile) for p in taken) if s.opening]
        best = max(lengths, key=lambda key: lengths[key])
        rest = (
            [length for key, length in lengths.items() if key != best]
            + others
            + self._shared_on_page(profile)
        )
        alone = not rest or max(rest) + DISTINCT <= lengths[best]
        return {best} if alone else set()

    @cached_property
    def siblings(self) -> dict[tuple[str, str], dict[str, list[SourceEntry]]]:
        """The entries of each document by the beginning of their opening."""
        found: dict[tuple[str, str], dict[str, list[SourceEntry]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for entry in self.entries:
            opening = self.known[entry.ref].opening
            if len(opening) >= BUCKET:
                found[(entry.source, entry.document)][opening[:BUCKET]].append(entry)
        return found

    def _shared_on_page(self, profile: Profile) -> list[int]:
        """How much of the opening each other entry of the same page shares; an entry that is listed
        twice does not count."""
        shared = []
        for entry, fact in zip(profile.entries, profile.facts, strict=True):
            for other in self.siblings[(entry.source, entry.document)].get(
                fact.opening[:BUCKET], ()
            )[:50]:
                theirs = self.known[other.ref]
                if (
                    other.beside(entry)
                    and other.ref != entry.ref
                    and (not fact.title or theirs.title != fact.title)
                ):
                    shared.append(common_length(fact.opening, theirs.opening))
        return shared

    def _qualifies(self, placed: Placed, signals: Signals, openings: set[int]) -> bool:
        """The medium tier."""
        if signals.contradicting:
            return False
        if signals.title:
            return (bool(signals.agreeing) and not signals.by_chance) or id(placed) in openings
        if id(placed) not in openings:
            return False
        apart = signals.days_apart
        if not signals.exhausted:
            # Texts that go apart may share no more than a greeting: another title or another day
            # speaks against them.
            return not signals.other_title and (apart is None or apart <= DAYS_AGREE)
        return not signals.other_title or bool(signals.agreeing)

    def _fuzzy(
        self, group: Sequence[SourceEntry], profile: Profile
    ) -> Iterator[tuple[Placed, Signals]]:
        """Near titles with another agreeing signal: never more than a proposal."""
        for placed in self.index.alike(profile):
            if self._free(group, placed) and _near(profile.titles, placed.profile.titles):
                signals = compare(profile, placed.profile)
                if signals.agreeing and not signals.contradicting:
                    yield (
                        placed,
                        Signals(
                            agreeing=signals.agreeing, reasons=("a near title", *signals.agreeing)
                        ),
                    )

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
        another list."""
        if mine.ref not in self.where or theirs.ref not in self.where:
            return False
        (document, place), (other_document, other_place) = (
            self.where[mine.ref],
            self.where[theirs.ref],
        )
        if document == other_document:
            return False
        # Two that stand around it, before it or after it, in a list of the same or of the other
        # direction.
        return any(
            all(
                self._at(document, place + step, other_document, other_place + way * step)
                for step in steps
            )
            for steps in ((-1, 1), (1, 2), (-1, -2))
            for way in (1, -1)
        )

    def _at(
        self,
        document: tuple[str, str],
        place: int,
        other_document: tuple[str, str],
        other_place: int,
    ) -> bool:
        """True if two places in two lists stand for one episode."""
        here, there = self.lists[document], self.lists[other_document]
        inside = 0 <= place < len(here) and 0 <= other_place < len(there)
        return inside and self._stand_for_one(here[place], there[other_place])

    def _stand_for_one(self, one: SourceEntry, other: SourceEntry) -> bool:
        """The same episode already, or equal titles that nothing else in their lists bears."""
        placed = self.place_of.get(one.ref)
        if placed is not None:
            return placed is self.place_of.get(other.ref)
        a, b = self.known[one.ref], self.known[other.ref]
        return bool(a.title) and a.title == b.title and a.digits == b.digits


def _placing(group: list[SourceEntry], placed: Placed, signals: Signals) -> Verdict:
    """The place of a group that fits one other; with one that is held it is held, too."""
    if placed.held is None:
        return Verdict(group, placed, _score(signals), signals.reasons)
    return Verdict(group, candidates=[(placed, signals.reasons)])


def _held(group: list[SourceEntry], doubtful: Iterable[tuple[Placed, Signals]]) -> Verdict:
    """A group with its candidates, the best first; without any it is new."""
    ranked = sorted(doubtful, key=lambda pair: pair[0].profile.first.order)
    ranked.sort(key=lambda pair: _score(pair[1]), reverse=True)
    return Verdict(group, candidates=[(p, (*s.reasons, *_against(s))) for p, s in ranked])


def _batches(entries: Sequence[SourceEntry]) -> Iterator[list[SourceEntry]]:
    """What is judged side by side: the entries of a document's newest version, then those it once
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


def _lists(entries: Sequence[SourceEntry]) -> dict[tuple[str, str], list[SourceEntry]]:
    lists: dict[tuple[str, str], list[SourceEntry]] = defaultdict(list)
    for entry in entries:
        if entry.gone_version is None:
            lists[(entry.source, entry.document)].append(entry)
    return {
        document: sorted(found, key=lambda e: (e.position, e.key))
        for document, found in lists.items()
    }


def _one_to_one(verdicts: Sequence[Verdict]) -> tuple[list[Verdict], list[Verdict]]:
    """The placings that hold, and those that do not: of two entries that want one episode the
    better gets it, of equals none, and the other is held; its second best is not tried."""
    wanted: dict[int, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        if verdict.place is not None:
            wanted[id(verdict.place)].append(verdict)
    taken, lost = [], []
    for rivals in wanted.values():
        best = max(rival.score for rival in rivals)
        winners = [rival for rival in rivals if rival.score == best]
        for rival in rivals:
            if len(winners) == 1 and rival is winners[0]:
                taken.append(rival)
            elif rival.place is not None:
                lost.append(
                    Verdict(rival.group, candidates=[(rival.place, (*rival.reasons, BEATEN))])
                )
    return taken, lost


def _doubtful(placed: Placed, signals: Signals, openings: set[int]) -> bool:
    """Less than medium, and more than nothing: an equal title, or an opening that is this episode's
    alone."""
    different = {"different digits in the titles", "a trailer, bonus or re-run against an episode"}
    if signals.title:
        return True
    if signals.exhausted and not signals.other_title and not signals.contradicting:
        return True  # the whole text of a re-run and of its first run: one of them, but which?
    greeting = (
        signals.other_title
        and not signals.exhausted
        and not signals.agreeing
        and signals.days_apart is not None
    )
    return id(placed) in openings and not greeting and not different & set(signals.contradicting)


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


def _near(one: Iterable[str], other: Iterable[str]) -> bool:
    return any(
        fuzz.ratio(a, b) >= NEAR_TITLE or _begins(a, b) or _begins(b, a) for a in one for b in other
    )


def _begins(short: str, long: str) -> bool:
    return len(short.split()) >= 2 and long.startswith(short + " ")


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
