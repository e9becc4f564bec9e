"""Fetches a document with one polite request, within limits of time and bytes that no server can
stretch. Only http(s) addresses on hosts of the public internet are fetched. A login is sent to
its own server alone and is in no message."""

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
from base64 import b64encode
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote, unquote, urljoin, urlsplit

from django.conf import settings
from urllib3.connection import HTTPConnection
from urllib3.exceptions import IncompleteRead, InvalidChunkLength, ProtocolError
from urllib3.response import HTTPResponse

from ..models import Document, Image
from ..records import DocumentRejected, FetchedDocument
from ..text.private_addresses import split_login, without_secret
from ..text.public_addresses import is_public_ip
from ..text.urls import host_of
from .limited_process import LimitExceeded
from .retry import Backoff, read_retry_after, requested_wait

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer
    from urllib3 import HTTPHeaderDict

ResolveHost = Callable[..., Iterable[tuple[Any, ...]]]

Origin = tuple[str, str, int]  # scheme, host, port

_PORTS = {"http": 80, "https": 443}


class Unreachable(Exception):
    """A server that could not be reached, or did not answer with a whole document. Its text is one line for
    people, with `advice` for a person who typed the address. `message` is the line without the advice.

    `retry_after` is the pause in seconds that the server wants, at most a week, or None.
    `status` is the HTTP status, None without a response.
    `host` is the host that redirects led to, "" without redirects.
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
    """An address that is parsed once, so that exactly the checked address is used."""

    scheme: str
    host: str  # ASCII, lower case, IPv6 without brackets
    port: int
    target: str  # path and query, percent-encoded

    @property
    def pair(self) -> str:
        return f"{self._name}:{self.port}"

    @property
    def authority(self) -> str:
        return self._name if self.port == _PORTS[self.scheme] else self.pair

    @property
    def origin(self) -> Origin:
        return self.scheme, self.host, self.port

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.authority}{self.target}"

    @property
    def display_url(self) -> str:
        return address_for_messages(self.url.removesuffix("/") if self.target == "/" else self.url)

    @property
    def _name(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host


def parse_fetch_address(address: str) -> WebAddress:
    """Parse an http(s) address: "https://Loom.example/a b" has the host "loom.example", the port 443 and the
    target "/a%20b". Raise `Unreachable` if it is invalid, or has a user name or password in it."""
    label = address_for_messages(address) or "An empty address"
    # No control characters, line separators or halves of characters. urlsplit drops some of them silently,
    # so that another address would be fetched.
    if not re.fullmatch(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+", address):
        raise Unreachable(f"{label} is not a valid address")
    if not address.lower().startswith(("http:", "https:")):
        raise Unreachable(f"{label} is not an http or https address")
    try:
        parts = urlsplit(address)
        host = _ascii_host(parts.hostname or "")
        port = _PORTS[parts.scheme] if parts.port is None else parts.port
    except ValueError as error:  # of the host, or of a port such as "99999" or "x"
        raise Unreachable(f"{label} is not a valid address") from error
    if "@" in parts.netloc:
        raise Unreachable(f"{label} contains a user name or password, which are never sent")
    target = _percent_encoded_target(parts.path, parts.query)
    return WebAddress(parts.scheme, host, port, target)


def _percent_encoded_target(path: str, query: str) -> str:
    """Return path and query as a request names them: "/a%20b?q=%C3%BC" of "/a b" and "q=ü"."""
    # These characters stay as they are. With "%", an encoded address is not encoded again.
    safe_in_path = "/%:@!$&'()*+,;=~"
    target = quote(path or "/", safe=safe_in_path)
    if query:
        encoded_query = quote(query, safe=f"{safe_in_path}?[]|")
        target += f"?{encoded_query}"
    return target


def resolve_public_ips(
    address: WebAddress, allowed_private_hosts: frozenset[str], resolve_host: ResolveHost
) -> list[str]:
    """Return the IP addresses of the host, such as ["93.184.216.34"]. Raise `Unreachable` if any of them is not
    public, unless `allowed_private_hosts` has the host with its port ("intranet:8080")."""
    is_allowed = address.pair in allowed_private_hosts
    if not is_allowed and address.port not in _PORTS.values():
        raise Unreachable(
            f"{address.display_url} uses port {address.port}; only ports 80 and 443 and the hosts in FETCH_ALLOW may be fetched"
        )
    ips = _resolve_ips(address, resolve_host)
    if not ips:
        raise Unreachable(
            f"{address.display_url} could not be reached: host not found: {address.host}"
        )
    # A name on the internet may lead to a private machine: anybody can give a name any IP address.
    if not is_allowed and not all(map(is_public_ip, ips)):
        raise Unreachable(
            f"{address.display_url} is not on the public internet",
            advice=f"to allow it, add {address.pair} to FETCH_ALLOW",
        )
    return ips


def _resolve_ips(address: WebAddress, resolve_host: ResolveHost) -> list[str]:
    ips: dict[str, None] = {}  # each once, in the order of the answer
    with suppress(OSError, UnicodeError):  # the host is not found
        records = resolve_host(address.host, address.port, type=socket.SOCK_STREAM)
        # As of `socket.getaddrinfo`: the address of a socket begins with the IP address.
        for _family, _type, _protocol, _name, socket_address in records:
            ips[str(socket_address[0])] = None
    return list(ips)


def address_for_messages(address: str) -> str:
    """Return an address in one line of at most 200 characters, without password or token."""
    plain, _ = split_login(address)
    text = without_secret("".join(c for c in plain if c.isprintable()))
    return text if len(text) <= 200 else text[:199] + "…"


def _ascii_host(host: str) -> str:
    """Return the host of an address in lower-case ASCII, an IPv6 address in its short form.

    Raises:
        ValueError: it is no name of a host.
    """
    is_ipv6 = ":" in host
    has_zone = "%" in host  # "fe80::1%eth0" is of one machine only, and is refused below
    if is_ipv6 and not has_zone:
        return str(ipaddress.IPv6Address(host))
    name = host.encode("idna").decode("ascii").lower()
    if not re.fullmatch(r"[a-z0-9_][a-z0-9_.-]{0,252}", name):
        raise ValueError("not a host name")
    return name


Clock = Callable[[], float]

CHUNK = 65_536  # bytes

# urllib3 logs broken headers of a server with a traceback. The raised error says enough.
logging.getLogger("urllib3").setLevel(logging.ERROR)


class FetchLimits:
    """The time and the bytes that are left for a fetch, over all its requests, and the hosts that it may
    use: public hosts, and hosts in `allowed_private_hosts`."""

    def __init__(
        self,
        allowed_private_hosts: frozenset[str],
        max_seconds: float,
        max_bytes: int = CHUNK,
        clock: Clock = time.monotonic,
        resolve_host: ResolveHost = socket.getaddrinfo,
    ) -> None:
        """Start the clock: `max_seconds` count from now. `allowed_private_hosts` are `host:port` pairs."""
        self.max_bytes = max_bytes
        self.allowed_private_hosts = allowed_private_hosts
        self.resolve_host = resolve_host
        self.display_url = ""  # the address of the current request
        self._max_seconds = max_seconds
        self._clock = clock
        self._end = clock() + max_seconds
        # Bytes that may still arrive, over all requests, with room for redirects, headers and the sizes of
        # chunks. A compressed body is hardly larger than its text, which is counted apart.
        self.wire_bytes_left = 2 * max_bytes + 1_000_000

    def seconds_left(self) -> float:
        """Return a number above 0, or raise `Unreachable` if no time is left."""
        left = self._end - self._clock()
        if left <= 0:
            raise self.too_slow()
        return left

    def require_time_left(self) -> None:
        self.seconds_left()

    def too_slow(self) -> Unreachable:
        return Unreachable(f"{self.display_url} took longer than {self._max_seconds:g} s")

    def too_large(self) -> Unreachable:
        return Unreachable(f"{self.display_url} is larger than {self.max_bytes:,} bytes")


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a server to one request. Its body is empty unless it was read."""

    status: int
    headers: HTTPHeaderDict
    body: bytes = b""
    moved_to: str = ""  # the last address of the permanent redirects that led here

    def first(self, name: str) -> str:
        return next(iter(self.headers.getlist(name)), "")


