"""Lists of episodes in other formats than pages: feeds and tables."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from django.core.paginator import Page
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.templatetags.static import static
from django.urls import reverse
from django.views.decorators.http import require_safe

from ..models import (
    Episode,
    LearningPath,
    Person,
    Podcast,
    Topic,
    attach_shows_and_topics_to_episodes,
    load_in_order,
    load_paths_with_episodes,
)
from ..outputs import (
    LIST_FORMATS,
    EpisodeListing,
    ListFormat,
    load_credits_into_episodes,
    stored_picture_of,
)
from ..site import Site, load_shows_and_sections
from .episode_filter import EpisodeFilter
from .facets import labels_by_parameter_value_pair
from .former_addresses import get_former_name_and_person_or_404
from .rendering import load_page, next_page_address
from .responses import absolute_url_builder, conditional_get, shared_answer
from .selection import Selection, filters_in_words


@require_safe
@conditional_get
def episodes_in_format(
    request: HttpRequest, ending: str, list_kind: str = "episodes", slug: str = ""
) -> HttpResponse:
    """Answer with the episodes that the address asks for, as on the pages of the list.

    `ending` is the end of the address, such as `rss`. `list_kind` is episodes, topic or person. The list
    of a topic or person is the episode list with that filter.
    """
    list_format = LIST_FORMATS[ending]
    current_site = load_shows_and_sections()
    parameters = request.GET.copy()
    if slug:
        # `/topics/vmap.rss?year=2021` is the list of `/episodes.rss?topic=vmap&year=2021`.
        parameters.appendlist(list_kind, slug)
    filters = EpisodeFilter(parameters).with_order_or_corrected_words()
    page: Page[Any] = load_page(
        request,
        filters.ordered_ids(current_site),
        per_page=500,
        row_count=filters.total,
    )
    show = current_site.find_show_with_slug_or_only_show(filters.selection.first("podcast"))
    addresses = _feed_addresses(request, filters.selection, page, ending, list_kind, slug)
    absolute = absolute_url_builder(request)
    listing = EpisodeListing(
        title=_list_title(current_site, show, filters),
        description=show.description if show else "",
        episodes=_load_episodes(page, list_format, current_site, filters),
        page=absolute(addresses.page),
        feed=absolute(addresses.feed),
        next_address=addresses.next_feed,
        image=absolute(_cover_address(show)),
        show=show,
        absolute=absolute,
    )
    return shared_answer(list_format.write(listing), list_format.content_type, addresses.next_feed)


class FeedAddresses(NamedTuple):
    """The addresses of a list: its page for readers, this part of its feed, and the next part or ""."""

    page: str
    feed: str
    next_feed: str  # absolute


def _feed_addresses(
    request: HttpRequest,
    selection: Selection,
    page: Page[Any],
    ending: str,
    list_kind: str,
    slug: str,
) -> FeedAddresses:
    slug_if_any = (slug,) if slug else ()
    further_filters = selection
    if slug:
        # The path of the address names the topic or person, so the query need not. As it is selected,
        # toggling takes it off.
        further_filters = selection.toggled(list_kind, slug)
    page_address = reverse(list_kind, args=slug_if_any)
    # The page of a topic or person takes no further filters. The episode list takes all.
    if further_filters.pairs():
        page_address = reverse("episodes") + selection.query()
    # A feed has parts of 500 episodes: `/topics/vmap.rss`, `/topics/vmap.rss?page=2`.
    whole_feed = reverse(f"{list_kind}-as", args=(*slug_if_any, ending))
    this_part = whole_feed + further_filters.query(page.number)
    next_part = next_page_address(request, page, whole_feed, further_filters)
    return FeedAddresses(page_address, this_part, next_part)


def _load_episodes(
    ids: Iterable[int], list_format: ListFormat, current_site: Site, filters: EpisodeFilter
) -> list[Episode]:
    episodes = load_in_order(ids, list_format.rows(Episode.objects.all()))
    attach_shows_and_topics_to_episodes(episodes, [*current_site.shows, *filters.topics.values()])
    load_credits_into_episodes(episodes)
    return episodes


def _list_title(current_site: Site, show: Podcast | None, filters: EpisodeFilter) -> str:
    # "The Show: episodes about Autograd, 2021", or "The Show" without filters.
    title = str(current_site)
    filters_to_name = filters.selection
    if show:
        # The show is named before the colon.
        title = show.title
        filters_to_name = filters.selection.without("podcast")
    labels = labels_by_parameter_value_pair(filters.selection, filters.topics)
    # "matching" or "close to" stands before searched words.
    relation = filters.result_count_and_relation().relation
    words = filters_in_words(filters_to_name, labels, relation)
    if words:
        title += f": episodes{words}"
    return title


def _cover_address(show: Podcast | None) -> str:
    cover = stored_picture_of(show) if show else None
    return cover.address if cover else static("img/cover.png")


def topic_in_format(request: HttpRequest, slug: str, ending: str) -> HttpResponseBase:
    if Topic.objects.filter(slug=slug).exists():
        return episodes_in_format(request, ending, "topic", slug)
    topic = get_object_or_404(Topic, former__slug=slug)
    return redirect("topic-as", topic.slug, ending, permanent=True)


def person_in_format(request: HttpRequest, slug: str, ending: str) -> HttpResponseBase:
    if Person.objects.filter(slug=slug).exists():
        return episodes_in_format(request, ending, "person", slug)
    person = get_former_name_and_person_or_404(slug).person
    if person is None:
        raise Http404("Nobody is at this address any more.")
    return redirect("person-as", person.slug, ending, permanent=True)


@require_safe
@conditional_get
def learning_path_in_format(request: HttpRequest, slug: str, ending: str) -> HttpResponseBase:
    path = LearningPath.objects.published().filter(slug=slug).select_related("podcast").first()
    if path is None:
        # A curator renamed it. `former` are the redirects that lead to a path.
        current_path = get_object_or_404(LearningPath, former__slug=slug)
        return redirect("path-as", current_path.slug, ending, permanent=True)
    current_site = load_shows_and_sections()
    list_format = LIST_FORMATS[ending]
    (loaded_path,) = load_paths_with_episodes([path], list_format.rows(Episode.objects.for_list()))
    load_credits_into_episodes(loaded_path.episodes)
    show = path.podcast or current_site.show
    absolute = absolute_url_builder(request)
    listing = EpisodeListing(
        title=f"{show or current_site}: {path.title}",
        description=path.description,
        episodes=loaded_path.episodes,
        page=absolute(path.get_absolute_url()),
        feed=absolute(reverse("path-as", args=(slug, ending))),
        image=absolute(_cover_address(show)),
        show=show,
        absolute=absolute,
    )
    return shared_answer(list_format.write(listing), list_format.content_type)
