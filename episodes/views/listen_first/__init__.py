"""Which episodes are to be heard before others: as a line for each, and as a figure of a list with arcs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ...models import Episode, Reference, Route, Snapshot, surroundings
from .reading_order import prerequisites_of, reading_order

Needs = Mapping[int, frozenset[int]]  # ids of episodes: those to be heard first

ROW = 30
AXIS = 44  # where the dots are
WIDTH = 256


def needs(now: Snapshot) -> Needs:
    """Prerequisites of every episode that has any, as notes and curators state them."""
    stated = Reference.objects.filter(kind__in=("prerequisite", "follow-up")).order_by()
    return now.kept("needs", lambda: prerequisites_of(stated.values_list("episode", "kind", "target")))


def in_reading_order(ids: Sequence[int], before: Needs) -> tuple[list[int], list[tuple[int, ...]]]:
    """The episodes, which come oldest first, with prerequisites first; and those that wait for each other in a circle."""
    return reading_order(ids, before, {pk: place for place, pk in enumerate(ids)})


def notes(ids: Iterable[int], before: Needs, now: Snapshot) -> dict[int, list[SafeString]]:
    """A line for each of these episodes that needs others: “Listen first: …”, by its id."""
    needing, around = [pk for pk in ids if pk in before], surroundings()
    lines = {pk: now.fragment(("listen first", around, pk)) for pk in needing}
    for pk, line in _notes([pk for pk, line in lines.items() if line is None], before):
        lines[pk] = now.keep(("listen first", around, pk), line)
    return {pk: [line] for pk, line in lines.items() if line}


def _notes(ids: Sequence[int], before: Needs) -> Iterator[tuple[int, str]]:
    wanted = {other for pk in ids for other in before[pk]}
    rows = list(Episode.objects.filter(pk__in=wanted).named().order_by("podcast", "order")) if wanted else []
    for pk in ids:
        first = [row for row in rows if row.pk in before[pk]]
        yield pk, format_html("Listen first: {}", _links(first)) if first else ""


def _links(episodes: Iterable[Episode]) -> SafeString:
    return format_html_join(
        ", ", '<a href="{}"><bdi>{}</bdi></a>', ((e.get_absolute_url(), e.heading) for e in episodes)
    )


def reversed_in(route: Route, before: Needs) -> list[tuple[Episode, Episode]]:
    """The parts of a path that come before one that they need: that one, and the part."""
    return [
        (first, later)
        for nth, later in enumerate(route.episodes)
        for first in route.episodes[nth + 1 :]
        if first.pk in before.get(later.pk, ())
    ]


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


def has_figure(ids: Sequence[int], before: Needs) -> bool:
    return bool(_edges(ids, before))


def figure(numbered: Sequence[tuple[str, Episode]], before: Needs) -> Figure | None:
    """The figure of episodes that come with their numbers; None where none of them needs another."""
    edges = _edges([episode.pk for _, episode in numbered], before)
    touched = {pk for edge in edges for pk in edge}
    rows = [(number, episode) for number, episode in numbered if episode.pk in touched]
    if not edges:
        return None
    places = {episode.pk: ROW // 2 + nth * ROW for nth, (_, episode) in enumerate(rows)}
    return Figure(
        [(places[episode.pk], number, episode.heading) for number, episode in rows],
        [_arc(places[first], places[then]) for first, then in edges],
        _words(edges, [episode for _, episode in rows]),
    )


def _words(edges: Iterable[tuple[int, int]], episodes: Iterable[Episode]) -> str:
    headings = {episode.pk: episode.heading for episode in episodes}
    return "; ".join(f"{headings[first]} before {headings[then]}" for first, then in edges)


def _edges(ids: Sequence[int], before: Needs) -> list[tuple[int, int]]:
    """Pairs of these episodes, the first to be heard before the second, in their order."""
    needing = [pk for pk in ids if pk in before]
    return [(first, then) for then in needing for first in ids if first != then and first in before[then]]


def _arc(first: int, then: int) -> str:
    """The line from one dot to another, with the head of an arrow at its end."""
    half = abs(then - first) // 2
    wide = min(half, AXIS - 10)
    end = AXIS - 7
    return f"M{end} {first}A{wide} {half} 0 0 {int(then < first)} {end} {then}m-6 -4l6 4l-6 4"
