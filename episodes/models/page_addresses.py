"""Addresses that end with a slug: a page has a hundred of them, and Django needs longer for each
than to print it."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import quote

from django.urls import get_script_prefix, reverse

SLUG = "slug"
UNQUOTED = "!$&'()*+,;=/~:@"  # as `reverse` does


def address(view: str, slug: str) -> str:
    """The same as `reverse`; its constant part is looked up once."""
    before, after = _around(view, get_script_prefix())
    return f"{before}{quote(slug, safe=UNQUOTED)}{after}"


@lru_cache(maxsize=100)
def _around(view: str, script_prefix: str) -> tuple[str, str]:
    before, _, after = reverse(view, args=(SLUG,)).rpartition(SLUG)
    return before, after
