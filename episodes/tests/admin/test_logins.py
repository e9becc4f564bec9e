"""Logins cannot be guessed: who fails too often has to wait, whether the account exists or not."""

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
from hypothesis import settings as examples
from hypothesis import strategies as st

from podcast_catalog.throttling import ACCOUNTS_PER_NETWORK, client_address, client_network

from ..processes import migrated_file
from ..tables import cases
from .conftest import logged_in, said

CASES = cases("admin_logins")

LIMIT = 10  # docs/security.md promises it
HOME, ELSEWHERE = "203.0.113.7", "198.51.100.9"


@pytest.fixture(autouse=True)
def root(db: None) -> User:
    return User.objects.create_superuser("root", "", "right")


def login(password: str, name: str = "root", address: str = HOME, **headers: Any) -> Any:
    """The answer to a login; 302 is a success."""
    data = {"username": name, "password": password, "next": "/admin/"}
    return Client(REMOTE_ADDR=address, **headers).post("/admin/login/", data)


def fail(times: int, **who: str) -> Any:
    return [login("wrong", **who) for _ in range(times)][-1]


def known(address: str = HOME, name: str = "root") -> Client:
    """A browser in which somebody logged in, and out again."""
    client = Client(REMOTE_ADDR=address)
    assert again(client, address=address, name=name) == 302
    client.post("/admin/logout/")
    return client


def again(client: Client, password: str = "right", address: str = ELSEWHERE, name: str = "root") -> int:
    """The status of another login in the same browser."""
    data = {"username": name, "password": password, "next": "/admin/"}
    return client.post("/admin/login/", data, REMOTE_ADDR=address).status_code


def strangers_fail(times: int, name: str = "root") -> None:
    """Strangers, each from a network of their own."""
    for n in range(times):
        login("wrong", name, f"192.0.2.{n}")


def test_ten_failures_block_the_right_password() -> None:
    failures = [login("wrong", HTTP_USER_AGENT=f"browser {n}").status_code for n in range(LIMIT)]
    assert failures == [200] * (LIMIT - 1) + [429]
    answer = login("right")
    assert answer.status_code == 429
    assert 50 < int(answer["Retry-After"]) <= 60
    assert "in 1 minute," in said(answer)
    assert answer["X-Frame-Options"] == "DENY"
    call_command("axes_reset_username", "root", stdout=StringIO())
    assert login("right").status_code == 302
    strangers_fail(LIMIT - 1)
    assert login("wrong", "zoe").status_code == 200  # another account
    assert fail(1, address=ELSEWHERE).status_code == 429
    assert login("right", address="192.0.2.200").status_code == 429


def test_login_leads_to_the_admin() -> None:
    for query in ("", "?next=//evil.example/", "?next=https://evil.example/admin/"):
        data = {"username": "root", "password": "right"}
        assert Client().post(f"/admin/login/{query}", data).headers["Location"] == "/admin/"


def test_pause_ends_and_doubles_with_each_failure() -> None:
    with time_machine.travel("2026-03-01T12:00:00Z", tick=False) as now:
        pauses = [int(fail(LIMIT)["Retry-After"])]
        now.shift(50)
        answer = login("right")  # which extends nothing
        assert (answer.status_code, answer["Retry-After"]) == (429, "10")
        assert "in 1 minute, after 12:01:00 UTC" in said(answer)
        now.shift(-50)
        for n in range(8):
            now.shift(pauses[-1])
            pauses.append(int(login("wrong", address=f"192.0.2.{n}")["Retry-After"]))
        assert pauses == [60, 120, 240, 480, 960, 1920, 3840, 3840, 3840]
        assert "in 64 minutes" in said(login("right", address=ELSEWHERE))
        now.shift(3840)
        assert login("right", address=ELSEWHERE).status_code == 302


def test_of_two_pauses_the_longer_counts() -> None:
    with time_machine.travel("2026-03-01T12:00:00Z", tick=False) as now:
        fail(LIMIT)
        now.shift(60)
        assert fail(1)["Retry-After"] == "120"
        for n in range(ACCOUNTS_PER_NETWORK * LIMIT - 11):
            login("wrong", f"somebody{n}")
        assert login("right", "zoe")["Retry-After"] == "60"
        assert login("right")["Retry-After"] == "120"


