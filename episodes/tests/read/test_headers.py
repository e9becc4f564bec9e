"""Headers of answers: what a browser may do with them, how they are compressed, and by which tag they are asked for again."""

import gzip
from contextlib import closing
from datetime import timedelta
from types import ModuleType

import pytest
import time_machine
from django.contrib.auth.models import User
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import path
from django.utils import timezone

POLICY = (
    "default-src 'self'; media-src 'self' https: http:; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "address", ["/episodes/", "/admin/login/", "/no-such-page", "/static/css/base.css", "/robots.txt"]
)
def test_every_answer_has_security_headers(address: str) -> None:
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


@pytest.mark.parametrize("address", ["/episodes/", "/topics/autograd/", "/episodes.rss", "/shows.opml"])
def test_unchanged_page_is_not_sent_again(catalog: None, client: Client, address: str) -> None:
    plain = client.get(address)
    packed = client.get(address, headers={"accept-encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == plain.content
    assert len(packed.content) < len(plain.content) / 2
    for answer, encoding in ((plain, "identity"), (packed, "gzip"), (packed, "identity")):
        assert "Accept-Encoding" in answer.headers["Vary"]
        assert answer.headers["Cache-Control"] == "no-cache"
        asked = {"if-none-match": answer.headers["ETag"], "accept-encoding": encoding}
        again = client.get(address, headers=asked)
        assert (again.status_code, again.content) == (304, b"")
        assert "Accept-Encoding" in again.headers["Vary"]
        assert again.headers["Cache-Control"] == "no-cache"


@pytest.mark.django_db
def test_the_pages_of_the_admin_are_not_kept(client: Client) -> None:
    client.force_login(User.objects.create_superuser("ada"))
    accepted = {"gzip;q=0": None, "br, gzip;q=0.0": None, "gzip;q=0.1": "gzip", "gzip": "gzip"}
    for words, encoding in accepted.items():
        answer = client.get("/admin/", headers={"accept-encoding": words})
        assert (answer.status_code, answer.headers.get("Content-Encoding")) == (200, encoding)
    assert "no-store" in answer.headers["Cache-Control"]
    assert "ETag" not in answer.headers
    assert "Cookie" in answer.headers["Vary"]


def test_empty_changes_feed_stays_the_same(catalog: None, client: Client) -> None:
    first = client.get("/changes.rss")
    with time_machine.travel(timezone.now() + timedelta(days=1)):
        assert client.get("/changes.rss").headers["ETag"] == first.headers["ETag"]
