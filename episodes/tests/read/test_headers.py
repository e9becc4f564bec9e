"""Headers that keep a browser from being used against its reader, on pages and on files."""

from __future__ import annotations

from contextlib import closing

import pytest
from django.test import Client, override_settings


@pytest.mark.django_db
@pytest.mark.parametrize(
    "address", ["/episodes/", "/admin/login/", "/no-such-page", "/static/css/base.css", "/robots.txt"]
)
def test_every_answer_says_what_a_browser_may_do_with_it(address: str) -> None:
    with override_settings(WHITENOISE_USE_FINDERS=True, WHITENOISE_AUTOREFRESH=True):
        answer = Client().get(address)
    with closing(answer):
        assert answer.status_code == (404 if "no-such" in address else 200)
        assert answer["Content-Security-Policy"].startswith("default-src 'self';")
        assert answer["X-Frame-Options"] == "DENY"
        assert answer["X-Content-Type-Options"] == "nosniff"
