"""The gateway between the server's interface, RSGI, and Django's, WSGI.

It reads the body of a request under limits of time, size and number, and only then gives the request
to one of a few threads, in which Django answers. So a client that sends slowly keeps nobody waiting.
A response is sent when it is complete, so a client that receives slowly keeps no thread either.
"""

import asyncio
import logging
import sys
from asyncio import AbstractEventLoop, Future
from collections.abc import AsyncIterable, Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from http import HTTPStatus
from io import BytesIO
from queue import SimpleQueue
from tempfile import SpooledTemporaryFile
from threading import Thread
from typing import IO, Any, ClassVar

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from granian.rsgi import HTTPProtocol, Scope  # type: ignore[attr-defined]

from episodes.meaning import load_encoder_early

from .page_cache import CachedPages
from .throttling import client_network_address

Environ = dict[str, Any]

# An upload may be as large as a document, and its form has other fields.
MAX_BODY_BYTES = max(20, settings.DOCUMENT_MB) * 1_000_000 + 1_000_000
MAX_BODY_BYTES_IN_MEMORY = 1_000_000  # a larger body is kept in a file
# A body may take so many seconds, and one more for each so many bytes that arrived.
BODY_SECONDS = 10
BODY_BYTES_PER_SECOND = 50_000

log = logging.getLogger(__name__)


class RefusedBody(Exception):
    """A refused body: the status of the response, and the reason."""

    # As of our own pages, as far as a line of text needs them.
    headers: ClassVar = [
        ("Content-Type", "text/plain; charset=utf-8"),
        ("Cache-Control", "no-store"),
        ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
    ]

    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status


@dataclass
class WaitingRequest:
    """A request that waits for a thread."""

    environ: Environ
    protocol: HTTPProtocol
    done: Future[None]


class Gateway:
    """The RSGI application for which Django answers by WSGI."""

    def __init__(self, wsgi: WSGIHandler) -> None:
        self.wsgi = wsgi
        self.bodies = Bodies()
        self.pages = CachedPages()
        # An executor of the standard library would cost a cached page twice as much.
        self.waiting_requests: SimpleQueue[WaitingRequest] = SimpleQueue()

    def __rsgi_init__(self, loop: AbstractEventLoop) -> None:
        thread_count = 4  # in each process
        for _ in range(thread_count):
            Thread(target=self.answer_requests_forever, args=(loop,), daemon=True).start()
        Thread(target=load_encoder_early, daemon=True).start()

    async def __rsgi__(self, scope: Scope, protocol: HTTPProtocol) -> None:
        """Answer a request: refuse its body, send a cached page, or let a thread ask Django."""
        environ = wsgi_environ(scope)
        try:
            environ["wsgi.input"] = await self.bodies.read_body_file_or_refuse(environ, protocol)
        except RefusedBody as refusal:
            log.info("%s %s refused: %s", scope.method, scope.path, refusal)
            protocol.response_str(refusal.status, refusal.headers, f"{refusal}\n")
            return
        # This coroutine must not wait for anything, so only a page in memory is sent from here.
        page = self.pages.find_response_in_memory(environ)
        if page is not None:
            protocol.response_bytes(page.status_code, [*page.items()], page.content)
            return
        if scope.path == "/livez":
            # All threads may be busy, and the process is alive nevertheless.
            self.send_response(environ, protocol)
            return
        done = asyncio.get_running_loop().create_future()  # set by the thread that answers
        self.waiting_requests.put(WaitingRequest(environ, protocol, done))
        # The server takes the request as unanswered if this coroutine ends first.
        await done

    def answer_requests_forever(self, event_loop: AbstractEventLoop) -> None:
        """Answer one waiting request after another, as long as the process runs."""
        while True:
            request = self.waiting_requests.get()
            try:
                self.send_response(request.environ, request.protocol)
            # Also SystemExit, because this thread must not end.
            except BaseException:
                # The server answers 500 if nothing was sent.
                log.exception("Not answered: %s", request.environ["PATH_INFO"])
            event_loop.call_soon_threadsafe(request.done.set_result, None)

    def send_response(self, environ: Environ, protocol: HTTPProtocol) -> None:
        head = ResponseHead()
        with closing(environ["wsgi.input"]), closing(self.wsgi(environ, head)) as response:
            body = b"".join(response)
        protocol.response_bytes(head.status, head.headers, body)


