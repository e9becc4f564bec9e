"""Reads off an entry what matching compares: folded title, digits, declared number, opening, date,
length, identifiers."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property, lru_cache
from itertools import product
from typing import Any

from ..fields import EPISODE_TYPE, NUMBER, SEASON
from ..records import EntryData, Show
from ..text.normalize import fold, squash, without_marks
from ..text.numbering import BOTH, SEASON_WORD, numbers_in
from ..text.show_notes import to_text
from ..text.urls import enclosure_key, page_key
from ..text.vocabulary import load

# The identifiers of an entry, in words.
NAMES = {"guid": "the same guid", "audio": "the same audio file", "page": "the same page address"}
WHOLE_OPENING = 40  # characters: a whole text this long can identify an entry
OPENING = 80  # characters of equal beginning that do, where texts go apart later

# Characters of a folded title from which it is enough to tell an episode from the others of its show.
MIN_WHOLE_TITLE = 12

RANK = re.compile(rf"^\d{{1,4}}[.)]\s+(?!{SEASON_WORD}\b)(?=\S)")
PREFIX = re.compile(r"(?:episode|ep|e|no|nr|#)\.?\s*#?(?P<number>\d{1,5})(?:\s*[-:|.)]\s*|\s+|$)")
LOOSE = re.compile(r"(?P<number>\d{1,4})\s*[-:|]\s+(?=\S)")
MARKERS = {
    fold(word.replace("_", " ")): kind
    for kind, listed in load(__file__, "markers").items()
    for word in listed.split()
}
MARKER = re.compile(r"(?<![\w-])(?:" + "|".join(MARKERS) + r")(?![\w-])")
PART = re.compile(
    r"\b(?:part|pt|vol|volume|chapter)\.?\s+(?P<which>[ivx]+|one|two|three|four|five|six|seven|eight|nine|ten)\b"
)
NUMERALS = ("one two three four five six seven eight nine ten", "i ii iii iv v vi vii viii ix x")
PARTS = {name: str(n) for names in NUMERALS for n, name in enumerate(names.split(), 1)}


@dataclass(frozen=True)
class MatchKeys:
    """The values of an entry that matching compares, each worked out when first needed; "" and None
    where it says nothing.

    A show of one feed asks for little: its entries are never compared with each other.
    """

    said: EntryData
    show: Show
    plain: Callable[[str], str] = to_text  # markup as text
    # A page of any site is given the title of the episode, whatever part of it is printed.
    has_own_title: bool = True

    def payload(self) -> dict[str, Any]:
        """Return the values that take long to work out, as JSON-ready values."""
        return {
            "bare": list(self._bare),
            "opening": self.opening,
            "audio": self.audio,
            "page": self.page,
        }

    def restore(self, payload: Mapping[str, Any]) -> None:
        """Take over values that were worked out before."""
        # Where a cached property keeps its value.
        vars(self).update(payload, _bare=tuple(payload["bare"]))

    @cached_property
    def _bare(self) -> tuple[str, int | None, int | None, int | None]:
        return bare_title(self.said.title, self.show.title)

    @property
    def title(self) -> str:
        """The title folded, without rank, number prefix and the show's name."""
        return self._bare[0]

    @property
    def title_number(self) -> int | None:
        """The number that the title says, where a feed declares another."""
        return self._bare[2]

    @property
    def loose(self) -> int | None:
        """A bare number in front of the title: a number on some sites, a rank on others."""
        return self._bare[3]

    @cached_property
    def number(self) -> int | None:
        declared = NUMBER.value_in(self.said)
        return self.title_number if declared is None else declared

    @cached_property
    def season(self) -> int | None:
        declared = SEASON.value_in(self.said)
        return self._bare[1] if declared is None else declared

    @cached_property
    def digits(self) -> tuple[str, ...]:
        return digits(self.title)

    @cached_property
    def markers(self) -> frozenset[str]:
        found = MARKER.findall(self.title)
        # A show's "Trailer" is an episode like others: nothing is left that it could be the trailer
        # of.
        is_only_that = not MARKER.sub("", self.title).strip(" :-()[]")
        return frozenset() if is_only_that else frozenset(MARKERS[marker] for marker in found)

    @property
    def kind(self) -> str:
        """full, trailer or bonus, where declared."""
        return EPISODE_TYPE.value_in(self.said) or ""

    @cached_property
    def text(self) -> str:
        """The notes as plain text, as shown."""
        return self.said.text or self.plain(self.said.html)

    @cached_property
    def opening(self) -> str:
        """The squashed text, without what marks a cut."""
        return squash(without_marks(self.text))

    @cached_property
    def guid(self) -> str:
        return self.said.guid.strip()

    @cached_property
    def audio(self) -> str:
        return enclosure_key(self.said.audio_url)

    @cached_property
    def page(self) -> str:
        """The identity of the entry's own page; a show's home page, which lazy feeds give every
        item, identifies nothing."""
        key = page_key(self.said.url)
        path = key.partition("/")[2]
        return key if path and key not in homes(self.show) else ""

    @property
    def day(self) -> date | None:
        return self.said.moment.at.date() if self.said.moment else None

    @property
    def numbers(self) -> set[tuple[int | None, int]]:
        """Season and number as declared, and as the title has them: feeds are off by one against
        their own titles, and count seasons otherwise."""
        seasons = {self.season, *filter(None, self._bare[1:2])}
        return {
            (season, number)
            for season, number in product(seasons, (self.number, self.title_number))
            if number is not None and (self.has_own_title or number == self.said.number)
        }

    @property
    def empty(self) -> bool:
        """Nothing to know the entry by."""
        return not (self.guid or self.audio or self.title or len(self.opening) >= 30)


