"""The way through the show past an episode: what comes before it, what after, and what else is related."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ...models import Episode, Reference, Related


@dataclass
class Step:
    """Another episode, what it is to this one, and its `rel` where it is the next or the previous one."""

    episode: Episode
    notes: list[str] = field(default_factory=list)
    rel: str = ""


@dataclass(frozen=True)
class Path:
    """The episodes before this one, those after it, and the related ones."""

    before: list[Step]
    after: list[Step]
    related: list[Step]


# What an episode that these notes name is to it, and what one is whose notes name it.
NAMED = {"prerequisite": "Listen to this first", "follow-up": "Continues this", "see-also": "Mentioned in the notes"}
NAMING = {"prerequisite": "Builds on this", "follow-up": "Continued here", "see-also": "Mentions this"}
BEFORE = {NAMED["prerequisite"], NAMING["follow-up"]}
AFTER = {NAMED["follow-up"], NAMING["prerequisite"], NAMING["see-also"]}


def path(
    episode: Episode,
    earlier: Episode | None,
    later: Episode | None,
    named: Iterable[Reference],
    naming: Iterable[Reference],
    related: Iterable[Related],
) -> Path:
    """Each episode once, in the place that says most of it; `named` are the references of the episode's own notes."""
    steps: dict[int, Step] = {}

    def add(other: Episode, note: str, rel: str = "") -> None:
        step = steps.setdefault(other.pk, Step(other))
        step.rel = step.rel or rel
        if note not in step.notes:
            step.notes.append(note)

    for reference in _in_order(named, "target"):
        add(reference.target, NAMED.get(reference.kind, reference.kind))
        if reference.kind == "prerequisite" and is_later(reference.target, episode):
            add(reference.target, "published later")
    if earlier:
        add(earlier, "Previous episode", "prev")
    if later:
        add(later, "Next episode", "next")
    for reference in _in_order(naming, "episode"):
        add(reference.episode, NAMING.get(reference.kind, reference.kind))
    for row in related:
        for reason in row.reasons[:1]:
            add(row.other, str(reason))
    return _sorted(steps.values())


def _sorted(steps: Iterable[Step]) -> Path:
    path = Path([], [], [])
    for step in steps:
        notes = set(step.notes)
        if notes & BEFORE or step.rel == "prev":
            path.before.append(step)
        elif notes & AFTER or step.rel == "next":
            path.after.append(step)
        else:
            path.related.append(step)
    return path


def _in_order(references: Iterable[Reference], side: str) -> list[Reference]:
    """Prerequisites first, then the oldest."""

    def order(reference: Reference) -> tuple[bool, int, int, str]:
        episode = getattr(reference, side)
        return (reference.kind != "prerequisite", episode.podcast_id, episode.order, reference.kind)

    return sorted(references, key=order)


def is_later(one: Episode, other: Episode) -> bool:
    """True where one comes after the other; of different shows only their dates can tell."""
    if one.podcast_id == other.podcast_id:
        return one.order > other.order
    return bool(one.published_at and other.published_at and one.published_at > other.published_at)
