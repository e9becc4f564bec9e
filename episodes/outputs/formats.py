"""The formats in which any list can be had, and the apps that open them."""

from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import quote

from ..models import EpisodeQuerySet
from ..text.vocabulary import load
from . import catalog_csv, json_feed
from .feeds import ATOM, write_atom, write_rss
from .listing import UNSHOWN, Listing, with_ids


class Format(NamedTuple):
    """The name of a format, its media type, who writes it, and what of an episode it shows."""

    name: str
    type: str
    write: Callable[[Listing], str]
    is_feed: bool = True  # with ids and people
    unshown: tuple[str, ...] = ("description_text",)

    @property
    def content_type(self) -> str:
        return f"{self.type}; charset=utf-8"

    def rows(self, found: EpisodeQuerySet) -> EpisodeQuerySet:
        """The episodes with what the format shows but their shows and topics, which are in memory,
        and their credits."""
        return (with_ids(found) if self.is_feed else found).defer(*UNSHOWN, *self.unshown)


# By the ending of the address.
FORMATS = {
    "rss": Format("RSS", "application/rss+xml", write_rss),
    "atom": Format("Atom", ATOM, write_atom),
    # The type of JSON Feed 1.1, not plain JSON, by which readers know a feed.
    "json": Format("JSON Feed", "application/feed+json", json_feed.write),
    "csv": Format(
        "CSV",
        "text/csv",
        lambda listing: catalog_csv.rows(listing.episodes),
        is_feed=False,
        unshown=("description_html",),
    ),
}
# Those that a feed reader finds by itself.
FEEDS = ("rss", "atom", "json")


APPS = tuple((app["name"], app["opens"]) for app in load(__file__, "podcast_apps")["app"])


class AppLink(NamedTuple):
    """A podcast app and the address that subscribes there."""

    name: str
    address: str


def app_links(feed: str) -> list[AppLink]:
    """One for each app."""
    # Some apps have a scheme of their own in place of that of the feed.
    bare, encoded = feed.partition("://")[2], quote(feed, safe="")
    return [AppLink(name, pattern.format(address=bare, encoded=encoded)) for name, pattern in APPS]
