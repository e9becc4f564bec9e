"""Shows and sources in the admin: tried, saved, imported, paused, archived, removed and moved, each with its history."""

import gzip
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import OperationalError
from django.test import Client
from django.urls import reverse

from episodes import curation
from episodes.curation import InvalidChange, UndoConflict
from episodes.models import Capture, Change, Document, Episode, IngestRun, Item, Podcast, Source

from ..curation.conftest import WORDS, export, feed, set_status
from ..ingest.conftest import run
from ..loopback import Loopback
from ..tables import cases
from .conftest import HELD, logged_in, said

XML = {"Content-Type": "application/rss+xml"}
HTML = {"Content-Type": "text/html"}


@pytest.fixture
def client(administrator: User, talks: Podcast) -> Client:
    return logged_in(administrator)


@pytest.fixture
def web(settings: Any, talks: Podcast) -> Iterator[Loopback]:
    with Loopback() as web:
        settings.FETCH_ALLOW = web.allow
        web.routes["/feed"] = (200, XML, feed(range(6)))
        source = Source.objects.get(slug="feed")
        Document.objects.filter(source=source).update(address=web.address("/feed"))
        Source.objects.filter(pk=source.pk).update(address=web.address("/feed"))
        Podcast.objects.update(feed_url=web.address("/feed"))
        yield web


def source(slug: str = "feed") -> Source:
    return Source.objects.get(slug=slug)


def at(name: str, slug: str = "feed") -> str:
    return reverse(f"admin:episodes_source_{name}", args=(source(slug).pk,))


def match_results(shown: Any) -> dict[str, tuple[str, str]]:
    return {entry.title: (entry.news, entry.match_result) for entry in shown.context["import_preview"].entries}


def test_import_is_in_the_history(client: Client, web: Loopback) -> None:
    assert "Import now" in said(client.get(at("read")))
    answer = client.post(at("read"), {"_read": "1"}, follow=True)
    told = "Small Talks · feed: 6 entries: 1 new, 5 matched."
    assert told in said(answer)
    assert Episode.objects.count() == 6
    change = Change.objects.get(verb="import")
    assert (change.made_by, change.rows) == (User.objects.get(username="ada"), [])
    with pytest.raises(UndoConflict, match=r"What a source said is kept, .+: this has no undo"):
        curation.undo_change(User.objects.get(username="ada"), change)


def test_dry_run_shows_differences_only(client: Client, web: Loopback) -> None:
    changed = feed(range(1, 6)).replace(b"All about mirrors 2", b"Mirrors, revised")
    web.routes["/feed"] = (200, XML, changed)
    before, runs = export(), IngestRun.objects.count()
    shown = client.post(at("read"), {"_preview": "1"})
    assert match_results(shown) == {
        "All about kettles 0": ("gone", "matched"),
        "Mirrors, revised": ("changed", "matched"),
        "All about pianos 5": ("new", "new"),
    }
    (entry,) = (entry for entry in shown.context["import_preview"].entries if entry.news == "changed")
    assert entry.changes == [("Title", "All about mirrors 2", "Mirrors, revised")]
    assert "1 new, 1 changed, 1 gone, 3 unchanged." in said(shown)
    assert "matched, 0 held" not in said(shown), "entries are counted once"
    assert (export(), IngestRun.objects.count(), Change.objects.count()) == (before, runs, 0)


def test_an_implausible_change_is_refused_shown_and_accepted(client: Client, web: Loopback) -> None:
    web.routes["/feed"] = (200, XML, feed(range(1)))
    answer = said(client.post(at("read"), {"_read": "1"}))
    refusal = "not imported: suspiciously large change: 4 of 5 items"
    assert f"Small Talks · feed ({web.address('/feed')}): {refusal}" in answer
    assert "Accept this change" in said(client.get(at("read")))
    shown = client.post(at("read"), {"_preview": "1"})
    assert [news for news, _ in match_results(shown).values()] == ["gone"] * 4
    assert "Accept this change" in said(shown)
    assert "1 entry: 1 matched" in said(client.post(at("read"), {"_accept": "1"}, follow=True))
    assert Change.objects.filter(verb="accept import").exists()


