"""Places to hear an episode: its page, the directories that list it, and searches where neither is
known."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import inf
from typing import NamedTuple
from urllib.parse import quote

from ...models import LONGEST_MOMENT, Attachment, Episode
from ...text.formatting import clock, minutes, position
from ...text.link_labels import followable
from ...text.markup import storable
from ...text.urls import site_of
from ...text.vocabulary import load

_DATA = load(__file__, "places")
ROUNDING = 60  # seconds by which a length may be too short
OPENING = 30  # seconds of what a page shows that begins at a time
PART = re.compile(r"\s*([^\s-]+)\s*-\s*([^\s-]+)\s*")


class ListeningPlace(NamedTuple):
    """Somewhere to listen, as people call it."""

    name: str
    address: str


class Listening(NamedTuple):
    """The episode's own page, else the show's site; other pages about the episode; searches if no
    page is known."""

    page: ListeningPlace | None
    show: ListeningPlace | None
    others: list[ListeningPlace]
    searches: list[ListeningPlace]

    @property
    def site(self) -> ListeningPlace | None:
        return self.page or self.show


def listening(episode: Episode, entries: Iterable[Attachment]) -> Listening:
    """The places to listen at."""
    page = _place(episode.url)
    show = None if page else _place(episode.podcast.site_url)
    others: dict[str, ListeningPlace] = {}
    for item in (entry.item for entry in entries):
        # The page of a directory that lists the episode now, else its list.
        place = _place(item.said.url) or _place(item.document.url)
        if place and item.gone_version is None and not item.document.source.own:
            others[place.name] = place
    own = page or show
    others.pop(own.name if own else "", None)
    words = quote(f"{episode.podcast.title} {episode.title}".strip(), safe="")
    searches = [
        ListeningPlace(name, address.format(words)) for name, address in _DATA["searches"].items()
    ]
    return Listening(page, show, list(others.values()), [] if page else searches)


def _place(address: str) -> ListeningPlace | None:
    if not followable(address):
        return None
    host = site_of(address)
    ends = (name for end, name in _DATA["places"].items() if f".{host}".endswith(f".{end}"))
    return ListeningPlace(next(ends, host), address)


class AskedTime(NamedTuple):
    """The second at which to begin, and the one at which to stop; 0 where not asked for."""

    start: int
    end: int = 0

    @property
    def opening(self) -> AskedTime:
        """The time of what is said first where it begins later than at 0."""
        return AskedTime(self.start, self.start and self.start + OPENING)

    def __str__(self) -> str:
        """`324-341`, `324`, or "": as an address has it."""
        return f"{self.start}-{self.end}" if self.end else str(self.start or "")


def asked_time(text: str, episode: Episode) -> tuple[AskedTime, list[str]]:
    """The time that `?t=` asks for, and what is wrong with it."""
    parts = PART.fullmatch(text)
    if parts is None:
        start, complaints = _second(text, episode)
        return AskedTime(start), complaints
    (start, wrong), (end, also_wrong) = (_second(second, episode) for second in parts.groups())
    if complaints := wrong + also_wrong:
        return AskedTime(start), complaints
    if not start < end <= start + LONGEST_MOMENT:
        longest = minutes(LONGEST_MOMENT)
        return AskedTime(start), [f"“{text[:20]}” must end after it begins, within {longest}"]
    return AskedTime(start, end), []


def _second(text: str, episode: Episode) -> tuple[int, list[str]]:
    """The second that a text means, 0 where it is none, and what is wrong with it."""
    text = storable(text).strip()
    start = position(text or "0")
    if start is None:
        return 0, [f"“{text[:20]}” is not a time: write seconds (754) or a clock time (12:34)"]
    length = episode.duration_seconds
    if start >= (length or inf) + ROUNDING:
        return 0, [f"{clock(start)} is after the end of this episode ({minutes(length)})"]
    return start, []
