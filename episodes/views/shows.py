"""The start page, and the shows: what each is, who makes it, where to begin and to subscribe, and
what is new."""

from typing import Any

from django.db.models import (
    Count,
    F,
    IntegerField,
    OuterRef,
    QuerySet,
    Subquery,
)
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Coalesce, Lower
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from ..fields import by_kind, details
from ..models import (
    Credit,
    Episode,
    EpisodeCount,
    LearningPath,
    Podcast,
    Reference,
    Status,
    for_cards,
    routes,
)
from ..outputs import add_pictures, json_ld
from ..site import Site, site
from ..text.formatting import counted, together
from ..text.urls import is_campaign
from .filters import EpisodeFilter
from .lists import beside
from .page import (
    gone,
    offered_as,
    on_cards,
    paged,
    share_image,
    show_page,
    subscription,
    thing_page,
)

NEWEST = 10
MOST_SHOWS = 12  # on the start page
MOST_PEOPLE = 12
# Episodes that have to name another as their prerequisite before it counts as a basic one.
NEEDED = 2


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The start page: of the only show, or of all. With filters it is the list of episodes."""
    # A link of a campaign, with `utm_source` behind it, means the start page.
    if not all(map(is_campaign, request.GET)):
        return redirect(f"{reverse('episodes')}?{request.GET.urlencode()}")
    of_site = site()
    if of_site.show:
        return start(request, of_site, of_site.show, "home", reverse("home"))
    # Databases differ in where they sort NULL by themselves.
    by_newest = counted_shows().order_by(F("latest").desc(nulls_last=True), "rank")
    context = newest(request, of_site) | {
        "section": "home",
        "shows": with_newest(list(by_newest[:MOST_SHOWS])),
        "show_count": counted(Podcast.objects.shown().count(), "show", "shows"),
        "canonical": request.build_absolute_uri(reverse("home")),
    }
    return show_page(request, "episodes/home.html", context)


@require_safe
def show(request: HttpRequest, slug: str) -> HttpResponse:
    """A show's own start page."""
    podcast = get_object_or_404(Podcast, slug=slug)
    if podcast.status == Status.REMOVED:
        # Not 404: a person took it away, and search engines may forget it (RFC 9110, 410).
        return gone(request, "This show was removed from the catalog.")
    return start(request, site(), podcast, "shows", podcast.get_absolute_url())


def start(
    request: HttpRequest, of_site: Site, podcast: Podcast, section: str, address: str
) -> HttpResponse:
    """The start page of a show, which is that of the site where there is only one."""
    paths = LearningPath.objects.shown()
    if of_site.several:
        paths = paths.filter(podcast=podcast)
    ways = routes(paths)
    credits_ = Credit.objects.filter(episode__podcast=podcast).order_by()
    people = credits_.values("person__slug", "person__name", "role")
    context = newest(request, of_site, podcast) | {
        "section": section,
        "show": podcast,
        "share_image": share_image(request, podcast),
        "people": people.annotate(n=Count("episode")).order_by("-n", "person__slug")[:MOST_PEOPLE],
        "ways": ways,
        "first": first_step([way.parts[0].episode for way in ways if way.parts], podcast),
        "details": by_kind(details(podcast.channel.details)),
        "canonical": request.build_absolute_uri(address),
    }
    return show_page(request, "episodes/show.html", context)


def newest(request: HttpRequest, of_site: Site, podcast: Podcast | None = None) -> dict[str, Any]:
    """The newest episodes of a show or of all, with the filters of the list of the others."""
    # A single show needs no parameter in the addresses of its lists.
    chosen = {"podcast": podcast.slug} if podcast and of_site.several else {}
    data = QueryDict(mutable=True)
    data.update(chosen)
    listed = EpisodeFilter(data)
    counts, query, absolute = listed.counts(), listed.selection.query(), request.build_absolute_uri
    return {
        **beside(listed),
        **offered_as("episodes", query=query),
        "site": of_site,
        "list_url": reverse("episodes"),
        "list_query": query,
        "count": counted(counts["matches"], "episode", "episodes"),
        "together": together(counts),
        "more": counts["matches"] > NEWEST,
        "newest": on_cards(listed.ids(of_site)[:NEWEST], of_site, listed.topics.values()),
        "structured": json_ld.shows(of_site, absolute, chosen.get("podcast", "")),
        "subscription": subscription(absolute, "episodes", query=query, show=podcast),
    }


def first_step(beginnings: list[Episode], podcast: Podcast) -> Episode | None:
    """The episode to begin a show with: the first of its first path, else the one that most others
    name as their prerequisite, else its oldest."""
    listed = Episode.objects.listed().filter(podcast=podcast)
    # Nobody begins a show with its trailer or a bonus episode.
    whole = listed.exclude(episode_type__in=("trailer", "bonus"))
    named = Reference.objects.filter(kind="prerequisite", target__in=whole).values("target")
    needed = named.annotate(n=Count("pk")).filter(n__gte=NEEDED).order_by("-n", "target__order")
    oldest = whole.sorted_by("oldest", one_show=True).values_list("pk", flat=True)
    ids = [episode.pk for episode in beginnings] or [
        *needed.values_list("target", flat=True)[:1],
        *oldest[:1],
    ]
    return next(iter(for_cards(ids[:1], [podcast])), None)


def counted_shows() -> QuerySet[Podcast]:
    """The shows that are shown in the order in which they were added, each with its number of
    listed episodes (`count`), the id of the newest (`newest`) and its moment (`latest`)."""
    of_show = EpisodeCount.objects.filter(podcast=OuterRef("pk"), about="")
    count = Subquery(of_show.values(n=Cast(KT("counts__episodes"), IntegerField())))
    episodes = (
        Episode.objects.listed().filter(podcast=OuterRef("pk")).order_by("-sorted_at", "-order")
    )
    return Podcast.objects.shown().annotate(
        count=Coalesce(count, 0),
        latest=Subquery(episodes.values("sorted_at")[:1]),
        newest=Subquery(episodes.values("pk")[:1]),
    )


def with_newest(shows: list[Any]) -> list[tuple[Podcast, Episode | None]]:
    """These shows with their covers and their newest episodes."""
    add_pictures(shows)
    episodes = {row.pk: row for row in for_cards(filter(None, (s.newest for s in shows)), shows)}
    return [(show, episodes.get(show.newest)) for show in shows]


@require_safe
def shows(request: HttpRequest) -> HttpResponse:
    """All shows, each with its newest episode."""
    page = paged(request, counted_shows().order_by(Lower("title"), "rank"))
    title = counted(page.paginator.count, "show", "shows")
    return thing_page(request, "shows", site(), page, title=title, shows=with_newest(list(page)))
