"""The episodes around an episode: before and after it, and related ones."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ..models import Episode

_PREVIOUS, _NEXT = "Previous episode", "Next episode"
# The relation of another episode if the notes of this one refer to it, and the other way round.
_TARGET_NOTES = {
    "prerequisite": "Listen to this first",
    "follow-up": "Continues this",
    "see-also": "Mentioned in the notes",
}
_REFERRER_NOTES = {
    "prerequisite": "Builds on this",
    "follow-up": "Continued here",
    "see-also": "Mentions this",
}
# The list for an episode with a note. All other notes are for `_RELATED`.
_BEFORE, _AFTER, _RELATED = range(3)
_LISTS_OF_NOTES = {
    _TARGET_NOTES["prerequisite"]: _BEFORE,
    _REFERRER_NOTES["follow-up"]: _BEFORE,
    _PREVIOUS: _BEFORE,
    _TARGET_NOTES["follow-up"]: _AFTER,
    _REFERRER_NOTES["prerequisite"]: _AFTER,
    _REFERRER_NOTES["see-also"]: _AFTER,
    _NEXT: _AFTER,
}


@dataclass
class NearbyEpisode:
    """An episode with notes that say how it relates to the episode of the page."""

    episode: Episode
    notes: list[str]

    @property
    def reasons(self) -> list[str]:
        """Return the notes that its heading, "Previous" or "Next", does not tell."""
        return [note for note in self.notes if note not in (_PREVIOUS, _NEXT)]

    @property
    def rel(self) -> str:
        """Return the link type for HTML: `prev`, `next` or ""."""
        if _PREVIOUS in self.notes:
            return "prev"
        return "next" if _NEXT in self.notes else ""


class NearbyEpisodes(NamedTuple):
    """The episodes around one, each in the first list that one of its notes is for."""

    before: list[NearbyEpisode]
    after: list[NearbyEpisode]
    related: list[NearbyEpisode]

    def addresses(self) -> list[str]:
        nearby = [*self.before, *self.after, *self.related]
        return [each.episode.get_absolute_url() for each in nearby]


def find_nearby_episodes(episode: Episode) -> NearbyEpisodes:
    notes_by_id: defaultdict[int, list[str]] = defaultdict(list)
    for relation in iterate_relations(episode):
        notes_by_id[relation.episode_id].append(relation.note)
    episodes = Episode.objects.with_name_columns().order_by().in_bulk(notes_by_id)
    nearby_by_list: dict[int, list[NearbyEpisode]] = {_BEFORE: [], _AFTER: [], _RELATED: []}
    for episode_id, notes in notes_by_id.items():
        if episode_id in episodes:  # an import may just have deleted it
            first_list = min(_LISTS_OF_NOTES.get(note, _RELATED) for note in notes)
            nearby_by_list[first_list].append(NearbyEpisode(episodes[episode_id], notes))
    return NearbyEpisodes(
        before=nearby_by_list[_BEFORE],
        after=nearby_by_list[_AFTER],
        related=nearby_by_list[_RELATED],
    )


class Relation(NamedTuple):
    """An episode, and how it relates to the episode of the page."""

    episode_id: int
    note: str


def iterate_relations(episode: Episode) -> Iterator[Relation]:
    """Yield the relations of an episode in the order of its page.

    References in its notes come first, then its neighbours, references to it, and related episodes.
    """
    targets = episode.references.order_by("target__podcast_id", "target__order", "kind")
    in_order = sorted(targets.values_list("target", "kind"), key=_is_no_prerequisite)
    for target_id, kind in in_order:
        yield Relation(target_id, _TARGET_NOTES[kind])

    listed = Episode.objects.listed().filter(podcast=episode.podcast_id)
    ids = listed.values_list("pk", flat=True)
    # Each of these loops has at most one step: the first and the last episode lack a neighbour.
    for previous_id in ids.filter(order__lt=episode.order).order_by("-order")[:1]:
        yield Relation(previous_id, _PREVIOUS)
    for next_id in ids.filter(order__gt=episode.order).order_by("order")[:1]:
        yield Relation(next_id, _NEXT)

    referrers = episode.referred_by.order_by("episode__podcast_id", "episode__order", "kind")
    in_order = sorted(referrers.values_list("episode", "kind"), key=_is_no_prerequisite)
    for referrer_id, kind in in_order:
        yield Relation(referrer_id, _REFERRER_NOTES[kind])

    # Pairs of a slug and a note, found when the show was resolved. Some may not be listed any more.
    related = dict(episode.related)
    ids_by_slug = dict(ids.filter(slug__in=related).values_list("slug", "pk"))
    for slug, note in related.items():
        if slug in ids_by_slug:
            yield Relation(ids_by_slug[slug], note)


def _is_no_prerequisite(reference: tuple[int, str]) -> bool:
    """Return a key that sorts prerequisites first, and leaves all others in their order."""
    _, kind = reference
    return kind != "prerequisite"
