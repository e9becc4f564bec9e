"""Feeds behind a name and a password, and addresses as people type them."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import LazySettings

from episodes.models import Document, FeedAccess, Podcast, Source

from ..loopback import Loopback
from ..private_feeds import FEEDS, RSS, serve
from ..tables import cases
from .conftest import Ran, command, run
from .test_identity_of_feeds import feed, item

CASES = cases("ingest_private_feeds")

TIDE = FEEDS[4]
PLAIN = feed("Fern Hour", item("Ferns"), item("Mosses", day=2)).encode()
Write = Callable[[str, bytes | str], Path]


@pytest.fixture(autouse=True)
def fern(web: Loopback, settings: LazySettings) -> None:
    web.routes["/fern"], settings.IMAGES = (200, RSS, PLAIN), "off"


def login_of(web: Loopback, login: str = TIDE.login) -> str:
    return f"http://{login}@{web.pair}"


@pytest.mark.parametrize("command_name", ["add_show", "ingest"])
def test_feed_behind_password_is_imported_repeatedly(web: Loopback, command_name: str) -> None:
    serve(web, TIDE)
    assert command(command_name, TIDE.address(web)).code == 0
    source = Source.objects.get()
    assert (source.address, source.login) == (web.address(TIDE.path), login_of(web))
    podcast = Podcast.objects.get()
    assert (podcast.feed_url, podcast.feed_access) == (web.address(TIDE.path), FeedAccess.SECRET)
    assert [run("feed").code, run(web.address(TIDE.path)).code] == [0, 0]
    assert all("@" not in document.address for document in Document.objects.all())


def test_new_password_replaces_old_one(web: Loopback) -> None:
    serve(web, TIDE)
    command("add_show", TIDE.address(web))
    Source.objects.update(login=login_of(web, "ann:old"))
    assert run("feed").code == 1
    assert command("add_show", TIDE.address(web), dry_run=True).code == 0
    assert Source.objects.get().login == login_of(web, "ann:old")
    assert command("add_show", TIDE.address(web)).out == "tide-hour: already here: Tide Hour, 2 episodes\n"
    assert run("feed").code == 0


def test_a_list_names_feeds_behind_passwords(web: Loopback, file: Write) -> None:
    serve(web, TIDE)
    outline = f'<opml><body><outline type="rss" text="{TIDE.address(web)}" xmlUrl="{TIDE.address(web)}"/></body></opml>'
    ran = command("add_show", file("subscriptions.opml", outline))
    assert ran.out == "tide-hour: added Tide Hour, 2 episodes\n"
    assert Source.objects.get().login == login_of(web)


def test_saved_feed_keeps_password_of_its_address(web: Loopback, file: Write) -> None:
    path = file("feed.xml", PLAIN)
    assert command("add_show", path, url=f"http://eve:opal9@{web.pair}/fern").code == 0
    assert (Source.objects.get().address, Source.objects.get().login) == (
        web.address("/fern"),
        login_of(web, "eve:opal9"),
    )


def test_password_of_moved_feed_is_stored_apart(web: Loopback) -> None:
    channel = f"<itunes:new-feed-url>http://eve:opal9@{web.pair}/new</itunes:new-feed-url>"
    web.routes["/fern"] = (200, RSS, feed("Fern Hour", item("Ferns"), channel=channel).encode())
    assert "opal9" not in command("add_show", web.address("/fern")).err
    assert Source.objects.get().moved_to == web.address("/new")


@pytest.mark.parametrize("typed", ["  http://{}/fern ", "{}/fern", "feed://{}/fern"])
def test_an_address_is_read_as_it_is_typed(web: Loopback, typed: str) -> None:
    assert command("add_show", typed.format(web.pair)) == Ran("fern-hour: added Fern Hour, 2 episodes\n", "", 0)


def test_file_comes_before_host_of_same_name(web: Loopback, file: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    outline = f'<opml><body><outline type="rss" xmlUrl="http://{web.pair}/fern"/></body></opml>'
    path = file("shows.opml", outline)
    folder = path.parent / "list.example"
    folder.mkdir()
    path.rename(folder / "shows.opml")
    monkeypatch.chdir(path.parent)
    assert command("add_show", "list.example/shows.opml").out == "fern-hour: added Fern Hour, 2 episodes\n"


@pytest.mark.parametrize("tags, is_secret", CASES["feed_with_block_tag_is_secret"])
def test_feed_with_block_tag_is_secret(web: Loopback, tags: str, is_secret: bool) -> None:
    namespace = 'xmlns:podcast="https://podcastindex.org/namespace/1.0"'
    text = PLAIN.decode().replace("<rss ", f"<rss {namespace} ").replace("<title>", f"{tags}<title>", 1)
    web.routes["/fern"] = (200, RSS, text.encode())
    command("add_show", web.address("/fern"))
    assert Podcast.objects.get().has_secret_feed is is_secret


@pytest.mark.parametrize("path, tags, expected", CASES["channel_that_repeats_addresses"])
def test_channel_repeats_no_secret_address(web: Loopback, path: str, tags: str, expected: list[str]) -> None:
    address = web.address(path)
    repeating = PLAIN.decode().replace("<item>", f"{tags.replace('FEED', address)}<item>", 1).encode()
    web.routes[path] = (200, RSS, repeating)
    assert command("add_show", address).code == 0
    assert stored_values_of_channel(web) == expected
    # The same if the feed of a known show repeats them later.
    for body in (PLAIN, repeating):
        web.routes[path] = (200, RSS, body)
        assert run("feed").code == 0
    assert stored_values_of_channel(web) == expected
    assert (Podcast.objects.get().feed_url, Source.objects.get().address) == (address, address)


def stored_values_of_channel(web: Loopback) -> list[str]:
    show = Podcast.objects.get()
    values = [show.site_url, show.description, show.author, show.channel.copyright, str(show.channel.details)]
    return [value.replace(web.pair, "HOST") for value in values]


def test_a_feed_that_asks_later_becomes_secret(web: Loopback) -> None:
    command("add_show", web.address("/fern"))
    blocked = feed("Fern Hour", item("Ferns"), item("Mosses", day=2), channel="<itunes:block>Yes</itunes:block>")
    web.routes["/fern"] = (200, RSS, blocked.encode())
    run("feed")
    assert Podcast.objects.get().public_feed_url == ""
    web.routes["/fern"] = (200, RSS, PLAIN)
    run("feed")
    assert Podcast.objects.get().public_feed_url == web.address("/fern")


def test_a_file_of_shows_leaves_the_decision(ready: None) -> None:
    Podcast.objects.update(feed_access=FeedAccess.SECRET)
    command("loaddata", "sources")
    assert Podcast.objects.get().has_secret_feed
