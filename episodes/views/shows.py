"""The shows: what each is, who makes it, where to subscribe, and what is new."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.core.paginator import Page
from django.db.models import Count, F, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from ..fields import by_kind, details
from ..models import (
    Counts,
    Credit,
    Episode,
    EpisodeCount,
    Podcast,
    Status,
    Topic,
    counts_of,
    for_cards,
)
from ..outputs import json_ld
from ..site import site
from ..text.formatting import counted, together
from .errors import gone
from .page import offered_as, share_image, show_page
from .shared import Index, topics_of

NEWEST = 10
MOST_TOPICS = 20
MOST_PEOPLE = 12


@require_safe
def show(request: HttpRequest, slug: str) -> HttpResponse:
    """A show: its own words, hosts, newest episodes, topics and years, and where to subscribe."""
    podcast = get_object_or_404(Podcast, slug=slug)
    if podcast.status == Status.REMOVED:
        return gone(request, "This show was removed from the catalog.")
    listed = Episode.objects.listed().filter(podcast=podcast)
    counts = counts_of(listed, show=podcast.slug)
    newest = for_cards(listed.newest_first(one_show=True).values_list("pk", flat=True)[:NEWEST])
    of_site, query = site(), f"?{urlencode({'podcast': podcast.slug})}"
    context = offered_as("episodes", query=query) | {
        "section": "shows",
        "site": of_site,
        "show": podcast,
        "share_image": share_image(request, podcast),
        "structured": json_ld.shows(of_site, request.build_absolute_uri, podcast.slug),
        "count": counted(counts["matches"], "episode", "episodes"),
        "together": together(counts),
        "list_query": query,
        "newest": newest,
        "topics": topics_of(counts, Topic.objects.order_by("slug"))[:MOST_TOPICS],
        "people": people_of(podcast),
        "years": years_of(counts),
        "details": by_kind(details(podcast.channel.details)),
        "canonical": request.build_absolute_uri(podcast.get_absolute_url()),
    }
    return show_page(request, "episodes/show.html", context)


def by_newest() -> QuerySet[Podcast]:
    """The shows that are shown, the one with the newest episode first, each with its number of
    listed episodes (`count`)."""
    of_show = EpisodeCount.objects.filter(podcast=OuterRef("pk"), about="")
    count = Subquery(of_show.values(n=Cast(KT("counts__episodes"), IntegerField())))
    newest = Episode.objects.listed().filter(podcast=OuterRef("pk")).order_by("-sorted_at")
    latest = Subquery(newest.values("sorted_at")[:1])
    shows = Podcast.objects.shown().annotate(count=Coalesce(count, 0), latest=latest)
    return shows.order_by(F("latest").desc(nulls_last=True), "rank")


def on_page(page: Page[Podcast]) -> dict[str, Any]:
    return {"shows": list(page)}


shows = require_safe(Index("shows", ("show", "shows"), by_newest, on_page))


def people_of(podcast: Podcast) -> QuerySet[Any, Any]:
    """The people credited in most episodes, with their roles."""
    rows = (
        Credit.objects.filter(episode__podcast=podcast)
        .order_by()
        .values("person__slug", "person__name", "role")
    )
    return rows.annotate(n=Count("episode")).order_by("-n", "person__slug")[:MOST_PEOPLE]


def years_of(counts: Counts) -> list[tuple[str, int]]:
    """The years of a show with the number of episodes of each, the last first."""
    years: Counter[str] = Counter()
    for month, n in counts.of("month").items():
        years[month[:4]] += n
    del years[""]
    return sorted(years.items(), reverse=True)
