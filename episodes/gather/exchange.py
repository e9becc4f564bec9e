"""One request and its answer, within limits of time and bytes that no server can stretch; and the
addresses that may be asked: http(s), without a password, on a host of the public internet (rule
23)."""

from __future__ import annotations

import http.client
import io
import ipaddress
import logging
import re
import socket
import ssl
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from urllib3.connection import HTTPConnection
from urllib3.exceptions import IncompleteRead, InvalidChunkLength, ProtocolError
from urllib3.response import HTTPResponse

from ..text.public_addresses import is_public

ResolveHost = Callable[..., Iterable[tuple[Any, ...]]]

_PORTS = {"http": 80, "https": 443}
_IN_PATH = "/%:@!$&'()*+,;=~"


class Unreachable(Exception):
    """Could not be reached, or did not answer with a whole document; the message is one line for
    the person who asked.

    `retry_after` is how long the server asked to be left alone, in seconds from now (at most a
    week), None where it did not say. `status` is the one that was answered, None where it did not
    come to that. `advice` is for a person who named the address, and for nobody whom a server or a
    feed leads there. `host` is the one that redirects led to, "" without any.
    """

    def __init__(
        self,
        message: str,
        retry_after: int | None = None,
        status: int | None = None,
        advice: str = "",
        host: str = "",
    ) -> None:
        super().__init__(f"{message}; {advice}" if advice else message)
        self.message = message
        self.retry_after = retry_after
        self.status = status
        self.host = host


