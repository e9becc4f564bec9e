"""Puts a show's episodes in their one order: by season and number, else by date, else by their
position in a list, else by name. Pure."""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from ..records import NO_DATE

EARLIEST, LATEST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class SortableEpisode:
    """An episode to be sorted. `name` breaks ties, and must not depend on the order of imports."""

    id: Any
    number: int | None
    at: datetime | None
    name: str
    season: int | None = None


def was_in_future(at: datetime, read_at: datetime | None) -> bool:
    """Return whether a date was still to come, by more than two days, when the show was read last."""
    return read_at is not None and at > read_at + timedelta(days=2)


def ids_newest_first(
    episodes: Sequence[SortableEpisode], id_lists: Sequence[Sequence[Any]]
) -> list[Any]:
    """Return the ids of a show's episodes, newest first.

    Numbered episodes come in the order of their numbers. A dated episode without a number goes before
    the first older numbered one. An episode with neither goes to its position in the documents:
    `id_lists` has the ids of each as listed, the document of the highest priority first. The rest comes
    last, by name.
    """
    position_of = _sort_keys_by_id(episodes)
    by_date = sorted(episodes, key=lambda e: (-(e.at or EARLIEST).timestamp(), e.name))
    numbered = [episode for episode in by_date if episode.id in position_of]
    # The sort is stable, so that equal numbers stay in the order of their dates.
    numbered.sort(key=lambda episode: position_of[episode.id], reverse=True)
    dated = [episode for episode in by_date if episode.at and episode.id not in position_of]
    ids = [episode.id for episode in _interleave(numbered, dated)]
    for listed_ids in id_lists:
        ids = _insert_unplaced(ids, listed_ids)
    placed = set(ids)
    by_name = sorted(episodes, key=lambda episode: episode.name)
    return ids + [episode.id for episode in by_name if episode.id not in placed]


def _sort_keys_by_id(episodes: Iterable[SortableEpisode]) -> dict[Any, tuple[int, ...]]:
    """Return a sort key for each numbered episode by its id: (number,) or, in a show that uses
    seasons, (season, number).

    A show uses seasons if most of its numbers have one. An episode without a season has no position
    then, and its date decides.
    """
    by_number: dict[Any, tuple[int, ...]] = {}
    by_season: dict[Any, tuple[int, ...]] = {}
    for episode in episodes:
        if episode.number is None:
            continue
        by_number[episode.id] = (episode.number,)
        if episode.season is not None:
            by_season[episode.id] = (episode.season, episode.number)
    uses_seasons = 2 * len(by_season) > len(by_number)
    return by_season if uses_seasons else by_number


def _interleave(
    numbered: Sequence[SortableEpisode], dated: Sequence[SortableEpisode]
) -> list[SortableEpisode]:
    """Merge two lists, newest first: each dated episode goes before the first older numbered one."""
    merged: list[SortableEpisode] = []
    waiting = deque(dated)
    oldest_so_far = LATEST
    for episode in numbered:
        oldest_so_far = min(oldest_so_far, episode.at or LATEST)
        while waiting and (waiting[0].at or LATEST) > oldest_so_far:
            merged.append(waiting.popleft())
        merged.append(episode)
    return [*merged, *waiting]


def _insert_unplaced(ids: Sequence[Any], listed_ids: Sequence[Any]) -> list[Any]:
    """Return the ids with the unplaced ids of a list inserted, each behind the id before it in the
    list.

    The head of the list goes before the first placed episode of the list, or to the end.
    """
    placed, listed = set(ids), dict.fromkeys(listed_ids)
    order = list(ids)
    if placed.issuperset(listed):
        return order
    position = next((index for index, id_ in enumerate(ids) if id_ in listed), len(order))
    for id_ in listed:
        if id_ in placed:
            position = order.index(id_)
        else:
            order.insert(position, id_)
        position += 1
    return order


def instants_for_sorting(dates: Sequence[datetime | None]) -> list[datetime]:
    """Return an instant for each episode of a show, oldest first, that sorts it in feeds and among other
    shows.

    It is the episode's date, moved by as many seconds as it takes to come after the episode before
    it. Without a date it is a second after the episode before it. Before the first date it is
    counted down from there. A date that contradicts the order stays as it is.
    """
    first_index, first_date = 0, NO_DATE
    for index, date in enumerate(dates):
        if date:
            first_index, first_date = index, date
            break
    results: list[datetime] = []
    next_instant = _shifted(first_date, -first_index)
    last_date = EARLIEST
    for date in dates:
        if date and date < last_date:
            instant = date  # it contradicts the order
        else:
            instant = max(date or next_instant, next_instant)
        results.append(instant)
        next_instant = _shifted(instant, 1)
        last_date = date or last_date
    return results


def _shifted(at: datetime, seconds: int) -> datetime:
    """Return a date moved by seconds, or as it is if it would leave the calendar."""
    try:
        return at + timedelta(seconds=seconds)
    except OverflowError:  # at the beginning or the end of time
        return at
