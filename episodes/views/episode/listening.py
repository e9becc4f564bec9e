"""Where an episode can be heard: its page, the directories that list it, and searches where neither
is known."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import quote

from ...models import Attachment, Episode
from ...text.formatting import clock, minutes, position
from ...text.link_labels import followable
from ...text.urls import site_of
from ...text.vocabulary import load

_DATA = load(__file__, "places")
ROUNDING = 60  # seconds by which a length that is given in minutes may be too short


class ListeningPlace(NamedTuple):
    """Somewhere to listen, as people call it; `is_timed` where the address starts at the second
    asked for."""

    name: str
    address: str
    is_timed: bool = False


class Listening(NamedTuple):
    """The episode's own page, else the show's site; other pages about the episode; searches if no
    page is known."""

    page: ListeningPlace | None
    show: ListeningPlace | None
    others: list[ListeningPlace]
    searches: list[ListeningPlace]

    @property
    def is_timed(self) -> bool:
        return self.page is not None and self.page.is_timed

    @property
    def site(self) -> ListeningPlace | None:
        return self.page or self.show


def listening(episode: Episode, entries: Iterable[Attachment], start: int | None) -> Listening:
    """The places to listen at; addresses begin at second `start` where the place understands
    that."""
    page = _place(episode.url, start)
    show = None if page else _place(episode.podcast.site_url, None)
    others: dict[str, ListeningPlace] = {}
    for item in (entry.item for entry in entries):
        # The page of a directory that lists the episode now, else its list.
        place = _place(item.said.url, start) or _place(item.document.url, None)
        if place and item.gone_version is None and not item.document.source.own:
            others[place.name] = place
    for known in (page, show):
        others.pop(known.name if known else "", None)
    words = quote(f"{episode.podcast.title} {episode.title}".strip(), safe="")
    searches = [
        ListeningPlace(name, address.format(words)) for name, address in _DATA["searches"].items()
    ]
    return Listening(page, show, list(others.values()), [] if page else searches)


def _place(address: str, start: int | None) -> ListeningPlace | None:
    if not followable(address):
        return None
    host = site_of(address)
    known: dict[str, str] = next(
        (place for end, place in _DATA["places"].items() if f".{host}".endswith(f".{end}")), {}
    )
    timed = _timed(address, known.get("at", ""), start)
    return ListeningPlace(known.get("name", host), timed, timed != address)


def _timed(address: str, pattern: str, start: int | None) -> str:
    """The address with the second to start at, as its place writes it; unchanged where the place
    has no such way."""
    if not start or "#" in address:
        return address
    joined = pattern.replace("?", "&") if "?" in address else pattern
    return address + joined.format(start)


def asked_start(text: str, episode: Episode) -> tuple[int | None, list[str]]:
    """The second that `?t=` asks for, and what is wrong with it."""
    start = position(text)
    if start is None and text.strip():
        return None, [f"“{text[:20]}” is not a time: write seconds (754) or a clock time (12:34)"]
    length = episode.duration_seconds
    if (
        start
        and length is not None
        and start >= length + (0 if episode.duration_exact else ROUNDING)
    ):
        return None, [f"{clock(start)} is after the end of this episode ({minutes(length)})"]
    return start or None, []
