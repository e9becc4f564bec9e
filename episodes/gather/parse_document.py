"""The one door for bytes from outside: parses documents in a copy of this process with the limits of the
settings. A document that exceeds one is refused with the reason, and the work goes on."""

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, wraps
from itertools import islice
from math import inf
from typing import Generic, ParamSpec, Self, TypeVar

from django.conf import settings

from ..listings import (
    PageDocument,
    Subscription,
    any_page,
    decode_page,
    find_likeliest_feed_addresses,
    has_password_field,
    is_opml,
    names_show,
    parse_opml_subscriptions,
    require_parsable_page,
)
from ..records import DocumentRejected, EarlierFeed, EntryData, FetchedDocument, ParsedPage, Show
from .limited_process import LimitedProcess, LimitExceeded, ProcessLimits, is_limited
from .sources import Reader, feed, readers

P = ParamSpec("P")
T = TypeVar("T")
Item = TypeVar("Item")


def within_limits(parse: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Return `parse(*args, **kwargs)`, called within READ_SECONDS and READ_MB. With READ_SECONDS=0
    there are no limits.

    Raises:
        LimitExceeded: it exceeds a limit, or ends the process.
        Exception: whatever `parse` raises.
    """
    return within_seconds(sys.maxsize, parse, *args, **kwargs)


def within_seconds(
    max_seconds: int, parse: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
) -> T:
    """Return `parse(*args, **kwargs)`, called within READ_MB, READ_SECONDS and `max_seconds` of CPU time.

    Raises:
        LimitExceeded: it exceeds a limit, or ends the process.
        Exception: whatever `parse` raises.
    """
    if not _has_limits():
        return parse(*args, **kwargs)
    with LimitedProcess[None, T](lambda _: parse(*args, **kwargs), _limits(max_seconds)) as process:
        return process.ask(None)


class LimitedBatch(Generic[Item, T]):
    """Parses many items in one process, each within READ_SECONDS and READ_MB, and together within
    `max_seconds`. The process starts with the first item. Items are pickled, the parser is not."""

    def __init__(self, parse: Callable[[Item], T], max_seconds: float = inf) -> None:
        self._parse = parse
        self._max_seconds = max_seconds
        self._seconds_left = max_seconds
        self._process: LimitedProcess[Item, T] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end_process()

    def parse_within_limits(self, item: Item) -> T:
        """Return the result of the parser for an item.

        Raises:
            LimitExceeded: it exceeds a limit, ends the process, or the items before it took all the time.
            Exception: whatever the parser raises.
        """
        if not _has_limits():
            return self._parse(item)
        if self._seconds_left <= 0:
            raise LimitExceeded(f"the files before it took {self._max_seconds} s of CPU time")
        if self._process is None:
            self._process = LimitedProcess(self._parse, _limits())
        process = self._process
        parsed = self._ask_and_count_seconds(process, item)
        # The system's own limit counts from the beginning of a process, so the next item gets a new one
        # if half of the time is over.
        if process.cpu_seconds * 2 > process.limits.seconds:
            self._end_process()
        return parsed

    def _ask_and_count_seconds(self, process: LimitedProcess[Item, T], item: Item) -> T:
        seconds_before = process.cpu_seconds
        try:
            parsed = process.ask(item)
        except LimitExceeded:
            # The process ended without reporting its time, which may be all of the limit.
            self._seconds_left -= process.limits.seconds
            self._end_process()
            raise
        self._seconds_left -= process.cpu_seconds - seconds_before
        return parsed

    def _end_process(self) -> None:
        if self._process:
            self._process.stop_and_get_wait_status()
        self._process = None


def iterate_rows_in_limited_process(rows: Iterator[T]) -> Iterator[T]:
    """Yield the rows of an iterator that was not begun. Each row has the limits of a document.

    Raises:
        LimitExceeded: one exceeds a limit, or ends the process.
        Exception: whatever the iterator raises.
    """
    if not _has_limits():
        yield from rows
        return

    # Called in the copy of this process, which has a copy of the iterator. The list has the next row, or
    # is empty at the end.
    def read_next_row(_: None) -> list[T]:
        return list(islice(rows, 1))

    with LimitedProcess[None, list[T]](read_next_row, _limits()) as process:
        while next_row := process.ask(None):
            yield from next_row


def _has_limits() -> bool:
    return settings.READ_SECONDS > 0 and not is_limited()


def _limits(max_seconds: int = sys.maxsize) -> ProcessLimits:
    seconds = min(settings.READ_SECONDS, max_seconds)
    # The entries of a document may take ten times its size.
    return ProcessLimits.for_forked_copy(seconds, settings.READ_MB, settings.DOCUMENT_MB * 10)


# -- documents that list episodes ------------------------------------------------------------------


def parse_feed(page: FetchedDocument, earlier_feed: EarlierFeed | None = None) -> ParsedPage:
    """Return the feed's items and its description of the show. Items of an earlier version are not
    parsed again.

    Raises:
        DocumentRejected: it is no feed, or exceeds a limit.
    """
    if earlier_feed is None:
        parsed_or_refusal = _parse_feed_or_return_limit_error(page)
        # Returned and not raised, because the cache stores results only.
        if isinstance(parsed_or_refusal, LimitExceeded):
            raise parsed_or_refusal
        return parsed_or_refusal
    # Only new items come through the pipe from the process that parses.
    changed = within_limits(feed.read_feed_with_changed_entries, page, earlier_feed)
    return _require_allowed_entry_count(
        changed.parsed_page_with_unchanged_entries(earlier_feed.entries)
    )


# Several steps of an import parse the same feed. One that exceeds a limit does so only once.
@lru_cache(maxsize=1)
def _parse_feed_or_return_limit_error(page: FetchedDocument) -> ParsedPage | LimitExceeded:
    any_show = Show("", "")  # a feed is read the same way for every show
    try:
        return _require_allowed_entry_count(within_limits(feed.read, page, any_show))
    except LimitExceeded as refusal:
        return refusal


def parse_page(
    reader: Reader, page: FetchedDocument, show: Show, earlier_feed: EarlierFeed | None = None
) -> ParsedPage:
    """Return the entries of a page of the reader's site. `earlier_feed` is an earlier version of a feed.

    Raises:
        DocumentRejected: the reader cannot read the page, or the page exceeds a limit.
        WrongShow: it is a page of another show.
    """
    if reader is feed.READER:
        return parse_feed(page, earlier_feed)
    return _require_allowed_entry_count(within_limits(reader.read, page, show))


def parse_listing(
    page: FetchedDocument,
    show: Show,
    show_entries: Sequence[EntryData],
    *,
    is_confirmed: bool,
    other_titles: Sequence[str],
) -> ParsedPage:
    """Return the entries of a page of any site, found by the entries that the show has.

    `is_confirmed`: a person named the show of the page. `other_titles` are the titles of other shows.
    """
    parsed = within_limits(
        any_page.parse_known_episodes,
        page,
        show,
        show_entries,
        is_confirmed=is_confirmed,
        other_titles=other_titles,
    )
    return _require_allowed_entry_count(parsed)


def join_feeds(pages: Sequence[FetchedDocument], *, is_complete: bool) -> FetchedDocument:
    """Return the first page of a feed with the items of its other pages. `is_complete`: there are no further
    pages."""
    return within_limits(feed.join_feed_pages, pages, is_complete=is_complete)


def _require_allowed_entry_count(parsed: ParsedPage) -> ParsedPage:
    if len(parsed.entries) > settings.MOST_ITEMS:
        raise DocumentRejected(
            f"it lists {len(parsed.entries):,} items, more than {settings.MOST_ITEMS:,} (MOST_ITEMS)"
        )
    return parsed


# -- what a document is ----------------------------------------------------------------------------


def behind_limits(parse: Callable[P, T]) -> Callable[P, T]:
    """Return the function, called as by `within_limits`."""

    @wraps(parse)
    def parse_within_limits(*args: P.args, **kwargs: P.kwargs) -> T:
        return within_limits(parse, *args, **kwargs)

    return parse_within_limits


@behind_limits
def is_feed(page: FetchedDocument) -> bool:
    return feed.recognises(page)


@behind_limits
def is_list_of_feeds(page: FetchedDocument) -> bool:
    return is_opml(page)


@behind_limits
def find_layouts(page: FetchedDocument) -> list[str]:
    document = PageDocument.from_fetched(page)  # parsed once for all readers
    return [name for name, reader in readers().items() if reader.recognises(document)]


@behind_limits
def find_shows(page: FetchedDocument, titles: Sequence[str]) -> list[str]:
    document = PageDocument.from_fetched(page)
    return [title for title in titles if names_show(document, title)]


@behind_limits
def require_readable_page(page: FetchedDocument) -> None:
    require_parsable_page(page)


@behind_limits
def title_of_page(page: FetchedDocument) -> str:
    return PageDocument.from_fetched(page).head.title


@behind_limits
def is_login_page(page: FetchedDocument) -> bool:
    return has_password_field(decode_page(page))


@behind_limits
def find_feed_addresses(page: FetchedDocument) -> tuple[str, ...]:
    """Return the addresses of podcast feeds that a page links, the likeliest first."""
    return find_likeliest_feed_addresses(page)


@behind_limits
def parse_subscriptions(page: FetchedDocument) -> tuple[Subscription, ...] | None:
    """Return the feeds of a list of subscriptions (OPML), None for any other document.

    Raises:
        DocumentRejected: the list is not well-formed, or lists nothing.
    """
    return parse_opml_subscriptions(page) if is_opml(page) else None
