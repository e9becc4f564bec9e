"""Episodes that are to be heard before others, a line for each."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Set
from itertools import combinations

from ..models import Episode, Reference, Route
from .moments import Reason

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
