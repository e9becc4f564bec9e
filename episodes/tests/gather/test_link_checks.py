"""`check_links` asks what notes point to whether it is there, politely, and remembers for how long it was not."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from io import StringIO
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from episodes.gather import link_checks
from episodes.gather.fetch import FetchLimits
from episodes.gather.link_checks import find_page_title
from episodes.management.commands import check_links
from episodes.models import Episode, Link, LinkCheck, Podcast
from episodes.records import FetchedDocument
from episodes.resolve import update_catalog
from episodes.tests.loopback import Loopback, resolver

from ..curation.conftest import feed, small
from ..ingest.conftest import take
from ..tables import cases

__all__ = ["small"]

WAITED = "2021-06-01T12:00:00+00:00"
Notes = Callable[..., None]


@pytest.fixture
def web(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    """One server that is two hosts, a.test and b.test."""
    with Loopback() as server:
        settings.FETCH_ALLOW = frozenset({f"{name}:{server.port}" for name in ("a.test", "b.test")})
        limits = partial(FetchLimits, resolve_host=resolver("127.0.0.1"))
        monkeypatch.setattr(import_module("episodes.gather.fetch"), "FetchLimits", limits)
        yield server


def at(web: Loopback, path: str, host: str = "a.test") -> str:
    return f"http://{host}:{web.port}{path}"


@pytest.fixture
def now() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(WAITED, tick=False) as traveller:
        yield traveller


@pytest.fixture(autouse=True)
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    waits: list[float] = []
    monkeypatch.setattr(check_links, "sleep", waits.append)
    return waits


@pytest.fixture
def notes(small: Podcast) -> Notes:
    """Makes a show whose episodes' notes point to these addresses, one each."""

    def write(*addresses: str) -> None:
        text = lambda n: f"Episode {n} has notes of its own, which point somewhere: {addresses[n]} (worth reading)."  # noqa: E731
        take("feed", feed(range(len(addresses)), text=text))

    return write


def check(*arguments: object) -> str:
    out, err = StringIO(), StringIO()
    call_command("check_links", *map(str, arguments), stdout=out, stderr=err)
    assert err.getvalue() == ""
    return out.getvalue().rstrip("\n")


def state(address: str) -> tuple[str, int]:
    row = LinkCheck.objects.get(key=address)
    return row.outcome, row.failures


def in_trouble() -> list[str]:
    return list(LinkCheck.objects.in_trouble().values_list("key", flat=True))


def test_every_link_is_asked_once(web: Loopback, notes: Notes) -> None:
    web.routes |= {"/a": (200, {}, b""), "/b": (500, {}, b"")}
    a, b, c = (at(web, f"/{name}") for name in "abc")
    notes(a, b, c)
    assert check() == "3 links checked: 1 ok, 1 gone, 1 unreachable; 0 still due"
    assert sorted(request.path for request in web.requests) == ["/a", "/b", "/c"]
    assert [state(address) for address in (a, b, c)] == [("there", 0), ("unreached", 1), ("gone", 1)]
    assert LinkCheck.objects.get(key=b).note == f"{b} answered 500 Internal Server Error"
    assert LinkCheck.objects.get(key=c).note == f"{c} answered 404 Not Found"


def test_private_address_is_never_asked(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_checks, "probe_final_page", lambda *_, **__: pytest.fail("asked"))
    notes("http://192.168.1.10/a", "http://localhost/b", "http://[fd00::1]/c")
    assert check().startswith("0 links checked")


def test_what_was_asked_lately_is_not_asked_again(web: Loopback, notes: Notes, now: time_machine.Traveller) -> None:
    web.routes["/a"] = (200, {}, b"")
    notes(at(web, "/a"))
    assert check().startswith("1 link checked")
    now.move_to("2021-06-20T12:00:00+00:00")
    assert check().startswith("0 links checked")
    assert check("--older-than", 7).startswith("1 link checked")
    now.move_to("2021-07-20T12:00:00+00:00")
    assert check().startswith("1 link checked")
    assert check("--older-than", 0).startswith("1 link checked")
    assert len(web.requests) == 4


def test_limit_leaves_rest_for_next_run(web: Loopback, notes: Notes) -> None:
    web.routes |= {f"/{n}": (200, {}, b"") for n in range(5)}
    notes(*(at(web, f"/{n}") for n in range(5)))
    assert check("--limit", 2) == "2 links checked: 2 ok, 0 gone, 0 unreachable; 3 still due"
    assert check("--limit", 2) == "2 links checked: 2 ok, 0 gone, 0 unreachable; 1 still due"
    assert check("--limit", 2) == "1 link checked: 1 ok, 0 gone, 0 unreachable; 0 still due"
    assert len({request.path for request in web.requests}) == 5


