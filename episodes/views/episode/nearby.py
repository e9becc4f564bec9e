"""The way through the show past an episode: what comes before it, what after, and what else is
related."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ...models import Episode
from .rows import neighbours


@dataclass
class NearbyEpisode:
    """Another episode, what it is to this one, and its `rel` where it is the next or the previous
    one."""

    episode: Episode
    notes: dict[str, None] = field(default_factory=dict)  # each once, in order
    rel: str = ""


@dataclass(frozen=True)
class Nearby:
    """The episodes before this one, those after it, and the related ones."""

    before: list[NearbyEpisode] = field(default_factory=list)
    after: list[NearbyEpisode] = field(default_factory=list)
    related: list[NearbyEpisode] = field(default_factory=list)


# What an episode that these notes name is to it, and what one is whose notes name it.
NAMED = {
    "prerequisite": "Listen to this first",
    "follow-up": "Continues this",
    "see-also": "Mentioned in the notes",
}
NAMING = {
    "prerequisite": "Builds on this",
    "follow-up": "Continued here",
    "see-also": "Mentions this",
}
BEFORE = {NAMED["prerequisite"], NAMING["follow-up"], "Previous episode"}
AFTER = {NAMED["follow-up"], NAMING["prerequisite"], NAMING["see-also"], "Next episode"}


def nearby(episode: Episode) -> Nearby:
    """Each episode once, in the place that says most of it."""
    steps: dict[int, NearbyEpisode] = {}
    for other, note, rel in _others(episode):
        step = steps.setdefault(other.pk, NearbyEpisode(other))
        step.rel = step.rel or rel
        step.notes[note] = None
    path = Nearby()
    for step in steps.values():
        side = (
            path.before
            if step.notes.keys() & BEFORE
            else path.after
            if step.notes.keys() & AFTER
            else path.related
        )
        side.append(step)
    return path


def _others(episode: Episode) -> Iterator[tuple[Episode, str, str]]:
    """The episodes around one of `whole_episodes`, with what each is to it and its `rel`."""
    for reference in episode.references.all():
        yield reference.target, NAMED[reference.kind], ""
        if reference.kind == "prerequisite" and is_later(reference.target, episode):
            yield reference.target, "published later", ""
    previous, following = neighbours(episode)
    if previous:
        yield previous, "Previous episode", "prev"
    if following:
        yield following, "Next episode", "next"
    for reference in episode.referred_by.all():
        yield reference.episode, NAMING[reference.kind], ""
    for related in episode.related.all():
        for reason in related.reasons[:1]:
            yield related.other, str(reason), ""


def is_later(one: Episode, other: Episode) -> bool:
    """True where one comes after the other; of different shows only their dates can tell."""
    if one.podcast_id == other.podcast_id:
        return one.order > other.order
    return bool(one.published_at and other.published_at and one.published_at > other.published_at)