Read = Callable[[HTTPResponse, FetchLimits], bytes]


def send_single_request(
    address: WebAddress,
    headers: Mapping[str, str],
    limits: FetchLimits,
    read_body: Read | None = None,
    *,
    post_body: bytes | None = None,
) -> Answer:
    """Send a GET request, or a POST request if there is a `post_body`, and return the answer. Follow no
    redirects.

    `read_body` reads the body of an answer with the status 200 or 203. Other bodies are not read.

    Raises `Unreachable` for any failure.
    """
    limits.display_url = address.display_url  # for the messages of errors
    ips = resolve_public_ips(address, limits.allowed_private_hosts, limits.resolve_host)
    method = "GET" if post_body is None else "POST"
    all_headers = {
        "Host": address.authority,
        **headers,
        "Accept-Encoding": "gzip",
        "Connection": "close",  # one request for each connection
    }
    try:
        with (
            _connect_to_first_reachable_ip(address, ips, limits) as plain,
            _wrap_in_tls_if_https(plain, address, limits) as sock,
        ):
            connection = HTTPConnection(address.host, address.port)
            # With an open socket urllib3 does not look up the host again: the checked IP address counts.
            connection.sock = _Wire(sock, limits)
            connection.request(
                method, address.target, post_body, all_headers, preload_content=False
            )
            with closing(connection.getresponse()) as response:
                body = b""
                if read_body and response.status in DOCUMENT_STATUSES:
                    body = read_body(response, limits)
                return Answer(response.status, response.headers, body)
    except Unreachable:
        raise
    except Exception as error:
        # A hostile server can cause errors of any class in http.client and urllib3. urllib3 wraps the
        # error of the connection, which is the cause.
        reason = _reason_of_failure(error.__cause__ or error)
        raise Unreachable(f"{address.display_url} {reason}") from error


