"""Headers of every answer, and the answers where the database or the machine fails."""

import logging
import sys
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.cache import has_vary_header, patch_vary_headers

from episodes.text.faults import OTHER_TABLES, SLOW, Fault, fault_of

log = logging.getLogger(__name__)

GetResponse = Callable[[HttpRequest], HttpResponse]
RETRY_AFTER = 30  # seconds
PROBES = frozenset(("/healthz", "/livez", "/readyz"))


def content_security_policy(get_response: GetResponse) -> GetResponse:
    """Add the policy of `settings.SECURE_CSP` to every response that brings none of its own.

    In the shape that Django 6 brings, so that this function can go when Django 6 comes.
    """
    policy = "; ".join(f"{name} {' '.join(values)}" for name, values in settings.SECURE_CSP.items())

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault("Content-Security-Policy", policy)
        return response

    return middleware


def probes(get_response: GetResponse) -> GetResponse:
    """Answer what watches the process before anything looks at the host or the scheme, which a
    probe gets wrong."""
    from episodes.views.machines import healthz, livez

    views = {"/healthz": healthz, "/readyz": healthz, "/livez": livez}

    def middleware(request: HttpRequest) -> HttpResponse:
        return views.get(request.path_info, get_response)(request)

    return middleware


def revalidation(get_response: GetResponse) -> GetResponse:
    """Let browsers and proxies keep answers, and ask each time whether these are still current."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        # GZipMiddleware says so only of what it compressed.
        patch_vary_headers(response, ("Accept-Encoding",))
        personal = has_vary_header(response, "Cookie")
        response.headers.setdefault(
            "Cache-Control", "private, no-cache" if personal else "no-cache"
        )
        return response

    return middleware


def faults(get_response: GetResponse) -> GetResponse:
    """Answer with a page of its own where the database or the machine fails, or a statement takes
    too long."""

    def failed(request: HttpRequest, exception: Exception) -> HttpResponse | None:
        fault = fault_of(exception)
        return unavailable(request, fault) if fault else None

    def middleware(request: HttpRequest) -> HttpResponse:
        return get_response(request)

    middleware.process_exception = failed  # type: ignore[attr-defined]
    return middleware


def unavailable(request: HttpRequest, fault: Fault) -> HttpResponse:
    """503, for readers without the advice, which is for the operator and in the log."""
    if fault != SLOW:
        # A table that is not there may also be a mistake of ours.
        log.error("%s %s: %s", request.method, request.path, fault, exc_info=fault == OTHER_TABLES)
    response = HttpResponse(
        render_to_string("503.html", {"fault": fault, "slow": fault == SLOW}), status=503
    )
    response.headers["Retry-After"] = str(RETRY_AFTER)
    response.headers["Cache-Control"] = "no-store"
    return response


def server_error(request: HttpRequest) -> HttpResponse:
    """The answer to an error that no view raised: 503 for a fault, else 500."""
    error = sys.exc_info()[1]
    fault = fault_of(error) if error else None
    return (
        unavailable(request, fault)
        if fault
        else HttpResponse(render_to_string("500.html"), status=500)
    )
