"""Adds shows: by the address of a feed, of a page that links one, or by a list of subscriptions
(OPML)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from os.path import isfile
from pathlib import Path
from typing import cast

from django.utils.translation import ngettext

from ..gather import Unreachable, feed, read_feed, sources_with, with_older_pages
from ..listings import (
    PageDocument,
    feed_addresses,
    is_opml,
    subscriptions,
    web_address,
)
from ..models import Podcast, Source, Status
from ..records import Channel, DocumentRejected, EntryData, FetchedDocument
from .claims import Claim, claims_of
from .loading import fetch_page, in_file
from .shapes import (
    Loaded,
    Options,
    Report,
    Target,
    Unknown,
    Watch,
    is_web_address,
    printable,
    unwatched,
)
from .shows import move_feed
from .taking import take

SHOWN = 5
AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class Added:
    """The result of one subscription; `line` is the sentence that a person reads."""

    name: str
    outcome: str  # added | known | moved | failed
    reason: str = ""
    note: str = ""

    @property
    def ok(self) -> bool:
        return self.outcome != "failed"

    @property
    def line(self) -> str:
        return f"{self.name}: {self.reason}"


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
    def first(self) -> tuple[EntryData, ...]:
        return self.entries[:SHOWN]


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A feed to add, with the page at its address once it is fetched, or why there is none."""

    name: str
    address: str = ""
    page: FetchedDocument | None = None
    trouble: str = ""


def add_shows(
    name: str,
    options: Options,
    clock: Callable[[], datetime],
    *,
    dry_run: bool = False,
    map: Callable[..., Iterable[_Wanted]] = map,  # noqa: A002  a pool's map can be passed in
    watch: Watch = unwatched,
) -> Iterator[Added]:
    """Add the show at an address, or every show of a list, and report on each; each is added whole
    or not at all.

    Raises:
        Unknown: `name` is not an http(s) address or a file that can be read.
    """
    adding = _Adding(options, clock, watch, dry_run)
    wanted = _wanted(name, options)
    # A few at a time, as what was fetched is kept until its turn.
    for start in range(0, len(wanted), AT_ONCE):
        yield from (adding.add(one) for one in map(adding.fetch, wanted[start : start + AT_ONCE]))


def find_feed(address: str, allow: frozenset[str]) -> FetchedDocument:
    """The feed at an address, or the first podcast feed that the page there links.

    Raises:
        Unreachable: nothing answers.
        DocumentRejected: it is no feed, and links none with audio.
    """
    address, options = web_address(address), Options(allow=allow)
    if not is_web_address(address):
        raise DocumentRejected(f"{printable(address)[:80]!r} is not a valid address")
    page = _where_it_is_now(fetch_page(address, options))
    if feed.recognises(page) or is_opml(page):
        return page
    trouble = f"not a feed, and the page links none: “{PageDocument.of(page).title[:100]}”"
    for candidate in feed_addresses(page):
        try:
            linked = _where_it_is_now(fetch_page(candidate, options))
            if any(entry.audio_url for entry in read_feed(linked).entries):
                return linked
            trouble = f"the page links {candidate}, in which no episode has audio"
        except (Unreachable, DocumentRejected) as refusal:
            trouble = f"the page links {candidate}, which cannot be used: {refusal}"
    raise DocumentRejected(trouble)


def preview(page: FetchedDocument) -> ShowPreview:
    """A feed that may be added; nothing is written.

    Raises:
        DocumentRejected: it is no feed.
    """
    reading = read_feed(page)
    sources = Source.objects.filter(reader="feed").select_related("podcast")
    known = next(iter(sources_with(page, sources)), None)
    claim = None if known else next(iter(claims_of(reading)), None)
    return ShowPreview(page, cast(Channel, reading.channel), reading.entries, known, claim)


