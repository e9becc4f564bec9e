"""Answers where there is nothing: an address without a page, taken as words that somebody
looks for."""

import re
from urllib.parse import unquote

from django.http import HttpRequest, HttpResponse

from ..site import site
from .page import show_page

LONGEST = 100
NO_WORDS = set(
    "episode episodes topic topics people links names item podcast podcasts html htm php index page".split()
)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """404 with a search for the words of the path."""
    context = {"looked_for": words_of(request.path), "site": site()}
    return show_page(request, "404.html", context, 404)


def gone(request: HttpRequest, reason: str) -> HttpResponse:
    """410 with the reason: a person decided that nothing is at this address any more."""
    return show_page(request, "410.html", {"reason": reason, "site": site()}, 410)


def words_of(path: str) -> str:
    """`/episodes/no-such_thing.html` → `no such thing`; "" where a path has no words."""
    found = re.findall(r"[^\W_]+", unquote(path, errors="ignore")[:LONGEST])
    return " ".join(word for word in found if word.lower() not in NO_WORDS)