def test_refused_change_is_accepted_in_inbox(client: Client, web: Loopback, curator: User) -> None:
    web.routes["/feed"] = (200, XML, feed(range(1)))
    client.post(at("read"), {"_read": "1"})
    inbox, button = "/admin/inbox/?kind=source", 'value="accept"'
    row = client.get(inbox).context["rows"][0]
    sent = {"kind": "source", "row": row.target.pk, "token": row.token, "act": "accept"}
    assert button in said(client.get(inbox))
    assert button not in said(logged_in(curator).get(inbox)), "only administrators import"
    assert logged_in(curator).post("/admin/inbox/", sent).status_code == 403
    assert "as it is now" in said(client.post("/admin/inbox/", sent, follow=True))
    assert Item.objects.filter(document__source=source(), gone_version=None).count() == 1
    assert not client.get(inbox).context["rows"]


def test_source_slug_is_fixed_but_title_shown(client: Client) -> None:
    guids = dict(Episode.objects.values_list("slug", "own_guid"))
    page = said(client.get(reverse("admin:episodes_source_change", args=(source().pk,))))
    assert "Cannot be changed: the GUIDs of its episodes in our feeds are made of it" in page
    Source.objects.filter(slug="feed").update(slug="fede")
    call_command("rebuild", verbosity=0)
    assert not guids.items() & dict(Episode.objects.values_list("slug", "own_guid")).items()
    Source.objects.filter(slug="fede").update(slug="feed")
    call_command("rebuild", verbosity=0)
    retitled = source()
    retitled.title = "The feed"
    curation.save_row(User.objects.get(username="ada"), retitled)
    assert dict(Episode.objects.values_list("slug", "own_guid")) == guids
    for address in ("/admin/episodes/episode/all-about-kettles-0/change/", "/admin/episodes/source/"):
        assert "The feed" in said(client.get(address))
    curation.undo_change(User.objects.get(username="ada"), Change.objects.latest("id"))
    retitled.refresh_from_db()
    assert retitled.title == ""


def test_failed_import_names_source_and_remedy(client: Client, web: Loopback, settings: Any) -> None:
    web.routes["/feed"] = (410, {}, b"")
    for button in ("_read", "_preview"):
        text = said(client.post(at("read"), {button: "1"}))
        assert f"{web.address('/feed')} answered 410 Gone" in text
        assert "could not be reached" not in text
    text = said(client.post(at("read"), {"_read": "1"}))
    assert f"not imported: {web.address('/feed')} answered 410 Gone" in text
    assert "The last good copy stays. Check the address and the parser" in text
    web.routes["/feed"] = (200, HTML, b"<html><title>Log in</title><form></form></html>")
    answer = said(client.post(at("read"), {"_read": "1"}))
    assert f"Small Talks · feed ({web.address('/feed')}): not imported: " in answer
    assert "The last good copy stays." in answer
    settings.DOCUMENT_MB = 1
    web.routes["/feed"] = (200, XML, b"<rss>" + b" " * 1_100_000)
    assert "larger than 1,000,000 bytes" in said(client.post(at("read"), {"_read": "1"}))
    Source.objects.filter(slug="feed").update(address="")
    assert "has no address" in said(client.post(at("read"), {"_read": "1"}))


