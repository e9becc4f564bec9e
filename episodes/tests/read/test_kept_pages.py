"""Pages kept whole (podcast_catalog/kept_pages.py): sent again without a query, made again when the catalog changes."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import partial
from threading import Thread
from types import SimpleNamespace

import brotli
import pytest
from django.apps import apps
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection, models, transaction
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from episodes.gather.link_checks import record
from episodes.models import CatalogVersion, Episode, IngestRun, Link, Podcast, VersionRaised
from episodes.models.version import UNSEEN
from podcast_catalog import kept_pages
from podcast_catalog.kept_pages import KeptPage, KeptPages, preferred

# On PostgreSQL a version counts from its commit on, so these tests commit.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("catalog")]

PAGES = (
    "/", "/episodes/", "/episodes/?q=dispatcher", "/episodes/?topic=autograd&page=1", "/episodes/vmap/", "/topics/",
    "/topics/autograd/", "/links/", "/timeline/", "/people/", "/sources/", "/about/", "/episodes.rss", "/episodes.json",
    "/topics/autograd.rss", "/shows.opml", "/sitemap.xml",
)  # fmt: skip


@pytest.fixture
def keeping(settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Pages are kept, and the version is looked up for every request."""
    settings.PAGES_KEPT = 8
    monkeypatch.setattr(kept_pages, "LOOK_AGAIN", 0)
    return lambda seconds: monkeypatch.setattr(kept_pages, "LOOK_AGAIN", seconds)


