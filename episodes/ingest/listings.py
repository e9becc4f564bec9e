"""Reads pages of sites that nobody wrote a reader for, and reads them again when more is known of
their show."""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256

from ..gather import read_listing, read_page, store
from ..identity import without_repeats
from ..models import Podcast, Source
from ..records import (
    LONGEST_TITLE,
    DocumentRejected,
    EntryData,
    FetchedDocument,
    KnownFeed,
    ParsedPage,
)
from .belonging import reader_of

REPEATED = "another entry of the document says the same"


def reading_of(
    source: Source, page: FetchedDocument, *, vouched: bool = False, known: KnownFeed | None = None
) -> ParsedPage:
    """The entries of a page of the source, each once, and what the page says of itself.

    `vouched`: more than the page's own words says which show it is about. `known` is the newest
    version of a feed, so that its items are not read again.

    Raises:
        DocumentRejected: it is no such page, or unlike a good one of its kind.
    """
    if source.reader == store.LISTING:
        podcast = source.podcast
        entries, others = store.known_entries(podcast), _others(podcast)
        read = read_listing(page, podcast.show, entries, given=vouched, others=others)
        return _each_once(read)
    reader = reader_of(source)
    reading = read_page(reader, page, source.podcast.show, known)
    store.judge(reading, reader)
    return _each_once(reading)


def _each_once(reading: ParsedPage) -> ParsedPage:
    """The reading without repeats, and with titles that are not too long for a page."""
    short = [
        replace(said, title=said.title[:LONGEST_TITLE])
        if len(said.title) > LONGEST_TITLE
        else said  # to make all anew takes long
        for said in reading.entries
    ]
    entries, repeats = without_repeats(short)
    return replace(
        reading,
        entries=entries,
        foreign=reading.foreign + len(repeats),
        left_out=(*reading.left_out, *((said.title, REPEATED) for said in repeats)),
    )


def read_again(podcast: Podcast) -> None:
    """Bring the pages of any site up to date with what is known of the show now (any order of
    imports gives one catalog)."""
    documents = list(store.listings(podcast))
    if documents:
        known, others = store.known_entries(podcast), _others(podcast)
        # Equal where pages would be read alike.
        lines = sorted(json.dumps(entry.payload(), sort_keys=True) for entry in known)
        digest = sha256("\n".join([repr(podcast.show), *lines, *others]).encode()).hexdigest()
        for document in documents:
            given = document.vouched
            store.read_again(
                document,
                partial(_read, podcast=podcast, known=known, given=given, others=others),
                f"{digest} {given}",
            )


def _others(podcast: Podcast) -> list[str]:
    """The titles of the other shows."""
    shows = Podcast.objects.exclude(pk=podcast.pk).order_by("title")
    return list(shows.values_list("title", flat=True))


def _read(
    page: FetchedDocument,
    *,
    podcast: Podcast,
    known: Sequence[EntryData],
    given: bool,
    others: Sequence[str],
) -> ParsedPage:
    try:
        return _each_once(read_listing(page, podcast.show, known, given=given, others=others))
    except DocumentRejected:
        return ParsedPage()  # what is known now tells that it is another show's
