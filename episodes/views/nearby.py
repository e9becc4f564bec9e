"""The episodes around an episode: before and after it, and related ones."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from django.db.models import QuerySet

from ..models import Episode


class Section(IntEnum):
    """The sections of the page. An episode is in the first section of its relations."""

    BEFORE = 0
    AFTER = 1
    RELATED = 2


class Relation(NamedTuple):
    """An episode, and how it relates to the episode of the page."""

    episode_id: int
    section: Section
    note: str = ""  # "" for a neighbour, which the heading of its section explains
    rel: str = ""  # the link type of a neighbour for HTML: "prev" or "next"


# For each kind of reference the section and the note of its target, on the page of the referrer.
_SECTION_AND_NOTE_OF_TARGET = {
    "prerequisite": (Section.BEFORE, "Listen to this first"),
    "follow-up": (Section.AFTER, "Continues this"),
    "see-also": (Section.RELATED, "Mentioned in the notes"),
}
# The section and the note of the referrer, on the page of the target.
_SECTION_AND_NOTE_OF_REFERRER = {
    "prerequisite": (Section.AFTER, "Builds on this"),
    "follow-up": (Section.BEFORE, "Continued here"),
    "see-also": (Section.AFTER, "Mentions this"),
}


@dataclass
class NearbyEpisode:
    """An episode with its relations to the episode of the page."""

    episode: Episode
    relations: list[Relation]

    @property
    def reasons(self) -> list[str]:
        return [relation.note for relation in self.relations if relation.note]

    @property
    def rel(self) -> str:
        return "".join(relation.rel for relation in self.relations)


class NearbyEpisodes(NamedTuple):
    """The episodes around an episode, by section."""

    before: list[NearbyEpisode]
    after: list[NearbyEpisode]
    related: list[NearbyEpisode]

    def addresses(self) -> list[str]:
        nearby = [*self.before, *self.after, *self.related]
        return [each.episode.get_absolute_url() for each in nearby]


def find_nearby_episodes_by_section(episode: Episode) -> NearbyEpisodes:
    """Return the episodes around an episode, each once, in the first section of its relations."""
    # An episode may be the next one and also continue this one.
    relations_by_id: defaultdict[int, list[Relation]] = defaultdict(list)
    for relation in iterate_relations_in_page_order(episode):
        relations_by_id[relation.episode_id].append(relation)
    episode_by_id = Episode.objects.with_name_columns().order_by().in_bulk(relations_by_id)
    episodes_by_section: dict[Section, list[NearbyEpisode]] = {section: [] for section in Section}
    for episode_id, relations in relations_by_id.items():
        if episode_id in episode_by_id:  # an import may just have deleted it
            first_section = min(relation.section for relation in relations)
            nearby_episode = NearbyEpisode(episode_by_id[episode_id], relations)
            episodes_by_section[first_section].append(nearby_episode)
    # The fields `before`, `after` and `related` have the order of the sections.
    return NearbyEpisodes(*episodes_by_section.values())


def iterate_relations_in_page_order(episode: Episode) -> Iterator[Relation]:
    """Yield the relations of an episode in the order of its page.

    References in its notes come first, then its neighbours, references to it, and related episodes.
    """
    targets = episode.references.order_by("target__podcast_id", "target__order", "kind")
    for target_id, kind in _prerequisites_first(targets.values_list("target", "kind")):
        yield Relation(target_id, *_SECTION_AND_NOTE_OF_TARGET[kind])
    listed_of_show = Episode.objects.listed().filter(podcast=episode.podcast_id)
    listed_ids = listed_of_show.values_list("pk", flat=True)
    yield from _iterate_neighbours(episode, listed_ids)
    referrers = episode.referred_by.order_by("episode__podcast_id", "episode__order", "kind")
    for referrer_id, kind in _prerequisites_first(referrers.values_list("episode", "kind")):
        yield Relation(referrer_id, *_SECTION_AND_NOTE_OF_REFERRER[kind])
    # Pairs of a slug and a note, found when the show was resolved. Some may not be listed any more.
    note_by_slug = dict(episode.related)
    id_by_slug = dict(listed_ids.filter(slug__in=note_by_slug).values_list("slug", "pk"))
    for slug, note in note_by_slug.items():
        if slug in id_by_slug:
            yield Relation(id_by_slug[slug], Section.RELATED, note)


def _prerequisites_first(ids_and_kinds: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    # False sorts before True, and all others stay in their order.
    return sorted(ids_and_kinds, key=lambda id_and_kind: id_and_kind[1] != "prerequisite")


def _iterate_neighbours(episode: Episode, listed_ids: QuerySet[Episode, int]) -> Iterator[Relation]:
    # Each loop has at most one step: the first and the last episode of a show lack a neighbour.
    for previous_id in listed_ids.filter(order__lt=episode.order).order_by("-order")[:1]:
        yield Relation(previous_id, Section.BEFORE, rel="prev")
    for next_id in listed_ids.filter(order__gt=episode.order).order_by("order")[:1]:
        yield Relation(next_id, Section.AFTER, rel="next")