@pytest.mark.on_both
def test_a_busy_database_is_told(administrator: User, web: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(*_: object) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr("episodes.curation.sources.import_document", busy)
    with pytest.raises(InvalidChange, match=r"another import is writing.*manage.py ingest --podcast small-talks feed"):
        curation.import_and_describe_outcome(administrator, source())


def test_a_paused_source_is_left_out(client: Client, web: Loopback) -> None:
    set_status(User.objects.get(username="ada"), source("other"), "archived")
    send(client, status="paused")
    assert source().status == "paused"
    ran = run()
    assert (ran.code, ran.out, web.requests) == (0, "", [])
    assert "6 items" in run("feed").out, "by its name it is imported"
    send(client, status="active")
    assert "6 items" in run().out
    assert [change.told[-1][1:] for change in Change.objects.order_by("pk")] == [
        ["active", "archived"],
        ["active", "paused"],
        ["paused", "active"],
    ]


def test_archived_source_only_keeps_its_episodes(client: Client, web: Loopback) -> None:
    before = export()
    send(client, status="archived")
    assert export() == before
    assert "Small Talks · feed is archived. Resume it" in said(client.post(at("read"), {"_read": "1"}))
    ran = run("feed")
    assert (ran.code, "feed is archived" in ran.err) == (2, True)
    ran = run(web.address("/feed"))
    assert (ran.code, "the source is archived" in ran.err) == (1, True)
    assert export() == before
    assert not IngestRun.objects.filter(outcome="refused").exists()


def test_removed_source_is_previewed_and_returns(client: Client, administrator: User) -> None:
    before, documents = export(), Document.objects.count()
    removed = {"status": "removed", "_preview": "1"}
    assert client.post(at("change", "other"), values(client, "other") | removed).context["rows"] == []
    set_status(administrator, source("other"), "removed")
    assert len(client.post(at("change"), values(client) | removed).context["rows"]) == 5
    send(client, status="removed")
    assert (Episode.objects.count(), Document.objects.count()) == (0, documents)
    call_command("rebuild", verbosity=0)
    assert Episode.objects.count() == 0
    for change in Change.objects.order_by("-pk"):
        curation.undo_change(administrator, change)
    assert export() == before


def values(client: Client, slug: str = "feed", **more: str) -> dict[str, str]:
    """Fields of the form of a source, with a title."""
    form = client.get(at("change", slug)).context["form"]
    shown = {name: form[name].value() for name in form.fields}
    return {name: str(value) for name, value in shown.items() if value} | {"title": "Feed", **more}


def send(client: Client, button: str = "_save", **more: str) -> Any:
    return client.post(at("change"), values(client, **more) | {button: "1"})


def test_a_source_moves_with_its_documents_and_back(client: Client, web: Loopback, administrator: User) -> None:
    web.routes["/new"] = (200, XML, feed(range(7)))
    old = source().address
    shown = send(client, "_preview", address=web.address("/new"))
    assert set(match_results(shown).values()) == {("new", "new")}
    assert source().address == old
    send(client, address=web.address("/new"))
    assert source().address == Podcast.objects.get().feed_url == web.address("/new")
    assert Document.objects.get(source=source()).address == web.address("/new")
    for change in Change.objects.order_by("-pk"):
        curation.undo_change(administrator, change)
    assert source().address == Podcast.objects.get().feed_url == Document.objects.get(source=source()).address == old
    taken = send(client, address=source("other").address)
    assert "is the address of small-talks · other already" in said(taken)


def test_only_shows_feed_moves_its_address(client: Client, administrator: User) -> None:
    def moved(slug: str, address: str) -> str:
        one = source(slug)
        one.address = address
        curation.save_source_and_show_feed(administrator, one)
        return Podcast.objects.get().feed_url

    before = Podcast.objects.get().feed_url
    assert moved("other", "https://other.example/new") == before, "another source"
    Source.objects.filter(slug="feed").update(reader="listing")
    assert moved("feed", "https://page.example/") == before, "a page that was the feed's address"
    Source.objects.filter(slug="feed").update(reader="feed")
    assert moved("feed", "https://feed.example/") == before, "a feed of another address than the show's"
    Source.objects.filter(slug="feed").update(address=before)
    assert moved("feed", "https://feed.example/new") == "https://feed.example/new"


def test_listing_page_becomes_a_source(client: Client, web: Loopback) -> None:
    items = "".join(
        f"<li><a href='/e/{n}'>All about {word} {n}</a> <span>{n + 1} May 2021</span></li>"
        for n, word in enumerate(WORDS[:5])
    )
    web.routes["/list"] = (200, HTML, f"<title>Talks, listed</title><h1>Small Talks</h1><ul>{items}</ul>".encode())
    given = {"podcast": str(Podcast.objects.get().pk), "rank": "100", "address": web.address("/list")}
    shown = client.post(reverse("admin:episodes_source_add"), given | {"_preview": "1"})
    assert {entry.episode for entry in shown.context["import_preview"].entries} == {
        e.title for e in Episode.objects.all()
    }
    assert {entry.published for entry in shown.context["import_preview"].entries} >= {"1 May 2021"}
    data = shown.context["form"].data
    assert (data["reader"], data["title"], data["slug"]) == ("listing", "Talks, listed", "127.0.0.1")
    web.routes["/more"] = web.routes["/list"]
    for own in ({}, {"address": web.address("/more"), "slug": "mine"}):
        client.post(reverse("admin:episodes_source_add"), given | own | {"_save": "1"})
    made = Source.objects.filter(reader="listing").order_by("pk")
    assert list(made.values_list("slug", "title")) == [("127.0.0.1", "Talks, listed"), ("mine", "Talks, listed")]
    assert "5 entries, all matched" in said(client.post(at("read", "127.0.0.1"), {"_read": "1"}, follow=True))


def test_saved_page_is_previewed_then_imported(client: Client, settings: Any, curator: User) -> None:
    show, titles = Podcast.objects.get(), [episode.title for episode in Episode.objects.all()]
    html = f"<h1>Small Talks</h1><ul>{''.join(f'<li>{title}, 1 May 2021</li>' for title in titles)}<li>Odd</li></ul>"
    screen = reverse("admin:episodes_podcast_saved_page", args=(show.pk,))
    assert f"{screen}?source=feed" in said(client.get(at("change")))

    def sent(button: str, **values: object) -> str:
        return said(client.post(screen, {"saved_page": page(html, "list.html"), button: "1", **values}, follow=True))

    before = counts()
    tried = sent("_preview", address="talks.example/list")
    assert "talks.example: 6 entries: 5 matched, 1 ignored." in tried
    assert "All about organs 4: attached: All about organs 4; its whole title, which no other episode has" in tried
    assert "choose the file again" in tried
    zipped = page(gzip.compress(html.encode()), "list.html.gz")
    zipped_tried = sent("_preview", saved_page=zipped, address="talks.example/list")
    assert "talks.example: 6 entries: 5 matched, 1 ignored." in zipped_tried
    assert counts() == before
    assert "6 entries: 5 matched, 1 ignored." in sent("_save", address="talks.example/list")
    assert Document.objects.filter(source__slug="talks.example", address="https://talks.example/list").exists()
    change = Change.objects.get(verb="import")
    assert change.told == [["file", "", "list.html"], ["result", "", "talks.example: 6 entries: 5 matched, 1 ignored."]]
    before = counts()
    damaged = page(gzip.compress(html.encode())[:-9], "list.html.gz")
    assert "list.html.gz: it is a damaged gzip file" in sent("_preview", saved_page=damaged)
    assert "ist.html: not imported: an HTML page in place of a feed" in sent("_save", source="feed")
    html = "a" * 1_000_001
    settings.DOCUMENT_MB = 1
    assert "The file is larger than 1 MB." in sent("_save")
    bomb = page(gzip.compress(html.encode()), "list.html.gz")
    assert "decompressed, it is larger than 1 MB" in sent("_save", saved_page=bomb)
    assert counts() == before
    assert logged_in(curator).get(screen).status_code == 403


CASES = cases("admin_configuration")

ADD = "admin:episodes_source_add"
NEW = "admin:episodes_podcast_by_hand"
EVIDENCE = (Capture, Document, IngestRun, Item, Episode, Change)


def form(**values: object) -> dict[str, object]:
    basis = {"podcast": str(Podcast.objects.get(slug="small-talks").pk), "slug": "mirror", "title": "A mirror"}
    return {**basis, "reader": "feed", "rank": "50", "address": "", **values}


def served(web: Loopback, body: bytes) -> str:
    web.routes["/page"] = (200, {"Content-Type": "text/xml"}, body)
    return web.address("/page")


def page(body: bytes | str, name: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, body.encode() if isinstance(body, str) else body, "text/xml")


def counts() -> list[int]:
    return [model._default_manager.count() for model in (*EVIDENCE, Source, Podcast)]


def test_a_source_is_tried_and_nothing_is_kept(client: Client, web: Loopback) -> None:
    before, exported = counts(), export()
    shown = client.post(reverse(ADD), form(_preview="1", may_create="on", address=served(web, feed(range(7)))))
    matched = {f"All about {word} {n}": ("new", "matched") for n, word in enumerate(WORDS[:5])}
    new = dict.fromkeys(("All about pianos 5", "All about kettles 6"), ("new", "new"))
    assert match_results(shown) == matched | new
    assert "A mirror: 7 entries: 2 new, 5 matched." in said(shown)
    shown = client.post(reverse(ADD), form(_preview="1", address=served(web, HELD.encode())))
    assert shown.context["import_preview"].counts == {"new": 3, "held": 3}
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
    [*CASES["values_that_cannot_be_are_refused"], {"address": "http://x/" + "a" * 3000}, {"title": "t" * 10_000}],
)
def test_values_that_cannot_be_are_refused(client: Client, given: dict[str, object]) -> None:
    before = counts()
    for button in ("_save", "_preview"):
        shown = client.post(reverse(ADD), form(**{**given, button: "1"}))
        assert shown.status_code == 200
        assert "complaint" in said(shown)
    assert counts() == before


