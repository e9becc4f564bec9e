"""What the whole site is called, and the shows it is about."""

from __future__ import annotations

from dataclasses import dataclass

from .models import Podcast

SEVERAL = "Podcast catalog"
MOST_SHOWS = 50


@dataclass(frozen=True)
class Site:
    """The shows of the site; in a template its title."""

    shows: tuple[Podcast, ...]

    def __str__(self) -> str:
        return self.show.title if self.show else SEVERAL

    @property
    def show(self) -> Podcast | None:
        """The one show, where there is but one."""
        return self.shows[0] if len(self.shows) == 1 else None


def site() -> Site:
    return Site(tuple(Podcast.objects.all()[:MOST_SHOWS]))
