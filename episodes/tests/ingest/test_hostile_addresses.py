"""Addresses that Python refuses to take apart: a show that has them is imported, and every page of it opens."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from django.test import Client
from django.urls import NoReverseMatch, reverse

from episodes.models import Episode, Link, Person, Podcast
from episodes.outputs import LIST_FORMATS
from episodes.urls import urlpatterns

from .conftest import run

ADDRESSES = (
    "http://[example/", "https://a\u2100b@example.org/a-long-page", "https://[v1.x]/", "https://[::1%25x/y",
    "https://example.org:99999/", "https://example.org:x/", "https://",
)  # fmt: skip
SPACES = (
    'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:podcast="https://podcastindex.org/namespace/1.0"'
    ' xmlns:atom="http://www.w3.org/2005/Atom"'
)


NOTES = "<p>Read <a href='{}'>the thing</a>, and more words.</p>"


def feed(*addresses: str) -> str:
    """A feed with these addresses wherever one can be, in the channel the first."""
    items = "".join(
        f"<item><title>Talk {n} about thing{n}</title><guid>g{n}</guid><link>{address}</link>"
        f"<pubDate>{n:02} Aug 2021 13:00:00 GMT</pubDate><itunes:image href='{address}'/>"
        f"<podcast:person href='{address}' img='{address}'>Ada Roe {n}</podcast:person>"
        f"<podcast:transcript url='{address}' type='text/vtt'/><podcast:chapters url='{address}' type='application/json'/>"
        f"<enclosure url='{address}' type='audio/mpeg' length='1'/>"
        f"<description>{escape(NOTES.format(address))}</description></item>"
        for n, address in enumerate((*addresses, addresses[0]), 1)
    )
    address = addresses[0]
    channel = (
        f"<title>Small Talks</title><link>{address}</link><atom:link rel='self' href='{address}'/>"
        f"<itunes:image href='{address}'/><podcast:funding url='{address}'>Give</podcast:funding>"
    )
    return f"<rss version='2.0' {SPACES}><channel>{channel}{items}</channel></rss>"


def pages() -> Iterator[str]:
    for pattern in urlpatterns:
        with suppress(NoReverseMatch):
            yield reverse(pattern.name or "")
    for ending in LIST_FORMATS:
        yield f"/episodes.{ending}"
        yield from (f"/people/{person.slug}.{ending}" for person in Person.objects.all())
    for row in (*Episode.objects.all(), *Podcast.objects.all(), *Person.objects.all()):
        yield row.get_absolute_url()
    for episode in Episode.objects.all():
        yield from (f"/episodes/{episode.slug}{rest}" for rest in (".md", "/card.png"))
    yield from (f"{reverse('link')}?key={link.key}" for link in Link.objects.all())


@pytest.mark.parametrize("addresses", [ADDRESSES, *(pytest.param((one,), marks=pytest.mark.long) for one in ADDRESSES)])
def test_malformed_addresses_stop_nothing(db: None, client: Client, tmp_path: Path, addresses: tuple[str, ...]) -> None:
    path = tmp_path / "feed.xml"
    path.write_text(feed(*addresses))
    ran = run(path, url="https://small.example/feed.xml")
    assert (ran.code, Episode.objects.count()) == (0, len(addresses) + 1), ran.err
    assert run(path, source="feed").code == 0
    for page in pages():
        assert client.get(page, follow=True).status_code in (200, 400, 404, 405, 410), page
