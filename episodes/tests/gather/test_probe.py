"""Asking whether an address is there keeps the rules of fetching, and reads no more than the head of the answer."""

import pytest

from episodes.gather.fetch import CHUNK, Unreachable, probe_final_page
from episodes.tests.loopback import Loopback
from episodes.tests.patience import PATIENCE
from episodes.tests.speaker import silent

from .test_fetch import Speaker


@pytest.fixture
def web():
    with Loopback() as server:
        yield server


def trouble(address: str, **options) -> Unreachable:
    with pytest.raises(Unreachable) as caught:
        probe_final_page(address, **options)
    return caught.value


@pytest.mark.parametrize("status", [200, 202, 203, 204, 206])
def test_success_means_there(web, status):
    web.routes["/page"] = (status, {}, b"")
    probe_final_page(web.address("/page"), allowed_hosts=web.allow)


@pytest.mark.parametrize("status", [304, 400, 401, 403, 404, 410, 429, 500, 503, 999])
def test_any_other_status_is_told(web, status):
    web.routes["/page"] = (status, {}, b"")
    assert trouble(web.address("/page"), allowed_hosts=web.allow).status == status


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
        silent(connection, stopped)  # whoever waits for the body waits for ever

    with Speaker(speak) as server:
        probe_final_page(f"http://{server.pair}/talk.mp4", allowed_hosts=frozenset({server.pair}), max_seconds=PATIENCE)


def test_end_of_head_may_be_split_across_pieces(web):
    head = b"<html><head>".ljust(CHUNK - 3) + b"</head>"
    web.routes["/page"] = (200, {"Content-Type": "text/html"}, head + b" " * 5 * CHUNK)
    page = probe_final_page(web.address("/page"), reads_head=True, allowed_hosts=web.allow)
    assert len(page.body) == 2 * CHUNK


def test_redirect_target_decides(web):
    web.routes |= {
        "/moved": (301, {"Location": "/page"}, b""),
        "/lost": (302, {"Location": "/gone"}, b""),
        "/page": (200, {}, b""),
        "/gone": (410, {}, b""),
    }
    probe_final_page(web.address("/moved"), allowed_hosts=web.allow)
    error = trouble(web.address("/lost"), allowed_hosts=web.allow)
    assert error.status == 410
    assert str(error) == f"{web.address('/gone')} answered 410 Gone; redirected from {web.address('/lost')}"
