"""Reads the entries that curators wrote, from a JSON list of their values."""

import json

from ...records import DocumentRejected, EntryData, FetchedDocument, ParsedPage, Show
from . import Reader


def read(page: FetchedDocument, show: Show) -> ParsedPage:
    """Return the entries of a document that `write` returned.

    Raises:
        DocumentRejected: it is another document.
    """
    try:
        entries = tuple(map(EntryData.from_payload, json.loads(page.body)))
    except (ValueError, TypeError, AttributeError):
        raise DocumentRejected("not a list of entries") from None
    return ParsedPage(entries, show.title)


def write(entries: tuple[EntryData, ...]) -> bytes:
    payloads = [entry.payload() for entry in entries]
    return json.dumps(payloads, ensure_ascii=False, sort_keys=True).encode()


READER = Reader(
    title="Added by hand",
    min_with_text=0.0,
    recognises=lambda page: False,  # only the admin creates such documents
    read=read,
)
