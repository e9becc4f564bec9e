"""Notices that a feed from an unknown address speaks of a known show; what it says makes it
nobody's, a person decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from ..gather import same_address
from ..listings import looks_like
from ..models import Episode, Podcast
from ..records import Channel, ParsedPage
from ..text.normalize import fold


@dataclass(frozen=True, slots=True)
class Claim:
    """A known show that a feed speaks of, and how."""

    podcast: Podcast
    how: str
    by_name: bool = False  # only its title says so, which another show may have as well

    def advice(self, address: str) -> str:
        """A sentence for the person who brought the feed: the ways to go on."""
        slug, title = self.podcast.slug, self.podcast.title
        if not address:
            return (
                f"it {self.how} {title}, but a file's name and words do not tell whose it is. If it is that show's feed, "
                f"import it with --podcast {slug} (of several feeds, name one with --source feed). If it is another show's, "
                "give its address with --url"
            )
        return (
            f"it {self.how} {title}, but is not at the address of that show's feed. If it is the same feed, import it with "
            f"--podcast {slug} --source feed, or move the show: manage.py add_show {address} --moved-from {slug}. "
            f"If it is another show: manage.py add_show {address} --new"
        )


def claims_of(reading: ParsedPage) -> list[Claim]:
    """The known shows that a feed speaks of; those that it only shares its title with come last."""
    found = [claim for podcast in Podcast.objects.all() if (claim := _claim(reading, podcast))]
    return sorted(found, key=lambda claim: claim.by_name)


def _claim(reading: ParsedPage, podcast: Podcast) -> Claim | None:
    """The weightiest claim on a show."""
    channel = cast(Channel, reading.channel)
    feeds = podcast.sources.filter(reader="feed").exclude(address="")
    own = set(map(same_address, feeds.values_list("address", flat=True)))
    if channel.guid and channel.guid.casefold() == podcast.channel.guid.casefold():
        return Claim(podcast, "has the podcast:guid of")
    if own & {same_address(channel.self_url), same_address(channel.new_feed_url)}:
        return Claim(podcast, "gives the address of")
    if _shares_episodes(reading, podcast):
        return Claim(podcast, "lists the episodes of")
    if looks_like(reading.show, podcast.title):
        return Claim(podcast, "has a title like that of", by_name=True)
    return None


def _shares_episodes(reading: ParsedPage, podcast: Podcast) -> bool:
    """True where most of a feed's items, two at least, have title and day of a show's episodes."""
    rows = Episode.objects.filter(podcast=podcast, published_at__isnull=False)
    known = {
        (fold(title), f"{at:%Y-%m-%d}") for title, at in rows.values_list("title", "published_at")
    }
    same = [said for said in reading.entries if (fold(said.title), said.published[:10]) in known]
    return len(same) >= 2 and len(same) * 2 > len(reading.entries)
