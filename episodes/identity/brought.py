"""Decides which episode a transcript belongs to that somebody brings; pure.

A transcript is judged when all else is placed, each by itself: it makes no episode, joins none to
another, and tells nothing of another transcript. A title alone is enough where one episode has it,
because a person said which show the file is of.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import permutations

from ..records import UNDECIDED, Candidate, Decisions, EntryData, Matching, SourceEntry
from ..text.normalize import fold, letters
from ..text.numbering import BOTH
from ..text.urls import enclosure_key, page_key
from .match_keys import NAMES, PREFIX, MatchKeys, bare_title
from .matching import AGAINST, against
from .signals import DAYS_DOUBT, JUDGED, Profile, Ref, compare

# What identifies an episode where no other has it, and what tells it if nothing speaks against it;
# in words.
SURE = {**NAMES, "file": "named like its audio file"}
TITLES = dict.fromkeys(("title", "letters"), "the only episode of this title")
TOLD = {**TITLES, "number": "the only episode of this number"}
UNSAID = f"{AGAINST}no word of the title is said"
Pair = tuple[str, str]  # source and key
Number = tuple[int | None, int]  # season and number
Verdict = tuple[bool, int, tuple[str, ...]]  # True where it surely is the episode at a place; why

_COUNTED = re.compile(r"\W{0,20}(\d{1,4})(?:\W{1,20}|\Z)")
_AUDIO_NAME = re.compile(r"\A(?:.*/)?([^/?#]*?)(?:\.\w{2,4})?(?:[?#].*)?\Z", re.DOTALL)


def with_transcripts(
    matching: Matching,
    transcripts: Iterable[SourceEntry],
    known: Mapping[Ref, MatchKeys],
    decisions: Decisions = UNDECIDED,
) -> Matching:
    """The matching with each transcript at its episode, or held with those that it may be of."""
    episodes = _Episodes(matching.groups, known, decisions)
    groups = list(map(list, matching.groups))
    held, reasons = list(matching.held), dict(matching.reasons)
    for entry in sorted(transcripts, key=lambda entry: entry.order):
        found = episodes.judge(entry)
        if len(found) == 1 and found[0][0]:
            _, place, reasons[entry.ref] = found[0]
            groups[place].append(entry)
        else:
            named = (Candidate(matching.groups[place][0].ref, why) for _, place, why in found)
            held.append((entry, tuple(named)))
    return replace(matching, groups=tuple(map(tuple, groups)), held=tuple(held), reasons=reasons)


def _named(said: EntryData, show: str) -> tuple[list[str], EntryData]:
    """All names that a transcript has for its episode, as they are, and without what counts it and
    the show's name; and the transcript with the first that is more than a number for its title, and
    with the number that one declares."""
    spaced = re.compile(r"\W+".join(re.findall(r"\w+", show)) or r"\Z", re.IGNORECASE)
    every, title = list[str](), ""
    for name in (said.title, *said.extra("name")):
        short = spaced.sub("", name, count=1).strip(" -_:|.")
        bare, season, number, _ = bare_title(short, show)
        is_number = PREFIX.fullmatch(bare) or BOTH.fullmatch(bare)
        # "012 Springs" counts the file and names the episode.
        rest = "" if is_number else _COUNTED.sub("", bare, count=1)
        every += [name, short, bare, rest]
        title = title or rest
        if said.number is None:
            said = replace(said, number=number, season=season)
    return every, replace(said, title=title)


class _Episodes:
    """The episodes of a show, by their places, under all that a transcript may call them."""

    def __init__(
        self,
        groups: Sequence[Sequence[SourceEntry]],
        known: Mapping[Ref, MatchKeys],
        decisions: Decisions,
    ) -> None:
        self.groups, self.known = groups, known
        self.places: dict[tuple[str, object], set[int]] = defaultdict(set)  # by kind and value
        place_of: dict[Pair, int] = {}
        for place, group in enumerate(groups):
            for entry in group:
                facts = known[entry.ref]
                titles = [facts.title, facts.said.title, *(title for _, title in entry.titles)]
                place_of[entry.ref[::2]] = place
                numbers = facts.numbers.union((None, number) for _, number in facts.numbers)
                for key in _keys(facts.said, titles, numbers):
                    self.places[key].add(place)
        # By a transcript's source and key the episodes that it was judged to be of, or not.
        self.same, self.apart = defaultdict[Pair, set[int]](set), defaultdict[Pair, set[int]](set)
        for ruling in decisions.rulings:
            judged = self.same if ruling.same else self.apart
            for one, other in permutations((ruling.one, ruling.other)):
                judged[one] |= {place_of[other]} if other in place_of else set()

    def judge(self, entry: SourceEntry) -> list[Verdict]:
        """The episodes that it surely is of, else those that it may be of."""
        pair, show = entry.ref[::2], self.known[entry.ref].show
        if same := self.same[pair]:
            return [(True, max(same), (JUDGED,))]
        names, meant = _named(entry.said, show.title)
        facts = MatchKeys(meant, show, str)
        alike: dict[int, set[str]] = defaultdict(set)  # by place what is equal
        only: dict[int, set[str]] = defaultdict(set)  # and of that what no other episode has
        for kind, value in _keys(entry.said, names, facts.numbers):
            places = self.places.get((kind, value), set())
            for place in places - self.apart[pair]:
                alike[place].add(kind)
                only[place] |= {kind} if len(places) == 1 else set()
        found = [
            self._verdict(entry, facts, place, alike[place], only[place]) for place in sorted(alike)
        ]
        return [verdict for verdict in found if verdict[0]] or found

    def _verdict(
        self,
        entry: SourceEntry,
        facts: MatchKeys,
        place: int,
        alike: Set[str],
        only: Set[str],
    ) -> Verdict:
        """The judgement on the episode at a place. A date may be that of the recording."""
        group = self.groups[place]
        # Its name was equal in one of many spellings: beside the title itself it would count
        # against it.
        if not alike.isdisjoint(TITLES):  # whatever else it is called
            facts = replace(facts, said=replace(facts.said, title=group[0].said.title))
        there = Profile(list(group), [self.known[own.ref] for own in group])
        signals = compare(Profile([entry], [facts]), there)
        unsaid = [UNSAID] * len(entry.said.extra("unsaid"))
        told = only & ({"number"} if unsaid else TOLD.keys())
        # A file may be dated by its recording, weeks before the episode.
        is_near = signals.days <= DAYS_DOUBT and not signals.other_title
        is_like = bool(told) and is_near and not signals.contradicting
        is_sure = is_like or signals.fits(False) or not only.isdisjoint(SURE)
        why = [words for kind, words in (SURE | TOLD).items() if kind in only]
        opposed = [] if is_sure else [*against(signals), *unsaid]
        return is_sure, place, (*dict.fromkeys([*why, *signals.reasons]), *opposed)


def _keys(
    said: EntryData,
    names: Iterable[str],
    numbers: Iterable[Number],
) -> Iterator[tuple[str, object]]:
    """All that an episode can be found by: kind and value."""
    values: dict[str, Iterable[object]] = {
        "guid": [said.guid.strip()],
        "audio": [enclosure_key(said.audio_url)],
        "page": [page_key(said.url)],
        "file": map(str.casefold, (_AUDIO_NAME.sub(r"\1", said.audio_url), *said.extra("file"))),
        "title": map(fold, names),
        "letters": map(letters, names),
        "number": numbers,
        "day": [said.published[:10]],
    }
    for kind, own in values.items():
        yield from ((kind, value) for value in own if value)
