"""Decides which entries of a show are about the same episode: strong, medium and weak tiers over
all its evidence.

Pure, and free of the order in which documents came: documents are taken in the order of their
sources' ranks, and the entries of one document are judged side by side.
"""

from __future__ import annotations

from bisect import bisect, insort
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import islice

from ..fields import DAYS_AGREE
from ..records import UNDECIDED, Candidate, Decisions, Matching, SourceEntry
from .match_keys import MIN_WHOLE_TITLE, NAMES, MatchKeys, marked
from .signals import (
    DAYS_DOUBT,
    EQUAL_LENGTH,
    Profile,
    Ref,
    Signals,
    compare,
    days_around,
    near_titles,
    strong_groups,
)

BUCKET = 24  # characters of an opening that texts must share to be compared at all
MANY = 50  # groups under one key beyond which only a share of them is looked at
BESIDE = 12  # openings before and after one in the order of all that are looked at
DISTINCT = 40  # characters by which an opening must outrun what other episodes share of it
NOTHING, TAKEN, DOUBTFUL, FITS = range(4)  # what speaks for a group
AGAINST = "against: "
BEATEN = "another entry of the same document fits it as well or better"


@dataclass(slots=True, eq=False)
class Placed:
    """An episode in the making, or a held group that later entries can join."""

    profile: Profile
    held: tuple[Candidate, ...] | None = None

    def is_meant_by(self, other: Placed) -> bool:
        """True for itself, and for what is held for this episode alone."""
        own = {entry.ref for entry in self.profile.entries}
        return other is self or bool(other.held and own.issuperset(c.ref for c in other.held))


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

    def weight(self, telling: Placed | None) -> int:
        """The weight of what speaks for it: it fits, it may be meant, or it would fit were not
        another entry of the document there already. `telling` is the group that an equal opening
        identifies."""
        signals, is_telling = self.signals, self.placed is telling
        may_be = signals.proposes and not signals.contradicting
        if self.is_taken:
            return TAKEN if may_be else NOTHING
        if signals.fits(is_telling):
            return FITS
        is_doubtful = signals.title or may_be or (is_telling and not signals.is_another)
        return DOUBTFUL if is_doubtful else NOTHING


class Index:
    """Finds the placed groups that a group could belong to, without comparing it with all of
    them."""

    def __init__(self) -> None:
        self.by_title: dict[str, dict[Placed, None]] = defaultdict(dict)
        self.by_day: dict[date | None, dict[Placed, None]] = defaultdict(dict)
        self.by_opening: list[tuple[str, int, Placed]] = []  # sorted, each with a number
        self.waiting: list[tuple[Placed, list[MatchKeys]]] = []  # groups with what is new of them

    def update(self) -> None:
        """Let be found what waits. What the last document brings never does, which spares a show of
        one feed the reading."""
        for placed, known in self.waiting:
            for fact in known:
                self.by_title[fact.title][placed] = None
                self.by_day[fact.day][placed] = None
                insort(self.by_opening, (fact.opening, len(self.by_opening), placed))
        self.waiting.clear()

    def near(self, profile: Profile) -> Iterable[Placed]:
        """Groups with an equal title, a like opening, or a near title on a day that agrees.

        Of those whose title very many share, it is those of the day, and a share of the others, which
        is enough to see that it tells nothing by itself; of openings those that share most.
        """
        found: dict[Placed, None] = {}
        if not self.by_day:
            return found
        # Sorted, here and below: sets have another order in every process, and the first of many
        # are taken.
        for title in sorted(profile.titles):
            found |= dict.fromkeys(islice(self.by_title[title], MANY))
        for day in sorted(days_around(profile.days)):
            # A near title alone would have to be compared with every title of the show.
            alike = (p for p in self.by_day[day] if near_titles(profile, p.profile))
            found |= dict.fromkeys(islice(alike, MANY))
        for opening in sorted(profile.openings):
            place = bisect(self.by_opening, (opening,))
            # In their order equal beginnings are neighbours, so a few on both sides are enough.
            beside = self.by_opening[max(0, place - BESIDE) : place + BESIDE]
            found |= {p: None for text, _, p in beside if text.startswith(opening[:BUCKET])}
        return found


def match(
    entries: Sequence[SourceEntry],
    known: Mapping[Ref, MatchKeys],
    decisions: Decisions = UNDECIDED,
) -> Matching:
    """Groups of entries, one an episode; entries held with candidates and reasons; entries that are
    left alone.

    Posts are left out of it, as they never are episodes, and transcripts (brought.py). `known` is
    what was read off the entries.
    """
    ordered = sorted((e for e in entries if e.is_listed), key=lambda e: e.order)
    wanted = [e for e in ordered if e.ref[::2] not in decisions.unwanted]
    matcher = _Matcher(wanted, known, decisions)
    for batch in _batches(wanted):
        matcher.place(batch)
    episodes = (p.profile for p in matcher.placed if p.held is None)
    held = [(e, p.held) for p in matcher.placed if p.held is not None for e in p.profile.entries]
    return Matching(
        groups=tuple(tuple(sorted(own.entries, key=lambda e: e.order)) for own in episodes),
        held=tuple(sorted(held, key=lambda pair: pair[0].order)),
        ignored=tuple(e for e in ordered if e.ref not in matcher.place_of),
        reasons=matcher.reasons,
    )


