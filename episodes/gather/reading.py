"""Reads documents of strangers within the limits of the settings, in a process of its own that ends
when it takes too much time or memory; a feed that comes in pages as one feed."""

import gc
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NoReturn, TypeVar

from django.conf import settings

from ..listings import any_site
from ..records import DocumentRejected, EntryData, FetchedDocument, KnownFeed, ParsedPage, Show
from ..text.urls import site_of
from .fetch import Unreachable
from .sources import Reader, feed

T = TypeVar("T")
OTHERS_RUN_TOO = 10  # a busy machine gives a process this part of its seconds


def limited(read: Callable[[], T], *, seconds: int, megabytes: int) -> T:
    """The result of `read()` from a copy of this process, made by fork, which writes nothing but
    its answer.

    Raises:
        DocumentRejected: it took more than `seconds` of CPU or `megabytes` beyond what the process
        has now.
        Exception: whatever `read` raises.
    """
    fork = get_context("fork")
    here, there = fork.Pipe(duplex=False)
    child = fork.Process(target=_answer, args=(read, there, seconds, megabytes))
    child.start()
    there.close()
    answer: tuple[T] | Exception | None = None
    try:
        with here, suppress(EOFError):  # the child ended without an answer
            if here.poll(seconds * OTHERS_RUN_TOO):
                answer = here.recv()
    finally:
        child.kill()
        child.join()
    if isinstance(answer, MemoryError):
        raise DocumentRejected(f"reading it takes more than {megabytes} MB of memory")
    if isinstance(answer, Exception):
        raise answer
    if answer is None:
        raise DocumentRejected(
            f"reading it takes more than {seconds} s of CPU time, or ends the process"
        )
    return answer[0]


def _answer(
    read: Callable[[], object], there: Connection, seconds: int, megabytes: int
) -> NoReturn:
    """The child's life."""
    # Objects of the parent's other threads, such as connections, must not be finalised here.
    gc.freeze()
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        with suppress(OSError):  # a system that does not say what the process has already
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            limit = pages * resource.getpagesize() + megabytes * 1_000_000
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        try:
            there.send((read(),))  # None may be what was read
        except Exception as error:
            there.send(error)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)  # nothing of the parent is closed or written


OF_ANY_SHOW = Show("", "")  # a feed is read the same whosever it is


def read_feed(page: FetchedDocument, known: KnownFeed | None = None) -> ParsedPage:
    """The feed's items, and what it says of its show. Items of the `known` version are not read
    again.

    Raises:
        DocumentRejected: it is none, or too much.
    """
    if known is None:
        return _feed(page)
    # Only what is new comes through the pipe from the process that reads.
    news = within_limits(partial(feed.read_news, page, known))
    return _bounded(news.complete(known.entries))


# Whose feed it is, what it says and what is new in it are asked one after the other.
@lru_cache(maxsize=1)
def _feed(page: FetchedDocument) -> ParsedPage:
    return _bounded(within_limits(partial(feed.read, page, OF_ANY_SHOW)))


def read_page(
    reader: Reader, page: FetchedDocument, show: Show, known: KnownFeed | None = None
) -> ParsedPage:
    """A page as its site's reader reads it; `known` is an earlier version of a feed."""
    if reader is feed:
        return read_feed(page, known)
    return _bounded(within_limits(partial(reader.read, page, show)))


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
    return _bounded(within_limits(read))


def _bounded(reading: ParsedPage) -> ParsedPage:
    if len(reading.entries) > settings.MOST_ITEMS:
        raise DocumentRejected(
            f"it lists {len(reading.entries):,} items, more than {settings.MOST_ITEMS:,} (MOST_ITEMS)"
        )
    return reading


def within_limits(read: Callable[[], T], most_seconds: int = sys.maxsize) -> T:
    """The result of `read()` within READ_SECONDS and READ_MB, or simply that where READ_SECONDS is
    0."""
    seconds = min(most_seconds, settings.READ_SECONDS)
    return limited(read, seconds=seconds, megabytes=settings.READ_MB) if seconds else read()


# Feeds in pages


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
        reading = read_feed(page)
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
            reading = read_feed(older)
            if reading.entries and known.issuperset(reading.entries):
                raise DocumentRejected(f"{address} lists the same items again")
            pages.append(older)
    except (Unreachable, DocumentRejected) as error:
        trouble = f". Page {len(pages) + 1} was not read: {error}. --all-pages tries again"
    if len(pages) == 1 and not trouble:
        return page, ""
    note = f"pages of the feed read: {len(pages)}{trouble}"
    return within_limits(partial(feed.joined, pages, is_whole=not trouble)), note


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
