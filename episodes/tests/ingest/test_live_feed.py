"""The publisher's live feed over the snapshot: what was missing fills in, and nothing is there twice."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from episodes.models import Podcast, Source
from episodes.tests.loopback import Loopback

from ..kept import made_once
from .conftest import FIXTURES, configured, export, run
from .live import FIRST, live_feed


class Server:
    """The feed's server on the loopback, with the catalog's feed source pointing at it."""

    def __init__(self, web: Loopback) -> None:
        self.web = web
        Source.objects.filter(slug="feed").update(address=web.address("/feed"))

    def serve(self, body: bytes) -> None:
        self.web.routes["/feed"] = (200, {"Content-Type": "application/rss+xml"}, body)


@pytest.fixture(scope="module")
def web() -> Iterator[Loopback]:
    """One server for all tests, at whose address what was imported once was found."""
    with Loopback({}) as found:
        yield found


@pytest.fixture
def serving(web: Loopback, settings: Any) -> Loopback:
    settings.FETCH_ALLOW = web.allow
    web.routes.clear()
    web.requests.clear()
    return web


@pytest.fixture
def server(ready: None, serving: Loopback) -> Server:
    """A server beside a show of which nothing was gathered yet."""
    return Server(serving)


@pytest.fixture
def shipped(catalog: None, serving: Loopback) -> Server:
    """A server beside the show with all its shipped documents."""
    return Server(serving)


@pytest.fixture
def read(db: None, serving: Loopback, imported: Callable[[], None]) -> Server:
    """A server beside the show with its snapshot and its live feed."""
    made_once(imported)
    return Server(serving)


@pytest.fixture(scope="module")
def imported(web: Loopback) -> Callable[[], None]:
    def make() -> None:
        configured()
        Server(web).serve(live_feed())
        run(FIXTURES / "feed.xml", "feed")

    return make


def episodes() -> list[dict[str, Any]]:
    return list(json.loads(export())["episodes"])


def test_live_feed_completes_the_snapshot(shipped: Server) -> None:
    before = {e["slug"] for e in episodes()}
    shipped.serve(live_feed())
    ran = run("feed")
    assert ran.code == 0
    assert ran.out == "feed: 83 items: 1 new, 82 matched, 0 held, 0 ignored; 0 unchanged since last time\n"
    after = episodes()
    assert len(after) == 83
    assert {e["slug"] for e in after} - before == {"binding-c-in-python", "new-ci"}
    assert before - {e["slug"] for e in after} == {"episode-59"}
    assert all(e["guid"] and e["audio_url"] and e["published_precision"] == "instant" for e in after)
    assert after[-1]["title"] == FIRST
    assert [e["number"] for e in after[:-1]] == list(range(83, 1, -1))


def retitle(items: list[ET.Element]) -> list[ET.Element]:
    for item in items[::7]:
        item.find("title").text = f"{item.findtext('title')} (now with a longer title)"  # type: ignore[union-attr]
    return items


def redate(items: list[ET.Element]) -> list[ET.Element]:
    for item in items[::5]:
        item.find("pubDate").text = "Mon, 01 Jan 2018 10:00:00 +0000"  # type: ignore[union-attr]
    return items


def repeat_a_guid(items: list[ET.Element]) -> list[ET.Element]:
    items[3].find("guid").text = items[4].findtext("guid")  # type: ignore[union-attr]
    return items


def move_hosts(items: list[ET.Element]) -> list[ET.Element]:
    for item in items:
        enclosure = item.find("enclosure")
        enclosure.set("url", "https://other.example/" + enclosure.get("url", "").rpartition("/")[2])  # type: ignore[union-attr]
    return items


@pytest.mark.parametrize(
    "change, guids", [(retitle, "guid"), (redate, "another"), (repeat_a_guid, "guid"), (move_hosts, "another")]
)
def test_publishers_changes_make_no_duplicate(
    read: Server, change: Callable[[list[ET.Element]], list[ET.Element]], guids: str
) -> None:
    before = {e["slug"] for e in episodes()}
    read.serve(live_feed(change, guids))
    ran = run("feed")
    # A show may move to other guids and hosts at its own address; the import says so.
    is_moved = guids == "another" or change is move_hosts
    assert ("have another guid, audio file or page than before" in ran.err) == is_moved
    assert bool(ran.err) == is_moved
    assert " 0 new, 83 matched, 0 held" in ran.out
    after = episodes()
    assert len(after) == 83
    if change is not retitle:
        assert {e["slug"] for e in after} == before


LOGIN = b"<!doctype html><title>Sign in</title><form><input name=u><input type=password></form>"


def test_login_page_makes_no_source(shipped: Server) -> None:
    shipped.web.routes["/list"] = (200, {"Content-Type": "text/html"}, LOGIN)
    before = Source.objects.count()
    address = shipped.web.address("/list")
    ran = run(address, "--podcast", "pytorch-developer-podcast")
    assert ran.code == 1
    assert "refused: " in ran.err
    assert f"{address}" in ran.err
    assert "the page asks for a login. Save it in a browser" in ran.err
    assert Source.objects.count() == before


def test_failure_names_one_of_several_shows(server: Server) -> None:
    Podcast.objects.create(slug="other", title="Other")
    server.web.routes["/feed"] = (410, {}, b"")
    assert run("feed").err.startswith("pytorch-developer-podcast · feed: failed: http")


def test_permanent_redirect_is_proposed(server: Server) -> None:
    server.serve(live_feed())
    run("feed")
    new = server.web.address("/new")
    server.web.routes |= {"/feed": (301, {"Location": "/new"}, b""), "/new": server.web.routes["/feed"]}
    ran = run("feed")
    assert ran.code == 0
    advice = "accept that in the admin, or with add_show --moved-from pytorch-developer-podcast"
    assert ran.err == f"feed: the feed moved to {new}; {advice}\n"
    assert Source.objects.get(slug="feed").moved_to == new
    server.web.routes["/feed"] = (302, {"Location": "/new"}, b"")
    assert run("feed").err == ""
