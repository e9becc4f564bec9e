"""Logins cannot be guessed: who fails too often has to wait, whether the account exists or not."""

from __future__ import annotations

import os
import subprocess
import sys
from io import StringIO
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

import pytest
import time_machine
from axes.models import AccessAttempt
from django.conf import settings as configured
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client, RequestFactory, override_settings
from hypothesis import given
from hypothesis import strategies as st

from podcast_catalog.logins import PEOPLE, client_address

from .conftest import logged_in, said

LIMIT = 10  # docs/security.md promises it
HOME, ELSEWHERE = "203.0.113.7", "198.51.100.9"
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def root(settings: Any) -> User:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    return User.objects.create_superuser("root", "", "right")


def login(password: str, name: str = "root", address: str = HOME, **headers: Any) -> Any:
    """The answer to a login; 302 is a success."""
    data = {"username": name, "password": password, "next": "/admin/"}
    return Client(REMOTE_ADDR=address, **headers).post("/admin/login/", data)


def fail(times: int, **who: str) -> Any:
    return [login("wrong", **who) for _ in range(times)][-1]


def test_after_ten_failures_the_right_password_does_not_help_either() -> None:
    assert fail(LIMIT - 1).status_code == 200
    assert fail(1).status_code == 429
    answer = login("right")
    assert answer.status_code == 429
    assert 800 < int(answer["Retry-After"]) <= 900
    assert "in 15 minutes" in said(answer)
    assert answer["X-Frame-Options"] == "DENY"


def test_another_browser_is_no_way_around_it() -> None:
    for n in range(LIMIT):
        login("wrong", HTTP_USER_AGENT=f"browser {n}")
    assert login("right").status_code == 429


def test_waiting_helps_and_trying_meanwhile_does_not_make_it_longer() -> None:
    with time_machine.travel("2026-03-01T12:00:00Z", tick=False) as now:
        fail(LIMIT)
        now.move_to("2026-03-01T12:14:00Z")
        answer = login("right")
        assert (answer.status_code, answer["Retry-After"]) == (429, "60")
        assert "in 1 minute, after 12:15:00 UTC" in said(answer)
        now.move_to("2026-03-01T12:15:01Z")
        assert login("right").status_code == 302


def test_a_success_begins_the_count_anew() -> None:
    for _ in range(3):
        fail(LIMIT - 1)
        assert login("right").status_code == 302


def test_an_account_is_locked_for_the_address_that_failed_alone() -> None:
    fail(LIMIT)
    assert login("right", address=ELSEWHERE).status_code == 302
    assert logged_in(User.objects.get()).get("/admin/").status_code == 200


def test_an_address_that_tries_many_names_has_to_wait_as_well() -> None:
    for n in range(PEOPLE * LIMIT):
        assert login("right").status_code == 302
        login("wrong", f"somebody{n}")
    assert login("right").status_code == 429
    assert login("right", address=ELSEWHERE).status_code == 302


def test_nothing_tells_an_account_that_exists_from_one_that_does_not() -> None:
    with time_machine.travel("2026-03-01T12:00:00Z", tick=False):
        there = [login("wrong") for _ in range(LIMIT + 1)]
        not_there = [login("wrong", "nobody") for _ in range(LIMIT + 1)]
    assert [answer.status_code for answer in there] == [answer.status_code for answer in not_there]
    assert said(there[-1]) == said(not_there[-1])
    assert there[-1].headers == not_there[-1].headers


def test_an_administrator_unlocks_an_account_on_the_command_line() -> None:
    fail(LIMIT)
    call_command("axes_reset_username", "root", stdout=StringIO())
    assert login("right").status_code == 302


@pytest.mark.parametrize("name", ["root\0", "x" * 10_000, "", "ro\not", "\u202eroot", "💥"])
def test_odd_names_break_nothing(name: str) -> None:
    odd = {"HTTP_USER_AGENT": "é" * 5000, "HTTP_ACCEPT": "x" * 9000, "HTTP_X_FORWARDED_FOR": "\0, nonsense"}
    for address in (HOME, "", "unix:", "fe80::1%eth0"):
        assert login("wrong", name, address, **odd).status_code in (200, 429)


