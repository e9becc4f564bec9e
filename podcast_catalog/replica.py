"""A replica of the database for readers' pages (`REPLICA_URL`): the primary keeps writing, signing in and the admin.

A page of readers comes from the replica as a whole, its version of the catalog included, so it is never half of one moment
and half of another, and is kept under the version that it was made from. Whoever is signed in reads from the primary, and
so sees what they have just changed.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from .kept_pages import is_somebody
from .middleware import GetResponse

PRIMARY = "default"
STAFF = "/admin/"

_reading = ContextVar("reading", default=PRIMARY)


class Router:
    """Sends what a reader's page reads to the replica, and everything else to the primary."""

    def db_for_read(self, model: Any, **hints: Any) -> str:
        return _reading.get()

    def db_for_write(self, model: Any, **hints: Any) -> str:
        return PRIMARY

    def allow_relation(self, one: Any, other: Any, **hints: Any) -> bool:
        return True

    def allow_migrate(self, database: str, app_label: str, **hints: Any) -> bool:
        return database == PRIMARY


def readers_from_replica(get_response: GetResponse) -> GetResponse:
    """Read the pages of visitors who are not signed in from the replica."""

    def middleware(request: HttpRequest) -> HttpResponse:
        is_staff = request.path_info.startswith(STAFF)
        if request.method not in ("GET", "HEAD") or is_staff or is_somebody(request):
            return get_response(request)
        before = _reading.set(settings.READERS_DATABASE)
        try:
            return get_response(request)
        finally:
            _reading.reset(before)

    return middleware
