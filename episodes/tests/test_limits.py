"""The share of the server that one client may use: enough for every reader, and not all of it."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core.cache import caches
from django.core.checks import run_checks
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from podcast_catalog import checks, throttling

MOMENT = datetime(2026, 6, 1, 12, 0, 20, tzinfo=UTC)


@pytest.fixture
def few(settings: LazySettings) -> Iterator[time_machine.Traveller]:
    """A client has two requests, and no time passes unless it is moved."""
    settings.CLIENT_REQUESTS, settings.PAGES_KEPT = 2, 8
    caches["clients"].clear()
    with time_machine.travel(MOMENT, tick=False) as moment:
        yield moment
    caches["clients"].clear()


@pytest.mark.usefixtures("catalog")
def test_requests_are_limited_by_the_minute(client: Client, few: time_machine.Traveller) -> None:
    def status(words: str) -> int:
        return client.get(f"/search/suggest?q={words}").status_code

    assert [status(words) for words in "abc"] == [200, 200, 429]
    few.move_to(MOMENT + timedelta(seconds=39))
    assert status("d") == 429
    few.move_to(MOMENT + timedelta(seconds=40))
    assert status("e") == 200


@pytest.mark.usefixtures("few", "catalog")
def test_refused_client_hears_when_to_return(client: Client) -> None:
    assert {client.get(f"/search/suggest?q=x{n}").status_code for n in range(2)} == {200}
    plain = ("text/plain; charset=utf-8", "Too many requests. Try again in 40 s.\n")
    page = ("text/html; charset=utf-8", "<h1>")
    forms = {"text/html,application/xhtml+xml,*/*;q=0.8": page, "*/*": plain, "image/png": plain}
    for accept, (kind, words) in forms.items():
        answer = client.get("/search/suggest?q=x", headers={"accept": accept})
        assert (answer.status_code, answer.headers["Retry-After"]) == (429, "40")
        assert (answer.headers["Content-Type"], answer.headers["Cache-Control"]) == (kind, "no-store")
        assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
        assert words in answer.content.decode()


@pytest.mark.usefixtures("few", "catalog")
def test_refused_suggestion_is_said_to_be_lost(client: Client) -> None:
    for _ in range(11):
        answer = client.post("/suggest/?episode=vmap", {}, headers={"accept": "text/html"})
    page = answer.content.decode()
    assert answer.status_code == 429
    assert "What you sent was not stored." in page
    assert "download" not in page


@pytest.mark.usefixtures("few", "catalog")
def test_kept_pages_and_probes_cost_nothing(client: Client) -> None:
    for path in ("/about/", "/about/", "/about/", "/livez", "/healthz"):
        assert client.get(path).status_code == 200
    assert client.get("/topics/").status_code == 200
    assert client.get("/people/").status_code == 429
    assert client.get("/about/").status_code == 200


@pytest.mark.usefixtures("few", "catalog")
def test_staff_are_exempt_from_limits(client: Client, django_user_model: type[User]) -> None:
    client.cookies["sessionid"] = "x" * 32
    assert [client.get("/about/").status_code for _ in range(3)] == [200, 200, 429]
    client.force_login(django_user_model.objects.create_user("editor", is_staff=True))
    assert client.get("/about/").status_code == 200


def asked(address: str, forwarded: str = "") -> HttpRequest:
    return RequestFactory(REMOTE_ADDR=address).get("/", headers={"x-forwarded-for": forwarded})


@pytest.mark.usefixtures("few", "db")
def test_check_trusted_proxies_as_logins_do(settings: LazySettings) -> None:
    settings.TRUSTED_PROXIES = 1
    middleware = throttling.limit_requests(lambda request: HttpResponse("x"))

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


def test_missing_https_is_one_warning(settings: LazySettings) -> None:
    settings.HTTPS, settings.ALLOWED_HOSTS = False, ["podcasts.example.org"]
    messages = run_checks(tags=["security"], include_deployment_checks=True)
    warnings = [message for message in messages if not message.is_silenced() and message.id != "security.W009"]
    assert [warning.id for warning in warnings] == ["catalog.W012"]
    assert "set HTTPS=on" in str(warnings[0].hint)


def test_all_visitors_as_one_client_are_warned_of(settings: LazySettings) -> None:
    settings.HTTPS, settings.TRUSTED_PROXIES = True, 0
    warnings = run_checks(tags=["security"], include_deployment_checks=True)
    (warning,) = (warning for warning in warnings if warning.id == "catalog.W004")
    assert "all visitors count as one client" in warning.msg
    settings.TRUSTED_PROXIES = 1
    assert not [*checks.check_trusted_proxies(None)]