@pytest.mark.parametrize("who", [{"name": "x" * 5_000}, {"password": "x" * 400_000}])
def test_what_nobody_can_have_typed_is_refused_without_being_hashed(
    who: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed: list[str] = []
    monkeypatch.setattr(User, "set_password", lambda self, password: hashed.append(password))
    login(**{"password": "wrong", "name": "nobody"})
    assert hashed == ["wrong"]  # so that nothing tells that there is no such account
    assert login(**{"password": "wrong", "name": "nobody"} | who).status_code == 200
    assert hashed == ["wrong"]


def test_failures_are_forgotten_after_the_wait_and_hold_no_password() -> None:
    with time_machine.travel("2026-03-01T12:00:00Z", tick=False) as now:
        login("s3cret-typo")
        (row,) = AccessAttempt.objects.all()
        assert "s3cret" not in f"{row.get_data}{row.post_data}{row.path_info}"
        now.move_to("2026-03-01T12:15:01Z")
        login("wrong", "other")
        assert [row.username for row in AccessAttempt.objects.all()] == ["other"]


@pytest.mark.parametrize(
    "proxies, forwarded, expected",
    [
        (0, "", HOME),
        (0, ELSEWHERE, HOME),
        (1, ELSEWHERE, ELSEWHERE),
        (1, f"1.1.1.1, {ELSEWHERE}", ELSEWHERE),
        (2, f"1.1.1.1,{ELSEWHERE},10.0.0.1", ELSEWHERE),
        (2, ELSEWHERE, HOME),
        (1, "", HOME),
        (1, "unknown", HOME),
        (1, f"{ELSEWHERE}:4430", ELSEWHERE),
        (1, f"1.1.1.1:80, {ELSEWHERE}:4430", ELSEWHERE),
        (1, "[2001:db8:1:2:3:4:5:6]:443", "2001:db8:1:2::"),
        (1, "[2001:db8:1:2::6]", "2001:db8:1:2::"),
        (1, "2001:db8:1:2:3:4:5:6:443", "2001:db8:1:2::"),
        (1, "[::ffff:198.51.100.9]:443", ELSEWHERE),
        (1, "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        (1, "::ffff:198.51.100.9", ELSEWHERE),
    ],
)
def test_a_visitor_behind_proxies_is_who_the_outermost_of_ours_saw(
    settings: Any, proxies: int, forwarded: str, expected: str
) -> None:
    settings.TRUSTED_PROXIES = proxies
    request = RequestFactory(REMOTE_ADDR=HOME).get("/", headers={"X-Forwarded-For": forwarded})
    assert client_address(request) == expected


def seen(forwarded: str) -> str:
    """The address that counts for what one proxy of ours says; the request itself came from that proxy."""
    request = RequestFactory(REMOTE_ADDR="10.0.0.1").get("/")
    request.META["HTTP_X_FORWARDED_FOR"] = forwarded
    with override_settings(TRUSTED_PROXIES=1):
        return client_address(request)


@given(st.ip_addresses(), st.integers(1, 65_535))
def test_a_port_makes_no_other_visitor(address: IPv4Address | IPv6Address, port: int) -> None:
    written = f"[{address}]" if address.version == 6 else str(address)
    assert seen(f"{written}:{port}") == seen(f" {address} ") == seen(f"9.9.9.9, {written}")


@given(st.text(max_size=60))
def test_whatever_a_proxy_says_there_is_an_address(forwarded: str) -> None:
    assert ip_address(seen(forwarded))


@pytest.mark.parametrize("connection", ["", "unix:", "@"])
def test_connections_without_an_address_are_one_visitor(connection: str) -> None:
    assert client_address(RequestFactory(REMOTE_ADDR=connection).get("/")) == "0.0.0.0"


def test_failed_logins_are_no_table_of_the_admin(root: User) -> None:
    client = logged_in(root)
    assert "axes" not in said(client.get("/admin/"))
    assert client.get("/admin/axes/accessattempt/").status_code == 404


def test_a_password_of_digits_alone_is_refused(root: User) -> None:
    data = {"username": "zoe", "usable_password": "true", "password1": "8340912673", "password2": "8340912673"}
    assert "entirely numeric" in said(logged_in(root).post("/admin/auth/user/add/", data))


def test_the_check_for_deployment_is_silent(tmp_path: Path) -> None:
    settings = {
        "DATABASE_URL": f"sqlite:///{tmp_path}/db.sqlite3",
        "SECRET_KEY": token_urlsafe(50),
        "ALLOWED_HOSTS": "podcasts.example.org",
        "HTTPS": "on",
        "TRUSTED_PROXIES": "1",
        "DEBUG": "off",
    }
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    done = subprocess.run(command, cwd=configured.BASE_DIR, env={**os.environ, **settings}, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
