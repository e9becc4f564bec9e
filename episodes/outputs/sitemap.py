"""Every page of the site for search engines (https://www.sitemaps.org/protocol.html)."""

from typing import Any

from django.contrib.sitemaps import GenericSitemap, Sitemap
from django.db.models import Exists, OuterRef, QuerySet, Subquery
from django.urls import reverse

from ..models import (
    HAS_EPISODES,
    CodeName,
    Episode,
    EpisodeTopic,
    LearningPath,
    Person,
    Podcast,
    Revision,
    Topic,
)

# The names of the views.
INDEX_PAGES = (
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


class IndexSitemap(Sitemap):  # type: ignore[type-arg]
    """The pages that every catalog has."""

    def items(self) -> Any:
        return INDEX_PAGES

    def location(self, item: str) -> str:
        return reverse(item)


class RowSitemap(GenericSitemap):  # type: ignore[type-arg]
    """The pages of some rows."""

    limit = 1_000

    def get_latest_lastmod(self) -> None:
        # The index of sitemaps gives no date for this one: all episodes would have to be read for it.
        return None


def _row_sitemap(rows: QuerySet[Any]) -> RowSitemap:
    return RowSitemap({"queryset": rows})


def _episode_sitemap() -> RowSitemap:
    """Return the pages of episodes, each with the time of the last change in a source."""
    revisions = Revision.objects.filter(item__attachment__episode=OuterRef("pk"))
    last_change = revisions.order_by("-recorded_at").values("recorded_at")[:1]
    # By show, the oldest of each first, so that a new episode changes the last file only.
    episodes = Episode.objects.listed().only("slug").order_by("podcast_id", "order")
    rows = episodes.annotate(changed_at=Subquery(last_change))
    return RowSitemap({"queryset": rows, "date_field": "changed_at"})


_TOPIC_HAS_EPISODES = Exists(EpisodeTopic.objects.filter(topic=OuterRef("pk")))
SITEMAPS: dict[str, Any] = {
    "indexes": IndexSitemap(),
    "episodes": _episode_sitemap(),
    "shows": _row_sitemap(Podcast.objects.listed().order_by("rank")),
    "topics": _row_sitemap(Topic.objects.filter(_TOPIC_HAS_EPISODES).order_by("slug")),
    "paths": _row_sitemap(LearningPath.objects.published().order_by("slug")),
    "people": _row_sitemap(Person.objects.filter(HAS_EPISODES).order_by("slug")),
    "names": _row_sitemap(CodeName.objects.filter(HAS_EPISODES).order_by("slug")),
}
