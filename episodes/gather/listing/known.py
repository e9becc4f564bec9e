"""What is known of a show's episodes, kept so that titles and openings are found at any place of a line in one look."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from itertools import accumulate

from selectolax.lexbor import LexborHTMLParser

from ...records import EntryData, Show
from ...text.normalize import EATEN, QUOTES, fold

LONGEST_TITLE = 300  # characters without blanks
LONGEST_TEXT = 6_000
TELLING = 32  # characters without blanks of an opening that are looked up
ENOUGH = 34  # characters without blanks of a whole text that can identify an entry
FEW = 8  # episodes whose titles may begin alike for a cut one to be any of them
SHORT = 24  # characters of an opening that, right behind its own title, are no chance
PREFIX = re.compile(
    r"^\s*(?:(?:episode|ep|folge|#)\.?\s?#?\s?\d{1,5}(?!\w)\s*[-–—:|.)]?|\d{1,4}\s?[-–—:|.)](?!\d))\s*", re.I
)
ENDING = re.compile(r"(?:\s*(?:\.\.\.|…|show more|read more|continue reading))+\s*$", re.I)


@dataclass(slots=True)
class KnownEpisode:
    """All that is known under one title, or of one untitled text."""

    name: int
    title: str = ""  # squashed
    shown: str = ""  # as it is known
    texts: list[str] = field(default_factory=list)  # squashed, longest first
    days: set[date] = field(default_factory=set)
    spans: set[tuple[int, int]] = field(default_factory=set)
    numbers: set[int] = field(default_factory=set)
    between: tuple[date, date] | None = None  # of an unknown day: those of the episodes before and after it


class _Folds(dict[int, str]):
    """Characters as `squash` has them: no white space, no marks that sites eat, one form of quotes and dashes."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", char).casefold())
        self[code] = "".join(EATEN.sub("", folded).translate(QUOTES).split())
        return self[code]


class _Kinds(dict[int, str]):
    """The kind of every character: upper, lower, digit, other letter, blank, or sign (`p`)."""

    def __missing__(self, code: int) -> str:
        char, category = chr(code), unicodedata.category(chr(code))
        if char.isspace():
            kind = "s"
        elif category in ("Lu", "Lt"):
            kind = "u"
        elif category in ("Ll", "Lm") or category[0] == "M":
            kind = "l"
        elif category == "Lo":
            # Scripts without capitals: words of Arabic or Hindi have blanks between them, those of Chinese have not.
            kind = "o" if "\u2e80" < char < "\ud7ff" or "\u0e00" < char < "\u1000" else "l"
        else:
            kind = "d" if category == "Nd" else "p"
        self[code] = kind
        return kind


FOLDS, KINDS = _Folds(), _Kinds()
# Where a name can begin: after a blank or a sign, and where kinds change although no blank is between.
STARTS = re.compile(r"(?<![uld])[uld]|(?<=[ul])d|(?<=d)[ul]|(?<=l)u|(?<=u)u(?=l)|p|o|(?<=o)[uld]")


@dataclass(frozen=True, slots=True)
class SquashedText:
    """A line squashed, with the way between its places and the line's."""

    text: str
    squashed: str
    offsets: tuple[int, ...]  # of each character of the line, and of its end
    kinds: str

    def at(self, place: int) -> int:
        """The place in the squashed line of a place in the line."""
        return self.offsets[place]

    def back(self, place: int) -> int:
        """The first place of the line by which so much of it is squashed."""
        return min(bisect_right(self.offsets, place - 1), len(self.text)) if place else 0

    def begins(self, place: int) -> bool:
        """Whether a name can begin there, or one before it end."""
        return place >= len(self.text) or self.kinds[place] == "s" or STARTS.match(self.kinds, place) is not None


def flat(text: str) -> SquashedText:
    parts = [FOLDS[ord(char)] for char in text]
    return SquashedText(text, "".join(parts), tuple(accumulate(map(len, parts), initial=0)), text.translate(KINDS))


def squashed(text: str) -> str:
    return "".join(FOLDS[ord(char)] for char in unicodedata.normalize("NFC", text))


@lru_cache(maxsize=20_000)
def plain(html: str) -> str:
    """The text of show notes, which is compared only."""
    if "<" not in html and "&" not in html:
        return html
    tree = LexborHTMLParser(html)
    for node in tree.css("script, style"):
        node.decompose()
    return tree.body.text(separator=" ") if tree.body else ""


class Prefixes:
    """Finds the longest of many strings that another begins with, in the time of one search."""

    def __init__(self, strings: Iterable[str]) -> None:
        self.strings = sorted(set(strings))
        self.heads = frozenset(string[:3] for string in self.strings)
        self.longest = max(map(len, self.strings), default=0)
        self.shorter: list[int] = []
        stack: list[int] = []
        for place, string in enumerate(self.strings):
            while stack and not string.startswith(self.strings[stack[-1]]):
                stack.pop()
            self.shorter.append(stack[-1] if stack else -1)
            stack.append(place)

    def at(self, text: str, start: int) -> list[str]:
        """All of the strings that stand there, the longest first."""
        head = text[start : start + 3]
        if head not in self.heads and head[:2] not in self.heads and head[:1] not in self.heads:
            return []
        window = text[start : start + self.longest]
        place = bisect_right(self.strings, window) - 1
        found = []
        while place >= 0:
            if window.startswith(self.strings[place]):
                found.append(self.strings[place])
            place = self.shorter[place]
        return found


