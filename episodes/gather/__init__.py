"""Gathers evidence: fetches documents, reads them, and keeps what they said."""

from . import store
from .fetch import LONGEST_WAIT, FetchRun, Unreachable, fetch, pair_of, post, wait_of
from .images import fetch_images, tidy_images
from .link_checks import LinkSummary, check_links
from .reading import read_feed, read_listing, read_page, with_older_pages
from .sources import Reader, by_hand, feed, readers
from .store import LISTING, Tidied, evidence_size, tidy_evidence

__all__ = [
    "LISTING",
    "LONGEST_WAIT",
    "FetchRun",
    "LinkSummary",
    "Reader",
    "Tidied",
    "Unreachable",
    "by_hand",
    "check_links",
    "evidence_size",
    "feed",
    "fetch",
    "fetch_images",
    "pair_of",
    "post",
    "read_feed",
    "read_listing",
    "read_page",
    "readers",
    "store",
    "tidy_evidence",
    "tidy_images",
    "wait_of",
    "with_older_pages",
]
