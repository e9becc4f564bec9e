"""The limits of a client: how many pages may be made for it a minute, how many logins may fail, and
the pages for those who have to wait."""

import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from math import ceil
from secrets import token_urlsafe
from typing import Any

from axes.attempts import get_cool_off_threshold
from axes.handlers.database import AxesDatabaseHandler
from axes.models import AccessAttempt
from django.conf import settings
from django.core.cache import caches
from django.core.exceptions import MiddlewareNotUsed
from django.db.models import Max, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from .middleware import GetResponse

# A network may fail so many times as often as an account: behind it may be an office.
ACCOUNTS_PER_NETWORK = 5
FIRST_PAUSE = timedelta(minutes=1)  # doubled by each further failure
DOUBLINGS = 6
KNOWN = "known_browser"  # the cookie of one from which somebody logged in
KNOWN_FOR = timedelta(days=90)
NO_ADDRESS = IPv4Address(0)  # of a connection through a socket of Unix


class LoginThrottle(AxesDatabaseHandler):  # type: ignore[misc]
    """Makes an account wait that failed too often from anywhere, and a network with any names.

    Browsers and addresses from which somebody logged in to the account before are counted apart,
    each by itself: strangers can keep each other out, but not the owner.
    """

    def is_allowed(self, request: Any, credentials: dict[str, Any] | None = None) -> bool:
        from episodes import curation

        # The browser or address from which somebody logged in to the account before; "" if neither.
        name, address = login_name(request, credentials), client_address(request)
        browser = request.get_signed_cookie(KNOWN, "", salt=name, max_age=KNOWN_FOR)
        known_as = browser or (address if curation.has_logged_in_from(name, address) else "")
        # The column of the table is free for this: what a browser calls itself tells nothing.
        request.axes_user_agent = known_as
        return bool(super().is_allowed(request, credentials))

    def get_failures(self, request: Any, credentials: dict[str, Any] | None = None) -> int:
        """The limit during a pause, else 0."""
        waits = pause_end(request, credentials) > request.axes_attempt_time
        return settings.AXES_FAILURE_LIMIT if waits else 0


def pause_end(request: Any, credentials: dict[str, Any] | None) -> datetime:
    """The end of the pause that somebody is in, or the moment of the request."""
    attempts = AccessAttempt.objects.filter(
        user_agent=request.axes_user_agent,
        attempt_time__gt=get_cool_off_threshold(request),
    )
    of_account = attempts.filter(username=login_name(request, credentials))
    of_network = attempts.filter(ip_address=request.axes_ip_address)
    ends: list[datetime] = [request.axes_attempt_time]
    failures = Sum("failures_since_start", default=0)
    for rows, people in ((of_account, 1), (of_network, ACCOUNTS_PER_NETWORK)):
        totals = rows.aggregate(failures=failures, newest=Max("attempt_time"))
        beyond = totals["failures"] - people * settings.AXES_FAILURE_LIMIT
        if beyond >= 0:
            ends.append(totals["newest"] + FIRST_PAUSE * 2 ** min(beyond, DOUBLINGS))
    return max(ends)


def login_name(request: HttpRequest, credentials: dict[str, Any] | None) -> str:
    """The name that somebody typed; as much of it as the table of failures holds."""
    return str((credentials or request.POST).get("username") or "")[:255]


def client_network(request: HttpRequest) -> str:
    """The visitor's address; of IPv6 the /48, which is what a provider may give to one customer."""
    return client_address(request, 48)


def client_address(request: HttpRequest, bits: int = 64) -> str:
    """The visitor's address if our own proxies vouch for one, else the address of the connection.

    A home has a whole /64 of IPv6, which counts as one address.
    """
    return client_of_environ(request.META, bits)


def client_of_environ(environ: Mapping[str, Any], bits: int = 64) -> str:
    """Return the client's address from the WSGI environment of a request."""
    hops = environ.get("HTTP_X_FORWARDED_FOR", "").split(",")
    proxies = settings.TRUSTED_PROXIES
    forwarded = _parsed(hops[-proxies]) if 0 < proxies <= len(hops) else None
    address = forwarded or _parsed(environ.get("REMOTE_ADDR", "")) or NO_ADDRESS
    address = getattr(address, "ipv4_mapped", None) or address
    if isinstance(address, IPv6Address):
        return str(ip_network((int(address), bits), strict=False).network_address)
    return str(address)


def _parsed(text: str) -> IPv4Address | IPv6Address | None:
    """An address, for which some proxies write 192.0.2.1:443 or [2001:db8::1]:443."""
    for candidate in (text, text.rpartition(":")[0]):
        with suppress(ValueError):
            return ip_address(candidate.strip(" []"))
    return None


def record_login_result(request: HttpRequest, response: HttpResponse) -> None:
    """Note in the history what came of a login form, and in the browser that it is known."""
    from episodes import curation

    address = client_address(request)
    if response.status_code == 302 and request.user.is_authenticated:
        curation.record_login(request.user, address)
        response.set_signed_cookie(
            KNOWN,
            token_urlsafe(16),
            salt=request.user.get_username(),
            max_age=KNOWN_FOR,
            path=reverse("admin:index"),
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Strict",
        )
        return
    began_pause = getattr(request, "axes_failures_since_start", 0)
    # During a pause no password is checked.
    if began_pause or not getattr(request, "axes_locked_out", False):
        curation.record_failed_login(
            login_name(request, None).replace("\0", ""), address, timezone.now()
        )


def login_pause_page(
    request: HttpRequest, response: HttpResponse, credentials: dict[str, Any] | None
) -> HttpResponse:
    """The same page for every name, be there such an account or not."""
    until = pause_end(request, credentials)
    seconds = max(1, ceil((until - timezone.now()).total_seconds()))
    answer = render(
        request, "429.html", {"until": until, "minutes": ceil(seconds / 60)}, status=429
    )
    answer["Retry-After"] = str(seconds)
    return answer


MINUTE = 60  # seconds
SUGGEST, SUGGESTIONS = "/suggest/", 10  # so many may be sent there, beside the pages
KINDS = ("text/plain", "text/html")  # text for whoever takes anything: curl, and programs like it
SORRY = "Too many requests. Try again in {} s."


def limit_requests(get_response: GetResponse) -> GetResponse:
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
            return too_many_requests(request, MINUTE - second)
        return get_response(request)

    return middleware


def too_many_requests(request: HttpRequest, seconds: int) -> HttpResponse:
    """429 in the form that the client prefers."""
    answer = partial(
        HttpResponse,
        status=429,
        headers={"Retry-After": str(seconds), "Cache-Control": "no-store"},
    )
    if request.get_preferred_type(KINDS) == "text/html":
        return answer(render_to_string("limited.html", {"seconds": seconds}))
    return answer(f"{SORRY.format(seconds)}\n", content_type="text/plain; charset=utf-8")
