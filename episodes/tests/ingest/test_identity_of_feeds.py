"""A feed's identity is its address: what it says of itself never makes it a known show's feed."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from episodes.ingest.find_source import build_unsaved_podcast, find_claims_of_feed_on_shows
from episodes.models import Attachment, Document, Episode, Podcast, Source
from episodes.records import Channel, ParsedPage

from .conftest import FIXTURES, export, run

pytestmark = pytest.mark.django_db
Write = Callable[[str, bytes | str], Path]

SHOW = "PyTorch Developer Podcast"
OWN = "https://feeds.simplecast.com/OB5FkIl8"
ELSEWHERE = "https://mirror.example/feed.xml"


def feed(title: str, *items: str, channel: str = "") -> str:
    return (
        '<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" '
        f'xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>{title}</title>{channel}{"".join(items)}</channel></rss>'
    )


def item(title: str, guid: str = "", day: int = 1) -> str:
    return (
        f"<item><title>{title}</title><guid>{guid or title}</guid><pubDate>0{day} Feb 2024 10:00:00 GMT</pubDate>"
        f"<description>Everything about {title}, from the beginning to the end.</description></item>"
    )


FOREIGN = [item("Sponsored episode", "s1"), item("Another advert", "s2", 2)]
SELF_LINK = '<atom:link rel="self" href="http://FEEDS.simplecast.com/OB5FkIl8"/>'


def test_changing_guids_keep_their_episodes(ready: None, file: Write) -> None:
    for guids in "ababab":
        parts = [item(title, f"{guids}-{title}", day) for day, title in enumerate(("Ants", "Bees", "Cats"), 1)]
        assert run(file("moved.xml", feed(SHOW, *parts)), url=OWN).code == 0
        assert Episode.objects.count() == 3


@pytest.fixture
def full(catalog: None) -> str:
    return export()


def test_show_of_equal_title_is_reported_last(full: str, file: Write) -> None:
    Podcast.objects.create(slug="free-money", title="Free money", rank=0)
    ran = run(file("claim.xml", feed("Free money", *FOREIGN, channel=SELF_LINK)), url=ELSEWHERE)
    assert f"it gives the address of {SHOW}, but" in ran.err
    assert "free-money" not in ran.err


@pytest.mark.parametrize("title, told", [("", False), (SHOW, False), (f" {SHOW.upper()} ", False), ("Looms", True)])
def test_foreign_feed_name_is_reported(ready: None, file: Write, title: str, told: bool) -> None:
    ran = run(file("own.xml", feed(title, item("First"))), source="feed")
    assert ran.code == 0
    assert (ran.err == f"feed: the feed calls itself {title}, not {SHOW}\n") == told


def test_shipped_file_is_known_anywhere(ready: None, file: Write) -> None:
    ran = run(file("copied.txt", (FIXTURES / "pages" / "numbered-top-10.txt").read_bytes()))
    assert ran.out.startswith("numbered-list: 10 items: 10 new")


def test_page_beside_feed_is_no_broken_feed(full: str, file: Write) -> None:
    Source.objects.filter(slug="feed").update(address="https://show.example/feed.xml")
    page = file("list.html", f"<html><title>{SHOW}</title><h1>{SHOW}</h1><ul><li><a href=/vmap>vmap</a></ul>")
    ran = run(page, url="https://www.show.example/episodes/")
    assert ran.code == 0
    assert ran.out.startswith("show.example: ")


LAYOUT = """<html><head><title>{show} on Player FM</title></head><body><h1>{show}</h1><table>
<tr><td><a href="/e/1">vmap</a></td><td>Jun 21, 2021</td></tr>
<tr><td><a href="/e/2">Inductor - IR</a></td><td>Jan 16, 2024</td></tr>
<tr><td><a href="/e/3">Expect tests</a></td><td>Jun 18, 2021</td></tr></table></body></html>"""


def test_redesigned_page_uses_general_reader(full: str, file: Write) -> None:
    ran = run(file("page.html", LAYOUT.format(show=SHOW)), url="https://player.fm/series/other-layout")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("player.fm: 3 items: 0 new, 3 matched")
    source = Source.objects.get(slug="player.fm")
    assert (source.reader, source.may_create) == ("listing", False)
    assert Attachment.objects.filter(item__document__source=source).count() == 3


def test_redesign_of_configured_page_is_refused(full: str, file: Write) -> None:
    address = Source.objects.get(slug="pod-casts-io").address
    ran = run(file("page.html", LAYOUT.format(show=SHOW)), url=address)
    assert ran.code == 1
    assert ran.err.startswith("pod-casts-io: refused: ")
    assert not Document.objects.filter(source__slug="pod.casts.io").exists()
    assert Episode.objects.count() == 82


def test_second_show_of_title_has_another_address(db: None) -> None:
    one = build_unsaved_podcast(Channel(title="Mill"), "https://a.example/")
    assert one.slug == "mill"
    one.save()
    other = build_unsaved_podcast(Channel(title="Mill"), "https://b.example/")
    assert re.fullmatch("mill-[0-9a-z]+", other.slug)
    assert build_unsaved_podcast(Channel(title="Mill"), "https://c.example/").slug != other.slug


def test_show_of_shared_title_is_claimed_last(db: None) -> None:
    for slug, said in (("mill", {}), ("loom", {"guid": "G-1"})):
        Podcast.objects.create(slug=slug, title="Mill" if slug == "mill" else "Loom", said=said)
    claims = find_claims_of_feed_on_shows(ParsedPage(show="Mill", channel=Channel(title="Mill", guid="g-1")))
    assert [(claim.podcast.slug, claim.by_name) for claim in claims] == [("loom", False), ("mill", True)]
