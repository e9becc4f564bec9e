"""The way through the show past an episode: what comes before it, what after, and what else is
related."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ...models import Episode

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


@dataclass(frozen=True)
class NearbyEpisode:
    """Another episode, and what it is to this one."""

    episode: Episode
    notes: list[str]

    @property
    def rel(self) -> str:
        """`prev` or `next` where it is that one."""
        return "".join(RELS.get(note, "") for note in self.notes)


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
        # One that is both comes before: each is listed once.
        side = found.before if said & BEFORE else found.after if said & AFTER else found.related
        side.append(NearbyEpisode(rows[pk], list(said)))
    return found


def _notes(episode: Episode) -> Iterator[tuple[int, str]]:
    """The episodes around one by their ids, with what each is to it."""
    own = episode.references.order_by("target__podcast_id", "target__order", "kind")
    naming = episode.referred_by.order_by("episode__podcast_id", "episode__order", "kind")
    ids = Episode.objects.listed().filter(podcast=episode.podcast_id).values_list("pk", flat=True)
    before = ids.filter(order__lt=episode.order).order_by("-order")[:1]
    after = ids.filter(order__gt=episode.order).order_by("order")[:1]
    related = dict(episode.related)
    keys = dict(ids.filter(slug__in=related).values_list("slug", "pk"))
    # The page lists them in this order: what to hear first comes before the neighbours.
    yield from ((other, NAMED[kind]) for other, kind in _sorted(own.values_list("target", "kind")))
    yield from zip(before, [PREVIOUS], strict=False)
    yield from zip(after, [NEXT], strict=False)
    yield from (
        (other, NAMING[kind]) for other, kind in _sorted(naming.values_list("episode", "kind"))
    )
    # What is related was found when the show was resolved; some may be listed no more.
    yield from ((keys[slug], note) for slug, note in related.items() if slug in keys)


def _sorted(rows: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    """References, prerequisites first."""
    return sorted(rows, key=lambda row: row[1] != "prerequisite")
