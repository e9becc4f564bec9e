"""Learning paths: ordered lists of episodes with a sentence each; configuration that curators edit,
untouched by a rebuild."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db import models
from django.urls import reverse

from .addresses import episodes_at
from .catalog import Episode
from .configuration import Podcast, Status
from .querysets import EpisodeQuerySet


@dataclass(frozen=True)
class Step:
    """A step as it is kept: an address that its episode has or once had, and the reason for its
    place."""

    episode: str
    why: str


class PathManager(models.Manager["LearningPath"]):
    def get_by_natural_key(self, slug: str) -> LearningPath:
        return self.get(slug=slug)

    def shown(self) -> models.QuerySet[LearningPath]:
        """The published ones of shows that were not removed."""
        return self.filter(published=True).exclude(podcast__status=Status.REMOVED)


class LearningPath(models.Model):
    """Episodes to hear one after another, chosen by a person.

    A step names its episode by address. An address that was once public leads to its episode for
    ever, so a step follows a merge, a new title and a rebuild without being touched.
    """

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

    def natural_key(self) -> tuple[str]:
        return (self.slug,)

    # So `dumpdata` writes shows first, and `loaddata` finds them.
    natural_key.dependencies = ("episodes.podcast",)  # type: ignore[attr-defined]

    @property
    def kept(self) -> list[Step]:
        """The steps, without what a file brought that is none."""
        rows = self.steps if isinstance(self.steps, list) else []
        return [Step(str(row["episode"]), str(row.get("why", ""))) for row in rows if _is_step(row)]


def _is_step(row: object) -> bool:
    return isinstance(row, dict) and bool(row.get("episode"))


# --- The episodes of paths ------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """A step whose episode is there, by its number in the path."""

    number: int
    episode: Episode
    step: Step

    @property
    def why(self) -> str:
        return self.step.why


@dataclass
class Route:
    """A path with its episodes as they are now, each once; `lost` are the steps whose episodes are
    gone."""

    path: LearningPath
    parts: list[Part] = field(default_factory=list)
    lost: list[Step] = field(default_factory=list)
    twice: list[Step] = field(default_factory=list)

    @property
    def episodes(self) -> list[Episode]:
        return [part.episode for part in self.parts]

    def add(self, step: Step, episode: Episode | None) -> None:
        if episode is None:
            self.lost.append(step)
        elif episode in self.episodes:
            self.twice.append(step)
        else:
            self.parts.append(Part(len(self.parts) + 1, episode, step))


def routes(paths: Iterable[LearningPath], rows: EpisodeQuerySet | None = None) -> list[Route]:
    """Paths with their episodes, in a fixed number of queries; `rows` says what is read of each
    episode."""
    found = [Route(path) for path in paths]
    named = episodes_at({step.episode for route in found for step in route.path.kept}, rows)
    for route in found:
        for step in route.path.kept:
            route.add(step, named.get(step.episode))
    return found
