"""The way through the show past an episode: what comes before it, what after, and what else is related."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

from ...models import Episode, Reference
from .rows import EpisodeRows


@dataclass
class NearbyEpisode:
    """Another episode, what it is to this one, and its `rel` where it is the next or the previous one."""

    episode: Episode
    notes: dict[str, None] = field(default_factory=dict)  # each once, in order
    rel: str = ""


@dataclass(frozen=True)
class Nearby:
    """The episodes before this one, those after it, and the related ones."""

    before: list[NearbyEpisode]
    after: list[NearbyEpisode]
    related: list[NearbyEpisode]


# What an episode that these notes name is to it, and what one is whose notes name it.
NAMED = {"prerequisite": "Listen to this first", "follow-up": "Continues this", "see-also": "Mentioned in the notes"}
NAMING = {"prerequisite": "Builds on this", "follow-up": "Continued here", "see-also": "Mentions this"}
BEFORE = {NAMED["prerequisite"], NAMING["follow-up"], "Previous episode"}
AFTER = {NAMED["follow-up"], NAMING["prerequisite"], NAMING["see-also"], "Next episode"}


def nearby(rows: EpisodeRows) -> Nearby:
    """Each episode once, in the place that says most of it."""
    episode, steps = rows.episode, dict[int, NearbyEpisode]()
    naming = (row for row in rows.references if row.target_id == episode.pk)
    neighbours = [(rows.earlier, "Previous episode", "prev"), (rows.later, "Next episode", "next")]
    listed = (row for row in rows.related if row.other.listed)
    others = ((row.other, str(reason), "") for row in listed for reason in row.reasons[:1])
    for other, note, rel in chain(_named(episode, rows.named), neighbours, _naming(naming), others):
        if other:
            step = steps.setdefault(other.pk, NearbyEpisode(other))
            step.rel = step.rel or rel
            step.notes[note] = None
    return _sorted(steps.values())


def _named(episode: Episode, references: Iterable[Reference]) -> Iterator[tuple[Episode, str, str]]:
    for reference in sorted(references, key=lambda r: _order(r, r.target)):
        yield reference.target, NAMED.get(reference.kind, reference.kind), ""
        if reference.kind == "prerequisite" and is_later(reference.target, episode):
            yield reference.target, "published later", ""


def _naming(references: Iterable[Reference]) -> Iterator[tuple[Episode, str, str]]:
    for reference in sorted(references, key=lambda r: _order(r, r.episode)):
        yield reference.episode, NAMING.get(reference.kind, reference.kind), ""


def _order(reference: Reference, episode: Episode) -> tuple[bool, int, int, str]:
    """Prerequisites first, then the oldest."""
    return (reference.kind != "prerequisite", episode.podcast_id, episode.order, reference.kind)


def _sorted(steps: Iterable[NearbyEpisode]) -> Nearby:
    path = Nearby([], [], [])
    for step in steps:
        side = path.before if step.notes.keys() & BEFORE else path.after if step.notes.keys() & AFTER else path.related
        side.append(step)
    return path


def is_later(one: Episode, other: Episode) -> bool:
    """True where one comes after the other; of different shows only their dates can tell."""
    if one.podcast_id == other.podcast_id:
        return one.order > other.order
    return bool(one.published_at and other.published_at and one.published_at > other.published_at)
