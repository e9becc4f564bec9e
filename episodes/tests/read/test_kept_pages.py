"""Kept pages (podcast_catalog/page_cache.py): sent again without a query, and made anew after every change that they show."""

import gzip
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from itertools import product
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any, cast
from unittest import mock

import brotli
import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core.cache import caches
from django.core.cache.backends.locmem import LocMemCache
from django.core.management import call_command
from django.db import OperationalError, connection, transaction
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.utils import timezone
from hypothesis import HealthCheck, given
from hypothesis import settings as options
from hypothesis.extra.django import TestCase
from pytest_django import DjangoAssertNumQueries

from episodes import curation
from episodes.gather import FetchRun, Unreachable, evidence, images, link_checks
from episodes.models import (
    CatalogVersion,
    CodeName,
    Document,
    Episode,
    Image,
    LearningPath,
    Link,
    Podcast,
    Source,
    Topic,
    start_new_version,
)
from episodes.resolve import background, resolve_all_waiting
from podcast_catalog import page_cache
from podcast_catalog.gateway import wsgi_text
from podcast_catalog.page_cache import CachedPages, choose_encoding, is_anonymous_read

from ..admin.conftest import at, form_of
from ..curation import test_laws as laws
from ..curation.conftest import feed, set_status, small_show, staff
from ..examples import tries
from ..ingest.conftest import run, take
from ..kept import made_once
from ..patience import PATIENCE
from ..tables import cases
from ..test_settings import read_again

CASES = cases("read_kept_pages")

pytestmark = pytest.mark.django_db
committed = pytest.mark.django_db(transaction=True)

PAGES = ("/", "/episodes/?q=dispatcher", "/episodes/vmap/", "/sources/", "/episodes.rss", "/shows.opml", "/sitemap.xml")
PAGE = "/episodes/vmap/"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    moved = SimpleNamespace(now=0.0)
    monkeypatch.setattr(page_cache, "time", SimpleNamespace(monotonic=lambda: moved.now))
    return moved


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if not shutil.which("redis-server"):
        pytest.skip("Redis is not installed (Debian: apt-get install redis-server)")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = ["redis-server", "--bind", "127.0.0.1", "--port", str(port), "--save", ""]
    folder = tmp_path_factory.mktemp("redis")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as server:
        assert any("Ready to accept connections" in line for line in server.stdout or ())
        yield f"redis://127.0.0.1:{port}/0"
        server.terminate()


