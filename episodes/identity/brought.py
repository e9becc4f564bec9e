"""Decides which episode a transcript belongs to that somebody brings; pure.

A transcript is judged when all else is placed, each by itself: it makes no episode, joins none to
another, and tells nothing of another transcript. A title alone is enough where one episode has it,
because a person said which show the file is of.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from ..records import Candidate, Decisions, EntryData, Matching, SourceEntry
from ..text.normalize import fold, letters
from ..text.numbering import BOTH
from ..text.urls import enclosure_key, page_key
from .identifiers import JUDGED, NAMES, Ref
from .match_keys import PREFIX, MatchKeys, bare_title
from .matching import AGAINST, against
from .signals import DAYS_DOUBT, Profile, Signals, compare

# What may be equal, the most telling first, with what it is in words.
ALIKE = {
    **NAMES,
    "file": "named like its audio file",
    "title": "the only episode of this title",
    "letters": "the only episode of this title",
    "number": "the only episode of this number",
    "day": "the day in its name",
}
TITLES = ("title", "letters")
HINTS = (*TITLES, "number", "day")
UNSAID = f"{AGAINST}no word of the title is said"
UNDECIDED = Decisions()
Pair = tuple[str, str]  # source and key
Number = tuple[int | None, int | None]  # season and number
Verdict = tuple[bool, int, tuple[str, ...]]  # True where it surely is the episode at a place; why

_COUNTED = re.compile(r"\W*(\d{1,4})(?:\W+|\Z)")
_AUDIO_NAME = re.compile(r"(?:.*/)?([^/?#]*?)(?:\.\w{2,4})?(?:[?#].*)?", re.DOTALL)


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


@dataclass(frozen=True, slots=True)
class _Names:
    """All that a transcript calls its episode: names, the first that is more than a number, and the
    numbers that it declares."""

    every: list[str]
    title: str
    numbers: list[Number]


def _names(said: EntryData, show: str) -> _Names:
    """Its names as they are, and without what counts it and the show's name."""
    spaced = re.compile(r"\W+".join(re.findall(r"\w+", show)) or r"\Z", re.IGNORECASE)
    every, title, numbers = list[str](), "", [(said.season, said.number)]
    for name in (said.title, *said.extra("name")):
        short = spaced.sub("", name, count=1).strip(" -_:|.")
        bare, season, own, _ = bare_title(short, show)
        is_number = PREFIX.fullmatch(bare) or BOTH.fullmatch(bare)
        rest = "" if is_number else _COUNTED.sub("", bare, count=1)
        every += [name, short, bare, rest]
        title = title or rest
        numbers.append((season, own))
    return _Names(every, title, [one for one in numbers if one[1] is not None][:1])


class _Episodes:
    """The episodes of a show, by their places, under all that a transcript may call them."""

    def __init__(
        self,
        groups: Sequence[Sequence[SourceEntry]],
        known: Mapping[Ref, MatchKeys],
        decisions: Decisions,
    ) -> None:
        self.groups, self.known = groups, known
        self.titles: dict[tuple[str, object], dict[int, str]] = defaultdict(dict)  # by kind, value
        place_of: dict[Pair, int] = {}
        given: dict[Pair, list[str]] = defaultdict(list)  # titles of curators
        for pair, field, value in decisions.overrides:
            given[pair] += [value] * (field == "title")
        for place, group in enumerate(groups):
            for entry in group:
                pair, facts = entry.ref[::2], known[entry.ref]
                place_of[pair] = place
                numbers = facts.numbers.union((None, number) for _, number in facts.numbers)
                former = [title for _, title in entry.titles]
                titles = [facts.title, facts.said.title, *given[pair], *former]
                for key in _keys(facts.said, titles, numbers):
                    self.titles[key].setdefault(place, facts.said.title)
        # By a transcript's source and key the episodes that it was judged to be of, or not.
        self.same, self.apart = defaultdict[Pair, set[int]](set), defaultdict[Pair, set[int]](set)
        for ruling in decisions.rulings:
            judged = self.same if ruling.same else self.apart
            for one, other in permutations((ruling.one, ruling.other)):
                judged[one] |= {place_of[other]} if other in place_of else set()

    def judge(self, entry: SourceEntry) -> list[Verdict]:
        """The episodes that it surely is of, else those that it may be of."""
        pair = entry.ref[::2]
        if same := self.same[pair]:
            return [(True, max(same), (JUDGED,))]
        names = _names(entry.said, self.known[entry.ref].show.title)
        hits = defaultdict[int, dict[str, tuple[str, bool]]](dict)
        for kind, value in _keys(entry.said, names.every, names.numbers):
            titles = self.titles.get((kind, value), {})
            for place in titles.keys() - self.apart[pair]:
                hits[place].setdefault(kind, (titles[place], len(titles) == 1))
        found = [self._verdict(entry, names, place, hits[place]) for place in sorted(hits)]
        return [verdict for verdict in found if verdict[0]] or found

    def _verdict(
        self, entry: SourceEntry, names: _Names, place: int, hits: Mapping[str, tuple[str, bool]]
    ) -> Verdict:
        """`hits` are the title as published, and True where no other episode has it, by what is
        equal. A date may be that of the recording."""
        by = [ALIKE[kind] for kind, (_, is_only) in hits.items() if is_only and kind not in HINTS]
        kind, title, is_only = _hint(hits)
        signals = self._compared(entry, title * (kind in TITLES) or names.title, names, place)
        unsaid = [UNSAID] * len(entry.said.extra("unsaid"))
        is_told = is_only and kind in (("number",) if unsaid else ("number", *TITLES))
        is_near = signals.days <= DAYS_DOUBT and not signals.other_title
        is_like = is_told and is_near and not signals.contradicting
        is_sure = bool(by) or is_like or signals.fits(False)
        only = [ALIKE[kind]] * (is_only and not signals.agreeing)
        opposed = () if is_sure else (*against(signals), *unsaid)
        return is_sure, place, (*by, *signals.reasons, *only, *opposed)

    def _compared(self, entry: SourceEntry, title: str, names: _Names, place: int) -> Signals:
        season, number = next(iter(names.numbers), (None, None))
        meant = replace(entry.said, title=title, number=number, season=season)
        facts, group = MatchKeys(meant, self.known[entry.ref].show, str), self.groups[place]
        there = Profile(list(group), [self.known[own.ref] for own in group])
        return compare(Profile([entry], [facts]), there)


def _hint(hits: Mapping[str, tuple[str, bool]]) -> tuple[str, str, bool]:
    """The best of what is equal and identifies nothing by itself: its kind, the title as published,
    and True where no other episode has it."""
    kind = next((kind for kind in HINTS if kind in hits), "day")
    return kind, *hits.get(kind, ("", False))


def _keys(
    said: EntryData,
    names: Iterable[str],
    numbers: Iterable[Number],
) -> Iterator[tuple[str, object]]:
    """All that an episode can be found by: kind and value."""
    audio = _AUDIO_NAME.fullmatch(said.audio_url)
    values: dict[str, Iterable[object]] = {
        "guid": [said.guid.strip()],
        "audio": [enclosure_key(said.audio_url)],
        "page": [page_key(said.url)],
        "file": map(str.casefold, (audio[1] if audio else "", *said.extra("file"))),
        "title": map(fold, names),
        "letters": map(letters, names),
        "number": numbers,
        "day": [said.published[:10]],
    }
    for kind, own in values.items():
        yield from ((kind, value) for value in own if value)
