"""In the admin only administrators see the address of a private feed, and nobody a password."""

from collections.abc import Iterator
from urllib.parse import quote

import pytest
from django.conf import LazySettings
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client, override_settings
from django.urls import reverse

from episodes.models import Capture, Change, FeedAccess, Podcast, Source

from ..ingest.conftest import command
from ..kept import made_once
from ..loopback import Loopback
from ..private_feeds import FEEDS, ITUNES, PASSWORDS, PODCAST, RSS, PrivateFeed, leaks, serve
from .conftest import logged_in, said

ROWS = 3  # of each table
KELP, TIDE = FEEDS[0], FEEDS[4]


@pytest.fixture
def server(db: None, settings: LazySettings) -> Iterator[Loopback]:
    with Loopback() as server:
        settings.FETCH_ALLOW, settings.IMAGES = server.allow, "off"
        yield server


@pytest.fixture
def shows(db: None) -> None:
    """Create a show with a token and one with a password. Their feeds fail at last."""
    made_once(failing_shows)


def failing_shows() -> None:
    with Loopback() as server, override_settings(FETCH_ALLOW=server.allow, IMAGES="off"):
        for feed in (KELP, TIDE):
            serve(server, feed)
            command("add_show", feed.address(server))
            server.routes[feed.path] = (500, {}, b"down")
            command("ingest", "feed", podcast=feed.slug)


def screens() -> Iterator[str]:
    """The start page, the inbox, every list, and the first rows of each."""
    yield reverse("admin:index")
    yield reverse("admin:inbox")
    for model in admin.site._registry:
        if model._meta.app_label != "episodes":
            continue
        start = f"admin:episodes_{model._meta.model_name}"
        yield reverse(f"{start}_changelist")
        for row in model._default_manager.all()[:ROWS]:
            key = getattr(row, "slug", row.pk) if model._meta.model_name == "episode" else row.pk
            yield reverse(f"{start}_change", args=(key,))


@pytest.mark.parametrize("role", ["viewer", "curator"])
def test_others_see_no_secret_address(shows: None, role: str, request: pytest.FixtureRequest) -> None:
    user: User = request.getfixturevalue(role)
    client = logged_in(user)
    faults = []
    moves = (f"{screen}?moved=1" for screen in screens() if "/source/" in screen)
    for screen in (*screens(), *moves):
        answer = client.get(screen, follow=True)
        assert answer.status_code in (200, 403), screen
        faults += [(screen, secret) for secret in leaks(said(answer))]
    assert faults == []


@pytest.mark.parametrize("role", ["viewer", "curator"])
def test_address_of_cover_hides_its_token(shows: None, role: str, request: pytest.FixtureRequest) -> None:
    cover = f"https://img.example/cover.jpg?auth={KELP.secret}"
    Podcast.objects.filter(slug=KELP.slug).update(image_url=cover)
    show = Podcast.objects.get(slug=KELP.slug)
    page = said(logged_in(request.getfixturevalue(role)).get(f"/admin/episodes/podcast/{show.pk}/change/"))
    assert "https://img.example/…" in page
    assert leaks(page) == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("feed", FEEDS[:3], ids=lambda feed: feed.slug)
def test_stored_copy_hides_every_form_of_address(
    server: Loopback, viewer: User, feed: PrivateFeed, encoding: str
) -> None:
    address = feed.address(server)
    app_address = address.replace("http:", "podcast:")
    start = (
        f"<rss version='2.0' xmlns:itunes='{ITUNES}' xmlns:podcast='{PODCAST}'><channel><title>{feed.title}</title>"
        f"{feed.channel}<link>{app_address}</link><description>{quote(address, safe='')} "
        f"https://player.example/add?url={quote(address, safe='')}</description><!--"
    )
    # The page shows 20,000 characters, which end within the address.
    visible = app_address[: app_address.index(feed.secret) + 7]
    filler = "x" * (20_000 - len(start) - len(visible) - 1)
    item = "<item><title>One</title><guid>1</guid><description>About ferns and mosses.</description></item>"
    text = f"{start}{filler} {app_address}-->{item}</channel></rss>"
    server.routes[feed.path] = (200, RSS, text.encode(encoding))
    assert command("add_show", address).code == 0
    page = said(logged_in(viewer).get(f"/admin/episodes/capture/{Capture.objects.get().pk}/change/"))
    assert f"&lt;title&gt;{feed.title}" in page
    assert feed.secret[:7] not in page


def test_administrator_sees_secret_addresses_but_no_password(shows: None, administrator: User) -> None:
    client = logged_in(administrator)
    seen = {screen: said(client.get(screen, follow=True)) for screen in screens()}
    assert [screen for screen, text in seen.items() if any(password in text for password in PASSWORDS)] == []
    source = Source.objects.get(podcast__slug=KELP.slug)
    assert KELP.secret in seen[reverse("admin:episodes_source_change", args=(source.pk,))]
    lists = [text for screen, text in seen.items() if "change" not in screen]
    assert [text for text in lists if leaks(text)] == []
    assert "0 sources" in said(client.get(f"/admin/episodes/source/?q={KELP.secret}"))
    assert "2 sources" in said(client.get("/admin/episodes/source/?q=127.0.0.1"))


def test_no_filter_tells_letters_of_a_secret(shows: None, viewer: User) -> None:
    filters = "podcast/?feed_url__startswith=http podcast/?image_url__contains=k source/?login__contains=p source/?address__contains=k"
    for lookup in filters.split():
        assert logged_in(viewer).get(f"/admin/episodes/{lookup}").status_code == 400


FIELDS = {
    Podcast: "title slug feed_url feed_access site_url author language description image_url status",
    Source: "podcast_id slug title address reader rank may_create complete own status",
}


def change(client: Client, row: Podcast | Source, **values: str) -> None:
    there = {name.removesuffix("_id"): getattr(row, name) for name in FIELDS[type(row)].split()}
    sent = {name: str(value) for name, value in there.items() if value is not False}
    screen = reverse(f"admin:episodes_{row._meta.model_name}_change", args=(row.pk,))
    answer = client.post(screen, {**sent, **values, "_save": "1"})
    assert answer.status_code == 302, said(answer)


def test_an_administrator_decides_and_the_history_has_it(shows: None, administrator: User) -> None:
    client, podcast = logged_in(administrator), Podcast.objects.get(slug=KELP.slug)
    change(client, podcast, feed_access=FeedAccess.PUBLIC)
    assert KELP.secret in client.get("/shows.opml").getvalue().decode()
    told = Change.objects.get(verb="edit show").told
    assert told == [["feed address is", "automatic", "public"]]


def test_a_typed_password_is_stored_apart(shows: None, administrator: User, server: Loopback) -> None:
    client, source = logged_in(administrator), Source.objects.get(podcast__slug=KELP.slug)
    Podcast.objects.update(feed_access=FeedAccess.AUTOMATIC)
    change(client, source, address=f"http://eve:opal9@{server.pair}/kelp")
    source.refresh_from_db()
    assert (source.address, source.login) == (server.address("/kelp"), f"http://eve:opal9@{server.pair}")
    assert Podcast.objects.get(slug=KELP.slug).feed_access == FeedAccess.SECRET
    told = str([row.told for row in Change.objects.all()])
    assert "opal9" not in told
    assert leaks(told) == []
    assert "name and password" in told
    # Another server is not told the password.
    other = Source.objects.get(podcast__slug=TIDE.slug)
    change(client, other, address="https://elsewhere.example/feed")
    other.refresh_from_db()
    assert (other.address, other.login) == ("https://elsewhere.example/feed", "")
