"""The questions that pages ask of the catalog, as verbs that return QuerySets."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import TYPE_CHECKING, Self

from django.db import models
from django.db.models import Count, F, Prefetch, Q, Sum
from django.db.models.functions import TruncMonth

if TYPE_CHECKING:
    from .models import Episode, EpisodeTopic, Topic  # noqa: F401
    from .search import Asked


class EpisodeQuerySet(models.QuerySet["Episode"]):
    def newest_first(self) -> Self:
        return self.order_by("podcast", "-order")

    def sorted_by(self, sort: str, query: str | Asked = "") -> Self:
        """In the order of that name; unknown lengths stand last, and equals are newest first."""
        match sort:
            case "oldest":
                return self.order_by("podcast", "order")
            case "shortest":
                return self.order_by(F("duration_seconds").asc(nulls_last=True), "podcast", "-order")
            case "longest":
                return self.order_by(F("duration_seconds").desc(nulls_last=True), "podcast", "-order")
            case "match" if query:
                from .search import ranked

                return ranked(self, query)
        return self.newest_first()

    def for_list(self) -> Self:
        """With what a card shows, in a fixed number of queries."""
        from .models import EpisodeTopic

        uses = EpisodeTopic.objects.select_related("topic").order_by("topic__position", "topic__slug")
        return self.select_related("podcast").prefetch_related(Prefetch("topic_uses", uses))

    def about(self, topic: Topic) -> Self:
        return self.filter(topic_uses__topic=topic)

    def about_all(self, slugs: Iterable[str]) -> Self:
        """Episodes that have every one of these topics."""
        found = self
        for slug in slugs:
            found = found.filter(_among("EpisodeTopic", topic__slug=slug))
        return found

    def published_in(self, year: int) -> Self:
        return self.filter(published_at__year=year)

    def undated(self) -> Self:
        return self.filter(published_at__isnull=True)

    def with_person(self, slug: str) -> Self:
        return self.filter(_among("Credit", person__slug=slug))

    def linking_to(self, kind: str) -> Self:
        return self.filter(_among("EpisodeLink", link__kind=kind))

    def told_by(self, source: str) -> Self:
        """Episodes that the source of this slug lists."""
        return self.filter(_among("Attachment", item__document__source__slug=source))

    def search(self, query: str | Asked) -> Self:
        """Episodes that hold every term of `query` (search.py says what that is)."""
        from .search import search

        return search(self, query)

    def extent(self) -> dict[str, int]:
        """How many episodes these are, their seconds together, and of how many the length is known."""
        sums = self.aggregate(episodes=Count("pk"), seconds=Sum("duration_seconds"), timed=Count("duration_seconds"))
        return {name: value or 0 for name, value in sums.items()}

    def by_month(self) -> dict[date | None, int]:
        """How many episodes each month has that has any; under None those whose date is not known."""
        rows = self.order_by().values_list(TruncMonth("published_at")).annotate(n=Count("pk"))
        return {month.date() if month else None: n for month, n in rows}


class TopicUse(models.QuerySet["EpisodeTopic"]):
    def counts(self) -> dict[str, int]:
        """How many episodes each topic has, by its slug; topics without any are left out."""
        rows = self.order_by().values_list("topic__slug").annotate(n=Count("episode"))
        return dict(rows)

    def within(self, episodes: EpisodeQuerySet) -> Self:
        return self.filter(episode__in=episodes.order_by().values("pk"))


def _among(model: str, **conditions: object) -> Q:
    """The episodes to which a row of this model belongs that meets the conditions."""
    from . import models as nouns

    rows = getattr(nouns, model)._default_manager.filter(**conditions)
    return Q(pk__in=rows.order_by().values("episode"))
