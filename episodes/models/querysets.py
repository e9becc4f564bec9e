"""The questions that pages ask of the catalog, as verbs that return QuerySets."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Self, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections, models
from django.db.models import Exists, F, OuterRef, Prefetch, Q, Value
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce

if TYPE_CHECKING:
    from ..search import PreparedQuery
    from . import Episode, Link, Podcast  # noqa: F401  one is named in quotes alone

Row = TypeVar("Row")
NAMED = (
    "slug",
    "title",
    "number",
    "season",
    "order",
    "podcast",
)  # the columns of a line about an episode
UNKNOWN = "unknown"  # in place of a year or a length
BATCH = 200  # rows that one statement names, with several rows of another table for each


def batches(values: Collection[Row], size: int = BATCH) -> Iterator[list[Row]]:
    """The values in lists that one statement takes: databases limit how many it may name."""
    # No list of all of them: there may be a million.
    rest = iter(values)
    while some := list(islice(rest, size)):
        yield some


def newest(one_show: bool | None = None) -> tuple[str, ...]:
    """The fields that sort episodes newest first: over several shows by date, within one in its own
    order.

    Without `one_show` the database is asked whether there are several. Of equal dates that of the
    show that was added first comes first. An index has each of these orders, and its reverse.
    """
    if one_show is None:
        from . import Podcast

        one_show = not Podcast.objects.several()
    return ("-podcast_id", "-order") if one_show else ("-sorted_at", "podcast_id", "-order")


# A list of ids as one value: a database takes as long to read thousands of values as to answer.
IDS = {
    "sqlite": "SELECT value FROM json_each(%s)",
    "postgresql": "SELECT value::bigint FROM json_array_elements_text(%s)",
}


def any_number(ids: Collection[int], using: str = DEFAULT_DB_ALIAS) -> RawSQL:
    """These ids for a lookup with `in`, however many they are."""
    return RawSQL(IDS[connections[using].vendor], [json.dumps([*ids])])


class EpisodeQuerySet(models.QuerySet["Episode"]):
    def of_shows(self, podcasts: Sequence[Podcast]) -> Self:
        """All episodes of these shows, newest first; those of one moment by the show's slug, so
        that it is no matter which show was added first."""
        rows = self.filter(podcast__in=podcasts)
        # Its own order can be another than that of the dates.
        if len(podcasts) == 1:
            return rows.newest_first(one_show=True)
        return rows.order_by("-sorted_at", "podcast__slug", "-order")

    def listed(self) -> Self:
        """The episodes that lists show: without the ones for which another episode stands."""
        return self.filter(listed=True)

    def newest_first(self, *, one_show: bool | None = None) -> Self:
        return self.order_by(*newest(one_show))

    def sorted_by(self, sort: str, *, one_show: bool | None = None) -> Self:
        """In the order of that name; unknown lengths come last, and equals are newest first."""
        equals = newest(one_show)
        match sort:
            case "oldest":
                return self.newest_first(one_show=one_show).reverse()
            # Databases differ in where they sort NULL by themselves.
            case "shortest":
                return self.order_by(F("duration_seconds").asc(nulls_last=True), *equals)
            case "longest":
                return self.order_by(F("duration_seconds").desc(nulls_last=True), *equals)
        return self.order_by(*equals)

    def in_batches(self) -> Iterator[Episode]:
        """All of them, however many, with what was to be prefetched: no statement names more rows
        than a batch has."""
        return self.iterator(BATCH)

    def named(self) -> Self:
        """With what a line about an episode shows, and no more."""
        return self.only(*NAMED)

    def for_list(self) -> Self:
        """With what a card shows, in a fixed number of queries."""
        from . import EpisodeTopic

        uses = EpisodeTopic.objects.select_related("topic").order_by(
            "topic__position", "topic__slug"
        )
        return self.select_related("podcast").prefetch_related(Prefetch("topic_uses", uses))

    def about(self, topic: str) -> Self:
        """Episodes that have the topic of this slug."""
        return self.filter(_among("EpisodeTopic", topic__slug=topic))

    def about_all(self, topics: Iterable[int]) -> Self:
        """Episodes that have every one of these topics, by their ids, of which databases know how
        common each is."""
        from . import EpisodeTopic

        found = self
        for topic in topics:
            # A topic has many episodes, so they are found sooner along the order of the list than
            # by sorting all of them.
            found = found.filter(
                Exists(EpisodeTopic.objects.filter(episode=OuterRef("pk"), topic=topic))
            )
        return found

    def of_show(self, slug: str) -> Self:
        return self.filter(podcast__slug=slug)

    def in_year(self, year: str) -> Self:
        """Episodes of a year, or those whose date nobody knows."""
        return (
            self.filter(published_at__isnull=True)
            if year == UNKNOWN
            else self.filter(published_at__year=int(year))
        )

    def in_month(self, month: str) -> Self:
        """Episodes of a month such as `2021-03`."""
        year, number = month.split("-")
        return self.filter(published_at__year=int(year), published_at__month=int(number))

    def in_band(self, band: str) -> Self:
        """Episodes of a band of lengths: `15-20`, `60-`; or those whose length nobody knows."""
        if band == UNKNOWN:
            return self.filter(duration_seconds__isnull=True)
        least, most = band.split("-")
        longer = self.lasting_at_least(int(least))
        return longer.filter(duration_seconds__lt=int(most) * 60) if most else longer

    def lasting_at_least(self, minutes: int) -> Self:
        return self.filter(duration_seconds__gte=minutes * 60)

    def lasting_at_most(self, minutes: int) -> Self:
        return self.filter(duration_seconds__lte=minutes * 60)

    def with_person(self, slug: str) -> Self:
        return self.filter(_among("Credit", person__slug=slug))

    def linking_to(self, kind: str) -> Self:
        return self.filter(_among("EpisodeLink", link__kind=kind))

    def told_by(self, source: str) -> Self:
        """Episodes that the source of this slug lists."""
        return self.filter(_among("Attachment", item__document__source__slug=source))

    def with_a_number_twice(self) -> Self:
        """Episodes whose number another one of their show and season has."""
        # NULL equals nothing in SQL, and shows without seasons count through.
        season = Coalesce("season", Value(-1))
        same = self.model.objects.annotate(own_season=season).filter(
            podcast=OuterRef("podcast"),
            number=OuterRef("number"),
            own_season=Coalesce(OuterRef("season"), Value(-1)),
        )
        return self.filter(Exists(same.exclude(pk=OuterRef("pk"))))

    def among(self, ids: Collection[int]) -> Self:
        """The episodes with these ids; there may be any number of them."""
        return self.filter(pk__in=any_number(ids, self.db))

    def search(self, query: str | PreparedQuery) -> Self:
        """Episodes that hold every term of `query` (docs/search.md)."""
        from ..search import holding

        return holding(self, query)


class LinkQuerySet(models.QuerySet[Any]):
    def with_words(self, typed: str) -> Self:
        """The links that have each of the first words somewhere in key, kind, title or the
        addresses that publish them."""
        from ..search import MOST_TERMS
        from . import EpisodeLink

        found = self
        for word in query_words(typed)[:MOST_TERMS]:
            # No joins: a long query would need more of them than a database takes.
            published = Q(url__icontains=word) | Q(text__icontains=word)
            mentions = EpisodeLink.objects.filter(published).order_by().values("link")
            own = Q(key__icontains=word) | Q(kind__icontains=word) | Q(title__icontains=word)
            found = found.filter(own | Q(pk__in=mentions))
        return found


def query_words(typed: str) -> list[str]:
    """The words of a query, each once."""
    return list(dict.fromkeys(typed.split()))


def _among(model: str, **conditions: object) -> Q:
    """The episodes to which a row of this model belongs that meets the conditions."""
    from .. import models as nouns

    rows = getattr(nouns, model)._default_manager.filter(**conditions)
    # A join would give an episode once for each of its rows.
    return Q(pk__in=rows.order_by().values("episode"))
