"""Places to hear an episode: its page, the directories that list it, and searches where neither is
known; and the time at which an address begins to play it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import quote

from ...models import LONGEST_MOMENT, Attachment, Episode
from ...text.formatting import minutes, position
from ...text.link_labels import followable
from ...text.markup import storable
from ...text.urls import site_of
from ...text.vocabulary import load

_DATA = load(__file__, "places")
ROUNDING = 60  # seconds by which a length may be too short
OPENING = 30  # seconds of what a page shows that begins at a time
UNKNOWN_LENGTH = 1 << 30
LONGEST = minutes(LONGEST_MOMENT)


class ListeningPlace(NamedTuple):
    """Somewhere to listen, as people call it."""

    name: str
    address: str


class Listening(NamedTuple):
    """The episode's own page, and that or else the show's site; pages of others about the episode;
    searches if no page is known."""

    page: ListeningPlace | None
    site: ListeningPlace | None
    others: list[ListeningPlace]
    searches: list[ListeningPlace]


def listening(episode: Episode, entries: Iterable[Attachment]) -> Listening:
    """The places to listen at."""
    page = _place(episode.url)
    site = page or _place(episode.podcast.site_url)
    others: dict[str, ListeningPlace] = {}
    for item in (entry.item for entry in entries):
        # The page of a directory that lists the episode now, else its list.
        place = _place(item.said.url) or _place(item.document.url)
        if place and item.gone_version is None and not item.document.source.own:
            # A place that lists the episode in several documents is offered once.
            others[place.name] = place
    if site:
        # It has a line of its own.
        others.pop(site.name, None)
    words = quote(f"{episode.podcast.title} {episode.title}".strip(), safe="")
    searches = [ListeningPlace(name, at.format(words)) for name, at in _DATA["searches"].items()]
    return Listening(page, site, [*others.values()], [] if page else searches)


def _place(address: str) -> ListeningPlace | None:
    host = f".{site_of(address)}" if followable(address) else ""
    names = (name for end, name in _DATA["places"].items() if host.endswith(f".{end}"))
    return ListeningPlace(next(names, host[1:]), address) if host else None


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
    text = storable(text).strip()
    first, _, last = text.partition("-")
    start, end = (position(f"0{part.strip()}") for part in (first, last))  # nothing is 0
    length = episode.duration_seconds or UNKNOWN_LENGTH
    if start is None or start >= length + ROUNDING:
        return AskedTime(0), [f"“{text[:20]}” is no time in this episode, such as 754 or 12:34"]
    if last and end not in range(start + 1, start + LONGEST_MOMENT + 1):
        return AskedTime(start), [f"“{text[:20]}” must end after it begins, within {LONGEST}"]
    return AskedTime(start, end or 0), []
