"""Gathers evidence: fetches documents, reads them, and keeps what they said."""

from . import store
from .fetch import LONGEST_WAIT, Unreachable, fetch, pair_of, post
from .fetch_run import FetchRun, wait_of
from .images import fetch_images, tidy_images
from .link_checks import Summary as LinkSummary
from .link_checks import check_links
from .locate import (
    is_at,
    is_of,
    like,
    only,
    reader_of,
    reads,
    same_address,
    sources_with,
)
from .paging import with_older_pages
from .reading import read_feed, read_listing, read_page
from .sources import by_hand, feed, readers
from .store import LISTING
from .tidying import Tidied, tidy_evidence

__all__ = [
    "LISTING",
    "LONGEST_WAIT",
    "FetchRun",
    "LinkSummary",
    "Tidied",
    "Unreachable",
    "by_hand",
    "check_links",
    "feed",
    "fetch",
    "fetch_images",
    "is_at",
    "is_of",
    "like",
    "only",
    "pair_of",
    "post",
    "read_feed",
    "read_listing",
    "read_page",
    "reader_of",
    "readers",
    "reads",
    "same_address",
    "sources_with",
    "store",
    "tidy_evidence",
    "tidy_images",
    "wait_of",
    "with_older_pages",
]