def test_a_source_is_saved_changed_and_taken_back(client: Client, administrator: User) -> None:
    assert client.post(reverse(ADD), form(_save="1")).status_code == 302
    source = Source.objects.get(slug="mirror")
    at = reverse("admin:episodes_source_change", args=(source.pk,))
    mine = form(_save="1", seen=curation.row_token(source), rank="7")
    assert client.post(at, mine | {"rank": "8"}).status_code == 302
    assert "Somebody changed “mirror”" in said(client.post(at, mine))
    source.refresh_from_db()
    assert source.rank == 8
    for change in Change.objects.order_by("-pk"):
        curation.undo_change(administrator, change)
    assert not Source.objects.filter(slug="mirror").exists()


def test_polled_source_keeps_its_address(client: Client) -> None:
    other = source("other")
    data = form(slug="renamed", title="Other", address=other.address, seen=curation.row_token(other))
    client.post(at("change", "other"), data)
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
        curation.undo_change(administrator, change)
    assert counts()[-2:] == before[-2:]


OPML = """<opml version="2.0"><body><outline text="Loud Talks" type="rss" xmlUrl="https://loud.example/feed"/>
<outline text="Small" type="rss" xmlUrl="https://small.example/feed"/><outline text="Bad" type="rss" xmlUrl="javascript:x"/></body></opml>"""


