"""Adds shows from the address of a feed, the address of a page that links a feed, a saved feed, or a
list of subscriptions (OPML)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from os.path import isfile
from pathlib import Path
from typing import TypeAlias, cast

from ..gather import (
    Unreachable,
    fetch_complete_feed_with_note,
    find_feed_addresses,
    is_feed,
    is_list_of_feeds,
    parse_feed,
    parse_subscriptions,
    title_of_page,
)
from ..listings import Subscription, unwrap_app_address
from ..models import Podcast, Source, Status
from ..records import (
    Channel,
    CountCallback,
    DocumentRejected,
    EntryData,
    FetchedDocument,
)
from ..text.formatting import describe_xml_repair, format_count, format_episode_count
from ..text.private_addresses import mask_secrets, split_login, without_secret
from ..text.urls import add_scheme
from .find_source import (
    Claim,
    feed_access,
    find_claims_of_feed_on_shows,
    move_feed_to_address,
    sources_with_address_or_bytes,
    store_login,
)
from .importer import import_document
from .load_document import (
    ImportOptions,
    ImportReport,
    ImportTarget,
    LoadedDocument,
    ProgressCallback,
    UsageError,
    fetch_page,
    find_show_or_only_show,
    is_storable_web_address,
    read_saved_document,
    replace_surrogates,
)

FeedOrTrouble: TypeAlias = FetchedDocument | Unreachable | DocumentRejected


@dataclass(frozen=True, slots=True)
class ShowPreview:
    """A feed that may be added, with the source that already has it, or a known show that it may be of."""

    page: FetchedDocument
    channel: Channel
    entries: tuple[EntryData, ...]
    existing_source: Source | None = None
    claim: Claim | None = None

    @property
    def podcast(self) -> Podcast:
        return Podcast(
            feed_url=self.page.address,
            feed_access=feed_access(self.page.login),
            said=self.channel.payload(),
        )


@dataclass(frozen=True, slots=True)
class _ShowToAdd:
    """A show to add: the title for reports, and the address of its feed, a saved feed, or the trouble."""

    title: str
    feed: str | FeedOrTrouble


def add_shows_and_yield_reports(
    address_or_path: str,
    options: ImportOptions,
    clock: Callable[[], datetime],
    *,
    dry_run: bool,
    map_feeds: Callable[..., Iterable[FeedOrTrouble]],
    on_progress: ProgressCallback,
    on_count: CountCallback,
) -> Iterator[ImportReport]:
    """Add the show at an address, or every show of a list, and report on each. Each is one transaction.

    `map_feeds` calls a function for each feed, in order. With a pool's `map`, feeds are fetched at once.

    Raises:
        UsageError: `address_or_path` is not an http(s) address or a readable file, no show has the slug
            of `--moved-from`, or a list names several feeds for it.
    """
    shows_to_add = _shows_to_add_from_address_or_file(address_or_path, options)
    if options.moved:
        _require_one_feed_for_moved_show(address_or_path, len(shows_to_add), options.moved)
    adder = _ShowAdder(options, clock, on_progress, dry_run)
    fetch_feed = partial(_fetch_feed_or_trouble, options=options, on_progress=on_progress)
    batch_size = 16  # because fetched feeds stay in memory until their turn
    done_count = 0
    for start in range(0, len(shows_to_add), batch_size):
        batch = shows_to_add[start : start + batch_size]
        feeds = map_feeds(fetch_feed, batch)
        for show_to_add, feed in zip(batch, feeds, strict=True):
            yield adder.add_and_report(show_to_add.title, feed)
            done_count += 1
            on_count(done_count, len(shows_to_add), "shows")


def _require_one_feed_for_moved_show(address_or_path: str, feed_count: int, slug: str) -> None:
    find_show_or_only_show(slug)  # raises an error for an unknown slug
    if feed_count > 1:
        raise UsageError(
            f"--moved-from takes the address of one feed, and {replace_surrogates(address_or_path)[:200]!r} lists "
            f"{feed_count}"
        )


def _fetch_feed_or_trouble(
    show_to_add: _ShowToAdd, options: ImportOptions, on_progress: ProgressCallback
) -> FeedOrTrouble:
    feed = show_to_add.feed
    # A saved feed, or the trouble of a file or of a line of a list: there is nothing to fetch.
    if not isinstance(feed, str):
        return feed
    on_progress(f"{show_to_add.title}: fetching {without_secret(feed)}")
    try:
        return fetch_feed_or_linked_feed(feed, options.allowed_private_hosts)
    except (Unreachable, DocumentRejected) as trouble:
        return trouble


def _shows_to_add_from_address_or_file(
    address_or_path: str, options: ImportOptions
) -> Sequence[_ShowToAdd]:
    """Return the show of the feed at an address or in a file, or the shows of a saved list.

    Raises:
        UsageError: it is no address and no file, or `--url` is no address of a file.
    """
    label = mask_secrets(replace_surrogates(address_or_path)[:200])  # for messages
    is_file = isfile(address_or_path)
    has_address_for_file = is_file and is_storable_web_address(options.url)
    if options.url and not has_address_for_file:
        raise UsageError(
            "--url gives the original http(s) address of a saved feed: "
            f"{mask_secrets(options.url[:80])!r} is no such address, or {label!r} is no file that can be read"
        )
    if is_file:
        try:
            return _shows_to_add_from_file(read_saved_document(Path(address_or_path), options))
        except DocumentRejected as refusal:
            # It is reported later, like a feed that cannot be fetched.
            return [_ShowToAdd(label, refusal)]
    # "feed://loom.example/rss" opens a podcast app, "loom.example/rss" lacks the scheme.
    address = unwrap_app_address(add_scheme(address_or_path))
    if is_storable_web_address(address):
        return [_ShowToAdd(without_secret(address), address)]
    raise UsageError(f"{label!r} is not an http(s) address or a file that can be read")


def _shows_to_add_from_file(saved_page: FetchedDocument) -> Sequence[_ShowToAdd]:
    """Return the feeds of a saved list, or a saved feed.

    Raises:
        DocumentRejected: the file is neither.
    """
    subscriptions = parse_subscriptions(saved_page)
    if subscriptions is not None:
        return [_show_to_add_of_subscription(subscription) for subscription in subscriptions]
    if not is_feed(saved_page):
        raise DocumentRejected("this is neither a feed nor an OPML file")
    # Without an address the feed could never be polled.
    if not saved_page.address:
        raise DocumentRejected("this is a saved feed: give its original address with --url")
    return [_ShowToAdd(saved_page.name, saved_page)]


def _show_to_add_of_subscription(subscription: Subscription) -> _ShowToAdd:
    # A line of the list without a usable address. The other shows are added all the same.
    if subscription.problem:
        return _ShowToAdd(subscription.title, DocumentRejected(subscription.problem))
    return _ShowToAdd(subscription.title, subscription.address)


def fetch_feed_or_linked_feed(
    address: str, allowed_private_hosts: frozenset[str]
) -> FetchedDocument:
    """Return the feed at an address, or the first podcast feed that the page there links.

    Raises:
        Unreachable: the server does not answer.
        DocumentRejected: the page is no feed, and links no feed with audio.
    """
    options = ImportOptions(allowed_private_hosts=allowed_private_hosts)
    plain_address, login = split_login(unwrap_app_address(add_scheme(address)))
    page = _with_permanent_address(fetch_page(plain_address, options, login))
    # A list of subscriptions is returned, too. To parse it as a feed gives the right error.
    if is_list_of_feeds(page) or is_feed(page):
        return page
    return _fetch_linked_audio_feed_or_raise(page, options, login)


def _fetch_linked_audio_feed_or_raise(
    page: FetchedDocument, options: ImportOptions, login: str
) -> FetchedDocument:
    """Raise DocumentRejected with the trouble of the last linked feed if none of them can be used."""
    trouble = f"not a feed, and the page links none: “{title_of_page(page)[:100]}”"
    for feed_address in find_feed_addresses(page):
        label = without_secret(feed_address)
        try:
            feed = _with_permanent_address(fetch_page(feed_address, options, login))
            # A blog has a feed without audio.
            if any(entry.audio_url for entry in parse_feed(feed).entries):
                return feed
            trouble = f"the page links {label}, in which no episode has audio"
        except (Unreachable, DocumentRejected) as refusal:
            trouble = f"the page links {label}, which cannot be used: {refusal}"
    raise DocumentRejected(trouble)


def _with_permanent_address(page: FetchedDocument) -> FetchedDocument:
    # `moved_to` is the target of a permanent redirect (HTTP 301 or 308).
    if not page.moved_to:
        return page
    # Without ETag and date, so the first poll of the new address is an unconditional request.
    return replace(page, address=page.moved_to, moved_to="", etag="", last_modified="")


def preview_show(feed_page: FetchedDocument) -> ShowPreview:
    """Return a feed that may be added, with the source that has it, or the known show that it is most
    likely of. Write nothing.

    Raises:
        DocumentRejected: the page is no feed.
    """
    parsed = parse_feed(feed_page)
    channel = cast(Channel, parsed.channel)  # every feed has one
    feeds = Source.objects.filter(reader="feed").select_related("podcast")
    sources = sources_with_address_or_bytes(feed_page, feeds)
    if sources:
        # Several shows can have the address. The first of them is enough to say that the feed is here.
        return ShowPreview(feed_page, channel, parsed.entries, existing_source=sources[0])
    claims = find_claims_of_feed_on_shows(parsed)
    strongest_claim = claims[0] if claims else None
    return ShowPreview(feed_page, channel, parsed.entries, claim=strongest_claim)


@dataclass(frozen=True, slots=True)
class _ShowAdder:
    """Adds or moves shows one after another, with the same options, and reports on each."""

    options: ImportOptions
    clock: Callable[[], datetime]
    on_progress: ProgressCallback
    dry_run: bool

    def add_and_report(
        self, title_for_failure: str, feed_or_trouble: FeedOrTrouble
    ) -> ImportReport:
        """Add the show of a feed, or report why it cannot be added. `title_for_failure` is for its report."""
        try:
            if isinstance(feed_or_trouble, Exception):
                raise feed_or_trouble  # reported below, like an error of the import
            show_preview = preview_show(feed_or_trouble)
            if self.options.moved:
                return self._move_and_import_feed(show_preview)
            if show_preview.existing_source is None:
                return self._import_new_show_and_report(show_preview)
            return self._store_login_and_build_report(show_preview.existing_source, feed_or_trouble)
        except (Unreachable, DocumentRejected) as trouble:
            return ImportReport(title_for_failure, "failed", str(trouble))

    def _store_login_and_build_report(self, source: Source, feed: FetchedDocument) -> ImportReport:
        # A person may have added the show before, but without the login of its feed.
        podcast = source.podcast
        if podcast.status == Status.REMOVED:
            raise DocumentRejected(
                f"{podcast.title} was removed; an administrator can bring it back"
            )
        if not self.dry_run:
            store_login(source, feed.login)
        line = f"already here: {podcast.title}, {_episode_count(podcast)}"
        return ImportReport(podcast.slug, "taken", line)

    def _import_new_show_and_report(self, show_preview: ShowPreview) -> ImportReport:
        """Import the feed of a new show, and return the report. With `dry_run`, only report the show that
        would be added.

        Raises:
            DocumentRejected: the feed may be of a known show, or the import failed.
        """
        page = show_preview.page
        claim_note = ""
        if show_preview.claim:
            claim_note = self._note_of_accepted_claim(show_preview.claim, page.address)
        if self.dry_run:
            title = show_preview.channel.title
            items = format_count(len(show_preview.entries), "item", "items")
            line = f"would add {title}: {items}"
            return ImportReport(title, "taken", line, note=claim_note)
        # Without `new` the import would refuse a feed with a claim, which is accepted here.
        options_for_new_show = replace(self.options, new=True)
        # Without a source the import creates show and source.
        report = self._import_complete_feed_or_raise(page, options_for_new_show, source=None)
        podcast = Podcast.objects.get(sources__address=page.address, sources__reader="feed")
        notes = [claim_note, describe_xml_repair(report.counts), report.note]
        line = f"added {podcast.title}, {_episode_count(podcast)}"
        return ImportReport(podcast.slug, "taken", line, note="; ".join(filter(None, notes)))

    def _note_of_accepted_claim(self, claim: Claim, feed_address: str) -> str:
        # A like title alone is no reason to refuse a feed.
        is_accepted = claim.by_name or self.options.new
        if not is_accepted:
            raise DocumentRejected(claim.advice(without_secret(feed_address)))
        return f"it {claim.relation} another show: {claim.podcast.slug}"

    def _move_and_import_feed(self, show_preview: ShowPreview) -> ImportReport:
        """Give the feed of the show `options.moved` the address of the preview, import it, and return the report."""
        slug = self.options.moved
        page = show_preview.page
        source = _feed_of_show_or_raise(slug)
        source_at_new_address = show_preview.existing_source
        if source_at_new_address and source_at_new_address != source:
            title = source_at_new_address.podcast.title
            raise DocumentRejected(f"this address is the feed of {title}")
        old_address = source.for_display(source.address)
        line = f"feed moved from {old_address} to {source.for_display(page.address)}"
        if self.dry_run:
            return ImportReport(slug, "taken", line)
        report = self._import_at_new_address_or_move_back(source, page)
        store_login(source, page.login)
        line = f"{line}; {_episode_count(source.podcast)}"
        return ImportReport(slug, "taken", line, note=report.note)

    def _import_at_new_address_or_move_back(
        self, source: Source, page: FetchedDocument
    ) -> ImportReport:
        old_address = source.address
        options_with_show = replace(self.options, podcast=source.podcast.slug)
        move_feed_to_address(source, page.address)
        try:
            return self._import_complete_feed_or_raise(page, options_with_show, source=source)
        except DocumentRejected:
            # The import rolled back its own changes, but not the move before it.
            move_feed_to_address(source, old_address)
            raise

    def _import_complete_feed_or_raise(
        self, page: FetchedDocument, options: ImportOptions, *, source: Source | None
    ) -> ImportReport:
        fetch_older_page = partial(fetch_page, options=options, login=page.login)
        target = ImportTarget(
            name=without_secret(page.address), source=source, address=page.address
        )
        complete_feed, note = fetch_complete_feed_with_note(
            page, fetch_older_page, self.on_progress
        )
        document = LoadedDocument(target, complete_feed, note)
        report = import_document(document, options, self.clock, self.on_progress)
        if report.exit_code:
            raise DocumentRejected(report.reason)
        return report


def _feed_of_show_or_raise(slug: str) -> Source:
    feeds = Source.objects.select_related("podcast").filter(podcast__slug=slug, reader="feed")
    source = feeds.exclude(address="").first()
    if source is None:
        raise DocumentRejected(f"no show with a feed has the slug {slug}")
    return source


def _episode_count(podcast: Podcast) -> str:
    return format_episode_count(podcast.episodes.count()).lower()
