"""Learning paths and moments, as curators chose them.

A path is a list of episodes with a reason for each. It is configuration, and a rebuild does not change
it. A moment is a passage of an episode for a topic. It is a decision about an entry of the episode.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from django.db import models
from django.urls import reverse

from ..text.formatting import format_time
from .addresses import episodes_by_present_or_former_slug
from .catalog import Attachment, Episode, EpisodeQuerySet
from .configuration import KeyedManager, NaturallyKeyed, Podcast, Status
from .decisions import ADDED, Decision

MAX_MOMENT_SECONDS = 180  # seconds of a part of an episode that a link plays


@dataclass(frozen=True)
class PathStep:
    """A stored step: the present or a former address of its episode, and the reason for its
    position."""

    episode: str
    reason: str


class PathManager(KeyedManager["LearningPath"]):
    def published(self) -> models.QuerySet["LearningPath"]:
        return self.filter(published=True).exclude(podcast__status=Status.REMOVED)


class LearningPath(NaturallyKeyed):
    """Episodes to hear one after another, chosen by a person.

    A step names its episode by address. An address that was once public leads to its episode for
    ever, so a merge, a new title and a rebuild change no step.
    """

    redirect_kind = "path"  # the kind, and the column, of redirects to it
    podcast = models.ForeignKey(
        Podcast, models.CASCADE, null=True, blank=True, related_name="paths", verbose_name="show"
    )
    slug = models.SlugField(max_length=100, unique=True)
    title = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    author = models.CharField("author", max_length=200, blank=True)
    position = models.PositiveSmallIntegerField(default=0)
    published = models.BooleanField(default=True)
    steps = models.JSONField(
        default=list, blank=True, help_text="[{episode: its address, why: a sentence}, …]"
    )

    objects = PathManager()

    class Meta:
        ordering = ("position", "slug")
        verbose_name = "learning path"

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("path", args=(self.slug,))

    @property
    def well_formed_steps(self) -> list[PathStep]:
        """Return the steps as objects. Invalid steps of an imported file are left out."""
        rows = self.steps if isinstance(self.steps, list) else []
        steps = []
        for row in rows:
            if isinstance(row, dict) and row.get("episode"):
                reason = str(row.get("why", ""))
                steps.append(PathStep(str(row["episode"]), reason))
        return steps


# --- The episodes of paths ------------------------------------------------------------------------


@dataclass(frozen=True)
class PathEpisode:
    """A step with its episode and its number in the path, from 1."""

    number: int
    episode: Episode
    step: PathStep


@dataclass
class LoadedPath:
    """A path with its episodes, each once. `missing_steps` lead to no episode."""

    path: LearningPath
    steps: list[PathEpisode] = field(default_factory=list)
    missing_steps: list[PathStep] = field(default_factory=list)
    repeated_steps: list[PathStep] = field(default_factory=list)

    @property
    def episodes(self) -> list[Episode]:
        return [step.episode for step in self.steps]

    def add_step(self, step: PathStep, episode: Episode | None) -> None:
        if episode is None:
            self.missing_steps.append(step)
        # Two former addresses may lead to one episode.
        elif episode in self.episodes:
            self.repeated_steps.append(step)
        else:
            number = len(self.steps) + 1
            self.steps.append(PathEpisode(number, episode, step))


def load_paths_with_episodes(
    paths: Iterable[LearningPath], episode_rows: EpisodeQuerySet | None = None
) -> list[LoadedPath]:
    """Return paths with their episodes, in a fixed number of queries. Steps without an episode, and
    repeated steps, are in lists of their own. `episode_rows` has the columns of episodes to load."""
    loaded_paths = [LoadedPath(path) for path in paths]
    slugs = set[str]()
    for loaded_path in loaded_paths:
        slugs.update(step.episode for step in loaded_path.path.well_formed_steps)
    episode_by_slug = episodes_by_present_or_former_slug(slugs, episode_rows)
    for loaded_path in loaded_paths:
        for step in loaded_path.path.well_formed_steps:
            loaded_path.add_step(step, episode_by_slug.get(step.episode))
    return loaded_paths


# --- Moments ---------------------------------------------------------------------------------------


class DecidedMoment(NamedTuple):
    """A passage of an episode that a curator chose for a topic."""

    episode: Episode
    topic: str  # slug
    start: int  # first second
    end: int  # the second after the last
    label: str  # its name, or ""

    @property
    def key(self) -> str:
        return f"{self.topic} {self.start}-{self.end}"

    @property
    def time_range(self) -> str:
        """Return the times of start and end: `5:24–5:41`."""
        return f"{format_time(self.start)}–{format_time(self.end)}"

    @property
    def address(self) -> str:
        return f"{self.episode.get_absolute_url()}?t={self.start}-{self.end}"


def decided_moments(**conditions: object) -> list[DecidedMoment]:
    """Return the moments of decisions in force that meet conditions, in the order of their episodes and
    starts. Moments without an episode in the catalog are left out."""

    def order_of_episodes(moment: DecidedMoment) -> tuple[datetime, int, int]:
        return moment.episode.sorted_at, moment.episode.pk, moment.start

    decisions = Decision.objects.in_force("moment").filter(value=ADDED, **conditions)
    return sorted(_iterate_moments_in_catalog(decisions), key=order_of_episodes)


def moments_of_topic(slugs: Iterable[str]) -> list[DecidedMoment]:
    """Return the moments of a topic. `slugs` are its present and former slugs."""
    moments = []
    for slug in slugs:
        # The space ends the slug.
        moments += decided_moments(key__startswith=f"{slug} ")
    return moments


def _iterate_moments_in_catalog(decisions: models.QuerySet[Decision]) -> Iterator[DecidedMoment]:
    episode_by_entry = _episodes_by_decided_entry(decisions)
    for decision in decisions:
        episode = episode_by_entry.get((decision.podcast_id, decision.source, decision.item_key))
        if episode:
            # The key is as in `DecidedMoment.key`: `autograd 324-341`.
            topic, _, seconds = decision.key.rpartition(" ")
            start, _, end = seconds.partition("-")
            yield DecidedMoment(
                episode=episode,
                topic=topic,
                start=int(start),
                end=int(end),
                label=decision.detail,
            )


def _episodes_by_decided_entry(
    decisions: models.QuerySet[Decision],
) -> dict[tuple[int | None, str, str], Episode]:
    """Return the episodes of entries, each by the show, source and key of its entry."""
    entries = Attachment.objects.filter(
        item__key__in={decision.item_key for decision in decisions},
        item__document__source__podcast__in={decision.podcast_id for decision in decisions},
    ).order_by()
    # Two shows may have sources of one slug and entries of one key.
    entry_columns = ("item__document__source__podcast", "item__document__source__slug", "item__key")
    episode_id_by_entry = {}
    for podcast_id, source, key, episode_id in entries.values_list(*entry_columns, "episode"):
        episode_id_by_entry[podcast_id, source, key] = episode_id
    long_columns = ("description_text", "description_html", "provenance", "conflicts")
    rows = Episode.objects.defer(*long_columns)
    episode_by_id = rows.in_bulk(set(episode_id_by_entry.values()))
    return {entry: episode_by_id[episode_id] for entry, episode_id in episode_id_by_entry.items()}
