"""The episodes around an episode: before and after it, and related ones."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

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
    relations_by_id: defaultdict[int, list[Relation]] = defaultdict(list)
    for relation in iterate_relations(episode):
        relations_by_id[relation.episode_id].append(relation)
    episodes = Episode.objects.with_name_columns().order_by().in_bulk(relations_by_id)
    sections: dict[Section, list[NearbyEpisode]] = {section: [] for section in Section}
    for episode_id, relations in relations_by_id.items():
        if episode_id in episodes:  # an import may just have deleted it
            first_section = min(relation.section for relation in relations)
            sections[first_section].append(NearbyEpisode(episodes[episode_id], relations))
    # The fields have the order of the sections.
    return NearbyEpisodes(*sections.values())


def iterate_relations(episode: Episode) -> Iterator[Relation]:
    """Yield the relations of an episode in the order of its page.

    References in its notes come first, then its neighbours, references to it, and related episodes.
    """
    targets = episode.references.order_by("target__podcast_id", "target__order", "kind")
    # Prerequisites come first.
    in_order = sorted(targets.values_list("target", "kind"), key=_is_no_prerequisite)
    for target_id, kind in in_order:
        yield Relation(target_id, *_SECTION_AND_NOTE_OF_TARGET[kind])

    listed = Episode.objects.listed().filter(podcast=episode.podcast_id)
    ids = listed.values_list("pk", flat=True)
    # Each of these loops has at most one step: the first and the last episode lack a neighbour.
    for previous_id in ids.filter(order__lt=episode.order).order_by("-order")[:1]:
        yield Relation(previous_id, Section.BEFORE, rel="prev")
    for next_id in ids.filter(order__gt=episode.order).order_by("order")[:1]:
        yield Relation(next_id, Section.AFTER, rel="next")

    referrers = episode.referred_by.order_by("episode__podcast_id", "episode__order", "kind")
    in_order = sorted(referrers.values_list("episode", "kind"), key=_is_no_prerequisite)
    for referrer_id, kind in in_order:
        yield Relation(referrer_id, *_SECTION_AND_NOTE_OF_REFERRER[kind])

    # Pairs of a slug and a note, found when the show was resolved. Some may not be listed any more.
    related = dict(episode.related)
    ids_by_slug = dict(ids.filter(slug__in=related).values_list("slug", "pk"))
    for slug, note in related.items():
        if slug in ids_by_slug:
            yield Relation(ids_by_slug[slug], Section.RELATED, note)


def _is_no_prerequisite(reference: tuple[int, str]) -> bool:
    """Return a key that sorts prerequisites first, and leaves all others in their order."""
    _, kind = reference
    return kind != "prerequisite"
