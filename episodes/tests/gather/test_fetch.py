"""Fetching from polite, broken and hostile servers, all of them on the loopback interface."""

import gzip
import logging
import socket
import ssl
import tracemalloc
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from threading import Timer
from typing import Self

import pytest
import time_machine

from episodes.gather import Backoff, is_paused
from episodes.gather.fetch import CHUNK, Unreachable, fetch, probe_final_page
from episodes.gather.retry import read_retry_after
from episodes.records import FetchedDocument
from episodes.tests import speaker
from episodes.tests.loopback import Loopback, resolver
from episodes.tests.patience import PATIENCE

FEED = b"<rss><channel><title>PyTorch Developer Podcast</title></channel></rss>"
PACKED = gzip.compress(FEED, mtime=0)

# Made for these tests alone: a certificate of podcast.test, signed by itself, good until 2120.
CERTIFICATE = Path(__file__).parents[1] / "data" / "podcast.test.pem"


@pytest.fixture
def web():
    with Loopback() as server:
        yield server


class Speaker(speaker.Speaker):
    """Stops by itself in the end, so that a client without a limit fails a test instead of hanging it."""

    names: list[str | None]

    def __enter__(self) -> Self:
        self.names = []
        self.deadline = Timer(PATIENCE, self.stopped.set)
        self.deadline.start()
        return super().__enter__()

    def __exit__(self, *_: object) -> None:
        self.deadline.cancel()
        super().__exit__()

    def fetch(self, path: str = "/", **options):
        return fetch(f"http://{self.pair}{path}", allowed_private_hosts=frozenset({self.pair}), **options)


def get(web: Loopback, path: str = "/feed", **options) -> FetchedDocument:
    page = fetch(web.address(path), **{"allowed_private_hosts": web.allow, **options})
    assert page is not None
    return page


def refusal(address: str, **options) -> str:
    with pytest.raises(Unreachable) as caught:
        fetch(address, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert "object at 0x" not in message
    assert "Errno" not in message
    return message


def spoken(speech, **options) -> str:
    with Speaker(speech) as server:
        return refusal(f"http://{server.pair}/feed", allowed_private_hosts=frozenset({server.pair}), **options)


def test_document_carries_its_headers(web):
    headers = {"Content-Type": "application/rss+xml; charset=utf-8", "ETag": '"v1"', "Last-Modified": "then"}
    web.routes["/feed"] = (200, headers, FEED)
    page = get(web, "/feed")
    assert page.body == FEED
    assert page.address == web.address("/feed")
    assert page.content_type == "application/rss+xml; charset=utf-8"
    assert (page.etag, page.last_modified) == ('"v1"', "then")


def test_a_request_says_who_asks_and_nothing_else(web):
    web.routes["/feed"] = (200, {"Set-Cookie": "a=b"}, FEED)
    fetch(web.address("/feed?b=2&a=1#part"), allowed_private_hosts=web.allow)
    fetch(web.address("/feed?b=2&a=1#part"), allowed_private_hosts=web.allow)
    request = web.requests[1]
    assert (request.method, request.path) == ("GET", "/feed?b=2&a=1")
    assert request.headers["user-agent"] == "podcast-catalog/1.0.0 (+podcast archive)"
    assert request.headers["accept-encoding"] == "gzip"
    assert "application/rss+xml" in request.headers["accept"]
    assert "text/html" in request.headers["accept"]
    assert set(request.headers) == {"host", "user-agent", "accept", "accept-encoding", "connection"}


def test_invalid_validator_is_left_out(web):
    web.routes["/feed"] = (200, {}, FEED)
    fetch(web.address("/feed"), etag="“v1”", last_modified="then\r\nX-Evil: 1", allowed_private_hosts=web.allow)
    assert web.requests[0].headers["if-none-match"] == "v1"
    assert "x-evil" not in web.requests[0].headers


@pytest.mark.parametrize(
    "answer, body",
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", b""),
        (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + PACKED + b"\0\0", FEED),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n<\r\n3\r\nrss\r\n0\r\n\r\n", b"<rss"),
        (b"HTTP/1.0 200 OK\r\n\r\n" + FEED, FEED),  # it ends with its connection
        (b"HTTP/1.1 200 OK\r\nContent-Encoding: UTF-8\r\n\r\n" + FEED, FEED),  # which changes nothing
    ],
)
def test_a_document_is_whole_however_it_is_sent(answer, body):
    with Speaker(answer) as server:
        assert server.fetch().body == body


