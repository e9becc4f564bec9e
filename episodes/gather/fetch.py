"""Fetches one document with one polite request that a hostile server can neither lead astray nor
hold up (rule 23)."""

import re
import socket
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from http import HTTPStatus
from http.client import responses
from typing import TypeVar
from urllib.parse import urljoin

from django.utils.http import parse_http_date_safe

from ..models import Document, Image
from ..records import DocumentRejected, FetchedDocument
from ..text.urls import host_of
from .exchange import (
    Answer,
    Clock,
    Limits,
    Read,
    ResolveHost,
    Unreachable,
    WebAddress,
    ask,
    clean,
    head,
    read_address,
    whole_body,
)

__all__ = ["Unreachable", "fetch", "pair_of", "post", "probe"]

USER_AGENT = "podcast-catalog/1.0 (+podcast archive)"
ACCEPT = (
    "application/rss+xml, application/atom+xml, "
    "application/xml;q=0.9, text/xml;q=0.9, text/html;q=0.8, */*;q=0.1"
)
MAX_REDIRECTS = 5
MOST_SECONDS_TO_POST = 15.0
LONGEST_HEAD = 1_000_000  # bytes; some sites have scripts before the title
LONGEST_WAIT = timedelta(days=7)  # that a server may ask for

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_FOR_GOOD = frozenset({301, 308})
_SUCCESS = range(200, 300)


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
    limits = Limits(allow, max_seconds, max_bytes, clock, resolve_host)
    validators = {"If-None-Match": etag, "If-Modified-Since": last_modified}
    # One that fits no header is left out, and the document then comes whole.
    fitting = {name: value.encode("ascii", "ignore").decode() for name, value in validators.items()}
    conditions = {name: clean(value) for name, value in fitting.items() if value}
    last, answer = _follow(asked, limits, {HTTPStatus.OK}, conditions, accept, read=whole_body)
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
) -> FetchedDocument:
    """Ask whether an `http(s)` address is there: it is, where it or what it redirects to answers
    with a success. The document comes under its last address.

    It asks as `fetch` does, by GET because many servers answer HEAD wrongly, and hangs up before
    the body, or with `reads_head` after the `<head>` of a page.

    Raises `Unreachable` for whatever does not end in a success: a bad or private address, a failed
    connection, any other status, redirects that lead nowhere.
    """
    limits = Limits(allow, max_seconds, LONGEST_HEAD)
    read = head if reads_head else None
    last, answer = _follow(read_address(address), limits, _SUCCESS, {}, read=read)
    return FetchedDocument(answer.body, last.url, clean(answer.first("Content-Type")))


def post(address: str, body: bytes, content_type: str, *, allow: frozenset[str]) -> None:
    """Send something to an `http(s)` address. Redirects are not followed, and the answer is not
    read.

    Raises `Unreachable` unless the server answers with a success.
    """
    there = read_address(address)
    headers = {"User-Agent": USER_AGENT, "Content-Type": content_type}
    answer = ask(there, headers, Limits(allow, MOST_SECONDS_TO_POST), sent=body)
    if answer.status not in _SUCCESS:
        raise _refusal(there, answer)


def pair_of(address: str) -> str:
    """Host and port of an address, as FETCH_ALLOW names them. Raises `Unreachable` for what is no
    http(s) address."""
    return read_address(address).pair


def _follow(
    asked: WebAddress,
    limits: Limits,
    good: Container[int],
    conditions: Mapping[str, str],
    accept: str = ACCEPT,
    *,
    read: Read | None = None,
) -> tuple[WebAddress, Answer]:
    """The last address and its answer, whose status is a `good` one or an expected 304."""
    hop, moved, for_good = asked, "", True
    try:
        for _ in range(MAX_REDIRECTS + 1):
            # Validators of one server may name a reader to another.
            sent = conditions if hop.origin == asked.origin else {}
            headers = {"User-Agent": USER_AGENT, "Accept": accept, **sent}
            answer = ask(hop, headers, limits, read)
            if answer.status in good or (answer.status == HTTPStatus.NOT_MODIFIED and sent):
                return hop, replace(answer, moved_to=moved)
            hop = _next_hop(hop, answer)
            for_good = for_good and answer.status in _FOR_GOOD
            moved = hop.url if for_good else moved
        raise Unreachable(f"{hop.shown} redirects more than {MAX_REDIRECTS} times")
    except Unreachable as error:
        if hop == asked:
            raise
        words = f"{error.message}; redirected from {asked.shown}"
        raise Unreachable(words, error.retry_after, error.status, host=hop.host) from error


