"""What one client may use of the server: enough for every reader, and not all of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from podcast_catalog import checks, limits
from podcast_catalog.limits import Budgets


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_requests_are_limited_and_come_back_with_time() -> None:
    clock = Clock()
    budgets = Budgets(60, 0, clock)
    for _ in range(120):  # two minutes' worth
        assert budgets.wait("a") == 0
        budgets.spend("a", 99)
    assert budgets.wait("a") == 1
    assert budgets.wait("b") == 0
    clock.now = 1
    assert budgets.wait("a") == 0


def test_one_long_answer_costs_as_much_as_many_short_ones() -> None:
    clock = Clock()
    long, short = Budgets(0, 30, clock), Budgets(0, 30, clock)
    long.spend("a", 75)
    for _ in range(750):
        short.spend("a", 0.1)
    assert long.wait("a") == pytest.approx(30)
    assert short.wait("a") == pytest.approx(30)
    clock.now = 30
    assert long.wait("a") == pytest.approx(0)


def test_whoever_asks_one_thing_after_another_is_never_refused_however_slow_the_server_is() -> None:
    clock = Clock()
    budgets = Budgets(6_000, 60, clock)  # as shipped
    for _ in range(1_000):
        assert budgets.wait("a") == 0
        clock.now += 7
        budgets.spend("a", 7)


def test_a_client_that_rests_saves_no_more_than_two_minutes() -> None:
    clock = Clock()
    budgets = Budgets(60, 30, clock)
    budgets.spend("a", 1)
    clock.now = 1e6
    assert budgets.wait("a") == 0
    assert (budgets.clients["a"].requests, budgets.clients["a"].seconds) == (120, 60)


def test_strangers_cannot_fill_the_memory_with_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_CLIENTS", 3)
    budgets = Budgets(60, 30, Clock())
    for client in "abcda":
        budgets.wait(client)
    assert list(budgets.clients) == ["c", "d", "a"]


@pytest.fixture
def few(settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client has two requests, and no time passes."""
    monkeypatch.setattr(limits, "Budgets", partial(Budgets, clock=Clock()))
    settings.CLIENT_REQUESTS, settings.CLIENT_SECONDS, settings.PAGES_KEPT = 1, 0, 8


FORMS: list[tuple[str, str, Callable[[str], object]]] = [
    ("text/html,application/xhtml+xml,*/*;q=0.8", "text/html; charset=utf-8", lambda body: "<h1>" in body),
    ("application/json", "application/json", lambda body: json.loads(body)["retry_after"] == 60),
    ("*/*", "text/plain; charset=utf-8", lambda body: body == "Too many requests. Try again in 60 s.\n"),
    ("image/png", "text/plain; charset=utf-8", lambda body: body == "Too many requests. Try again in 60 s.\n"),
]


@pytest.mark.usefixtures("few", "catalog")
@pytest.mark.parametrize("accept, kind, is_good", FORMS)
def test_who_asks_too_often_is_told_when_to_come_back(
    client: Client, accept: str, kind: str, is_good: Callable[[str], object]
) -> None:
    told = {client.get(f"/search/suggest?q=x{n}").status_code for n in range(2)}
    assert told == {200}
    answer = client.get("/search/suggest?q=x", headers={"accept": accept})
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "60")
    assert answer.headers["Content-Type"] == kind
    assert answer.headers["Cache-Control"] == "no-store"
    assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
    assert is_good(answer.content.decode())


@pytest.mark.usefixtures("few", "catalog")
def test_kept_pages_and_probes_cost_nothing(client: Client) -> None:
    for path in ("/about/", "/about/", "/about/", "/livez", "/healthz"):
        assert client.get(path).status_code == 200
    assert client.get("/topics/").status_code == 200
    assert client.get("/people/").status_code == 429
    assert client.get("/about/").status_code == 200


@pytest.mark.usefixtures("few", "catalog")
def test_staff_are_exempt_and_a_made_up_session_is_not(client: Client, django_user_model: type[User]) -> None:
    client.cookies["sessionid"] = "x" * 32
    assert [client.get("/about/").status_code for _ in range(3)] == [200, 200, 429]
    client.force_login(django_user_model.objects.create_user("editor", is_staff=True))
    assert client.get("/about/").status_code == 200


def asked(address: str, forwarded: str = "") -> HttpRequest:
    return RequestFactory(REMOTE_ADDR=address).get("/", headers={"x-forwarded-for": forwarded})


@pytest.mark.usefixtures("few", "db")
def test_clients_are_told_apart_as_logins_do(settings: LazySettings) -> None:
    settings.TRUSTED_PROXIES = 1
    middleware = limits.limits(lambda request: HttpResponse("x"))

    def status(request: HttpRequest) -> int:
        request.user = User()
        return middleware(request).status_code

    both = [asked("10.0.0.1", "203.0.113.9, 198.51.100.7"), asked("10.0.0.1", "203.0.113.1, 198.51.100.7")]
    assert [status(request) for request in (*both, *both)] == [200, 200, 429, 429]
    assert status(asked("10.0.0.1", "198.51.100.8")) == 200
    assert [status(asked("10.0.0.1")) for _ in range(3)] == [200, 200, 429]  # the connection's own
    with_port = [asked("10.0.0.1", f"198.51.100.9:{port}") for port in (4430, 4431, 4432)]
    assert [status(request) for request in with_port] == [200, 200, 429]
    assert [status(asked("")) for _ in range(3)] == [200, 200, 429]  # a socket of Unix


def test_all_visitors_as_one_client_are_warned_of(settings: LazySettings) -> None:
    settings.HTTPS, settings.TRUSTED_PROXIES = True, 0
    (warning,) = checks.clients_are_told_apart(None)
    assert "all visitors count as one client" in warning.msg
    settings.TRUSTED_PROXIES = 1
    assert checks.clients_are_told_apart(None) == []