@pytest.mark.parametrize("address", PAGES)
def test_a_kept_page_is_the_page_that_was_made(
    keeping: Callable[[float], None],
    settings: LazySettings,
    address: str,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    keeping(60)
    reader = Client()
    first = reader.get(address)
    with django_assert_num_queries(0):
        second = reader.get(address)
        packed = reader.get(address, headers={"accept-encoding": "gzip, deflate, br"})
        older = reader.get(address, headers={"accept-encoding": "gzip"})
        known = reader.get(address, headers={"if-none-match": first.headers["ETag"]})
        head = reader.head(address)
    settings.PAGES_KEPT = 0
    made = Client().get(address)
    for answer in (first, second):
        assert (answer.status_code, answer.content) == (200, made.content)
        assert answer.headers == made.headers
    assert brotli.decompress(packed.content) == made.content
    assert gzip.decompress(older.content) == made.content
    assert (packed.headers["Content-Encoding"], older.headers["Content-Encoding"]) == ("br", "gzip")
    assert int(packed.headers["Content-Length"]) == len(packed.content)
    assert (known.status_code, known.content) == (304, b"")
    assert head.headers == first.headers


def test_an_edit_shows_at_once(keeping: object) -> None:
    reader = Client()
    tag = reader.get("/episodes/vmap/").headers["ETag"]
    Episode.objects.filter(slug="vmap").update(title="Another title")
    again = reader.get("/episodes/vmap/", headers={"if-none-match": tag})
    assert again.status_code == 200
    assert "Another title" in again.content.decode()


def test_another_process_sees_an_edit_within_a_second(
    keeping: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    keeping(1)
    reader, seen, clock = Client(), [], SimpleNamespace()
    monkeypatch.setattr(kept_pages, "time", clock)
    for seconds in (0, 0.99, 1):  # the first of them before the edit
        clock.monotonic = partial(float, seconds)
        seen.append("Another title" in reader.get("/episodes/vmap/").content.decode())
        Episode.objects.filter(slug="vmap").update(title="Another title")
    assert seen == [False, False, True]


def test_whoever_is_signed_in_gets_pages_made_anew(keeping: Callable[[float], None]) -> None:
    keeping(60)
    Client().get("/episodes/vmap/")
    curator = Client()
    curator.force_login(User.objects.create_superuser("ada"))
    Episode.objects.filter(slug="vmap").update(title="Another title")
    assert "Another title" in curator.get("/episodes/vmap/").content.decode()


@pytest.mark.parametrize("address", ["/episodes/no-such-episode/", "/healthz", "/admin/login/", "/34"])
def test_only_good_answers_for_everybody_are_kept(
    keeping: Callable[[float], None], address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeping(60)
    monkeypatch.setattr(KeptPages, "keep", lambda *args: pytest.fail("kept"))
    Client().get(address)


def test_an_answer_that_is_not_kept_is_compressed_too(keeping: object) -> None:
    answer = Client().get("/episodes/no-such-episode/", headers={"accept-encoding": "gzip"})
    assert (answer.status_code, answer.headers["Content-Encoding"]) == (404, "gzip")


def test_every_host_and_scheme_has_pages_of_its_own(keeping: object, settings: LazySettings) -> None:
    settings.ALLOWED_HOSTS = ["one.example", "two.example"]
    reader = Client()
    for host in ("one.example", "two.example", "one.example"):
        assert f"http://{host}/episodes/".encode() in reader.get("/episodes/", headers={"host": host}).content
    assert reader.get("/episodes/", headers={"host": "three.example"}).status_code == 400
    assert (
        b"https://one.example/episodes/"
        in reader.get("/episodes/", headers={"host": "one.example"}, secure=True).content
    )


def test_made_up_addresses_and_hosts_push_nothing_else_out() -> None:
    pages = KeptPages(100_000)
    page = KeptPage(_answer(b"x" * 1000))
    pages.keep(("http", "here", "/episodes/vmap/"), page, "")
    for n in range(1000):
        pages.keep(("http", "here", f"/episodes/?q={n}"), page, "")
        pages.keep(("http", f"host-{n}", "/episodes/"), page, "")
    assert pages.get(("http", "here", "/episodes/vmap/")) is page
    assert sum(kind.bytes for kind in pages.pages.values()) <= 100_000
    assert len(pages.hosts) == kept_pages.MOST_HOSTS


def test_the_page_that_was_not_asked_for_longest_goes_first() -> None:
    pages = KeptPages(10_000)
    page = KeptPage(_answer(b"x" * 1000))
    for name in "abcd":
        if name == "d":
            pages.get(("http", "here", "/a"))
        pages.keep(("http", "here", f"/{name}"), page, "")
    assert [bool(pages.get(("http", "here", f"/{name}"))) for name in "abcd"] == [True, False, True, True]


def test_a_page_that_was_begun_before_a_change_is_not_kept_as_the_new_one() -> None:
    pages = KeptPages(10_000)
    pages.keep(("http", "here", "/a"), KeptPage(_answer(b"old")), "an earlier version")
    assert pages.get(("http", "here", "/a")) is None


@pytest.mark.parametrize(
    "accepted, encoding",
    [
        ("", ""),
        ("gzip", "gzip"),
        ("br;q=0, gzip", "gzip"),
        ("GZIP;q=0.5, BR;q=1.0", "br"),
        ("identity", ""),
        ("br;q=0.0", ""),
    ],
)
def test_an_encoding_is_one_that_the_client_takes(accepted: str, encoding: str) -> None:
    assert preferred(accepted) == encoding


def watched() -> list[type[models.Model]]:
    found = apps.get_app_config("episodes").get_models(include_auto_created=True)
    # An import counts by what came of it (test_kept_pages_live.py).
    unseen = {*UNSEEN, IngestRun._meta.db_table}
    return [model for model in found if model._meta.managed and model._meta.db_table not in unseen]


@pytest.mark.parametrize("model", watched(), ids=lambda model: model.__name__)
def test_every_table_that_pages_show_raises_the_version(model: type[models.Model]) -> None:
    if connection.vendor == "sqlite":
        ask = "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND tbl_name = %s AND name LIKE 'version_%%'"
    else:
        ask = "SELECT count(*) FROM pg_trigger WHERE tgrelid = %s::regclass AND tgname LIKE 'version_%%'"
    with connection.cursor() as cursor:
        cursor.execute(ask, [model._meta.db_table])
        assert cursor.fetchone() == (3,)


def test_rows_that_come_change_or_go_raise_the_version() -> None:
    versions = [CatalogVersion.current()]
    link = Link.objects.create(key="https://example.org/", kind="other")
    versions.append(CatalogVersion.current())
    Link.objects.filter(pk=link.pk).update(title="A page")
    versions.append(CatalogVersion.current())
    link.delete()
    versions.append(CatalogVersion.current())
    assert len(set(versions)) == 4
    assert not VersionRaised.objects.exists()


def test_an_upgrade_raises_the_version() -> None:
    before = CatalogVersion.current()
    call_command("migrate", verbosity=0)
    assert CatalogVersion.current() != before


def test_a_downgrade_leaves_no_trigger_behind() -> None:
    call_command("migrate", "episodes", "0018", verbosity=0)
    try:
        with connection.cursor() as cursor:  # the tables are older than the models
            cursor.execute("UPDATE episodes_link SET title = 'A page'")
            cursor.execute("UPDATE episodes_episode SET number = 1")
    finally:
        call_command("migrate", verbosity=0)
    assert CatalogVersion.current()


def test_an_upgrade_leaves_no_trigger_behind_on_what_readers_do_not_see() -> None:
    former = {
        "sqlite": "CREATE TRIGGER version_episodes_linkcheck_insert AFTER INSERT ON episodes_linkcheck "
        "BEGIN UPDATE episodes_catalogversion SET token = hex(randomblob(16)); END",
        "postgresql": "CREATE TRIGGER version_insert AFTER INSERT ON episodes_linkcheck "
        "FOR EACH ROW EXECUTE FUNCTION episodes_raise_version()",
    }
    call_command("migrate", "episodes", "0036", verbosity=0)
    try:
        with connection.cursor() as cursor:
            cursor.execute(former[connection.vendor])
        before = CatalogVersion.current()
        record("https://example.org/1", "there", "example.org", timezone.now())
        assert CatalogVersion.current() != before
    finally:
        call_command("migrate", verbosity=0)
    before = CatalogVersion.current()
    record("https://example.org/2", "there", "example.org", timezone.now())
    assert CatalogVersion.current() == before


def test_what_is_rolled_back_raises_nothing() -> None:
    before = CatalogVersion.current()
    with transaction.atomic():
        Podcast.objects.update(title="Another name")
        transaction.set_rollback(True)
    assert CatalogVersion.current() == before


def test_what_follows_a_savepoint_that_was_rolled_back_raises_the_version() -> None:
    before = CatalogVersion.current()
    with transaction.atomic():
        with transaction.atomic():
            Podcast.objects.update(title="Another name")
            transaction.set_rollback(True)
        Podcast.objects.update(title="A third name")
    assert CatalogVersion.current() != before


@pytest.mark.only_on("postgresql")
def test_a_writer_that_takes_long_keeps_no_other_waiting() -> None:
    def other() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '2s'")
        Link.objects.filter(pk=Link.objects.order_by("pk").values("pk")[:1]).update(title="By another")
        done.append(CatalogVersion.current())
        connection.close()

    done: list[str] = []
    with transaction.atomic():
        Podcast.objects.update(title="Another name")
        thread = Thread(target=other)
        thread.start()
        thread.join()
    assert done
    assert CatalogVersion.current() not in done


def _answer(body: bytes) -> HttpResponse:
    return HttpResponse(body)
