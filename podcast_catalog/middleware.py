"""Headers of every answer, and the answers where the database or the machine fails."""

import logging
import re
import sys
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.cache import has_vary_header, patch_vary_headers
from django.utils.deprecation import MiddlewareMixin

from episodes.text.faults import OTHER_TABLES, SLOW, Fault, fault_of

log = logging.getLogger(__name__)

GetResponse = Callable[[HttpRequest], HttpResponse]
PROBES = frozenset(("/healthz", "/livez", "/readyz"))


class ContentSecurityPolicy(MiddlewareMixin):
    """Adds the policy of `settings.SECURE_CSP` to every response that brings none of its own.

    In the shape that Django 6 brings, so that this class can go when Django 6 comes.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        rules = (f"{name} {' '.join(values)}" for name, values in settings.SECURE_CSP.items())
        response.headers.setdefault("Content-Security-Policy", "; ".join(rules))
        return response


class Probes(MiddlewareMixin):
    """Answers what watches the process before anything looks at the host or the scheme, which a
    probe gets wrong."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        # The pages are imported when the first request comes.
        from episodes.views.site_files import healthz, livez

        views = {"/healthz": healthz, "/readyz": healthz, "/livez": livez}
        view = views.get(request.path_info)
        return view(request) if view else None


REFUSED = re.compile(r"q=0(?:\.0*)?")


def accepted_encodings(header: str) -> list[str]:
    """Return the encodings that an `Accept-Encoding` header names and does not refuse."""
    names = []
    for part in header.lower().split(","):
        name, _, weight = part.partition(";")
        if not REFUSED.fullmatch(weight.strip()):
            names.append(name.strip())
    return names


class RefusedEncodings(MiddlewareMixin):
    """Leaves out what `Accept-Encoding` refuses: Django and whitenoise look for the name alone."""

    def process_request(self, request: HttpRequest) -> None:
        header = request.META.get("HTTP_ACCEPT_ENCODING", "")
        request.META["HTTP_ACCEPT_ENCODING"] = ", ".join(accepted_encodings(header))


class Revalidation(MiddlewareMixin):
    """Lets browsers and proxies keep answers, and ask each time whether these are still current."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        # GZipMiddleware says so only of what it compressed.
        patch_vary_headers(response, ("Accept-Encoding",))
        personal = has_vary_header(response, "Cookie")
        response.headers.setdefault(
            "Cache-Control", "private, no-cache" if personal else "no-cache"
        )
        return response


class Faults(MiddlewareMixin):
    """Answers with a page of its own where the database or the machine fails, or a statement takes
    too long."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        fault = fault_of(exception)
        return unavailable(request, fault) if fault else None


def unavailable(request: HttpRequest, fault: Fault) -> HttpResponse:
    """503, for readers without the advice, which is for the operator and in the log."""
    if fault != SLOW:
        # A table that is not there may also be a mistake of ours.
        log.error(
            "%s %s: %s",
            request.method,
            request.path,
            fault,
            exc_info=fault.cause == OTHER_TABLES.cause,
        )
    page = render_to_string("503.html", {"fault": fault, "slow": fault == SLOW})
    headers = {"Retry-After": "30", "Cache-Control": "no-store"}
    return HttpResponse(page, status=503, headers=headers)


def server_error(request: HttpRequest) -> HttpResponse:
    """The answer to an error that no view raised: 503 for a fault, else 500."""
    fault = fault_of(sys.exc_info()[1])
    return (
        unavailable(request, fault)
        if fault
        else HttpResponse(render_to_string("500.html"), status=500)
    )
