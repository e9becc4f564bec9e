"""Feeds that their hosts give in pages: read as one, bounded, and never taken for feeds that lost episodes."""

import json
import time
from types import SimpleNamespace
from typing import Any

import pytest

from episodes.gather import paged_feeds as paging
from episodes.models import Capture, Episode, Item

from ..loopback import Loopback
from ..patience import PATIENCE
from .conftest import Ran, command, run
from .test_identity_of_feeds import feed, item

RSS = {"Content-Type": "application/rss+xml; charset=iso-8859-1"}
NAMES = ("Ants", "Bees", "Cicadas", "Dragonflies", "Earwigs", "Flies")


@pytest.fixture(autouse=True)
def without_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paging, "PAUSE", 0)


def page(*names: str, following: str = "", rel: str = "next") -> bytes:
    """A page of the feed, with a link to the one after it. The name's place in NAMES is the day."""
    link = f'<link xmlns="http://www.w3.org/2005/Atom" rel="{rel}" href="{following}"/>' if following else ""
    items = (item(name, f"guid {name}", 9 - NAMES.index(name)) for name in names)
    return feed("Insécts", *items, channel=link).encode("iso-8859-1")


def serve(web: Loopback, *pages: bytes) -> None:
    for number, body in enumerate(pages, 1):
        web.routes["/feed" if number == 1 else f"/feed?page={number}"] = (200, RSS, body)


def titles() -> list[str]:
    return list(Episode.objects.order_by("-order").values_list("title", flat=True))


def ingest(web: Loopback, *options: str) -> Ran:
    return run(web.address("/feed"), *options)


THREE = (page("Ants", "Bees", following="?page=2"), page("Cicadas", following="?page=3"), page("Dragonflies"))


def test_next_request_has_validators_of_response(web: Loopback) -> None:
    """A server with no new version then answers without a body."""
    validators = {"ETag": '"v1"', "Last-Modified": "Mon, 05 Aug 2024 10:00:00 GMT"}
    web.routes["/feed"] = (200, RSS | validators, page("Ants"))
    ingest(web)
    web.routes["/feed"] = (304, {}, b"")
    assert "unchanged" in ingest(web).out
    _, second = web.requests
    assert second.headers["if-none-match"] == '"v1"'
    assert second.headers["if-modified-since"] == "Mon, 05 Aug 2024 10:00:00 GMT"


@pytest.mark.parametrize("adds, rel", [("ingest", "next"), ("add_show", "prev-archive")])
def test_all_pages_are_read_at_first(web: Loopback, adds: str, rel: str) -> None:
    serve(web, page("Ants", "Bees", following="?page=2", rel=rel), *THREE[1:])
    ran = command(adds, web.address("/feed"))
    assert "pages of the feed read: 3" in ran.out + ran.err
    assert titles() == ["Ants", "Bees", "Cicadas", "Dragonflies"]
    assert [asked.path for asked in web.requests] == ["/feed", "/feed?page=2", "/feed?page=3"]
    assert Episode.objects.get(title="Ants").podcast.title == "Insécts"


def test_later_only_first_page_is_read(web: Loopback) -> None:
    serve(web, *THREE)
    ingest(web)
    web.requests.clear()
    serve(web, page("Earwigs", "Ants", following="?page=2"))
    assert ingest(web).out.endswith("5 items: 1 new, 4 matched, 0 held, 0 ignored; 4 unchanged since last time\n")
    assert [asked.path for asked in web.requests] == ["/feed"]
    assert not Item.objects.exclude(gone_version=None).exists()
    assert titles() == ["Ants", "Bees", "Cicadas", "Dragonflies", "Earwigs"]  # by their dates
    assert list(Item.objects.order_by("position").values_list("key", flat=True)) == [
        f"guid:guid {name}" for name in ("Earwigs", "Ants", "Bees", "Cicadas", "Dragonflies")
    ]


@pytest.mark.parametrize("stays", ["audio", "page", "title and day"])
def test_new_guid_on_first_page_is_known(web: Loopback, stays: str) -> None:
    def one(guid: str, title: str, day: int, at: str) -> bytes:
        link = "<link xmlns='http://www.w3.org/2005/Atom' rel='next' href='?page=2'/>"
        sign = {
            "audio": f'<enclosure url="https://cdn.example/{at}.mp3" type="audio/mpeg"/>',
            "page": f"<link>https://site.example/{at}</link>",
            "title and day": f'<enclosure url="https://{guid}.example/ants.mp3" type="audio/mpeg"/>',
        }
        changed = item(title, guid, day).replace("</item>", f"{sign[stays]}</item>")
        if guid == "new":
            changed = changed.replace("10:00", "00:00")  # another host may count days alone
        return feed("Insects", changed, item("Bees", "b", 2), channel=link).encode()

    serve(web, one("old", "Ants", 5, "ants"), page("Cicadas"))
    ingest(web)
    title, day = ("Ants", 5) if stays == "title and day" else ("Ants again", 6)
    serve(web, one("new", title, day, "ants"))
    ran = ingest(web)
    assert "3 items" in ran.out
    assert Episode.objects.count() == 3