def _connect_to_first_reachable_ip(
    address: WebAddress, ips: Sequence[str], limits: FetchLimits
) -> socket.socket:
    last_error = OSError("no address to connect to")
    for position, ip in enumerate(ips):
        remaining_ips = len(ips) - position  # with this one
        try:
            # Each IP address gets an equal share of the time, so that a dead one leaves time for the next.
            seconds = limits.seconds_left() / remaining_ips
            return socket.create_connection((ip, address.port), timeout=seconds)
        except OSError as error:
            last_error = error
    # Whatever the last error is, a lack of time is the reason to report.
    limits.require_time_left()
    raise last_error


def _wrap_in_tls_if_https(
    sock: socket.socket, address: WebAddress, limits: FetchLimits
) -> socket.socket:
    if address.scheme == "http":
        return sock
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    sock.settimeout(limits.seconds_left())
    # "example.org." is the same host, but no certificate names it so.
    server_name = address.host.rstrip(".")
    return context.wrap_socket(sock, server_hostname=server_name)


class _Wire(io.RawIOBase):
    """Stands for the socket in an HTTP connection, and holds every byte in and out to the limits.

    A socket's own timeout starts anew with every byte, so a server that drips could go on for ever.
    """

    def __init__(self, sock: socket.socket, limits: FetchLimits) -> None:
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
        """Receive bytes into a buffer, and return their number. Raise `Unreachable` beyond the limits."""
        self._sock.settimeout(self._limits.seconds_left())
        try:
            count = self._sock.recv_into(buffer)
        except TimeoutError:
            raise self._limits.too_slow() from None
        self._limits.wire_bytes_left -= count
        if self._limits.wire_bytes_left < 0:
            raise self._limits.too_large()
        return count

    def settimeout(self, value: object) -> None:
        """Do nothing: the limits set the timeout before each use."""

    def close(self) -> None:
        """Leave the socket open: http.client closes its connection before the body is read."""


# -- the body ------------------------------------------------------------------------------------------


def read_full_body(response: HTTPResponse, limits: FetchLimits) -> bytes:
    """Return the decompressed body. Raise `Unreachable` if it exceeds the limits."""
    body = bytearray()
    for piece in _iterate_decompressed_body(response):
        body += piece
        if len(body) > limits.max_bytes:
            raise limits.too_large()
    return bytes(body)


def read_html_head(response: HTTPResponse, limits: FetchLimits) -> bytes:
    """Return the beginning of an HTML page with its `<head>`, up to the limit, or b"" for other documents."""
    is_html = "html" in response.headers.get("Content-Type", "").lower()
    if not is_html:
        return b""
    # In capitals, as on old pages, it is not noticed, and the page is read up to the limit.
    end_of_head = b"</head"
    body = bytearray()
    # Of a damaged page the bytes before the damage count: it is there, and may have its title in them.
    with suppress(Exception):
        for piece in _iterate_decompressed_body(response):
            body += piece
            # A piece may begin within the tag, so look at the few bytes before it, too.
            piece_and_bytes_before = body[-len(piece) - len(end_of_head) :]
            if end_of_head in piece_and_bytes_before or len(body) > limits.max_bytes:
                break
    return bytes(body)


