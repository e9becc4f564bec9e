"""Gathers evidence: fetches documents, parses them, and stores them."""

from . import evidence
from .evidence import (
    LISTING_KIND,
    delete_unneeded_evidence,
    evidence_size_in_bytes,
)
from .fetch import (
    FetchRun,
    Unreachable,
    decompress_saved_document_if_gzip,
    fetch,
    host_and_port,
    post_and_require_success,
)
from .images import delete_and_count_spare_images, fetch_missing_images_and_summarize
from .limited_process import LimitExceeded
from .link_checks import LinkSummary, check_due_links_and_count_outcomes
from .paged_feeds import fetch_complete_feed_with_note
from .parse_document import (
    LimitedBatch,
    find_feed_addresses,
    find_layouts,
    find_shows,
    is_feed,
    is_list_of_feeds,
    is_login_page,
    iterate_rows_in_limited_process,
    parse_feed,
    parse_listing,
    parse_page,
    parse_subscriptions,
    require_readable_page,
    title_of_page,
    within_limits,
    within_seconds,
)
from .retry import Backoff, is_paused, requested_wait
from .sources import Reader, by_hand, readers

__all__ = [
    "LISTING_KIND",
    "Backoff",
    "FetchRun",
    "LimitExceeded",
    "LimitedBatch",
    "LinkSummary",
    "Reader",
    "Unreachable",
    "by_hand",
    "check_due_links_and_count_outcomes",
    "decompress_saved_document_if_gzip",
    "delete_and_count_spare_images",
    "delete_unneeded_evidence",
    "evidence",
    "evidence_size_in_bytes",
    "fetch",
    "fetch_complete_feed_with_note",
    "fetch_missing_images_and_summarize",
    "find_feed_addresses",
    "find_layouts",
    "find_shows",
    "host_and_port",
    "is_feed",
    "is_list_of_feeds",
    "is_login_page",
    "is_paused",
    "iterate_rows_in_limited_process",
    "parse_feed",
    "parse_listing",
    "parse_page",
    "parse_subscriptions",
    "post_and_require_success",
    "readers",
    "requested_wait",
    "require_readable_page",
    "title_of_page",
    "within_limits",
    "within_seconds",
]
