"""The questions that pages ask of the catalog, as verbs that return QuerySets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.db import models
from django.db.models import Prefetch, Q

if TYPE_CHECKING:
    from .models import Episode, EpisodeTopic, Topic  # noqa: F401


class EpisodeQuerySet(models.QuerySet["Episode"]):
    def newest_first(self) -> Self:
        return self.order_by("podcast", "-order")

    def for_list(self) -> Self:
        """With what a card shows, in a fixed number of queries."""
        from .models import EpisodeTopic

        uses = EpisodeTopic.objects.select_related("topic").order_by("topic__position", "topic__slug")
        return self.select_related("podcast").prefetch_related(Prefetch("topic_uses", uses))

    def about(self, topic: Topic) -> Self:
        return self.filter(topic_uses__topic=topic)

    def search(self, query: str) -> Self:
        """Episodes that have every word of `query` somewhere in title, notes or topics."""
        found = self
        for word in query.split():
            found = found.filter(
                Q(title__icontains=word)
                | Q(description_text__icontains=word)
                | Q(topic_uses__topic__name__icontains=word)
                | Q(topic_uses__topic__slug__icontains=word)
            )
        return found.distinct()


class TopicUse(models.QuerySet["EpisodeTopic"]):
    def counts(self) -> dict[str, int]:
        """How many episodes each topic has, by its slug; topics without any are left out."""
        rows = self.order_by().values_list("topic__slug").annotate(n=models.Count("episode"))
        return {slug: n for slug, n in rows}
