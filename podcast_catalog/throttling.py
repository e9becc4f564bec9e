"""The limits of a client: requests a minute, and failed logins. And the pages for clients that have to
wait."""

import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
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
from django.db.models import Max, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from .middleware import GetResponse

# --- Logins --------------------------------------------------------------------------------------

# A network may fail this many times as often as an account, because an office may share it.
ACCOUNTS_PER_NETWORK = 5
BROWSER_COOKIE = "known_browser"  # of a browser that somebody logged in with
BROWSER_COOKIE_AGE = timedelta(days=90)


class LoginThrottle(AxesDatabaseHandler):  # type: ignore[misc]
    """Makes an account wait that failed too often from anywhere, and a network with any names.

    A browser or address with an earlier login to the account is counted by itself. So strangers can
    keep each other out, but not the owner.
    """

    def is_allowed(self, request: Any, credentials: dict[str, Any] | None = None) -> bool:
        # Django-axes counts by user agent. This column holds the trusted client instead.
        request.axes_user_agent = trusted_token_or_address_or_empty(
            request, login_name(request, credentials)
        )
        return bool(super().is_allowed(request, credentials))

    def get_failures(self, request: Any, credentials: dict[str, Any] | None = None) -> int:
        # Django-axes refuses a login if this is the limit or more.
        is_pausing = login_pause_end_or_now(request, credentials) > request.axes_attempt_time
        return settings.AXES_FAILURE_LIMIT if is_pausing else 0


def trusted_token_or_address_or_empty(request: HttpRequest, username: str) -> str:
    """Return the browser's token, or the address, from which the account logged in before, else ""."""
    from episodes import curation

    browser = request.get_signed_cookie(
        BROWSER_COOKIE, "", salt=username, max_age=BROWSER_COOKIE_AGE
    )
    if browser:
        return browser
    address = client_address(request)
    return address if curation.has_logged_in_from(username, address) else ""


def login_pause_end_or_now(request: Any, credentials: dict[str, Any] | None) -> datetime:
    """Return when the account and the network of a login may try again. Without a pause, that is now."""
    # Recent failures of the same trusted client, or of all untrusted ones (`LoginThrottle.is_allowed`).
    attempts = AccessAttempt.objects.filter(
        user_agent=request.axes_user_agent,
        attempt_time__gt=get_cool_off_threshold(request),
    )
    of_account = attempts.filter(username=login_name(request, credentials))
    of_network = attempts.filter(ip_address=request.axes_ip_address)
    account_limit = settings.AXES_FAILURE_LIMIT
    network_limit = account_limit * ACCOUNTS_PER_NETWORK
    now: datetime = request.axes_attempt_time
    account_pause_end = pause_end_or_now(of_account, account_limit, now)
    network_pause_end = pause_end_or_now(of_network, network_limit, now)
    # Both pauses may have ended before.
    return max(now, account_pause_end, network_pause_end)


def pause_end_or_now(attempts: QuerySet[Any], limit: int, now: datetime) -> datetime:
    """Return the end of the pause after failed logins, or `now` if there are fewer than the limit.

    A pause is one minute at the limit, and doubles with each further failure, up to 64 minutes.
    """
    totals = attempts.aggregate(
        failures=Sum("failures_since_start", default=0), newest=Max("attempt_time")
    )
    failures_above_limit = totals["failures"] - limit
    if failures_above_limit < 0:
        return now
    max_doublings = 6
    doublings = min(failures_above_limit, max_doublings)
    pause: timedelta = timedelta(minutes=1) * 2**doublings
    newest: datetime = totals["newest"]
    return newest + pause


def login_name(request: HttpRequest, credentials: dict[str, Any] | None) -> str:
    """Return the name that somebody typed, as much of it as the table of failures holds."""
    fields = credentials or request.POST
    name = str(fields.get("username") or "")
    return name[:255]


def record_login_attempt_and_trust_browser(request: HttpRequest, response: HttpResponse) -> None:
    """Record a login or a failed one in the history. After a login, mark the browser as trusted."""
    from episodes import curation

    address = client_address(request)
    # A failed login shows the form again, with status 200.
    has_logged_in = response.status_code == 302 and request.user.is_authenticated
    if has_logged_in:
        curation.record_login(request.user, address)
        set_browser_cookie(response, request.user.get_username())
        return
    # Django-axes sets these attributes. It counts a failure only if it checked the password.
    has_counted_failure = bool(getattr(request, "axes_failures_since_start", 0))
    is_pausing = getattr(request, "axes_locked_out", False)
    # The failure that starts a pause is counted. During the pause no password is checked, so nothing failed.
    if is_pausing and not has_counted_failure:
        return
    name = login_name(request, None).replace("\0", "")  # PostgreSQL stores no NUL
    curation.record_failed_login(name, address, timezone.now())


def set_browser_cookie(response: HttpResponse, username: str) -> None:
    response.set_signed_cookie(
        BROWSER_COOKIE,
        token_urlsafe(16),
        salt=username,
        max_age=BROWSER_COOKIE_AGE,
        path=reverse("admin:index"),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Strict",
    )


