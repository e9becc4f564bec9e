"""What curators chose for listening: learning paths, which are ordered lists of episodes with a
sentence each, configuration that a rebuild leaves alone; and good moments, passages of episodes for
topics, each a decision on an entry of its episode."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db import models
from django.urls import reverse

from ..text.formatting import format_time
from .addresses import episodes_by_slug
from .catalog import Attachment, Episode, EpisodeQuerySet
from .configuration import KeyedManager, NaturallyKeyed, Podcast, Status
from .decisions import ADDED, Decision

MAX_MOMENT_SECONDS = 180  # seconds of a part of an episode that a link plays


@dataclass(frozen=True)
class PathStep:
    """A step as it is kept: an address that its episode has or once had, and the reason for its
    place."""

    episode: str
    reason: str


class PathManager(KeyedManager["LearningPath"]):
    def published(self) -> models.QuerySet["LearningPath"]:
        """The published ones of shows that were not removed."""
        return self.filter(published=True).exclude(podcast__status=Status.REMOVED)


class LearningPath(NaturallyKeyed):
    """Episodes to hear one after another, chosen by a person.

    A step names its episode by address. An address that was once public leads to its episode for
    ever, so a step follows a merge, a new title and a rebuild without being touched.
    """

    redirect_kind = "path"  # of the redirects to it, which is also their column
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
    def valid_steps(self) -> list[PathStep]:
        """The steps, without what a file brought that is none."""
        rows = self.steps if isinstance(self.steps, list) else []
        return [
            PathStep(str(row["episode"]), str(row.get("why", "")))
            for row in rows
            if isinstance(row, dict) and row.get("episode")
        ]


# --- The episodes of paths ------------------------------------------------------------------------


@dataclass(frozen=True)
class PathEpisode:
    """A step whose episode is there, by its number in the path."""

    number: int
    episode: Episode
    step: PathStep


@dataclass
class LoadedPath:
    """A path with its episodes as they are now, each once; `lost` are the steps whose episodes are
    gone."""

    path: LearningPath
    steps: list[PathEpisode] = field(default_factory=list)
    missing_steps: list[PathStep] = field(default_factory=list)
    repeated_steps: list[PathStep] = field(default_factory=list)

    @property
    def episodes(self) -> list[Episode]:
        return [part.episode for part in self.steps]


def load_paths(
    paths: Iterable[LearningPath], rows: EpisodeQuerySet | None = None
) -> list[LoadedPath]:
    """Paths with their episodes, in a fixed number of queries; `rows` says what is read of each
    episode."""
    found = [LoadedPath(path) for path in paths]
    named = episodes_by_slug(
        {step.episode for route in found for step in route.path.valid_steps}, rows
    )
    for route in found:
        for step in route.path.valid_steps:
            episode = named.get(step.episode)
            if episode is None:
                route.missing_steps.append(step)
            elif episode in route.episodes:
                route.repeated_steps.append(step)
            else:
                route.steps.append(PathEpisode(len(route.steps) + 1, episode, step))
    return found


# --- Moments ---------------------------------------------------------------------------------------


class DecidedMoment(NamedTuple):
    """A passage of an episode: the slug of the topic that it is about, its first second and the one
    after its last, and what to call it ("" where nobody said)."""

    episode: Episode
    topic: str
    start: int
    end: int
    label: str

    @property
    def key(self) -> str:
        """As the decision has it."""
        return f"{self.topic} {self.start}-{self.end}"

    @property
    def time_range(self) -> str:
        """`5:24–5:41`."""
        return f"{format_time(self.start)}–{format_time(self.end)}"

    @property
    def address(self) -> str:
        """The episode's page with the passage, ready to play."""
        return f"{self.episode.get_absolute_url()}?t={self.start}-{self.end}"


def decided_moments(**of: object) -> list[DecidedMoment]:
    """The moments in force of these columns of decisions, in the order of their episodes and within
    them; none of an episode that is not in the catalog."""
    rows = Decision.objects.in_force("moment").filter(value=ADDED, **of)
    return sorted(
        _locate_moments(rows), key=lambda one: (one.episode.sorted_at, one.episode.pk, one.start)
    )


def moments_of_topic(slugs: Iterable[str]) -> list[DecidedMoment]:
    """The chosen moments of a topic, by all slugs that it ever had."""
    # With the space, so that a slug that only begins so is another topic.
    return [moment for slug in slugs for moment in decided_moments(key__startswith=f"{slug} ")]


def _locate_moments(rows: models.QuerySet[Decision]) -> Iterable[DecidedMoment]:
    """The moments with the episodes that their entries belong to now."""
    of_entries = {"item__key__in": {row.item_key for row in rows}}
    of_shows = {"item__document__source__podcast__in": {row.podcast_id for row in rows}}
    entries = Attachment.objects.filter(**of_entries, **of_shows).order_by()
    # Shows have sources of one name, and items of one guid.
    columns = ("item__document__source__podcast", "item__document__source__slug", "item__key")
    owners = {tuple(entry): pk for *entry, pk in entries.values_list(*columns, "episode")}
    long = ("description_text", "description_html", "provenance", "conflicts")
    episodes = Episode.objects.defer(*long).in_bulk({*owners.values()})
    for row in rows:
        topic, _, span = row.key.rpartition(" ")
        start, _, end = span.partition("-")
        if (row.podcast_id, *row.entry) in owners:
            episode = episodes[owners[row.podcast_id, *row.entry]]
            yield DecidedMoment(episode, topic, int(start), int(end), row.detail)
