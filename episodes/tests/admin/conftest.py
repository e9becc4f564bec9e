"""People in their roles at the admin, and a small show with something to decide about."""

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
    """The small show with five episodes in its feed, of which another site lists four with cut texts."""
    made_once(talks_show)
    return Podcast.objects.get(slug="small-talks")


@pytest.fixture
def doubtful(db: None) -> Podcast:
    """The small show with three entries that are held."""
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
    """A curator's browser at the small show; some files have another one's."""
    return logged_in(curator)


def logged_in(user: User | None) -> Client:
    """A browser of somebody; None: of nobody."""
    client = Client()
    if user:
        client.force_login(user)
    return client


def episode(n: int) -> Episode:
    """The episode about the n-th word."""
    return Episode.objects.get(title__endswith=f" {n}")


def at(found: Episode, name: str = "change") -> str:
    return reverse(f"admin:episodes_episode_{name}", args=(found.slug,))


def do(found: Episode, verb: str, **about: object) -> str:
    """The address of a button in the form of an episode."""
    address = reverse("admin:episodes_episode_do", args=(found.slug, verb))
    return f"{address}?{urlencode(about)}"


def form_of(client: Client, address: str) -> dict[str, str]:
    """What a browser would send if nothing was typed in the form of an episode."""
    shown = client.get(address)
    assert shown.status_code == 200
    data = {"seen": shown.context["token"]}
    for row in shown.context["fields"]:
        name, value = row["field"].name, str(row["input"].value())
        data |= {name: value.replace("\n", "\r\n"), f"initial-{name}": str(row["input"].initial)}
    return data


def said(answer: Any) -> str:
    """The page as text, with one blank in place of several and of line ends."""
    return " ".join(answer.content.decode().split())
