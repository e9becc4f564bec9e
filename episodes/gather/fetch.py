"""Fetches one document with one polite request that a hostile server can neither lead astray nor hold up (rule 23)."""

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
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urljoin, urlsplit

from urllib3.connection import HTTPConnection
from urllib3.exceptions import IncompleteRead, InvalidChunkLength, ProtocolError
from urllib3.response import HTTPResponse

from ..records import FetchedDocument
from ..text.public_addresses import is_public

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer
    from urllib3 import HTTPHeaderDict

USER_AGENT = "podcast-catalog/1.0 (+podcast archive)"
ACCEPT = (
    "application/rss+xml, application/atom+xml, application/feed+json, "
    "application/xml;q=0.9, text/xml;q=0.9, text/html;q=0.8, */*;q=0.1"
)
MAX_REDIRECTS = 5
LONGEST_WAIT = 365 * 24 * 3600

_PORTS = {"http": 80, "https": 443}
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_GZIP = frozenset({"gzip", "x-gzip"})
_COMPRESSIONS = _GZIP | {"br", "zstd", "deflate", "compress", "x-compress"}
_CHUNK = 65_536
# Headers and the sizes between chunks come on top of the body.
_FRAMING = 1_000_000

# It logs a server's broken headers with a traceback; what matters of them is in the error.
logging.getLogger("urllib3").setLevel(logging.ERROR)


