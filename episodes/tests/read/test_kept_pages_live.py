"""What makes kept pages new, and what must not: told by the pages, not by how they are kept."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import time_machine
from django.conf import LazySettings, settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from episodes.gather.link_checks import record
from episodes.models import (
    Document,
    Episode,
    Image,
    ImportClaim,
    IngestRun,
    Link,
    Person,
    Podcast,
    Source,
    SourceSchedule,
    Topic,
    Transcript,
    UnsentNotice,
)
from podcast_catalog import kept_pages

# On PostgreSQL a version counts from its commit on, so these tests commit.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("catalog")]

FEED = settings.BASE_DIR / "fixtures" / "feed.xml"
LINK = "gh:pytorch/pytorch#42368"
PAGES = ("/episodes/", "/episodes/vmap/", "/topics/autograd/", "/links/", "/sources/", "/shows/")


@pytest.fixture
def reader(settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> Client:
    """A reader of a site that keeps pages and looks for changes at every request."""
    settings.PAGES_KEPT = 8
    monkeypatch.setattr(kept_pages, "LOOK_AGAIN", 0)
    return Client()


def made_anew(reader: Client, page: str) -> bool:
    """True if the page was made for this request: a kept one asks the database once at most, for the version."""
    with CaptureQueriesContext(connection) as asked:
        assert reader.get(page).status_code == 200
    return len(asked) > 1


def read(tmp_path: Path, body: bytes) -> None:
    """Import the shipped feed, as it is or a little different."""
    file = tmp_path / FEED.name
    file.write_bytes(body)
    call_command("ingest", str(file), source="snapshot", verbosity=0)


def run(outcome: str, reason: str = "", slug: str = "snapshot", *, day: int = 1, year: int = 2031) -> None:
    source = Source.objects.get(slug=slug)
    document = Document.objects.filter(source=source, kind="listing").first()
    at = datetime(year, 5, day, 8, tzinfo=UTC)
    IngestRun.objects.create(
        source=source, document=document, started_at=at, finished_at=at, outcome=outcome, reason=reason
    )


# --- What readers cannot see ----------------------------------------------------------------------------------------------


def check_a_link_again(tmp_path: Path) -> None:
    record(LINK, "there", "github.com", timezone.now())


def find_a_link_gone(tmp_path: Path) -> None:
    record(LINK, "gone", "github.com", timezone.now(), "404")


def read_the_same_feed(tmp_path: Path) -> None:
    read(tmp_path, FEED.read_bytes())


def read_a_feed_with_another_date(tmp_path: Path) -> None:
    read(tmp_path, FEED.read_bytes().replace(b"01:47:56", b"01:59:59"))


def read_without_news_on_another_day(tmp_path: Path) -> None:
    run("unchanged", day=2)


def fail_as_before(tmp_path: Path) -> None:
    run("failed", "the server did not answer", "feed", day=2)


def refuse_as_before(tmp_path: Path) -> None:
    run("refused", "no entries", "numbered-list", day=2)


def note_what_a_server_answered(tmp_path: Path) -> None:
    Document.objects.update(etag='"another"', not_before=timezone.now())


def plan_readings(tmp_path: Path) -> None:
    source = Source.objects.get(slug="feed")
    SourceSchedule.objects.update_or_create(source=source, defaults={"next_at": timezone.now(), "failures": 1})
    ImportClaim.objects.create(source=source, since=timezone.now(), name="ada")


def keep_a_notice(tmp_path: Path) -> None:
    UnsentNotice.objects.create(channel="mail", notice={}, trouble="busy", made_at=timezone.now())


def sign_somebody_in(tmp_path: Path) -> None:
    Client().force_login(User.objects.create_superuser("ada"))


def tidy(tmp_path: Path) -> None:
    call_command("tidy", verbosity=0)
    assert IngestRun.objects.filter(started_at__year=2020).count() == 1


UNSEEN = (
    check_a_link_again,
    find_a_link_gone,
    read_the_same_feed,
    read_a_feed_with_another_date,
    read_without_news_on_another_day,
    fail_as_before,
    refuse_as_before,
    note_what_a_server_answered,
    plan_readings,
    keep_a_notice,
    sign_somebody_in,
    tidy,
)


@pytest.fixture
def read_once(catalog: None, tmp_path: Path) -> None:
    """Links were checked, sources were read, failed and were refused."""
    check_a_link_again(tmp_path)
    run("unchanged", year=2020)
    run("unchanged", year=2020)
    run("failed", "the server did not answer", "feed")
    run("refused", "no entries", "numbered-list")
    run("taken")
    run("unchanged")


@pytest.mark.usefixtures("read_once")
@pytest.mark.parametrize("write", UNSEEN, ids=lambda write: write.__name__)
def test_what_readers_cannot_see_leaves_kept_pages_as_they_are(
    reader: Client, tmp_path: Path, write: Callable[[Path], None]
) -> None:
    for page in PAGES:
        reader.get(page)
    tag = reader.get("/episodes.rss").headers["ETag"]
    write(tmp_path)
    assert [page for page in PAGES if made_anew(reader, page)] == []
    assert reader.get("/episodes.rss", headers={"if-none-match": tag}).status_code == 304


# --- What readers see -----------------------------------------------------------------------------------------------------


def change_a_feed(tmp_path: Path) -> None:
    read(tmp_path, FEED.read_bytes().replace(b"What is vmap?", b"What, again, is vmap?"))


SEEN: tuple[tuple[str, str, Callable[[Path], object]], ...] = (
    ("/episodes/", "Another title", lambda _: Episode.objects.filter(number=82).update(title="Another title")),
    ("/episodes/vmap/", "What, again, is vmap?", change_a_feed),
    ("/episodes/vmap/", "Another topic", lambda _: Topic.objects.filter(slug="functorch").update(name="Another topic")),
    ("/episodes/vmap/", "we met a walrus", lambda _: _transcribe("we met a walrus")),
    ("/links/", "Another link", lambda _: Link.objects.filter(key=LINK).update(title="Another link")),
    ("/people/", "Ada Another", lambda _: Person.objects.filter(slug="horace").update(name="Ada Another")),
    ("/shows/", "Another show", lambda _: Podcast.objects.update(title="Another show")),
    ("/sources/", "Another source", lambda _: Source.objects.filter(slug="feed").update(title="Another source")),
    ("/sources/", "it fails now", lambda _: run("failed", "it fails now")),
    ("/sources/", "another reason", lambda _: run("failed", "another reason", "feed")),
    ("/sources/", "is refused now", lambda _: run("refused", "is refused now", "player-fm")),
    ("/sources/", "8 May 2031, 08:00", lambda _: run("unchanged", slug="numbered-list", day=8)),
    ("/sources/", "first failure", lambda _: run("failed", "first failure", "ezyang-blog")),
    ("/sources/", "no such image", lambda _: _break_the_cover("no such image")),
)


def _transcribe(words: str) -> None:
    Transcript.objects.create(episode=Episode.objects.get(slug="vmap"), text=words, url="", cues=[[0, "", words]])


def _break_the_cover(trouble: str) -> None:
    Podcast.objects.update(image_url="https://example.org/cover.png")
    Image.objects.create(address="https://example.org/cover.png", trouble=trouble)


@pytest.mark.usefixtures("read_once")
@pytest.mark.parametrize("page, words, write", SEEN, ids=[words for _, words, _ in SEEN])
def test_what_readers_see_shows_at_once(
    reader: Client, tmp_path: Path, page: str, words: str, write: Callable[[Path], object]
) -> None:
    assert words not in reader.get(page).content.decode()
    write(tmp_path)
    assert words in reader.get(page).content.decode()


@pytest.mark.usefixtures("read_once")
def test_when_a_source_was_last_read_is_told_a_day_later_at_the_latest(reader: Client) -> None:
    at = datetime(2031, 5, 3, 23, 30, tzinfo=UTC)
    with time_machine.travel(at, tick=False) as clock:
        assert "checked 1 May 2031" in reader.get("/episodes/vmap/").content.decode()
        run("unchanged", day=3)
        assert "checked 1 May 2031" in reader.get("/episodes/vmap/").content.decode()
        clock.shift(timedelta(minutes=30))
        assert "checked 3 May 2031" in reader.get("/episodes/vmap/").content.decode()


# --- Who gets kept pages ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cookie",
    ["unread_messages=3", "my_sessionid=x", "sessionid2=x", "a=sessionid", "a=messages", "_ga=GA1.1; x=1", "=;;", '"'],
)
def test_a_cookie_that_only_resembles_a_session_gets_kept_pages(reader: Client, cookie: str) -> None:
    reader.get("/episodes/vmap/")
    with CaptureQueriesContext(connection) as asked:
        reader.get("/episodes/vmap/", headers={"cookie": cookie})
    assert len(asked) <= 1


@pytest.mark.parametrize("cookie", ["sessionid=x", "a=b; sessionid=x", "messages=x", "messages=x; a=b"])
def test_a_session_or_a_message_gets_pages_made_anew(reader: Client, cookie: str) -> None:
    reader.get("/episodes/vmap/")
    with CaptureQueriesContext(connection) as asked:
        reader.get("/episodes/vmap/", headers={"cookie": cookie})
    assert len(asked) > 1


def test_a_session_has_the_name_that_the_settings_give_it(reader: Client, settings: LazySettings) -> None:
    settings.SESSION_COOKIE_NAME = "curator"
    reader.get("/episodes/vmap/")
    for cookie, count in (("sessionid=x", 1), ("curator=x", 2)):
        with CaptureQueriesContext(connection) as asked:
            reader.get("/episodes/vmap/", headers={"cookie": cookie})
        assert min(len(asked), 2) == count