def test_all_pages_are_read_when_told(web: Loopback) -> None:
    serve(web, page("Ants"))
    ingest(web)
    serve(web, page("Ants", following="?page=2"), page("Bees"))
    assert "1 items: 0 new" in ingest(web).out
    assert "2 items: 1 new" in ingest(web, "--all-pages").out
    # With all pages at hand, what is in none is gone.
    serve(web, page("Ants", following="?page=2"), page("Cicadas"))
    ingest(web, "--all-pages")
    assert Item.objects.exclude(gone_version=None).get().key == "guid:guid Bees"


LINK = "/feed?page=2"
TROUBLES = {
    "an error": ({LINK: (500, {}, b"")}, "answered 500"),
    "no feed": ({LINK: (200, {}, b"<html><title>Sorry</title>")}, "an HTML page in place of a feed: Sorry"),
    "a loop": ({LINK: (200, RSS, page("Bees", following="/feed"))}, "/feed lists the same items again"),
    "one page again": ({LINK: (200, RSS, page("Ants", following="?page=3"))}, "page=2 lists the same items again"),
    "another host": ({"/feed": (200, RSS, page("Ants", following="http://other.example/2"))}, "is on another host"),
}


@pytest.mark.parametrize("routes, words", TROUBLES.values(), ids=TROUBLES.keys())
def test_pages_before_trouble_are_stored(web: Loopback, routes: dict[str, Any], words: str) -> None:
    serve(web, page("Ants", following="?page=2"), page("Bees", following="?page=3"))
    web.routes |= routes
    ran = ingest(web)
    assert ran.code == 0
    assert words in ran.err
    assert "--all-pages tries again" in ran.err
    assert "Ants" in titles()
    # What is beyond the trouble may be there all the same: nothing is gone.
    serve(web, page("Cicadas", following="?page=2"))
    ingest(web)
    assert not Item.objects.exclude(gone_version=None).exists()


def test_pages_are_fetched_with_pauses(web: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(paging, "PAUSE", 7)
    monkeypatch.setattr(paging, "time", SimpleNamespace(sleep=slept.append, monotonic=time.monotonic))
    serve(web, *THREE)
    ingest(web)
    assert (len(web.requests), slept) == (3, [7, 7])


@pytest.mark.parametrize("seconds, asked", [(-1, 1), (PATIENCE, 3)])
def test_pages_are_bounded(web: Loopback, monkeypatch: pytest.MonkeyPatch, seconds: int, asked: int) -> None:
    monkeypatch.setattr(paging, "MAX_SECONDS", seconds)
    serve(web, *THREE)
    assert ("was not read" in ingest(web).err) == (asked == 1)
    assert len(web.requests) == asked


def test_bytes_of_all_pages_are_bounded(web: Loopback, settings: Any) -> None:
    settings.DOCUMENT_MB = 1
    first = page("Ants", following="?page=2")
    room = 1_000_000 - len(first) - len(THREE[1])

    def wide(length: int) -> bytes:
        return first.replace(b"</rss>", b" " * length + b"</rss>")

    serve(web, wide(room - 1), *THREE[1:])
    assert "pages of the feed read: 3" in ingest(web).err
    serve(web, wide(room), *THREE[1:])
    assert "Page 3 was not read: the pages before it have 1 MB" in ingest(web, "--all-pages").err


def test_a_json_feed_has_pages_too(web: Loopback) -> None:
    def body(name: str, following: str | None) -> bytes:
        what = {"version": "https://jsonfeed.org/version/1.1", "title": "Insects", "next_url": following}
        return json.dumps(what | {"items": [{"id": name, "title": name, "content_text": "Words."}]}).encode()

    serve(web, body("Ants", "?page=2"), body("Bees", None))
    assert "2 items: 2 new" in ingest(web).out
    assert Capture.objects.count() == 1


def test_an_empty_page_is_the_end(web: Loopback) -> None:
    serve(web, page("Ants", following="?page=2"), page(following="?page=3"))
    ran = ingest(web)
    assert ran.out.endswith("1 items: 1 new, 0 matched, 0 held, 0 ignored; 0 unchanged since last time\n")
    assert "was not read" not in ran.err
