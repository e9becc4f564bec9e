"""The home page of the site, the index of shows, and the page of a show."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
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

from ..fields import detail_dicts_without_blanks, details_by_kind
from ..models import (
    Credit,
    Episode,
    EpisodeCount,
    LearningPath,
    LoadedPath,
    Podcast,
    Source,
    Status,
    load_for_cards,
    load_paths_with_episodes,
)
from ..outputs import attach_stored_pictures, json_ld
from ..site import Site, load_shows_and_sections
from ..text.formatting import format_count, format_total_length
from ..text.urls import is_campaign_parameter
from .episode_filter import EpisodeFilter
from .episode_list import list_sidebar_context
from .former_addresses import SHOW_REMOVED, answer_gone
from .rendering import (
    feeds_and_formats_context,
    load_cards,
    load_page,
    render_list,
    render_page,
    share_image_of_show,
)
from .search_examples import build_introduction_unless_empty_catalog


@require_safe
def home_page(request: HttpRequest) -> HttpResponse:
    """Show the only show, or all shows. Redirect to the episode list if there are filters."""
    # A link of a campaign, with `utm_source` behind it, means the home page. Other parameters are filters.
    has_filters = not all(is_campaign_parameter(name) for name in request.GET)
    if has_filters:
        return redirect(f"{reverse('episodes')}?{request.GET.urlencode()}")
    current_site = load_shows_and_sections()
    if current_site.show:
        return _render_show(request, current_site, current_site.show, "home")
    filters = _filters_of_whole_list(current_site)
    paths = _load_paths_with_episodes(LearningPath.objects.published())
    first_card = _card_of_first_episode_or_none(paths, current_site)
    # The show with the newest episode comes first, and shows without a dated episode (NULL) last.
    # Databases differ in where they sort NULL by themselves.
    by_newest = shows_with_episode_count_and_newest().order_by(
        F("latest").desc(nulls_last=True), "rank"
    )
    context = {
        **_newest_episodes_context(request, current_site, filters),
        "section": "home",
        "headline": _invitation_to_search_several_shows(
            has_lengths=filters.facet_counts()["timed"] > 0
        ),
        "introduction": build_introduction_unless_empty_catalog(filters, current_site),
        "paths": paths,
        "show": None,
        "first": first_card,
        "shows": _with_newest_episodes(list(by_newest[:12])),
        "show_count": format_count(Podcast.objects.listed().count(), "show", "shows"),
    }
    return render_page(request, "episodes/home.html", context)


def _card_of_first_episode_or_none(
    paths: Sequence[LoadedPath], current_site: Site
) -> Episode | None:
    if not paths:
        return None
    # Readers begin with the first episode of the first path. An import may just have deleted it.
    first_episode, *_ = paths[0].episodes
    cards = load_cards([first_episode.pk], current_site)
    return next(iter(cards), None)


def _invitation_to_search_several_shows(*, has_lengths: bool) -> str:
    """Return a sentence about the use of several shows, without a full stop.

    `Search 30 podcasts in 7 languages at once, or get a playlist for the time you have`
    """
    shows = Podcast.objects.listed().only("language")
    languages = {show.primary_language for show in shows}  # codes such as "en"
    languages.discard("")  # a feed may name no language
    sentence = f"Search {format_count(len(shows), 'podcast', 'podcasts')}"
    if len(languages) > 1:
        sentence += f" in {len(languages)} languages"
    sentence += " at once"
    if has_lengths:
        sentence += ", or get a playlist for the time you have"
    return sentence


@require_safe
def show_index(request: HttpRequest) -> HttpResponse:
    page = load_page(
        request, shows_with_episode_count_and_newest().order_by(Lower("title"), "rank")
    )
    title = format_count(page.paginator.count, "show", "shows")
    shows = _with_newest_episodes(list(page))
    return render_list(request, "shows", load_shows_and_sections(), page, title=title, shows=shows)


@require_safe
def show_page(request: HttpRequest, slug: str) -> HttpResponse:
    podcast = get_object_or_404(Podcast, slug=slug)
    if podcast.status == Status.REMOVED:
        # Not 404: a person removed it, and search engines may forget it (RFC 9110, 410).
        return answer_gone(request, SHOW_REMOVED)
    return _render_show(request, load_shows_and_sections(), podcast, "shows")


def _render_show(
    request: HttpRequest, current_site: Site, podcast: Podcast, section: str
) -> HttpResponse:
    learning_paths = LearningPath.objects.published()
    # On the site of one show all paths are about it, also paths of no show.
    if current_site.several:
        learning_paths = learning_paths.filter(podcast=podcast)
    paths = _load_paths_with_episodes(learning_paths)
    filters = _filters_of_whole_list(current_site, podcast)
    introduction = None
    # The page of the only show is the home page of the site, which introduces the search.
    if section == "home":
        introduction = build_introduction_unless_empty_catalog(filters, current_site)
    details = detail_dicts_without_blanks(podcast.channel.details)
    context = {
        **_newest_episodes_context(request, current_site, filters, podcast),
        "section": section,
        "show": podcast,
        "introduction": introduction,
        "unread_feed": _never_imported_feed_if_user_may_import(request, podcast),
        # The only show is on the card of the site.
        "share_image": share_image_of_show(request, podcast) if current_site.several else None,
        "people": _most_credited_people(podcast),
        "paths": paths,
        "first": find_episode_to_begin_with(paths, podcast),
        "details": details_by_kind(details),
    }
    return render_page(request, "episodes/show.html", context)


def _load_paths_with_episodes(learning_paths: QuerySet[LearningPath]) -> list[LoadedPath]:
    paths = [path for path in load_paths_with_episodes(learning_paths) if path.steps]
    return paths[:6]


def _never_imported_feed_if_user_may_import(
    request: HttpRequest, podcast: Podcast
) -> Source | None:
    """Return the feed of the show if it was never read from the network and the user may import it, else None."""
    # Without a session no user is looked up, so that the page can be cached.
    has_session = settings.SESSION_COOKIE_NAME in request.COOKIES
    if not has_session or not request.user.has_perm("episodes.configure"):
        return None
    feeds = Source.objects.active().fetchable().filter(podcast=podcast, reader="feed")
    # The first successful import from an address counts as a change.
    return feeds.filter(schedule__changed_at=None).first()


def _most_credited_people(podcast: Podcast) -> QuerySet[Any, Any]:
    """Return the twelve people and roles with the most episodes of a show, each with the number `n`."""
    credit_rows = Credit.objects.filter(episode__podcast=podcast).order_by()
    people_and_roles = credit_rows.values("person__slug", "person__name", "role")
    counted = people_and_roles.annotate(n=Count("episode"))
    return counted.order_by("-n", "person__slug")[:12]


NEWEST_EPISODES = 10


def _filters_of_whole_list(current_site: Site, podcast: Podcast | None = None) -> EpisodeFilter:
    parameters = QueryDict(mutable=True)
    # A single show needs no parameter in the addresses of its lists.
    if podcast and current_site.several:
        parameters["podcast"] = podcast.slug
    return EpisodeFilter(parameters)


def _newest_episodes_context(
    request: HttpRequest,
    current_site: Site,
    filters: EpisodeFilter,
    podcast: Podcast | None = None,
) -> dict[str, Any]:
    show_slug = filters.selection.first("podcast")
    counts = filters.facet_counts()
    query = filters.selection.query()
    newest_ids = filters.ordered_ids(current_site)[:NEWEST_EPISODES]
    newest = load_cards(newest_ids, current_site, filters.topics.values())
    return {
        **list_sidebar_context(filters, current_site),
        **feeds_and_formats_context(request, "episodes", query=query, show=podcast),
        "site": current_site,
        "list_url": reverse("episodes"),
        "list_query": query,
        "counts": counts,
        "count": format_count(counts["matches"], "episode", "episodes"),
        "total_length": format_total_length(counts),
        "newest": newest,
        "has_more": counts["matches"] > NEWEST_EPISODES,
        "structured": json_ld.shows_json_ld(current_site, request.build_absolute_uri, show_slug),
    }


def find_episode_to_begin_with(
    learning_paths: Sequence[LoadedPath], podcast: Podcast
) -> Episode | None:
    """Choose the episode to begin a show with: the first one of its first path, else its oldest one."""
    if learning_paths:
        first_episode, *_ = learning_paths[0].episodes
        # It is loaded again, because a card needs more columns than a path.
        candidates = Episode.objects.filter(pk=first_episode.pk)
    else:
        listed = Episode.objects.listed().filter(podcast=podcast)
        # Nobody begins a show with its trailer or a bonus episode.
        full_episodes = listed.exclude(episode_type__in=("trailer", "bonus"))
        candidates = full_episodes.sorted_by("oldest", is_single_show=True)
    cards = load_for_cards(candidates.values_list("pk", flat=True)[:1], [podcast])
    return next(iter(cards), None)


def shows_with_episode_count_and_newest() -> QuerySet[Podcast]:
    """Return the shows in the order of their addition.

    Each has its number of listed episodes (`count`), and the id (`newest`) and time (`latest`) of
    its newest episode.
    """
    # Counts are stored as JSON. `about` is "" for the counts of all episodes of a show.
    stored_counts = EpisodeCount.objects.filter(podcast=OuterRef("pk"), about="")
    episode_count = Cast(KT("counts__episodes"), IntegerField())
    counts_of_show = stored_counts.values(n=episode_count)
    listed = Episode.objects.listed().filter(podcast=OuterRef("pk"))
    newest_first = listed.order_by("-sorted_at", "-order")
    return Podcast.objects.listed().annotate(
        count=Coalesce(Subquery(counts_of_show), 0),
        latest=Subquery(newest_first.values("sorted_at")[:1]),
        newest=Subquery(newest_first.values("pk")[:1]),
    )


def _with_newest_episodes(shows: list[Any]) -> list[tuple[Podcast, Episode | None]]:
    """Return shows of `shows_with_episode_count_and_newest` with their newest episodes, None for a show without any."""
    attach_stored_pictures(shows)
    newest_ids = [show.newest for show in shows]
    episodes = {episode.pk: episode for episode in load_for_cards(newest_ids, shows)}
    return [(show, episodes.get(show.newest)) for show in shows]
