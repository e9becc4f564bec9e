"""Notices that a feed from an unknown address speaks of a known show; what it says makes it
nobody's, a person decides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..gather import same_address
from ..identity import item_keys
from ..listings import is_show, looks_like
from ..models import Episode, Item, Podcast
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
    found = [claim for podcast in Podcast.objects.all() for claim in _claims(reading, podcast)]
    return sorted(found, key=lambda claim: claim.by_name)


def _claims(reading: ParsedPage, podcast: Podcast) -> Iterator[Claim]:
    """At most one claim on a show, the weightiest."""
    channel = reading.channel or Channel()
    feeds = podcast.sources.filter(reader="feed").values_list("address", flat=True)
    own = {same_address(address) for address in (*feeds, podcast.feed_url)}
    given = {same_address(address) for address in (channel.self_url, channel.new_feed_url)}
    if channel.guid and channel.guid.casefold() == podcast.channel.guid.casefold():
        yield Claim(podcast, "has the podcast:guid of")
    elif own & given - {same_address("")}:
        yield Claim(podcast, "gives the address of")
    elif _shares_episodes(reading, podcast):
        yield Claim(podcast, "lists the episodes of")
    elif is_show(reading.show, podcast.title):
        yield Claim(podcast, "calls itself", by_name=True)
    elif looks_like(reading.show, podcast.title):
        yield Claim(podcast, "has a title that looks like that of", by_name=True)


def _shares_episodes(reading: ParsedPage, podcast: Podcast) -> bool:
    """True where most of a feed's items, two at least, have title and day, or title and key, of a
    show's episodes."""
    entries = reading.entries
    rows = Episode.objects.filter(podcast=podcast).values_list("title", "published_at")
    days = {(fold(title), at.date().isoformat()) for title, at in rows if at}
    titles = {title for title, _ in days}
    keys = set(Item.objects.filter(document__source__podcast=podcast).values_list("key", flat=True))
    same = sum(
        (fold(said.title), said.published[:10]) in days
        or (key in keys and fold(said.title) in titles)
        for key, said in zip(item_keys(entries), entries, strict=True)
    )
    return same >= 2 and same * 2 > len(entries)
