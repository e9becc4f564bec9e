"""How an episode stands to others that its notes name, and to those that name it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ...models import Episode, Reference

HEADINGS = {"prerequisite": "Listen first", "see-also": "See also", "follow-up": "Comes after it"}
# What another episode means by naming this one.
MEANT = {"prerequisite": "builds on this", "see-also": "points here", "follow-up": "is continued here"}


class CrossReference(NamedTuple):
    """Another episode, and what is to be said of it."""

    episode: Episode
    note: str


class CrossReferences(NamedTuple):
    """The episodes to hear first, and the others under their headings."""

    first: list[CrossReference]
    groups: list[tuple[str, list[CrossReference]]]


def cross_references(episode: Episode, named: Iterable[Reference], naming: Iterable[Reference]) -> CrossReferences:
    """`named` are the references of the episode's notes, `naming` those of others to it; all oldest first."""
    under: dict[str, list[CrossReference]] = {kind: [] for kind in HEADINGS}
    for reference in _oldest_first(named, "target"):
        note = "published later" if reference.kind == "prerequisite" and later(reference.target, episode) else ""
        under.setdefault(reference.kind, []).append(CrossReference(reference.target, note))
    meant: dict[int, tuple[Episode, list[str]]] = {}
    for reference in _oldest_first(naming, "episode"):
        _, words = meant.setdefault(reference.episode_id, (reference.episode, []))
        words.append(MEANT.get(reference.kind, reference.kind))
    groups = [(HEADINGS.get(kind, kind), others) for kind, others in under.items() if kind != "prerequisite"]
    groups.append(("Mentioned by", [CrossReference(other, ", ".join(words)) for other, words in meant.values()]))
    return CrossReferences(under["prerequisite"], [group for group in groups if group[1]])


def _oldest_first(references: Iterable[Reference], side: str) -> list[Reference]:
    def order(reference: Reference) -> tuple[int, int, str]:
        episode = getattr(reference, side)
        return (episode.podcast_id, episode.order, reference.kind)

    return sorted(references, key=order)


def later(one: Episode, other: Episode) -> bool:
    """Whether one comes after the other; of different shows only their dates can tell."""
    if one.podcast_id == other.podcast_id:
        return one.order > other.order
    return bool(one.published_at and other.published_at and one.published_at > other.published_at)
