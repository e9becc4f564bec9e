"""Answers kept whole: for each version of the catalog an anonymous reader's page is made once and then sent as it is.

A public page depends on its address, the rows it shows and the settings, and on nothing else. So its bytes are kept in
the process under scheme, host and address until the catalog has another version (`episodes.models.CatalogVersion`),
which is looked up at most once a second, or the day ends: pages name the day on which a source was last read, and a
reading that found nothing new makes no version. `PAGES_KEPT` says how many megabytes they may take; 0 keeps none.
"""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from threading import Lock

import brotli
from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.core.exceptions import MiddlewareNotUsed
from django.db import Error
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.middleware.gzip import GZipMiddleware
from django.middleware.http import ConditionalGetMiddleware
from django.utils.cache import get_conditional_response, has_vary_header
from django.utils.http import parse_http_date_safe

from episodes.models import Bounded, CatalogVersion

from .middleware import GetResponse

Address = tuple[str, str, str]  # scheme, host, path with query

LOOK_AGAIN = 1.0  # seconds
# Strangers can make up any number of addresses with a query; these have a part of their own and cannot push out the rest.
FOR_QUERIES = 4  # one part in four
MOST_HOSTS = 16  # with a wildcard in ALLOWED_HOSTS strangers can make up hosts as well
TOO_SHORT = 200  # bytes that no compression makes shorter
OF_THE_REQUEST = ("HTTP_ACCEPT_ENCODING", "HTTP_IF_MODIFIED_SINCE", "HTTP_IF_NONE_MATCH", "HTTP_RANGE")
OF_NOT_MODIFIED = ("Cache-Control", "ETag", "Last-Modified", "Vary")
BROTLI_QUALITY = 5
ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "br": lambda body: brotli.compress(body, quality=BROTLI_QUALITY),
    "gzip": lambda body: gzip.compress(body, compresslevel=6, mtime=0),
}


class KeptPage:
    """The body and headers of an answer; each encoding is made when first asked for."""

    __slots__ = ("bodies", "etag", "headers", "headers_unchanged", "last_modified")

    def __init__(self, response: HttpResponse) -> None:
        self.headers = {name: value for name, value in response.items() if name != "Content-Length"}
        self.headers_unchanged = {name: value for name, value in self.headers.items() if name in OF_NOT_MODIFIED}
        self.bodies = {"": bytes(response.content)}
        self.etag = response.get("ETag")
        modified = response.get("Last-Modified")
        self.last_modified = parse_http_date_safe(modified) if modified else None

    @property
    def size(self) -> int:
        """The bytes that it may take: compressed forms come later and are smaller than the page together."""
        return 2 * len(self.bodies[""])

    def answer(self, request: HttpRequest) -> HttpResponse:
        if self.etag and request.META.get("HTTP_IF_NONE_MATCH") == self.etag:
            return HttpResponseNotModified(headers=self.headers_unchanged)
        encoding = preferred(request.META.get("HTTP_ACCEPT_ENCODING", ""))
        if encoding not in self.bodies:
            whole = self.bodies[""]
            shorter = ENCODERS[encoding](whole) if len(whole) >= TOO_SHORT else whole
            self.bodies[encoding] = shorter if len(shorter) < len(whole) else whole
        body = self.bodies[encoding]
        response = HttpResponse(body, headers=self.headers)
        response.headers["Content-Length"] = str(len(body))
        if body is not self.bodies[""]:
            response.headers["Content-Encoding"] = encoding
        return get_conditional_response(request, self.etag, self.last_modified, response) or response


class KeptPages:
    """The pages of one version of the catalog, of a bounded size; those asked for longest ago go first."""

    def __init__(self, most_bytes: int) -> None:
        self.most = {True: most_bytes // FOR_QUERIES, False: most_bytes - most_bytes // FOR_QUERIES}
        self.lock = Lock()
        self.version = ""
        self.looked_at = float("-inf")
        self._forget()

    def _forget(self) -> None:
        self.pages: dict[bool, Bounded[KeptPage]] = {kind: Bounded(most) for kind, most in self.most.items()}
        self.hosts: set[str] = set()

    def look_at_version(self) -> str:
        """The version under which a page may be kept that is made from now on."""
        now = time.monotonic()
        if now - self.looked_at >= LOOK_AGAIN:
            version = f"{CatalogVersion.current()} {datetime.now(UTC):%Y-%m-%d}"
            with self.lock:
                self.looked_at = now
                if version != self.version:
                    self.version = version
                    self._forget()
        return self.version

    def get(self, address: Address) -> KeptPage | None:
        return self.pages[_has_query(address)].get(address)

    def keep(self, address: Address, page: KeptPage, version: str) -> None:
        with self.lock:
            if version == self.version and self._knows_host(address[1]):
                self.pages[_has_query(address)].put(address, page, page.size)

    def _knows_host(self, host: str) -> bool:
        if len(self.hosts) < MOST_HOSTS:
            self.hosts.add(host)
        return host in self.hosts


def _has_query(address: Address) -> bool:
    return "?" in address[2]


def kept_pages(get_response: GetResponse) -> GetResponse:
    """Answer anonymous requests from what is kept; keep what is made for them."""
    if not settings.PAGES_KEPT:
        raise MiddlewareNotUsed
    pages = KeptPages(settings.PAGES_KEPT * 1_000_000)
    # For a page that is not kept, and was made without the headers that these two look at.
    conditional = ConditionalGetMiddleware(get_response)
    compressing = GZipMiddleware(get_response)

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.method not in ("GET", "HEAD") or is_somebody(request):
            return get_response(request)
        address = (request.scheme or "", request.get_host(), request.get_full_path())
        try:
            version = pages.look_at_version()
        except Error:
            return get_response(request)
        page = pages.get(address)
        if page is None:
            response = _made_whole(request, get_response)
            if not may_be_kept(response):
                answer = conditional.process_response(request, response)
                return compressing.process_response(request, answer)  # type: ignore[return-value]
            page = KeptPage(response)
            pages.keep(address, page, version)
        return page.answer(request)

    return middleware


def _made_whole(request: HttpRequest, get_response: GetResponse) -> HttpResponse:
    """The answer as if the client took anything and had nothing yet."""
    given = {name: request.META.pop(name) for name in OF_THE_REQUEST if name in request.META}
    method, request.method = request.method, "GET"
    try:
        return get_response(request)
    finally:
        request.method = method
        request.META.update(given)


def is_somebody(request: HttpRequest) -> bool:
    """True for a request that brings a session or a message of its own."""
    return not {settings.SESSION_COOKIE_NAME, CookieStorage.cookie_name}.isdisjoint(request.COOKIES)


def may_be_kept(response: HttpResponse) -> bool:
    return (
        response.status_code == 200
        and not response.streaming
        and not response.cookies
        and not has_vary_header(response, "Cookie")
        and not any(word in response.get("Cache-Control", "") for word in ("no-store", "immutable"))
    )


@lru_cache(maxsize=100)
def preferred(accepted: str) -> str:
    """The best of our encodings that an `Accept-Encoding` header takes; "" for none."""
    takes = {}
    for part in accepted.split(","):
        name, _, quality = part.partition(";")
        takes[name.strip().lower()] = quality.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return next((name for name in ENCODERS if takes.get(name)), "")
