"""How much of the server one client may use: a number of requests, and the time that answering them takes.

Only what has to be made counts: kept pages, static files and probes are answered before this, and people who are signed
in as staff are exempt. The time is measured, so that no list says what is expensive: a search that takes a second costs
as much as a hundred pages of ten milliseconds. Each web process counts for itself, in memory.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from threading import Lock

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string

from .logins import client_address
from .middleware import GetResponse

MINUTE = 60.0
SAVED = 2  # minutes: what a client did not use is saved up so long
NO_LIMIT = 1e12  # a number to compute with
MOST_CLIENTS = 10_000  # those that came longest ago are forgotten first
KINDS = ("text/plain", "text/html", "application/json")  # text for whoever takes anything: curl, and programs like it
SORRY = "Too many requests. Try again in {} s."


@dataclass(slots=True)
class Budget:
    """What a client has left, as of a moment: requests, and seconds of work. It is below 0 after a long answer."""

    requests: float
    seconds: float
    at: float


class Budgets:
    """The clients' budgets. Each gets `requests` and `seconds` a minute; 0 is no limit."""

    def __init__(self, requests: int, seconds: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.requests, self.seconds, self.clock = requests or NO_LIMIT, seconds or NO_LIMIT, clock
        self.lock = Lock()
        self.clients: OrderedDict[str, Budget] = OrderedDict()

    def wait(self, client: str) -> float:
        """The seconds until the client may ask again; 0 where it may now."""
        with self.lock:
            budget = self._now(client)
            return max(-budget.seconds / self.seconds, (1 - budget.requests) / self.requests, 0.0) * MINUTE

    def spend(self, client: str, seconds: float) -> None:
        """Take one request, and the time that it took, off the client's budget."""
        with self.lock:
            budget = self._now(client)
            budget.requests -= 1
            budget.seconds -= seconds

    def _now(self, client: str) -> Budget:
        now = self.clock()
        budget = self.clients.setdefault(client, Budget(SAVED * self.requests, SAVED * self.seconds, now))
        minutes = (now - budget.at) / MINUTE
        budget.requests = min(SAVED * self.requests, budget.requests + minutes * self.requests)
        budget.seconds = min(SAVED * self.seconds, budget.seconds + minutes * self.seconds)
        budget.at = now
        self.clients.move_to_end(client)
        while len(self.clients) > MOST_CLIENTS:
            self.clients.popitem(last=False)
        return budget


def limits(get_response: GetResponse) -> GetResponse:
    """Answer 429 to a client that has used up what it may."""
    if not (settings.CLIENT_REQUESTS or settings.CLIENT_SECONDS):
        raise MiddlewareNotUsed
    budgets = Budgets(settings.CLIENT_REQUESTS, settings.CLIENT_SECONDS)

    def middleware(request: HttpRequest) -> HttpResponse:
        client = client_address(request)
        wait = budgets.wait(client)
        if wait and not request.user.is_staff:
            return refused(request, ceil(wait))
        began = time.perf_counter()
        response = get_response(request)
        budgets.spend(client, time.perf_counter() - began)
        return response

    return middleware


def refused(request: HttpRequest, seconds: int) -> HttpResponse:
    """429 in the form that the client prefers."""
    kind, sorry = request.get_preferred_type(KINDS), SORRY.format(seconds)
    response: HttpResponse
    if kind == "application/json":
        response = JsonResponse({"error": sorry, "retry_after": seconds}, status=429)
    elif kind == "text/html":
        response = HttpResponse(render_to_string("limited.html", {"seconds": seconds}), status=429)
    else:
        response = HttpResponse(f"{sorry}\n", status=429, content_type="text/plain; charset=utf-8")
    response.headers["Retry-After"] = str(seconds)
    response.headers["Cache-Control"] = "no-store"
    return response
