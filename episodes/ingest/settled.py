"""Tells a list that moved on, or a change that stays, from an accident, so that no feed is refused
for ever (docs/design.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
LEFT_LAST = 50  # entries that left a feed, of which one tells that it lists its newest only
SAME_PACE = 4  # as many entries as before may come in a quarter of the time
Entries = Mapping[str, EntryData]  # by key


def is_expected(document: Document, reading: ParsedPage, now: datetime, *, strict: bool) -> bool:
    """True where what the guard, `strict` or not, stopped is no accident: the list moved on, or the
    change stays."""
    said = store.said_now(document)
    entries = _keyed(reading.entries, said)
    is_rolling = (
        bool(reading.channel) and _is_rolling(document, said) and _is_named(document, reading)
    )
    may_move_on = is_rolling and not (strict and store.readdressed(said, entries))
    return (may_move_on and moved_on(said, entries)) or _has_settled(document, reading, now)


def _keyed(entries: Sequence[EntryData], before: Entries) -> dict[str, EntryData]:
    return dict(zip(item_keys(entries, before), entries, strict=True))


# -- a list of the newest entries
# ---------------------------------------------------------------------------------------


def _is_rolling(document: Document, said: Entries) -> bool:
    """True for a feed that lists its newest entries only: it has but one, or older ones than all
    that it lists have left."""
    left = Item.objects.filter(document=document, gone_version__isnull=False).order_by(
        "-gone_version", "-pk"
    )
    some = Item.objects.filter(pk__in=list(left.values_list("pk", flat=True)[:LEFT_LAST]))
    oldest = min((one.published for one in said.values()), default="")
    payloads = store.current_revisions(some).values_list("payload", flat=True)
    return len(said) == 1 or any(
        "" < EntryData.from_payload(payload).published <= oldest for payload in payloads
    )


def moved_on(before: Entries, now: Entries) -> bool:
    """True where newer entries took the places of older ones, at the pace at which entries came
    before.

    Those are dated after all that was known, so neither an older copy of the feed nor a list whose
    entries were replaced is meant: tests are made in an hour. At most half of the places may stay
    empty.
    """
    lost, fresh = _missing(before, now), _missing(now, before)
    if not fresh or _reuses(before, now, fresh) or (len(lost) - len(fresh)) * 2 > len(before):
        return False
    is_as_slow = len(before) == 1 or _span(now) * SAME_PACE >= _span(before)
    return is_as_slow and _is_newer(before, fresh) and _are_oldest(before, lost)


def _is_newer(before: Entries, fresh: Sequence[EntryData]) -> bool:
    old, new = _dates(before.values()), _dates(fresh)
    return bool(old[0] and new[0]) and old[-1] <= new[0] and old[-1] < new[-1]


def _are_oldest(before: Entries, lost: Sequence[EntryData]) -> bool:
    kept = _dates(said for said in before.values() if said not in lost)
    return not (lost and kept) or _dates(lost)[-1] <= kept[-1]


def _reuses(before: Entries, now: Entries, fresh: Iterable[EntryData]) -> bool:
    """True where an entry has become another one, or a new one has the guid of one of several that
    were known."""
    guids = {said.guid for said in before.values()} - {""} if len(before) > 1 else set()
    changed = any(store.is_another(said, now[key]) for key, said in before.items() if key in now)
    return changed or any(said.guid in guids for said in fresh)


def _missing(some: Entries, others: Entries) -> list[EntryData]:
    """Those of which others have neither key nor title."""
    titles = {fold(said.title) for said in others.values()} - {""}
    return [
        said for key, said in some.items() if key not in others and fold(said.title) not in titles
    ]


def _dates(entries: Iterable[EntryData]) -> list[str]:
    return sorted(said.published for said in entries)


def _span(entries: Entries) -> float:
    """Seconds between the first date and the last."""
    moments = [said.moment.at for said in entries.values() if said.moment]
    return (max(moments) - min(moments)).total_seconds() if moments else 0


# -- a change that stays
# ------------------------------------------------------------------------------------------------


def _has_settled(document: Document, reading: ParsedPage, now: datetime) -> bool:
    """True where the guard stopped the same state before, on three days or with fewer entries, and
    it is tied to the show.

    A state stays the same as long as each version could follow the one before it. What ties it: an
    item or a title that the document had before, or the show's name.
    """
    good = store.newest(document)
    if good is None:
        return False
    stopped = list(_stopped(document, good.taken_at))
    chain = list(_leading_to(reading, stopped))
    # Where something else came before these versions, only the days since then are theirs.
    since = (
        good.taken_at
        if len(chain) == len(stopped)
        else min((capture.taken_at for capture, _ in chain), default=now)
    )
    days = _days(document, {capture.refused for capture, _ in chain}, since) | {now.date()}
    grew = any(_has_grown(state, _keyed(reading.entries, state)) for _, state in chain)
    return (grew or len(days) >= DAYS) and _is_tied(document, reading)


def _stopped(document: Document, since: datetime) -> Iterator[tuple[Capture, Entries]]:
    """The last states that the guard has stopped since then, newest first."""
    refused = Capture.objects.filter(document=document, version=None, taken_at__gt=since)
    # What could not be read says nothing about the state, nor do the days on which that happened.
    for capture in refused.filter(refused__startswith=store.IMPLAUSIBLE).order_by(
        "-taken_at", "-pk"
    )[:RECENT]:
        page = store.page_of(document, capture)
        try:
            entries = reading_of(document.source, page, vouched=document.vouched).entries
        except DocumentRejected:
            continue
        yield capture, _keyed(entries, {})


def _leading_to(
    reading: ParsedPage, stopped: Iterable[tuple[Capture, Entries]]
) -> Iterator[tuple[Capture, Entries]]:
    """Of these states, newest first, those of which each is followed by the one after it, the last
    by what is read now."""
    later: Sequence[EntryData] = reading.entries
    for capture, state in stopped:
        if not _follows(state, _keyed(later, state)):
            return
        yield capture, state
        later = list(state.values())


def _follows(before: Entries, now: Entries) -> bool:
    if moved_on(before, now):
        return True
    try:
        store.guard(True, before, now)
    except store.ImplausibleChange:
        return False
    return True


def _has_grown(before: Entries, now: Entries) -> bool:
    """True where entries came to those of before, which are there still, or gave way to them in
    part."""
    lost, fresh = _missing(before, now), _missing(now, before)
    return bool(fresh) and (not lost or (len(lost) < len(before) and moved_on(before, now)))


def _days(document: Document, reasons: Iterable[str], since: datetime) -> set[date]:
    """The days on which the document was refused for one of these reasons."""
    runs = IngestRun.objects.filter(
        document=document, outcome="refused", reason__in=reasons, started_at__gte=since
    )
    return {at.date() for at in runs.values_list("started_at", flat=True)}


def _is_tied(document: Document, reading: ParsedPage) -> bool:
    if _is_named(document, reading):
        return True
    names = {
        *item_keys(reading.entries),
        *(fold(said.title) for said in reading.entries if said.title),
    }
    known = Item.objects.filter(document=document)
    titles = {fold(said.title) for said in store.said_now(document).values() if said.title}
    return bool(names & titles) or any(
        key in names for key in known.values_list("key", flat=True).iterator()
    )


def _is_named(document: Document, reading: ParsedPage) -> bool:
    """True where the document has the name of its show, or the one that the feed gave it last."""
    podcast = document.source.podcast
    return is_show(reading.show, podcast.title) or is_show(reading.show, podcast.channel.title)
