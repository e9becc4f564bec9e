"""Fetches one document with one polite request that a hostile server can neither lead astray nor
hold up (rule 23)."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial
from http import HTTPStatus
from http.client import responses
from urllib.parse import urljoin

from django.utils.http import parse_http_date_safe

from ..records import FetchedDocument
from .exchange import CHUNK, Answer, Clock, Limits, Read, ask, clean, head, whole_body
from .web_address import ResolveHost, Unreachable, WebAddress, checked_ips, read_address

__all__ = ["Unreachable", "fetch", "pair_of", "post", "probe"]

USER_AGENT = "podcast-catalog/1.0 (+podcast archive)"
ACCEPT = (
    "application/rss+xml, application/atom+xml, application/feed+json, "
    "application/xml;q=0.9, text/xml;q=0.9, text/html;q=0.8, */*;q=0.1"
)
MAX_REDIRECTS = 5
LONGEST_HEAD = 1_000_000  # bytes; some sites have scripts before the title
LONGEST_WAIT = timedelta(days=7)  # that a server may ask for

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_FOR_GOOD = frozenset({301, 308})


def fetch(
    address: str,
    *,
    etag: str = "",
    last_modified: str = "",
    accept: str = ACCEPT,
    allow: frozenset[str] = frozenset(),
    max_bytes: int = 20_000_000,
    max_seconds: float = 30.0,
    clock: Clock = time.monotonic,
    resolve_host: ResolveHost = socket.getaddrinfo,
) -> FetchedDocument | None:
    """The document at an `http(s)` address, or None when it has not changed since `etag` and
    `last_modified`.

    `accept` names the media types that the server may choose from. `allow` holds the exact
    `host:port` pairs that may be fetched although they are not public (contract: FETCH_ALLOW).
    `max_bytes` counts the body after decompression; `max_seconds` covers everything, redirects
    included. `clock` gives seconds, `resolve_host` answers like `socket.getaddrinfo`. The page
    keeps the address that was asked for; its validators are "" when another origin served it, as
    they are only ever sent to the origin that was asked.

    Raises `Unreachable` for whatever does not end in a whole document: a bad or private address, a
    failed connection, any status but 200 and 304, a body that is cut, damaged, too large or too
    slow.
    """
    asked = read_address(address)
    limits = Limits(max_bytes, max_seconds, clock)
    conditions = _conditions(etag, last_modified)
    check = partial(checked_ips, allow=allow, resolve_host=resolve_host)
    last, answer = _follow(asked, conditions, limits, check, whole_body, accept)
    if answer.status == HTTPStatus.NOT_MODIFIED:
        return None
    page = FetchedDocument(
        body=answer.body,
        address=address,
        content_type=clean(answer.first("Content-Type")),
        etag=clean(answer.first("ETag")),
        last_modified=clean(answer.first("Last-Modified")),
        moved_to=answer.moved_to,
    )
    return page if last.origin == asked.origin else replace(page, etag="", last_modified="")


def probe(
    address: str,
    *,
    reads_head: bool = False,
    allow: frozenset[str] = frozenset(),
    max_seconds: float = 30.0,
    clock: Clock = time.monotonic,
    resolve_host: ResolveHost = socket.getaddrinfo,
) -> FetchedDocument | None:
    """Ask whether an `http(s)` address is there: it is, where it or what it redirects to answers
    with a success. The document under its last address, or None where it came with another status
    than 200.

    It asks as `fetch` does, by GET because many servers answer HEAD wrongly, and hangs up before
    the body, or with `reads_head` after the `<head>` of a page. `allow`, `clock` and `resolve_host`
    are those of `fetch`.

    Raises `Unreachable` for whatever does not end in a success: a bad or private address, a failed
    connection, any other status, redirects that lead nowhere.
    """
    limits = Limits(LONGEST_HEAD, max_seconds, clock)
    check = partial(checked_ips, allow=allow, resolve_host=resolve_host)
    read: Read = head if reads_head else lambda response, limits: b""
    try:
        last, answer = _follow(read_address(address), {}, limits, check, read)
    except Unreachable as error:
        # A document comes with 200 alone; that there is something, every success says.
        if error.status is None or not 200 <= error.status < 300:
            raise
        return None
    return FetchedDocument(answer.body, last.url, clean(answer.first("Content-Type")))


def post(
    address: str,
    body: bytes,
    content_type: str,
    *,
    allow: frozenset[str] = frozenset(),
    max_seconds: float = 15.0,
    clock: Clock = time.monotonic,
    resolve_host: ResolveHost = socket.getaddrinfo,
) -> None:
    """Send something to an `http(s)` address. Redirects are not followed, and the answer is not
    read.

    Raises `Unreachable` unless the server answers with a success.
    """
    there = read_address(address)
    headers = {"User-Agent": USER_AGENT, "Content-Type": content_type}
    limits = Limits(CHUNK, max_seconds, clock)
    answer = ask(
        there,
        headers,
        checked_ips(there, allow, resolve_host),
        limits,
        lambda response, limits: b"",
        body,
    )
    if not 200 <= answer.status < 300:
        raise Unreachable(f"{there.shown} answered {_status(answer.status)}", status=answer.status)


def pair_of(address: str) -> str:
    """Host and port of an address, as FETCH_ALLOW names them. Raises `Unreachable` for what is no
    http(s) address."""
    return read_address(address).pair


def _follow(
    asked: WebAddress,
    conditions: Mapping[str, str],
    limits: Limits,
    check: Callable[[WebAddress], list[str]],
    read: Read,
    accept: str = ACCEPT,
) -> tuple[WebAddress, Answer]:
    """The last address and its answer, which is 200 or an expected 304. `check` gives the IP
    addresses to connect."""
    hop, seen = asked, [asked]
    moved, for_good = "", True
    while True:
        sent = conditions if hop.origin == asked.origin else {}
        try:
            answer = ask(
                hop, {"User-Agent": USER_AGENT, "Accept": accept, **sent}, check(hop), limits, read
            )
            if answer.status == HTTPStatus.OK or (
                answer.status == HTTPStatus.NOT_MODIFIED and sent
            ):
                return hop, replace(answer, moved_to=moved)
            hop = _next_hop(hop, answer, seen)
            for_good = for_good and answer.status in _FOR_GOOD
            moved = hop.url if for_good else moved
        except Unreachable as error:
            if hop == asked:
                raise
            words = f"{error.message}; redirected from {asked.shown}"
            raise Unreachable(words, error.retry_after, error.status, host=hop.host) from error
        seen.append(hop)


def _next_hop(hop: WebAddress, answer: Answer, seen: list[WebAddress]) -> WebAddress:
    if answer.status not in _REDIRECTS:
        wait = _retry_after(answer.first("Retry-After"))
        asked_to_wait = "" if wait is None else f"; asked to wait {wait} s"
        raise Unreachable(
            f"{hop.shown} answered {_status(answer.status)}{asked_to_wait}", wait, answer.status
        )
    location = answer.first("Location").strip()
    if not location:
        raise Unreachable(
            f"{hop.shown} answered {_status(answer.status)} without a redirect address"
        )
    try:
        following = read_address(urljoin(hop.url, _as_utf8(location)))
    except (Unreachable, ValueError) as error:
        why = str(error) if isinstance(error, Unreachable) else "that is not a valid address"
        raise Unreachable(f"{hop.shown} redirects, but {why}") from error
    if following in seen:
        raise Unreachable(f"{hop.shown} redirects in a loop, back to {following.shown}")
    if len(seen) > MAX_REDIRECTS:
        raise Unreachable(f"{hop.shown} redirects more than {MAX_REDIRECTS} times")
    return following


def _as_utf8(value: str) -> str:
    """A header's text, which http.client reads as Latin-1, as the UTF-8 that servers write into a
    Location."""
    try:
        return value.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return value


def _status(code: int) -> str:
    # Not the server's own phrase: it may say anything.
    return f"{code} {responses.get(code, '')}".rstrip()


def _retry_after(value: str) -> int | None:
    value, longest = value.strip(), round(LONGEST_WAIT.total_seconds())
    if re.fullmatch(r"[0-9]{1,20}", value):
        return min(int(value), longest)
    at = parse_http_date_safe(value)
    return None if at is None else max(0, min(round(at - time.time()), longest))


def _conditions(etag: str, last_modified: str) -> dict[str, str]:
    """Validators as headers; one that fits no header is left out, and the document then comes
    whole."""
    given = {"If-None-Match": etag, "If-Modified-Since": last_modified}
    ascii_only = {name: value.encode("ascii", "ignore").decode() for name, value in given.items()}
    return {name: clean(value) for name, value in ascii_only.items() if value}
