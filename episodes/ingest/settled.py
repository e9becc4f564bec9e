"""Tells a change that stays from an accident, so that no feed is refused for ever (rules of sources in docs/design.md)."""

from __future__ import annotations

from datetime import date, datetime

from ..gather import store
from ..identity import item_keys
from ..listings import is_show
from ..models import Capture, Document, IngestRun, Item
from ..records import DocumentRejected, EntryData, ParsedPage
from ..text.normalize import fold
from .listings import reading_of

DAYS = 3  # on which the same must have been read
RECENT = 3  # refused versions that are looked at


def has_settled(document: Document, reading: ParsedPage, now: datetime) -> bool:
    """True where the guard stopped the same state before, on three days or with fewer items, and it is tied to the show.

    What ties it: an item or a title that the document had before, or the show's name.
    """
    good = store.newest(document)
    if good is None:
        return False
    stopped = _stopped(document, good.taken_at)
    now_named = _names(reading)
    if not all(_is_part(state, now_named) for _, state in stopped):
        return False
    grew = any(len(state) < len(reading.entries) for _, state in stopped)
    days = {day for found, _ in stopped for day in found} | {now.date()}
    return (grew or len(days) >= DAYS) and _is_tied(document, reading, now_named)


def _stopped(document: Document, since: datetime) -> list[tuple[set[date], list[EntryData]]]:
    """The last states that were stopped since then, each with the days on which it was read."""
    runs = IngestRun.objects.filter(document=document, outcome="refused", started_at__gt=since)
    days: dict[str, set[date]] = {}
    for reason, at in runs.values_list("reason", "started_at"):
        days.setdefault(reason, set()).add(at.date())
    refused = Capture.objects.filter(document=document, version=None, refused__in=list(days))
    states = [(days[c.refused], _state(document, c)) for c in refused.order_by("-taken_at", "-pk")[:RECENT]]
    # What could not be read says nothing about the state, nor do the days on which that happened.
    return [(found, state) for found, state in states if state]


def _state(document: Document, capture: Capture) -> list[EntryData]:
    """The entries of a version that was refused; none where it was refused because it could not be read."""
    try:
        page = store.page_of(document, capture)
        return list(reading_of(document.source, page, show_given=document.show_given).entries)
    except DocumentRejected:
        return []


def _names(reading: ParsedPage) -> set[str]:
    """Keys and titles of the entries."""
    return {*item_keys(reading.entries), *(fold(said.title) for said in reading.entries if said.title)}


def _is_part(state: list[EntryData], names: set[str]) -> bool:
    keys = item_keys(state)
    return all(key in names or fold(said.title) in names for key, said in zip(keys, state, strict=True))


def _is_tied(document: Document, reading: ParsedPage, names: set[str]) -> bool:
    if is_show(reading.show, document.source.podcast.title):
        return True
    known = Item.objects.filter(document=document)
    titles = {fold(said.title) for said in store.said_now(document).values() if said.title}
    return bool(names & titles) or any(key in names for key in known.values_list("key", flat=True).iterator())