class _Matcher:
    def __init__(
        self,
        entries: Sequence[SourceEntry],
        known: Mapping[Ref, MatchKeys],
        decisions: Decisions,
    ) -> None:
        self.known, self.decisions = known, decisions
        self.groups = strong_groups(entries, known, decisions.rulings)
        self.reasons: dict[Ref, tuple[str, ...]] = dict(self.groups.reasons)
        self.placed: list[Placed] = []
        self.place_of: dict[Ref, Placed] = {}
        self.index = Index()

    def place(self, batch: Sequence[SourceEntry]) -> None:
        """Place the entries of one document against all that is placed before it, never against
        each other."""
        # An identifier may have placed some of them with entries of an earlier document already.
        waiting = self.groups.of(e for e in batch if e.ref not in self.place_of)
        winners = [Verdict([])]
        while winners:
            self.index.update()
            verdicts = [self._judge(group) for group in waiting]
            # What is placed changes the others' chances: an episode is taken.
            winners = _winners(verdicts)
            for verdict in winners:
                ((placed, reasons),) = verdict.candidates
                self._add(placed, verdict.group)
                for entry in verdict.group:
                    self.reasons[entry.ref] = self.reasons.get(entry.ref, ()) + reasons
            waiting = [group for group in waiting if group[0].ref not in self.place_of]
        for verdict in verdicts:
            self._settle(verdict)

    def _settle(self, verdict: Verdict) -> None:
        """Make an episode of what is not placed, hold it, or leave it alone. No doubt holds what a
        curator made an episode of its own."""
        group = verdict.group
        is_alone = not self.decisions.alone.isdisjoint(_keys(group))
        creators = [e for e in group if self._may_create(e)]
        if verdict.candidates and not is_alone:
            self._new(group, _named(verdict))
        elif is_alone or any(e.vouched for e in creators):
            self._new(group, None)
        # A line of a page that makes no episodes and names no show may be anything: it is left
        # alone.
        elif creators or any(e.said.show for e in group):
            self._new(group, ())

    def _may_create(self, entry: SourceEntry) -> bool:
        return entry.may_create and not self.known[entry.ref].empty

    def _new(self, group: Sequence[SourceEntry], held: tuple[Candidate, ...] | None) -> None:
        self.placed.append(Placed(Profile([], []), held))
        self._add(self.placed[-1], group)

    def _add(self, placed: Placed, group: Sequence[SourceEntry]) -> None:
        known = [self.known[e.ref] for e in group]
        placed.profile = Profile([*placed.profile.entries, *group], [*placed.profile.facts, *known])
        self.index.waiting.append((placed, known))
        self.place_of |= {entry.ref: placed for entry in group}

    # -- judging one group -------------------------------------------------------------------------

    def _judge(self, group: list[SourceEntry]) -> Verdict:
        # A curator's episode of its own may be joined later, and joins nothing itself.
        near = self._near(group) if self.decisions.apart.isdisjoint(_keys(group)) else []
        telling = _telling_opening(near)
        weights = [one.weight(telling) for one in near]
        best = max([NOTHING + 1, *weights])
        found = [one for one, own in zip(near, weights, strict=True) if own == best]
        episode = next((one for one in found if one.placed.held is None), None)
        # An entry that waits for want of a second sign keeps no other one from its episode.
        if (
            best == FITS
            and episode
            and all(episode.placed.is_meant_by(one.placed) for one in found)
        ):
            signals = episode.signals
            return Verdict(group, [(episode.placed, signals.reasons)], _score(signals))
        # Both sorts are stable: of equal scores the episode that is listed first comes first.
        found.sort(key=lambda one: one.placed.profile.first.order)
        found.sort(key=lambda one: _score(one.signals), reverse=True)
        beaten = [BEATEN] * (best == TAKEN)
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
                is_title_alone = not (signals.agreeing or signals.contradicting or is_taken)
                if signals.title and is_title_alone:
                    more = _reasons_beside_title(profile, placed.profile, signals.days)
                    reasons = (*signals.reasons, *more)
                    signals = replace(signals, agreeing=more, reasons=reasons)
                one = Near(placed, signals, is_taken)
                if not self._are_two(group, one):
                    near.append(one)
        return near

    def _are_two(self, group: Sequence[SourceEntry], one: Near) -> bool:
        """True for two items of one feed that are two episodes: an item that the feed lists no more
        stays an episode although a later item has its title."""
        gone = {e.ref[:2] for e in group if e.gone_version is not None and self._may_create(e)}
        is_apart = one.signals.days > DAYS_AGREE and not one.signals.opening
        return not gone.isdisjoint(e.ref[:2] for e in one.placed.profile.entries) and (
            one.is_taken
            or bool(one.signals.contradicting)
            or (is_apart and {EQUAL_LENGTH}.issuperset(one.signals.agreeing))
            or one.signals.by_chance
        )


