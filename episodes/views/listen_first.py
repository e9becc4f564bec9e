"""Episodes that are to be heard before others: a line for each, and lists in that order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from graphlib import TopologicalSorter
from heapq import heappop, heappush
from itertools import combinations
from typing import TypeVar

from ..models import Episode, Reference, Route
from .reason import Reason

Key = TypeVar("Key", int, str)  # stands for an episode
Needs = Mapping[int, Set[int]]  # ids of episodes: those to be heard first


def needs() -> Needs:
    """Prerequisites of every episode that has any: its own, and the episodes that call it their
    follow-up."""
    stated = Reference.objects.order_by()
    own = stated.filter(kind="prerequisite").values_list("episode", "target")
    before: defaultdict[int, set[int]] = defaultdict(set)
    for episode, first in own.union(
        stated.filter(kind="follow-up").values_list("target", "episode")
    ):
        before[episode].add(first)
    return dict(before)


def notes(episodes: Iterable[Episode], before: Needs) -> dict[int, list[Reason]]:
    """A line for each of these episodes that needs others: “Listen first: …”, by its id."""
    needing = [episode.pk for episode in episodes if episode.pk in before]
    wanted = set[int]().union(*(before[pk] for pk in needing))
    rows = Episode.objects.filter(pk__in=wanted).named().order_by("podcast", "order")
    return {
        pk: [Reason("Listen first", episodes=[row for row in rows if row.pk in before[pk]])]
        for pk in needing
    }


def reversed_in(route: Route, before: Needs) -> list[tuple[Episode, Episode]]:
    """Pairs of a path in which the episode that comes later is needed by the one before it; the
    needed one is second."""
    pairs = combinations(route.episodes, 2)
    return [(first, later) for later, first in pairs if first.pk in before.get(later.pk, ())]


def in_reading_order(
    keys: Sequence[Key], prerequisites: Mapping[Key, Collection[Key]]
) -> list[Key]:
    """The episodes, which come oldest first, with prerequisites first.

    A prerequisite that is not among `keys` is left out, what it needs in turn counts. Episodes that
    need each other stand by date among themselves, after what they all need.
    """
    place = {key: number for number, key in enumerate(keys)}
    waits = {
        key: _reached(key, prerequisites) & place.keys()
        for key in place.keys() & prerequisites.keys()
    }
    sorter = TopologicalSorter(
        {
            key: {first for first in waits.get(key, ()) if key not in waits.get(first, ())}
            for key in keys
        }
    )
    sorter.prepare()
    ready: list[int] = []
    ordered: list[Key] = []
    while sorter.is_active():
        for key in sorter.get_ready():
            heappush(ready, place[key])
        ordered.append(keys[heappop(ready)])
        sorter.done(ordered[-1])
    return ordered


def _reached(key: Key, prerequisites: Mapping[Key, Collection[Key]]) -> set[Key]:
    """All that an episode needs, at once or by way of others; itself too where it stands in a
    cycle."""
    reached: set[Key] = set()
    waiting = {key}
    while waiting:
        waiting = set[Key]().union(*(prerequisites.get(one, ()) for one in waiting)) - reached
        reached |= waiting
    return reached
