"""Shows as pages: each with its own words, newest episodes, people and years; in its language; removed and back."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from episodes.curation import preview_source, save_configuration, undo
from episodes.models import Change, Episode, Podcast, Source
from episodes.outputs.catalog_json import dump

from ..ingest.conftest import run
from ..ingest.test_add_show import add
from ..ingest.test_identity_of_feeds import feed, item
from ..loopback import Loopback
from .pages import see

DETAILS = (
    '<podcast:soundbite xmlns:podcast="https://podcastindex.org/namespace/1.0" startTime="33" duration="9">A bit'
    '</podcast:soundbite><podcast:location xmlns:podcast="https://podcastindex.org/namespace/1.0">Bath</podcast:location>'
    "<itunes:episodeType>bonus</itunes:episodeType><itunes:explicit>true</itunes:explicit>"
)
SAID = (
    "<language>{}</language><itunes:author>Ann</itunes:author><description>{}</description>"
    '<podcast:funding xmlns:podcast="https://podcastindex.org/namespace/1.0" url="https://pay.example/">Tip us'
    "</podcast:funding><itunes:category text='Arts'/>"
)


def bring(tmp_path: Path, name: str, language: str = "en", count: int = 2, more: str = "") -> Podcast:
    items = (item(f"{name} {n}", f"{name} {n}", n) for n in range(1, count + 1))
    body = feed(name, *items, channel=SAID.format(language, f"All about {name}"))
    path = tmp_path / f"{name}.xml"
    path.write_text(body.replace("</item>", f"{more}</item>"))
    assert add(path, url=f"https://{name.lower()}.example/feed").code == 0
    return Podcast.objects.get(title=name)


@pytest.fixture
def two(db: None, tmp_path: Path) -> tuple[Podcast, Podcast]:
    return bring(tmp_path, "Bees"), bring(tmp_path, "Salt", more=DETAILS)


def test_a_show_has_a_page_with_its_own_words_and_newest_episodes(client: Client, two: tuple[Podcast, Podcast]) -> None:
    page = client.get("/shows/bees/").content.decode()
    for words in (
        "All about Bees",
        "Ann",
        "2 episodes",
        "https://bees.example/feed",
        "Bees 2",
        "2024",
        "Tip us",
        "Arts",
    ):
        assert words in page
    assert "Salt" not in page
    assert see(client, "/shows/bees/").entries == ["/episodes/bees-2/", "/episodes/bees-1/"]
    assert see(client, "/shows/bees/").one(".seek [name=podcast]").attributes["value"] == "bees"
    assert "/episodes.rss?podcast=bees" in page


def test_all_shows_are_listed_and_led_to(client: Client, two: tuple[Podcast, Podcast]) -> None:
    page = client.get("/shows/").content.decode()
    assert "2 shows" in page
    assert 'href="/shows/bees/"' in page
    assert 'href="/shows/salt/"' in client.get("/episodes/salt-1/").content.decode()
    assert 'href="/shows/"' in client.get("/").content.decode()
    assert "<loc>http://testserver/shows/bees/</loc>" in client.get("/sitemap-shows.xml").content.decode()
    assert client.get("/shows/none/").status_code == 404


def test_pages_ask_the_same_however_many_shows_there_are(
    client: Client, two: tuple[Podcast, Podcast], tmp_path: Path, django_assert_num_queries: object
) -> None:
    addresses = ("/", "/shows/", "/shows/bees/", "/episodes/bees-1/", "/sources/")
    before = [_queries(client, address) for address in addresses]
    for number in range(5):
        bring(tmp_path, f"Show{number}")
    assert [_queries(client, address) for address in addresses] == before


def _queries(client: Client, address: str) -> int:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    client.get(address)  # what many pages share is read once for each version of the catalog
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert client.get(address).status_code == 200
    return len(asked)


def test_what_a_feed_says_of_an_episode_is_shown_and_passed_on(client: Client, two: tuple[Podcast, Podcast]) -> None:
    page = client.get("/episodes/salt-1/").content.decode()
    for words in ("<span>bonus</span>", "<span>explicit</span>", 'href="?t=33"', "A bit", "Bath"):
        assert words in page
    assert "<span>bonus</span>" not in client.get("/episodes/bees-1/").content.decode()
    rss = client.get("/episodes.rss?podcast=salt").content.decode()
    for words in (
        "<itunes:episodeType>bonus</itunes:episodeType>",
        "<itunes:explicit>true</itunes:explicit>",
        '<podcast:soundbite startTime="33" duration="9">A bit</podcast:soundbite>',
        "<podcast:location>Bath</podcast:location>",
    ):
        assert words in rss


@pytest.mark.parametrize(
    "language, words",
    [
        ("ar", 'lang="ar" dir="rtl"'),
        ("he-IL", 'lang="he-il" dir="rtl"'),
        ("zh_Hant", 'lang="zh-hant" dir="ltr"'),
        ("fr", 'lang="fr" dir="ltr"'),
        ("", 'dir="auto"'),
        ('x" onclick="', 'dir="auto"'),
    ],
)
def test_texts_of_a_show_are_in_its_language(
    client: Client, db: None, tmp_path: Path, language: str, words: str
) -> None:
    bring(tmp_path, "Bees", language)
    for address in ("/shows/bees/", "/episodes/bees-1/", "/"):
        assert words in client.get(address).content.decode()
        assert 'onclick="' not in client.get(address).content.decode()


def test_a_removed_show_is_nowhere_and_comes_back_as_it_was(
    client: Client, two: tuple[Podcast, Podcast], admin_user: User
) -> None:
    before = dump(list(Podcast.objects.all()))
    salt = two[1]
    salt.status = "removed"
    save_configuration(admin_user, salt)
    assert not Episode.objects.filter(podcast=salt).exists()
    for address in ("/shows/salt/", "/episodes/salt-1/"):
        assert client.get(address).status_code == 410
    for address in ("/", "/shows/", "/time/", "/about/", "/sources/", "/shows.opml", "/sitemap.xml", "/episodes.rss"):
        assert "Salt" not in client.get(address, follow=True).content.decode()
    assert "was removed" in add("https://salt.example/feed").err or run("feed", podcast="salt").code == 2
    call_command("rebuild", verbosity=0)
    assert not Episode.objects.filter(podcast=salt).exists()
    undo(admin_user, Change.objects.order_by("id").last())  # type: ignore[arg-type]
    assert dump(list(Podcast.objects.all())) == before
    assert client.get("/shows/salt/").status_code == 200


@pytest.mark.parametrize("status", ["paused", "archived"])
def test_a_show_that_rests_is_shown_and_not_asked(client: Client, two: tuple[Podcast, Podcast], status: str) -> None:
    Podcast.objects.update(status=status)
    assert run().out == run().err == ""
    assert status in client.get("/shows/bees/").content.decode().lower()


def test_an_administrator_adds_a_show_by_its_address(
    admin_client: Client, db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from episodes.records import FetchedDocument

    body = feed("Bees", item("First"), channel=SAID.format("sv", "All about Bees")).encode()
    page = FetchedDocument(body, "https://bees.example/feed")
    monkeypatch.setattr("episodes.curation.shows.find_feed", lambda address, allow: page)
    form = reverse("admin:episodes_podcast_add")
    assert form in admin_client.get("/admin/episodes/podcast/").content.decode()
    seen = admin_client.post(form, {"address": "bees.example", "_preview": "1"}).content.decode()
    for words in ("Bees", "All about Bees", "sv", "First", "Add this show"):
        assert words in seen
    assert not Podcast.objects.exists()
    done = admin_client.post(form, {"address": "bees.example", "_save": "1"}, follow=True).content.decode()
    assert "Bees was added: 1 episode." in done
    assert Change.objects.filter(verb="add show").exists() or Change.objects.filter(verb__startswith="add").count() == 2
    again = admin_client.post(form, {"address": "bees.example", "_preview": "1"}).content.decode()
    assert "This show has already been added" in again
    assert "is here already" in admin_client.post(form, {"address": "bees.example", "_save": "1"}).content.decode()
    assert Podcast.objects.count() == 1


def test_an_administrator_follows_a_feed_that_moved(admin_client: Client, two: tuple[Podcast, Podcast]) -> None:
    source = Source.objects.get(podcast=two[0])
    Source.objects.filter(pk=source.pk).update(moved_to="https://new.example/feed")
    assert "Review the move" in admin_client.get(f"/admin/episodes/source/{source.pk}/change/").content.decode()
    move = reverse("admin:episodes_source_change", args=(source.pk,)) + "?moved=1"
    form = admin_client.get(move).context["form"]
    assert form["address"].value() == "https://new.example/feed"
    sent = {name: form[name].value() for name in form.fields if form[name].value() not in (None, False)}
    admin_client.post(move, {**sent, "_save": "1"})
    # Opened once more the form has the address that is there.
    assert admin_client.get(move).context["form"]["address"].value() == "https://new.example/feed"
    source.refresh_from_db()
    two[0].refresh_from_db()
    assert (source.address, source.moved_to, two[0].feed_url) == (
        "https://new.example/feed",
        "",
        "https://new.example/feed",
    )
    assert not source.documents.exclude(address="https://new.example/feed").exists()


def test_the_site_has_the_name_and_colour_of_its_settings(
    client: Client, two: tuple[Podcast, Podcast], settings: object
) -> None:
    assert client.get("/theme.css").status_code == 404
    settings.SITE_NAME, settings.ACCENT = "Our podcasts", "0a6b5e"  # type: ignore[attr-defined]
    page = client.get("/").content.decode()
    assert '<a class="name" href="/">Our podcasts</a>' in page
    assert 'href="/theme.css"' in page
    assert "--accent: #0a6b5e;" in client.get("/theme.css").content.decode()


def test_a_number_leads_to_the_first_shows_episode(client: Client, two: tuple[Podcast, Podcast]) -> None:
    Episode.objects.filter(slug="bees-2").update(number=7, season=2)
    Episode.objects.filter(slug="bees-1").update(number=7, season=1)
    Episode.objects.filter(slug="salt-1").update(number=8)
    for address in ("/7", "/episodes/7/"):
        answer = client.get(address)
        assert (answer.status_code, answer["Location"]) == (302, "/episodes/bees-1/")
    for address in ("/8", "/episodes/8/", "/episodes/²/", f"/episodes/{'9' * 40}/", "/999999999"):
        assert client.get(address).status_code == 404


def test_a_try_of_a_source_fetches_nothing_that_its_feed_names(admin_user: User, db: None, settings: object) -> None:
    named = (
        '<podcast:transcript xmlns:podcast="https://podcastindex.org/namespace/1.0" url="HOST" type="text/vtt"/></item>'
    )
    with Loopback({}) as web:
        settings.FETCH_ALLOW = web.allow  # type: ignore[attr-defined]
        body = feed("Bees", item("First").replace("</item>", named.replace("HOST", web.address("/t.vtt"))))
        web.routes["/feed"] = (200, {"Content-Type": "application/rss+xml"}, body.encode())
        podcast = Podcast.objects.create(slug="bees", title="Bees")
        source = Source(
            podcast=podcast, slug="feed", reader="feed", address=web.address("/feed"), rank=1, may_create=True
        )
        tried = preview_source(admin_user, source, None, allow=web.allow)
    assert (tried.ok, [row.fate for row in tried.entries]) == (True, ["new"])
    assert [request.path for request in web.requests] == ["/feed"]
