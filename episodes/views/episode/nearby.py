"""The way through the show past an episode: what comes before it, what after, and what else is
related."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from django.db.models import Q

from ...models import NAMED as LINE
from ...models import Episode, Reference

COLUMNS = (*LINE, "listed")


@dataclass(frozen=True)
class NearbyEpisode:
    """Another episode, what it is to this one, and its `rel` where it is the next or the previous
    one."""

    episode: Episode
    notes: list[str]
    rel: str


@dataclass(frozen=True)
class Nearby:
    """The episodes before this one, those after it, and the related ones."""

    before: list[NearbyEpisode] = field(default_factory=list)
    after: list[NearbyEpisode] = field(default_factory=list)
    related: list[NearbyEpisode] = field(default_factory=list)

    @property
    def addresses(self) -> set[str]:
        steps = (*self.before, *self.after, *self.related)
        return {step.episode.get_absolute_url() for step in steps}


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
PREVIOUS, NEXT = "Previous episode", "Next episode"
RELS = {PREVIOUS: "prev", NEXT: "next"}
BEFORE = {NAMED["prerequisite"], NAMING["follow-up"], PREVIOUS}
AFTER = {NAMED["follow-up"], NAMING["prerequisite"], NAMING["see-also"], NEXT}


def nearby(episode: Episode) -> Nearby:
    """Each episode once, in the place that says most of it."""
    found = Nearby()
    notes: defaultdict[Episode, dict[str, None]] = defaultdict(dict)
    for other, note in _notes(episode):
        notes[other][note] = None
    for other, said in notes.items():
        side = (
            found.before
            if said.keys() & BEFORE
            else found.after
            if said.keys() & AFTER
            else found.related
        )
        rel = next((RELS[note] for note in said if note in RELS), "")
        side.append(NearbyEpisode(other, list(said), rel))
    return found


def _notes(episode: Episode) -> Iterator[tuple[Episode, str]]:
    """The episodes around one, each with what it is to it; prerequisites first."""
    references = list(Reference.objects.filter(Q(episode=episode) | Q(target=episode)).order_by())
    related = dict(episode.related.order_by("place").values_list("other", "reasons"))
    ids = {pk for row in references for pk in (row.episode_id, row.target_id)}.union(related)
    rows = _rows(episode, ids - {episode.pk})
    named = {(row.target_id, row.kind) for row in references}
    naming = {(row.episode_id, row.kind) for row in references}
    for kind, note in NAMED.items():
        yield from ((row, note) for row in rows if (row.pk, kind) in named)
    listed = [row for row in rows if row.listed]
    in_show = [row for row in listed if row.podcast_id == episode.podcast_id]
    for row in [row for row in in_show if row.order < episode.order][-1:]:
        yield row, PREVIOUS
    for row in [row for row in in_show if row.order > episode.order][:1]:
        yield row, NEXT
    for kind, note in NAMING.items():
        yield from ((row, note) for row in rows if (row.pk, kind) in naming)
    by_id = {row.pk: row for row in listed}
    # An import may just have deleted some.
    for pk in filter(by_id.get, related):
        yield from ((by_id[pk], str(reason)) for reason in related[pk][:1])


def _rows(episode: Episode, others: set[int]) -> list[Episode]:
    """These episodes and the neighbours of one in its show, in the order of their shows."""
    listed = Episode.objects.listed().filter(podcast=episode.podcast_id)
    before = listed.filter(order__lt=episode.order).order_by("-order").values("pk")[:1]
    after = listed.filter(order__gt=episode.order).order_by("order").values("pk")[:1]
    ids = Q(pk__in=others) | Q(pk__in=before) | Q(pk__in=after)
    rows = Episode.objects.filter(ids).only(*COLUMNS)
    return list(rows.order_by("podcast_id", "order"))
