"""The page cache: a page that was made for an anonymous reader is sent again until the catalog has another
version.

Such a page depends on its address, its rows and the settings, and on nothing else. So it is cached by
Django under the catalog's version (`episodes.models.CatalogVersion`), scheme, host, address and encoding.
The version is read at most once a second in each process. If the database does not answer, the last
version counts, and cached pages are sent with a warning as long as they are cached.
"""

import gzip
import logging
import time
from threading import Lock
from typing import Any, NamedTuple, cast

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
from episodes.text.urls import drop_campaign_parameters

from .middleware import PROBES, GetResponse, accepted_encodings

PAGE_CACHES = ("default", "made_up", "large")
VERSION_SECONDS = 1.0  # between two reads of the version
# About as fast as gzip, and shorter. The best quality, 11, would take forty times as long.
BROTLI_QUALITY = 5

log = logging.getLogger(__name__)


class CachedPage(NamedTuple):
    """A page in one encoding."""

    status: int
    headers: dict[str, str]
    body: bytes


class LatestVersion:
    """The version of the catalog: at most a second old, unless the database does not answer."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.reset()

    def reset(self) -> None:
        self.expire()
        self.value: str | None = None
        self.is_current = False
        self.has_waiting_show = False  # a show waits to be resolved

    def expire(self) -> None:
        self.read_at = float("-inf")

    def is_expired(self) -> bool:
        return time.monotonic() - self.read_at >= VERSION_SECONDS

    def refresh_expired_and_return_value(self) -> str:
        """Return the version of the catalog. Read it from the database only if the last reading is expired.

        If the database does not answer, return the last version and set `is_current` to False.

        Raises:
            Error: the database does not answer, and never did.
        """
        # One thread at a time, so that a slow answer does not replace a newer one.
        with self.lock:
            if self.is_expired():
                self.read_version_or_keep_last()
            return cast(str, self.value)

    def read_version_or_keep_last(self) -> None:
        # The time before the answer: the version may change while the answer is on its way.
        read_at = time.monotonic()
        try:
            self.value, self.has_waiting_show = CatalogVersion.version_and_is_any_show_waiting()
            self.is_current = True
        except Error as error:
            if self.value is None:
                raise
            self.is_current = False
            # Failing may take longer than VERSION_SECONDS, which begin only now. Else each request would try
            # again.
            read_at = time.monotonic()
            reason = " ".join(str(error).split())
            log.error("The database does not answer, kept pages are sent: %s", reason)
        self.read_at = read_at


latest_version = LatestVersion()
resolve_lock = Lock()


def cache_pages(get_response: GetResponse) -> GetResponse:
    """Return a middleware that answers anonymous requests from the cache, and caches their pages."""
    if not settings.PAGES_KEPT:
        raise MiddlewareNotUsed
    latest_version.reset()
    compressing = GZipMiddleware(get_response)

    def answer_from_cache_or_view(request: HttpRequest) -> HttpResponse:
        if not is_anonymous_read(request):
            return get_response(request)
        encoding = choose_encoding(request.META.get("HTTP_ACCEPT_ENCODING", ""))
        try:
            # Resolve a waiting show first, so that pages have its decisions. The version is a part of the
            # key, so pages of older versions are not found.
            version = resolve_waiting_show_and_read_version()
            remove_campaign_parameters(request)
            key = page_cache_key(request, encoding, version)
        # Django has answers of its own to an unknown host, and to a database that never answered.
        except (DisallowedHost, Error):
            return get_response(request)
        page = find_cached_page(key)
        if page is None:
            response = render_unencoded(request, get_response)
            if not is_cacheable(response):
                # Rendered without an encoding, so it is compressed here.
                return compressing.process_response(request, response)  # type: ignore[return-value]
            page = encode_page(response, encoding)
            cache_page_unless_too_large(request, key, page)
        return cached_or_not_modified_response(request, page)

    return answer_from_cache_or_view


def cache_page_unless_too_large(request: HttpRequest, key: str, page: CachedPage) -> None:
    cache_name = choose_cache_name_or_none(request, page)
    if cache_name:
        call_cache_or_none(cache_name, "set", key, page, max_age(request.path_info))


def max_age(path: str) -> int:
    # In seconds. Pages about imports change without a new version of the catalog.
    if path in ("/sources/", "/changes/", "/changes.rss"):
        return 300
    # Other pages may have an earlier day as the last import of a source.
    return 3_600


def resolve_waiting_show_and_read_version() -> str:
    """Return the version of the catalog. If the decisions of a show wait to be resolved, and nothing in the
    background does it, resolve it first, which makes another version.

    Raises:
        Error: the database does not answer, and never did.
    """
    version = latest_version.refresh_expired_and_return_value()
    if not latest_version.has_waiting_show:
        return version
    # Only one of several requests at once resolves. The others use the version as it is.
    has_lock = resolve_lock.acquire(blocking=False)
    if not has_lock:
        return version
    try:
        # Imported here: the server starts 0.4 s faster without it.
        from episodes.resolve import resolve_longest_waiting_show

        if resolve_longest_waiting_show():
            latest_version.expire()  # so that it is read again below
    finally:
        resolve_lock.release()
    return latest_version.refresh_expired_and_return_value()


class CachedPages:
    """The cached pages that are sent without waiting for the database or a server of caches."""

    environ_key = "catalog.cached_page"  # of a WSGI environment

    def __init__(self) -> None:
        # Middlewares pass on a request alone, so the page travels in its environment.
        def respond(request: HttpRequest) -> HttpResponse:
            return cached_or_not_modified_response(request, request.META[self.environ_key])

        self.send = with_observers(respond)

    def find_response_in_memory(self, environ: dict[str, Any]) -> HttpResponse | None:
        """Return the response with a cached page, or None if Django has to answer the request.

        The page must be in the memory of this process, and the catalog's version not expired. So nothing
        waits for the database, or for a server of caches (`CACHE_URL`).
        """
        if settings.CACHE_URL or latest_version.is_expired():
            return None
        # A copy, because Django decodes the path in it, and may have to read the environment again.
        request = WSGIRequest(environ.copy())
        if not is_anonymous_read(request):
            return None
        encoding = choose_encoding(request.META.get("HTTP_ACCEPT_ENCODING", ""))
        remove_campaign_parameters(request)
        try:
            key = page_cache_key(request, encoding, cast(str, latest_version.value))
        except DisallowedHost:  # Django has an answer of its own
            return None
        page = find_cached_page(key)
        if page is None:
            return None
        # The request passes through the middlewares that count and log, to `respond`, which sends the page.
        request.META[self.environ_key] = page
        return self.send(request)


def with_observers(get_response: GetResponse) -> GetResponse:
    """Return `get_response` within the middlewares that count and log requests."""
    # The first middleware of the list is the outermost, so it is put around the others last.
    for name in reversed(settings.OBSERVERS):
        add_middleware = import_string(name)
        get_response = add_middleware(get_response)
    return get_response


def is_anonymous_read(request: HttpRequest) -> bool:
    """Return whether a request reads a page for readers (no admin, file or probe), without personal cookies."""
    is_read = request.method in ("GET", "HEAD")
    # The admin, static files and probes are not pages for readers.
    other_paths = ("/admin/", f"/{settings.STATIC_URL.strip('/')}/", *PROBES)
    is_page = not request.path_info.startswith(other_paths)
    personal_cookies = (settings.SESSION_COOKIE_NAME, "messages")
    is_anonymous = request.COOKIES.keys().isdisjoint(personal_cookies)
    return is_read and is_page and is_anonymous


def remove_campaign_parameters(request: HttpRequest) -> None:
    # The page is the same with `utm_source` and the like, so all readers of a campaign share one.
    query = request.META.get("QUERY_STRING", "")
    request.META["QUERY_STRING"] = drop_campaign_parameters(query)


def page_cache_key(request: HttpRequest, encoding: str, catalog_version: str) -> str:
    """Return the key of a page in the cache.

    Raises:
        DisallowedHost: the site has no such name.
    """
    host = request.get_host()
    path_and_query = request.get_full_path()
    return fingerprint(catalog_version, request.scheme or "", host, path_and_query, encoding)


def find_cached_page(key: str) -> CachedPage | None:
    for name in PAGE_CACHES:
        page: CachedPage | None = call_cache_or_none(name, "get", key)
        if page:
            return page
    return None


def call_cache_or_none(name: str, method: str, *arguments: Any) -> Any:
    """Call a method of the cache with this name and return the result, or None if its server fails."""
    cache: BaseCache = caches[name]
    call = getattr(cache, method)
    try:
        return call(*arguments)
    except Exception as error:  # each kind of cache has errors of its own
        log.warning("the cache of pages failed: %s: %s", type(error).__name__, error)
        return None


def choose_cache_name_or_none(request: HttpRequest, page: CachedPage) -> str | None:
    """Return the name of the cache for a page of this size, or None if the page is too large."""
    # Pages at addresses that strangers can make up (other hosts, queries, 404) get a cache of their own, so
    # that they do not push out the pages that many people read.
    is_host_of_site = request.get_host() in settings.ALLOWED_HOSTS
    is_missing = page.status == 404
    has_query = bool(request.META["QUERY_STRING"])
    is_made_up = not is_host_of_site or is_missing or has_query
    size_in_bytes = len(page.body)
    if size_in_bytes <= settings.PAGE_BYTES:
        return "made_up" if is_made_up else "default"
    if size_in_bytes <= settings.LARGE_BYTES and not is_made_up:
        return "large"
    return None


def render_unencoded(request: HttpRequest, get_response: GetResponse) -> HttpResponse:
    """Return the response to a GET request without an encoding, also if the request is HEAD or accepts one."""
    original_method = request.method
    original_encodings = request.META.pop("HTTP_ACCEPT_ENCODING", "")
    request.method = "GET"
    try:
        return get_response(request)
    finally:
        request.method = original_method
        request.META["HTTP_ACCEPT_ENCODING"] = original_encodings


def is_cacheable(response: HttpResponse) -> bool:
    """Return whether a response may be sent to every reader: complete, not personal, and allowed by its headers."""
    is_complete = response.status_code in (200, 404) and not response.streaming
    is_personal = response.cookies or has_vary_header(response, "Cookie")
    directives = response.get("Cache-Control", "")
    # Immutable responses are images, which browsers cache for a year. They would push pages out of the cache.
    is_excluded = "no-store" in directives or "immutable" in directives
    return is_complete and not is_personal and not is_excluded


def encode_page(response: HttpResponse, encoding: str) -> CachedPage:
    """Return the response as a cached page, in the encoding ("br", "gzip" or "") if that makes it shorter."""
    headers = dict(response.items())
    body = bytes(response.content)
    if "ETag" in headers:
        # A strong tag ("a1") stands for exact bytes, which differ between encodings. So make it weak: W/"a1".
        headers["ETag"] = f"W/{headers['ETag'].removeprefix('W/')}"
    compressed = body
    if encoding == "br":
        compressed = brotli.compress(body, quality=BROTLI_QUALITY)
    elif encoding == "gzip":
        # Without a time in it, the same page has the same bytes.
        compressed = gzip.compress(body, compresslevel=6, mtime=0)
    if len(compressed) < len(body):
        headers["Content-Encoding"] = encoding
        body = compressed
    return CachedPage(response.status_code, headers, body)


def cached_or_not_modified_response(request: HttpRequest, page: CachedPage) -> HttpResponse:
    """Return the response with a cached page, or 304 if the client has the page."""
    etag = page.headers.get("ETag")
    last_modified = parse_http_date_safe(page.headers.get("Last-Modified", ""))
    response = HttpResponse(page.body, status=page.status, headers=page.headers)
    response.headers["Content-Length"] = str(len(page.body))
    if not latest_version.is_current:
        # The wording of RFC 7234 for a stale page.
        response.headers["Warning"] = '111 - "Revalidation Failed"'
    conditional = get_conditional_response(request, etag, last_modified, response)
    return cast(HttpResponse, conditional)


def choose_encoding(accept_encoding: str) -> str:
    """Return "br", "gzip" or "": the best encoding that an `Accept-Encoding` header accepts."""
    accepted = accepted_encodings(accept_encoding)
    for encoding in ("br", "gzip"):
        if encoding in accepted:
            return encoding
    return ""
