"""Parses versions of documents, and parses pages of any site again after their show changed.

Refuses a version that looks wrong: without entries or texts, or with more than half of the entries
gone or rewritten. It waits for a person (docs/design.md)."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import partial
from types import MappingProxyType

from ..gather import evidence, parse_listing, parse_page
from ..identity import choose_entry_keys, split_into_unique_entries_and_repeats
from ..listings import is_name_of_show
from ..models import Capture, Podcast, Source
from ..records import (
    MAX_STORED_TITLE,
    DocumentRejected,
    EarlierFeed,
    EntryData,
    FetchedDocument,
    ParsedPage,
)
from ..text.fingerprints import fingerprint, fingerprint_of_code
from ..text.normalize import fold
from ..text.urls import enclosure_key, page_key
from .find_source import reader_of


def parse_version(
    source: Source,
    page: FetchedDocument,
    *,
    show_confirmed: bool,
    newest: Capture | None = None,
    previous: Mapping[str, EntryData] = MappingProxyType({}),
) -> ParsedPage:
    """Return the entries of a page of the source, without repeats.

    `show_confirmed` means that a person named the page's show, or that its address tells the show.
    `newest` is the newest version of a feed, `previous` its entries by key: unchanged items are not
    parsed again.

    Raises:
        DocumentRejected: the source's reader cannot read the page.
    """
    if source.reader == evidence.LISTING_KIND:
        return _ListingParser.of_show(source.podcast).parse(page, show_confirmed=show_confirmed)
    # The earlier feed is not kept in a variable, so that its bytes are freed once they are parsed.
    parsed = parse_page(
        reader_of(source), page, source.podcast.show, _earlier_feed(newest, previous)
    )
    return _copy_without_repeats_shortening_titles(parsed)


def _earlier_feed(newest: Capture | None, previous: Mapping[str, EntryData]) -> EarlierFeed | None:
    if newest is None:
        return None
    return EarlierFeed(newest.body, tuple(previous.values()), newest.fingerprint)


@dataclass(frozen=True, slots=True)
class _ListingParser:
    """The parser for pages of any site, with the entries of a show and the titles of the other shows."""

    podcast: Podcast
    entries: Sequence[EntryData]
    other_titles: Sequence[str]

    @classmethod
    def of_show(cls, podcast: Podcast) -> "_ListingParser":
        other_shows = Podcast.objects.exclude(pk=podcast.pk).order_by("title")
        titles = list(other_shows.values_list("title", flat=True))
        return cls(podcast, evidence.load_newest_entries_of_confirmed_documents(podcast), titles)

    def parse(self, page: FetchedDocument, *, show_confirmed: bool) -> ParsedPage:
        """Return the entries of a page, without repeats.

        Raises:
            DocumentRejected: the page cannot be read, or is of another show.
        """
        parsed = parse_listing(
            page,
            self.podcast.show,
            self.entries,
            is_confirmed=show_confirmed,
            other_titles=self.other_titles,
        )
        return _copy_without_repeats_shortening_titles(parsed)

    def parse_again(self, page: FetchedDocument, *, show_confirmed: bool) -> ParsedPage:
        """Return the entries of a stored page, or no entries if the page is refused by now."""
        try:
            return self.parse(page, show_confirmed=show_confirmed)
        except DocumentRejected:
            return ParsedPage()

    def inputs_fingerprint(self) -> str:
        """Return a fingerprint of the code and of all inputs. Pages are parsed alike if it is equal."""
        packages = ("listings", "dates", "identity", "text", "fields.py", "records.py")
        code = fingerprint_of_code(*packages, libraries=("selectolax",))
        entries = sorted(json.dumps(entry.payload(), sort_keys=True) for entry in self.entries)
        return fingerprint(code, self.podcast.show, entries, self.other_titles)


def _copy_without_repeats_shortening_titles(parsed_page: ParsedPage) -> ParsedPage:
    entries_to_store = []
    for entry in parsed_page.entries:
        # To copy every entry takes long.
        if len(entry.title) > MAX_STORED_TITLE:
            entry = replace(entry, title=entry.title[:MAX_STORED_TITLE])
        entries_to_store.append(entry)
    entries, repeats = split_into_unique_entries_and_repeats(entries_to_store)
    left_out = list(parsed_page.left_out)
    for entry in repeats:
        left_out.append((entry.title, "another entry of the document says the same"))
    return replace(
        parsed_page,
        entries=entries,
        # Repeats are not stored, but the summary counts them as ignored.
        foreign=parsed_page.foreign + len(repeats),
        left_out=tuple(left_out),
    )


def reparse_listing_pages_and_detect_change(podcast: Podcast) -> bool:
    """Parse the show's pages of any site again if their inputs changed: the entries of the show, the
    titles of other shows, or the code. Return True if an entry changed.

    So a page lists the same episodes whether it or the feed was imported first.
    """
    documents = list(evidence.listing_pages(podcast))
    if not documents:
        return False
    parser = _ListingParser.of_show(podcast)
    inputs_of_all_pages = parser.inputs_fingerprint()
    has_changed = False
    for document in documents:
        show_confirmed = document.show_confirmed
        parse = partial(parser.parse_again, show_confirmed=show_confirmed)
        inputs_of_page = fingerprint(inputs_of_all_pages, show_confirmed)
        # The version is parsed only if it has another fingerprint.
        has_changed |= evidence.reparse_if_outdated_and_detect_change(
            document, parse, inputs_of_page
        )
    return has_changed


# -- versions that look wrong ----------------------------------------------------------------------

IMPLAUSIBLE_REASON = "suspiciously large change"  # how the reason of such a refusal begins


class ImplausibleChange(DocumentRejected):
    """A version that looks wrong after the one before it. A person can accept it."""


def require_plausible(
    version: evidence.NewVersion, now: datetime, *, at_publisher_address: bool
) -> None:
    """Refuse a version that looks wrong, unless the show's own address has served it for days.

    Raises:
        DocumentRejected: it is a first version without entries or texts.
        ImplausibleChange: it looks wrong after the version before it.
    """
    doubt = reason_to_doubt_or_empty(version, at_publisher_address=at_publisher_address)
    if not doubt:
        return
    if not version.previous:
        raise DocumentRejected(doubt)
    if not (at_publisher_address and _has_entries_refused_two_days(version, now)):
        raise ImplausibleChange(
            f"{IMPLAUSIBLE_REASON}: {doubt}. The last good copy stays. If the change is correct, import it "
            "with --accept"
        )


def reason_to_doubt_or_empty(version: evidence.NewVersion, *, at_publisher_address: bool) -> str:
    """Return the reason why a version looks wrong, or "".

    Additions, filled blanks and new dates are no reason, nor are other guids, audio files and pages
    at the show's own address.
    """
    source = version.document.source
    if version.previous and not version.parsed.entries:
        return "it lists no episodes any more"
    # A page of any site may list titles alone.
    if source.reader != evidence.LISTING_KIND:
        try:
            evidence.require_enough_entries_with_content(version.parsed, reader_of(source))
        except DocumentRejected as refusal:
            return str(refusal)
    return _reason_to_doubt_changes(version, at_publisher_address=at_publisher_address)


def _reason_to_doubt_changes(version: evidence.NewVersion, *, at_publisher_address: bool) -> str:
    previous = version.previous
    has_only_newest_entry = len(previous) == 1 and len(version.entries) == 1
    if has_only_newest_entry and at_publisher_address and is_of_show(version):
        return ""  # a feed of the newest episode alone, such as hourly news
    changes = find_vanished_rewritten_and_moved(previous, version.entries)
    changed_keys = set(changes.rewritten)
    # The show itself may change its host, and with it all guids, files and pages.
    if not at_publisher_address:
        changed_keys.update(changes.moved)
    affected_count = changes.vanished + len(changed_keys)
    is_half_or_less = affected_count * 2 <= len(previous)
    if is_half_or_less:
        return ""
    return (
        f"{changes.vanished} of {len(previous)} items would vanish and {len(changed_keys)} would change "
        "completely"
    )


@dataclass(slots=True)
class EntryChanges:
    """The entries of an old version that vanished, were rewritten or moved in the new one."""

    vanished: int = 0
    rewritten: set[str] = field(default_factory=set)  # keys: title and text both changed
    moved: set[str] = field(default_factory=set)  # keys: another guid, audio file or page


def find_vanished_rewritten_and_moved(
    old_entries: Mapping[str, EntryData], new_entries: Mapping[str, EntryData]
) -> EntryChanges:
    """Return the changes from the old to the new entries, both by key.

    An entry is looked up by its key, then by its title, then by its text.
    """
    changes = EntryChanges()
    changed_keys = [key for key, entry in old_entries.items() if new_entries.get(key) != entry]
    new_entries_by_title_or_text: dict[str, EntryData] = {}
    has_vanished_keys = not set(changed_keys).issubset(new_entries)
    # Only then, because it takes long to fold all texts.
    if has_vanished_keys:
        new_entries_by_title_or_text = _entry_by_folded_title_and_text(new_entries.values())
    for key in changed_keys:
        old_entry = old_entries[key]
        counterpart = _find_counterpart(key, old_entry, new_entries, new_entries_by_title_or_text)
        if counterpart is None:
            changes.vanished += 1
            continue
        if _has_new_title_and_text(old_entry, counterpart):
            changes.rewritten.add(key)
        if _has_replaced_identifier(old_entry, counterpart):
            changes.moved.add(key)
    return changes


def _entry_by_folded_title_and_text(entries: Iterable[EntryData]) -> dict[str, EntryData]:
    entries_by_words = {}
    for entry in entries:
        entries_by_words[_folded_text(entry)] = entry
        entries_by_words[fold(entry.title)] = entry
    # Entries without a title or without a text are not alike.
    entries_by_words.pop("", None)
    return entries_by_words


def _find_counterpart(
    key: str,
    old_entry: EntryData,
    new_entries: Mapping[str, EntryData],
    new_entries_by_title_or_text: Mapping[str, EntryData],
) -> EntryData | None:
    # An entry may have a new key but its title, or a new key and title but its text.
    if key in new_entries:
        return new_entries[key]
    with_title = new_entries_by_title_or_text.get(fold(old_entry.title))
    if with_title:
        return with_title
    return new_entries_by_title_or_text.get(_folded_text(old_entry))


def _has_new_title_and_text(old: EntryData, new: EntryData) -> bool:
    has_new_title = fold(old.title) not in ("", fold(new.title))
    return has_new_title and _folded_text(old) not in ("", _folded_text(new))


def _has_replaced_identifier(old: EntryData, new: EntryData) -> bool:
    pairs_of_old_and_new = (
        (old.guid, new.guid),
        (enclosure_key(old.audio_url), enclosure_key(new.audio_url)),
        (page_key(old.url), page_key(new.url)),
    )
    for old_value, new_value in pairs_of_old_and_new:
        # A filled blank, or a value that is gone, is no move.
        have_both_values = old_value != "" and new_value != ""
        if have_both_values and old_value != new_value:
            return True
    return False


def _folded_text(entry: EntryData) -> str:
    return fold(entry.text or entry.html)


def is_of_show(version: evidence.NewVersion) -> bool:
    """Return True for a feed under its show's title, or with a GUID or title of the show.

    Another show's feed at the show's own address is not the show's own feed.
    """
    is_feed = version.parsed.channel is not None
    return is_feed and (_has_show_title(version) or _has_entry_of_last_complete_version(version))


def _has_entries_refused_two_days(version: evidence.NewVersion, now: datetime) -> bool:
    """Return True if equal entries were refused as implausible on the last two days before today.

    A change that a feed repeats for so long is accepted. The version must have the show's title, and the
    GUID or title of an entry of the last complete version.
    """
    if not (_has_show_title(version) and _has_entry_of_last_complete_version(version)):
        return False
    contents_of_refused_days = []
    for copy in _last_refused_copy_of_each_day_before(version, now.date())[-2:]:
        contents_of_refused_days.append(_comparable_contents(_entries_of_refused_copy(copy)))
    contents = _comparable_contents(version.parsed.entries)
    return contents_of_refused_days == [contents, contents]


def _last_refused_copy_of_each_day_before(
    version: evidence.NewVersion, today: date
) -> list[Capture]:
    captures = Capture.objects.filter(document=version.document)
    since = _last_complete_version(version).taken_at
    refused_copies = captures.filter(refused__startswith=IMPLAUSIBLE_REASON, taken_at__gt=since)
    last_copy_by_day = {}  # the oldest day first
    for copy in refused_copies.order_by("taken_at", "pk"):
        day = copy.taken_at.date()
        if day != today:
            last_copy_by_day[day] = copy  # replaces an earlier copy of the day
    return list(last_copy_by_day.values())


def _last_complete_version(version: evidence.NewVersion) -> Capture:
    """Return the last version that was not only the new entries of a refused one."""
    versions = Capture.objects.versions().filter(document=version.document, is_partial=False)
    return versions.latest("version")


def _has_entry_of_last_complete_version(version: evidence.NewVersion) -> bool:
    complete_version = _last_complete_version(version)
    # Later versions are partial: their new entries are of refused versions, and would prove the next one right.
    items = version.document.items.filter(first_version__lte=complete_version.version)
    old_keys = set(items.values_list("key", flat=True))
    # `version.previous` has the entries of partial versions, too.
    old_titles = {fold(entry.title) for key, entry in version.previous.items() if key in old_keys}
    old_titles.discard("")  # of entries without a title
    entries = version.entries
    return any(key in old_keys or fold(entry.title) in old_titles for key, entry in entries.items())


def _entries_of_refused_copy(capture: Capture) -> Sequence[EntryData]:
    document = capture.document
    page = evidence.stored_page(document, capture)
    try:
        parsed = parse_version(document.source, page, show_confirmed=document.show_confirmed)
    except DocumentRejected:
        return ()
    return parsed.entries


def _comparable_contents(entries: Sequence[EntryData]) -> set[tuple[str, str, str]]:
    keyed = zip(choose_entry_keys(entries), entries, strict=True)
    return {(key, fold(entry.title), _folded_text(entry)) for key, entry in keyed}


def _has_show_title(version: evidence.NewVersion) -> bool:
    """Return True if the document has its show's title, or the title that the feed had last."""
    title = version.parsed.show
    podcast = version.document.source.podcast
    return is_name_of_show(title, podcast.title) or is_name_of_show(title, podcast.channel.title)
