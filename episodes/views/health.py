"""Checks that the site can answer, for programs that watch it."""

from __future__ import annotations

from django.db import Error, connection
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe


@require_safe
def livez(request: HttpRequest) -> HttpResponse:
    """200 `ok` for as long as the process answers at all: where it does not, a restart helps."""
    answer = HttpResponse("ok", content_type="text/plain")
    answer["Cache-Control"] = "no-store"
    return answer


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 `ok` when the database answers, else 503: send no visitors then."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            cursor.fetchone()
    except Error:
        answer = HttpResponse("database not available\n", status=503, content_type="text/plain")
    else:
        answer = HttpResponse("ok", content_type="text/plain")
    answer["Cache-Control"] = "no-store"
    return answer
