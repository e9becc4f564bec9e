"""The index of topics, and the page of a topic."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.db.models.functions import Lower
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from ..models import (
    Episode,
    FacetCounts,
    LoadedPath,
    Podcast,
    Redirect,
    Topic,
    load_counts_by_show,
    load_or_count_facets,
)
from ..outputs import attach_stored_pictures
from ..site import Site, load_shows_and_sections
from ..text.formatting import format_count, format_episode_count, format_total_length
from .facets import group_topics, order_by_group, share_of_largest
from .former_addresses import redirect_renamed
from .moments import (
    find_curated_and_spoken_moments,
    listen_first_lines_by_episode,
    load_prerequisite_ids_by_episode,
    playable_context,
    playable_moments,
)
from .paths import PathThroughList, find_paths_with_shared_episode_counts
from .rendering import (
    SINGLE_PAGE,
    feeds_and_formats_context,
    load_page,
    load_page_of_episodes,
    render_list,
)


class TopicRow(NamedTuple):
    """A topic in the index, and how many episodes it has."""

    topic: Topic
    episode_count: int
    share: int  # of the largest topic, from 1 to 10


TopicsByGroup = list[tuple[str, list[TopicRow]]]


@require_safe
def topic_index(request: HttpRequest) -> HttpResponse:
    current_site = load_shows_and_sections()
    counts = load_or_count_facets(Episode.objects.listed()).counts_of_facet_by_value("topic")
    used_topics = order_by_group(Topic.objects.filter(pk__in=counts))
    page = load_page(request, used_topics, SINGLE_PAGE)
    # A topic that was declared by a feed means nothing without episodes.
    unused_topics = Topic.objects.exclude(pk__in=counts).exclude(declared=True)
    return render_list(
        request,
        "topics",
        current_site,
        page,
        title=format_count(page.paginator.count, "topic", "topics"),
        sections=_shows_with_grouped_topics(current_site, page, counts),
        unused=order_by_group(unused_topics),
    )


def _shows_with_grouped_topics(
    current_site: Site, topics: Iterable[Topic], counts_by_topic_id: Mapping[str, int]
) -> list[tuple[Podcast | None, TopicsByGroup]]:
    """Return pairs of a show and its topics by group. The show is None if the site has only one.

    Leave out shows without topics.
    """
    if not current_site.several:
        groups = _groups_with_topic_rows(topics, counts_by_topic_id)
        return [(None, groups)] if groups else []
    # A topic for all shows is in the section of each show with such episodes.
    counts_by_show = load_counts_by_show()
    shows = list(Podcast.objects.listed().order_by(Lower("title"), "pk"))
    attach_stored_pictures(shows)
    sections: list[tuple[Podcast | None, TopicsByGroup]] = []
    for show in shows:
        groups = _groups_with_topic_rows(
            topics, counts_by_show[show.pk].counts_of_facet_by_value("topic")
        )
        if groups:
            sections.append((show, groups))
    return sections


def _groups_with_topic_rows(
    topics: Iterable[Topic], counts_by_topic_id: Mapping[str, int]
) -> TopicsByGroup:
    # The counts are stored as JSON, so the ids are texts.
    used_topics = [topic for topic in topics if str(topic.pk) in counts_by_topic_id]
    largest = max(counts_by_topic_id.values(), default=0)
    groups = []
    for group_name, topics_of_group in group_topics(used_topics).items():
        rows = []
        for topic in topics_of_group:
            count = counts_by_topic_id[str(topic.pk)]
            rows.append(TopicRow(topic, count, share_of_largest(count, largest)))
        groups.append((group_name, rows))
    return groups


def used_topics_with_counts(
    counts: FacetCounts, topics: QuerySet[Topic]
) -> list[tuple[Topic, int]]:
    counts_by_topic_id = counts.counts_of_facet_by_value("topic")  # the ids are texts

    def count_of(topic: Topic) -> int:
        return counts_by_topic_id[str(topic.pk)]

    used_topics = topics.filter(pk__in=counts_by_topic_id)
    most_common_first = sorted(used_topics, key=count_of, reverse=True)
    return [(topic, count_of(topic)) for topic in most_common_first]


@require_safe
def topic_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a topic with its episodes, oldest first.

    If a learning path has more than half of them, its order comes first.
    """
    topic = Topic.objects.filter(slug=slug).first()
    if topic is None:
        return redirect_renamed(Redirect.objects.filter(kind="topic"), "topic", slug, "topics")
    current_site = load_shows_and_sections()
    about_topic = Episode.objects.listed().with_all_topics([topic.pk])
    counts = load_or_count_facets(about_topic, f"topic:{topic.pk}")
    total = counts["matches"]
    oldest_first = about_topic.sorted_by("oldest", is_single_show=not current_site.several)
    episode_ids = oldest_first.values_list("pk", flat=True)
    paths = find_paths_with_shared_episode_counts(about_topic)
    # The path with more than half of the episodes, if there is one.
    guide = _path_with_over_half_of_episodes(total, paths)
    ordered_ids: Sequence[int] | QuerySet[Any, int] = episode_ids
    if guide:
        ordered_ids = _ids_in_path_order_first(episode_ids, guide)
    page = load_page_of_episodes(request, current_site, ordered_ids, row_count=total)
    page_episodes = list(page)
    # The counts are of the episodes about this topic, by all of their topics.
    related_topics = used_topics_with_counts(counts, Topic.objects.exclude(pk=topic.pk))
    # Reading transcripts takes a while, and later pages do not show moments.
    moments = find_curated_and_spoken_moments(topic) if page.number == 1 else []
    return render_list(
        request,
        "topic",
        current_site,
        page,
        topic.get_absolute_url(),
        **feeds_and_formats_context(request, "topic", slug, counts=counts),
        **playable_context(playable_moments(moments)),
        section="topics",
        topic=topic,
        counts=counts,
        count=format_episode_count(total),
        total_length=format_total_length(counts),
        episodes=page_episodes,
        moments=moments[:6],
        reasons=listen_first_lines_by_episode(page_episodes, load_prerequisite_ids_by_episode()),
        related_topics=related_topics[:8],
        paths=paths,
        guide=guide,
    )


def _path_with_over_half_of_episodes(
    total: int, paths: Sequence[PathThroughList]
) -> LoadedPath | None:
    # The path with the most episodes is the first.
    if paths and paths[0].episode_count > total / 2:
        return paths[0].loaded_path
    return None


def _ids_in_path_order_first(episode_ids: Iterable[int], loaded_path: LoadedPath) -> list[int]:
    positions = {episode.pk: position for position, episode in enumerate(loaded_path.episodes)}
    after_path = len(positions)
    return sorted(episode_ids, key=lambda episode_id: positions.get(episode_id, after_path))