def test_server_words_are_short_and_clean():
    answer = (
        b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nETag: " + b"x" * 900 + b"\r\nContent-Type: a\x1b[31m\x07b\r\n\r\n"
    )
    with Speaker(answer) as server:
        page = server.fetch()
    assert page.etag == "x" * 500
    assert page.content_type == "a[31mb"


def test_address_is_percent_encoded(web):
    web.routes["/%D0%B2%20%D1%83"] = (200, {}, FEED)
    assert fetch(web.address("/в у?q=ü"), allowed_private_hosts=web.allow) is not None
    assert web.requests[0].path == "/%D0%B2%20%D1%83?q=%C3%BC"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirected_page_keeps_asked_address(web, status):
    web.routes |= {"/old": (status, {"Location": "/new?x=1"}, b"moved"), "/new?x=1": (200, {"ETag": '"n"'}, FEED)}
    page = get(web, "/old")
    assert (page.body, page.address, page.etag) == (FEED, web.address("/old"), '"n"')


def test_redirect_without_target_is_refused(web):
    web.routes["/old"] = (302, {"Location": " "}, b"moved")
    with pytest.raises(Unreachable, match=r"/old redirects, but to no address"):
        get(web, "/old")


@pytest.mark.parametrize(
    "first, second, moved",
    [(301, 308, "/c"), (301, 302, "/b"), (302, 301, ""), (302, 302, ""), (307, 301, ""), (303, 301, "")],
)
def test_only_permanent_redirects_move(web, first, second, moved):
    web.routes |= {
        "/a": (first, {"Location": "/b"}, b""),
        "/b": (second, {"Location": "/c"}, b""),
        "/c": (200, {}, FEED),
    }
    page = get(web, "/a")
    assert page.moved_to == (web.address(moved) if moved else "")


def test_validators_stay_at_their_origin(web):
    with Loopback({"/new": (200, {"ETag": '"other"', "Last-Modified": "then"}, FEED)}) as other:
        web.routes |= {"/a": (302, {"Location": "/b"}, b""), "/b": (302, {"Location": other.address("/new")}, b"")}
        page = get(web, "/a", etag='"v1"', last_modified="then", allowed_private_hosts=web.allow | other.allow)
        conditions = ("if-none-match", "if-modified-since")
        sent = [[request.headers.get(name) for name in conditions] for request in (*web.requests, *other.requests)]
        assert sent == [['"v1"', "then"], ['"v1"', "then"], [None, None]]
    assert (page.etag, page.last_modified) == ("", "")


def test_a_redirect_may_hold_letters_of_other_scripts():
    moved = "HTTP/1.0 302 Found\r\nLocation: /подкаст\r\n\r\n".encode()

    def speak(connection, stopped):
        connection.sendall(b"HTTP/1.0 200 OK\r\n\r\nok" if len(server.heard) > 1 else moved)

    with Speaker(speak) as server:
        assert server.fetch("/old").body == b"ok"
        assert server.heard[1].startswith(b"GET /%D0%BF%D0%BE%D0%B4")


def test_gzip_bomb_is_not_unpacked(web):
    web.routes["/feed"] = (200, {"Content-Encoding": "gzip"}, gzip.compress(bytes(30_000_000)))
    tracemalloc.start()
    try:
        assert "is larger than 100,000 bytes" in refusal(
            web.address("/feed"), allowed_private_hosts=web.allow, max_bytes=100_000
        )
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
)
def test_a_server_that_drips_is_left(head):
    def speak(connection, stopped):
        connection.sendall(head)
        while not stopped.wait(0.02):
            connection.sendall(b"1")

    assert "took longer than 0.3 s" in spoken(speak, max_seconds=0.3)


