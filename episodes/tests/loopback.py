"""A web server on the loopback interface, with routes set by tests and a log of requests."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from .patience import PATIENCE


@dataclass(frozen=True)
class Request:
    """A client's request: method, path with its query, and headers by their lower-case names."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes = b""


Reply = tuple[int, Mapping[str, str], bytes]
Route = Reply | Callable[[Request], Reply]


@dataclass
class Loopback:
    """A server of `routes` on `http://127.0.0.1:PORT` between `with` and its end; `requests` is the log, in order.

    A route is a path, with or without a query, and `(status, headers, body)` or a function of the `Request` that gives
    it. Other paths answer 404. Routes may be added and changed while the server runs.
    """

    routes: dict[str, Route] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    host: str = "127.0.0.1"  # or another address of the interface, for tests with several hosts

    def __enter__(self) -> Loopback:
        self._server = ThreadingHTTPServer((self.host, 0), _handler(self))
        self._server.daemon_threads = False  # no thread outlives the test
        self.port = int(self._server.server_address[1])
        self.pair = f"{self.host}:{self.port}"  # as FETCH_ALLOW names it
        self.allow = frozenset({self.pair})
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def address(self, path: str = "/") -> str:
        return f"http://{self.pair}{path}"

    def reply(self, request: Request) -> Reply:
        self.requests.append(request)
        route = self.routes.get(request.path) or self.routes.get(request.path.partition("?")[0])
        if route is None:
            return 404, {}, b"not found"
        return route(request) if callable(route) else route


def resolver(*ips: str) -> Callable[..., Iterable[tuple[Any, ...]]]:
    """Return a stand-in for `socket.getaddrinfo` that returns these addresses for every host."""

    def resolve(host: str, port: int, **options: object) -> list[tuple[Any, ...]]:
        families = [socket.AF_INET6 if ":" in ip else socket.AF_INET for ip in ips]
        return [(family, socket.SOCK_STREAM, 6, "", (ip, port)) for family, ip in zip(families, ips, strict=True)]

    return resolve


def _handler(loopback: Loopback) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = PATIENCE

        def do_GET(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            request_body = self.rfile.read(int(headers.get("content-length", 0)))
            status, sent, body = loopback.reply(Request(self.command, self.path, headers, request_body))
            # A client may close the connection before the end.
            with suppress(ConnectionError):
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **sent}.items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

        do_HEAD = do_POST = do_GET  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 — overrides the name
            """Log nothing."""

    return Handler
