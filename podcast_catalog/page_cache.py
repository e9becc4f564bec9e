"""Kept pages: a page that was made for an anonymous reader is sent again until the catalog has
another version.

Such a page depends on its address, the rows it shows and the settings, and on nothing else. So it
is kept in Django's cache under the catalog's version (`episodes.models.CatalogVersion`), scheme,
host, address and encoding. The version is looked up at most once a second in each process. If the
database does not answer, the last version counts, and kept pages are sent with a warning, for as long
as they are kept.
"""

import gzip
import logging
import re
import time
from collections.abc import Callable
from threading import Lock
from typing import Any, cast

import brotli
from django.conf import settings
from django.core.cache import BaseCache, caches
from django.core.exceptions import DisallowedHost, MiddlewareNotUsed
from django.core.handlers.wsgi import WSGIRequest
from django.db import Error
from django.http import HttpRequest, HttpResponse
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import get_conditional_response, has_vary_header
from django.utils.http import parse_http_date_safe
from django.utils.module_loading import import_string

from episodes.models import CatalogVersion
from episodes.text.fingerprints import fingerprint
from episodes.text.urls import without_campaign

from .middleware import PROBES, GetResponse, accepted_encodings

CachedPage = tuple[int, dict[str, str], bytes]  # status, headers, body

PAGE_CACHES = ("default", "made_up", "large")  # in which a page may be kept
LOOK_AGAIN = 1.0  # seconds
REVALIDATION_FAILED = '111 - "Revalidation Failed"'  # in the words of RFC 7234
PAGE = "catalog.kept_page"  # the key of a WSGI environment
LASTS = 3_600  # seconds: until then a page may name an earlier day on which a source was read
# Pages of what becomes of every reading, which raises no version where nothing else changed.
LASTS_SHORTER = dict.fromkeys(("/sources/", "/changes/", "/changes.rss"), 300)
# No pages of readers: the admin, files, and what watches the process.
ASIDE = ("/admin/", f"/{settings.STATIC_URL.strip('/')}/", *PROBES)
NOT_KEPT = {"no-store", "immutable"}
ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "br": lambda body: brotli.compress(body, quality=BROTLI_QUALITY),
    "gzip": lambda body: gzip.compress(body, compresslevel=6, mtime=0),
}
BROTLI_QUALITY = 5

log = logging.getLogger(__name__)