def test_subscriptions_are_previewed_and_added(client: Client, administrator: User) -> None:
    Source.objects.filter(slug="feed").update(address="https://small.example/feed")
    address, before = reverse("admin:episodes_podcast_add"), counts()
    shown = client.post(address, {"_preview": "1", "saved_page": page(OPML, "shows.opml")})
    problems = ["", "already here: Small Talks", "'javascript:x' is not an http(s) address"]
    assert [one.problem for one in shown.context["subscriptions"]] == problems
    assert counts() == before
    done = client.post(address, {"_save": "1", "saved_page": page(OPML, "shows.opml")}, follow=True)
    assert "Added: 1 show. The schedule imports them." in said(done)
    source = Source.objects.get(podcast__title="Loud Talks")
    assert (source.podcast.slug, source.address, source.own) == ("loud-talks", "https://loud.example/feed", True)
    for change in Change.objects.order_by("-pk"):
        curation.undo_change(administrator, change)
    assert counts()[-2:] == before[-2:]


def test_saved_feed_needs_its_address(client: Client) -> None:
    before = counts()
    for typed in ("", "javascript:1"):
        sent = {"_save": "1", "address": typed, "saved_page": page(feed(range(2)), "feed.xml")}
        assert "Enter the address of the feed" in said(client.post(reverse("admin:episodes_podcast_add"), sent))
    assert counts() == before


def test_existing_show_keeps_address_changes_title(client: Client) -> None:
    show = Podcast.objects.get()
    at = reverse("admin:episodes_podcast_change", args=(show.pk,))
    data = {"title": "Smaller Talks", "slug": "x", "feed_url": show.feed_url, "seen": curation.row_token(show)}
    assert client.post(at, data).status_code == 302
    show.refresh_from_db()
    assert (show.title, show.slug) == ("Smaller Talks", "small-talks")
    again = client.post(reverse(NEW), {"title": "Again", "slug": "small-talks"})
    assert "Another show has this slug." in said(again)
    assert Podcast.objects.count() == 1
