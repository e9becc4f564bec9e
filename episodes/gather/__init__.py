"""Gathers evidence: fetches documents, reads them, and keeps what they said."""

from . import evidence
from .evidence import LISTING, Tidied, evidence_size, tidy_evidence
from .fetch import FetchRun, Unreachable, fetch, pair_of, post
from .images import fetch_images, tidy_images
from .limited_process import TooMuch
from .link_checks import LinkSummary, check_links
from .paged_feeds import with_older_pages
from .parse_document import (
    LimitedBatch,
    check_readable,
    find_feed_addresses,
    find_layouts,
    find_shows,
    is_feed,
    is_list_of_feeds,
    is_login_page,
    parse_feed,
    parse_listing,
    parse_page,
    parse_subscriptions,
    stream_within_limits,
    title_of_page,
    within_limits,
    within_seconds,
)
from .retry import Backoff, is_paused, requested_wait
from .sources import Reader, by_hand, readers

__all__ = [
    "LISTING",
    "Backoff",
    "FetchRun",
    "LimitedBatch",
    "LinkSummary",
    "Reader",
    "Tidied",
    "TooMuch",
    "Unreachable",
    "by_hand",
    "check_links",
    "check_readable",
    "evidence",
    "evidence_size",
    "fetch",
    "fetch_images",
    "find_feed_addresses",
    "find_layouts",
    "find_shows",
    "is_feed",
    "is_list_of_feeds",
    "is_login_page",
    "is_paused",
    "pair_of",
    "parse_feed",
    "parse_listing",
    "parse_page",
    "parse_subscriptions",
    "post",
    "readers",
    "requested_wait",
    "stream_within_limits",
    "tidy_evidence",
    "tidy_images",
    "title_of_page",
    "with_older_pages",
    "within_limits",
    "within_seconds",
]
