"""Reads versions of documents, each entry once; pages of sites that nobody wrote a reader for are read
again when more is known of their show.

The guard stops a version that looks wrong: without entries or texts, or with more than half of the
entries gone or rewritten. It waits for a person (docs/design.md)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from types import MappingProxyType

from ..gather import evidence, parse_listing, parse_page
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
from ..text.fingerprints import fingerprint, fingerprint_of_code
from ..text.normalize import fold
from ..text.urls import enclosure_key, page_key
from .find_source import reader_of

REPEATED = "another entry of the document says the same"
Entries = Mapping[str, EntryData]  # by key
# What the parsing of a page of any site depends on.
CODE = ("listings", "dates", "identity", "text", "fields.py", "records.py")
_code = partial(fingerprint_of_code, *CODE, libraries=("selectolax",))


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
        DocumentRejected: it is no such page.
    """
    if source.reader == evidence.LISTING:
        podcast = source.podcast
        entries, others = evidence.trusted_entries(podcast), _others(podcast)
        read = parse_listing(page, podcast.show, entries, given=show_confirmed, others=others)
        return _each_once(read)
    reader = reader_of(source)
    reading = parse_page(
        reader,
        page,
        source.podcast.show,
        # Kept by no name: the bytes of the last version are let go as soon as they are read.
        KnownFeed(newest.body, tuple(before.values()), newest.fingerprint) if newest else None,
    )
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
    documents = list(evidence.listing_pages(podcast))
    if not documents:
        return False
    known, others = evidence.trusted_entries(podcast), _others(podcast)
    # Equal if pages would be parsed alike.
    lines = sorted(json.dumps(entry.payload(), sort_keys=True) for entry in known)
    inputs = fingerprint(_code(), podcast.show, lines, others)
    has_changed = False
    for document in documents:
        given = document.show_confirmed
        read = partial(_read, podcast=podcast, known=known, given=given, others=others)
        has_changed |= evidence.reparse_document(document, read, fingerprint(inputs, given))
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
DAYS = 3  # on which the same entries are served


class ImplausibleChange(DocumentRejected):
    """A version that looks wrong after the one before it. A person can accept it."""


def check(version: evidence.NewVersion, now: datetime, *, at_own_address: bool) -> None:
    """Let a version pass that may follow the one before it.

    Raises:
        DocumentRejected: it is a first version without entries or texts.
        ImplausibleChange: it looks wrong, and is not what the show's own address serves for days.
    """
    doubt = find_doubt(version, at_own_address=at_own_address)
    if not doubt:
        return
    if not version.previous:
        raise DocumentRejected(doubt)
    if not (at_own_address and _is_served_for_days(version, now)):
        raise ImplausibleChange(
            f"{IMPLAUSIBLE}: {doubt}. The last good copy stays. If the change is correct, import it "
            "with --accept"
        )


def find_doubt(version: evidence.NewVersion, *, at_own_address: bool) -> str:
    """Return the reason why a version looks wrong, or "".

    Additions, filled blanks and new dates are no reason, nor are other guids, audio files and pages
    at the show's own address.
    """
    before, entries, source = version.previous, version.entries, version.document.source
    if before and not version.parsed.entries:
        return "it lists no episodes any more"
    if source.reader != evidence.LISTING:
        try:
            evidence.validate_entries(version.parsed, reader_of(source))
        except DocumentRejected as refusal:
            return str(refusal)
    gone, rewritten, moved = difference(before, entries)
    changed = len(rewritten if at_own_address else rewritten | moved)
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


def is_of_show(version: evidence.NewVersion) -> bool:
    """Return True for a feed under its show's title, or with a GUID or title of the show.

    Another show's feed at the show's own address is not the show's own feed.
    """
    is_feed = version.parsed.channel is not None
    return is_feed and (_is_named(version) or _has_known_entry(version))


def _is_served_for_days(version: evidence.NewVersion, now: datetime) -> bool:
    """Return True if the guard stopped the same entries on the last two days before, under the show's
    title and with a GUID or title of the show."""
    if not (_is_named(version) and _has_known_entry(version)):
        return False
    captures = Capture.objects.filter(document=version.document)
    whole = _last_whole_version(version)
    stopped = captures.filter(refused__startswith=IMPLAUSIBLE, taken_at__gt=whole.taken_at)
    last_of_day = {}
    for capture in stopped.order_by("taken_at", "pk"):
        last_of_day[capture.taken_at.date()] = capture
    last_of_day.pop(now.date(), None)
    earlier = [last_of_day[day] for day in sorted(last_of_day)][1 - DAYS :]
    served = _contents(version.parsed.entries)
    is_same = all(_contents(_stored_entries(capture)) == served for capture in earlier)
    return is_same and len(earlier) == DAYS - 1


def _last_whole_version(version: evidence.NewVersion) -> Capture:
    versions = Capture.objects.filter(document=version.document, version__isnull=False)
    return versions.filter(is_partial=False).latest("version")


def _has_known_entry(version: evidence.NewVersion) -> bool:
    """Return True if an entry has the key or the title of one of the last version that was taken
    whole."""
    whole = _last_whole_version(version)
    known = version.document.items.filter(first_version__lte=whole.version)
    keys = set(known.values_list("key", flat=True))
    titles = {fold(entry.title) for key, entry in version.previous.items() if key in keys} - {""}
    return any(key in keys or fold(entry.title) in titles for key, entry in version.entries.items())


def _stored_entries(capture: Capture) -> Sequence[EntryData]:
    """Return the entries of a stopped copy, () if this release cannot read it."""
    document = capture.document
    page = evidence.page_of(document, capture)
    try:
        return reading_of(document.source, page, show_confirmed=document.show_confirmed).entries
    except DocumentRejected:
        return ()


def _contents(entries: Sequence[EntryData]) -> set[tuple[str, str, str]]:
    """Return key, title and text of each entry."""
    keyed = zip(item_keys(entries), entries, strict=True)
    return {(key, fold(entry.title), _text(entry)) for key, entry in keyed}


def _is_named(version: evidence.NewVersion) -> bool:
    """True where the document has the name of its show, or the one that the feed gave it last."""
    show, podcast = version.parsed.show, version.document.source.podcast
    return is_show(show, podcast.title) or is_show(show, podcast.channel.title)
