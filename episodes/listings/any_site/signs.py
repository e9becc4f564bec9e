"""Finds the entries that no title names: an element of a list is the episode that its day, number,
length and words tell from all others."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import cached_property
from heapq import nlargest
from itertools import chain, product
from math import log2
from typing import Any, NamedTuple
from urllib.parse import unquote

from ...dates import Mark, days_of_year
from ...identity import marked
from ...text.normalize import fold, plain_letters, words
from ..rows import PageRows
from .episode_index import (
    BY_SIGNS,
    CONFIRMED,
    DOUBTFUL,
    TELLING,
    EpisodeIndex,
    Hit,
    KnownEpisode,
)
from .page_rows import PageRow, is_prose
from .records import Element, Record, joined

# What a sign tells is measured in bits, which add up: log2(n) where one of n episodes has it.
LISTED = 1  # bits of an entry beyond those that any one of the episodes takes
APART = 4  # by which its episode must fit better than all others
PROOF = 15  # of all entries of a list together, by which it is the show's
# Of words and lengths in each entry, on average, and in all, that no list of another show has.
OWN, OWN_BESIDE_SIGNS, ALONE = 16, 8, 36
TO_THE_SECOND = 10  # of such a length
UNKNOWN = -3  # of an element that tells no episode
UNSAID = -1  # of a word that the episode does not say
OTHER_WORDS, OTHER_LENGTH, OTHER_DAY = -2, -6, -6  # of what contradicts an episode
FAR_LENGTH = -20  # of half its length, or double: a part of it, or something else of that day
BESIDE = 1.5  # that a day before or after the episode's tells less
EPISODES, SPEECH, TITLE = 50, 2_000, 4  # episodes, words, and words of a title: at least so many
COMMON = 4  # a word that one in so many episodes says tells nothing
LETTERS, STEM = 4, 8  # of a word: the fewest, and those that are compared, as endings differ
FEWEST = 3  # entries of a list that show that it is the show's
FEWEST_UNDATED = 4  # of one without dates, as every show has a first and a second episode
TITLED = 3  # one in so many entries has a title of the show
SECONDS = 2  # by which a length to the second may differ
BEGINNING = 60  # characters of a row in which a number or a date may be the episode's

# In scripts without blanks three signs are a word, too, in Japanese of those that carry meaning; in
# Korean two syllables are.
_SIGNS = re.compile(r"(?=([\u30a0-\u30ff\u3400-\u9fff]{3}|[\uac00-\ud7af]{2}))")
KINDS = "day", "length", "time", "number", "word"
# What a row says, by its kind: days, lengths, those that may be times of day, numbers and words.
Said = Mapping[str, set[Any]]


class Fit(NamedTuple):
    """An episode with the bits by which an element tells it, beyond those that any one of the
    show's episodes takes."""

    bits: float = UNKNOWN
    own: float = 0  # those of words and lengths
    signs: float = 0  # those of its day and its number
    name: int = 0
    apart: float = 0  # by which it fits better than all others

    @property
    def tells(self) -> bool:
        return self.bits >= LISTED and self.apart >= APART


