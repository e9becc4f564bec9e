"""Upgrades from rows as earlier releases had them: addresses of learned numbers stay, secret addresses are found."""

from collections.abc import Mapping
from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from episodes.models import (
    Capture,
    Change,
    Content,
    Decision,
    Document,
    Episode,
    FeedAccess,
    Item,
    Podcast,
    Redirect,
    Revision,
    Source,
    SourceSchedule,
)
from episodes.resolve import update_catalog

pytestmark = pytest.mark.django_db
WORDS = ("Glass", "Looms", "Salt", "Owls", "Bread", "Mist")


def add_show(
    title: str = "{word} - KP{number}", audio: str = "{word}", declared: Mapping[str, int] | None = None
) -> Podcast:
    """Add a show of six weekly episodes, numbered 21 to 26, and resolve it by the rules of today."""
    podcast = Podcast.objects.create(slug="kiln", title="Kiln Post", rank=0)
    source = Source.objects.create(podcast=podcast, slug="feed", reader="feed", own=True, may_create=True)
    document = Document.objects.create(source=source, address="https://kiln.example/feed", vouched=True)
    for position, word in enumerate(WORDS, 1):
        item = Item.objects.create(document=document, key=f"guid:{position}", position=position, first_version=1)
        number = position + 20
        payload: dict[str, object] = {
            "title": title.format(word=word, number=number),
            "guid": str(position),
            "published": f"2019-02-{position + 9:02}T08:00:00Z",
            "audio_url": f"https://kiln.example/{audio.format(word=word, number=number)}.mp3",
        }
        if declared and word in declared:
            payload["number"] = declared[word]
        Revision.objects.create(item=item, version=1, payload=payload, recorded_at=timezone.now())
    update_catalog(podcast)
    return podcast


def learn(podcast: Podcast) -> None:
    """Give episodes the numbers that the earlier release gave them."""
    for episode in Episode.objects.filter(podcast=podcast, number=None):
        episode.number = episode.order + 20
        episode.save()


def upgrade_numbers() -> None:
    import_module("episodes.migrations.0440_numbers_and_partial_versions").keep_numbers(
        apps, SimpleNamespace(connection=connection)
    )
    call_command("rebuild", verbosity=0)


def owner_of(client: Client, number: int) -> str:
    answer = client.get(f"/{number}")
    return str(answer.headers.get("Location", answer.status_code))


@pytest.mark.parametrize("title, slug", [("{word} - KP{number}", "looms-kp22"), ("{word} ({number})", "looms-22")])
@pytest.mark.parametrize("has_catalog", [True, False])
def test_learned_number_leads_to_its_episode(title: str, slug: str, has_catalog: bool, client: Client) -> None:
    podcast = add_show(title)
    if has_catalog:
        learn(podcast)
    else:
        Episode.objects.all().delete()  # a backup has none
    upgrade_numbers()
    assert set(Episode.objects.values_list("number", flat=True)) == {None}
    assert owner_of(client, 22) == f"/episodes/{slug}/"
    assert owner_of(client, 27) == "404"
    call_command("rebuild", verbosity=0)
    assert owner_of(client, 22) == f"/episodes/{slug}/"


def test_number_of_audio_file_leads_to_its_episode(client: Client) -> None:
    declared = {word: position + 20 for position, word in enumerate(WORDS[:5], 1)}
    add_show("{word}", "ep-{number:03}", declared)
    Episode.objects.all().delete()
    upgrade_numbers()
    assert owner_of(client, 26) == "/episodes/mist/"
    assert list(Redirect.objects.filter(kind="number").values_list("slug", flat=True)) == ["26"]


def test_declared_number_needs_no_redirect() -> None:
    add_show(declared={word: position for position, word in enumerate(WORDS, 1)})
    upgrade_numbers()
    Episode.objects.all().delete()
    upgrade_numbers()
    assert not Redirect.objects.filter(kind="number").exists()


def test_episode_that_has_the_number_now_comes_first(client: Client) -> None:
    podcast = add_show()
    learn(podcast)
    Revision.objects.filter(item__key="guid:1").update(payload={"title": "Ep. 22: Glass", "guid": "1"})
    upgrade_numbers()
    assert owner_of(client, 22) == "/episodes/ep-22-glass/"


def test_number_of_withdrawn_episode_is_gone(client: Client) -> None:
    podcast = add_show()
    learn(podcast)
    Decision.objects.create(
        kind="withdrawal", podcast=podcast, source="feed", item_key="guid:2", value="hidden", detail="looms-kp22"
    )
    upgrade_numbers()
    assert owner_of(client, 22) == "410"


def test_number_that_a_curator_gave_stays(client: Client) -> None:
    podcast = add_show()
    Decision.objects.create(kind="value", podcast=podcast, source="feed", item_key="guid:2", field="number", value="70")
    upgrade_numbers()
    assert Episode.objects.get(number=70).title == "Looms - KP22"
    assert owner_of(client, 70) == "/episodes/looms-kp22/"


# The upgrade to secret addresses.

BLOCKED = b"<rss><channel><itunes:block>Yes</itunes:block><title>Rust</title><item/></channel></rss>"
LISTED = b"<rss><channel><title>Fern</title><item><itunes:block>Yes</itunes:block></item></channel></rss>"


def add(slug: str, address: str, body: bytes = b"") -> Podcast:
    """Create a show with its feed and a stored version of it."""
    podcast = Podcast.objects.create(slug=slug, title=slug, feed_url=address)
    source = Source.objects.create(podcast=podcast, slug="feed", reader="feed", address=address)
    document = Document.objects.create(source=source, address=address)
    SourceSchedule.objects.create(source=source, address=address)
    content = Content.from_bytes(body)
    content.save()
    Capture.objects.create(document=document, version=1, sha256=content.sha256, taken_at=timezone.now())
    return podcast


def upgrade_secrets() -> None:
    step = import_module("episodes.migrations.0410_secret_feeds").find_secrets
    step(apps, SimpleNamespace(connection=connection))


def test_upgrade_makes_addresses_secret_and_moves_logins() -> None:
    add("rust", "https://feeds.example/rust", BLOCKED)
    add("kelp", "https://feeds.example/kelp?auth=opal9")
    add("tide", "https://ann:opal9@feeds.example/tide")
    add("fern", "https://feeds.example/fern", LISTED)
    upgrade_secrets()
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
    upgrade_secrets()
    podcast.refresh_from_db()
    assert (podcast.feed_access, podcast.has_secret_feed) == (FeedAccess.PUBLIC, False)


def test_the_history_forgets_what_is_secret_now() -> None:
    podcast = add("rust", "https://feeds.example/rust", BLOCKED)
    lines = [["feed address", "https://a.example/f?auth=opal9", "https://feeds.example/rust"], ["title", "A", "B"]]
    Change.objects.create(verb="edit show", subject="rust", about=f"podcast:{podcast.pk}", told=lines)
    Change.objects.create(verb="override", subject="One", about="episode:1", told=lines)
    upgrade_secrets()
    of_show, of_episode = Change.objects.order_by("pk")
    assert of_show.told == [["feed address", "https://a.example/…", "https://feeds.example/…"], ["title", "A", "B"]]
    assert of_episode.told == lines
