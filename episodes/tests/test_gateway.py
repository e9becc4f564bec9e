"""The gateway in front of Django: how bodies are read, and that slow ones keep nobody waiting."""

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings

from podcast_catalog import gateway
from podcast_catalog.gateway import Bodies, RefusedBody, wsgi_environ
from podcast_catalog.throttling import client_network_address

from .patience import PATIENCE, until
from .processes import migrated as migrated

POST_ADDRESSES = ("/mcp", "/suggest/?episode=any", "/admin/login/", "/episodes/", "/no-such-page")
SLOW_BODIES = 32


@contextmanager
def running_server(database: str) -> Iterator[int]:
    """Run the server as the files in `deploy/` do, and yield its port."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "granian", "--interface", "rsgi", "--http", "1", "--no-ws", "--workers", "2"]
    command += ["--port", str(port), "--log-level", "error", "podcast_catalog.rsgi:application"]
    environment = os.environ | {"DATABASE_URL": database, "ALLOWED_HOSTS": "*"}
    process = subprocess.Popen(command, cwd=settings.BASE_DIR, env=environment, start_new_session=True)
    try:
        until(lambda: process.poll() is not None or is_listening(port))
        yield port
    finally:
        process.terminate()
        process.wait(PATIENCE)


def is_listening(port: int) -> bool:
    try:
        return status(port, "/livez") == 200
    except OSError:
        return False


def status(port: int, path: str) -> int:
    with closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
        connection.request("GET", path)
        return connection.getresponse().status


def send_slowly(port: int, path: str) -> socket.socket:
    """Send the head of a request and one byte of its body; the rest never comes."""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: csrftoken={'a' * 32}; sessionid=made-up\r\n"
        "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\nx"
    )
    connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    connection.sendall(head.encode())
    return connection


def test_slow_bodies_keep_nobody_waiting(migrated: str) -> None:
    with running_server(migrated) as port:
        for path in POST_ADDRESSES:
            with ExitStack() as stack:
                for _ in range(SLOW_BODIES):
                    stack.enter_context(send_slowly(port, path))
                answers = [status(port, address) for address in ("/livez", "/readyz", "/healthz", "/robots.txt")]
            assert answers == [200, 200, 200, 200], path


async def arriving(*chunks: bytes, pause: float = 0, stalls: bool = False) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk
        await asyncio.sleep(pause)
    if stalls:
        await asyncio.Event().wait()


def read(chunks: AsyncIterator[bytes], **environ: str) -> bytes:
    async def body() -> bytes:
        file = await Bodies().read_body_file_or_refuse(
            {"CONTENT_LENGTH": "6", "REMOTE_ADDR": "192.0.2.1", **environ}, chunks
        )
        with file:
            return file.read()

    return asyncio.run(body())


def refusal(chunks: AsyncIterator[bytes], **environ: str) -> int:
    with pytest.raises(RefusedBody) as refused:
        read(chunks, **environ)
    return int(refused.value.status)


@pytest.mark.parametrize("bytes_in_memory", [2, 6])
def test_body_in_parts_is_read_whole(monkeypatch: pytest.MonkeyPatch, bytes_in_memory: int) -> None:
    monkeypatch.setattr(gateway, "MAX_BODY_BYTES_IN_MEMORY", bytes_in_memory)
    assert read(arriving(b"abc", b"", b"def")) == b"abcdef"


def test_stalled_body_is_refused_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "BODY_SECONDS", 0.01)
    monkeypatch.setattr(gateway, "BODY_BYTES_PER_SECOND", 1_000_000)
    assert refusal(arriving(b"abc", stalls=True)) == 408


def test_bytes_that_arrived_earn_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "BODY_SECONDS", 0)
    monkeypatch.setattr(gateway, "BODY_BYTES_PER_SECOND", 3 / PATIENCE)
    assert read(arriving(b"abc", b"def", pause=0.01)) == b"abcdef"


def test_body_of_other_length_is_refused() -> None:
    assert refusal(arriving(b"abc")) == 400
    assert refusal(arriving(stalls=True), CONTENT_LENGTH=str(gateway.MAX_BODY_BYTES + 1)) == 413
    assert refusal(arriving(b"abc"), HTTP_TRANSFER_ENCODING="chunked") == 411


def refused_among(addresses: list[str]) -> list[int]:
    """Return the statuses that are refused at once when each address sends a body that stalls."""

    async def send() -> list[int]:
        bodies = Bodies()
        reading = [
            asyncio.create_task(
                bodies.read_body_file_or_refuse(
                    {"CONTENT_LENGTH": "6", "REMOTE_ADDR": address}, arriving(b"abc", stalls=True)
                )
            )
            for address in addresses
        ]
        await asyncio.sleep(0)
        refusals = [task.exception() for task in reading if task.done()]
        for task in reading:
            task.cancel()
        await asyncio.gather(*reading, return_exceptions=True)
        assert bodies.clients == []
        return [int(refused.status) for refused in refusals if isinstance(refused, RefusedBody)]

    return asyncio.run(send())


def test_bodies_at_once_are_limited() -> None:
    assert refused_among(["192.0.2.1"] * 9 + ["192.0.2.2"]) == [429]
    assert refused_among([f"192.0.2.{number}" for number in range(66)]) == [503, 503]


def environ(*headers: tuple[str, str], **parts: str) -> dict[str, Any]:
    scope = {
        "method": "GET", "path": "/", "query_string": "", "client": "192.0.2.1:50000", "server": "127.0.0.1:8000",
        "http_version": "1.1", "scheme": "http", "headers": dict, **parts,
    }  # fmt: skip
    return wsgi_environ(SimpleNamespace(**scope | {"headers": SimpleNamespace(items=lambda: headers)}))  # type: ignore[arg-type]


@pytest.mark.parametrize("forged", [("x_forwarded_for", "203.0.113.9"), ("x-forwarded-for", "203.0.113.9")])
def test_proxys_own_header_line_counts(settings: Any, forged: tuple[str, str]) -> None:
    settings.TRUSTED_PROXIES = 1
    assert client_network_address(environ(forged, ("x-forwarded-for", "198.51.100.7"))) == "198.51.100.7"


def test_path_and_cookies_are_as_wsgi_has_them() -> None:
    assert environ(path="/café")["PATH_INFO"] == "/cafÃ©"
    assert environ(("cookie", "a=1"), ("cookie", "b=2"))["HTTP_COOKIE"] == "a=1; b=2"


@pytest.mark.parametrize("client, address", [("192.0.2.1:50000", "192.0.2.1"), ("[2001:db8::1]:50000", "2001:db8::1")])
def test_address_of_a_connection(client: str, address: str) -> None:
    assert environ(client=client)["REMOTE_ADDR"] == address