def login_pause_page(
    request: HttpRequest, response: HttpResponse, credentials: dict[str, Any] | None
) -> HttpResponse:
    """Return the 429 page during a pause. It does not show whether an account has the name."""
    end = login_pause_end_or_now(request, credentials)
    remaining = end - timezone.now()
    # The pause may have ended meanwhile.
    seconds = max(1, ceil(remaining.total_seconds()))
    context = {"until": end, "minutes": ceil(seconds / 60)}
    page = render(request, "429.html", context, status=429)
    page["Retry-After"] = str(seconds)
    return page


# --- Addresses of clients ------------------------------------------------------------------------


def client_network(request: HttpRequest) -> str:
    """Return the visitor's address. Of IPv6 return the /48 that a provider may give to one customer."""
    return client_address(request, 48)


def client_address(request: HttpRequest, ipv6_bits: int = 64) -> str:
    """Return the visitor's address if our own proxies name it, else the address of the connection.

    A home has a whole /64 of IPv6, which counts as one address.
    """
    return client_network_address(request.META, ipv6_bits)


def client_network_address(environ: Mapping[str, Any], ipv6_bits: int = 64) -> str:
    """Return the address of the client, which a trusted proxy may have forwarded: "192.0.2.1".

    Of IPv6, return the network of the first `ipv6_bits` bits, as a client has many addresses in it:
    "2001:db8:1:2::" of "2001:db8:1:2:3:4:5:6".
    """
    address = parse_client_address_or_zero(environ)
    if isinstance(address, IPv6Address):
        # `::ffff:192.0.2.1` is an address of IPv4.
        if address.ipv4_mapped:
            return str(address.ipv4_mapped)
        network = ip_network((int(address), ipv6_bits), strict=False)
        return str(network.network_address)
    return str(address)


def parse_client_address_or_zero(environ: Mapping[str, Any]) -> IPv4Address | IPv6Address:
    # Each proxy adds the address that it got the request from at the end.
    forwarded_addresses = environ.get("HTTP_X_FORWARDED_FOR", "").split(",")
    proxy_count = settings.TRUSTED_PROXIES
    address = None
    if 0 < proxy_count <= len(forwarded_addresses):
        # The first of our proxies got the request from the client. Earlier addresses may be forged.
        address = parse_ip_address_or_none(forwarded_addresses[-proxy_count])
    if address is None:
        address = parse_ip_address_or_none(environ.get("REMOTE_ADDR", ""))
    # A connection through a Unix socket has no address.
    return address or IPv4Address(0)


def parse_ip_address_or_none(address: str) -> IPv4Address | IPv6Address | None:
    """Return the parsed address of a client, which may have a port, or None if it is no address."""
    # Some proxies write 192.0.2.1:443 or [2001:db8::1]:443.
    without_port, _, _ = address.rpartition(":")
    for candidate in (address, without_port):
        with suppress(ValueError):
            return ip_address(candidate.strip(" []"))
    return None


# --- Requests a minute ---------------------------------------------------------------------------


def limit_requests(get_response: GetResponse) -> GetResponse:
    """Return a middleware that answers 429 to a client that has used up its requests of the minute."""
    if not settings.CLIENT_REQUESTS:
        raise MiddlewareNotUsed

    def answer_unless_over_limit(request: HttpRequest) -> HttpResponse:
        minute, second = divmod(int(time.time()), 60)
        is_over_limit = count_request_and_detect_excess(request, minute)
        # Accounts of the admin have no limit.
        if is_over_limit and not request.user.is_staff:
            seconds_to_next_minute = 60 - second
            return too_many_requests_response(request, seconds_to_next_minute)
        return get_response(request)

    return answer_unless_over_limit


def count_request_and_detect_excess(request: HttpRequest, minute: int) -> bool:
    """Count a request of a client in a minute. Return True if that makes more than the limit."""
    kind = "requests"
    limit = settings.CLIENT_REQUESTS
    is_suggestion = request.method == "POST" and request.path_info == "/suggest/"
    if is_suggestion:
        kind = "suggestions"
        # Strangers send them without an account, and a curator has to read each.
        limit = 10
    key = f"{kind}:{minute}:{client_address(request)}"
    counts = caches["clients"]
    # Does nothing if there is a count already. It is forgotten after a minute.
    counts.add(key, 0, timeout=60)
    return bool(counts.incr(key) > limit)


def too_many_requests_response(request: HttpRequest, seconds: int) -> HttpResponse:
    # "text/plain" comes first: clients that accept anything, such as curl, get it.
    preferred_type = request.get_preferred_type(("text/plain", "text/html"))
    if preferred_type == "text/html":
        context = {"seconds": seconds, "was_sent": request.method == "POST"}
        response = HttpResponse(render_to_string("limited.html", context), status=429)
    else:
        text = f"Too many requests. Try again in {seconds} s.\n"
        response = HttpResponse(text, status=429, content_type="text/plain; charset=utf-8")
    response["Retry-After"] = str(seconds)
    response["Cache-Control"] = "no-store"
    return response