def test_failures_of_a_day_count_together() -> None:
    with time_machine.travel("2026-03-01T12:00:00Z", tick=False) as now:
        fail(LIMIT - 1)
        now.move_to("2026-03-02T11:59:59Z")
        assert login("wrong", address=ELSEWHERE).status_code == 429
        now.move_to("2026-03-02T12:01:00Z")  # the first nine are forgotten
        assert login("wrong", address="192.0.2.1").status_code == 200


def test_a_success_begins_the_count_anew() -> None:
    for _ in range(3):
        fail(LIMIT - 1)
        assert login("right").status_code == 302


def test_strangers_never_lock_out_known_address_or_browser() -> None:
    browser = known(HOME)
    strangers_fail(3 * LIMIT)
    assert login("right", address=ELSEWHERE).status_code == 429
    assert login("right", address=HOME).status_code == 302
    assert login("wrong", "zoe", HOME).status_code == 200
    assert fail(LIMIT, address=HOME).status_code == 429  # counted apart, and counted
    assert login("right", address=HOME).status_code == 429
    assert again(browser, address=HOME) == 302
    assert again(browser, address=ELSEWHERE) == 302


def test_known_browser_has_its_own_failures() -> None:
    browser = known(HOME)
    told = [again(browser, "wrong", f"192.0.2.{n}") for n in range(LIMIT)]
    assert told == [200] * 9 + [429]
    assert again(browser) == 429
    assert login("right", address=ELSEWHERE).status_code == 302


def test_browser_is_known_for_one_account() -> None:
    User.objects.create_superuser("mallory", "", "right")
    browser, stolen = known(ELSEWHERE, "mallory"), known(HOME).cookies["known_browser"].value
    strangers_fail(LIMIT)
    assert again(browser, address="192.0.2.200") == 429
    for cookie, status in ((stolen.replace(stolen[:5], "AAAAA"), 429), (stolen, 302)):
        browser.cookies["known_browser"] = cookie
        assert again(browser, address="192.0.2.200") == status


def test_cookie_of_known_browser_stays_in_admin(settings: Any) -> None:
    for https in (True, False):
        settings.SESSION_COOKIE_SECURE = https
        cookie = login("right").cookies["known_browser"]
        assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == ("/admin/", True, "Strict")
        assert (bool(cookie["secure"]), cookie["max-age"]) == (https, 90 * 24 * 60 * 60)
        assert "root" not in cookie.value
    assert "known_browser" not in login("wrong").cookies


def test_a_browser_is_known_for_ninety_days() -> None:
    with time_machine.travel("2026-03-01T12:00:00Z", tick=False) as now:
        browser = known(HOME)
        cookie = browser.cookies["known_browser"].value
        now.move_to("2026-05-30T11:59:00Z")
        strangers_fail(LIMIT)
        assert again(browser, address="192.0.2.200") == 302
        now.move_to("2026-05-30T12:01:00Z")
        strangers_fail(1)
        browser.cookies["known_browser"] = cookie
        assert again(browser, address="192.0.2.201") == 429


def test_address_with_many_names_must_wait() -> None:
    User.objects.create_superuser("zoe", "", "right")
    known(HOME)
    for n in range(ACCOUNTS_PER_NETWORK * LIMIT):
        assert login("right").status_code == 302
        login("wrong", f"somebody{n}")
    assert login("right", "zoe").status_code == 429
    assert login("right").status_code == 302  # known here
    assert login("right", "zoe", ELSEWHERE).status_code == 302


def test_ipv6_network_with_many_names_must_wait() -> None:
    def of(network: int) -> str:
        return f"2001:db8:7:{network:x}::1"

    told = [login("wrong", f"somebody{n}", of(n)).status_code for n in range(ACCOUNTS_PER_NETWORK * LIMIT)]
    assert told == [200] * 49 + [429]
    assert login("right", address=of(0xFFFF)).status_code == 429
    assert login("right", address="2001:db8:8::1").status_code == 302


def test_login_never_reveals_an_account() -> None:
    with time_machine.travel("2026-03-01T12:00:00Z", tick=False):
        there = [login("wrong") for _ in range(LIMIT + 1)]
        not_there = [login("wrong", "nobody") for _ in range(LIMIT + 1)]
    assert [answer.status_code for answer in there] == [answer.status_code for answer in not_there]
    assert said(there[-1]) == said(not_there[-1])
    assert there[-1].headers == not_there[-1].headers


