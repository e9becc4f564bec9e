"""Puts a show's episodes in their one order: by season and number, else by date, else by their
position in a list, else by name. Pure."""

from collections import defaultdict, deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import inf
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

    @property
    def at_or_latest(self) -> datetime:
        return self.at or LATEST


def was_in_future(at: datetime, read_at: datetime | None) -> bool:
    """Return whether a date was more than two days ahead when the show was last imported (`read_at`)."""
    return read_at is not None and at > read_at + timedelta(days=2)


def sort_ids_newest_first(
    episodes: Sequence[SortableEpisode], listed_ids_by_priority: Sequence[Sequence[Any]]
) -> list[Any]:
    """Return the ids of a show's episodes, newest first.

    Numbered episodes come in the order of their numbers. A dated episode without a number goes before
    the first older numbered one. An episode with neither, or with the date of another one, goes to its
    position in the documents: `listed_ids_by_priority` has the ids of each as listed, the document of the highest
    priority first. The rest comes last, by name.
    """
    by_name = sorted(episodes, key=lambda episode: episode.name)
    newest_first_lists = _lists_newest_first(episodes, listed_ids_by_priority)
    # Sorts are stable: episodes of one date stay in the order of their list, or else of their names, and
    # episodes of one number in the order of their dates.
    position_by_id = _positions_of_equal_dates_by_id(episodes, newest_first_lists)
    by_list = sorted(by_name, key=lambda episode: position_by_id.get(episode.id, inf))
    by_date = sorted(by_list, key=lambda episode: episode.at or EARLIEST, reverse=True)
    ids = _ids_of_numbered_or_dated_newest_first(by_date)
    for listed_ids in newest_first_lists:
        ids = _with_missing_ids_inserted(ids, listed_ids)
    ordered_ids = set(ids)
    ids_without_position = [episode.id for episode in by_name if episode.id not in ordered_ids]
    return ids + ids_without_position


def _lists_newest_first(
    episodes: Sequence[SortableEpisode], listed_ids_by_priority: Sequence[Sequence[Any]]
) -> list[Sequence[Any]]:
    """Return the lists, but reverse a list that begins with an older date than it ends with."""
    date_by_id = {episode.id: episode.at for episode in episodes if episode.at}
    lists = []
    for listed_ids in listed_ids_by_priority:
        dates = [date_by_id[id_] for id_ in listed_ids if id_ in date_by_id]
        is_oldest_first = bool(dates) and dates[0] < dates[-1]
        lists.append(listed_ids[::-1] if is_oldest_first else listed_ids)
    return lists


def _positions_of_equal_dates_by_id(
    episodes: Sequence[SortableEpisode], newest_first_lists: Sequence[Sequence[Any]]
) -> dict[Any, int]:
    """Return the positions of episodes that share their date, in the first list that has two of them."""
    # Undated episodes share the date None, so that two of one number are in the order of their list, too.
    ids_by_date = defaultdict[datetime | None, list[Any]](list)
    for episode in episodes:
        ids_by_date[episode.at].append(episode.id)
    ids_of_equal_dates = [ids for ids in ids_by_date.values() if len(ids) > 1]
    position_by_id: dict[Any, int] = {}
    for listed_ids in newest_first_lists:
        # If a list has an episode twice, the first position counts.
        position_in_list = {id_: index for index, id_ in enumerate(dict.fromkeys(listed_ids))}
        for ids in ids_of_equal_dates:
            listed = {id_: position_in_list[id_] for id_ in ids if id_ in position_in_list}
            has_positions = not position_by_id.keys().isdisjoint(ids)
            if len(listed) > 1 and not has_positions:
                position_by_id |= listed
    return position_by_id


def _ids_of_numbered_or_dated_newest_first(newest_first: Sequence[SortableEpisode]) -> list[Any]:
    number_key_by_id = _number_sort_keys_by_id(newest_first)
    numbered = []
    dated = []
    for episode in newest_first:
        if episode.id in number_key_by_id:
            numbered.append(episode)
        elif episode.at:
            dated.append(episode)
        # An episode with neither gets its place by the documents that list it.
    numbered.sort(key=lambda episode: number_key_by_id[episode.id], reverse=True)
    return [episode.id for episode in _interleave_newest_first(numbered, dated)]


def _number_sort_keys_by_id(newest_first: Sequence[SortableEpisode]) -> dict[Any, tuple[int, ...]]:
    """Return a sort key for each numbered episode by its id: (season, number), with the declared season
    if the show uses seasons.

    A show uses seasons if most of its numbers have one. An episode without a season has no position
    then, and its date decides.
    """
    numbered_count = 0
    declared_key_by_id: dict[Any, tuple[int, ...]] = {}
    for episode in newest_first:
        if episode.number is None:
            continue
        numbered_count += 1
        if episode.season is not None:
            declared_key_by_id[episode.id] = (episode.season, episode.number)
    uses_seasons = len(declared_key_by_id) > numbered_count / 2
    return declared_key_by_id if uses_seasons else _sort_keys_with_inferred_seasons(newest_first)


