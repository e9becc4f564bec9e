"""The match keys of an entry: folded title, numbers, opening, date, length, identifiers. Pure."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property, lru_cache
from itertools import product
from typing import Any, NamedTuple

from ..fields import EPISODE_TYPE_FIELD, NUMBER_FIELD, SEASON_FIELD
from ..records import DurationRange, EntryData, Show
from ..text.normalize import fold, fold_without_spaces, strip_cut_marks
from ..text.numbering import SEASON_AND_NUMBER, SEASON_WORD, season_and_number_of_match
from ..text.show_notes import to_text
from ..text.urls import enclosure_key, page_key

# The identifiers of an entry, in words.
IDENTIFIER_REASONS = {
    "guid": "the same guid",
    "audio": "the same audio file",
    "page": "the same page address",
}
# Characters without white space that identify an entry: of a whole text, and of an equal beginning of texts
# that differ later. A text of 40 characters has about 33 of them, and a text of 80 about 66.
MIN_WHOLE_OPENING = 33
MIN_SHARED_OPENING = 66

# Characters of a folded title that are enough to identify an episode in its show.
MIN_DISTINCTIVE_TITLE = 12

# "3) " before a title of a page, which counts its lines, but not "2. Season"
LEADING_RANK = re.compile(rf"^\d{{1,4}}[.)]\s+(?!{SEASON_WORD}\b)(?=\S)")
# "episode 12: ", "ep. 12 - ", "#12 "
NUMBER_PREFIX = re.compile(
    r"(?:episode|ep|e|no|nr|#)\.?\s*#?(?P<number>\d{1,5})(?:\s*[-:|.)]\s*|\s+|$)"
)

SeasonNumber = tuple[int | None, int]  # None for an unknown season


class BareTitle(NamedTuple):
    """A folded title without rank, number prefix and show name, and the numbers of the prefix."""

    title: str
    season: int | None = None
    number: int | None = None


@dataclass(frozen=True)
class MatchKeys:
    """The match keys of an entry, each computed when it is first needed. They are "" or None if the
    entry has no such value.

    A show of one feed needs few: its entries are never compared with each other.
    """

    values: EntryData
    show: Show
    to_plain: Callable[[str], str] = to_text  # makes text of markup
    # False for an entry of a page of any site: its title was completed, so numbers in it prove nothing.
    has_own_title: bool = True

    def payload(self) -> dict[str, Any]:
        """Return the match keys that take long to compute, as JSON-ready values."""
        return {
            "bare": list(self._parsed_title),
            "opening": self.opening,
            "audio": self.audio,
            "page": self.page,
        }

    def restore(self, payload: Mapping[str, Any]) -> None:
        """Use a stored payload in place of computing it again."""
        # A cached property keeps its value here.
        vars(self).update(payload, _parsed_title=BareTitle(*payload["bare"]))

    @cached_property
    def _parsed_title(self) -> BareTitle:
        return bare_title_and_numbers(self.values.title, self.show.title)

    @property
    def title(self) -> str:
        return self._parsed_title.title

    @cached_property
    def number(self) -> int | None:
        declared = NUMBER_FIELD.value_of_entry(self.values)
        return self._parsed_title.number if declared is None else declared

    @cached_property
    def season(self) -> int | None:
        declared = SEASON_FIELD.value_of_entry(self.values)
        return self._parsed_title.season if declared is None else declared

    @property
    def seasons_and_numbers(self) -> set[SeasonNumber]:
        """Return pairs of season and number, as declared and as the title has them: `{(2, 5), (2, 6)}` of a
        declared "season 2, number 5" with the title "S2E6: Looms".

        Some feeds are off by one against their own titles, or count seasons otherwise.
        """
        seasons = {self.season}
        season_in_title = self._parsed_title.season
        if season_in_title:
            seasons.add(season_in_title)
        numbers = {self.values.number}  # as declared, or None
        # Numbers in a title that was completed from another entry prove nothing.
        if self.has_own_title:
            # The number of "Springs (S2E5)" is no prefix, so the parsed title has none.
            numbers |= {self.number, self._parsed_title.number}
        return {
            (season, number) for season, number in product(seasons, numbers) if number is not None
        }

    @cached_property
    def digits(self) -> tuple[str, ...]:
        """Return the numbers in the title as texts, sorted: "7" for "007"."""
        numbers = [number.lstrip("0") or "0" for number in re.findall(r"\d+", self.title)]
        return tuple(sorted(numbers))

    @property
    def kind(self) -> str:
        return EPISODE_TYPE_FIELD.value_of_entry(self.values) or ""

    @cached_property
    def text(self) -> str:
        return self.values.text or self.to_plain(self.values.html)

    @cached_property
    def opening(self) -> str:
        return fold_without_spaces(strip_cut_marks(self.text))

    @cached_property
    def guid(self) -> str:
        return self.values.guid.strip()

    @cached_property
    def audio(self) -> str:
        return enclosure_key(self.values.audio_url)

    @cached_property
    def page(self) -> str:
        """Return the identity of the entry's own page. Lazy feeds give every item the show's home page,
        which identifies nothing."""
        key = page_key(self.values.url)
        path = key.partition("/")[2]
        return key if path and key not in _home_keys(self.show) else ""

    @property
    def day(self) -> date | None:
        return self.values.moment.at.date() if self.values.moment else None

    @property
    def length(self) -> DurationRange | None:
        return self.values.length

    @property
    def is_empty(self) -> bool:
        # A shorter text than that may be of any episode.
        return not (self.guid or self.audio or self.title or len(self.opening) >= 30)


@lru_cache(maxsize=16)
def _home_keys(show: Show) -> frozenset[str]:
    return frozenset((page_key(show.site_url), page_key(show.feed_url)))


def bare_title_and_numbers(title: str, show_title: str) -> BareTitle:
    """Return the folded title without rank, number prefix and show name, and the numbers of the
    prefix: ("springs", 2, 5) of "Looms - S2E5: Springs".

    A title that is nothing but a prefix ("Episode 12") stays whole.
    """
    show_title = fold(show_title)
    bare = _without_show_title(fold(title), show_title)
    bare = LEADING_RANK.sub("", bare).strip() or bare  # "3) springs"
    season = None
    number = None
    # Only in front: "Springs after S2E5" names another episode.
    if prefix := SEASON_AND_NUMBER.match(bare):
        season, number = season_and_number_of_match(prefix)
    elif prefix := NUMBER_PREFIX.match(bare):
        number = int(prefix["number"])
    else:
        # "12: Springs" loses its prefix, but has no number: 12 is a rank on some sites.
        prefix = re.match(r"\d{1,4}\s*[-:|]\s+(?=\S)", bare)
    if prefix:
        bare = bare[prefix.end() :].strip() or bare
    # The show's name may also stand behind the prefix: "Ep. 12: Looms - Springs".
    return BareTitle(_without_show_title(bare, show_title), season, number)


def _without_show_title(title: str, show_title: str) -> str:
    """Return a title without the show's name before or after it, if a separator parts them."""
    if not show_title:
        return title
    name = re.escape(show_title)
    name_before = rf"^{name}\s*[-:|·•>/]+\s*"  # "looms: "
    name_behind = rf"\s*[-:|·•<(]+\s*{name}\)?$"  # " (looms)"
    rest = re.sub(f"{name_before}|{name_behind}", "", title)
    return rest.strip() or title