def _next_hop(hop: WebAddress, answer: Answer) -> WebAddress:
    if answer.status not in _REDIRECTS:
        raise _refusal(hop, answer)
    # http.client reads a header as Latin-1; servers write UTF-8 into a Location.
    location = answer.first("Location").strip().encode("latin-1").decode("utf-8", "replace")
    if not location:
        raise Unreachable(f"{hop.shown} redirects, but to no address")
    try:
        return read_address(urljoin(hop.url, location))
    except (Unreachable, ValueError) as error:
        raise Unreachable(f"{hop.shown} redirects, but {error}") from error


def _refusal(hop: WebAddress, answer: Answer) -> Unreachable:
    # Not the server's own phrase: it may say anything.
    status = f"{answer.status} {responses.get(answer.status, '')}".rstrip()
    # In seconds, or as a date.
    asked, at = answer.first("Retry-After"), parse_http_date_safe(answer.first("Retry-After"))
    longest, wait = round(LONGEST_WAIT.total_seconds()), None
    if re.fullmatch(r"\s*[0-9]{1,20}\s*", asked):
        wait = min(int(asked), longest)
    elif at is not None:
        wait = max(0, min(round(at - time.time()), longest))
    asked_to_wait = "" if wait is None else f"; asked to wait {wait} s"
    return Unreachable(f"{hop.shown} answered {status}{asked_to_wait}", wait, answer.status)


# -- many requests of one run ----------------------------------------------------------------------

T = TypeVar("T")
Row = TypeVar("Row", Document, Image)

MOST = 100  # files that one run asks for; the next goes on
MOST_TOLD = 10  # troubles that one run tells one by one
LONGEST = timedelta(days=30)


def wait_of(trouble: Exception | None) -> timedelta:
    """The time for which a server asked to be left alone."""
    return timedelta(seconds=getattr(trouble, "retry_after", None) or 0)


class FetchRun:
    """The requests of one run, which begins with those for the rows that were asked for longest ago.

    `first` is the wait after the first failure; it doubles with each that follows, up to a month.
    """

    def __init__(
        self,
        name: str,
        first: timedelta,
        clock: Callable[[], datetime],
        watch: Callable[[str], None],
    ) -> None:
        self.troubles: list[str] = []
        self._name, self._first, self._clock, self._watch = name, first, clock, watch
        self._left_alone: set[str] = set()  # hosts that did not answer, or asked for it

    def each(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The rows that this run asks for."""
        asked = 0
        for row in rows:
            if asked < MOST and host_of(row.address) not in self._left_alone:
                asked += 1
                self._watch(f"{self._name}: fetching {row.address}")
                yield row

    def ask(self, row: Document | Image, fetch: Callable[[], T]) -> T | None:
        """The file that `fetch` brings; None where it fails. The row, to be saved afterwards, says
        when it was asked for, and why it could not be had until when."""
        last = row.not_before - row.asked_at if row.not_before and row.asked_at else timedelta()
        row.trouble, row.not_before = "", None
        try:
            return fetch()
        except (Unreachable, DocumentRejected) as trouble:
            row.trouble, wait = str(trouble)[:1000], wait_of(trouble)
            patience = min(max(2 * last, self._first), LONGEST)
            row.not_before = self._clock() + max(wait, patience)
            if not isinstance(trouble, Unreachable):
                self.troubles.append(f"{row.address}: {trouble}")
                return None
            self.troubles.append(trouble.message)
            # Whoever does not answer once is spared all other questions of this run.
            if trouble.status is None or wait:
                self._left_alone.add(host_of(row.address))
        finally:
            row.asked_at = self._clock()
        return None

    def told(self, taken: int, words: str) -> str:
        """The result of the run: `words` say what was taken, the first troubles follow; "" where
        there is nothing to say."""
        if not taken and not self.troubles:
            return ""
        failed = f"; failed: {len(self.troubles)}, see /sources/" if self.troubles else ""
        return "\n  ".join([f"{words}: {taken}{failed}", *self.troubles[:MOST_TOLD]])