def _sort_keys_with_inferred_seasons(
    newest_first: Sequence[SortableEpisode],
) -> dict[Any, tuple[int, ...]]:
    """Return (season, number) of the numbered episodes by their ids. Another season begins where the
    number 0 or 1 of this season comes once more, at a later date.

    The numbers 1, 2, 3, 1, 2 in the order of their dates are of the seasons 0, 0, 0, 1, 1. With several
    seasons an episode without a date has no position, as it may be of any.
    """
    sort_key_by_id: dict[Any, tuple[int, ...]] = {}
    undated_sort_key_by_id: dict[Any, tuple[int, ...]] = {}
    season = 0
    last_at_by_number: dict[int, datetime] = {}  # in this season
    for episode in reversed(newest_first):
        if episode.number is None:
            continue
        if episode.at is None:
            undated_sort_key_by_id[episode.id] = (0, episode.number)
            continue
        last_at = last_at_by_number.get(episode.number, episode.at)
        # Two episodes of one number and date are of one season.
        is_number_repeated_later = last_at < episode.at
        if episode.number <= 1 and is_number_repeated_later:
            season += 1
            last_at_by_number.clear()
        last_at_by_number[episode.number] = episode.at
        sort_key_by_id[episode.id] = (season, episode.number)
    if season == 0:
        sort_key_by_id |= undated_sort_key_by_id
    return sort_key_by_id


def _interleave_newest_first(
    numbered: Sequence[SortableEpisode], dated: Sequence[SortableEpisode]
) -> list[SortableEpisode]:
    """Merge two lists, newest first: each dated episode goes before the first older numbered one.

    A bonus of April goes between number 12 of May and number 11 of March.
    """
    merged: list[SortableEpisode] = []
    waiting = deque(dated)
    for episode in numbered:
        # A numbered episode without a date counts as the latest: no dated one goes before it.
        while waiting and waiting[0].at_or_latest > episode.at_or_latest:
            merged.append(waiting.popleft())
        merged.append(episode)
    return [*merged, *waiting]


def _with_missing_ids_inserted(ordered_ids: Sequence[Any], listed_ids: Sequence[Any]) -> list[Any]:
    """Return the ordered ids with the missing ids of a list inserted, each behind the id before it in the
    list: [5, 4, 2, 1] with the listed ids [4, 3, 1] is [5, 4, 3, 2, 1].

    The head of the list goes before its first id that is ordered already, or to the end.
    """
    present_ids = set(ordered_ids)
    listed = dict.fromkeys(listed_ids)  # each once
    new_ids = list(ordered_ids)
    # Most often none is missing, and finding positions is slow.
    if present_ids.issuperset(listed):
        return new_ids
    position = _position_of_first_listed(ordered_ids, listed)
    for id_ in listed:
        if id_ in present_ids:
            position = new_ids.index(id_)
        else:
            new_ids.insert(position, id_)
        # The next missing id goes behind this one.
        position += 1
    return new_ids


def _position_of_first_listed(ids: Sequence[Any], listed: Collection[Any]) -> int:
    for position, id_ in enumerate(ids):
        if id_ in listed:
            return position
    return len(ids)


def instants_for_sorting(dates_oldest_first: Sequence[datetime | None]) -> list[datetime]:
    """Return an instant for each episode of a show, oldest first, that sorts it in feeds and among other
    shows.

    It is the episode's date, moved by as many seconds as it takes to come after the episode before
    it. Without a date it is a second after the episode before it. Before the first date it is
    counted down from there. A date that contradicts the order stays as it is.
    """
    instants: list[datetime] = []
    next_instant = _instant_of_first_episode(dates_oldest_first)
    last_date = EARLIEST
    for date in dates_oldest_first:
        if date is None:
            instant = next_instant
        elif date < last_date:
            # It contradicts the order. The episodes behind it are counted on from it.
            instant = date
        else:
            instant = max(date, next_instant)
        instants.append(instant)
        next_instant = _shifted(instant, seconds=1)
        last_date = date or last_date
    return instants


def _instant_of_first_episode(dates_oldest_first: Sequence[datetime | None]) -> datetime:
    for undated_before, date in enumerate(dates_oldest_first):
        if date:
            return _shifted(date, seconds=-undated_before)
    return NO_DATE


def _shifted(at: datetime, seconds: int) -> datetime:
    try:
        return at + timedelta(seconds=seconds)
    except OverflowError:  # at the beginning or the end of time
        return at