def _keys(group: Iterable[SourceEntry]) -> Iterator[tuple[str, str]]:
    return (entry.ref[::2] for entry in group)


def _reasons_beside_title(profile: Profile, other: Profile, days: int) -> tuple[str, ...]:
    """Return reasons that count beside an equal title:

    - an identifier on a page that nobody confirmed, which joins nothing by itself
    - a page of the show, if the dates do not disagree
    - a feed of the show that gives a title alone, where another feed of the show gives more
    """
    reasons = []
    if not profile.first.vouched:
        for kind, reason in NAMES.items():
            if profile.values(kind, kind) & other.values(kind, kind):
                reasons.append(reason)
    if _names_show(profile) and not days:
        reasons.append("a page of its show lists it")
    are_of_feeds = _is_of_feed(profile) and _is_of_feed(other)
    if are_of_feeds and (_has_title_alone(profile) or _has_title_alone(other)):
        reasons.append("a feed of the show gives its title alone")
    return tuple(reasons)


def _names_show(profile: Profile) -> bool:
    for entry, facts in zip(profile.entries, profile.facts, strict=True):
        # "Trailer" is no title of one episode.
        is_whole_title = marked(facts.title) == facts.markers
        if entry.said.names_show and is_whole_title:
            return True
    return False


def _is_of_feed(profile: Profile) -> bool:
    """Return whether a feed of the show itself has an entry of a group."""
    return any(entry.own and entry.may_create for entry in profile.entries)


def _has_title_alone(profile: Profile) -> bool:
    """Return whether a group has nothing to compare but a title long enough to be one episode's."""
    has_more = profile.days or profile.openings or profile.lengths
    return not has_more and min(map(len, profile.titles), default=0) >= MIN_WHOLE_TITLE


def _telling_opening(near: Sequence[Near]) -> Placed | None:
    """The group whose equal opening identifies it, since no other episode shares it.

    Boilerplate, re-runs and parts share their openings. A text that goes on being equal well beyond
    what others share is told apart by what comes then.
    """
    # A taken group has its text from another entry of this page, which tells nothing of this one.
    free = [one for one in near if one.signals.opening and not one.is_taken]
    best = max(free, key=lambda one: one.signals.opening, default=None)
    shared = max((one.signals.opening for one in near if one is not best), default=0)
    is_told = best is not None and (not shared or shared + DISTINCT <= best.signals.opening)
    return best.placed if best and is_told else None


def _batches(entries: Sequence[SourceEntry]) -> Iterable[list[SourceEntry]]:
    """Entries that are judged side by side: those of a document's newest version, then those it once
    had, newest first.

    Sources that may make episodes come before those that may not: a rank decides values, not who
    belongs where. Pages that nobody vouched for come last, so that they decide about nothing else.
    """
    found: dict[tuple[object, ...], list[SourceEntry]] = defaultdict(list)
    for entry in entries:
        found[not entry.vouched, not entry.may_create, *entry.version_order].append(entry)
    return [found[key] for key in sorted(found)]


def _winners(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """The placings that hold: of two entries that want one episode the better gets it, of equals
    neither. The other one is judged anew, with the episode taken."""
    wanted: dict[Placed, list[Verdict]] = defaultdict(list)
    for verdict in sorted(verdicts, key=lambda verdict: verdict.score):
        if verdict.score:
            wanted[verdict.candidates[0][0]].append(verdict)
    return [
        best
        for *others, best in wanted.values()
        if best.score not in [verdict.score for verdict in others]
    ]


def against(signals: Signals) -> list[str]:
    """The signals against one episode, in words."""
    said = dict.fromkeys(signals.contradicting, True)
    said[f"dates {signals.days} days apart"] = signals.days > DAYS_AGREE
    said["other titles"] = signals.other_title
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
    beaten = [BEATEN] * bool(verdict.score)
    named: dict[Ref, Candidate] = {}
    for placed, reasons in verdict.candidates:
        own = Candidate(placed.profile.first.ref, (*reasons, *beaten))
        for candidate in (own,) if placed.held is None else placed.held:
            named.setdefault(candidate.ref, candidate)
    return tuple(named.values())
