"""Tells a list that moved on, or a change that stays, from an accident, so that no feed is refused
for ever (docs/design.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime

from ..gather import store
from ..identity import item_keys
from ..listings import is_show
from ..models import Capture, Document, Item
from ..records import DocumentRejected, EntryData, ParsedPage
from ..text.normalize import fold
from .listings import reading_of

DAYS = 3  # on which the same must have been read
Entries = Mapping[str, EntryData]  # by key


def is_expected(document: Document, reading: ParsedPage, now: datetime) -> bool:
    """True where what the guard stopped is no accident: the list of a feed that has its show's
    name, and that entries have left before, moved on; or the change stays."""
    known = store.said_now(document)
    entries = _keyed(reading.entries, known)
    gone = Item.objects.filter(document=document, gone_version__isnull=False)
    may_move_on = reading.channel and _is_named(document, reading)
    if may_move_on and (len(known) == 1 or gone.exists()) and moved_on(known, entries):
        return True
    return _stays(document, reading, now)


def moved_on(before: Entries, now: Entries) -> bool:
    """True where newer entries took the places of older ones.

    Those are dated after all that was known, so that no older copy of the feed is meant. At most
    half of the places may stay empty, and no entry has become another.
    """
    lost, fresh = _missing(before, now), _missing(now, before)
    old, new = _dates(before.values()), _dates(fresh)
    return (
        bool(fresh)
        and (len(lost) - len(fresh)) * 2 <= len(before)
        and "" < old[0] <= old[-1] <= new[0] <= new[-1] != old[-1]
        and (len(before) == 1 or not store.readdressed(before, now))
        and not any(store.is_another(before[key], now[key]) for key in before.keys() & now.keys())
    )


def _stays(document: Document, reading: ParsedPage, now: datetime) -> bool:
    """True where the guard stopped the same state before, on three days or with fewer entries, and
    something ties it to the show.

    A state is the same as long as the last of each day could follow that of the day before.
    """
    days: set[date] = set()
    later = reading.entries
    for capture in _stopped(document):
        if capture.taken_at.date() in days:
            continue
        try:
            page = store.page_of(document, capture)
            state = reading_of(document.source, page, vouched=document.vouched).entries
        except DocumentRejected:  # an older version of the program could read it
            return False
        before = _keyed(state, {})
        after = _keyed(later, before)
        if store.implausible(True, before, after) and not moved_on(before, after):
            return False
        days.add(capture.taken_at.date())
        has_grown = bool(_missing(after, before)) and not _missing(before, after)
        if has_grown or len(days | {now.date()}) >= DAYS:
            return _is_tied(document, reading)
        later = state
    return False


def _stopped(document: Document) -> Iterable[Capture]:
    """The captures that the guard stopped since the last good version, newest first. What could not be read says
    nothing about the state."""
    good = store.newest(document)
    refused = Capture.objects.filter(document=document, version=None)
    refused = refused.filter(refused__startswith=store.IMPLAUSIBLE).order_by("-taken_at", "-pk")
    return refused.filter(taken_at__gt=good.taken_at) if good else ()


def _is_tied(document: Document, reading: ParsedPage) -> bool:
    """True for a document with its show's name, or with an entry or a title that it had before."""
    known = set(Item.objects.filter(document=document).values_list("key", flat=True))
    known |= {fold(entry.title) for entry in store.said_now(document).values()}
    names = {*item_keys(reading.entries), *(fold(entry.title) for entry in reading.entries)}
    return _is_named(document, reading) or bool(known & names - {""})


def _is_named(document: Document, reading: ParsedPage) -> bool:
    """True where the document has the name of its show, or the one that the feed gave it last."""
    podcast = document.source.podcast
    return is_show(reading.show, podcast.title) or is_show(reading.show, podcast.channel.title)


def _keyed(entries: Sequence[EntryData], before: Entries) -> dict[str, EntryData]:
    return dict(zip(item_keys(entries, before), entries, strict=True))


def _missing(some: Entries, others: Entries) -> list[EntryData]:
    """The entries of which others have neither key nor title."""
    titles = {fold(entry.title) for entry in others.values()} - {""}
    return [
        entry
        for key, entry in some.items()
        if key not in others and fold(entry.title) not in titles
    ]


def _dates(entries: Iterable[EntryData]) -> list[str]:
    return sorted(entry.published for entry in entries) or [""]
