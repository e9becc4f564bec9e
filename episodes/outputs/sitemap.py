"""Every page of the site for search engines (https://www.sitemaps.org/protocol.html)."""

from typing import Any

from django.contrib.sitemaps import GenericSitemap, Sitemap
from django.db.models import Exists, OuterRef, QuerySet, Subquery
from django.urls import reverse

from ..models import (
    USED,
    CodeName,
    Episode,
    EpisodeTopic,
    LearningPath,
    Person,
    Podcast,
    Revision,
    Topic,
)

INDEXES = (
    "episodes",
    "shows",
    "topics",
    "paths",
    "links",
    "people",
    "names",
    "timeline",
    "time",
    "sources",
    "changes",
    "about",
    "data",
)


class Indexes(Sitemap):  # type: ignore[type-arg]
    """The pages that every catalog has."""

    def items(self) -> Any:
        return INDEXES

    def location(self, item: str) -> str:
        return reverse(item)


class Pages(GenericSitemap):  # type: ignore[type-arg]
    """The own pages of some rows; of episodes, each with the time at which a source last said
    something new of it."""

    limit = 1_000

    def get_latest_lastmod(self) -> None:
        """Unknown: to know it, all episodes would have to be read."""


SAID = Revision.objects.filter(item__attachment__episode=OuterRef("pk")).order_by("-recorded_at")
USES = EpisodeTopic.objects.filter(topic=OuterRef("pk"))
# By show, the oldest of each first, so that a new episode changes the last file only.
EPISODES = Episode.objects.listed().only("slug").order_by("podcast_id", "order")
ROWS: dict[str, QuerySet[Any]] = {
    "shows": Podcast.objects.shown().order_by("rank"),
    "topics": Topic.objects.filter(Exists(USES)).order_by("slug"),
    "paths": LearningPath.objects.shown().order_by("slug"),
    "people": Person.objects.filter(USED).order_by("slug"),
    "names": CodeName.objects.filter(USED).order_by("slug"),
}
SITEMAPS: dict[str, Any] = {
    "indexes": Indexes(),
    "episodes": Pages(
        {
            "queryset": EPISODES.annotate(said_at=Subquery(SAID.values("recorded_at")[:1])),
            "date_field": "said_at",
        }
    ),
    **{name: Pages({"queryset": rows}) for name, rows in ROWS.items()},
}
