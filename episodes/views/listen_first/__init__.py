"""Which episodes are to be heard before others: as a line for each, and as a figure of a list with arcs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations, permutations

from ...models import Episode, Reference, Route
from ..reason import Reason
from .reading_order import in_reading_order as in_reading_order

Needs = Mapping[int, Set[int]]  # ids of episodes: those to be heard first

ROW = 30
AXIS = 44  # where the dots are
WIDTH = 256


def needs() -> Needs:
    """Prerequisites of every episode that has any: its own, and the episodes that call it their follow-up."""
    stated = Reference.objects.order_by()
    own = stated.filter(kind="prerequisite").values_list("episode", "target")
    before: defaultdict[int, set[int]] = defaultdict(set)
    for episode, first in own.union(stated.filter(kind="follow-up").values_list("target", "episode")):
        before[episode].add(first)
    return dict(before)


def notes(episodes: Iterable[Episode], before: Needs) -> dict[int, list[Reason]]:
    """A line for each of these episodes that needs others: “Listen first: …”, by its id."""
    needing = [episode.pk for episode in episodes if episode.pk in before]
    wanted = set[int]().union(*(before[pk] for pk in needing))
    rows = Episode.objects.filter(pk__in=wanted).named().order_by("podcast", "order")
    return {pk: [Reason("Listen first", episodes=[row for row in rows if row.pk in before[pk]])] for pk in needing}


def reversed_in(route: Route, before: Needs) -> list[tuple[Episode, Episode]]:
    """The parts of a path that come before one that they need: that one, and the part."""
    pairs = combinations(route.episodes, 2)
    return [(first, later) for later, first in pairs if first.pk in before.get(later.pk, ())]


@dataclass(frozen=True)
class Figure:
    """Episodes in their order, each a dot with its title, and an arc from each to those that need it."""

    dots: list[tuple[int, str, str]]  # y, number in the list, title
    arcs: list[str]
    words: str
    width: int = WIDTH
    axis: int = AXIS

    @property
    def height(self) -> int:
        return len(self.dots) * ROW


def figure(numbered: Sequence[tuple[str, Episode]], before: Needs) -> Figure | None:
    """The figure of episodes that come with their numbers; None where none of them needs another."""
    pairs = permutations([episode for _, episode in numbered], 2)
    edges = [(first, then) for then, first in pairs if first.pk in before.get(then.pk, ())]
    if not edges:
        return None
    touched = set[Episode]().union(*edges)
    rows = [(number, episode) for number, episode in numbered if episode in touched]
    y = {episode: ROW // 2 + nth * ROW for nth, (_, episode) in enumerate(rows)}
    return Figure(
        [(y[episode], number, episode.heading) for number, episode in rows],
        [_arc(y[first], y[then]) for first, then in edges],
        "; ".join(f"{first.heading} before {then.heading}" for first, then in edges),
    )


def _arc(first: int, then: int) -> str:
    """The line from one dot to another, with the head of an arrow at its end."""
    half = abs(then - first) // 2
    wide = min(half, AXIS - 10)
    end = AXIS - 7
    return f"M{end} {first}A{wide} {half} 0 0 {int(then < first)} {end} {then}m-6 -4l6 4l-6 4"
