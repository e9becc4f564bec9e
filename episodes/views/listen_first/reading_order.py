"""Puts episodes in the order in which to hear them: what the notes say to hear first stands first, else the oldest."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Mapping, Sequence


def prerequisites_of(said: Iterable[tuple[str, str, str]]) -> dict[str, frozenset[str]]:
    """What is to be heard before each episode: its own prerequisites, and the episodes that call it their follow-up.

    `said` are references: the episode that speaks, the kind, the episode it names.
    """
    before: dict[str, set[str]] = {}
    for own, kind, target in said:
        if kind == "prerequisite":
            before.setdefault(own, set()).add(target)
        elif kind == "follow-up":
            before.setdefault(target, set()).add(own)
    return {own: frozenset(before[own]) for own in sorted(before)}


def reading_order(
    slugs: Sequence[str], prerequisites: Mapping[str, Collection[str]], date_order: Mapping[str, int]
) -> tuple[list[str], list[tuple[str, ...]]]:
    """The episodes with prerequisites first, else by date, else by slug; and the cycles, each by date.

    A prerequisite that is not among `slugs` is left out, what it needs in turn counts. The members of a cycle stand by
    date among each other, after what they all need. Raises nothing.
    """
    place = {slug: (date_order.get(slug, 1 << 62), slug) for slug in slugs}
    needs = {slug: _reached(slug, prerequisites) & place.keys() for slug in place}
    cycles = {slug: frozenset(other for other in needs[slug] if slug in needs[other]) for slug in place}
    found = (tuple(sorted(cycle, key=place.__getitem__)) for cycle in set(cycles.values()) if cycle)
    ordered = _in_turn({slug: needs[slug] - cycles[slug] for slug in place}, place)
    return ordered, sorted(found, key=lambda cycle: place[cycle[0]])


def _in_turn(waits: Mapping[str, Collection[str]], place: Mapping[str, tuple[int, str]]) -> list[str]:
    """Each after all it waits for; of those that wait for nothing more, the first by its place."""
    missing = {slug: len(others) for slug, others in waits.items()}
    followers: dict[str, list[str]] = {}
    for slug, others in waits.items():
        for other in others:
            followers.setdefault(other, []).append(slug)
    ready = [place[slug] for slug, count in missing.items() if not count]
    heapq.heapify(ready)
    ordered = []
    while ready:
        slug = heapq.heappop(ready)[1]
        ordered.append(slug)
        for follower in followers.get(slug, ()):
            missing[follower] -= 1
            if not missing[follower]:
                heapq.heappush(ready, place[follower])
    return ordered


def _reached(slug: str, prerequisites: Mapping[str, Collection[str]]) -> set[str]:
    """All that an episode needs, at once or by way of others; itself too where it stands in a cycle."""
    found: set[str] = set()
    waiting = list(prerequisites.get(slug, ()))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(prerequisites.get(name, ()))
    return found
