"""The index of learning paths, the page of a path, and the paths that lead through an episode."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from ..models import (
    CARD_COLUMNS,
    Episode,
    EpisodeQuerySet,
    LearningPath,
    LoadedPath,
    PathEpisode,
    Redirect,
    attach_shows_and_topics_to_episodes,
    load_paths_with_episodes,
)
from ..site import load_shows_and_sections
from ..text.formatting import format_count, format_episode_count, format_total_length
from .former_addresses import redirect_renamed
from .moments import listen_first_lines_by_episode, load_prerequisite_ids_by_episode
from .rendering import (
    SINGLE_PAGE,
    feeds_and_formats_context,
    load_page,
    render_list,
    render_page,
)


@dataclass(frozen=True)
class PathSummary:
    """A learning path with its episodes, and their number and length in words."""

    path: LearningPath
    parts: Sequence[PathEpisode]
    count: str
    length: str


@require_safe
def learning_path_index(request: HttpRequest) -> HttpResponse:
    summaries = []
    published = list(LearningPath.objects.published())
    for loaded_path in _load_paths_with_card_episodes(published):
        if loaded_path.steps:
            summaries.append(_summarize_learning_path(loaded_path))
    page = load_page(request, summaries, SINGLE_PAGE)
    return render_list(
        request,
        "paths",
        load_shows_and_sections(),
        page,
        title=format_count(page.paginator.count, "learning path", "learning paths"),
        paths=page.object_list,
    )


@require_safe
def learning_path_page(request: HttpRequest, slug: str) -> HttpResponse:
    path = LearningPath.objects.published().filter(slug=slug).first()
    if path is None:
        return redirect_renamed(Redirect.objects.filter(kind="path"), "path", slug, "paths")
    (loaded_path,) = _load_paths_with_card_episodes([path])
    context = {
        **feeds_and_formats_context(request, "path", slug),
        "section": "paths",
        "path": path,
        "summary": _summarize_learning_path(loaded_path),
        "reasons": listen_first_lines_by_episode(
            loaded_path.episodes, load_prerequisite_ids_by_episode()
        ),
    }
    return render_page(request, "episodes/path.html", context)


def _load_paths_with_card_episodes(learning_paths: Sequence[LearningPath]) -> list[LoadedPath]:
    loaded_paths = load_paths_with_episodes(learning_paths, Episode.objects.only(*CARD_COLUMNS))
    episodes_of_paths: list[Episode] = []
    for loaded_path in loaded_paths:
        episodes_of_paths += loaded_path.episodes
    attach_shows_and_topics_to_episodes(episodes_of_paths)
    return loaded_paths


def _summarize_learning_path(loaded_path: LoadedPath) -> PathSummary:
    lengths = []
    for episode in loaded_path.episodes:
        if episode.duration_seconds is not None:
            lengths.append(episode.duration_seconds)
    count = len(loaded_path.steps)
    counts = {"episodes": count, "timed": len(lengths), "seconds": sum(lengths)}
    return PathSummary(
        path=loaded_path.path,
        parts=loaded_path.steps,
        count=format_episode_count(count),
        length=format_total_length(counts),
    )


@dataclass(frozen=True)
class PathPosition:
    """The position of an episode in a path, and the part after it."""

    path: LearningPath
    number: int
    count: int
    next_part: PathEpisode | None


def find_learning_path_positions(episode: Episode) -> list[PathPosition]:
    positions = []
    for loaded_path in load_paths_with_episodes(LearningPath.objects.published()):
        episodes = loaded_path.episodes
        if episode in episodes:
            number = episodes.index(episode) + 1  # steps are numbered from 1
            # Each episode is one step, and the index of the next step is the number of this one.
            later_steps = loaded_path.steps[number:]
            next_step = later_steps[0] if later_steps else None
            positions.append(PathPosition(loaded_path.path, number, len(episodes), next_step))
    return positions


class PathThroughList(NamedTuple):
    """A path, and how many episodes of a list it leads through."""

    loaded_path: LoadedPath
    episode_count: int


def find_paths_with_shared_episode_counts(
    listed_episodes: EpisodeQuerySet,
) -> list[PathThroughList]:
    """Return the paths through some of these episodes, the path through most of them first."""
    published = load_paths_with_episodes(LearningPath.objects.published())
    episodes_in_paths: list[Episode] = []
    for loaded_path in published:
        episodes_in_paths += loaded_path.episodes
    ids_in_paths = {episode.pk for episode in episodes_in_paths}
    # Of the list only the episodes in paths are loaded.
    shared_episodes = set(listed_episodes.with_ids(ids_in_paths).only("pk"))
    paths_through = []
    for loaded_path in published:
        count = len(shared_episodes.intersection(loaded_path.episodes))
        if count:
            paths_through.append(PathThroughList(loaded_path, count))
    paths_through.sort(key=lambda path_through: path_through.episode_count, reverse=True)
    return paths_through