class LatestVersion:
    """The version of the catalog as it was at most a second ago, or when the database last
    answered."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.forget()

    def forget(self) -> None:
        self.expire()
        self.value: str | None = None
        self.is_current = False
        self.has_waiting = False  # a show waits to be resolved

    def expire(self) -> None:
        """Let the next request look."""
        self.looked_at = float("-inf")

    def must_look(self) -> bool:
        return time.monotonic() - self.looked_at >= LOOK_AGAIN

    def now(self) -> str:
        """Ask one thread at a time: a slow answer must not replace a newer one.

        Raises:
            Error: the database does not answer, and never did.
        """
        with self.lock:
            if self.must_look():
                asked_at = time.monotonic()
                try:
                    self.value, self.has_waiting = CatalogVersion.current_and_waiting()
                    self.is_current = True
                except Error as error:
                    if self.value is None:
                        raise
                    self.is_current = False
                    # A server that cannot be reached takes longer to fail than a second.
                    asked_at = time.monotonic()
                    reason = " ".join(str(error).split())
                    log.error("The database does not answer, kept pages are sent: %s", reason)
                self.looked_at = asked_at
            return cast(str, self.value)


latest_version = LatestVersion()
resolve_lock = Lock()


def cache_pages(get_response: GetResponse) -> GetResponse:
    """Answer anonymous requests from what is kept; keep what is made for them."""
    if not settings.PAGES_KEPT:
        raise MiddlewareNotUsed
    latest_version.forget()
    # For an answer that is not kept, and was made without looking at what the client takes.
    compressing = GZipMiddleware(get_response)

    def middleware(request: HttpRequest) -> HttpResponse:
        if not is_anonymous_read(request):
            return get_response(request)
        encoding = choose_encoding(request.META.get("HTTP_ACCEPT_ENCODING", ""))
        try:
            key = cache_key(request, encoding, current_version())
        except (DisallowedHost, Error):
            return get_response(request)
        kept = find_cached(key)
        if kept is None:
            response = render_whole(request, get_response)
            if not is_cacheable(response):
                return compressing.process_response(request, response)  # type: ignore[return-value]
            kept = encode_page(response, encoding)
            if name := choose_cache(request, response, len(kept[-1])):
                call_cache(name, "set", key, kept, LASTS_SHORTER.get(request.path_info, LASTS))
        return page_response(request, kept)

    return middleware


def current_version() -> str:
    """Return the version of the catalog, after resolving a show that nothing in the background
    resolves.

    Raises:
        Error: the database does not answer, and never did.
    """
    current = latest_version.now()
    # Of several requests that come at once, one resolves.
    if not latest_version.has_waiting or not resolve_lock.acquire(blocking=False):
        return current
    try:
        # Pages of readers start without it (0.4 s).
        from episodes.resolve import resolve_forgotten

        if resolve_forgotten():
            latest_version.expire()
    finally:
        resolve_lock.release()
    return latest_version.now()


class CachedPages:
    """The kept pages that are sent without waiting: neither the database nor a server of caches is
    asked."""

    def __init__(self) -> None:
        self.send = with_observers(lambda request: page_response(request, request.META[PAGE]))

    def response(self, environ: dict[str, Any]) -> HttpResponse | None:
        """Return the response to a request, or None if it has to be made or waited for."""
        if settings.CACHE_URL or latest_version.must_look():
            return None
        request = WSGIRequest(environ)
        if not is_anonymous_read(request):
            return None
        encoding = choose_encoding(request.META.get("HTTP_ACCEPT_ENCODING", ""))
        try:
            page = find_cached(cache_key(request, encoding, cast(str, latest_version.value)))
        except DisallowedHost:
            return None
        if page is None:
            return None
        request.META[PAGE] = page
        return self.send(request)


def with_observers(get_response: GetResponse) -> GetResponse:
    """Return the same within the middlewares that count and log requests."""
    for name in reversed(settings.OBSERVERS):
        get_response = import_string(name)(get_response)
    return get_response


def cache_key(request: HttpRequest, encoding: str, catalog_version: str) -> str:
    """Return the key under which a page is kept.

    Raises:
        DisallowedHost: the site has no such name.
    """
    request.META["QUERY_STRING"] = without_campaign(request.META.get("QUERY_STRING", ""))
    host, path = request.get_host(), request.get_full_path()
    parts = catalog_version, request.scheme or "", host, path, encoding
    return fingerprint(*parts)


def find_cached(key: str) -> CachedPage | None:
    return next(filter(None, (call_cache(name, "get", key) for name in PAGE_CACHES)), None)


def call_cache(name: str, verb: str, *arguments: Any) -> Any:
    """Ask a cache; a server of caches that fails costs time, and no answer."""
    cache: BaseCache = caches[name]
    try:
        return getattr(cache, verb)(*arguments)
    except Exception as error:  # each kind of cache has errors of its own
        log.warning("the cache of pages failed: %s: %s", type(error).__name__, error)
        return None


def choose_cache(request: HttpRequest, response: HttpResponse, size: int) -> str | None:
    """The name of the cache for a page of that size; None for one that is too large."""
    # Addresses that strangers can vary at will must not push out the pages that many ask for.
    has_own_host = request.get_host() in settings.ALLOWED_HOSTS
    is_made_up = not has_own_host or response.status_code == 404 or request.META["QUERY_STRING"]
    page, large = settings.PAGE_BYTES, settings.LARGE_BYTES
    sizes = {"made_up": page} if is_made_up else {"default": page, "large": large}
    return next((name for name, most in sizes.items() if size <= most), None)


def is_anonymous_read(request: HttpRequest) -> bool:
    """True for a request to read a page of readers as everybody sees it: without a session or a
    message of its own."""
    own = (settings.SESSION_COOKIE_NAME, "messages")
    is_read = request.method in ("GET", "HEAD") and not request.path_info.startswith(ASIDE)
    return is_read and request.COOKIES.keys().isdisjoint(own)


def render_whole(request: HttpRequest, get_response: GetResponse) -> HttpResponse:
    """The answer as to a client that takes no encoding and wants the body."""
    accepted, method = request.META.pop("HTTP_ACCEPT_ENCODING", ""), request.method
    request.method = "GET"
    response = get_response(request)
    request.method, request.META["HTTP_ACCEPT_ENCODING"] = method, accepted
    return response


def is_cacheable(response: HttpResponse) -> bool:
    is_whole = response.status_code in (200, 404) and not response.streaming
    is_personal = response.cookies or has_vary_header(response, "Cookie")
    asked = re.split(r"[\s,]+", response.get("Cache-Control", ""))
    return is_whole and not is_personal and NOT_KEPT.isdisjoint(asked)


def encode_page(response: HttpResponse, encoding: str) -> CachedPage:
    """The page in this encoding, or as it is where that is no longer."""
    headers, body = dict(response.items()), bytes(response.content)
    if "ETag" in headers:
        # A strong tag is one of bytes, which are others in another encoding.
        headers["ETag"] = f"W/{headers['ETag'].removeprefix('W/')}"
    shorter = ENCODERS[encoding](body) if encoding else body
    if len(shorter) < len(body):
        return response.status_code, headers | {"Content-Encoding": encoding}, shorter
    return response.status_code, headers, body


def page_response(request: HttpRequest, kept: CachedPage) -> HttpResponse:
    """The page, or 304 to a client that has it."""
    status, headers, body = kept
    tag, modified = headers.get("ETag"), parse_http_date_safe(headers.get("Last-Modified", ""))
    response = HttpResponse(body, status=status, headers=headers)
    response.headers["Content-Length"] = str(len(body))
    if not latest_version.is_current:
        response.headers["Warning"] = REVALIDATION_FAILED
    return cast(HttpResponse, get_conditional_response(request, tag, modified, response))


def choose_encoding(accepted: str) -> str:
    """Return the best of our encodings that an `Accept-Encoding` header accepts, "" for none."""
    names = accepted_encodings(accepted)
    return next((name for name in ENCODERS if name in names), "")