class SignIndex:
    """The episodes of a show by their days, numbers, lengths and words."""

    def __init__(self, index: EpisodeIndex) -> None:
        self.episodes = index.episodes
        self.having = defaultdict[Hashable, set[int]](set)
        for episode in index.episodes:
            for sign in _signs(episode):
                self.having[sign].add(episode.name)

    @cached_property
    def saying(self) -> dict[str, dict[int, float]]:
        """For each word the episodes whose titles or notes say it, with the bits that this tells:
        how much more often they say it than the show does elsewhere."""
        titles = [_words_of(episode.title) for episode in self.episodes]
        notes = [_words_of("\n".join(episode.notes)) for episode in self.episodes]
        in_titles = Counter(chain.from_iterable(titles))
        often = in_titles + Counter(chain.from_iterable(notes))
        speech, of_all_titles = max(SPEECH, often.total()), in_titles.total() or 1
        found: dict[str, dict[int, float]] = {word: {} for word in often}
        for name, text in (*enumerate(notes), *enumerate(titles)):
            for word in text:
                of_titles = (in_titles[word] - 1) / of_all_titles
                elsewhere = max((often[word] - 0.5) / speech, of_titles)
                told = log2(0.5 + 0.5 / max(TITLE, len(text)) / elsewhere)
                found[word][name] = max(told, found[word].get(name, UNSAID))
        most = max(EPISODES, len(self.episodes)) / COMMON
        return {word: own if len(own) <= most else {} for word, own in found.items()}

    def fit(self, said: Said) -> Fit:
        """The episode that fits best what an element says, and how well it does."""
        of_words, of_signs = self._told_by_words(said["word"]), self._told_by_signs(said)
        any_episode = log2(max(1, len(self.episodes)))
        days = (sign for day in said["day"] for sign, _ in _beside("day", day))
        of_day = set().union(*(self.having.get(sign, ()) for sign in days))
        fits = []
        for name in {*of_words, *of_signs}:
            episode, signs = self.episodes[name], of_signs[name]
            own = max(OTHER_WORDS, of_words[name]) + self._told_by_length(said, episode)
            has_other_day = bool(said["day"] and episode.days) and name not in of_day
            against = OTHER_DAY * has_other_day
            fits.append(Fit(own + signs + against - any_episode, own, signs, name))
        best, second = nlargest(2, [*fits, Fit(), Fit()])
        return best._replace(apart=best.bits - second.bits)

    def _told_by_words(self, said: Collection[str]) -> defaultdict[int, float]:
        """The bits of the words for each episode that says one of them; words that very many say
        tell nothing."""
        found = [self.saying.get(word) for word in said]
        unsaid = UNSAID * sum(own != {} for own in found)
        told = defaultdict[int, float](lambda: unsaid)
        for own in filter(None, found):
            for name, bits in own.items():
                told[name] += bits - UNSAID
        return told

    def _told_by_signs(self, said: Said) -> defaultdict[int, float]:
        """The bits of day and number for each episode; of several that are said each tells less."""
        told = defaultdict[int, float](float)
        for kind in ("day", "number"):
            best: dict[int, float] = {}
            for value in said[kind]:
                for sign, less in _beside(kind, value):
                    having = self.having.get(sign, set())
                    bits = self._bits(len(having) * len(said[kind])) - less
                    best |= {name: max(bits, best.get(name, 0)) for name in having}
            for name, bits in best.items():
                told[name] += bits
        return told

    def _told_by_length(self, said: Said, episode: KnownEpisode) -> float:
        """The bits of the length of an episode, to the second or to the minute; what may be a time
        of day tells nothing against it."""
        told: list[float] = []
        for mark in said["length"]:
            low, high = mark.span or (0, 0)
            if low == high and any(abs(low - own) <= SECONDS for own, _ in episode.spans):
                told.append(TO_THE_SECOND)
            elif episode.agrees_with(mark) > 0:
                told.append(self._bits(len(self.having["minute", low // 60])))
            elif episode.spans and mark not in said["time"]:
                told.append(FAR_LENGTH if _is_far(mark, episode) else OTHER_LENGTH)
        return max(told, default=0)

    def _bits(self, having: int) -> float:
        """The bits of a sign that so many episodes have."""
        return max(0, log2(max(EPISODES, len(self.episodes)) / max(1, having)))


def _is_far(mark: Mark, episode: KnownEpisode) -> bool:
    """True for a length of less than half of the episode's, or of more than double; "0:57" may be
    hours and minutes, which are sixty times as long."""
    low, high = mark.span or (0, 0)
    readings = [(low, high), *[(low * 60, high * 60 + 59)] * (mark.kind == "clock")]
    return all(
        high * 2 <= shortest or longest * 2 <= low
        for low, high in readings
        for shortest, longest in episode.spans
    )


def _signs(episode: KnownEpisode) -> Iterator[Hashable]:
    for day in episode.days:
        yield from (("day", day), ("day", (day.month, day.day)))
    yield from (("number", number) for number in episode.numbers)
    for low, high in episode.spans:
        yield from (("minute", minute) for minute in range(low // 60 - 1, high // 60 + 2))


def _beside(kind: str, value: Hashable) -> Iterator[tuple[Hashable, float]]:
    """A sign with the bits that it tells less: a page may be in another time zone than the feed."""
    yield (kind, value), 0
    if isinstance(value, date):
        yield from (((kind, value + timedelta(n)), BESIDE) for n in (-1, 1))


def _words_of(text: str) -> set[str]:
    # Names of files join words by "_".
    long = (
        word[:STEM] for word in words(plain_letters(text).replace("_", " ")) if len(word) >= LETTERS
    )
    return {*_SIGNS.findall(fold(text)), *long}


def with_seeds_by_signs(
    by_title: Sequence[Record],
    rows: Sequence[PageRow],
    page: PageRows,
    elements: Mapping[int, Element],
    by_sign: SignIndex,
) -> list[Record]:
    """The entries that titles and texts name, and those of lists of which most elements tell one
    episode each.

    An element of a list that words and lengths confirm is what it tells, whatever one title stands
    in it. Others are DOUBTFUL where titles confirm as little: another show may have the days and
    numbers of this one.
    """
    titled = defaultdict[int, set[int]](set)
    for hit in chain.from_iterable(record.hits for record in by_title):
        titled[hit.row].update(hit.episodes if hit.kind == "title" else ())
    told: list[tuple[_Told, str]] = []
    for elements_of_list in _lists(rows, page, elements):
        named = _named_in(elements_of_list, by_sign, titled)
        kind = _kind_of(named, titled)
        told += [(one, kind) for one in named]
    known = list(_checked(by_title, [one for one, kind in told if kind == TELLING], titled))
    return sorted([*known, *_free(told, known, rows, by_sign)], key=lambda record: record.first)


def _checked(
    by_title: Sequence[Record], telling: Sequence[_Told], titled: Mapping[int, set[int]]
) -> Iterator[Record]:
    """The entries that titles and texts name: CONFIRMED where their elements tell their episodes,
    too, and none where these tell others."""
    told = {(row, one.fit.name) for one in telling for row in one.element.rows}
    wrong = {pair for one in telling for pair in _not_told(one, titled)}
    for record in by_title:
        pairs = {(record.place, name) for name in record.episodes}
        if record.title and pairs <= told:
            title = replace(record.title, kind=CONFIRMED)
            yield joined([title], frozenset(record.episodes))
        elif wrong.isdisjoint(pairs):
            yield record


def _free(
    told: Sequence[tuple[_Told, str]],
    known: Sequence[Record],
    rows: Sequence[PageRow],
    by_sign: SignIndex,
) -> list[Record]:
    """The entries of elements, with the kind of each, that are not known, nor their episodes."""
    taken = {name for record in known for name in record.episodes}
    seeded = {hit.row for record in known for hit in record.hits}
    found: dict[int, Record] = {}
    for one, kind in told:
        own_rows = rows[one.element.first : one.element.last + 1]
        is_free = one.fit.name not in taken and seeded.isdisjoint(one.element.rows)
        if is_free and _markers(own_rows) == marked(by_sign.episodes[one.fit.name].title):
            found.setdefault(one.fit.name, _record(one, rows, kind))
    return [*found.values()]


def _markers(rows: Sequence[PageRow]) -> frozenset[str]:
    """The kinds that its words make an entry: "Replay:", "(trailer)"."""
    return marked(" ".join(row.text for row in rows if not is_prose(row.words)))


class _Told(NamedTuple):
    """An element with what it says, and the episode that fits it best."""

    element: Element
    said: Said
    fit: Fit

    @property
    def is_likely(self) -> bool:
        """True where it may be an entry of a list."""
        return bool(self.said["day"] or self.said["number"] or self.fit.tells)


def _titled_in(element: Element, titled: Mapping[int, set[int]]) -> set[int]:
    """The episodes with titles in an element."""
    return set().union(*(titled[row] for row in element.rows))


def _not_told(one: _Told, titled: Mapping[int, set[int]]) -> Iterator[tuple[int, int]]:
    """The rows and the one episode whose title stands in an element that tells another one."""
    names = _titled_in(one.element, titled)
    if len(names) == 1 and one.fit.apart >= PROOF:
        yield from product(one.element.rows, names - {one.fit.name})


def _kind_of(named: Sequence[_Told], titled: Mapping[int, set[int]]) -> str:
    """The kind of the hits of a list, by what confirms it."""
    others = [one for one in named if one.fit.name not in _titled_in(one.element, titled)]
    owns = [one.fit.own for one in others if one.fit.own]
    own = sum(owns)
    has_signs = sum(one.fit.signs > 0 for one in others) * 2 > len(others)
    if own >= ALONE and own >= (OWN_BESIDE_SIGNS if has_signs else OWN) * len(owns):
        return TELLING
    confirmed = len(named) - len(others)
    return BY_SIGNS if confirmed * TITLED >= len(named) else DOUBTFUL


def _places(number: int, element: Element, page: PageRows) -> Iterator[Hashable]:
    """The places that make a list of elements of one shape: side by side, and, of an HTML page and
    with a day, in parts that stand so."""
    parents, shapes = page.blocks.parents, page.blocks.shapes
    around = parents[number]
    yield around, shapes[number]
    if page.markup and "date" in element.kinds:
        yield parents[around], shapes[around], shapes[number]


def _lists(
    rows: Sequence[PageRow], page: PageRows, elements: Mapping[int, Element]
) -> Iterator[list[tuple[Element, Said]]]:
    """The elements of the page that have one shape, with what they say: those that stand side by
    side; and of an HTML page those with a day in parts that stand so, as one for each month."""
    by_row = list(map(_said, rows))
    lists: dict[Hashable, list[Element]] = defaultdict(list)
    for number, element in elements.items():
        if number and not rows[element.first].row.in_menu:
            for place in _places(number, element, page):
                lists[place].append(element)
    for own in lists.values():
        if len(own) >= FEWEST:
            said = [[by_row[place] for place in element.rows] for element in own]
            yield [
                (element, {kind: set().union(*(row[kind] for row in every)) for kind in KINDS})
                for element, every in zip(own, said, strict=True)
            ]


def _named_in(
    elements: Sequence[tuple[Element, Said]], index: SignIndex, titled: Mapping[int, set[int]]
) -> list[_Told]:
    """The elements that tell an episode, each better than all others do; none where they are no
    list of the show. One that has the titles of several episodes is the entry of none."""
    found = [_Told(element, said, index.fit(said)) for element, said in elements]
    dated = sum(bool(one.said["day"]) for one in found)
    # Where most have a day, an entry without one may be any talk of the episode.
    needs_signs = dated * 2 > len(found)
    telling = [
        one
        for one in found
        if one.fit.tells
        and (one.fit.signs or not needs_signs)
        and len(_titled_in(one.element, titled)) < 2
    ]
    named = _best_of_each(telling)
    # Without days nothing tells an entry from what else a list holds.
    likely = sum(one.is_likely for one in found) if dated else len(found)
    proof = sum(one.fit.bits for one in named) + UNKNOWN * (likely - len(named))
    # Two of three that may be entries of the list.
    are_most = len(named) >= (FEWEST if dated else FEWEST_UNDATED) and len(named) * 3 >= likely * 2
    return named if are_most and proof >= PROOF else []


def _best_of_each(telling: Sequence[_Told]) -> list[_Told]:
    """The element that fits each episode best; none where several do alike."""
    fitting = defaultdict[int, list[_Told]](list)
    for one in telling:
        fitting[one.fit.name].append(one)
    found = []
    for own in fitting.values():
        best, *others = sorted(own, key=lambda one: -one.fit.bits)
        found += [best] * all(one.fit.bits < best.fit.bits for one in others)
    return found


def _record(one: _Told, rows: Sequence[PageRow], kind: str) -> Record:
    """The entry of an element; its title is taken to be in the row with the most words."""
    own = rows[one.element.first : one.element.last + 1]
    title = max(own, key=lambda row: (row.row.heading > 0, len(words(row.words))))
    hit = Hit(title.place, 0, len(title.text), (one.fit.name,), kind, 0, len(words(title.text)))
    return joined([hit], frozenset(hit.episodes))


def _said(row: PageRow) -> Said:
    """The days, lengths, numbers and words of a row, and the words of its links."""
    days = {day for mark in row.marks if mark.kind == "date" for day in mark.days}
    lengths = {mark for mark in row.marks if mark.span}
    paths = (unquote(link.rpartition("://")[2].partition("/")[2]) for link in row.row.links)
    return {
        "day": days or set(days_of_year(row.text[:BEGINNING], row.language)),
        "length": lengths,
        "time": {mark for mark in lengths if mark.may_be_time and row.is_behind_date(mark)},
        "number": set(row.numbers(0, BEGINNING)),
        "word": _words_of(row.words).union(*map(_words_of, paths)),
    }
