"""The upgrade to secret addresses, from rows as an earlier version had them."""

from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.db import connection
from django.utils import timezone

from episodes.models import Capture, Change, Content, Document, FeedAccess, Podcast, Source, SourceSchedule

pytestmark = pytest.mark.django_db
BLOCKED = b"<rss><channel><itunes:block>Yes</itunes:block><title>Rust</title><item/></channel></rss>"
LISTED = b"<rss><channel><title>Fern</title><item><itunes:block>Yes</itunes:block></item></channel></rss>"


def add(slug: str, address: str, body: bytes = b"") -> Podcast:
    """A show with its feed, of which there is a copy."""
    podcast = Podcast.objects.create(slug=slug, title=slug, feed_url=address)
    source = Source.objects.create(podcast=podcast, slug="feed", reader="feed", address=address)
    document = Document.objects.create(source=source, address=address)
    SourceSchedule.objects.create(source=source, address=address)
    content = Content.from_bytes(body)
    content.save()
    Capture.objects.create(document=document, version=1, sha256=content.sha256, taken_at=timezone.now())
    return podcast


def upgrade() -> None:
    step = import_module("episodes.migrations.0410_secret_feeds").find_secrets
    step(apps, SimpleNamespace(connection=connection))


def test_upgrade_makes_addresses_secret_and_moves_logins() -> None:
    add("rust", "https://feeds.example/rust", BLOCKED)
    add("kelp", "https://feeds.example/kelp?auth=opal9")
    add("tide", "https://ann:opal9@feeds.example/tide")
    add("fern", "https://feeds.example/fern", LISTED)
    upgrade()
    secret = {podcast.slug: podcast.has_secret_feed for podcast in Podcast.objects.all()}
    assert secret == {"rust": True, "kelp": True, "tide": True, "fern": False}
    source = Source.objects.get(podcast__slug="tide")
    plain = "https://feeds.example/tide"
    assert (source.address, source.login) == (plain, "https://ann:opal9@feeds.example")
    rows = (*Document.objects.filter(source=source), *SourceSchedule.objects.filter(source=source))
    assert {source.podcast.feed_url, *(row.address for row in rows)} == {plain}


def test_the_upgrade_keeps_what_an_administrator_decided() -> None:
    podcast = add("tide", "https://ann:opal9@feeds.example/tide", BLOCKED)
    Podcast.objects.update(feed_access=FeedAccess.PUBLIC)
    upgrade()
    podcast.refresh_from_db()
    assert (podcast.feed_access, podcast.has_secret_feed) == (FeedAccess.PUBLIC, False)


def test_the_history_forgets_what_is_secret_now() -> None:
    podcast = add("rust", "https://feeds.example/rust", BLOCKED)
    lines = [["feed address", "https://a.example/f?auth=opal9", "https://feeds.example/rust"], ["title", "A", "B"]]
    Change.objects.create(verb="edit show", subject="rust", about=f"podcast:{podcast.pk}", told=lines)
    Change.objects.create(verb="override", subject="One", about="episode:1", told=lines)
    upgrade()
    of_show, of_episode = Change.objects.order_by("pk")
    assert of_show.told == [["feed address", "https://a.example/…", "https://feeds.example/…"], ["title", "A", "B"]]
    assert of_episode.told == lines
