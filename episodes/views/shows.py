"""The shows: what each is, who makes it, where to subscribe, and what is new."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Max, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from ..fields import by_kind, details
from ..models import Credit, Episode, EpisodeTopic, Podcast, Status, YearOf
from ..site import site
from ..text.formatting import counted, together
from .errors import gone
from .pages import UNSHOWN, page_links, paged

NEWEST = 10
MOST_TOPICS = 20
MOST_PEOPLE = 12


@require_safe
def shows(request: HttpRequest) -> HttpResponse:
    """Every show with its number of episodes, the one with the newest first."""
    counted_rows = Podcast.objects.shown().annotate(count=Count("episodes"), latest=Max("episodes__sorted_at"))
    page = paged(request, counted_rows.order_by("-latest", "rank"))
    context = page_links(request, page, reverse("shows")) | {
        "section": "shows",
        "title": counted(page.paginator.count, "show", "shows"),
        "shows": list(page),
    }
    return render(request, "episodes/shows.html", context)


@require_safe
def show(request: HttpRequest, slug: str) -> HttpResponse:
    """A show: its own words, hosts, newest episodes, topics and years, and where to subscribe."""
    podcast = Podcast.objects.filter(slug=slug).first()
    if podcast is None:
        raise Http404("Show not found.")
    if podcast.status == Status.REMOVED:
        return gone(request, "This show was removed from the catalog.")
    episodes = Episode.objects.listed().filter(podcast=podcast)
    extent = episodes.extent()
    context = {
        "section": "shows",
        "site": site(),
        "show": podcast,
        "count": counted(extent["episodes"], "episode", "episodes"),
        "together": together(extent),
        "list_query": f"?{urlencode({'podcast': podcast.slug})}",
        "words": "",
        "reasons": {},
        "newest": list(episodes.newest_first(one_show=True).for_list().defer(*UNSHOWN)[:NEWEST]),
        "topics": topics_of(podcast),
        "people": people_of(podcast),
        "years": years_of(episodes),
        "details": by_kind(details(podcast.channel.details)),
        "canonical": request.build_absolute_uri(podcast.get_absolute_url()),
    }
    return render(request, "episodes/show.html", context)


def topics_of(podcast: Podcast) -> QuerySet[Any, Any]:
    """The topics of most episodes, each with their number."""
    uses = EpisodeTopic.objects.filter(episode__podcast=podcast).order_by()
    rows = uses.values("topic__slug", "topic__name", "topic__group").annotate(n=Count("episode"))
    return rows.order_by("-n", "topic__slug")[:MOST_TOPICS]


def people_of(podcast: Podcast) -> QuerySet[Any, Any]:
    """The people credited in most episodes, with their roles."""
    rows = Credit.objects.filter(episode__podcast=podcast).order_by().values("person__slug", "person__name", "role")
    return rows.annotate(n=Count("episode")).order_by("-n", "person__slug")[:MOST_PEOPLE]


def years_of(episodes: QuerySet[Episode]) -> list[tuple[int, int]]:
    """The years of a show with the number of episodes of each."""
    rows = episodes.order_by().filter(published_at__isnull=False).values_list(YearOf("published_at"))
    return sorted(rows.annotate(n=Count("pk")), reverse=True)
