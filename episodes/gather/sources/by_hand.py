"""Reads the entries that curators added by hand: a JSON list of what each says."""

import json

from ...records import DocumentRejected, EntryData, FetchedDocument, ParsedPage, Show

TITLE = "Added by hand"
HOSTS: tuple[str, ...] = ()
MIN_WITH_TEXT = 0.0


def recognises(page: FetchedDocument) -> bool:
    """Never: only the admin makes such documents."""
    return False


def read(page: FetchedDocument, show: Show) -> ParsedPage:
    """The entries as `write` wrote them.

    Raises:
        DocumentRejected: they are none, as of a file that somebody names for one of these.
    """
    try:
        entries = tuple(map(EntryData.from_payload, json.loads(page.body)))
    except (ValueError, TypeError, AttributeError):
        raise DocumentRejected("not a list of entries") from None
    return ParsedPage(entries, show.title)


def write(entries: tuple[EntryData, ...]) -> bytes:
    return json.dumps(
        [said.payload() for said in entries], ensure_ascii=False, sort_keys=True
    ).encode()
