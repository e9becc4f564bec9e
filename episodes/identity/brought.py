"""Decides which episode a transcript belongs to that somebody brings; pure.

A transcript is judged when all else is placed, each by itself: it makes no episode, joins none to
another, and tells nothing of another transcript. A title alone is enough where one episode has it,
because a person said which show the file is of.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..records import Candidate, EntryData, Matching, Ruling, SourceEntry
from ..text.normalize import fold, letters
from ..text.numbering import BOTH
from ..text.urls import enclosure_key, page_key
from .identifiers import JUDGED, NAMES, Ref
from .match_keys import PREFIX, MatchKeys, bare_title
from .matching import AGAINST, against
from .signals import DAYS_DOUBT, EQUAL_LENGTH, Profile, Signals, compare

IDENTIFIERS = {**NAMES, "file": "named like its audio file"}
# What else may be equal, the most telling first, and what it is in words where nothing agrees.
ALIKE = {
    "title": "the only episode of this title",
    "letters": "the only episode of this title",
    "number": "the number in its name",
    "day": "the same day",
}
Pair = tuple[str, str]  # source and key
Number = tuple[int | None, int]  # season and number
Verdict = tuple[bool, int, tuple[str, ...]]  # True where it surely is the episode at a place; why

_COUNTED = re.compile(r"\W*(\d{1,4})(?:\W+|\Z)")  # what counts files or episodes
_AUDIO_NAME = re.compile(r"(?:.*/)?([^/?#]*?)(?:\.\w{2,4})?(?:[?#].*)?", re.DOTALL)


def with_transcripts(
    matching: Matching,
    transcripts: Sequence[SourceEntry],
    known: Mapping[Ref, MatchKeys],
    rulings: Sequence[Ruling] = (),
    unwanted: Collection[Pair] = (),
) -> Matching:
    """The matching with each transcript at its episode, or held with those that it may be of; one
    that a curator does not want is left alone."""
    episodes, groups = _Episodes(matching.groups, known, rulings), list(map(list, matching.groups))
    held, ignored, reasons = list(matching.held), list(matching.ignored), dict(matching.reasons)
    for entry in sorted(transcripts, key=lambda entry: entry.order):
        found = episodes.judge(entry)
        if entry.ref[::2] in unwanted:
            ignored.append(entry)
        elif len(found) == 1 and found[0][0]:
            _, place, why = found[0]
            groups[place].append(entry)
            reasons[entry.ref] = tuple(one for one in why if not one.startswith(AGAINST))
        else:
            named = (Candidate(matching.groups[place][0].ref, why) for _, place, why in found)
            held.append((entry, tuple(named)))
    return Matching(tuple(map(tuple, groups)), tuple(held), tuple(ignored), reasons)


@dataclass(frozen=True, slots=True)
class _Names:
    """All that a transcript calls its episode: names, the first that is more than a number, and a
    number; a declared one is of the episode, another may count files."""

    every: list[str]
    title: str
    number: Number | None
    is_declared: bool


def _names(said: EntryData, show: str) -> _Names:
    """Its names as they are, and without what counts it and the show's name."""
    spaced = re.compile(r"\W+".join(re.findall(r"\w+", show)) or r"\Z", re.IGNORECASE)
    every, title, counted = list[str](), "", None
    number = None if said.number is None else (said.season, said.number)
    for name in (said.title, *_rows(said, "name")):
        short = spaced.sub("", name, count=1).strip(" -_:|.")
        bare, season, own, _ = bare_title(short, show)
        is_number = PREFIX.fullmatch(bare) or BOTH.fullmatch(bare)
        rest = "" if is_number else _COUNTED.sub("", bare, count=1)
        every += [name, short, bare, rest]
        title = title or rest
        number = number or (None if own is None else (season, own))
        counted = counted or _COUNTED.match(short)
    loose = (None, int(counted[1])) if counted else None
    return _Names(every, title, number or loose, number is not None)


