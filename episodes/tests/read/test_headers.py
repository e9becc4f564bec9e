"""Headers that keep a browser from being used against its reader, on pages and on files."""

from __future__ import annotations

from contextlib import closing
from types import ModuleType

import pytest
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import path

POLICY = (
    "default-src 'self'; media-src 'self' https: http:; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "address", ["/episodes/", "/admin/login/", "/no-such-page", "/static/css/base.css", "/robots.txt"]
)
def test_every_answer_says_what_a_browser_may_do_with_it(address: str) -> None:
    with override_settings(WHITENOISE_USE_FINDERS=True, WHITENOISE_AUTOREFRESH=True):
        answer = Client().get(address)
    with closing(answer):
        assert answer.status_code == (404 if "no-such" in address else 200)
        assert answer["Content-Security-Policy"] == POLICY
        assert answer["X-Frame-Options"] == "DENY"
        assert answer["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("error, status", [(RuntimeError, 500), (SuspiciousOperation, 400)])
def test_a_page_that_failed_says_so_too(error: type[Exception], status: int) -> None:
    def fail(request: HttpRequest) -> HttpResponse:
        raise error

    views = ModuleType("views")
    views.urlpatterns = [path("", fail)]  # type: ignore[attr-defined]
    with override_settings(ROOT_URLCONF=views):
        answer = Client(raise_request_exception=False).get("/")
    assert answer.status_code == status
    assert answer["Content-Security-Policy"] == POLICY