def test_the_longest_not_asked_come_first(web: Loopback, notes: Notes, now: time_machine.Traveller) -> None:
    notes(*(at(web, f"/{n}") for n in range(3)))
    for n in (2, 0, 1):
        LinkCheck.objects.create(key=at(web, f"/{n}"), outcome="there", asked_at=f"2021-05-0{3 - n}T12:00:00+00:00")
    LinkCheck.objects.get(key=at(web, "/0")).delete()
    check("--older-than", 1)
    assert [request.path for request in web.requests] == ["/0", "/2", "/1"]


def test_unreachable_link_is_trouble_third_time(web: Loopback, notes: Notes, now: time_machine.Traveller) -> None:
    a = at(web, "/a")
    web.routes["/a"] = (503, {}, b"")
    notes(a)
    for day, expected in ((1, []), (2, []), (3, [a]), (4, [a])):
        now.move_to(f"2021-06-0{day}T12:00:00+00:00")
        check("--older-than", 0)
        assert in_trouble() == expected
    row = LinkCheck.objects.get()
    assert (row.failures, f"{row.failing_since:%d}", f"{row.asked_at:%d}") == (4, "01", "04")


@pytest.mark.parametrize("status, is_gone", [(404, True), (410, True), (401, False), (403, False), (405, False)])
def test_status_tells_whether_a_link_is_gone(web: Loopback, notes: Notes, status: int, is_gone: bool) -> None:
    a = at(web, "/a")
    web.routes["/a"] = (status, {}, b"")
    notes(a)
    assert ("0 ok, 1 gone" if is_gone else "1 ok, 0 gone") in check()
    assert in_trouble() == [a] * is_gone
    assert str(status) in LinkCheck.objects.get().note


def test_one_success_ends_the_row_of_failures(web: Loopback, notes: Notes) -> None:
    a = at(web, "/a")
    notes(a)
    for status, expected in ((500, 1), (500, 2), (200, 0), (500, 1), (404, 2), (200, 0)):
        web.routes["/a"] = (status, {}, b"")
        check("--older-than", 0)
        assert state(a)[1] == expected
    assert in_trouble() == []
    row = LinkCheck.objects.get()
    assert (row.failing_since, row.note) == (None, "")


def test_refused_and_private_links_are_unreachable(web: Loopback, notes: Notes, settings: Any) -> None:
    with Loopback() as other:
        off = at(other, "/a")
    settings.FETCH_ALLOW |= {f"a.test:{other.port}"}
    notes(off, "http://c.test/secret", at(web, "/a"))
    web.routes["/a"] = (302, {"Location": "http://127.0.0.1:80/"}, b"")
    assert check() == "3 links checked: 0 ok, 0 gone, 3 unreachable; 0 still due"
    assert "connection refused" in LinkCheck.objects.get(key=off).note
    assert "not on the public internet" in LinkCheck.objects.get(key="https://c.test/secret").note
    assert "redirected from" in LinkCheck.objects.get(key=at(web, "/a")).note


def test_a_pause_follows_each_request(web: Loopback, notes: Notes, slept: list[float]) -> None:
    notes(at(web, "/1"), at(web, "/2"), at(web, "/3", "b.test"))
    check()
    assert [request.path for request in web.requests] == ["/1", "/2", "/3"]
    assert slept == [link_checks.PAUSE] * 3


def test_retry_after_pauses_a_host(web: Loopback, notes: Notes, now: time_machine.Traveller) -> None:
    here, there = at(web, ""), at(web, "", "b.test")
    web.routes |= {"/1": (429, {"Retry-After": "86400"}, b""), "/2": (200, {}, b""), "/3": (200, {}, b"")}
    notes(f"{here}/1", f"{here}/2", f"{there}/3")
    assert check() == "2 links checked: 1 ok, 0 gone, 1 unreachable; 1 still due"
    now.move_to("2021-06-02T11:59:00+00:00")
    assert check("--older-than", 0) == "1 link checked: 1 ok, 0 gone, 0 unreachable; 2 still due"
    assert "/2" not in {request.path for request in web.requests}
    now.move_to("2021-06-02T12:01:00+00:00")
    assert check() == "1 link checked: 1 ok, 0 gone, 0 unreachable; 0 still due"