class EpisodeIndex:
    """The index: titles and openings of the episodes that sources of their own tell of."""

    def __init__(self, known: Sequence[EntryData], show: Show) -> None:
        self.episodes: list[KnownEpisode] = []
        self.by_title: dict[str, KnownEpisode] = {}
        untitled: list[tuple[str, EntryData]] = []
        # The order in which sources come must not matter.
        for said in sorted(known, key=lambda said: (fold(said.title), repr(sorted(said.payload().items())))):
            text = squashed(ENDING.sub("", (said.text or plain(said.html))[:LONGEST_TEXT]))
            title = squashed(said.title)
            if 0 < len(title) <= LONGEST_TITLE:
                self._add(self.by_title.get(title) or self._new(title), said, text)
            elif len(text) >= ENOUGH:
                untitled.append((text, said))
        self._shorten(squashed(show.title))
        self.by_head: dict[str, list[tuple[str, KnownEpisode]]] = {}
        for episode in self.episodes:
            self._index(episode)
        for text, said in untitled:
            same = self.opening(text, 0)
            if same is None:
                episode = self._new("")
                self._add(episode, said, text)
                self._index(episode)
            else:
                self._add(same[0], said, "")
        for episode in self.episodes:
            episode.texts = sorted(set(episode.texts), key=lambda text: (-len(text), text))
        self._bound()
        self.titles = Prefixes(self.by_title)
        self.heads = Prefixes(self.by_head)

    def _bound(self) -> None:
        """Between which days an episode of unknown day came out, by the numbers around its own."""
        numbered = sorted((min(e.numbers), e.name) for e in self.episodes if len(e.numbers) == 1)
        episodes = [self.episodes[name] for _, name in numbered]
        before, lows = date.min, []
        for episode in episodes:
            lows.append(before)
            before = max([before, *episode.days])
        after = date.max
        for episode, low in zip(reversed(episodes), reversed(lows), strict=True):
            if not episode.days and low <= after:
                episode.between = (low, after)
            after = min([after, *episode.days])

    def _new(self, title: str) -> KnownEpisode:
        episode = KnownEpisode(len(self.episodes), title)
        self.episodes.append(episode)
        if title:
            self.by_title[title] = episode
        return episode

    def _shorten(self, show: str) -> None:
        """Titles that carry the show's name or a number in front are known without them too."""
        bare: dict[str, set[int]] = {}
        for title, episode in self.by_title.items():
            line = flat(episode.shown)
            begin = 0
            if show and (sign := re.match(rf"{re.escape(show)}[-:|·•>/]+", title)):
                begin = line.back(sign.end())
            short = squashed(PREFIX.sub("", episode.shown[begin:]))
            if short != title and len(short) > 2:
                bare.setdefault(short, set()).add(episode.name)
        for short, own in bare.items():
            if len(own) == 1:
                self.by_title.setdefault(short, self.episodes[next(iter(own))])

    def _add(self, episode: KnownEpisode, said: EntryData, text: str) -> None:
        episode.shown = episode.shown or " ".join(said.title.split())
        if len(text) >= SHORT:
            episode.texts.append(text)
        if said.moment:
            episode.days.add(said.moment.at.date())
        if said.length:
            episode.spans.add((said.length.low, said.length.high))
        if said.number is not None:
            episode.numbers.add(said.number)

    def _index(self, episode: KnownEpisode) -> None:
        for text in episode.texts:
            if len(text) >= ENOUGH:
                self.by_head.setdefault(text[:TELLING], []).append((text, episode))

    def cut_titles(self, text: str) -> list[KnownEpisode]:
        """The episodes whose titles go on where `text` ends, or end there."""
        strings = self.titles.strings
        place = bisect_left(strings, text)
        found: dict[int, KnownEpisode] = {}
        while place < len(strings) and strings[place].startswith(text) and len(found) <= FEW:
            episode = self.by_title[strings[place]]
            found[episode.name] = episode
            place += 1
        return list(found.values()) if len(found) <= FEW else []

    def opening(self, text: str, start: int) -> tuple[KnownEpisode, int] | None:
        """The one episode whose text stands there for 67 characters or as a whole, and how much of it does.

        What several episodes begin with identifies none, unless one goes on being equal where the others do not.
        """
        found: dict[int, tuple[int, KnownEpisode]] = {}
        for known, episode in self.by_head.get(text[start : start + TELLING], ())[:200]:
            length = common(text, start, known)
            if length >= 67 or length == len(known) or (length == len(text) - start and length >= ENOUGH):
                found[episode.name] = max(found.get(episode.name, (0, episode)), (length, episode), key=lambda p: p[0])
        ranked = sorted(found.values(), key=lambda pair: -pair[0])
        if not ranked or (len(ranked) > 1 and ranked[1][0] + 34 > ranked[0][0]):
            return None
        return ranked[0][1], ranked[0][0]


def own_text(episode: KnownEpisode, text: str, start: int) -> int:
    """How much of the episode's text stands there."""
    return max((common(text, start, known) for known in episode.texts), default=0)


def common(text: str, start: int, known: str) -> int:
    """How many characters `text` from `start` on shares with the beginning of `known`."""
    low, high = 0, min(len(text) - start, len(known))
    if text.startswith(known, start):
        return len(known)
    while low < high:
        middle = (low + high + 1) // 2
        if text.startswith(known[:middle], start):
            low = middle
        else:
            high = middle - 1
    return low
