"""Puts a show's episodes in their one order: season and number, else date, else the place in a
list, else a name; pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from heapq import merge
from itertools import accumulate
from operator import itemgetter
from typing import Any

from ..records import NO_DATE

EARLIEST, LATEST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
AHEAD = timedelta(days=2)  # by which a date may be after the reading that brought it


@dataclass(frozen=True, slots=True)
class Sortable:
    """An episode as ordering sees it; `name` breaks ties and must not depend on the order of
    ingests."""

    id: Any
    number: int | None
    at: datetime | None
    name: str
    season: int | None = None


Count = tuple[int, ...]


def counts(episodes: Sequence[Sortable]) -> dict[Any, Count]:
    """The place of each episode that is counted: its number or, in a show that uses seasons,
    season and number.

    A show uses seasons if most of its numbers have one; a number without one then says nothing, and
    its date decides.
    """
    numbers = {e.id: (e.number,) for e in episodes if e.number is not None}
    seasons = {
        e.id: (e.season, e.number)
        for e in episodes
        if e.number is not None and e.season is not None
    }
    return {**seasons} if 2 * len(seasons) > len(numbers) else {**numbers}


def is_ahead(at: datetime, read_at: datetime | None) -> bool:
    """True for a date that was still to come when the show was read last: it does not sort yet."""
    return read_at is not None and at > read_at + AHEAD


def newest_first(episodes: Sequence[Sortable], lists: Sequence[Sequence[Any]]) -> list[Any]:
    """The ids, newest first. `lists` are documents in the order of their ranks, each a list of
    episode ids as listed."""
    counted, dates = counts(episodes), {e.id: e.at for e in episodes if e.at}
    named = sorted(episodes, key=lambda e: (-dates.get(e.id, EARLIEST).timestamp(), e.name))
    numbered = [e for e in named if e.id in counted]
    # Stable, so that equal numbers keep the order of their dates.
    numbered.sort(key=lambda e: counted[e.id], reverse=True)
    # A dated one comes before the first of the numbered that is older.
    earliest = accumulate((dates.get(e.id, LATEST) for e in numbered), min)
    dated = ((e.at, e.id) for e in named if e.at and e.id not in counted)
    rows = merge(
        zip(earliest, (e.id for e in numbered), strict=True), dated, key=itemgetter(0), reverse=True
    )
    placed = [id_ for _, id_ in rows]
    names = {e.id: e.name for e in episodes}
    for listed in lists:
        placed = _with_listed(placed, listed)
    return [*placed, *sorted(names.keys() - set(placed), key=lambda id_: names[id_])]


def _with_listed(placed: list[Any], listed: Sequence[Any]) -> list[Any]:
    """The order with what else a list holds: each behind the one before it, the head of the list
    before what follows it.

    A list that has nothing in common with the order goes to its end.
    """
    known, named = set(placed), dict.fromkeys(listed)
    found = list(placed)
    # A list that begins with what nobody dated says where that belongs by what follows it.
    place = next((n for n, id_ in enumerate(placed) if id_ in named), len(placed))
    for id_ in named if named.keys() - known else ():
        if id_ in known:
            place = found.index(id_)
        else:
            found.insert(place, id_)
        place += 1
    return found


def instants(dates: Sequence[datetime | None]) -> list[datetime]:
    """An instant for each episode of a show, oldest first, that sorts it among those of other shows
    and in feeds.

    It is the episode's own date, moved by as many seconds as it takes to come after the episode
    before it. Without a date it is a second after that of the episode before, or, before the first
    dated one, counted down from there. A date that contradicts the order stays as it is.
    """
    first, date = next(((n, date) for n, date in enumerate(dates) if date), (0, NO_DATE))
    found, following, dated = [], _moved(date, -first), EARLIEST
    for own in dates:
        found.append(own if own and own < dated else max(own or following, following))
        following, dated = _moved(found[-1], 1), own or dated
    return found


def _moved(at: datetime, seconds: int) -> datetime:
    try:
        return at + timedelta(seconds=seconds)
    except OverflowError:  # at the beginning or the end of time
        return at
