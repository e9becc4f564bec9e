"""The formats in which any list can be had."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from . import atom, catalog_csv, json_feed, m3u, rss
from .listing import Listing


class Format(NamedTuple):
    """What a format is called, its media type, who writes it, and whether it holds only what can be heard."""

    name: str
    type: str
    write: Callable[[Listing], str]
    heard: bool = False

    @property
    def content_type(self) -> str:
        return f"{self.type}; charset=utf-8"


# By the ending of the address.
FORMATS = {
    "rss": Format("RSS", "application/rss+xml", rss.write),
    "atom": Format("Atom", atom.KIND, atom.write),
    "json": Format("JSON Feed", "application/feed+json", json_feed.write),
    "csv": Format("CSV", "text/csv", lambda listing: catalog_csv.rows(listing.episodes)),
    "m3u": Format("Playlist", "audio/mpegurl", m3u.write, heard=True),
}
# Those that a feed reader finds by itself.
FEEDS = ("rss", "atom", "json")