class Bodies:
    """The bodies that are being read, at most so many at a time in each process."""

    max_bodies = 64
    max_bodies_per_client = 8

    def __init__(self) -> None:
        self.clients: list[str] = []  # the sender of each body

    async def read_body_file_or_refuse(
        self, environ: Environ, chunks: AsyncIterable[bytes]
    ) -> IO[bytes]:
        """Return the body of a request, unless too many are being read, from its client or in all.

        Raises:
            RefusedBody: it is too large, too slow or cut off, or too many are being read.
        """
        size = announced_body_size_or_raise(environ)
        if size == 0:
            return BytesIO()
        client = client_network_address(environ)
        if self.clients.count(client) >= self.max_bodies_per_client:
            raise RefusedBody(HTTPStatus.TOO_MANY_REQUESTS, "Too many requests. Try again.")
        if len(self.clients) >= self.max_bodies:
            raise RefusedBody(HTTPStatus.SERVICE_UNAVAILABLE, "The site is busy. Try again.")
        # A client is in the list as many times as bodies of it are being read.
        self.clients.append(client)
        try:
            return await read_body_file_before_deadline(chunks, size)
        finally:
            self.clients.remove(client)


def announced_body_size_or_raise(environ: Environ) -> int:
    """Return the announced size of a request's body in bytes.

    Raises:
        RefusedBody: it is too large, or not announced.
    """
    if "HTTP_TRANSFER_ENCODING" in environ:
        # Without an announced size, a body that is cut off cannot be told from a complete one.
        raise RefusedBody(HTTPStatus.LENGTH_REQUIRED, "The request needs a Content-Length.")
    size = int(environ.get("CONTENT_LENGTH", 0))
    if size > MAX_BODY_BYTES:
        megabytes = MAX_BODY_BYTES // 1_000_000
        reason = f"The request is larger than {megabytes} MB."
        raise RefusedBody(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, reason)
    return size


async def read_body_file_before_deadline(chunks: AsyncIterable[bytes], size: int) -> IO[bytes]:
    """Return a body of `size` bytes as a file. It may take BODY_SECONDS, and a second more for each
    BODY_BYTES_PER_SECOND that arrived.

    Raises:
        RefusedBody: it is too slow or cut off.
    """
    first_deadline = asyncio.get_running_loop().time() + BODY_SECONDS
    received_bytes = 0
    # Closes the file at the end of the block, as long as the file is in it: that is, if the body is refused.
    with ExitStack() as open_files:
        body = open_files.enter_context(SpooledTemporaryFile(MAX_BODY_BYTES_IN_MEMORY))
        try:
            async with asyncio.timeout_at(first_deadline) as time_limit:
                async for chunk in chunks:
                    body.write(chunk)
                    received_bytes += len(chunk)
                    extra_seconds = received_bytes / BODY_BYTES_PER_SECOND
                    time_limit.reschedule(first_deadline + extra_seconds)
        except TimeoutError:
            raise RefusedBody(HTTPStatus.REQUEST_TIMEOUT, "The request came too slowly.") from None
        if received_bytes < size:
            raise RefusedBody(HTTPStatus.BAD_REQUEST, "The request is cut off.")
        body.seek(0)
        # Takes the complete body out, so that it stays open for the caller.
        open_files.pop_all()
    return body


def wsgi_environ(scope: Scope) -> Environ:
    """Return a request of the server in the form that Django reads, by the standard of WSGI (PEP 3333)."""
    server_name, _, server_port = scope.server.rpartition(":")
    client_address, _, _ = scope.client.rpartition(":")  # without the port
    environ = {
        "SCRIPT_NAME": "",
        "REQUEST_METHOD": scope.method,
        "PATH_INFO": wsgi_text(scope.path),
        "QUERY_STRING": wsgi_text(scope.query_string),
        "REMOTE_ADDR": client_address.strip("[]"),  # around an IPv6 address
        "SERVER_NAME": server_name,
        "SERVER_PORT": server_port,
        "SERVER_PROTOCOL": f"HTTP/{scope.http_version}",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.scheme,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    add_headers(environ, scope)
    return environ


def add_headers(environ: Environ, scope: Scope) -> None:
    # "accept-language" becomes "HTTP_ACCEPT_LANGUAGE".
    for name, value in scope.headers.items():
        if "_" in name:
            # In WSGI, X_Forwarded_For would become the X-Forwarded-For that only a proxy may set.
            continue
        key = name.upper().replace("-", "_")
        # WSGI has these two without a prefix.
        if key not in ("CONTENT_LENGTH", "CONTENT_TYPE"):
            key = f"HTTP_{key}"
        # A header that comes several times is one header with several values.
        if key in environ:
            separator = "; " if key == "HTTP_COOKIE" else ","
            value = f"{environ[key]}{separator}{value}"
        environ[key] = value


def wsgi_text(text: str) -> str:
    """Return the UTF-8 bytes of a text as WSGI wants them: each as a character of Latin-1."""
    return text.encode().decode("latin-1")


class ResponseHead:
    """The status and the headers of a response: the callable `start_response` of WSGI."""

    def __call__(
        self, status: str, headers: list[tuple[str, str]], error: Any = None, /
    ) -> Callable[[bytes], object]:
        code, _, _ = status.partition(" ")  # `200` of `200 OK`
        self.status = int(code)
        self.headers = headers
        return self.write

    def write(self, data: bytes) -> None:
        raise NotImplementedError("Django returns the body.")