def test_busy_host_behind_redirect_pauses(web: Loopback, notes: Notes, now: time_machine.Traveller) -> None:
    here, there = at(web, ""), at(web, "", "b.test")
    busy = (503, {"Retry-After": "172800"}, b"")
    web.routes |= {"/1": (302, {"Location": f"{there}/busy"}, b""), "/busy": busy, "/2": (200, {}, b"")}
    notes(f"{here}/1", f"{here}/2", f"{there}/3")
    assert check() == "1 link checked: 0 ok, 0 gone, 1 unreachable; 2 still due"
    assert LinkCheck.objects.get(key=f"{here}/1").host == "b.test"
    now.move_to("2021-06-02T12:00:00+00:00")
    assert check() == "1 link checked: 1 ok, 0 gone, 0 unreachable; 1 still due"
    assert [request.path for request in web.requests] == ["/1", "/busy", "/2"]


def test_first_published_address_is_asked(web: Loopback, notes: Notes) -> None:
    web.routes |= {"/a?utm_source=old": (200, {}, b""), "/a": (200, {}, b"")}
    old, new = at(web, "/a?utm_source=old"), at(web, "/a")
    notes(old, new)
    assert Link.objects.count() == 1
    assert check() == "1 link checked: 1 ok, 0 gone, 0 unreachable; 0 still due"
    assert [request.path for request in web.requests] == ["/a?utm_source=old"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--limit", "0"),
        ("--limit", "-1"),
        ("--limit", "x"),
        ("--older-than", "-1"),
        ("--older-than", "99999999999"),
        ("--older-than", "000000000099999"),
    ],
)
def test_wrong_usage_is_told(db: None, arguments: tuple[str, str]) -> None:
    with pytest.raises(CommandError, match=r"is not a whole number from|expected one argument"):
        check(*arguments)


PAGE = "<!doctype html><html><head>{}</head><body><p>Much else.</p></body></html>"


@pytest.mark.parametrize("head, key, title", cases("gather_link_checks")["titles_of_pages"])
def test_title_of_page_leaves_its_site(head: str, key: str, title: str) -> None:
    page = FetchedDocument(PAGE.format(head).encode(), "https://a.test/x", "text/html")
    assert find_page_title(page, key) == title


def test_hostile_page_has_no_title() -> None:
    page = FetchedDocument(b"<title>Tea</title>" + b"<p><div>" * 60_000, "https://a.test/x", "text/html")
    assert find_page_title(page, "https://a.test/x") == ""


HTML = {"Content-Type": "text/html"}


def test_titles_name_links_until_edited(
    web: Loopback, notes: Notes, small: Podcast, client: Client, now: time_machine.Traveller, settings: Any
) -> None:
    a, b, c = at(web, "/a"), at(web, "/b"), at(web, "/c")
    told = gzip.compress(PAGE.format("<title>The hiss of tape</title>").encode()) + b"cut"
    web.routes |= {
        "/a": (200, {**HTML, "Content-Encoding": "gzip"}, told), "/b": (302, {"Location": "/login"}, b""),
        "/login": (200, HTML, PAGE.format("<title>Log in</title>").encode()),
        "/c": (200, {"Content-Type": "audio/mpeg"}, PAGE.format("<title>Not a page</title>").encode()),
    }  # fmt: skip
    notes(a, b, c)
    assert check() == "3 links checked: 3 ok, 0 gone, 0 unreachable; 0 still due"
    assert not LinkCheck.objects.exclude(title="").exists()
    settings.LINK_TITLES = True
    assert check("--older-than", 0) == "3 links checked: 3 ok, 0 gone, 0 unreachable; 0 still due; 1 title"
    row = LinkCheck.objects.get(key=a)
    assert (row.title, row.titled_at and row.titled_at.isoformat()) == ("The hiss of tape", WAITED)
    link, episode = Link.objects.get(key=a), Episode.objects.get(mentions__link__key=a)
    for address in ("/links/", link.get_absolute_url(), episode.get_absolute_url()):
        assert "The hiss of tape" in client.get(address).content.decode(), address
    page = client.get(link.get_absolute_url()).content.decode()
    assert "title of the page on 1 June 2021" in " ".join(page.split())
    web.routes["/a"] = (200, HTML, b"")
    check("--older-than", 0)
    update_catalog(small)
    link.refresh_from_db()
    assert link.title == "The hiss of tape"
    assert set(Link.objects.exclude(key=a).values_list("title", flat=True)) == {""}
