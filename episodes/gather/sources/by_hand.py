"""Reads the entries that curators added by hand: a JSON list of what each says."""

from __future__ import annotations

import json

from ...records import Page, Reading, Refused, Said, Show

TITLE = "Added by hand"
HOSTS: tuple[str, ...] = ()
MIN_ENTRIES = 0
MIN_WITH_TEXT = 0.0


def recognises(page: Page) -> bool:
    """Never: only the admin makes such documents."""
    return False


def read(page: Page, show: Show) -> Reading:
    """The entries as `write` wrote them.

    Raises:
        Refused: they are none.
    """
    try:
        return Reading(tuple(Said.from_payload(payload) for payload in json.loads(page.body)), show.title)
    except (ValueError, TypeError, AttributeError):
        raise Refused("it is no list of entries") from None


def write(entries: tuple[Said, ...]) -> bytes:
    return json.dumps([said.payload() for said in entries], ensure_ascii=False, sort_keys=True).encode()
