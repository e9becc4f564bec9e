"""Users with each role in the admin, and a small show with unmatched entries."""

from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

import podcast_catalog.admin_urls  # noqa: F401  registers the tables, which tests are collected by
from episodes.models import Episode, Podcast, Source

from ..curation.conftest import administrator, curator, feed, small, small_show, viewer
from ..ingest.conftest import take
from ..kept import made_once

__all__ = ["administrator", "curator", "small", "viewer"]

HELD = """<rss version="2.0"><channel><title>Small Talks</title>
<item><title>All about kettles 0</title><pubDate>09 Dec 2023 13:00:00 GMT</pubDate>
<description>Quite another talk, with a title that was used before and nothing else in common, years later.</description>
<guid isPermaLink="false">odd-1</guid></item>
<item><title>All about mirrors 2</title><pubDate>10 Dec 2023 13:00:00 GMT</pubDate>
<description>And one more of those that cannot be placed by their title alone, as the days are far apart.</description>
<guid isPermaLink="false">odd-2</guid></item>
<item><title>All about organs 4</title><pubDate>11 Dec 2023 13:00:00 GMT</pubDate>
<description>The third that nobody can place, so that there are enough to go through one after another.</description>
<guid isPermaLink="false">odd-3</guid></item>
</channel></rss>"""


@pytest.fixture
def talks(db: None) -> Podcast:
    """Create the small show with five episodes. Another source lists four of them with cut texts."""
    made_once(talks_show)
    return Podcast.objects.get(slug="small-talks")


@pytest.fixture
def doubtful(db: None) -> Podcast:
    """Create the small show with three unmatched entries."""
    made_once(doubtful_show)
    podcast = Podcast.objects.get(slug="small-talks")
    assert podcast.held.count() == 3
    return podcast


def talks_show() -> None:
    small_show()
    take("feed", feed(range(5)))
    take("other", feed(range(4), cut=True))


def doubtful_show() -> None:
    if not Podcast.objects.exists():
        made_once(talks_show)
    about = {"podcast": Podcast.objects.get(slug="small-talks"), "address": "https://odd.example/feed"}
    Source.objects.create(slug="odd", reader="feed", rank=50, **about)
    take("odd", HELD.encode())


@pytest.fixture
def client(curator: User, talks: Podcast) -> Client:
    """Return a client that is logged in as a curator."""
    return logged_in(curator)


def logged_in(user: User | None) -> Client:
    """Return a client that is logged in as a user, or anonymous for None."""
    client = Client()
    if user:
        client.force_login(user)
    return client


def episode(n: int) -> Episode:
    """Return the episode with this number at the end of its title."""
    return Episode.objects.get(title__endswith=f" {n}")


def at(row: Episode, name: str = "change") -> str:
    """Return the address of an admin page of an episode."""
    return reverse(f"admin:episodes_episode_{name}", args=(row.slug,))


def do(row: Episode, verb: str, **parameters: object) -> str:
    """Return the address of a button in the form of an episode."""
    address = reverse("admin:episodes_episode_do", args=(row.slug, verb))
    return f"{address}?{urlencode(parameters)}"


def form_of(client: Client, address: str) -> dict[str, str]:
    """Return the values that a browser sends if nothing is changed in the form of an episode."""
    page = client.get(address)
    assert page.status_code == 200
    data = {"seen": page.context["token"]}
    for row in page.context["fields"]:
        name, value = row["field"].name, str(row["input"].value())
        data |= {name: value.replace("\n", "\r\n"), f"initial-{name}": str(row["input"].initial)}
    return data


def said(answer: Any) -> str:
    """Return a page as text with single blanks."""
    return " ".join(answer.content.decode().split())
