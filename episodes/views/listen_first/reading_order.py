"""Puts episodes in the order in which to hear them: what the notes say to hear first stands first, else the oldest."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, TypeVar

Key = TypeVar("Key", int, str)  # what stands for an episode


def prerequisites_of(said: Iterable[tuple[Key, str, Key]]) -> dict[Key, frozenset[Key]]:
    """What is to be heard before each episode: its own prerequisites, and the episodes that call it their follow-up.

    `said` are references: the episode that speaks, the kind, the episode it names.
    """
    before: dict[Key, set[Key]] = {}
    for own, kind, target in said:
        if kind == "prerequisite":
            before.setdefault(own, set()).add(target)
        elif kind == "follow-up":
            before.setdefault(target, set()).add(own)
    return {own: frozenset(before[own]) for own in sorted(before)}


def reading_order(
    keys: Sequence[Key], prerequisites: Mapping[Key, Collection[Key]], date_order: Mapping[Key, int]
) -> tuple[list[Key], list[tuple[Key, ...]]]:
    """The episodes with prerequisites first, else by date, else by key; and the cycles, each by date.

    A prerequisite that is not among `keys` is left out, what it needs in turn counts. The members of a cycle stand by
    date among each other, after what they all need. Raises nothing.
    """
    place = {key: (date_order.get(key, 1 << 62), key) for key in keys}
    # Most need nothing and are nowhere but in `place`.
    needs = {key: _reached(key, prerequisites) & place.keys() for key in prerequisites if key in place}
    cycles = {key: frozenset(other for other in others if key in needs.get(other, ())) for key, others in needs.items()}
    found = (tuple(sorted(cycle, key=place.__getitem__)) for cycle in set(cycles.values()) if cycle)
    ordered = _in_turn({key: others - cycles[key] for key, others in needs.items()}, place)
    return ordered, sorted(found, key=lambda cycle: place[cycle[0]])


def _in_turn(waits: Mapping[Key, Collection[Key]], place: Mapping[Key, tuple[int, Key]]) -> list[Key]:
    """Each after all it waits for; of those that wait for nothing more, the first by its place."""
    missing = {key: len(others) for key, others in waits.items() if others}
    followers: dict[Key, list[Key]] = {}
    for key in missing:
        for other in waits[key]:
            followers.setdefault(other, []).append(key)
    ready: list[Any] = sorted(at for key, at in place.items() if key not in missing)  # a sorted list is a heap
    ordered: list[Key] = []
    while ready:
        key = heapq.heappop(ready)[1]
        ordered.append(key)
        for follower in followers.get(key, ()):
            missing[follower] -= 1
            if not missing[follower]:
                heapq.heappush(ready, place[follower])
    return ordered


def _reached(key: Key, prerequisites: Mapping[Key, Collection[Key]]) -> set[Key]:
    """All that an episode needs, at once or by way of others; itself too where it stands in a cycle."""
    found: set[Key] = set()
    waiting = list(prerequisites.get(key, ()))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(prerequisites.get(name, ()))
    return found
