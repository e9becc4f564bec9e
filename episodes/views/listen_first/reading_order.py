"""Puts episodes in the order in which to hear them: what the notes say to hear first stands first, else the oldest."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from graphlib import TopologicalSorter
from heapq import heappop, heappush
from typing import TypeVar

Key = TypeVar("Key", int, str)  # what stands for an episode


def in_reading_order(
    keys: Sequence[Key], prerequisites: Mapping[Key, Collection[Key]]
) -> tuple[list[Key], list[tuple[Key, ...]]]:
    """The episodes, which come oldest first, with prerequisites first; and the cycles of those that wait for each other.

    A prerequisite that is not among `keys` is left out, what it needs in turn counts. The members of a cycle stand by
    date among each other, after what they all need. Raises nothing.
    """
    place = {key: number for number, key in enumerate(keys)}
    needs = {key: _reached(key, prerequisites) & place.keys() for key in place.keys() & prerequisites.keys()}
    cycles = {key: {other for other in others if key in needs.get(other, ())} for key, others in needs.items()}
    sorter = TopologicalSorter({key: needs.get(key, set()) - cycles.get(key, set()) for key in keys})
    sorter.prepare()
    ready: list[int] = []
    ordered: list[Key] = []
    while sorter.is_active():
        for key in sorter.get_ready():
            heappush(ready, place[key])
        ordered.append(keys[heappop(ready)])
        sorter.done(ordered[-1])
    told = {tuple(sorted(cycle, key=place.__getitem__)) for cycle in cycles.values() if cycle}
    return ordered, sorted(told, key=lambda cycle: place[cycle[0]])


def _reached(key: Key, prerequisites: Mapping[Key, Collection[Key]]) -> set[Key]:
    """All that an episode needs, at once or by way of others; itself too where it stands in a cycle."""
    reached: set[Key] = set()
    waiting = {key}
    while waiting:
        waiting = set[Key]().union(*(prerequisites.get(one, ()) for one in waiting)) - reached
        reached |= waiting
    return reached
