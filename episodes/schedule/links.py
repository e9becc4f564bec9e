"""Checks of links, after which those without a name of their own are called as their pages are."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings

from .. import gather
from ..gather import LinkSummary
from ..resolve import page_identity, retitle


def check_links(limit: int, lately: timedelta, **options: Any) -> LinkSummary:
    """Check links as `gather.check_links` does, for titles too where LINK_TITLES allows it."""
    identity = page_identity if settings.LINK_TITLES else None
    summary = gather.check_links(limit, lately, identity=identity, **options)
    retitle(summary.titled)
    return summary
