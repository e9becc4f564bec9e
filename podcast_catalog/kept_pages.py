"""Kept pages: a page that was made for an anonymous reader is sent again until the catalog has
another version.

Such a page depends on its address, the rows it shows and the settings, and on nothing else. So it
is kept in Django's cache under the catalog's version (`episodes.models.CatalogVersion`), scheme,
host, address and encoding. The version is looked up at most once a second in each process; where
that fails nobody knows whether a kept page may still be shown, so none is sent.
"""

import gzip
import logging
import re
import time
from collections.abc import Callable
from hashlib import sha256
from threading import Lock
from typing import Any, cast

import brotli
from django.conf import settings
from django.core.cache import BaseCache, caches
from django.core.exceptions import DisallowedHost, MiddlewareNotUsed
from django.db import Error
from django.http import HttpRequest, HttpResponse
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import get_conditional_response, has_vary_header
from django.utils.http import parse_http_date_safe

from episodes.models import CatalogVersion
from episodes.text.urls import without_campaign

from .middleware import PROBES, GetResponse

Kept = tuple[int, dict[str, str], bytes]  # status, headers, body

CACHES = ("default", "made_up", "large")  # in which a page may be kept
LOOK_AGAIN = 1.0  # seconds
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
    """The version of the catalog as it was at most a second ago."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.looked_at = float("-inf")
        self.value = ""

    def now(self) -> str:
        """Ask one thread at a time: a slow answer must not replace a newer one."""
        with self.lock:
            now = time.monotonic()
            if now - self.looked_at >= LOOK_AGAIN:
                self.value = CatalogVersion.current()
                self.looked_at = now
            return self.value


def kept_pages(get_response: GetResponse) -> GetResponse:
    """Answer anonymous requests from what is kept; keep what is made for them."""
    if not settings.PAGES_KEPT:
        raise MiddlewareNotUsed
    version = LatestVersion()
    # For an answer that is not kept, and was made without looking at what the client takes.
    compressing = GZipMiddleware(get_response)

    def middleware(request: HttpRequest) -> HttpResponse:
        if not is_for_all(request):
            return get_response(request)
        request.META["QUERY_STRING"] = without_campaign(request.META.get("QUERY_STRING", ""))
        encoding = preferred(request.META.get("HTTP_ACCEPT_ENCODING", ""))
        try:
            host, path = request.get_host(), request.get_full_path()
            parts = version.now(), request.scheme, host, path, encoding
        except (DisallowedHost, Error):
            return get_response(request)
        key = sha256("\n".join(map(str, parts)).encode(errors="surrogatepass")).hexdigest()
        kept = next(filter(None, (attempt(name, "get", key) for name in CACHES)), None)
        if kept is None:
            response = made_whole(request, get_response)
            if not may_be_kept(response):
                return compressing.process_response(request, response)  # type: ignore[return-value]
            kept = packed(response, encoding)
            if name := cache_for(request, response, len(kept[-1])):
                attempt(name, "set", key, kept, LASTS_SHORTER.get(request.path_info, LASTS))
        return answer(request, kept)

    return middleware


def attempt(name: str, verb: str, *arguments: Any) -> Any:
    """Ask a cache; a server of caches that fails costs time, and no answer."""
    cache: BaseCache = caches[name]
    try:
        return getattr(cache, verb)(*arguments)
    except Exception as error:  # each kind of cache has errors of its own
        log.warning("the cache of pages failed: %s: %s", type(error).__name__, error)
        return None


def cache_for(request: HttpRequest, response: HttpResponse, size: int) -> str | None:
    """The name of the cache for a page of that size; None for one that is too large."""
    # Addresses that strangers can vary at will must not push out the pages that many ask for.
    has_own_host = request.get_host() in settings.ALLOWED_HOSTS
    is_made_up = not has_own_host or response.status_code == 404 or request.META["QUERY_STRING"]
    page, large = settings.PAGE_BYTES, settings.LARGE_BYTES
    sizes = {"made_up": page} if is_made_up else {"default": page, "large": large}
    return next((name for name, most in sizes.items() if size <= most), None)


def is_for_all(request: HttpRequest) -> bool:
    """True for a request to read a page of readers as everybody sees it: without a session or a
    message of its own."""
    own = (settings.SESSION_COOKIE_NAME, "messages")
    is_read = request.method in ("GET", "HEAD") and not request.path_info.startswith(ASIDE)
    return is_read and request.COOKIES.keys().isdisjoint(own)


def made_whole(request: HttpRequest, get_response: GetResponse) -> HttpResponse:
    """The answer as to a client that takes no encoding and wants the body."""
    accepted, method = request.META.pop("HTTP_ACCEPT_ENCODING", ""), request.method
    request.method = "GET"
    response = get_response(request)
    request.method, request.META["HTTP_ACCEPT_ENCODING"] = method, accepted
    return response


def may_be_kept(response: HttpResponse) -> bool:
    is_whole = response.status_code in (200, 404) and not response.streaming
    is_personal = response.cookies or has_vary_header(response, "Cookie")
    asked = re.split(r"[\s,]+", response.get("Cache-Control", ""))
    return is_whole and not is_personal and NOT_KEPT.isdisjoint(asked)


def packed(response: HttpResponse, encoding: str) -> Kept:
    """The page in this encoding, or as it is where that is no longer."""
    headers, body = dict(response.items()), bytes(response.content)
    if "ETag" in headers:
        # A strong tag is one of bytes, which are others in another encoding.
        headers["ETag"] = f"W/{headers['ETag'].removeprefix('W/')}"
    shorter = ENCODERS[encoding](body) if encoding else body
    if len(shorter) < len(body):
        return response.status_code, headers | {"Content-Encoding": encoding}, shorter
    return response.status_code, headers, body


def answer(request: HttpRequest, kept: Kept) -> HttpResponse:
    """The page, or 304 to a client that has it."""
    status, headers, body = kept
    tag, modified = headers.get("ETag"), parse_http_date_safe(headers.get("Last-Modified", ""))
    response = HttpResponse(body, status=status, headers=headers)
    response.headers["Content-Length"] = str(len(body))
    return cast(HttpResponse, get_conditional_response(request, tag, modified, response))


def preferred(accepted: str) -> str:
    """The best of our encodings that an `Accept-Encoding` header names, "" for none. As in Django's
    GZipMiddleware, nobody names one to refuse it."""
    named = re.split(r"[\s,;]+", accepted.lower())
    return next((name for name in ENCODERS if name in named), "")
