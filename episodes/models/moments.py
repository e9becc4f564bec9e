"""Good moments: passages of episodes that curators chose for topics, each a decision on an entry of
its episode."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from django.db.models import QuerySet

from ..text.formatting import clock
from .catalog import Attachment, Episode
from .decisions import ADDED, Decision

LONGEST_MOMENT = 180  # seconds of a part of an episode that a link plays


class ChosenMoment(NamedTuple):
    """A passage of an episode: the slug of the topic that it is about, its first second and the one
    after its last, and what to call it ("" where nobody said)."""

    episode: Episode
    topic: str
    start: int
    end: int
    words: str

    @property
    def key(self) -> str:
        """As the decision has it."""
        return f"{self.topic} {self.start}-{self.end}"

    @property
    def clock(self) -> str:
        """`5:24–5:41`."""
        return f"{clock(self.start)}–{clock(self.end)}"

    @property
    def address(self) -> str:
        """The episode's page with the passage, ready to play."""
        return f"{self.episode.get_absolute_url()}?t={self.start}-{self.end}"


def chosen_moments(**of: object) -> list[ChosenMoment]:
    """The moments in force of these columns of decisions, in the order of their episodes and within
    them; none of an episode that is not in the catalog."""
    rows = Decision.objects.in_force("moment").filter(value=ADDED, **of)
    return sorted(_placed(rows), key=lambda one: (one.episode.sorted_at, one.episode.pk, one.start))


def moments_about(slugs: Iterable[str]) -> list[ChosenMoment]:
    """The chosen moments of a topic, by all slugs that it ever had."""
    # With the space, so that a slug that only begins so is another topic.
    return [moment for slug in slugs for moment in chosen_moments(key__startswith=f"{slug} ")]


def _placed(rows: QuerySet[Decision]) -> Iterable[ChosenMoment]:
    """The moments with the episodes that their entries belong to now."""
    of_entries = {"item__key__in": {row.item_key for row in rows}}
    of_shows = {"item__document__source__podcast__in": {row.podcast_id for row in rows}}
    entries = Attachment.objects.filter(**of_entries, **of_shows).order_by()
    # Shows have sources of one name, and items of one guid.
    columns = ("item__document__source__podcast", "item__document__source__slug", "item__key")
    owners = {tuple(entry): pk for *entry, pk in entries.values_list(*columns, "episode")}
    long = ("description_text", "description_html", "provenance", "conflicts")
    episodes = Episode.objects.defer(*long).in_bulk({*owners.values()})
    for row in rows:
        topic, _, span = row.key.rpartition(" ")
        start, _, end = span.partition("-")
        if (row.podcast_id, *row.entry) in owners:
            episode = episodes[owners[row.podcast_id, *row.entry]]
            yield ChosenMoment(episode, topic, int(start), int(end), row.detail)
