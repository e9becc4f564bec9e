"""Servers that want a name and a password, a cookie or another client, and those that are odd about conditions."""

from collections.abc import Iterator

import pytest
from django.conf import LazySettings

from episodes.gather.fetch import RequestHeaders, Unreachable, fetch, parse_fetch_address
from episodes.tests.loopback import Loopback, Reply, Request, Route

from ..tables import cases

CASES = cases("gather_access")

LOGIN = "Basic YW5uOnDDqXJsOjY="  # ann, pérl:6


@pytest.fixture
def web() -> Iterator[Loopback]:
    with Loopback({"/feed": (200, {}, b"<rss/>")}) as server:
        yield server


def logins(server: Loopback) -> list[str]:
    return [request.headers.get("authorization", "") for request in server.requests]


def login_of(server: Loopback) -> str:
    return f"http://ann:p%C3%A9rl%3A6@{server.pair}"


def test_login_is_sent_but_not_stored(web: Loopback) -> None:
    page = fetch(web.address("/feed"), login=login_of(web), allowed_private_hosts=web.allow)
    assert logins(web) == [LOGIN]
    assert page
    assert page.address == web.address("/feed")
    assert "ann" not in repr(page)


def test_no_other_server_gets_the_login(web: Loopback) -> None:
    routes: dict[str, Route] = {"/feed": (200, {}, b"<rss/>"), "/hop": (302, {"Location": web.address("/feed")}, b"")}
    with Loopback(routes) as other:
        allow = web.allow | other.allow
        for path in ("/feed", "/hop"):
            web.routes[f"/to{path}"] = (302, {"Location": other.address(path)}, b"")
            fetch(web.address(f"/to{path}"), login=login_of(web), allowed_private_hosts=allow)
        fetch(other.address("/feed"), login=login_of(web), allowed_private_hosts=allow)
        assert logins(web) == [LOGIN, LOGIN, LOGIN], "it comes back from another server"
        assert logins(other) == ["", "", ""]


@pytest.mark.parametrize("address, login", CASES["scheme_host_and_port_are_of_one_server"])
def test_scheme_host_and_port_are_of_one_server(address: str, login: bool) -> None:
    headers = RequestHeaders()
    headers.add_login("http://ann:pearl@a.example")
    assert ("Authorization" in headers.for_hop(parse_fetch_address(address))) is login


@pytest.mark.parametrize("path", ["/feed?auth=opal9", "/gone?auth=opal9"])
def test_an_error_has_no_secret(web: Loopback, path: str) -> None:
    web.routes["/feed"] = (302, {"Location": f"http://eve:opal9@{web.pair}/"}, b"")
    with pytest.raises(Unreachable) as caught:
        fetch(web.address(path), login=f"http://ann:opal9@{web.pair}", allowed_private_hosts=web.allow)
    assert "opal9" not in str(caught.value)


def test_a_client_says_who_it_is(web: Loopback, settings: LazySettings) -> None:
    settings.USER_AGENT = "KettleReader/2"
    web.routes["/feed"] = (203, {}, b"<rss/>")
    page = fetch(web.address("/feed"), allowed_private_hosts=web.allow)
    assert [request.headers["user-agent"] for request in web.requests] == ["KettleReader/2"]
    assert page
    assert page.body == b"<rss/>", "a document that a proxy changed is whole"


def test_a_refused_condition_is_left_out(web: Loopback) -> None:
    def refuse(request: Request) -> Reply:
        return (412, {}, b"") if "if-none-match" in request.headers else (200, {"ETag": '"2"'}, b"<rss/>")

    web.routes["/feed"] = refuse
    page = fetch(web.address("/feed"), etag='"1"', allowed_private_hosts=web.allow)
    assert page
    assert (page.body, page.etag, len(web.requests)) == (b"<rss/>", '"2"', 2)


def test_without_a_condition_a_412_is_an_error(web: Loopback) -> None:
    web.routes["/feed"] = (412, {}, b"")
    with pytest.raises(Unreachable, match="answered 412"):
        fetch(web.address("/feed"), allowed_private_hosts=web.allow)
    assert len(web.requests) == 1


def test_a_cookie_comes_back_to_its_server_alone(web: Loopback) -> None:
    def ask_for_cookie(request: Request) -> Reply:
        if request.headers.get("cookie") == "seen=2":
            return 302, {"Location": other.address("/feed")}, b""
        value = "seen=2" if "cookie" in request.headers else "seen=1"
        return 302, {"Location": "/cookie", "Set-Cookie": f"{value}; Path=/; HttpOnly"}, b""

    web.routes["/cookie"] = ask_for_cookie
    with Loopback({"/feed": (200, {}, b"<rss/>")}) as other:
        assert fetch(web.address("/cookie"), allowed_private_hosts=web.allow | other.allow)
        assert "cookie" not in other.requests[0].headers
    assert [request.headers.get("cookie") for request in web.requests] == [None, "seen=1", "seen=2"]


def test_the_next_fetch_has_no_cookie(web: Loopback) -> None:
    web.routes["/set"] = (302, {"Location": "/feed", "Set-Cookie": "seen=1"}, b"")
    fetch(web.address("/set"), allowed_private_hosts=web.allow)
    fetch(web.address("/feed"), allowed_private_hosts=web.allow)
    assert [request.headers.get("cookie") for request in web.requests] == [None, "seen=1", None]
