"""Adds shows: by the address of a feed, of a page that links one, or by a list of subscriptions
(OPML)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from os.path import isfile
from pathlib import Path
from typing import TypeAlias, cast

from ..gather import (
    Unreachable,
    find_feed_addresses,
    is_feed,
    is_list_of_feeds,
    parse_feed,
    parse_subscriptions,
    title_of_page,
    with_older_pages,
)
from ..listings import web_address
from ..models import Podcast, Source, Status
from ..records import Channel, DocumentRejected, EntryData, FetchedDocument
from ..text.formatting import episodes, xml_trouble
from ..text.private_addresses import conceal, split_login, without_secret
from ..text.urls import with_scheme
from .find_source import Claim, claims_of, feed_access, keep_login, move_feed, sources_with
from .importer import take
from .load_document import (
    Loaded,
    Options,
    Report,
    Target,
    Unknown,
    Watch,
    fetch_page,
    in_file,
    is_web_address,
    printable,
    show_named,
    unwatched,
)

AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class ShowPreview:
    """A feed that may be added: its show as the feed describes it, and what speaks against a new
    show."""

    page: FetchedDocument
    channel: Channel
    entries: tuple[EntryData, ...]
    known: Source | None = None
    claim: Claim | None = None

    @property
    def podcast(self) -> Podcast:
        """Its show as far as the address of the feed goes, not saved."""
        return Podcast(
            feed_url=self.page.address,
            feed_access=feed_access(self.page.login),
            said=self.channel.payload(),
        )


_Found: TypeAlias = FetchedDocument | Unreachable | DocumentRejected


def add_shows(
    name: str,
    options: Options,
    clock: Callable[[], datetime],
    *,
    dry_run: bool = False,
    map: Callable[..., Iterable[_Found]] = map,  # noqa: A002  a pool's map can be passed in
    watch: Watch = unwatched,
) -> Iterator[Report]:
    """Add the show at an address, or every show of a list, and report on each, with what came of
    it as the reason; each is added whole or not at all.

    Raises:
        Unknown: `name` is not an http(s) address or a readable file, no show has the name given as
            the one that moved, or a list names several feeds, of which only one can be its new
            address.
    """

    def fetched(wanted: tuple[str, str | _Found]) -> _Found:
        title, place = wanted
        if not isinstance(place, str):
            return place
        watch(f"{title}: fetching {without_secret(place)}")
        try:
            return find_feed(place, options.allow)
        except (Unreachable, DocumentRejected) as trouble:
            return trouble

    adding = _Adding(options, clock, watch, dry_run)
    wanted = _wanted(name, options)
    if options.moved:
        show_named(options.moved)
        if len(wanted) > 1:
            raise Unknown(
                f"--moved-from takes the address of one feed, and {printable(name)[:200]!r} lists "
                f"{len(wanted)}"
            )
    # A few at a time, as what was fetched is kept until its turn.
    for start in range(0, len(wanted), AT_ONCE):
        some = wanted[start : start + AT_ONCE]
        for (title, _), found in zip(some, map(fetched, some), strict=True):
            yield adding.add(title, found)


def _wanted(name: str, options: Options) -> Sequence[tuple[str, str | _Found]]:
    """The feed at an address, those of a saved list, or a saved feed: each with its name, and with
    its address or what is there."""
    label = conceal(printable(name)[:200])
    if options.url and not (is_web_address(options.url) and isfile(name)):
        raise Unknown(
            "--url gives the original http(s) address of a saved feed: "
            f"{conceal(options.url[:80])!r} is no such address, or {label!r} is no file that can be read"
        )
    if isfile(name):
        try:
            return _listed(in_file(Path(name), options))
        except DocumentRejected as refusal:
            return [(label, refusal)]
    address = web_address(with_scheme(name))
    if is_web_address(address):
        return [(without_secret(address), address)]
    raise Unknown(f"{label!r} is not an http(s) address or a file that can be read")


def _listed(page: FetchedDocument) -> Sequence[tuple[str, str | _Found]]:
    """The feeds of a saved list, or a saved feed.

    Raises:
        DocumentRejected: it is neither.
    """
    listed = parse_subscriptions(page)
    if listed is not None:
        return [
            (one.title, DocumentRejected(one.trouble) if one.trouble else one.address)
            for one in listed
        ]
    if is_feed(page) and page.address:
        return [(page.name, page)]
    raise DocumentRejected(
        "not a list of subscriptions (OPML), nor a saved feed with its original address in --url"
    )


def find_feed(address: str, allow: frozenset[str]) -> FetchedDocument:
    """The feed at an address, or the first podcast feed that the page there links.

    Raises:
        Unreachable: nothing answers.
        DocumentRejected: it is no feed, and links none with audio.
    """
    options = Options(allow=allow)
    plain, login = split_login(web_address(with_scheme(address)))
    page = _where_it_is_now(fetch_page(plain, options, login))
    # Reading one refuses a list of subscriptions: whoever asks for it says what it is.
    if is_list_of_feeds(page) or is_feed(page):
        return page
    trouble = f"not a feed, and the page links none: “{title_of_page(page)[:100]}”"
    for candidate in find_feed_addresses(page):
        label = without_secret(candidate)
        try:
            linked = _where_it_is_now(fetch_page(candidate, options, login))
            # A blog has a feed as well, in which nothing can be heard.
            if any(entry.audio_url for entry in parse_feed(linked).entries):
                return linked
            trouble = f"the page links {label}, in which no episode has audio"
        except (Unreachable, DocumentRejected) as refusal:
            trouble = f"the page links {label}, which cannot be used: {refusal}"
    raise DocumentRejected(trouble)


def preview(page: FetchedDocument) -> ShowPreview:
    """A feed that may be added; nothing is written.

    Raises:
        DocumentRejected: it is no feed.
    """
    reading = parse_feed(page)
    sources = Source.objects.filter(reader="feed").select_related("podcast")
    known = next(iter(sources_with(page, sources)), None)
    claim = None if known else next(iter(claims_of(reading)), None)
    return ShowPreview(page, cast(Channel, reading.channel), reading.entries, known, claim)


def _where_it_is_now(page: FetchedDocument) -> FetchedDocument:
    """A page under the address to which it moved for good."""
    if not page.moved_to:
        return page
    return replace(page, address=page.moved_to, moved_to="", etag="", last_modified="")


@dataclass(frozen=True, slots=True)
class _Adding:
    """Adds feeds one after another."""

    options: Options
    clock: Callable[[], datetime]
    watch: Watch
    dry_run: bool

    def add(self, name: str, found: _Found) -> Report:
        """Add the show of a feed, or say why there is none to add."""
        try:
            if isinstance(found, Exception):
                raise found
            shown = preview(found)
            if self.options.moved:
                return self._move(shown)
            if shown.known is None:
                return self._add_new(shown)
            podcast = shown.known.podcast
            if podcast.status == Status.REMOVED:
                raise DocumentRejected(
                    f"{podcast.title} was removed; an administrator can bring it back"
                )
            if not self.dry_run:
                keep_login(shown.known, shown.page.login)
            line = f"already here: {podcast.title}, {_count(podcast)}"
            return Report(podcast.slug, "taken", line)
        except (Unreachable, DocumentRejected) as trouble:
            return Report(name, "failed", str(trouble))

    def _add_new(self, found: ShowPreview) -> Report:
        title, claim, note = found.channel.title, found.claim, ""
        if claim:
            if not (claim.by_name or self.options.new):
                raise DocumentRejected(claim.advice(without_secret(found.page.address)))
            note = f"it {claim.how} another show: {claim.podcast.slug}"
        if self.dry_run:
            line = f"would add {title}: {len(found.entries):,} items"
            return Report(title, "taken", line, note=note)
        report = self._take(found.page, None, replace(self.options, new=True))
        podcast = Podcast.objects.get(sources__address=found.page.address, sources__reader="feed")
        notes = "; ".join(filter(None, (note, xml_trouble(report.counts), report.note)))
        line = f"added {podcast.title}, {_count(podcast)}"
        return Report(podcast.slug, "taken", line, note=notes)

    def _move(self, found: ShowPreview) -> Report:
        """Give a known show's feed the new address, and import what is there."""
        slug, address = self.options.moved, found.page.address
        feeds = Source.objects.select_related("podcast").filter(podcast__slug=slug, reader="feed")
        source = feeds.exclude(address="").first()
        if source is None:
            raise DocumentRejected(f"no show with a feed has the slug {slug}")
        if found.known and found.known != source:
            raise DocumentRejected(f"this address is the feed of {found.known.podcast.title}")
        before = source.address
        words = f"feed moved from {source.for_display(before)} to {source.for_display(address)}"
        if self.dry_run:
            return Report(slug, "taken", words)
        move_feed(source, address)
        try:
            report = self._take(found.page, source, replace(self.options, podcast=slug))
        # The import took back what it did itself; the address was saved before it.
        except DocumentRejected:
            move_feed(source, before)
            raise
        keep_login(source, found.page.login)
        return Report(slug, "taken", f"{words}; {_count(source.podcast)}", note=report.note)

    def _take(self, page: FetchedDocument, source: Source | None, options: Options) -> Report:
        """Import a feed.

        Raises:
            DocumentRejected: it was not taken.
        """
        fetch_one = partial(fetch_page, options=options, login=page.login)
        target = Target(without_secret(page.address), source, page.address)
        loaded = Loaded(target, *with_older_pages(page, fetch_one, self.watch))
        report = take(loaded, options, self.clock, self.watch)
        if report.exit_code:
            raise DocumentRejected(report.reason)
        return report


def _count(podcast: Podcast) -> str:
    return episodes(podcast.episodes.count()).lower()