def test_the_time_covers_all_redirects_together(web):
    ticks = iter(range(0, 1000, 10))
    web.routes |= {f"/{n}": (302, {"Location": f"/{n + 1}"}, b"") for n in range(5)}
    message = refusal(web.address("/0"), allowed_private_hosts=web.allow, clock=lambda: next(ticks))
    assert "took longer than 30 s" in message
    assert len(web.requests) < 5


def test_wait_until_date_becomes_seconds(web):
    now = datetime.now(UTC).replace(microsecond=0)
    until = now + timedelta(minutes=10)
    web.routes["/feed"] = (429, {"Retry-After": format_datetime(until, usegmt=True)}, b"")
    with pytest.raises(Unreachable) as caught, time_machine.travel(now, tick=False):
        fetch(web.address("/feed"), allowed_private_hosts=web.allow)
    assert caught.value.retry_after == 600


@pytest.mark.parametrize(
    "speech",
    [
        b"SSH-2.0-OpenSSH_9.2p1\r\n",
        b"\x00\xff\xfe garbage \x1b[31m\r\n\r\n",
        b"HTTP/1.1 abc OK\r\n\r\n",
        b"HTTP/1.1 99999 OK\r\n\r\n",
        b"HTTP/9.9 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 500 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 " + b"O" * 100_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n<rss>",
        b"\r\n\r\n",
    ],
)
def test_what_is_not_http_is_reported(speech):
    assert "did not answer with HTTP" in spoken(speech)


@pytest.mark.parametrize(
    "headers",
    [b"no colon\r\n: none\r\n", b" folded\r\n", b"Content-Length: x\r\n", b"A: \xff\xfe\x00\r\n", b"\x00\r\n"],
)
def test_broken_headers_never_crash_or_print(headers, caplog):
    answer = b"HTTP/1.1 200 OK\r\n" + headers + b"\r\n" + FEED
    with caplog.at_level(logging.WARNING), Speaker(answer) as server, suppress(Unreachable):
        server.fetch()
    assert not caplog.records


def test_next_address_of_host_is_tried(web):
    web.routes["/feed"] = (200, {}, FEED)
    pair = f"podcast.test:{web.port}"
    found = resolver("127.0.0.2", "127.0.0.1")
    assert fetch(f"http://{pair}/feed", allowed_private_hosts=frozenset({pair}), resolve_host=found) is not None


@pytest.mark.parametrize(
    "error", [socket.gaierror(-2, "Name or service not known"), UnicodeError("label too long"), OSError("no network")]
)
def test_a_name_that_is_not_found_is_reported(error):
    def resolve(*_, **__):
        raise error

    message = refusal("https://podcast.test/feed", resolve_host=resolve)
    assert message == "https://podcast.test/feed could not be reached: host not found: podcast.test"


def test_checked_address_is_connected(web, monkeypatch):
    web.routes["/feed"] = (200, {}, FEED)
    answers = iter(["127.0.0.1", "127.0.0.2", "127.0.0.3"])
    dialled = []
    dial = socket.create_connection

    def create_connection(address, *args, **options):
        dialled.append(address)
        return dial(address, *args, **options)

    monkeypatch.setattr(socket, "create_connection", create_connection)
    pair = f"podcast.test:{web.port}"

    def resolve(host, port, **options):
        return resolver(next(answers))(host, port)

    fetch(f"http://{pair}/feed", allowed_private_hosts=frozenset({pair}), resolve_host=resolve)
    assert dialled == [("127.0.0.1", web.port)]
    assert next(answers) == "127.0.0.2"
    assert web.requests[0].headers["host"] == pair


