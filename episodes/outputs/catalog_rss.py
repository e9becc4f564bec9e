"""The catalog's episodes as an RSS feed that belongs to no site, for `manage.py export`."""

from collections.abc import Sequence

from ..models import Episode, Podcast
from . import rss
from .listing import UNSHOWN, Listing, add_credits, with_ids

# RSS demands a title and a description of every channel.
SEVERAL = Podcast(rank=0, title="Podcast catalog", description="All episodes of all shows")


def dump(podcasts: Sequence[Podcast]) -> str:
    """All episodes of the shows, newest first, as one feed; an item's link is that of its
    source."""
    show = podcasts[0] if len(podcasts) == 1 else SEVERAL
    rows = with_ids(Episode.objects.of_shows(podcasts).for_list()).defer(*UNSHOWN)
    episodes = list(rows.in_batches())
    add_credits(episodes)
    return rss.write(
        Listing(
            title=show.title,
            description=show.description,
            episodes=episodes,
            address=lambda e: e.url,
            page=show.site_url,
            show=show,
        )
    )
