"""Logins: how many may fail, the page for those who have to wait, and where somebody is logged in."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from math import ceil
from typing import Any

from axes.attempts import get_cool_off_threshold
from axes.handlers.database import AxesDatabaseHandler
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session as StoredSession
from django.db.models import Max, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

# An address may fail so many times as often with all names together as with one: behind it may be an office.
PEOPLE = 5
NO_ADDRESS = IPv4Address(0)  # of a connection through a socket of Unix
SESSION = "login"  # what a session knows of how it began
BROWSER = 200  # characters of its name that are kept
SESSION_LASTS = timedelta(seconds=settings.SESSION_COOKIE_AGE)


class Handler(AxesDatabaseHandler):  # type: ignore[misc]
    """Counts the failures of one name from one address and, less strictly, those of all names from it."""

    def get_failures(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
        of_name: int = super().get_failures(request, credentials)
        of_all = _failures(request).aggregate(count=Sum("failures_since_start"))["count"] or 0
        return max(of_name, of_all // PEOPLE)


def _failures(request: Any) -> QuerySet[Any]:
    since = get_cool_off_threshold(request)
    failures: QuerySet[Any] = AccessAttempt.objects.filter(ip_address=request.axes_ip_address, attempt_time__gte=since)
    return failures


def username(request: HttpRequest, credentials: dict[str, Any] | None) -> str:
    """The name that somebody typed; as much of it as the table of failures holds."""
    return str((credentials or request.POST).get("username") or "")[:255]


def client_address(request: HttpRequest) -> str:
    """The visitor's address if our own proxies vouch for one, else the address of the connection.

    A home has a whole /64 of IPv6, which counts as one address.
    """
    hops = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
    proxies = settings.TRUSTED_PROXIES
    forwarded = _parsed(hops[-proxies]) if 0 < proxies <= len(hops) else None
    address = forwarded or _parsed(request.META.get("REMOTE_ADDR", "")) or NO_ADDRESS
    address = getattr(address, "ipv4_mapped", None) or address
    if isinstance(address, IPv6Address):
        return str(ip_network((int(address), 64), strict=False).network_address)
    return str(address)


def _parsed(text: str) -> IPv4Address | IPv6Address | None:
    """An address, for which some proxies write 192.0.2.1:443 or [2001:db8::1]:443."""
    for candidate in (text, text.rpartition(":")[0]):
        with suppress(ValueError):
            return ip_address(candidate.strip(" []"))
    return None


def remember(request: HttpRequest, response: HttpResponse) -> None:
    """Note in the history what came of a login form that was sent, and in the session where it came from."""
    from episodes import curation

    address = client_address(request)
    if response.status_code == 302 and request.user.is_authenticated:
        browser = request.META.get("HTTP_USER_AGENT", "")[:BROWSER]
        request.session[SESSION] = {"address": address, "browser": browser, "at": timezone.now().isoformat()}
        curation.logged_in(request.user, address)
    elif not getattr(request, "axes_locked_out", False):
        curation.login_failed(username(request, None).replace("\0", ""), address, timezone.now())


@dataclass(frozen=True)
class Session:
    """Where somebody is logged in."""

    since: datetime
    address: str
    browser: str


def sessions_of(user: Any, *, end: bool = False) -> list[Session]:
    """Where somebody is logged in, the newest first; `end` logs them out there. Only people have sessions, so they are few."""
    found = []
    for row in StoredSession.objects.filter(expire_date__gt=timezone.now()).iterator():
        said = row.get_decoded()
        if said.get(SESSION_KEY) != str(user.pk):
            continue
        where = said.get(SESSION, {})
        since = datetime.fromisoformat(where["at"]) if where else row.expire_date - SESSION_LASTS
        found.append(Session(since, where.get("address", ""), where.get("browser", "")))
        if end:
            row.delete()
    return sorted(found, key=lambda session: session.since, reverse=True)


def locked_out(request: HttpRequest, response: HttpResponse, credentials: dict[str, Any] | None) -> HttpResponse:
    """The same page for every name, be there such an account or not."""
    now = timezone.now()
    newest = _failures(request).aggregate(newest=Max("attempt_time"))["newest"] or now
    until = newest + settings.AXES_COOLOFF_TIME
    seconds = max(1, ceil((until - now).total_seconds()))
    answer = render(request, "429.html", {"until": until, "minutes": ceil(seconds / 60)}, status=429)
    answer["Retry-After"] = str(seconds)
    return answer
