"""Reads documents and images of strangers, within the limits of the settings; the last feed is
remembered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import TypeVar

from django.conf import settings

from ..listings import any_site
from ..records import DocumentRejected, EntryData, FetchedDocument, KnownFeed, ParsedPage, Show
from .limited import limited
from .sources import Reader, feed
from .thumbnails import Thumbnails, thumbnails

T = TypeVar("T")
IMAGE_SECONDS = 10  # of CPU: twenty times what the largest image takes that is kept
OF_ANY_SHOW = Show("", "")  # a feed is read the same whosever it is


def read_feed(page: FetchedDocument, known: KnownFeed | None = None) -> ParsedPage:
    """The feed's items, and what it says of its show. Items of the `known` version are not read
    again.

    Raises:
        DocumentRejected: it is none, or too much.
    """
    if known is not None:
        return _bounded(
            _limited(partial(feed.read_news, page, known), settings.READ_SECONDS).complete(
                known.entries
            )
        )
    return _feed(page)


def join_feeds(pages: Sequence[FetchedDocument], *, is_whole: bool) -> FetchedDocument:
    """The pages of a feed as one document (`feed.joined`).

    Raises:
        DocumentRejected: they cannot be joined, or take too much.
    """
    return _limited(partial(feed.joined, pages, is_whole=is_whole), settings.READ_SECONDS)


@lru_cache(
    maxsize=1
)  # whose feed it is, what it says and what is new in it are asked one after the other
def _feed(page: FetchedDocument) -> ParsedPage:
    return _within_limits(partial(feed.read, page, OF_ANY_SHOW))


def read_page(
    reader: Reader, page: FetchedDocument, show: Show, known: KnownFeed | None = None
) -> ParsedPage:
    """A page as its site's reader reads it; `known` is an earlier version of a feed."""
    return (
        read_feed(page, known)
        if reader is feed
        else _within_limits(partial(reader.read, page, show))
    )


def read_listing(
    page: FetchedDocument,
    show: Show,
    known: Sequence[EntryData],
    *,
    given: bool,
    others: Sequence[str],
) -> ParsedPage:
    """A page of any site, read by what is known of the show; `others` are the titles of other
    shows."""
    read = partial(any_site.parse, page, show, known, given=given, others=others)
    return _within_limits(read)


def read_image(body: bytes) -> Thumbnails:
    """An image made small.

    Raises:
        DocumentRejected: it is none, or too much.
    """
    return _limited(partial(thumbnails, body), min(IMAGE_SECONDS, settings.READ_SECONDS))


def _within_limits(read: Callable[[], ParsedPage]) -> ParsedPage:
    return _bounded(_limited(read, settings.READ_SECONDS))


def _bounded(reading: ParsedPage) -> ParsedPage:
    if len(reading.entries) > settings.MOST_ITEMS:
        raise DocumentRejected(
            f"it lists {len(reading.entries):,} items, more than {settings.MOST_ITEMS:,} (MOST_ITEMS)"
        )
    return reading


def _limited(read: Callable[[], T], seconds: int) -> T:
    return limited(read, seconds=seconds, megabytes=settings.READ_MB) if seconds else read()