@dataclass(frozen=True, slots=True)
class WebAddress:
    """An address taken apart once, so that what is checked is what is used."""

    scheme: str
    host: str  # ASCII, lower case, IPv6 without brackets
    port: int
    target: str  # path and query, percent-encoded

    @property
    def pair(self) -> str:
        """Host and port, as FETCH_ALLOW names them."""
        return f"{self._name}:{self.port}"

    @property
    def authority(self) -> str:
        return self._name if self.port == _PORTS[self.scheme] else self.pair

    @property
    def origin(self) -> tuple[str, str, int]:
        return self.scheme, self.host, self.port

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.authority}{self.target}"

    @property
    def shown(self) -> str:
        return shown(self.url.removesuffix("/") if self.target == "/" else self.url)

    @property
    def _name(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host


def read_address(address: str) -> WebAddress:
    """Raises `Unreachable` for what is no http(s) address, or has a password in it."""
    # urlsplit drops control characters silently; the address would no longer be the one that was
    # asked for.
    if not re.fullmatch(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+", address):
        raise Unreachable(f"{shown(address) or 'An empty address'} is not a valid address")
    if not address.lower().startswith(("http:", "https:")):
        raise Unreachable(f"{shown(address)} is not an http or https address")
    try:
        parts = urlsplit(address)
        host, port = _ascii_host(parts.hostname or ""), parts.port
    except ValueError as error:
        raise Unreachable(f"{shown(address)} is not a valid address") from error
    if "@" in parts.netloc:
        raise Unreachable(
            f"{shown(address)} contains a user name or password, which are never sent"
        )
    target = quote(parts.path or "/", safe=_IN_PATH)
    target += f"?{quote(parts.query, safe=f'{_IN_PATH}?[]|')}" if parts.query else ""
    return WebAddress(parts.scheme, host, _PORTS[parts.scheme] if port is None else port, target)


def checked_ips(address: WebAddress, allow: frozenset[str], resolve_host: ResolveHost) -> list[str]:
    """The IP addresses of the host, all of them public unless `allow` names host and port."""
    allowed = address.pair in allow
    if not allowed and address.port not in _PORTS.values():
        raise Unreachable(
            f"{address.shown} uses port {address.port}; only ports 80 and 443 and the hosts in FETCH_ALLOW may be fetched"
        )
    try:
        found = resolve_host(address.host, address.port, type=socket.SOCK_STREAM)
        ips = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    except (OSError, UnicodeError):
        ips = []
    if not ips:
        raise Unreachable(f"{address.shown} could not be reached: host not found: {address.host}")
    if not allowed and not all(map(is_public, ips)):
        raise Unreachable(
            f"{address.shown} is not on the public internet",
            advice=f"to allow it, add {address.pair} to FETCH_ALLOW",
        )
    return ips


def shown(address: str) -> str:
    """An address as a message may show it: one line, not too long, without a password."""
    text = re.sub(r"//[^/?#]*@", "//", "".join(c for c in address if c.isprintable()))
    return text if len(text) <= 200 else text[:199] + "…"


def _ascii_host(host: str) -> str:
    if ":" in host and "%" not in host:
        return str(ipaddress.IPv6Address(host))
    name = host.encode("idna").decode("ascii").lower()
    if not re.fullmatch(r"[a-z0-9_][a-z0-9_.-]{0,252}", name):
        raise ValueError("not a host name")
    return name


if TYPE_CHECKING:
    from _typeshed import WriteableBuffer
    from urllib3 import HTTPHeaderDict

Clock = Callable[[], float]

CHUNK = 65_536
# Headers and the sizes between chunks come on top of the body.
_FRAMING = 1_000_000
_GZIP = frozenset({"gzip", "x-gzip"})

# It logs a server's broken headers with a traceback; what matters of them is in the error.
logging.getLogger("urllib3").setLevel(logging.ERROR)


class Limits:
    """The rest that a fetch may use of time and of bytes off the wire, over all its requests, and
    the hosts that it may ask: public ones, and those that `allow` names."""

    def __init__(
        self,
        allow: frozenset[str],
        max_seconds: float,
        max_bytes: int = CHUNK,
        clock: Clock = time.monotonic,
        resolve_host: ResolveHost = socket.getaddrinfo,
    ) -> None:
        self.max_bytes = max_bytes
        self.allow, self.resolve_host = allow, resolve_host
        self.shown = ""  # the address that is being asked
        self._seconds = max_seconds
        self._clock = clock
        self._end = clock() + max_seconds
        self.wire = 2 * max_bytes + _FRAMING  # bytes that may still come

    def seconds_left(self) -> float:
        """Always more than 0; raises `Unreachable` when nothing is left."""
        left = self._end - self._clock()
        if left <= 0:
            raise self.too_slow()
        return left

    def too_slow(self) -> Unreachable:
        return Unreachable(f"{self.shown} took longer than {self._seconds:g} s")

    def too_large(self) -> Unreachable:
        return Unreachable(f"{self.shown} is larger than {self.max_bytes:,} bytes")


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: HTTPHeaderDict
    body: bytes = b""
    moved_to: str = ""  # the last address of the permanent redirects that led here

    def first(self, name: str) -> str:
        """The value of a header; of several the first."""
        return next(iter(self.headers.getlist(name)), "")


Read = Callable[[HTTPResponse, Limits], bytes]


def ask(
    address: WebAddress,
    headers: Mapping[str, str],
    limits: Limits,
    read: Read | None = None,
    *,
    sent: bytes | None = None,
) -> Answer:
    """The answer of the server to GET, or to POST where something is `sent`; `read` reads as much
    as is wanted of the document that comes with the status 200.

    Raises `Unreachable` for whatever goes wrong.
    """
    limits.shown = address.shown
    ips = checked_ips(address, limits.allow, limits.resolve_host)
    try:
        with _dial(address, ips, limits) as plain, _encrypted(plain, address, limits) as sock:
            connection = HTTPConnection(address.host, address.port)
            connection.sock = _Wire(sock, limits)
            named = {
                "Host": address.authority,
                **headers,
                "Accept-Encoding": "gzip",
                "Connection": "close",
            }
            method = "GET" if sent is None else "POST"
            connection.request(method, address.target, sent, named, preload_content=False)
            with closing(connection.getresponse()) as response:
                is_whole = response.status == HTTPStatus.OK
                body = read(response, limits) if read and is_whole else b""
                return Answer(response.status, response.headers, body)
    except Unreachable:
        raise
    except Exception as error:
        # http.client and urllib3 promise no closed set of errors for what a hostile server can
        # send. urllib3 wraps what happened to the connection.
        cause = error.__cause__ or error
        why = next(words for kinds, words in _REASONS if isinstance(cause, kinds))
        told = getattr(cause, "verify_message", "") or getattr(cause, "strerror", "")
        raise Unreachable(f"{address.shown} {why.format(clean(str(told)))}") from error


def _dial(address: WebAddress, ips: Sequence[str], limits: Limits) -> socket.socket:
    failure = OSError("no address to connect to")
    for position, ip in enumerate(ips):
        try:
            # A share each, so that one dead address leaves time for the next.
            return socket.create_connection(
                (ip, address.port), timeout=limits.seconds_left() / (len(ips) - position)
            )
        except OSError as error:
            failure = error
    limits.seconds_left()
    raise failure


def _encrypted(sock: socket.socket, address: WebAddress, limits: Limits) -> socket.socket:
    if address.scheme == "http":
        return sock
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    sock.settimeout(limits.seconds_left())
    return context.wrap_socket(sock, server_hostname=address.host.rstrip("."))


class _Wire(io.RawIOBase):
    """Stands for the socket in an HTTP connection, and holds every byte in and out to the limits.

    A socket's own timeout starts anew with every byte, so a server that drips could go on for ever.
    """

    def __init__(self, sock: socket.socket, limits: Limits) -> None:
        self._sock = sock
        self._limits = limits

    def sendall(self, data: bytes) -> None:
        self._sock.settimeout(self._limits.seconds_left())
        self._sock.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(self, CHUNK)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        self._sock.settimeout(self._limits.seconds_left())
        try:
            count = self._sock.recv_into(buffer)
        except TimeoutError:
            raise self._limits.too_slow() from None
        self._limits.wire -= count
        if self._limits.wire < 0:
            raise self._limits.too_large()
        return count

    def settimeout(self, value: object) -> None:
        """The limits set it before each use."""

    def close(self) -> None:
        """The socket stays open: http.client closes its connection before the body is read."""


# The body


def whole_body(response: HTTPResponse, limits: Limits) -> bytes:
    body = bytearray()
    for piece in _pieces(response, limits):
        body += piece
        if len(body) > limits.max_bytes:
            raise limits.too_large()
    return bytes(body)


def head(response: HTTPResponse, limits: Limits) -> bytes:
    """The beginning of a page with its `<head>`, as far as it comes and the limit reaches; nothing
    of what is no page."""
    body = bytearray()
    if "html" not in response.headers.get("Content-Type", "").lower():
        return b""
    with suppress(Exception):  # a damaged page is there all the same
        for piece in _pieces(response, limits):
            body += piece
            if b"</head" in piece or len(body) > limits.max_bytes:
                break
    return bytes(body)


def _pieces(response: HTTPResponse, limits: Limits) -> Iterator[bytes]:
    pieces: Iterable[bytes] = response.stream(CHUNK, decode_content=False)
    # Some servers write a character set here, which changes nothing; another compression was not
    # asked for, and makes no document.
    is_gzip = response.headers.get("Content-Encoding", "").strip().lower() in _GZIP
    for piece in _gunzip(pieces) if is_gzip else pieces:
        yield piece
        limits.seconds_left()


def _gunzip(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The decompressed body in small pieces, some of them empty."""
    member = zlib.decompressobj(16 + zlib.MAX_WBITS)
    for piece in pieces:
        data = piece
        while data:
            yield member.decompress(data, CHUNK)
            data = member.unconsumed_tail
        if member.unused_data.strip(b"\0"):  # zeros are padding
            raise _CutError
    if not member.eof:
        raise _CutError


# What went wrong


class _CutError(Exception):
    """The body ends before its compression does, or goes on after it; urllib3's own decoder would
    pass it as whole."""


_REASONS: tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], str], ...] = (
    (TimeoutError, "did not answer in time"),
    (ConnectionRefusedError, "could not be reached: connection refused"),
    (http.client.RemoteDisconnected, "closed the connection without an answer"),
    ((InvalidChunkLength, ProtocolError), "sent a document that is cut off or garbled"),
    ((IncompleteRead, http.client.IncompleteRead, _CutError), "sent only part of the document"),
    ((ConnectionError, ssl.SSLEOFError), "closed the connection too early"),
    (zlib.error, "sent a document whose compression is damaged"),
    (ssl.SSLCertVerificationError, "has an untrusted certificate: {}"),
    (ssl.SSLError, "could not be reached: the TLS handshake failed"),
    (OSError, "could not be reached: {}"),
    (BaseException, "did not answer with HTTP"),
)


def clean(value: str) -> str:
    """Words of a server, without control characters, 500 characters at most."""
    return "".join(c for c in value if c.isprintable()).strip()[:500]
