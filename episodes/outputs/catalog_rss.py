"""The catalog's episodes as an RSS feed that belongs to no site, for `manage.py export`."""

from __future__ import annotations

from collections.abc import Sequence

from ..models import Episode, Podcast
from . import rss
from .listing import Listing, listed_episodes


def dump(podcasts: Sequence[Podcast]) -> str:
    """All episodes of the shows, newest first, as one feed; an item's link is that of its source."""
    first = podcasts[0] if len(podcasts) == 1 else None
    return rss.write(
        Listing(
            title=first.title if first else "Podcast catalog",
            description=first.description if first else "All episodes of all shows",
            episodes=list(listed_episodes(Episode.objects.of_shows(podcasts)).in_batches()),
            address=lambda e: e.url,
            page=first.site_url if first else "",
            show=first,
        )
    )
