"""Reads a feed that comes in pages as one feed."""

import time
from collections.abc import Callable, Sequence

from django.conf import settings

from ..records import DocumentRejected, EntryData, FetchedDocument
from ..text.urls import site_of
from .fetch import Unreachable
from .parse_document import join_feeds, parse_feed

PAUSE = 1.0  # seconds between two pages
MAX_SECONDS = 120  # with the pauses between two pages that limits their number, too


def fetch_complete_feed_with_note(
    first_page: FetchedDocument,
    fetch_page: Callable[[str], FetchedDocument],
    on_progress: Callable[[str], None],
) -> tuple[FetchedDocument, str]:
    """Return a feed with the items of its older pages, and a note about them: "pages of the feed read: 3".
    Return any other document as it is, with "".

    If a page cannot be read, the feed has the items before it. `on_progress` is called with messages about
    the progress.
    """
    try:
        parsed = parse_feed(first_page)
    except DocumentRejected:  # the import reports it
        return first_page, ""
    if not parsed.next_page:
        return first_page, ""
    pages = [first_page]
    problem = ""
    try:
        _fetch_and_append_older_pages(pages, fetch_page, on_progress)
    except (Unreachable, DocumentRejected) as error:
        problem = f". Page {len(pages) + 1} was not read: {error}. --all-pages tries again"
    note = f"pages of the feed read: {len(pages)}{problem}"
    return join_feeds(pages, is_complete=not problem), note


def _fetch_and_append_older_pages(
    pages: list[FetchedDocument],
    fetch_page: Callable[[str], FetchedDocument],
    on_progress: Callable[[str], None],
) -> None:
    """Fetch page after page of a feed, and append each to `pages`, which begin with the first page. An error
    is raised as it is, and leaves the pages before it."""
    parsed = parse_feed(pages[0])  # cached by the caller's call
    read_entries: set[EntryData] = set()
    deadline = time.monotonic() + MAX_SECONDS
    # Each page has the address of the next. A page without entries is behind the end.
    while parsed.entries and parsed.next_page:
        address = parsed.next_page
        read_entries.update(parsed.entries)
        _require_allowed_next_page(address, pages, deadline)
        on_progress(f"page {len(pages) + 1}: fetching {address}")
        # All pages are on one host, which gets no two requests at once.
        time.sleep(PAUSE)
        older_page = fetch_page(address)
        parsed = parse_feed(older_page)
        # A server that ignores `?page=2` lists the same items, and would do so for ever.
        if parsed.entries and read_entries.issuperset(parsed.entries):
            raise DocumentRejected(f"{address} lists the same items again")
        pages.append(older_page)


def _require_allowed_next_page(
    address: str, earlier_pages: Sequence[FetchedDocument], deadline: float
) -> None:
    """Raise DocumentRejected if the earlier pages took too long or are too large, or if the next page is
    on another site."""
    if time.monotonic() > deadline:
        raise DocumentRejected(f"the pages before it took {MAX_SECONDS} s")
    byte_count = sum(len(page.body) for page in earlier_pages)
    if byte_count >= settings.DOCUMENT_MB * 1_000_000:
        raise DocumentRejected(f"the pages before it have {settings.DOCUMENT_MB} MB (DOCUMENT_MB)")
    first_page = earlier_pages[0]
    # After a permanent redirect (`moved_to`), a feed may name its next page at the old or the new site.
    sites_of_feed = (site_of(first_page.address), site_of(first_page.moved_to))
    if site_of(address) not in sites_of_feed:
        raise DocumentRejected(f"{address} is on another host")
