"""Reads versions of documents, each entry once; pages of sites that nobody wrote a reader for are read
again when more is known of their show.

The guard against implausible changes (rule 22) stops a version in which over half of a document changes
at once. A list of the newest may move on all the same, and a change that stays or grows is imported, so
that no feed is refused for ever (docs/design.md)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from hashlib import sha256
from types import MappingProxyType

from ..gather import parse_listing, parse_page, store
from ..identity import item_keys, without_repeats
from ..listings import is_show
from ..models import Capture, Podcast, Source
from ..records import (
    LONGEST_TITLE,
    DocumentRejected,
    EntryData,
    FetchedDocument,
    KnownFeed,
    ParsedPage,
)
from ..text.normalize import fold
from ..text.release import digest_of_code
from ..text.urls import enclosure_key, page_key
from .belonging import reader_of

REPEATED = "another entry of the document says the same"
Entries = Mapping[str, EntryData]  # by key
# What the parsing of a page of any site depends on.
CODE = ("listings", "dates", "identity", "text", "fields.py", "records.py")
_code = partial(digest_of_code, *CODE, libraries=("selectolax",))


def reading_of(
    source: Source,
    page: FetchedDocument,
    *,
    show_confirmed: bool = False,
    newest: Capture | None = None,
    before: Entries = MappingProxyType({}),
) -> ParsedPage:
    """The entries of a page of the source, each once, and what the page says of itself.

    `show_confirmed`: a person or its address says which show the page is about. `newest` is the newest
    version, `before` its entries, so that known items of a feed are not read again.

    Raises:
        DocumentRejected: it is no such page, or unlike a good one of its kind.
    """
    if source.reader == store.LISTING:
        podcast = source.podcast
        entries, others = store.known_entries(podcast), _others(podcast)
        read = parse_listing(page, podcast.show, entries, given=show_confirmed, others=others)
        return _each_once(read)
    reader = reader_of(source)
    reading = parse_page(
        reader,
        page,
        source.podcast.show,
        # Kept by no name: the bytes of the last version are let go as soon as they are read.
        KnownFeed(newest.body, tuple(before.values()), newest.read_by) if newest else None,
    )
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


def read_again(podcast: Podcast) -> bool:
    """Bring the pages of any site up to date with what is known of the show now, and with the code
    that parses them. Return True if an entry changed. Any order of imports gives one catalog."""
    documents = list(store.listings(podcast))
    if not documents:
        return False
    known, others = store.known_entries(podcast), _others(podcast)
    # Equal if pages would be parsed alike.
    lines = sorted(json.dumps(entry.payload(), sort_keys=True) for entry in known)
    inputs = [_code(), repr(podcast.show), *lines, *others]
    digest = sha256("\n".join(inputs).encode()).hexdigest()
    has_changed = False
    for document in documents:
        given = document.show_confirmed
        read = partial(_read, podcast=podcast, known=known, given=given, others=others)
        has_changed |= store.read_again(document, read, f"{digest} {given}")
    return has_changed


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
        return _each_once(parse_listing(page, podcast.show, known, given=given, others=others))
    except DocumentRejected:
        return ParsedPage()  # what is known now tells that it is another show's


# -- the guard -------------------------------------------------------------------------------------

IMPLAUSIBLE = "suspiciously large change"  # how the reason of such a refusal begins
DAYS = 3  # on which the same must have been read


class ImplausibleChange(DocumentRejected):
    """A version in which too much would vanish or change at once."""


def check(version: store.NewVersion, now: datetime, *, strict: bool) -> None:
    """Let a version pass that may follow the known one; `strict`: another guid, audio file or page
    is a change too, as at every address that is not the show's own.

    Raises:
        ImplausibleChange: it would change too much, and has neither been read on three days nor
            grown since it was stopped.
    """
    document, before = version.document, version.before
    has_moved_on = len(before) == 1 or document.items.filter(gone_version__isnull=False).exists()
    moves = version.reading.channel is not None and has_moved_on and _is_named(version)
    complete = document.source.complete
    reason = implausible(before, version.entries, complete=complete, strict=strict, moves=moves)
    if reason and not _stays(version, now):
        raise ImplausibleChange(
            f"{IMPLAUSIBLE}: {reason}. The last good copy stays. If the change is correct, import "
            "it with --accept"
        )


def implausible(
    before: Entries,
    now: Entries,
    *,
    complete: bool = True,
    strict: bool = False,
    moves: bool = False,
) -> str:
    """The reason to refuse a version, "" where there is none: over half of the known entries vanish
    or become others.

    New dates, filled blanks and additions are no change. Where a list `moves`, an entry that is
    dated after all that was known takes the place of one that is gone; in a source that is not
    complete any new one does, as a page of the newest ten loses its oldest with every new one,
    unless nothing at all is left of what it said.
    """
    gone, others, moved = difference(before, now)
    newest = max((said.published for said in before.values()), default="")
    replaced = 0
    if moves:
        replaced = sum(now[key].published > newest > "" for key in now.keys() - before.keys())
    elif not complete and gone < len(before):
        replaced = len(now) - (len(before) - gone)
    gone, changed = max(0, gone - replaced), len(others | moved if strict else others)
    if (gone + changed) * 2 <= len(before):
        return ""
    return f"{gone} of {len(before)} items would vanish and {changed} would change completely"


def difference(before: Entries, now: Entries) -> tuple[int, set[str], set[str]]:
    """The number of known entries that are gone, the keys of those whose title and text both
    changed, and of those with another guid, audio file or page. An entry without its key is looked
    for by its title, then by its text."""
    changed = {key: said for key, said in before.items() if now.get(key) != said}
    strangers = now.values() if changed.keys() - now.keys() else ()  # to fold all texts takes long
    named = {name: said for said in strangers for name in (_text(said), fold(said.title))}
    named.pop("", None)
    gone, others, moved = 0, set[str](), set[str]()
    for key, said in changed.items():
        entry = now.get(key) or named.get(fold(said.title)) or named.get(_text(said))
        if entry is None:
            gone += 1
            continue
        if _is_another(said, entry):
            others.add(key)
        if _is_elsewhere(said, entry):
            moved.add(key)
    return gone, others, moved


def _is_another(said: EntryData, now: EntryData) -> bool:
    """True where the title and the text of an entry both changed."""
    is_retitled = fold(said.title) not in ("", fold(now.title))
    return is_retitled and _text(said) not in ("", _text(now))


def _is_elsewhere(said: EntryData, now: EntryData) -> bool:
    """True where an entry has another guid, audio file or page."""
    signs = (
        {said.guid, now.guid},
        {enclosure_key(said.audio_url), enclosure_key(now.audio_url)},
        {page_key(said.url), page_key(now.url)},
    )
    return any(len(pair - {""}) == 2 for pair in signs)


def _text(said: EntryData) -> str:
    return fold(said.text or said.html)


def _stays(version: store.NewVersion, now: datetime) -> bool:
    """True where the guard stopped the same state on two days before, or with fewer entries, so that
    each could follow the one before it, and something ties it to the show."""
    document, later, days = version.document, version.reading.entries, {now.date()}
    good = Capture.objects.filter(document=document, version__isnull=False).latest("version")
    # What could not be read says nothing about the state.
    stopped = Capture.objects.filter(
        document=document, refused__startswith=IMPLAUSIBLE, taken_at__gt=good.taken_at
    ).order_by("taken_at", "pk")
    last_of_day = {capture.taken_at.date(): capture for capture in stopped}
    for capture in reversed(last_of_day.values()):
        page = store.page_of(document, capture)
        try:
            reading = reading_of(document.source, page, show_confirmed=document.show_confirmed)
            earlier = reading.entries
        except DocumentRejected:  # an older version of the program could read it
            return False
        before = dict(zip(item_keys(earlier), earlier, strict=True))
        after = dict(zip(item_keys(later, before), later, strict=True))
        if implausible(before, after, moves=True):
            return False
        days.add(capture.taken_at.date())
        # A feed that grows was not replaced by an error page or by a stranger's.
        if before.keys() < after.keys() or len(days) == DAYS:
            # Its show's name ties it to the show, or an entry or a title that it had before.
            known = set(document.items.values_list("key", flat=True))
            known |= {fold(said.title) for said in version.before.values()}
            names = {*version.entries, *(fold(said.title) for said in version.entries.values())}
            return _is_named(version) or bool(known & names - {""})
        later = earlier
    return False


def _is_named(version: store.NewVersion) -> bool:
    """True where the document has the name of its show, or the one that the feed gave it last."""
    show, podcast = version.reading.show, version.document.source.podcast
    return is_show(show, podcast.title) or is_show(show, podcast.channel.title)
