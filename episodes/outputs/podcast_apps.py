"""Addresses that open a podcast app and subscribe to a feed there; the apps are data."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote

from ..text.vocabulary import load

APPS = tuple((app["name"], app["opens"]) for app in load(__file__, "podcast_apps")["app"])


class AppLink(NamedTuple):
    """A podcast app and the address that subscribes there."""

    name: str
    address: str


def app_links(feed: str) -> list[AppLink]:
    """One for each app."""
    bare, encoded = feed.partition("://")[2], quote(feed, safe="")
    return [AppLink(name, pattern.format(address=bare, encoded=encoded)) for name, pattern in APPS]