class _Episodes:
    """The episodes of a show, by their places, under all that a transcript may call them."""

    def __init__(
        self,
        groups: Sequence[Sequence[SourceEntry]],
        known: Mapping[Ref, MatchKeys],
        rulings: Sequence[Ruling],
    ) -> None:
        self.groups, self.known = groups, known
        self.titles: dict[tuple[str, object], dict[int, str]] = defaultdict(dict)  # by kind, value
        place_of: dict[Pair, int] = {}
        for place, group in enumerate(groups):
            for entry in group:
                place_of[entry.ref[::2]] = place
                facts = known[entry.ref]
                numbers = facts.numbers | {(None, number) for _, number in facts.numbers}
                for key in _keys(facts.said, (facts.title, facts.said.title), numbers):
                    self.titles[key].setdefault(place, facts.said.title)
        self.judged: dict[Pair, dict[int, bool]] = defaultdict(dict)
        for ruling in rulings:
            for one, other in ((ruling.one, ruling.other), (ruling.other, ruling.one)):
                self.judged[one][place_of.get(other, -1)] = ruling.same

    def judge(self, entry: SourceEntry) -> list[Verdict]:
        """The episodes that it surely is of, else those that it may be of."""
        judged = self.judged[entry.ref[::2]]
        for place, is_same in judged.items():
            if is_same and place >= 0:
                return [(True, place, (JUDGED,))]
        names = _names(entry.said, self.known[entry.ref].show.title)
        hits = self._hits(entry.said, names)
        uses = Counter(kind for kinds in hits.values() for kind in kinds)
        found = [
            self._verdict(entry, names, place, kinds, uses)
            for place, kinds in hits.items()
            if place not in judged
        ]
        return [verdict for verdict in found if verdict[0]] or found

    def _hits(self, said: EntryData, names: _Names) -> dict[int, dict[str, str]]:
        """The episodes that have something of it: the title as published, by what is equal. An
        identifier that several have tells nothing."""
        hits: dict[int, dict[str, str]] = defaultdict(dict)
        for key in _keys(said, names.every, [names.number] if names.number else []):
            titles = self.titles.get(key, {})
            for place, title in titles.items() if len(titles) == 1 or key[0] in ALIKE else ():
                hits[place][key[0]] = title
        return hits

    def _verdict(
        self,
        entry: SourceEntry,
        names: _Names,
        place: int,
        kinds: Mapping[str, str],
        uses: Mapping[str, int],
    ) -> Verdict:
        by = [words for kind, words in IDENTIFIERS.items() if kind in kinds]
        alike = next((kind for kind in ALIKE if kind in kinds), "day")
        is_titled = alike in ("title", "letters")
        title = kinds[alike] if is_titled else "" if by else names.title
        season, number = names.number if names.number and names.is_declared else (None, None)
        meant = replace(entry.said, title=title, number=number, season=season)
        facts = MatchKeys(meant, self.known[entry.ref].show, str)
        group = self.groups[place]
        profile = Profile(list(group), [self.known[own.ref] for own in group])
        signals = compare(Profile([entry], [facts]), profile)
        unsaid = [f"{AGAINST}no word of the title is said"] if _rows(entry.said, "unsaid") else []
        told = (is_titled and not unsaid) or (alike == "number" and names.is_declared)
        is_only = uses[alike] == 1 and alike != "day"
        is_sure = bool(by) or (not signals.contradicting and _is_sure(signals, told, is_only))
        only = [] if signals.agreeing or not is_only or by else [ALIKE[alike]]
        return is_sure, place, (*by, *signals.reasons, *only, *against(signals), *unsaid)


def _is_sure(signals: Signals, is_told: bool, is_only: bool) -> bool:
    """True where title or number tell which episode it is: one that something else agrees with, or
    the only one, if its date may be of the recording. What may count files tells nothing alone."""
    if signals.title and signals.agreeing:
        return not signals.by_chance
    is_near = not signals.other_title and (signals.days_apart or 0) <= DAYS_DOUBT
    return is_only and is_near and (is_told or EQUAL_LENGTH in signals.agreeing)


def _rows(said: EntryData, kind: str) -> list[str]:
    return [value for name, value, *_ in said.extras if name == kind]


def _keys(
    said: EntryData, names: Iterable[str], numbers: Iterable[Number]
) -> Iterator[tuple[str, object]]:
    """All that it can be found by: kind and value."""
    audio = _AUDIO_NAME.fullmatch(said.audio_url)
    values: dict[str, Iterable[object]] = {
        "guid": [said.guid.strip()],
        "audio": [enclosure_key(said.audio_url)],
        "page": [page_key(said.url)],
        "file": map(str.casefold, (audio[1] if audio else "", *_rows(said, "file"))),
        "title": map(fold, names),
        "letters": map(letters, names),
        "number": numbers,
        "day": [said.published[:10]],
    }
    for kind, own in values.items():
        yield from ((kind, value) for value in own if value)