def _iterate_decompressed_body(response: HTTPResponse) -> Iterator[bytes]:
    pieces: Iterable[bytes] = response.stream(CHUNK, decode_content=False)
    # Some servers write a character set here, which is ignored. Another compression was not requested:
    # its bytes are passed on, and are refused as no text.
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    if encoding in ("gzip", "x-gzip"):
        pieces = _iterate_gunzipped_pieces(pieces)
    yield from pieces


def _iterate_gunzipped_pieces(compressed_pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the decompressed body in pieces of at most CHUNK bytes, some of them empty.

    Raises:
        _CutError: the body ends early, or has more than zeros behind its end.
    """
    expects_gzip_header = 16  # added to the size of the window, as zlib wants it
    decompressor = zlib.decompressobj(expects_gzip_header + zlib.MAX_WBITS)
    for piece in compressed_pieces:
        compressed = piece
        while compressed:
            # A limit for each call, as a few bytes can stand for a million zeros.
            yield decompressor.decompress(compressed, CHUNK)
            # The rest of the piece, which was not decompressed because of the limit.
            compressed = decompressor.unconsumed_tail
        bytes_behind_end = decompressor.unused_data
        if bytes_behind_end.strip(b"\0"):  # zeros are padding
            raise _CutError
    if not decompressor.eof:
        raise _CutError


def decompress_saved_document_if_gzip(body: bytes, max_bytes: int) -> bytes:
    """Return the bytes of a saved document, decompressed if they are a gzip file.

    Raises:
        DocumentRejected: the gzip file is damaged, or larger than `max_bytes` when it is decompressed.
    """
    first_bytes_of_gzip = b"\x1f\x8b"
    if not body.startswith(first_bytes_of_gzip):
        return body
    unpacked = bytearray()
    try:
        for piece in _iterate_gunzipped_pieces([body]):
            unpacked += piece
            # Decompressed piece by piece: a small file may hold any number of bytes.
            if len(unpacked) > max_bytes:
                raise DocumentRejected(
                    f"decompressed, it is larger than {max_bytes // 1_000_000} MB"
                )
    except (_CutError, zlib.error):
        raise DocumentRejected("it is a damaged gzip file; compress the document again") from None
    return bytes(unpacked)


# -- what went wrong ------------------------------------------------------------------------------------


class _CutError(Exception):
    """A body that ends before its compression, or goes on after it. urllib3's own decoder would accept
    it."""


# The first class that fits counts, so a class comes before those that it is derived from.
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


def _reason_of_failure(error: BaseException) -> str:
    words = next(words for kinds, words in _REASONS if isinstance(error, kinds))
    detail = getattr(error, "verify_message", "") or getattr(error, "strerror", "")
    return words.format(printable_line(str(detail)))


def printable_line(text: str) -> str:
    return "".join(c for c in text if c.isprintable()).strip()[:500]


# -- polite requests -------------------------------------------------------------------------------

ACCEPT = (
    "application/rss+xml, application/atom+xml, "
    "application/xml;q=0.9, text/xml;q=0.9, text/html;q=0.8, */*;q=0.1"
)
MAX_REDIRECTS = 5
# A proxy that changed something on the way, such as its compression, answers 203.
DOCUMENT_STATUSES = frozenset({HTTPStatus.OK, HTTPStatus.NON_AUTHORITATIVE_INFORMATION})


def fetch(
    address: str,
    *,
    login: str = "",
    etag: str = "",
    last_modified: str = "",
    accept: str = ACCEPT,
    allowed_private_hosts: frozenset[str] = frozenset(),
    max_bytes: int = 20_000_000,
    max_seconds: float = 30.0,
    clock: Clock = time.monotonic,
    resolve_host: ResolveHost = socket.getaddrinfo,
) -> FetchedDocument | None:
    """Return the document at an `http(s)` address, or None if it is unchanged since `etag` and
    `last_modified`.

    `login` is `https://name:password@host`. It is sent to that server alone, wherever redirects lead.
    `accept` has the media types that the server may choose from. `allowed_private_hosts` has the exact `host:port`
    pairs that may be fetched although they are not public (FETCH_ALLOW). `max_bytes` counts
    the body after decompression. `max_seconds` includes redirects. `clock` returns seconds,
    `resolve_host` is like `socket.getaddrinfo`. The page keeps the requested address. Its validators
    are "" if another origin served it, as they are only sent to the requested origin.

    Raises `Unreachable` for a bad or private address, a failed connection, any status but 200, 203 and
    304, and a body that is cut, damaged, too large or too slow.
    """
    requested = parse_fetch_address(address)
    limits = FetchLimits(allowed_private_hosts, max_seconds, max_bytes, clock, resolve_host)
    headers = RequestHeaders(accept)
    headers.add_validators(requested, etag, last_modified)
    if login:
        headers.add_login(login)
    last_address, answer = _follow_redirects_to_address_and_answer(
        requested, limits, DOCUMENT_STATUSES, headers, read_body=read_full_body
    )
    if answer.status == HTTPStatus.NOT_MODIFIED:
        return None
    page = FetchedDocument(
        body=answer.body,
        address=address,
        content_type=printable_line(answer.first("Content-Type")),
        etag=printable_line(answer.first("ETag")),
        last_modified=printable_line(answer.first("Last-Modified")),
        moved_to=answer.moved_to,
        login=login,
    )
    if last_address.origin != requested.origin:
        return replace(page, etag="", last_modified="")
    return page


def probe_final_page(
    address: str,
    *,
    reads_html_head: bool = False,
    allowed_private_hosts: frozenset[str] = frozenset(),
    max_seconds: float = 30.0,
) -> FetchedDocument:
    """Check that an `http(s)` address, after redirects, answers with a success. Return the document
    under its last address.

    The request is a GET, because many servers answer HEAD wrongly. The connection is closed before the
    body, or with `reads_html_head` after the `<head>` of a page.

    Raises `Unreachable` for a bad or private address, a failed connection, any other status, and
    redirects without a valid target.
    """
    # Some sites have many scripts before the title.
    limits = FetchLimits(allowed_private_hosts, max_seconds, max_bytes=1_000_000)
    read_body = read_html_head if reads_html_head else None
    any_success = range(200, 300)
    last_address, answer = _follow_redirects_to_address_and_answer(
        parse_fetch_address(address), limits, any_success, RequestHeaders(), read_body=read_body
    )
    return FetchedDocument(
        answer.body, last_address.url, printable_line(answer.first("Content-Type"))
    )


def post_and_require_success(
    address: str, body: bytes, content_type: str, *, allowed_private_hosts: frozenset[str]
) -> None:
    """Send a POST request to an `http(s)` address. Ignore redirects and the body of the answer.

    Raises `Unreachable` unless the server answers with a success.
    """
    target = parse_fetch_address(address)
    headers = {"User-Agent": settings.USER_AGENT, "Content-Type": content_type}
    limits = FetchLimits(allowed_private_hosts, max_seconds=15.0)
    answer = send_single_request(target, headers, limits, post_body=body)
    if not 200 <= answer.status < 300:
        raise _build_status_error(target, answer)


def host_and_port(address: str) -> str:
    """Return host and port of an address, as in FETCH_ALLOW. Raise `Unreachable` if it is no http(s)
    address."""
    return parse_fetch_address(address).pair


class RequestHeaders:
    """The headers for the requests of one fetch. Each server gets its own validators, login and cookies
    only."""

    def __init__(self, accept: str = ACCEPT) -> None:
        self._common = {"User-Agent": settings.USER_AGENT, "Accept": accept}
        self._validators_of: dict[Origin, dict[str, str]] = defaultdict(dict)
        self._headers_of: dict[Origin, dict[str, str]] = defaultdict(dict)
        self._cookies: dict[Origin, dict[str, str]] = defaultdict(dict)

    def for_hop(self, hop: WebAddress) -> dict[str, str]:
        return self._common | self._validators_of[hop.origin] | self._headers_of[hop.origin]

    def add_validators(self, hop: WebAddress, etag: str, last_modified: str) -> None:
        # With them the server answers 304 if its document is still the same.
        for name, value in (("If-None-Match", etag), ("If-Modified-Since", last_modified)):
            # Headers are ASCII.
            ascii_value = value.encode("ascii", "ignore").decode()
            if ascii_value:
                self._validators_of[hop.origin][name] = printable_line(ascii_value)

    def are_conditional_for(self, hop: WebAddress) -> bool:
        return bool(self._validators_of[hop.origin])

    def remove_validators(self, hop: WebAddress) -> None:
        self._validators_of[hop.origin].clear()

    def add_login(self, login: str) -> None:
        """Add `https://name:password@host` for that server, by the Basic scheme (RFC 7617).

        Raises `Unreachable` if its server's address is invalid.
        """
        server, _ = split_login(login)
        _, _, without_scheme = login.partition("://")
        name_and_password, _, _ = without_scheme.rpartition("@")
        encoded = b64encode(unquote(name_and_password).encode()).decode()
        origin = parse_fetch_address(server).origin
        self._headers_of[origin]["Authorization"] = f"Basic {encoded}"

    def add_cookies_of_answer(self, hop: WebAddress, answer: Answer) -> None:
        """Keep the cookies of an answer for the next request: some sites redirect to the same address
        until one comes back."""
        cookies = self._cookies[hop.origin]
        for header in answer.headers.getlist("Set-Cookie"):
            # "name=value; Path=/; Secure"
            name_and_value, _, _ = header.partition(";")
            name, _, _ = name_and_value.strip().partition("=")
            cookies[name] = name_and_value.strip()
            self._headers_of[hop.origin]["Cookie"] = "; ".join(cookies.values())


def _follow_redirects_to_address_and_answer(
    requested: WebAddress,
    limits: FetchLimits,
    accepted_statuses: Container[int],
    headers: RequestHeaders,
    *,
    read_body: Read | None = None,
) -> tuple[WebAddress, Answer]:
    """Return the last address and its answer, with a status in `accepted_statuses`, or 304 for a conditional
    request."""
    hop = requested  # the address of the next request
    moved_to = ""
    are_all_permanent = True  # the redirects until now
    try:
        for _ in range(MAX_REDIRECTS + 1):
            # Only the requested server gets validators, so after a redirect a request may be unconditional.
            is_conditional = headers.are_conditional_for(hop)
            answer = send_single_request(hop, headers.for_hop(hop), limits, read_body)
            is_unchanged = is_conditional and answer.status == HTTPStatus.NOT_MODIFIED
            if answer.status in accepted_statuses or is_unchanged:
                return hop, replace(answer, moved_to=moved_to)
            if is_conditional and answer.status == HTTPStatus.PRECONDITION_FAILED:
                # Some servers refuse a validator that they sent themselves. Ask again without it.
                headers.remove_validators(hop)
                continue
            headers.add_cookies_of_answer(hop, answer)
            hop = _require_redirect_target(hop, answer)
            # 301 and 308. A permanent redirect behind a temporary one is not of the requested address.
            are_all_permanent = are_all_permanent and answer.status in (301, 308)
            if are_all_permanent:
                moved_to = hop.url
        raise Unreachable(f"{hop.display_url} redirects more than {MAX_REDIRECTS} times")
    except Unreachable as error:
        was_redirected = hop != requested
        if not was_redirected:
            raise
        raise _error_after_redirect(error, requested, hop) from error


def _error_after_redirect(
    error: Unreachable, requested: WebAddress, hop: WebAddress
) -> Unreachable:
    message = f"{error.message}; redirected from {requested.display_url}"
    return Unreachable(message, error.retry_after, error.status, host=hop.host)


def _require_redirect_target(hop: WebAddress, answer: Answer) -> WebAddress:
    """Return the address that an answer redirects to.

    Raises:
        Unreachable: the answer is no redirect, or has no valid target.
    """
    if answer.status not in (301, 302, 303, 307, 308):
        raise _build_status_error(hop, answer)
    # http.client reads a header as Latin-1, but servers write UTF-8 into a Location.
    location = answer.first("Location").strip().encode("latin-1").decode("utf-8", "replace")
    if not location:
        raise Unreachable(f"{hop.display_url} redirects, but to no address")
    try:
        return parse_fetch_address(urljoin(hop.url, location))
    except (Unreachable, ValueError) as error:
        raise Unreachable(f"{hop.display_url} redirects, but {error}") from error


def _build_status_error(hop: WebAddress, answer: Answer) -> Unreachable:
    # The standard phrase, as the server's own may be any text.
    phrase = http.client.responses.get(answer.status, "")
    message = f"{hop.display_url} answered {answer.status} {phrase}".rstrip()
    wait = read_retry_after(answer.first("Retry-After"))
    if wait is not None:
        message += f"; asked to wait {wait} s"
    if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
        wait = wait or 1_800  # half an hour, if the server names no time
    return Unreachable(message, wait, answer.status)


# -- many requests of one run ----------------------------------------------------------------------

T = TypeVar("T")
Row = TypeVar("Row", Document, Image)

MAX_FILES_PER_RUN = 100


class FetchRun:
    """The requests of one run, for the files of rows. Counts failures, and spares servers that fail.

    `first_wait` is the wait after the first failure. It doubles with each failure, up to a month.
    """

    def __init__(
        self,
        name: str,
        first_wait: timedelta,
        clock: Callable[[], datetime],
        on_progress: Callable[[str], None],
    ) -> None:
        """Start a run, which begins no request after a minute. `name` is the name of the show or source in messages."""
        self.troubles: list[str] = []
        self._name = name
        self._clock = clock
        self._on_progress = on_progress
        self._backoff = Backoff(first_wait, timedelta(days=30))
        self._silent_or_paused_hosts: set[str] = set()
        self.exceeded_limit = False  # a file took more memory or time than a file may take
        self._ends_at = clock() + timedelta(minutes=1)
        self._attempts = 0

    def iterate_rows_to_fetch_and_count_attempts(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Yield the rows to fetch, within the limits of a run, each with this attempt counted as a failure.

        The caller saves each row before the request, so that after a kill the next process does not begin with it
        again. `fetch_or_none_and_set_row_outcome` clears the failure after a success.
        """
        for row in rows:
            is_time_over = self._clock() > self._ends_at
            are_attempts_used_up = self._attempts == MAX_FILES_PER_RUN
            # After a file that exceeded a limit: a feed can name any number of such files.
            if self.exceeded_limit or is_time_over or are_attempts_used_up:
                return
            if host_of(row.address) not in self._silent_or_paused_hosts:
                self._on_progress(f"{self._name}: fetching {address_for_messages(row.address)}")
                self._count_attempt(row)
                yield row

    def _count_attempt(self, row: Document | Image) -> None:
        self._attempts += 1
        row.failures += 1
        row.asked_at = self._clock()
        row.not_before = self._backoff.next_attempt(row.asked_at, row.failures)

    def fetch_or_none_and_set_row_outcome(
        self, row: Document | Image, fetch: Callable[[], T]
    ) -> T | None:
        """Return the result of `fetch`, None if it fails. Set the row's columns about the request: its
        time, the trouble, the number of failures and the time of the next attempt."""
        failures = row.failures  # with this attempt, which was counted in advance
        # The columns after a success. A failure overwrites them.
        row.trouble = ""
        row.not_before = None
        row.failures = 0
        try:
            return fetch()
        except DocumentRejected as error:  # the file is no good
            self._note_failure(row, failures, error)
            self.troubles.append(f"{address_for_messages(row.address)}: {error}")
            self.exceeded_limit = isinstance(error, LimitExceeded)
        except Unreachable as error:
            self._note_failure(row, failures, error)
            self.troubles.append(error.message)
            did_not_answer = error.status is None
            if did_not_answer or requested_wait(error):
                # No further requests to this host in this run.
                self._silent_or_paused_hosts.add(host_of(row.address))
        finally:
            row.asked_at = self._clock()
        return None

    def _note_failure(self, row: Document | Image, failures: int, error: Exception) -> None:
        row.trouble = str(error)[:1000]  # the size of the column
        row.failures = failures
        row.not_before = self._backoff.next_attempt(self._clock(), failures, error)

    def summary_or_blank(self, stored_count: int, label: str) -> str:
        """Return the number of stored files and the first troubles, "" if there is neither."""
        if not stored_count and not self.troubles:
            return ""
        line = f"{label}: {stored_count}"
        if self.troubles:
            line += f"; failed: {len(self.troubles)}, see /sources/"
        return "\n  ".join([line, *self.troubles[:10]])