@pytest.mark.on_both
@pytest.mark.parametrize("name", ["root\0", "x" * 10_000, "", "ro\not", "\u202eroot", "💥"])
def test_odd_names_break_nothing(name: str) -> None:
    odd = {"HTTP_USER_AGENT": "é" * 5000, "HTTP_ACCEPT": "x" * 9000, "HTTP_X_FORWARDED_FOR": "\0, nonsense"}
    for address in (HOME, "", "unix:", "fe80::1%eth0"):
        assert login("wrong", name, address, **odd).status_code in (200, 429)


def test_impossible_credentials_are_never_hashed(monkeypatch: pytest.MonkeyPatch) -> None:
    hashed: list[str] = []
    monkeypatch.setattr(User, "set_password", lambda self, password: hashed.append(password))
    login("wrong", "nobody")
    assert hashed == ["wrong"]  # so that nothing tells that there is no such account
    for name, password in (("x" * 5_000, "wrong"), ("nobody", "x" * 400_000)):
        assert login(password, name).status_code == 200
    assert hashed == ["wrong"]


def test_failures_expire_and_hold_no_password() -> None:
    with time_machine.travel("2026-03-01T12:00:00Z", tick=False) as now:
        login("s3cret-typo")
        (row,) = AccessAttempt.objects.all()
        assert "s3cret" not in f"{row.get_data}{row.post_data}{row.path_info}"
        now.move_to("2026-03-02T12:00:00Z")
        login("wrong", "other")
        assert [row.username for row in AccessAttempt.objects.all()] == ["other"]


@pytest.mark.parametrize("proxies, forwarded, expected", CASES["visitor_is_whom_outermost_proxy_saw"])
def test_visitor_is_whom_outermost_proxy_saw(settings: Any, proxies: int, forwarded: str, expected: str) -> None:
    settings.TRUSTED_PROXIES = proxies
    request = RequestFactory(REMOTE_ADDR=HOME).get("/", headers={"X-Forwarded-For": forwarded})
    assert client_address(request) == expected


@pytest.mark.parametrize(
    "address, network", [("2001:db8:1:ffff::1", "2001:db8:1::"), ("2001:db8:2:1::1", "2001:db8:2::"), (HOME, HOME)]
)
def test_a_network_is_what_one_customer_gets(address: str, network: str) -> None:
    assert client_network(RequestFactory(REMOTE_ADDR=address).get("/")) == network
    for connection in ("", "unix:", "@"):
        assert client_address(RequestFactory(REMOTE_ADDR=connection).get("/")) == "0.0.0.0"


def seen(forwarded: str) -> str:
    """The address that counts for what our proxy says, from which the request came."""
    request = RequestFactory(REMOTE_ADDR="10.0.0.1").get("/")
    request.META["HTTP_X_FORWARDED_FOR"] = forwarded
    with override_settings(TRUSTED_PROXIES=1):
        return client_address(request)


@examples(deadline=None)
@given(st.ip_addresses(), st.integers(1, 65_535))
def test_a_port_makes_no_other_visitor(address: IPv4Address | IPv6Address, port: int) -> None:
    written = f"[{address}]" if address.version == 6 else str(address)
    assert seen(f"{written}:{port}") == seen(f" {address} ") == seen(f"9.9.9.9, {written}")


@examples(deadline=None)
@given(st.text(max_size=60))
def test_whatever_a_proxy_says_there_is_an_address(forwarded: str) -> None:
    assert ip_address(seen(forwarded))


def test_admin_refuses_digits_and_hides_failures(root: User) -> None:
    client = logged_in(root)
    data = {"username": "zoe", "usable_password": "true", "password1": "8340912673", "password2": "8340912673"}
    assert "entirely numeric" in said(client.post("/admin/auth/user/add/", data))
    assert "axes" not in said(client.get("/admin/"))
    assert client.get("/admin/axes/accessattempt/").status_code == 404


def test_account_without_role_reads_who_gives_one() -> None:
    User.objects.create_user("nora", password="right")
    assert "This account has no role yet. Ask an administrator" in said(login("right", "nora"))
    wrong = said(login("wrong", "nora"))
    assert "Wrong username or password." in wrong
    assert "no role" not in wrong


def test_the_check_for_deployment_is_silent(tmp_path: Path) -> None:
    settings = {"DATABASE_URL": migrated_file(tmp_path / "db.sqlite3"), "SECRET_KEY": token_urlsafe(50)}
    settings |= {"ALLOWED_HOSTS": "podcasts.example.org", "HTTPS": "on", "TRUSTED_PROXIES": "1", "DEBUG": "off"}
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    done = subprocess.run(command, cwd=configured.BASE_DIR, env={**os.environ, **settings}, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
