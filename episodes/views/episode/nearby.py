"""The way through the show past an episode: what comes before it, what after, and what else is
related."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from ...models import Episode


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
    notes: defaultdict[int, dict[str, None]] = defaultdict(dict)
    for other, note in _notes(episode):
        notes[other][note] = None
    rows = Episode.objects.named().order_by().in_bulk(notes)
    # An import may just have deleted one.
    for pk in filter(rows.get, notes):
        said = notes[pk].keys()
        side = found.before if said & BEFORE else found.after if said & AFTER else found.related
        rel = next((RELS[note] for note in said if note in RELS), "")
        side.append(NearbyEpisode(rows[pk], list(said), rel))
    return found


def _notes(episode: Episode) -> Iterator[tuple[int, str]]:
    """The episodes around one by their ids, with what each is to it; prerequisites first."""
    own = episode.references.order_by("target__podcast_id", "target__order", "kind")
    for other, kind in sorted(own.values_list("target", "kind"), key=_is_no_prerequisite):
        yield other, NAMED[kind]
    listed = Episode.objects.listed().filter(podcast=episode.podcast_id)
    ids = listed.values_list("pk", flat=True)
    for other in ids.filter(order__lt=episode.order).order_by("-order")[:1]:
        yield other, PREVIOUS
    for other in ids.filter(order__gt=episode.order).order_by("order")[:1]:
        yield other, NEXT
    naming = episode.referred_by.order_by("episode__podcast_id", "episode__order", "kind")
    for other, kind in sorted(naming.values_list("episode", "kind"), key=_is_no_prerequisite):
        yield other, NAMING[kind]
    related = dict(episode.related)
    keys = dict(ids.filter(slug__in=related).values_list("slug", "pk"))
    for slug in filter(keys.get, related):
        yield keys[slug], related[slug]


def _is_no_prerequisite(reference: tuple[int, str]) -> bool:
    return reference[1] != "prerequisite"
