"""The number of pages that one client may have made for it a minute.

Only what has to be made counts: kept pages, static files and probes are answered before this, and
people who are signed in as staff are exempt. Each web process counts for itself, in memory.
"""

import time

from django.conf import settings
from django.core.cache import caches
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from .logins import client_address
from .middleware import GetResponse

MINUTE = 60  # seconds
SUGGEST, SUGGESTIONS = "/suggest/", 10  # so many may be sent there, beside the pages
KINDS = ("text/plain", "text/html")  # text for whoever takes anything: curl, and programs like it
SORRY = "Too many requests. Try again in {} s."


def limits(get_response: GetResponse) -> GetResponse:
    """Answer 429 to a client that has used up its minute."""
    if not settings.CLIENT_REQUESTS:
        raise MiddlewareNotUsed

    def middleware(request: HttpRequest) -> HttpResponse:
        minute, second = divmod(int(time.time()), MINUTE)
        is_sent = request.method == "POST" and request.path_info == SUGGEST
        kind, most = ("sent", SUGGESTIONS) if is_sent else ("asked", settings.CLIENT_REQUESTS)
        key = f"{kind}:{minute}:{client_address(request)}"
        requests = caches["clients"]
        requests.add(key, 0, MINUTE)
        if requests.incr(key) > most and not request.user.is_staff:
            return refused(request, MINUTE - second)
        return get_response(request)

    return middleware


def refused(request: HttpRequest, seconds: int) -> HttpResponse:
    """429 in the form that the client prefers."""
    response: HttpResponse
    if request.get_preferred_type(KINDS) == "text/html":
        response = HttpResponse(render_to_string("limited.html", {"seconds": seconds}), status=429)
    else:
        sorry = f"{SORRY.format(seconds)}\n"
        response = HttpResponse(sorry, status=429, content_type="text/plain; charset=utf-8")
    response.headers["Retry-After"] = str(seconds)
    response.headers["Cache-Control"] = "no-store"
    return response
