"""What the whole site is called, and the shows it is about."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice

from django.conf import settings

from .models import EpisodeTopic, Podcast, Snapshot, Status, snapshot

SEVERAL = "Podcast catalog"
MOST_SHOWS = 50


@dataclass(frozen=True)
class Site:
    """The shows of the site; in a template its title."""

    shows: tuple[Podcast, ...]
    now: Snapshot = field(compare=False, repr=False)

    def __str__(self) -> str:
        own = self.show.title if self.show else SEVERAL
        return settings.SITE_NAME or own

    @property
    def show(self) -> Podcast | None:
        """The one show, where there is but one."""
        return self.shows[0] if len(self.shows) == 1 else None

    @property
    def accent(self) -> str:
        """The colour of links and marks; "" for our own."""
        return str(settings.ACCENT)

    @property
    def several(self) -> bool:
        """True where there are several shows, so that pages name the show."""
        return len(self.shows) > 1

    @property
    def has_paths(self) -> bool:
        """True where a learning path is published, of one of the shows or of all."""
        return any(getattr(show, "has_paths", False) for show in self.shows)

    @property
    def has_topics(self) -> bool:
        """True where an episode of a list has a topic."""
        uses = EpisodeTopic.objects.filter(episode__listed=True)
        return self.now.kept("has topics", uses.exists)

    def of(self, slug: str) -> Podcast | None:
        """The show that a list is of: the one that was chosen, else the only one."""
        if not slug:
            return self.show
        known = self.now.podcasts.get(self.now.show_ids.get(slug, 0))
        return known if known and known.status != Status.REMOVED else None


def site(now: Snapshot | None = None) -> Site:
    now = now or snapshot()
    shown = (one for one in now.podcasts.values() if one.status != Status.REMOVED)
    return Site(tuple(islice(shown, MOST_SHOWS)), now)