def test_international_host_is_asked_in_ascii(web):
    web.routes["/"] = (200, {}, FEED)
    pair = f"xn--bcher-kva.test:{web.port}"
    found = []

    def resolve(host, port, **options):
        found.append(host)
        return resolver("127.0.0.1")(host, port)

    page = fetch(f"http://Bücher.test:{web.port}/", allowed_private_hosts=frozenset({pair}), resolve_host=resolve)
    assert page is not None
    assert page.address == f"http://Bücher.test:{web.port}/"
    assert found == ["xn--bcher-kva.test"]
    assert web.requests[0].headers["host"] == pair


def test_a_proxy_of_the_environment_is_not_used(web, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    web.routes["/"] = (200, {}, FEED)
    assert fetch(web.address("/"), allowed_private_hosts=web.allow) is not None


def test_loopback_needs_to_be_allowed(web):
    with Speaker(b"") as other:
        assert "uses port" in refusal(web.address("/"), allowed_private_hosts=frozenset({other.pair}))
    assert "uses port" in refusal(web.address("/"))
    assert "uses port" in refusal(f"http://localhost:{web.port}/", allowed_private_hosts=web.allow)
    assert not web.requests


def test_password_in_address_is_not_repeated(web):
    message = refusal(f"http://user:geheim@{web.pair}/", allowed_private_hosts=web.allow)
    assert "user name or password" in message
    assert "geheim" not in message
    assert not web.requests


@pytest.mark.parametrize(
    "address", ["file:///etc/passwd", "ftp://8.8.8.8/", "gopher://8.8.8.8/", "8.8.8.8/feed", "feed", " http://8.8.8.8/"]
)
def test_another_scheme_is_refused(address):
    assert "is not an http or https address" in refusal(address)


@pytest.mark.parametrize(
    "address",
    [
        "", "http:", "http://", "http:///feed", "http:feed", "http://[::1", "http://[::1%25lo]/", "http://[evil]/",
        "http://8.8.8.8:port/", "http://8.8.8.8:99999/", "http://a b/", "http://a%00b/", "http://%31%32%37.0.0.1/",
        "http://a..b/", "http://evil.test\\127.0.0.1/", f"http://{'a' * 70}.test/", "http://podcast.test/\ud800",
        "http://podcast.test/\x00",
    ],
)  # fmt: skip
def test_a_broken_address_is_refused(address):
    assert "is not a valid address" in refusal(address)


@pytest.fixture
def secure(monkeypatch):
    """Provide a server with the trusted certificate of podcast.test. Its `names` are the names of the requests."""
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    with Speaker(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n<rss>", context) as server:
        context.sni_callback = lambda sock, name, context: server.names.append(name)
        yield server


def encrypted(server, host: str, **options):
    pair = f"{host}:{server.port}"
    return fetch(
        f"https://{pair}/", allowed_private_hosts=frozenset({pair}), resolve_host=resolver("127.0.0.1"), **options
    )


def test_tls_names_the_host(secure):
    page = encrypted(secure, "podcast.test")
    assert page.body == b"<rss>"
    assert secure.names == ["podcast.test"]
    assert f"Host: podcast.test:{secure.port}".encode() in secure.heard[0]


def test_untrusted_certificate_is_refused(secure, monkeypatch):
    with pytest.raises(Unreachable, match=r"has an untrusted certificate: Hostname mismatch"):
        encrypted(secure, "other.test")
    monkeypatch.delenv("SSL_CERT_FILE")
    with pytest.raises(Unreachable, match=r"has an untrusted certificate: self-signed certificate"):
        encrypted(secure, "podcast.test")
    assert not secure.heard


def test_a_handshake_that_never_comes_is_left():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        allow = frozenset({f"127.0.0.1:{port}"})
        message = refusal(f"https://127.0.0.1:{port}/", allowed_private_hosts=allow, max_seconds=0.2, clock=lambda: 0.0)
    assert "did not answer in time" in message


# Asking whether an address is there reads no more than the head of the answer.


def trouble(address: str, **options) -> Unreachable:
    with pytest.raises(Unreachable) as caught:
        probe_final_page(address, **options)
    return caught.value


@pytest.mark.parametrize("status", [200, 202, 203, 204, 206])
def test_success_means_there(web, status):
    web.routes["/page"] = (status, {}, b"")
    probe_final_page(web.address("/page"), allowed_private_hosts=web.allow)


@pytest.mark.parametrize("status", [304, 400, 401, 403, 404, 410, 429, 500, 503, 999])
def test_any_other_status_is_told(web, status):
    web.routes["/page"] = (status, {}, b"")
    assert trouble(web.address("/page"), allowed_private_hosts=web.allow).status == status


@pytest.mark.parametrize(
    "rest",
    [
        b"Content-Length: 99999999999\r\n\r\n",
        b"Content-Encoding: br\r\n\r\n\0\0",
        b"Content-Encoding: gzip\r\n\r\nno gzip",
        b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
)
def test_a_body_is_neither_read_nor_judged(rest):
    def speak(connection, stopped):
        connection.sendall(b"HTTP/1.1 200 OK\r\n" + rest)
        speaker.silent(connection, stopped)  # whoever waits for the body waits for ever

    with Speaker(speak) as server:
        probe_final_page(
            f"http://{server.pair}/talk.mp4", allowed_private_hosts=frozenset({server.pair}), max_seconds=PATIENCE
        )


def test_end_of_head_may_be_split_across_pieces(web):
    head = b"<html><head>".ljust(CHUNK - 3) + b"</head>"
    web.routes["/page"] = (200, {"Content-Type": "text/html"}, head + b" " * 5 * CHUNK)
    page = probe_final_page(web.address("/page"), reads_html_head=True, allowed_private_hosts=web.allow)
    assert len(page.body) == 2 * CHUNK


def test_redirect_target_decides(web):
    web.routes |= {
        "/moved": (301, {"Location": "/page"}, b""),
        "/lost": (302, {"Location": "/gone"}, b""),
        "/page": (200, {}, b""),
        "/gone": (410, {}, b""),
    }
    probe_final_page(web.address("/moved"), allowed_private_hosts=web.allow)
    error = trouble(web.address("/lost"), allowed_private_hosts=web.allow)
    assert error.status == 410
    assert str(error) == f"{web.address('/gone')} answered 410 Gone; redirected from {web.address('/lost')}"


HOUR = timedelta(hours=1)
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def test_waits_double_up_to_the_longest() -> None:
    backoff = Backoff(HOUR, 10 * HOUR)
    assert [backoff.wait(failures) for failures in (1, 2, 3, 4, 5, 999)] == [
        HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 10 * HOUR, 10 * HOUR,
    ]  # fmt: skip


@pytest.mark.parametrize("seconds, minutes", [(None, 120), (60, 120), (9000, 150)])
def test_server_may_ask_for_a_longer_wait(seconds: int | None, minutes: int) -> None:
    trouble = Unreachable("busy", retry_after=seconds)
    assert Backoff(HOUR, 10 * HOUR).next_attempt(NOON, 2, trouble) == NOON + timedelta(minutes=minutes)


@pytest.mark.parametrize(
    "header, seconds",
    [("", None), ("soon", None), ("-5", None), ("²", None), ("1e999", None), ("Wed, 99 Xxx 2021 99:99:99 GMT", None), ("90", 90),
     ("Wed, 18 Aug 2021 13:00:00 GMT", 0), ("99999999999999999999", 604_800), ("Fri, 31 Dec 9999 23:59:59 GMT", 604_800)],
)  # fmt: skip
def test_retry_after_is_a_week_at_most(header: str, seconds: int | None) -> None:
    assert read_retry_after(header) == seconds


@pytest.mark.parametrize("hours, expected", [(-1, False), (0, False), (1, True), (168, True), (169, False)])
def test_pause_lasts_a_week_at_most(hours: int, expected: bool) -> None:
    assert is_paused(NOON + hours * HOUR, NOON) is expected
