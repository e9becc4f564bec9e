"""Shows and sources: tried out before they are saved, saved with a history, and fetched from public addresses only."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from episodes.curation import row_token, undo_change
from episodes.models import Capture, Change, Document, Episode, IngestRun, Item, Podcast, Source

from ..curation.conftest import export, feed
from ..loopback import Loopback
from ..tables import cases
from .conftest import HELD, logged_in, said

CASES = cases("admin_configuration")

ADD = "admin:episodes_source_add"
NEW = "admin:episodes_podcast_by_hand"
EVIDENCE = (Capture, Document, IngestRun, Item, Episode, Change)


@pytest.fixture
def client(administrator: User, talks: Podcast) -> Client:
    return logged_in(administrator)


def form(**values: object) -> dict[str, object]:
    basis = {"podcast": str(Podcast.objects.get(slug="small-talks").pk), "slug": "mirror", "title": "A mirror"}
    return {**basis, "reader": "feed", "rank": "50", "address": "", **values}


@pytest.fixture
def web(settings: Any) -> Iterator[Loopback]:
    with Loopback() as web:
        settings.FETCH_ALLOW = web.allow
        yield web


def served(web: Loopback, body: bytes | str) -> str:
    """The address of a page."""
    web.routes["/page"] = (200, {"Content-Type": "text/xml"}, body.encode() if isinstance(body, str) else body)
    return web.address("/page")


def page(body: bytes | str, name: str = "page.xml") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, body.encode() if isinstance(body, str) else body, "text/xml")


def counts() -> list[int]:
    return [model._default_manager.count() for model in (*EVIDENCE, Source, Podcast)]


def fates(shown: Any) -> dict[str, str]:
    return {entry.title: entry.fate for entry in shown.context["tried"].entries}


def test_a_source_is_tried_and_nothing_is_kept(client: Client, web: Loopback) -> None:
    before, exported = counts(), export()
    shown = client.post(reverse(ADD), form(_preview="1", may_create="on", address=served(web, feed(range(7)))))
    assert fates(shown) == {
        **{f"All about {word} {n}": "new" for n, word in ((5, "pianos"), (6, "kettles"))},
        **{
            f"All about {word} {n}": "matched"
            for n, word in enumerate(("kettles", "ladders", "mirrors", "needles", "organs"))
        },
    }
    assert "mirror: 7 items: 2 new, 5 matched, 0 held, 0 ignored" in said(shown)
    shown = client.post(reverse(ADD), form(_preview="1", address=served(web, HELD)))
    assert shown.context["tried"].counts == {"new": 3, "held": 3}
    assert (counts(), export()) == (before, exported)


@pytest.mark.parametrize("given, complaint", CASES["a_page_that_cannot_be_taken_says_why"])
def test_a_page_that_cannot_be_taken_says_why(client: Client, given: dict[str, object], complaint: str) -> None:
    before = counts()
    shown = client.post(reverse(ADD), form(_preview="1", **given))
    assert shown.status_code == 200
    assert complaint in said(shown)
    assert counts() == before


def test_failed_try_marks_the_address_only(client: Client) -> None:
    page = client.post(reverse(ADD), form(_preview="1", address="http://127.0.0.1:1/feed", slug="", title="Typed"))
    assert next(iter(page.context["form"].fields)) == "address"
    assert list(page.context["form"].errors) == ["address"]
    assert "http://127.0.0.1:1/feed" in said(page)
    assert "Http://" not in said(page)
    assert 'value="Typed"' in page.content.decode()


@pytest.mark.parametrize(
    "given",
    [
        {"address": "javascript:alert(1)"},
        {"address": "file:///etc/passwd"},
        {"address": "http://"},
        {"address": "http://x/" + "a" * 3000},
        {"slug": "feed"},
        {"slug": "a b"},
        {"slug": ""},
        {"title": "x\0"},
        {"title": "t" * 10_000},
        {"reader": "os"},
        {"rank": "-1"},
        {"rank": "9" * 40},
        {"podcast": "9999"},
    ],
)
@pytest.mark.parametrize("button", ["_save", "_preview"])
def test_values_that_cannot_be_are_refused(client: Client, given: dict[str, object], button: str) -> None:
    before = counts()
    shown = client.post(reverse(ADD), form(**{**given, button: "1"}))
    assert shown.status_code == 200
    assert "complaint" in said(shown)
    assert counts() == before


def test_a_source_is_saved_changed_and_taken_back(client: Client, administrator: User) -> None:
    assert client.post(reverse(ADD), form(_save="1")).status_code == 302
    source = Source.objects.get(slug="mirror")
    at = reverse("admin:episodes_source_change", args=(source.pk,))
    mine = form(_save="1", seen=row_token(source), rank="7")
    assert client.post(at, form(_save="1", seen=row_token(source), rank="8")).status_code == 302
    assert "Somebody changed “mirror”" in said(client.post(at, mine))
    source.refresh_from_db()
    assert source.rank == 8
    for change in Change.objects.order_by("-pk"):
        undo_change(administrator, change)
    assert not Source.objects.filter(slug="mirror").exists()


def test_polled_source_keeps_its_address(client: Client) -> None:
    other = Source.objects.get(slug="other")
    data = form(slug="renamed", title="Other", address=other.address, seen=row_token(other))
    client.post(reverse("admin:episodes_source_change", args=(other.pk,)), data)
    other.refresh_from_db()
    assert (other.slug, other.title) == ("other", "Other")


def test_show_without_feed_is_added(client: Client, administrator: User) -> None:
    before = counts()
    data = {"title": "Other Talks", "slug": "other-talks", "not_code": "Foo\r\nBar", "_save": "1"}
    assert client.post(reverse(NEW), data).status_code == 302
    podcast = Podcast.objects.get(slug="other-talks")
    assert not podcast.sources.exists()
    assert podcast.rank == Podcast.objects.get(slug="small-talks").rank + 1
    assert podcast.not_code == ["Foo", "Bar"]
    for change in Change.objects.order_by("-pk"):
        undo_change(administrator, change)
    assert counts()[-2:] == before[-2:]


OPML = """<opml version="2.0"><body><outline text="Loud Talks" type="rss" xmlUrl="https://loud.example/feed"/>
<outline text="Small" type="rss" xmlUrl="{known}"/><outline text="Bad" type="rss" xmlUrl="javascript:x"/></body></opml>"""


def test_subscriptions_are_previewed_and_added(client: Client, administrator: User) -> None:
    Source.objects.filter(slug="feed").update(address="https://small.example/feed")
    address, before = reverse("admin:episodes_podcast_add"), counts()
    opml = page(OPML.format(known="https://small.example/feed"), "shows.opml")
    shown = client.post(address, {"_preview": "1", "saved_page": opml})
    assert [one.problem for one in shown.context["listed"]] == [
        "",
        "already here: Small Talks",
        "'javascript:x' is not an http(s) address",
    ]
    assert counts() == before
    done = client.post(
        address,
        {"_save": "1", "saved_page": page(OPML.format(known="https://small.example/feed"), "shows.opml")},
        follow=True,
    )
    assert "Added: 1 show. The schedule imports them." in said(done)
    source = Source.objects.get(podcast__title="Loud Talks")
    assert (source.podcast.slug, source.address, source.own) == ("loud-talks", "https://loud.example/feed", True)
    for change in Change.objects.order_by("-pk"):
        undo_change(administrator, change)
    assert counts()[-2:] == before[-2:]


@pytest.mark.parametrize("typed", ["", "javascript:1"])
def test_saved_feed_needs_its_address(client: Client, typed: str) -> None:
    before = counts()
    sent = {"_save": "1", "address": typed, "saved_page": page(feed(range(2)).decode(), "feed.xml")}
    assert "Enter the address of the feed" in said(client.post(reverse("admin:episodes_podcast_add"), sent))
    assert counts() == before


def test_existing_show_keeps_address_changes_title(client: Client) -> None:
    show = Podcast.objects.get()
    at = reverse("admin:episodes_podcast_change", args=(show.pk,))
    data = {"title": "Smaller Talks", "slug": "x", "feed_url": show.feed_url, "seen": row_token(show)}
    assert client.post(at, data).status_code == 302
    show.refresh_from_db()
    assert (show.title, show.slug) == ("Smaller Talks", "small-talks")
    again = client.post(reverse(NEW), {"title": "Again", "slug": "small-talks"})
    assert "Another show has this slug." in said(again)
    assert Podcast.objects.count() == 1
