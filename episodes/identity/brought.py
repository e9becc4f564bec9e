"""Decides which episode a transcript belongs to that somebody brings; pure.

A transcript is judged when all else is placed, each by itself: it makes no episode, joins none to
another, and tells nothing of another transcript. A title alone is enough where one episode has it,
because a person said which show the file is of.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from ..records import Candidate, EntryData, Matching, Ruling, SourceEntry
from ..text.normalize import fold, letters
from ..text.numbering import BOTH
from ..text.urls import enclosure_key, page_key
from .identifiers import JUDGED, Ref
from .match_keys import PREFIX, MatchKeys, bare_title
from .matching import AGAINST, against
from .signals import DAYS_DOUBT, Profile, Signals, compare

ONLY = "the only episode of this title"
FEWEST = 8  # letters in which two names begin alike, for one to be proposed for the other
Pair = tuple[str, str]  # source and key

_COUNTED = re.compile(r"\d{1,4}\W+(?=\w)")  # what counts the files of a folder
_AUDIO_NAME = re.compile(r"(?:.*/)?([^/?#]+?)(?:\.\w{2,4})?(?:[?#].*)?", re.DOTALL)


def with_transcripts(
    matching: Matching,
    transcripts: Sequence[SourceEntry],
    known: Mapping[Ref, MatchKeys],
    rulings: Sequence[Ruling] = (),
    unwanted: Collection[Pair] = (),
) -> Matching:
    """The matching with each transcript at its episode, or held with those that it may be of; one
    that a curator does not want is left alone."""
    if not transcripts:
        return matching
    finder = _Finder(matching.groups, known, rulings)
    groups, reasons = list(map(list, matching.groups)), dict(matching.reasons)
    held, ignored = list(matching.held), list(matching.ignored)
    for entry in sorted(transcripts, key=lambda entry: entry.order):
        if entry.ref[::2] in unwanted:
            ignored.append(entry)
            continue
        found = finder.judge(entry)
        if isinstance(found, list):
            held.append((entry, tuple(found)))
        else:
            place, reasons[entry.ref] = found
            groups[place].append(entry)
    return Matching(tuple(map(tuple, groups)), tuple(held), tuple(ignored), reasons)


class _Finder:
    """The episodes of a show, by their places, under all that a transcript may call them."""

    def __init__(
        self,
        groups: Sequence[Sequence[SourceEntry]],
        known: Mapping[Ref, MatchKeys],
        rulings: Sequence[Ruling],
    ) -> None:
        self.groups, self.known = groups, known
        self.by_name: dict[str, dict[int, str]] = defaultdict(dict)  # place and title as published
        self.by_identifier: dict[tuple[str, str], set[int]] = defaultdict(set)
        self.by_number: dict[tuple[int | None, int], set[int]] = defaultdict(set)
        self.by_day: dict[str, dict[int, str]] = defaultdict(dict)
        self.place_of: dict[Pair, int] = {}
        for place, group in enumerate(groups):
            for entry in group:
                self._add(place, entry.ref[::2], known[entry.ref])
        self.names = sorted(self.by_name)
        self.judged: dict[Pair, list[tuple[Pair, bool]]] = defaultdict(list)
        for ruling in rulings:
            self.judged[ruling.one].append((ruling.other, ruling.same))
            self.judged[ruling.other].append((ruling.one, ruling.same))

    def _add(self, place: int, pair: Pair, facts: MatchKeys) -> None:
        self.place_of.setdefault(pair, place)
        for title in filter(None, (facts.title, facts.said.title)):
            self.by_name[letters(title)].setdefault(place, facts.said.title)
        for identifier, _ in _identifiers(facts.said):
            self.by_identifier[identifier].add(place)
        if facts.said.published:
            self.by_day[facts.said.published[:10]].setdefault(place, facts.said.title)
        for season, number in facts.numbers:
            self.by_number[season, number].add(place)
            self.by_number[None, number].add(place)

    def judge(self, entry: SourceEntry) -> tuple[int, tuple[str, ...]] | list[Candidate]:
        """The place of its episode and the reasons, or the episodes that it may be of."""
        judged = [
            (self.place_of[other], same)
            for other, same in self.judged[entry.ref[::2]]
            if other in self.place_of
        ]
        for place, same in judged:
            if same:
                return place, (JUDGED,)
        apart = {place for place, same in judged if not same}
        found = {
            place: verdict for place, verdict in self._found(entry).items() if place not in apart
        }
        sure = [place for place, (is_sure, _) in found.items() if is_sure]
        if len(sure) == 1:
            reasons = found[sure[0]][1]
            return sure[0], tuple(one for one in reasons if not one.startswith(AGAINST))
        return [Candidate(self.groups[place][0].ref, found[place][1]) for place in sure or found]

    def _found(self, entry: SourceEntry) -> dict[int, tuple[bool, tuple[str, ...]]]:
        """The episodes that it may be of, each with True where it surely is, and the reasons."""
        said, show = entry.said, self.known[entry.ref].show
        names = _names(said, show.title)
        named, titled = self._named(said), self._titled(names)
        season, number = _counted(said, names)
        numbered = self.by_number.get((season, number), set()) if number is not None else set()
        like = {} if named or titled or numbered else self._like(names, said)
        own = "" if named or not names or _is_number(names[0]) else names[0]
        found = {}
        for place in dict.fromkeys((*named, *titled, *numbered, *like)):
            meant = replace(said, title=titled.get(place, own), number=number, season=season)
            signals = compare(Profile([entry], [MatchKeys(meant, show, str)]), self._profile(place))
            is_only = len(titled if place in titled else numbered) == 1
            is_sure = place in named or _fits(signals, is_only)
            is_sure = is_sure and not signals.contradicting
            reasons = [*named.get(place, ()), *signals.reasons, *against(signals)]
            if is_sure and signals.title and not signals.agreeing:
                reasons.append(ONLY)
            found[place] = (is_sure, tuple(reasons))
        return found

    def _named(self, said: EntryData) -> dict[int, list[str]]:
        """The episodes that have an identifier of it which no other one has, and which."""
        found: dict[int, list[str]] = defaultdict(list)
        for identifier, reason in _identifiers(said):
            places = self.by_identifier.get(identifier, set())
            for place in places if len(places) == 1 else ():
                found[place].append(reason)
        return found

    def _titled(self, names: Sequence[str]) -> dict[int, str]:
        """The episodes that have one of its names for a title, as they spell it; of those whose
        titles have the same letters only one that is spelled alike."""
        found = {
            place: t for name in names for place, t in self.by_name.get(letters(name), {}).items()
        }
        exact = {place: title for place, title in found.items() if fold(title) in map(fold, names)}
        return exact or found

    def _like(self, names: Sequence[str], said: EntryData) -> dict[int, str]:
        """The episodes of its day, and those whose titles begin as one of its names does, or begin
        one."""
        found = dict(self.by_day.get(said.published[:10], {}))
        for name in map(letters, names):
            at = bisect(self.names, name)
            for other in self.names[max(0, at - 1) : at + 1]:
                short, long = sorted((name, other), key=len)
                if len(short) >= FEWEST and long.startswith(short):
                    found |= self.by_name[other]
        return found

    def _profile(self, place: int) -> Profile:
        entries = list(self.groups[place])
        return Profile(entries, [self.known[entry.ref] for entry in entries])


def _fits(signals: Signals, is_only: bool) -> bool:
    """True where title or number tell which episode it is. Its date may be of the recording."""
    if signals.title and signals.agreeing:
        return not signals.by_chance
    return is_only and not signals.other_title and (signals.days_apart or 0) <= DAYS_DOUBT


def _names(said: EntryData, show: str) -> list[str]:
    """The names that it has, each as it is and without what counts it and the show's name."""
    given = (said.title, *(row[1] for row in said.extras if row[0] == "name"))
    spaced = re.compile(r"\W+".join(map(re.escape, re.findall(r"\w+", show))), re.IGNORECASE)
    found: dict[str, None] = {}
    for name in filter(None, given):
        short = spaced.sub("", name, count=1).strip(" -_:|.") or name
        bare = bare_title(short, show)[0]
        found |= dict.fromkeys((name, short, bare, _COUNTED.sub("", bare, count=1)))
    return list(found)


def _counted(said: EntryData, names: Sequence[str]) -> tuple[int | None, int | None]:
    """Season and number as it declares them, else as a name of it does."""
    if said.number is not None:
        return said.season, said.number
    told = (bare_title(name, "")[1:3] for name in names)
    return next((one for one in told if one[1] is not None), (said.season, None))


def _is_number(name: str) -> bool:
    return bool(PREFIX.fullmatch(fold(name)) or BOTH.fullmatch(fold(name)))


def _identifiers(said: EntryData) -> Iterator[tuple[tuple[str, str], str]]:
    """Its identifiers, each with its kind, and what an equal one is in words."""
    audio = _AUDIO_NAME.fullmatch(said.audio_url)
    files = [row[1] for row in said.extras if row[0] == "file"]
    kinds = (
        ("guid", said.guid.strip(), "the same guid"),
        ("audio", enclosure_key(said.audio_url), "the same audio file"),
        ("page", page_key(said.url), "the same page address"),
        *(("file", name.casefold(), "named like its audio file") for name in files),
        ("file", audio[1].casefold() if audio else "", "named like its audio file"),
    )
    for kind, value, reason in kinds:
        if value:
            yield (kind, value), reason
