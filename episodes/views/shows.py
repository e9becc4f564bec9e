"""The shows: what each is, who makes it, where to subscribe, and what is new."""

from __future__ import annotations

from copy import copy
from typing import Any

from django.db.models import Count, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from ..fields import by_kind, details
from ..models import NEVER, CatalogIndex, Credit, Podcast, Snapshot, Status, Topic, for_cards, snapshot
from ..outputs import json_ld
from ..site import site
from ..text.formatting import counted, together
from .errors import gone
from .page import offered_as, share_image, show_page
from .pages import page_links, paged

NEWEST = 10
MOST_TOPICS = 20
MOST_PEOPLE = 12


@require_safe
def shows(request: HttpRequest) -> HttpResponse:
    """Every show with its number of episodes, the one with the newest first."""
    now = snapshot()
    page = paged(request, by_newest(now))
    context = page_links(request, page, reverse("shows")) | {
        "section": "shows",
        "site": site(now),
        "title": counted(page.paginator.count, "show", "shows"),
        "shows": list(page),
    }
    return show_page(request, "episodes/shows.html", context)


@require_safe
def show(request: HttpRequest, slug: str) -> HttpResponse:
    """A show: its own words, hosts, newest episodes, topics and years, and where to subscribe."""
    podcast = Podcast.objects.filter(slug=slug).first()
    if podcast is None:
        raise Http404("Show not found.")
    if podcast.status == Status.REMOVED:
        return gone(request, "This show was removed from the catalog.")
    now = snapshot()
    shelf = now.shelves.get(podcast.pk)
    index = CatalogIndex({podcast.pk: shelf} if shelf else {})
    extent = index.extent(index.all)
    of_site = site(now)
    newest = for_cards(now, index.ids[: min(NEWEST, extent["episodes"])])
    query = f"?{urlencode({'podcast': podcast.slug})}"
    context = offered_as("episodes", query=query, audible=any(episode.audio_url for episode in newest)) | {
        "section": "shows",
        "site": of_site,
        "show": podcast,
        "share_image": share_image(request, podcast),
        "structured": json_ld.shows(of_site, request.build_absolute_uri, podcast.slug),
        "count": counted(extent["episodes"], "episode", "episodes"),
        "together": together(extent),
        "list_query": query,
        "newest": newest,
        "topics": topics_of(index, now),
        "people": people_of(podcast),
        "years": years_of(index),
        "details": by_kind(details(podcast.channel.details)),
        "canonical": request.build_absolute_uri(podcast.get_absolute_url()),
    }
    return show_page(request, "episodes/show.html", context)


def by_newest(now: Snapshot) -> list[Podcast]:
    """The shows that are shown, that with the newest episode first, each with its number of listed episodes as `count`."""
    found = []
    for row in now.podcasts.values():
        if row.status != Status.REMOVED:
            shelf, show = now.shelves.get(row.pk), copy(row)
            show.count = shelf.count if shelf else 0  # type: ignore[attr-defined]
            found.append((-(shelf.latest if shelf else NEVER), row.rank, show))
    return [show for *_, show in sorted(found, key=lambda row: row[:2])]


def topics_of(index: CatalogIndex, now: Snapshot) -> list[tuple[Topic, int]]:
    """The topics of most episodes, each with their number."""
    counts = index.counts("topic", index.all)
    rows = [(topic, counts[topic.pk]) for topic in now.topics.values() if topic.pk in counts]
    return sorted(rows, key=lambda row: (-row[1], row[0].slug))[:MOST_TOPICS]


def people_of(podcast: Podcast) -> QuerySet[Any, Any]:
    """The people credited in most episodes, with their roles."""
    rows = Credit.objects.filter(episode__podcast=podcast).order_by().values("person__slug", "person__name", "role")
    return rows.annotate(n=Count("episode")).order_by("-n", "person__slug")[:MOST_PEOPLE]


def years_of(index: CatalogIndex) -> list[tuple[int, int]]:
    """The years of a show with the number of episodes of each."""
    return sorted(((int(str(year)), n) for year, n in index.counts("year", index.all).items() if year), reverse=True)
