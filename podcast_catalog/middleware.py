"""Headers of every response, and the responses if the database or the machine fails."""

import logging
import sys
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.cache import has_vary_header, patch_vary_headers
from django.utils.deprecation import MiddlewareMixin

from episodes.text.database_errors import (
    DATABASE_TOO_SLOW,
    TABLES_OF_OTHER_VERSION,
    Fault,
    find_fault,
)

log = logging.getLogger(__name__)

GetResponse = Callable[[HttpRequest], HttpResponse]
PROBES = frozenset(("/healthz", "/livez", "/readyz"))


class ContentSecurityPolicy(MiddlewareMixin):
    """Adds the policy of `settings.SECURE_CSP` to every response without one.

    Django 6 has such a class, which replaces this one.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        rules = (f"{name} {' '.join(values)}" for name, values in settings.SECURE_CSP.items())
        response.headers.setdefault("Content-Security-Policy", "; ".join(rules))
        return response


class Probes(MiddlewareMixin):
    """Answers probes before host and scheme are checked, which a probe gets wrong."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        # Imported here, because pages are loaded only when the first request comes.
        from episodes.views.site_files import healthz, livez

        views = {"/healthz": healthz, "/readyz": healthz, "/livez": livez}
        view = views.get(request.path_info)
        return view(request) if view else None


def accepted_encodings(accept_encoding: str) -> list[str]:
    """Return the names of the encodings that an `Accept-Encoding` header accepts, in small letters."""
    names = []
    for part in accept_encoding.lower().split(","):
        # `gzip;q=0.5` is less welcome than `gzip`, and `gzip;q=0` is refused.
        name, _, weight = part.partition(";")
        quality = weight.strip().removeprefix("q=")
        # `0`, `0.0` and so on
        is_refused = quality.startswith("0") and not quality.strip("0.")
        if not is_refused:
            names.append(name.strip())
    return names


class RefusedEncodings(MiddlewareMixin):
    """Removes refused encodings from `Accept-Encoding`: Django and whitenoise look for the name alone."""

    def process_request(self, request: HttpRequest) -> None:
        header = request.META.get("HTTP_ACCEPT_ENCODING", "")
        request.META["HTTP_ACCEPT_ENCODING"] = ", ".join(accepted_encodings(header))


class Revalidation(MiddlewareMixin):
    """Lets browsers and proxies cache responses, and revalidate them each time."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        # GZipMiddleware adds it only to compressed responses.
        patch_vary_headers(response, ("Accept-Encoding",))
        is_personal = has_vary_header(response, "Cookie")
        # With "no-cache" a response is cached, but revalidated before each use.
        directives = "private, no-cache" if is_personal else "no-cache"
        response.headers.setdefault("Cache-Control", directives)
        return response


class Faults(MiddlewareMixin):
    """Answers 503 if the database or the machine fails, or a statement takes too long."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        fault = find_fault(exception)
        return unavailable_response(request, fault) if fault else None


def unavailable_response(request: HttpRequest, fault: Fault) -> HttpResponse:
    """Return a 503 page for readers. Log the fault with its advice for the operator."""
    is_too_slow = fault == DATABASE_TOO_SLOW
    # A slow statement is no fault of the machine: a stranger may have asked for much.
    if not is_too_slow:
        # A missing table may be a bug of ours, so the log gets a traceback.
        may_be_our_fault = fault.cause == TABLES_OF_OTHER_VERSION.cause
        log.error("%s %s: %s", request.method, request.path, fault, exc_info=may_be_our_fault)
    page = render_to_string("503.html", {"fault": fault, "slow": is_too_slow})
    headers = {"Retry-After": "30", "Cache-Control": "no-store"}
    return HttpResponse(page, status=503, headers=headers)


def unavailable_or_server_error_response(request: HttpRequest) -> HttpResponse:
    """Return the response to an error outside of views: 503 for a fault of the machine, else 500."""
    _, exception, _ = sys.exc_info()
    fault = find_fault(exception)
    if fault:
        return unavailable_response(request, fault)
    return HttpResponse(render_to_string("500.html"), status=500)
