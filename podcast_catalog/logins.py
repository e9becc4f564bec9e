"""Logins that fail: whose they count as, how many there may be, and the page for those who have to wait."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network
from math import ceil
from typing import Any

from axes.attempts import get_cool_off_threshold
from axes.handlers.database import AxesDatabaseHandler
from axes.models import AccessAttempt
from django.conf import settings
from django.db.models import Max, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

# An address may fail so many times as often with all names together as with one: behind it may be an office.
PEOPLE = 5


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


def client_address(request: HttpRequest) -> str | None:
    """The visitor's address, as far as our own proxies vouch for it; None for one that cannot be read.

    A home has a whole /64 of IPv6, which counts as one address.
    """
    text = request.META.get("REMOTE_ADDR", "")
    hops = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
    if 0 < settings.TRUSTED_PROXIES <= len(hops):
        text = hops[-settings.TRUSTED_PROXIES]
    try:
        ip = ip_address(text.strip())
    except ValueError:
        return None
    if isinstance(ip, IPv6Address) and not ip.ipv4_mapped:
        return str(ip_network((int(ip), 64), strict=False).network_address)
    return str(getattr(ip, "ipv4_mapped", None) or ip)


def locked_out(request: HttpRequest, response: HttpResponse, credentials: dict[str, Any] | None) -> HttpResponse:
    """The same page for every name, be there such an account or not."""
    now = timezone.now()
    newest = _failures(request).aggregate(newest=Max("attempt_time"))["newest"] or now
    until = newest + settings.AXES_COOLOFF_TIME
    seconds = max(1, ceil((until - now).total_seconds()))
    answer = render(request, "429.html", {"until": until, "minutes": ceil(seconds / 60)}, status=429)
    answer["Retry-After"] = str(seconds)
    return answer