class Unreachable(Exception):
    """Could not be reached, or did not answer with a whole document; the message is one line for the person who asked.

    `retry_after` is how long the server asked to be left alone, in seconds from now (at most a year), None where it
    did not say. `status` is the one that was answered, None where it did not come to that.
    """

    def __init__(self, message: str, retry_after: int | None = None, status: int | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.status = status


def fetch(
    address: str,
    *,
    etag: str = "",
    last_modified: str = "",
    allow: frozenset[str] = frozenset(),
    max_bytes: int = 20_000_000,
    max_seconds: float = 30.0,
    clock: Callable[[], float] = time.monotonic,
    resolve_host: Callable[..., Iterable[tuple[Any, ...]]] = socket.getaddrinfo,
) -> FetchedDocument | None:
    """The document at an `http(s)` address, or None when it has not changed since `etag` and `last_modified`.

    `allow` holds the exact `host:port` pairs that may be fetched although they are not public (contract: FETCH_ALLOW).
    `max_bytes` counts the body after decompression; `max_seconds` covers everything, redirects included. `clock` gives
    seconds, `resolve_host` answers like `socket.getaddrinfo`. The page keeps the address that was asked for; its
    validators are "" when another origin served it, as they are only ever sent to the origin that was asked.

    Raises `Unreachable` for whatever does not end in a whole document: a bad or private address, a failed connection,
    any status but 200 and 304, a body that is cut, damaged, too large or too slow.
    """
    asked = _read_address(address)
    limits = _Limits(asked.shown, max_bytes, max_seconds, clock)
    conditions = _conditions(etag, last_modified)
    hop, answer = _follow(asked, conditions, limits, lambda hop: _checked_ips(hop, allow, resolve_host), _body)
    if answer.status == HTTPStatus.NOT_MODIFIED:
        return None
    same_origin = hop.origin == asked.origin
    return FetchedDocument(
        body=answer.body,
        address=address,
        content_type=_clean(_first(answer.headers, "Content-Type")),
        etag=_clean(_first(answer.headers, "ETag")) if same_origin else "",
        last_modified=_clean(_first(answer.headers, "Last-Modified")) if same_origin else "",
    )


def probe(
    address: str,
    *,
    allow: frozenset[str] = frozenset(),
    turn: Callable[[str], None] = lambda host: None,
    max_seconds: float = 30.0,
    clock: Callable[[], float] = time.monotonic,
    resolve_host: Callable[..., Iterable[tuple[Any, ...]]] = socket.getaddrinfo,
) -> None:
    """Ask whether an `http(s)` address is there: it is, where it or what it redirects to answers with a success.

    It asks as `fetch` does, by GET because many servers answer HEAD wrongly, and hangs up before the body. `turn` is
    called with the name of the host before each request, redirects included; it may wait, and what it raises goes
    through. What it waits counts in `max_seconds`. `allow`, `clock` and `resolve_host` are those of `fetch`.

    Raises `Unreachable` for whatever does not end in a success: a bad or private address, a failed connection, any
    other status, redirects that lead nowhere.
    """
    asked = _read_address(address)
    limits = _Limits(asked.shown, _CHUNK, max_seconds, clock)

    def check(hop: _Hop) -> list[str]:
        turn(hop.host)
        return _checked_ips(hop, allow, resolve_host)

    try:
        _follow(asked, {}, limits, check, read=lambda response, limits: b"")
    except Unreachable as error:
        # A document comes with 200 alone; that there is something, every success says.
        if error.status is None or not 200 <= error.status < 300:
            raise


# Addresses


@dataclass(frozen=True, slots=True)
class _Hop:
    """One address on the way to the document, taken apart once, so that what is checked is what is used."""

    scheme: str
    host: str  # ASCII, lower case, IPv6 without brackets
    port: int
    target: str  # path and query, percent-encoded

    @property
    def name(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def pair(self) -> str:
        return f"{self.name}:{self.port}"

    @property
    def authority(self) -> str:
        return self.name if self.port == _PORTS[self.scheme] else self.pair

    @property
    def origin(self) -> tuple[str, str, int]:
        return self.scheme, self.host, self.port

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.authority}{self.target}"

    @property
    def shown(self) -> str:
        return _shown(self.url.removesuffix("/") if self.target == "/" else self.url)


def _read_address(address: str) -> _Hop:
    # urlsplit drops control characters silently; the address would no longer be the one that was asked for.
    if not re.fullmatch(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+", address):
        raise Unreachable(f"{_shown(address) or 'An empty address'} is not a valid address")
    if not re.match(r"https?:", address, re.IGNORECASE):
        raise Unreachable(f"{_shown(address)} is not an http or https address")
    try:
        parts = urlsplit(address)
        host, port = _ascii_host(parts.hostname or ""), parts.port
    except ValueError as error:
        raise Unreachable(f"{_shown(address)} is not a valid address") from error
    if "@" in parts.netloc:
        raise Unreachable(f"{_shown(address)} was given with a user name or password, and these are never sent")
    target = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~")
    if not target.startswith("/"):
        raise Unreachable(f"{_shown(address)} is not a valid address")
    if parts.query:
        target += "?" + quote(parts.query, safe="/%:@!$&'()*+,;=~?[]|")
    return _Hop(parts.scheme, host, _PORTS[parts.scheme] if port is None else port, target)


def _ascii_host(host: str) -> str:
    if ":" in host and "%" not in host:
        return str(ipaddress.IPv6Address(host))
    name = host.encode("idna").decode("ascii").lower()
    if not re.fullmatch(r"[a-z0-9_][a-z0-9_.-]{0,252}", name):
        raise ValueError("not a host name")
    return name


def _checked_ips(hop: _Hop, allow: frozenset[str], resolve_host: Callable[..., Iterable[tuple[Any, ...]]]) -> list[str]:
    """The IP addresses of the host, all of them public unless `allow` names the pair."""
    allowed = hop.pair in {pair.strip().lower() for pair in allow}
    if not allowed and hop.port not in _PORTS.values():
        raise Unreachable(f"{hop.shown} is on port {hop.port}; only 80, 443 and what FETCH_ALLOW names may be fetched")
    try:
        found = resolve_host(hop.host, hop.port, type=socket.SOCK_STREAM)
        ips = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    except (OSError, UnicodeError) as error:
        raise Unreachable(f"{hop.shown} could not be reached: no host of the name {hop.host} was found") from error
    if not ips:
        raise Unreachable(f"{hop.shown} could not be reached: no host of the name {hop.host} was found")
    if not allowed and not all(is_public(ip) for ip in ips):
        raise Unreachable(f"{hop.shown} is not on the public internet, and FETCH_ALLOW does not name {hop.pair}")
    return ips


def _shown(address: str) -> str:
    """An address as a message may show it: one line, not too long, without a password."""
    text = re.sub(r"//[^/?#]*@", "//", "".join(c for c in address if c.isprintable()))
    return text if len(text) <= 200 else text[:199] + "…"


# Hops


def _follow(
    asked: _Hop,
    conditions: dict[str, str],
    limits: _Limits,
    check: Callable[[_Hop], list[str]],
    read: Callable[[HTTPResponse, _Limits], bytes],
) -> tuple[_Hop, _Answer]:
    """The last hop and its answer, which is 200 or an expected 304. `read` gives the body of the former."""
    hop, seen = asked, [asked]
    while True:
        limits.shown = hop.shown
        sent = conditions if hop.origin == asked.origin else {}
        try:
            answer = _ask(hop, sent, check(hop), limits, read)
            if answer.status == HTTPStatus.OK or (answer.status == HTTPStatus.NOT_MODIFIED and sent):
                return hop, answer
            if answer.status not in _REDIRECTS:
                raise _bad_status(hop, answer)
            hop = _next_hop(hop, answer, seen)
        except Unreachable as error:
            if hop == asked:
                raise
            raise Unreachable(f"{error}; {asked.shown} redirected there", error.retry_after, error.status) from error
        seen.append(hop)


def _next_hop(hop: _Hop, answer: _Answer, seen: list[_Hop]) -> _Hop:
    location = _first(answer.headers, "Location").strip()
    if not location:
        raise Unreachable(f"{hop.shown} answered {_status(answer.status)} without saying where to")
    try:
        following = _read_address(urljoin(hop.url, _as_utf8(location)))
    except (Unreachable, ValueError) as error:
        why = str(error) if isinstance(error, Unreachable) else "that is not a valid address"
        raise Unreachable(f"{hop.shown} redirects elsewhere, but {why}") from error
    if following in seen:
        raise Unreachable(f"{hop.shown} redirects in a loop, back to {following.shown}")
    if len(seen) > MAX_REDIRECTS:
        raise Unreachable(f"{hop.shown} redirects once more, after {MAX_REDIRECTS} redirects")
    return following


def _as_utf8(value: str) -> str:
    """A header's text, which http.client reads as Latin-1, as the UTF-8 that servers write into a Location."""
    try:
        return value.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return value


def _bad_status(hop: _Hop, answer: _Answer) -> Unreachable:
    wait = _retry_after(_first(answer.headers, "Retry-After"))
    asked_to_wait = "" if wait is None else f"; asked to wait {wait} s"
    return Unreachable(f"{hop.shown} answered {_status(answer.status)}{asked_to_wait}", wait, answer.status)


def _status(code: int) -> str:
    # Not the server's own phrase: it may say anything.
    try:
        return f"{code} {HTTPStatus(code).phrase}"
    except ValueError:
        return str(code)


def _retry_after(value: str) -> int | None:
    value = value.strip()
    if re.fullmatch(r"[0-9]{1,20}", value):
        return min(int(value), LONGEST_WAIT)
    try:
        at = parsedate_to_datetime(value)
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at
        wait = (at - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError, LookupError, OverflowError):
        return None
    return max(0, min(round(wait), LONGEST_WAIT))


# One exchange


class _Limits:
    """What a fetch may still use of time and of bytes off the wire, over all its hops."""

    def __init__(self, shown: str, max_bytes: int, max_seconds: float, clock: Callable[[], float]) -> None:
        self.max_bytes = max_bytes
        self.shown = shown
        self._seconds = max_seconds
        self._clock = clock
        self._end = clock() + max_seconds
        self._wire = 2 * max_bytes + _FRAMING

    def seconds_left(self) -> float:
        """Always more than 0; raises `Unreachable` when nothing is left."""
        left = self._end - self._clock()
        if left <= 0:
            raise self.too_slow()
        return left

    def received(self, count: int) -> None:
        self._wire -= count
        if self._wire < 0:
            raise self.too_large()

    def too_slow(self) -> Unreachable:
        return Unreachable(f"{self.shown} took longer than {self._seconds:g} s")

    def too_large(self) -> Unreachable:
        return Unreachable(f"{self.shown} is larger than {self.max_bytes:,} bytes")


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: HTTPHeaderDict
    body: bytes = b""


def _ask(
    hop: _Hop,
    conditions: Mapping[str, str],
    ips: list[str],
    limits: _Limits,
    read: Callable[[HTTPResponse, _Limits], bytes],
) -> _Answer:
    """What the server at one of the checked addresses says; the body is read only where the status is 200."""
    headers = {
        "Host": hop.authority,
        "User-Agent": USER_AGENT,
        "Accept": ACCEPT,
        "Accept-Encoding": "gzip",
        "Connection": "close",
        **conditions,
    }
    try:
        with _connected(hop, ips, limits) as sock:
            connection = HTTPConnection(hop.host, hop.port)
            connection.sock = _Wire(sock, limits)
            connection.request("GET", hop.target, headers=headers, preload_content=False, decode_content=False)
            with closing(connection.getresponse()) as response:
                body = read(response, limits) if response.status == HTTPStatus.OK else b""
                return _Answer(response.status, response.headers, body)
    except Unreachable:
        raise
    except Exception as error:
        # http.client and urllib3 promise no closed set of errors for what a hostile server can send.
        raise Unreachable(f"{hop.shown} {_why(error)}") from error


@contextmanager
def _connected(hop: _Hop, ips: list[str], limits: _Limits) -> Iterator[socket.socket]:
    with _dial(hop, ips, limits) as sock:
        if hop.scheme == "http":
            yield sock
            return
        sock.settimeout(limits.seconds_left())
        with _tls().wrap_socket(sock, server_hostname=hop.host.rstrip(".")) as secure:
            yield secure


def _dial(hop: _Hop, ips: list[str], limits: _Limits) -> socket.socket:
    failure: OSError | None = None
    for position, ip in enumerate(ips):
        try:
            # A share each, so that one dead address leaves time for the next.
            return socket.create_connection((ip, hop.port), timeout=limits.seconds_left() / (len(ips) - position))
        except OSError as error:
            failure = error
    limits.seconds_left()
    raise failure or OSError("nowhere to connect to")


def _tls() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context


class _Wire:
    """Stands for the socket in an HTTP connection, and holds every byte in and out to the limits.

    A socket's own timeout starts anew with every byte, so a server that drips could go on for ever.
    """

    def __init__(self, sock: socket.socket, limits: _Limits) -> None:
        self._sock = sock
        self._limits = limits

    def sendall(self, data: bytes) -> None:
        self._sock.settimeout(self._limits.seconds_left())
        self._sock.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_WireReader(self._sock, self._limits), _CHUNK)

    def settimeout(self, value: object) -> None:
        """The limits set it before each use."""

    def close(self) -> None:
        """The socket stays open: http.client closes its connection before the body is read."""


class _WireReader(io.RawIOBase):
    def __init__(self, sock: socket.socket, limits: _Limits) -> None:
        self._sock = sock
        self._limits = limits

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        self._sock.settimeout(self._limits.seconds_left())
        try:
            count = self._sock.recv_into(buffer)
        except TimeoutError:
            raise self._limits.too_slow() from None
        self._limits.received(count)
        return count


def _body(response: HTTPResponse, limits: _Limits) -> bytes:
    if (response.length_remaining or 0) > limits.max_bytes:
        raise limits.too_large()
    pieces: Iterable[bytes] = response.stream(_CHUNK, decode_content=False)
    if _is_gzip(response):
        pieces = _gunzip(pieces)
    body = bytearray()
    for piece in pieces:
        body += piece
        if len(body) > limits.max_bytes:
            raise limits.too_large()
        limits.seconds_left()
    return bytes(body)


def _is_gzip(response: HTTPResponse) -> bool:
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    if encoding in _GZIP:
        return True
    # Some servers write a character set here, which changes nothing.
    if any(part.strip() in _COMPRESSIONS for part in encoding.split(",")):
        raise _UnaskedError
    return False


class _UnaskedError(Exception):
    """The body is compressed in a way that was not asked for."""


class _CutError(Exception):
    """The body ends before its compression does; urllib3's own decoder would pass it as whole."""


def _gunzip(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The decompressed body in small pieces, some of them empty; several gzip members may follow each other."""
    member = None
    for piece in pieces:
        data = piece
        while data:
            if member is None or member.eof:
                # What follows the last member is padding.
                if member is not None and not data.startswith(b"\x1f"):
                    break
                member = zlib.decompressobj(16 + zlib.MAX_WBITS)
            yield member.decompress(data, _CHUNK)
            data = member.unused_data if member.eof else member.unconsumed_tail
    if member is not None and not member.eof:
        raise _CutError


def _why(error: BaseException) -> str:
    """What went wrong, as the rest of a sentence that begins with the address."""
    # urllib3 wraps what happened to the connection.
    error = error.__cause__ or error
    for kinds, words in _REASONS:
        if isinstance(error, kinds):
            return words
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"has a certificate that cannot be trusted: {_clean(error.verify_message).rstrip('.')}"
    if isinstance(error, ssl.SSLError):
        return "could not be reached: no encrypted connection came about"
    if isinstance(error, OSError) and error.strerror:
        return f"could not be reached: {_clean(error.strerror)}"
    return "did not answer as a web server does"


_REASONS: tuple[tuple[tuple[type[BaseException], ...], str], ...] = (
    ((TimeoutError,), "did not answer in time"),
    ((ConnectionRefusedError,), "could not be reached: it refused the connection"),
    ((http.client.RemoteDisconnected,), "closed the connection without an answer"),
    ((InvalidChunkLength, ProtocolError), "sent a document that is cut off or garbled"),
    ((IncompleteRead, http.client.IncompleteRead, _CutError), "sent only a part of the document"),
    ((ConnectionError, ssl.SSLEOFError), "closed the connection too early"),
    ((zlib.error,), "sent a document whose compression is damaged"),
    ((_UnaskedError,), "sent a document in a compression that was not asked for"),
)


# Headers


def _conditions(etag: str, last_modified: str) -> dict[str, str]:
    given = {"If-None-Match": _clean(etag), "If-Modified-Since": _clean(last_modified)}
    return {name: value for name, value in given.items() if value and _fits_header(value)}


def _fits_header(value: str) -> bool:
    try:
        value.encode("latin-1")
    except UnicodeError:
        return False
    return True


def _first(headers: HTTPHeaderDict, name: str) -> str:
    return next(iter(headers.getlist(name)), "")


def _clean(value: str) -> str:
    """A header's value without control characters, 500 characters at most."""
    return "".join(c for c in value if c.isprintable()).strip()[:500]
