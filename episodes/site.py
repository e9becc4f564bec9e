"""The name of the whole site, and the shows it is about."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings

from .models import EpisodeTopic, LearningPath, Podcast

SEVERAL = "Podcast catalog"
MOST_SHOWS = 50


@dataclass(frozen=True)
class Site:
    """The shows of the site, the first of them where there are very many, and what its navigation
    leads to; in a template its title."""

    shows: tuple[Podcast, ...]
    has_topics: bool = False
    has_paths: bool = False

    def __str__(self) -> str:
        own = self.show.title if self.show else SEVERAL
        return settings.SITE_NAME or own

    @property
    def show(self) -> Podcast | None:
        """The one show, where there is only one."""
        return self.shows[0] if len(self.shows) == 1 else None

    @property
    def accent(self) -> str:
        """The colour of links and marks; "" for our own."""
        return str(settings.ACCENT)

    @property
    def several(self) -> bool:
        """True where there are several shows, so that pages name the show."""
        return len(self.shows) > 1

    def of(self, slug: str) -> Podcast | None:
        """The show that a list is of: the chosen one, else the only one."""
        if not slug:
            return self.show
        listed = next((show for show in self.shows if show.slug == slug), None)
        return listed or Podcast.objects.shown().filter(slug=slug).first()


def site() -> Site:
    """The site as it is now."""
    # Three plain queries: Django takes longer to write one that asks for all of it.
    return Site(
        tuple(Podcast.objects.shown()[:MOST_SHOWS]),
        EpisodeTopic.objects.filter(episode__listed=True).exists(),
        LearningPath.objects.shown().exists(),
    )
