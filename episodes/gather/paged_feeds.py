"""Reads a feed that comes in pages as one feed."""

import time
from collections.abc import Callable, Sequence

from django.conf import settings

from ..records import DocumentRejected, EntryData, FetchedDocument
from ..text.urls import site_of
from .fetch import Unreachable
from .parse_document import join_feeds, parse_feed

MOST_SECONDS = 120  # with the pauses that is a bound of pages, too
PAUSE = 1.0  # seconds between two pages


def with_older_pages(
    page: FetchedDocument,
    fetch_page: Callable[[str], FetchedDocument],
    watch: Callable[[str], None],
) -> tuple[FetchedDocument, str]:
    """The feed with the items of its older pages, and what there is to say of these; any other
    document as it is. Where a page cannot be had, the feed has the items before it.

    `watch` is told what is being done.
    """
    try:
        reading = parse_feed(page)
    except DocumentRejected:  # said where it is taken
        return page, ""
    pages, known, trouble = [page], set[EntryData](), ""
    until = time.monotonic() + MOST_SECONDS
    try:
        while reading.entries and (address := reading.next_page):
            known.update(reading.entries)
            _check(address, pages, until)
            watch(f"page {len(pages) + 1}: fetching {address}")
            # One host is asked for all of them.
            time.sleep(PAUSE)
            older = fetch_page(address)
            reading = parse_feed(older)
            if reading.entries and known.issuperset(reading.entries):
                raise DocumentRejected(f"{address} lists the same items again")
            pages.append(older)
    except (Unreachable, DocumentRejected) as error:
        trouble = f". Page {len(pages) + 1} was not read: {error}. --all-pages tries again"
    if len(pages) == 1 and not trouble:
        return page, ""
    note = f"pages of the feed read: {len(pages)}{trouble}"
    return join_feeds(pages, is_whole=not trouble), note


def _check(address: str, pages: Sequence[FetchedDocument], until: float) -> None:
    """Raises DocumentRejected where the next page is not to be fetched."""
    first, size = pages[0], sum(len(page.body) for page in pages)
    troubles = {
        f"the pages before it took {MOST_SECONDS} s": time.monotonic() > until,
        f"the pages before it have {settings.DOCUMENT_MB} MB (DOCUMENT_MB)": size
        >= settings.DOCUMENT_MB * 1_000_000,
        f"{address} is on another host": site_of(address)
        not in (site_of(first.address), site_of(first.moved_to)),
    }
    for trouble, holds in troubles.items():
        if holds:
            raise DocumentRejected(trouble)