def _wanted(name: str, options: Options) -> list[_Wanted]:
    """The feed at an address, those of a saved list, or a saved feed itself."""
    address, shown = web_address(name), printable(name)[:200]
    if is_web_address(address):
        return [_Wanted(address, address)]
    if not isfile(name):
        raise Unknown(f"{shown!r} is not an http(s) address or a file that can be read")
    try:
        page = in_file(Path(name), options)
        if is_opml(page):
            return [
                _Wanted(one.title, one.address, trouble=one.trouble) for one in subscriptions(page)
            ]
        if not feed.recognises(page):
            raise DocumentRejected(
                f"neither a feed nor a list of subscriptions (OPML): {feed.what_it_is(page)}"
            )
    except DocumentRejected as refusal:
        return [_Wanted(shown, trouble=str(refusal))]
    if not page.address:
        trouble = "give the original address of this saved feed with --url"
        return [_Wanted(page.name, trouble=trouble)]
    return [_Wanted(page.name, page=page)]


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

    def fetch(self, one: _Wanted) -> _Wanted:
        """With the feed at its address, where it has one, or with why there is none."""
        if not one.address:
            return one
        self.watch(f"{one.name}: fetching {one.address}")
        try:
            return replace(one, page=find_feed(one.address, self.options.allow))
        except (Unreachable, DocumentRejected) as trouble:
            return replace(one, trouble=str(trouble))

    def add(self, one: _Wanted) -> Added:
        try:
            if one.page is None:
                raise DocumentRejected(one.trouble)
            if is_opml(one.page):
                raise DocumentRejected("this is a list of subscriptions: save it and pass the file")
            return self._add(preview(one.page))
        except DocumentRejected as refusal:
            return Added(one.name, "failed", str(refusal))

    def _add(self, found: ShowPreview) -> Added:
        """Raises DocumentRejected where nothing can be added."""
        if self.options.moved:
            return self._move(found)
        if found.known is None:
            return self._add_new(found)
        podcast = found.known.podcast
        if podcast.status == Status.REMOVED:
            raise DocumentRejected(
                f"{podcast.title} was removed; an administrator can bring it back"
            )
        return Added(podcast.slug, "known", f"already here: {podcast.title}, {_count(podcast)}")

    def _add_new(self, found: ShowPreview) -> Added:
        title, claim, notes = found.channel.title, found.claim, []
        if claim and not (claim.by_name or self.options.new):
            raise DocumentRejected(claim.advice(found.page.address))
        if claim:
            notes.append(f"it {claim.how} another show: {claim.podcast.slug}")
        if self.dry_run:
            line = f"would add {title}: {len(found.entries):,} items"
            return Added(title, "added", line, "".join(notes))
        report = self._take(found.page, None, replace(self.options, new=True))
        if not report.ok:
            raise DocumentRejected(report.reason)
        podcast = Podcast.objects.get(sources__address=found.page.address, sources__reader="feed")
        if report.note:
            notes.append(report.note)
        line = f"added {podcast.title}, {_count(podcast)}"
        return Added(podcast.slug, "added", line, "; ".join(notes))

    def _move(self, found: ShowPreview) -> Added:
        """Give a known show's feed the new address, and import what is there."""
        slug, address = self.options.moved, found.page.address
        feeds = Source.objects.select_related("podcast").filter(podcast__slug=slug, reader="feed")
        source = feeds.exclude(address="").first()
        if source is None:
            raise DocumentRejected(f"no show with a feed has the slug {slug}")
        if found.known and found.known != source:
            raise DocumentRejected(f"this address is the feed of {found.known.podcast.title}")
        before = source.address
        words = f"feed moved from {before} to {address}"
        if self.dry_run:
            return Added(slug, "moved", words)
        move_feed(source, address)
        report = self._take(found.page, source, replace(self.options, podcast=slug))
        if not report.ok:
            move_feed(source, before)
            raise DocumentRejected(report.reason)
        return Added(slug, "moved", f"{words}; {_count(source.podcast)}", report.note)

    def _take(self, page: FetchedDocument, source: Source | None, options: Options) -> Report:
        # A saved copy has no address of its own, so that nothing it names is fetched.
        if page.name:
            loaded = Loaded(Target(page.name, source), page)
        else:
            fetch_one = partial(fetch_page, options=options)
            target = Target(page.address, source, page.address)
            loaded = Loaded(target, *with_older_pages(page, fetch_one, self.watch))
        return take(loaded, options, self.clock, self.watch)


def _count(podcast: Podcast) -> str:
    count = podcast.episodes.count()
    return ngettext("1 episode", f"{count:,} episodes", count)
