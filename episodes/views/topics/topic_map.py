"""The topics as a figure: a dot for each, sized by use, and an arc between two that share episodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.db.models import Count

from ...models import EpisodeTopic, Topic

WIDTH = 320
AXIS = 112  # where the dots stand
ROW = 22
BETWEEN = 14  # more between two groups
MOST_LINKS = 80

Pairs = dict[tuple[str, str], int]


@dataclass(frozen=True)
class Arc:
    """What two topics share: how many episodes, and the path from the upper to the lower."""

    upper: Topic
    lower: Topic
    count: int
    path: str
    name: str  # of the path, for use again


@dataclass(frozen=True)
class Dot:
    topic: Topic
    y: int
    radius: float
    words: str
    arcs: list[Arc]


@dataclass(frozen=True)
class TopicMap:
    height: int
    dots: list[Dot]
    arcs: list[Arc]  # the strongest first


def shared() -> tuple[dict[str, int], Pairs]:
    """How many episodes each topic has, and how many any two have together, in one query."""
    uses = EpisodeTopic.objects.filter(episode__listed=True)
    rows = uses.order_by().values_list("topic__slug", "episode__topic_uses__topic__slug")
    found = {(one, other): count for one, other, count in rows.annotate(count=Count("pk"))}
    counts = {one: count for (one, other), count in found.items() if one == other}
    return counts, {pair: count for pair, count in found.items() if pair[0] < pair[1]}


def topic_map(topics: Sequence[Topic], counts: Mapping[str, int], pairs: Pairs) -> TopicMap | None:
    """The figure of used topics, which come by group; None where no two share an episode."""
    if not pairs:
        return None
    gaps = [0, *(ROW + BETWEEN * (above.group != below.group) for above, below in pairwise(topics))]
    places = {topic.slug: ROW // 2 + sum(gaps[: nth + 1]) for nth, topic in enumerate(topics)}
    strongest = sorted(pairs, key=lambda pair: (-pairs[pair], *sorted(places[slug] for slug in pair)))[:MOST_LINKS]
    by_slug = {topic.slug: topic for topic in topics}
    arcs = []
    for nth, pair in enumerate(strongest):
        upper, lower = sorted(pair, key=places.__getitem__)
        path = _path(places[upper], places[lower])
        arcs.append(Arc(by_slug[upper], by_slug[lower], pairs[pair], path, f"arc-{nth}"))
    dots = [_dot(topic, places[topic.slug], counts[topic.slug], arcs) for topic in topics]
    return TopicMap(max(places.values()) + ROW // 2, dots, arcs)


def _dot(topic: Topic, y: int, count: int, arcs: Sequence[Arc]) -> Dot:
    own = [arc for arc in arcs if topic in (arc.upper, arc.lower)]
    others = [f"{arc.lower if arc.upper == topic else arc.upper} ({arc.count})" for arc in own]
    words = f"{topic}, {count} episode{'' if count == 1 else 's'}"
    radius = min(2 + count**0.5 * 2.2, ROW / 2 - 1)
    return Dot(topic, y, round(radius, 1), words + (f"; in common with {', '.join(others)}" if others else ""), own)


def _path(upper: int, lower: int) -> str:
    half = (lower - upper) // 2
    wide = min(half, round(12 + half * 0.24))
    return f"M{AXIS} {upper}A{min(wide, AXIS - 4)} {half} 0 0 0 {AXIS} {lower}"