@lru_cache(maxsize=16)
def homes(show: Show) -> frozenset[str]:
    """The identities of a show's home page and feed."""
    return frozenset((page_key(show.site_url), page_key(show.feed_url)))


def marked(text: str) -> frozenset[str]:
    """The kinds that the words of a text name: trailer, clip, bonus, rerun."""
    return frozenset(MARKERS[word] for word in MARKER.findall(fold(text)))


def bare_title(title: str, show: str) -> tuple[str, int | None, int | None, int | None]:
    """The folded title without rank, number prefix and show name; season, number, and a loose
    number of the prefix.

    A title that is nothing but a prefix ("Episode 12") stays whole.
    """
    bare = without_show(fold(title), fold(show))
    # "3) Springs" counts the lines of a page, not the episodes.
    bare = _keep(RANK.sub("", bare), bare)
    season = number = loose = None
    # "Springs after S2E5" names another episode.
    if match := BOTH.match(bare):
        season, number = numbers_in(match)
        bare = _keep(bare[match.end() :], bare)
    elif match := PREFIX.match(bare):
        number = int(match["number"])
        bare = _keep(bare[match.end() :], bare)
    elif match := LOOSE.match(bare):
        loose = int(match["number"])
        bare = _keep(bare[match.end() :], bare)
    return without_show(bare, fold(show)), season, number, loose


def without_show(title: str, show: str) -> str:
    """The title without the show's name before or after it, where a separator parts them."""
    if not show:
        return title
    name = re.escape(show)
    return _keep(re.sub(rf"^{name}\s*[-:|·•>/]+\s*|\s*[-:|·•<(]+\s*{name}\)?$", "", title), title)


def _keep(bare: str, whole: str) -> str:
    return bare.strip() or whole


def digits(title: str) -> tuple[str, ...]:
    """The numbers in a folded title, "Part II" and "part two" read as 2."""
    # A numeral in words is one only behind "part": "Seven" may be a title.
    named = [PARTS.get(match["which"], match["which"]) for match in PART.finditer(title)]
    return tuple(
        sorted([number.lstrip("0") or "0" for number in re.findall(r"\d+", title)] + named)
    )