@pytest.fixture
def kept_in_redis(redis_url: str, settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> None:
    """The caches of a process with `CACHE_URL`, which waits for its server on a busy machine."""
    monkeypatch.setenv("CACHE_URL", redis_url)
    found = cast(Any, read_again()["CACHES"])
    for name in page_cache.PAGE_CACHES:
        found[name]["OPTIONS"] = dict.fromkeys(found[name]["OPTIONS"], PATIENCE)
    settings.CACHES = found


@pytest.fixture(params=["memory"])
def keeping(
    request: pytest.FixtureRequest, settings: LazySettings, clock: SimpleNamespace, catalog: None
) -> SimpleNamespace:
    """Pages are kept, and time stands still."""
    if request.param == "Redis":
        request.getfixturevalue("kept_in_redis")
    settings.PAGES_KEPT = 8
    settings.ALLOWED_HOSTS = ["testserver"]
    forget()
    return clock


# Django's caches keep alike: what is written into one, read and forgotten is tried with both.
in_both = pytest.mark.parametrize("keeping", ["memory", "Redis"], indirect=True)


def forget() -> None:
    for name in page_cache.PAGE_CACHES:
        caches[name].clear()


def edit() -> None:
    Episode.objects.filter(slug="vmap").update(title="Another title")
    start_new_version()


def shows_edit(reader: Client, **headers: str) -> bool:
    return "Another title" in reader.get(PAGE, headers=headers, follow=True).content.decode()


def plain(answer: Any) -> str:
    unpack: dict[str, Callable[[bytes], bytes]] = {"br": brotli.decompress, "gzip": gzip.decompress}
    return unpack.get(answer.headers.get("Content-Encoding"), bytes)(answer.content).decode()


@pytest.mark.parametrize("address", [*PAGES, "/episodes/no-such-episode/"])
def test_kept_page_is_the_page_made(
    keeping: object, settings: LazySettings, address: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    reader = Client()
    encodings = {"": "", "gzip, deflate, br": "br", "gzip": "gzip"}
    first = {taken: reader.get(address, headers={"accept-encoding": taken}) for taken in encodings}
    with django_assert_num_queries(0):
        second = {taken: reader.get(address, headers={"accept-encoding": taken}) for taken in encodings}
        head = reader.head(address)
    settings.PAGES_KEPT = 0
    made = Client().get(address)
    assert second[""].content == made.content
    if "ETag" in made.headers:
        made.headers["ETag"] = f"W/{made.headers['ETag'].removeprefix('W/')}"
    assert (second[""].status_code, second[""].headers, head.headers) == (made.status_code, made.headers, made.headers)
    assert brotli.decompress(second["gzip, deflate, br"].content) == made.content
    assert gzip.decompress(second["gzip"].content) == made.content
    for taken, encoding in encodings.items():
        assert second[taken].headers == first[taken].headers
        assert second[taken].headers.get("Content-Encoding", "") == encoding
        assert int(second[taken].headers["Content-Length"]) == len(second[taken].content)
        assert "Accept-Encoding" in second[taken].headers["Vary"]


@in_both
@pytest.mark.parametrize("address", ["/episodes/", "/episodes.rss", "/shows.opml"])
def test_who_has_a_page_already_is_told_so(keeping: object, address: str) -> None:
    reader, tags = Client(), set()
    for accepted in ("", "br", "gzip"):
        tag = reader.get(address, headers={"accept-encoding": accepted}).headers["ETag"]
        tags.add(tag)
        for known in (tag, f'"another", {tag}', "*", tag.removeprefix("W/")):
            again = reader.get(address, headers={"accept-encoding": accepted, "if-none-match": known})
            assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
        other = reader.get(address, headers={"accept-encoding": accepted, "if-none-match": '"another"'})
        assert other.status_code == 200
    assert [tag[:3] for tag in tags] == ['W/"']


@pytest.mark.parametrize(
    "accepted, encoding",
    [
        ("", ""), ("gzip", "gzip"), ("identity", ""), ("*", ""), ("GZIP;q=0.5, BR;q=1.0", "br"), ("deflate;q=1.0,gzip", "gzip"),
        ("gzip;q=0", ""), ("br; q=0.000, gzip; q=0.01", "gzip"), ("br;q=nonsense", "br"), ("xbr, gzipped", ""), (",;,;q=0," * 50, ""),
    ],
)  # fmt: skip
def test_an_encoding_is_one_that_the_client_takes(accepted: str, encoding: str) -> None:
    assert choose_encoding(accepted) == encoding


def test_campaign_parameters_are_no_part_of_address(
    keeping: object, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    reader = Client()
    plain, filtered = reader.get("/episodes/").content, reader.get("/episodes/?year=2021").content
    added = ("utm_source", "UTM_Medium", "ref", "gclid", "fbclid", "msclkid", "dclid", "igshid", "mc_cid", "mc_eid")
    with django_assert_num_queries(0):
        for name in added:
            assert reader.get(f"/episodes/?{name}=x").content == plain
            assert reader.get(f"/episodes/?{name}=x&year=2021&utm_campaign=a%26b").content == filtered
    for name in ("refer", "utm", "mc", "clidx"):
        assert f"unknown filter “{name}”" in reader.get(f"/episodes/?{name}=x").content.decode()


@pytest.mark.parametrize("cookies, is_kept", CASES["whoever_brings_a_session_is_somebody"])
def test_whoever_brings_a_session_is_somebody(cookies: str, is_kept: bool) -> None:
    assert is_anonymous_read(RequestFactory().get("/", headers={"cookie": cookies})) == is_kept


@pytest.mark.parametrize(
    "address", ["/healthz", "/livez", "/admin/login/", "/admin/", "/34", "/sources.json", "/static/css/base.css"]
)
def test_only_good_answers_for_everybody_are_kept(
    keeping: object, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_cache, "encode_page", lambda *given: pytest.fail("kept"))
    Client().get(address)


@pytest.mark.parametrize("status, headers, is_kept", CASES["an_answer_tells_whether_it_may_be_kept"])
def test_an_answer_tells_whether_it_may_be_kept(status: int, headers: dict[str, str], is_kept: bool) -> None:
    answer = HttpResponse("x", status=status, headers=headers)
    assert page_cache.is_cacheable(answer) == is_kept
    answer.set_cookie("a", "b")
    assert not page_cache.is_cacheable(answer)


def test_error_restores_accepted_encodings_and_method() -> None:
    request = RequestFactory().head(PAGE, headers={"Accept-Encoding": "br"})

    def fail(request: object) -> HttpResponse:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        page_cache.render_unencoded(request, fail)
    assert (request.method, request.META["HTTP_ACCEPT_ENCODING"]) == ("HEAD", "br")


@pytest.mark.parametrize(
    "query, more, more_of_large, is_kept",
    [("", 0, -1, True), ("", -1, 0, True), ("", -1, -1, False), ("?topic=x", 0, -1, True), ("?topic=x", -1, 0, False)],
)
def test_too_large_page_is_made_each_time(
    keeping: object, settings: LazySettings, query: str, more: int, more_of_large: int, is_kept: bool
) -> None:
    size = len(Client().get(PAGE + query, headers={"accept-encoding": "br"}).content)
    settings.PAGE_BYTES, settings.LARGE_BYTES = size + more, size + more_of_large
    forget()
    reader = Client()
    before = reader.get(PAGE + query, headers={"accept-encoding": "br"}).content
    Episode.objects.filter(slug="vmap").update(title="Another title")
    assert (reader.get(PAGE + query, headers={"accept-encoding": "br"}).content == before) == is_kept


@pytest.mark.parametrize("body, encoding, sent", [("x" * 99, "br", "br"), ("x", "br", ""), ("x" * 99, "", "")])
def test_a_page_is_sent_as_the_shorter_bytes(body: str, encoding: str, sent: str) -> None:
    page = page_cache.cached_or_not_modified_response(
        RequestFactory().get("/"), page_cache.encode_page(HttpResponse(body), encoding)
    )
    assert (page.get("Content-Encoding", ""), page["Content-Length"]) == (sent, str(len(page.content)))


@pytest.mark.parametrize("address", ["/episodes/", "/episodes.rss", "/nothing/"])
def test_headers_of_a_reader_reach_no_other(keeping: object, settings: LazySettings, address: str) -> None:
    clean = Client().get(address)
    for name, value in CASES["hostile_headers"]:
        forget()
        Client().get(address, headers={name: value})
        again = Client().get(address)
        assert (again.status_code, again.content, again.headers) == (clean.status_code, clean.content, clean.headers)


def test_every_host_and_scheme_has_its_own_pages(keeping: object, settings: LazySettings) -> None:
    settings.ALLOWED_HOSTS = ["one.example", "two.example"]
    reader = Client()
    for host in ("one.example", "two.example", "one.example", "one.example:8080"):
        assert f"http://{host}/episodes/".encode() in reader.get("/episodes/", headers={"host": host}).content
    secure = reader.get("/episodes/", headers={"host": "one.example"}, secure=True)
    assert b"https://one.example/episodes/" in secure.content
    for host in ("three.example", "one.example@evil", "", "one.example:x"):
        assert reader.get("/episodes/", headers={"host": host}).status_code == 400
    assert reader.get("/livez", headers={"host": "three.example"}).status_code == 200


def test_made_up_addresses_push_nothing_out(
    keeping: object, settings: LazySettings, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    small = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "OPTIONS": {"MAX_ENTRIES": 6}}
    settings.CACHES = {name: {**small, "LOCATION": name} for name in page_cache.PAGE_CACHES}
    settings.ALLOWED_HOSTS = ["testserver", ".example"]
    forget()
    reader = Client()
    reader.get("/about/")
    for number in range(8):
        reader.get(f"/about/?q={number}")
        reader.get(f"/nothing-{number}/")
        reader.get("/about/", headers={"host": f"host-{number}.example"})
        reader.get("/about/", headers={"host": f"testserver:{number + 1}"})
    sizes = [len(caches[name]._cache) for name in ("default", "made_up")]  # type: ignore[attr-defined]
    assert sizes[0] == 1
    assert 0 < sizes[1] <= 6
    with django_assert_num_queries(0):
        reader.get("/about/")
        reader.get("/about/", headers={"host": "testserver:8"})
    forget()


def test_page_begun_before_a_change_is_not_kept(keeping: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    def changed_meanwhile(*given: Any) -> HttpResponse:
        response = made_whole(*given)
        edit()
        return response

    made_whole = page_cache.render_unencoded
    monkeypatch.setattr(page_cache, "render_unencoded", changed_meanwhile)
    assert not shows_edit(Client())
    monkeypatch.undo()
    assert shows_edit(Client())


@pytest.mark.parametrize("address", ["/sources/", "/changes/", "/changes.rss", PAGE])
def test_pages_of_polls_last_five_minutes(keeping: object, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lasting: list[int] = []
    monkeypatch.setattr(page_cache, "call_cache_or_none", lambda name, verb, *given: lasting.extend(given[2:]))
    Client().get(address)
    assert lasting == [3_600 if address == PAGE else 300]


@in_both
def test_curator_sees_edit_before_others(keeping: SimpleNamespace) -> None:
    curator, reader, form = Client(), Client(), at(Episode.objects.get(slug="vmap"))
    keeping.now = 5.0
    assert not any(shows_edit(client) for client in (curator, reader))
    curator.force_login(staff("ada", "curator"))
    data = form_of(curator, form) | {"title": "Another title"}
    curator.post(form, data)
    assert shows_edit(curator)
    keeping.now = 5.999
    assert not shows_edit(reader)
    keeping.now = 6.0
    assert shows_edit(reader)


@in_both
def test_what_was_taken_out_is_never_sent_again(keeping: SimpleNamespace) -> None:
    def shows_it(answer: Any) -> bool:
        return "/episodes/vmap" in plain(answer).replace("simplecast.com/episodes/vmap", "")

    reader = Client()
    pages = (PAGE, "/episodes/?q=vmap", "/episodes.rss", "/episodes.json", "/sitemap-episodes.xml", "/episodes/vmap.md")
    tags = {}
    for address, encoding in product(pages, ("", "br", "gzip")):
        answer = reader.get(address, headers={"accept-encoding": encoding})
        assert shows_it(answer)
        tags[address, encoding] = answer.headers.get("ETag", "*")
    curation.withdraw_episode(staff("ada", "administrator"), Episode.objects.get(slug="vmap"), "hidden", reason="asked")
    keeping.now = 1.0
    for (address, encoding), tag in tags.items():
        for asked in ({}, {"if-none-match": tag}, {"range": "bytes=0-99"}, {}):
            headers = {"accept-encoding": encoding} | asked
            answer = reader.get(address, headers=headers)
            assert answer.status_code == (410 if address.startswith("/episodes/vmap") else 200)
            assert reader.head(address, headers=headers).status_code == answer.status_code
            assert not shows_it(answer)


def fail(*given: object) -> str:
    raise OperationalError("no connection")


def test_kept_page_outlives_the_database(keeping: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Client()
    page = reader.get(PAGE)
    assert "Warning" not in page.headers
    with monkeypatch.context() as broken:
        broken.setattr(CatalogVersion, "version_and_is_any_show_waiting", fail)
        keeping.now = 1.0
        stale = reader.get(PAGE)
    assert (stale.status_code, stale.content) == (200, page.content)
    assert stale.headers["Warning"] == '111 - "Revalidation Failed"'
    edit()
    keeping.now = 2.0
    assert shows_edit(reader)
    assert "Warning" not in reader.get(PAGE).headers


def test_unknown_version_keeps_no_page(keeping: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CatalogVersion, "version_and_is_any_show_waiting", fail)
    reader = Client()
    reader.get(PAGE)
    Episode.objects.filter(slug="vmap").update(title="Another title")
    assert shows_edit(reader)
    assert reader.get("/livez").status_code == 200


def at_hand(method: str = "GET", **headers: str) -> HttpResponse | None:
    return CachedPages().find_response_in_memory(RequestFactory().generic(method, PAGE, headers=headers).environ)


def test_page_at_hand_asks_no_database(
    keeping: SimpleNamespace, settings: LazySettings, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    settings.OBSERVERS = ["podcast_catalog.logs.log_requests"]
    page = Client().get(PAGE)
    with django_assert_num_queries(0):
        answers = [at_hand(), at_hand("HEAD"), at_hand(**{"if-none-match": page.headers["ETag"]})]
    assert [answer and answer.status_code for answer in answers] == [200, 200, 304]
    assert all(answer and answer.headers["X-Request-ID"] for answer in answers)
    keeping.now = 1.0
    assert at_hand() is None


def test_page_that_is_not_at_hand_has_the_same_address_afterwards(keeping: SimpleNamespace) -> None:
    Client().get(PAGE)
    environ = {**RequestFactory().get("/").environ, "PATH_INFO": wsgi_text("/shows/море-é/")}
    before = environ.copy()
    assert CachedPages().find_response_in_memory(environ) is None
    assert environ == before


@pytest.mark.parametrize("headers", [{"cookie": "sessionid=x"}, {"accept-encoding": "br"}, {"host": "bad_host"}])
def test_other_requests_are_not_at_hand(keeping: SimpleNamespace, headers: dict[str, str]) -> None:
    Client().get(PAGE)
    assert at_hand() is not None
    assert at_hand(**headers) is None
    assert at_hand("POST") is None


def test_pages_are_made_while_cache_fails(
    keeping: object, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    nobody = mock.Mock(side_effect=ConnectionRefusedError("nobody"))
    for verb in ("get", "set"):
        monkeypatch.setattr(LocMemCache, verb, nobody)
    answer = Client().get(PAGE, headers={"accept-encoding": "br"})
    assert (answer.status_code, answer.headers["Content-Encoding"]) == (200, "br")
    assert "the cache of pages failed: ConnectionRefusedError: nobody" in caplog.text


@pytest.fixture
def small(db: None, settings: LazySettings, tmp_path: Path) -> None:
    """The small show with both of its documents, and a path."""
    settings.MEDIA_ROOT = tmp_path
    made_once(_small)


def _small() -> None:
    small_show()
    LearningPath.objects.create(slug="first", title="First steps", steps=[])
    take("feed", feed(range(4)))
    take("other", feed(range(4), cut=True))


def ada() -> User:
    return User.objects.filter(username="ada").first() or staff("ada", "administrator")


def some() -> Episode:
    return Episode.objects.order_by("order")[0]


def large(act: Callable[[], object]) -> None:
    """The same in a show whose catalog follows later."""
    with mock.patch.object(background, "MAX_EPISODES_IN_REQUEST", 0):
        act()


def keep_image(trouble: str = "") -> None:
    fetch = mock.Mock(side_effect=Unreachable(trouble) if trouble else None, return_value=None)
    with mock.patch.object(images, "fetch", fetch):
        image, _ = Image.objects.get_or_create(address="https://example.org/a.png")
        images._fetch_and_store_image_if_changed(
            image, FetchRun("", timedelta(), timezone.now, lambda message: None), frozenset()
        )


def retitle() -> None:
    curation.override_fields(ada(), some(), {"title": "Mine"})


def renamed(save: Callable[..., object], row: Any, name: str = "title") -> None:
    setattr(row, name, "Another")
    save(ada(), row)


def loaded(folder: Path) -> None:
    (folder / "topics.json").write_text(
        '[{"model": "episodes.topic", "fields": {"slug": "new", "name": "New", "podcast": null}}]'
    )
    call_command("loaddata", str(folder / "topics.json"), verbosity=0)


def new_show(folder: Path) -> None:
    body = feed(range(20, 22)).replace(b"Small Talks", b"Great Gardens").replace(b"small-", b"great-")
    (folder / "new.xml").write_bytes(body)
    assert run(folder / "new.xml", "--url", "https://great.example/feed").code == 0


Act = Callable[[Path], object]
Acts = dict[str, tuple[Act, ...]]  # the last is what is asked about, the others come before it
take_feed = partial(take, "feed")
# By hand, so that no list of the program is asked.
SHOWN: Acts = {
    "a corrected episode": (lambda _: retitle(),),
    "a correction that was undone": (lambda _: retitle(), lambda _: curation.undo_change(ada(), curation.episode_changes(some()).latest("id"))),
    "an episode that was taken out": (lambda _: curation.withdraw_episode(ada(), some(), "hidden", reason="x"),),
    "a topic by hand": (lambda _: curation.add_list_entry(ada(), some(), "topic", "music"),),
    "a correction in a large show": (lambda _: large(retitle),),
    "a large show that caught up": (lambda _: large(retitle), lambda _: list(resolve_all_waiting())),
    "a renamed topic": (lambda _: renamed(curation.save_row, Topic.objects.get(slug="music"), "name"),),
    "a deleted topic": (lambda _: curation.delete_topic_or_path(ada(), Topic.objects.get(slug="music")),),
    "a renamed path": (lambda _: renamed(curation.save_row, LearningPath.objects.get()),),
    "a deleted path": (lambda _: curation.delete_topic_or_path(ada(), LearningPath.objects.get()),),
    "a renamed show": (lambda _: renamed(curation.save_row, Podcast.objects.get()),),
    "a renamed source": (lambda _: renamed(curation.save_row, Source.objects.get(slug="other")),),
    "a source that was removed": (lambda _: set_status(ada(), Source.objects.get(slug="other"), "removed"),),
    "a new entry": (lambda _: take_feed(feed(range(5))),),
    "changed notes": (lambda _: take_feed(feed(range(4), text=lambda n: f"Other notes of number {n}."), "--accept"),),
    "an entry that is gone": (lambda _: take_feed(feed(range(1, 4))),),
    "a new show": (new_show,),
    "topics from a file": (loaded,),
    "a rebuild": (lambda _: call_command("rebuild", verbosity=0),),
    "an upgrade": (lambda _: call_command("migrate", verbosity=0),),
    "an image that cannot be fetched": (lambda _: keep_image("gone"),),
    "another trouble of an image": (lambda _: keep_image("gone"), lambda _: keep_image("busy")),
    "an image that can be fetched again": (lambda _: keep_image("gone"), lambda _: keep_image()),
}  # fmt: skip


def failed_reading() -> None:
    source = Source.objects.get(slug="feed")
    evidence.record_run(source, None, timezone.now(), timezone.now(), "failed", "unreachable", {})


def checked(outcome: str) -> None:
    result = link_checks.LinkResult("example.org", outcome)
    link_checks.store_link_check(Link.objects.order_by("key")[0].key, result, timezone.now())


def dated_anew() -> bytes:
    return feed(range(4)).replace(b"<item>", b"<lastBuildDate>Sat, 01 Jan 2028 00:00:00 GMT</lastBuildDate><item>", 1)


UNSEEN: Acts = {
    "a feed as before": (lambda _: take_feed(feed(range(4))),),
    "a feed that is only dated anew": (lambda _: take_feed(dated_anew()),),
    "a reading that failed": (lambda _: failed_reading(),),
    "a link that is there": (lambda _: checked("there"),),
    "a link that is there again": (lambda _: checked("there"), lambda _: checked("there")),
    "a link that is gone": (lambda _: checked("gone"),),
    "an image asked for again": (lambda _: keep_image("gone"), lambda _: keep_image("gone")),
    "a document that was asked for": (lambda _: Document.objects.update(asked_at=timezone.now(), trouble="busy"),),
    "a preview": (lambda _: curation.run_and_roll_back(retitle, lambda: None),),
    "somebody new": (lambda _: staff("carla", "curator"),),
    "a login": (lambda _: Client().force_login(ada()),),
    "tidying up": (lambda _: call_command("tidy", verbosity=0),),
}  # fmt: skip


@pytest.mark.parametrize("name", [*SHOWN, *UNSEEN])
def test_only_shown_changes_raise_the_version(small: None, name: str, tmp_path: Path) -> None:
    *before, act = (SHOWN | UNSEEN)[name]
    ada()
    for each in before:
        each(tmp_path)
    version = CatalogVersion.latest()[0]
    act(tmp_path)
    assert (CatalogVersion.latest()[0] != version) is (name in SHOWN)


@pytest.mark.on_both
def test_version_never_returns_and_is_one_row(db: None) -> None:
    before = CatalogVersion.latest()[0]
    with transaction.atomic():
        start_new_version()
        assert CatalogVersion.latest()[0] != before
        transaction.set_rollback(True)
    assert CatalogVersion.latest()[0] == before
    seen = set()
    for _ in range(5):
        start_new_version()
        seen.add(CatalogVersion.latest()[0])
        assert CatalogVersion.objects.count() == 1
    assert len(seen) == 5
    row = CatalogVersion.objects.get()
    assert CatalogVersion.latest() == (row.token, row.raised_at)
    CatalogVersion.objects.create(token="b", raised_at=row.raised_at - timedelta(days=1))
    assert CatalogVersion.latest() == (f"{row.token}b", None)
    CatalogVersion.objects.all().delete()
    assert CatalogVersion.latest() == ("", None)


@committed
@pytest.mark.only_on("postgresql")
def test_slow_writer_keeps_no_other_waiting() -> None:
    def other() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '2s'")
        start_new_version()
        seen.append(CatalogVersion.latest()[0])
        connection.close()

    start_new_version()
    seen = [CatalogVersion.latest()[0]]
    with transaction.atomic():
        start_new_version()
        thread = Thread(target=other)
        thread.start()
        thread.join()
    seen.append(CatalogVersion.latest()[0])
    assert len(set(seen)) == 3
    start_new_version()
    assert CatalogVersion.objects.count() == 1


class Law(TestCase):
    @pytest.fixture(autouse=True)
    def _settings(self, settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> None:
        self.patch = monkeypatch
        settings.PAGES_KEPT = 8
        monkeypatch.setattr(page_cache, "VERSION_SECONDS", 0)

    def seen(self, headers: dict[str, str]) -> dict[str, tuple[int, bytes]]:
        addresses = [*CASES["looked_at"], *self.addresses]
        answers = {address: self.client.get(address, headers=headers) for address in addresses}
        return {address: (answer.status_code, answer.content) for address, answer in answers.items()}

    @options(max_examples=tries(2, 60), deadline=None, suppress_health_check=list(HealthCheck))
    @given(laws.STEPS)
    def test_kept_page_equals_page_made_anew(self, steps):
        forget()
        made_once(laws.Laws.import_both)
        user = staff("carla", "administrator")
        self.addresses = [row.get_absolute_url() for row in (*Episode.objects.all(), *CodeName.objects.all()[:3])]
        self.patch.setattr(background, "MAX_EPISODES_IN_REQUEST", 3_000 if steps[0][1] else 0)
        for step in steps:
            self.seen({})
            laws.decide(user, [step])
            kept = self.seen({})
            forget()
            assert self.seen({}) == kept
