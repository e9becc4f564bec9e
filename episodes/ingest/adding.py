"""Adds shows: by the address of a feed, of a page that links one, or by a list of subscriptions
(OPML)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from django.conf import settings

from ..gather import Unreachable, at_address, feed, fetch, read_feed
from ..listings import (
    PageDocument,
    Subscription,
    feed_addresses,
    is_opml,
    subscriptions,
    web_address,
)
from ..models import Podcast, Source, Status
from ..records import Channel, DocumentRejected, EntryData, FetchedDocument
from .claims import Claim, claims_of
from .shapes import Loaded, Options, Target, Unknown, is_web_address, largest, printable
from .shows import move_feed
from .taking import take

SHOWN = 5
AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class Added:
    """What came of one subscription; `line` is the sentence that a person reads."""

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
    """What adding a feed would do: its show as the feed describes it, and what speaks against a new
    show."""

    page: FetchedDocument
    channel: Channel
    entries: tuple[EntryData, ...]
    known: Source | None = None
    claim: Claim | None = None
    namesake: Podcast | None = None

    @property
    def first(self) -> tuple[EntryData, ...]:
        return self.entries[:SHOWN]


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A feed to add, with the page at its address once it is fetched."""

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
    watch: Callable[[str], None] = lambda message: None,
) -> Iterator[Added]:
    """Add the show at an address, or every show of a list, and report on each; each is added whole
    or not at all.

    Raises:
        Unknown: `name` is not an http(s) address or a file that can be read.
    """
    wanted = _wanted(name, options)
    for start in range(
        0, len(wanted), AT_ONCE
    ):  # a few at a time, as what was fetched is kept until its turn
        for one in map(lambda one: _found(one, options, watch), wanted[start : start + AT_ONCE]):
            yield _added(one, options, clock, dry_run, watch)


def find_feed(address: str, allow: frozenset[str]) -> FetchedDocument:
    """The feed at an address, or the first podcast feed that the page there links.

    Raises:
        Unreachable: nothing answers.
        DocumentRejected: it is no feed and links none.
    """
    page = _settled(fetch(web_address(address), allow=allow, max_bytes=largest()))
    if feed.recognises(page) or is_opml(page):
        return page
    feeds: list[tuple[bool, int, FetchedDocument]] = []
    troubles = []
    for candidate in feed_addresses(page):
        try:
            linked = _settled(fetch(candidate, allow=allow, max_bytes=largest()))
            has_audio = any(said.audio_url for said in read_feed(linked).entries)
            feeds.append((not has_audio, len(feeds), linked))
        except (Unreachable, DocumentRejected) as trouble:
            troubles.append(f"the page links {candidate}, which cannot be used: {trouble}")
    if feeds:
        return min(feeds)[2]
    title = PageDocument.of(page).title
    what = f"“{title[:100]}”" if title else "a page without a title"
    raise DocumentRejected(next(iter(troubles), f"not a feed, and the page links none: {what}"))


def preview(page: FetchedDocument) -> ShowPreview:
    """What adding a feed would do; nothing is written.

    Raises:
        DocumentRejected: it is no feed.
    """
    reading = read_feed(page)
    channel = reading.channel or Channel()
    sources = list(Source.objects.filter(reader="feed").select_related("podcast"))
    known = at_address(page.address, sources) if page.address else []
    claims = [] if known else claims_of(reading)
    return ShowPreview(
        page,
        channel,
        reading.entries,
        known=known[0] if known else None,
        claim=next((claim for claim in claims if not claim.by_name), None),
        namesake=next((claim.podcast for claim in claims if claim.by_name), None),
    )


# -- what is wanted
# ---------------------------------------------------------------------------------------------------


def _wanted(name: str, options: Options) -> list[_Wanted]:
    address = web_address(name)
    if is_web_address(address):
        return [_Wanted(address, address)]
    path = Path(name)
    try:
        if not path.is_file():
            raise Unknown(f"{printable(name)[:200]!r} is not an http(s) address or a file")
        if path.stat().st_size > largest():
            raise Unknown(f"{printable(path.name)!r} is larger than {settings.DOCUMENT_MB} MB")
        page = FetchedDocument(path.read_bytes(), options.url, name=printable(path.name))
    except (OSError, ValueError) as error:
        raise Unknown(
            f"{printable(name)[:200]!r} cannot be read: {getattr(error, 'strerror', None) or error}"
        ) from None
    return _of_file(page)


def _of_file(page: FetchedDocument) -> list[_Wanted]:
    """The feeds of a saved list, or a saved feed itself."""
    try:
        if is_opml(page):
            return [_of_list(one) for one in subscriptions(page)]
        if not feed.recognises(page):
            raise DocumentRejected(
                f"neither a feed nor a list of subscriptions (OPML): {feed.what_it_is(page)}"
            )
        if not page.address:
            raise DocumentRejected("give the original address of this saved feed with --url")
    except DocumentRejected as refusal:
        return [_Wanted(page.name, trouble=str(refusal))]
    return [_Wanted(page.name, page.address, page)]


def _of_list(one: Subscription) -> _Wanted:
    if one.trouble or is_web_address(one.address):
        return _Wanted(one.title, one.address, trouble=one.trouble)
    return _Wanted(one.title, trouble=f"{printable(one.address)[:80]!r} is not a valid address")


# -- finding feeds
# ----------------------------------------------------------------------------------------------------


def _found(one: _Wanted, options: Options, watch: Callable[[str], None]) -> _Wanted:
    """With the feed at its address, or with why there is none."""
    if one.page or one.trouble:
        return one
    watch(f"{one.name}: fetching {one.address}")
    try:
        return replace(one, page=find_feed(one.address, options.allow))
    except (Unreachable, DocumentRejected) as trouble:
        return replace(one, trouble=str(trouble))


def _settled(page: FetchedDocument | None) -> FetchedDocument:
    """A page under the address that it has for good."""
    page = page or FetchedDocument(b"")
    return (
        replace(page, address=page.moved_to, moved_to="", etag="", last_modified="")
        if page.moved_to
        else page
    )


# -- adding
# -----------------------------------------------------------------------------------------------------------


def _added(
    one: _Wanted,
    options: Options,
    clock: Callable[[], datetime],
    dry_run: bool,
    watch: Callable[[str], None],
) -> Added:
    if one.page is None or one.trouble:
        return Added(one.name, "failed", one.trouble)
    try:
        if is_opml(one.page):
            return Added(
                one.name,
                "failed",
                "this is a list of subscriptions (OPML); save it and pass the file",
            )
        found = preview(one.page)
        if options.moved:
            return _moved(found, options, clock, dry_run, watch)
        if found.known:
            return _known(found.known)
        if found.claim and not options.new:
            return Added(one.name, "failed", found.claim.advice(one.page.address))
        return _new(found, options, clock, dry_run, watch)
    except DocumentRejected as refusal:
        return Added(one.name, "failed", str(refusal))


def _known(source: Source) -> Added:
    podcast = source.podcast
    if podcast.status == Status.REMOVED:
        return Added(
            podcast.slug,
            "failed",
            f"{podcast.title} was removed; an administrator can bring it back",
        )
    return Added(podcast.slug, "known", f"already here: {podcast.title}, {_count(podcast)}")


def _new(
    found: ShowPreview,
    options: Options,
    clock: Callable[[], datetime],
    dry_run: bool,
    watch: Callable[[str], None],
) -> Added:
    same = "another show has the same title, or one that looks like it"
    note = f"{same}: {found.namesake.slug}" if found.namesake else ""
    if dry_run:
        return Added(found.channel.title, "added", _described(found), note)
    report = take(_loaded(found.page), replace(options, new=True), clock, watch)
    source = (
        Source.objects.select_related("podcast")
        .filter(address=found.page.address, reader="feed")
        .first()
    )
    if not report.ok or source is None:
        return Added(found.channel.title or found.page.address, "failed", report.reason)
    podcast = source.podcast
    return Added(
        podcast.slug,
        "added",
        f"added {podcast.title}, {_count(podcast)}",
        "; ".join(filter(None, (note, report.note))),
    )


def _moved(
    found: ShowPreview,
    options: Options,
    clock: Callable[[], datetime],
    dry_run: bool,
    watch: Callable[[str], None],
) -> Added:
    """Give a known show's feed the new address, and import what is there."""
    feeds = Source.objects.select_related("podcast").filter(
        podcast__slug=options.moved, reader="feed"
    )
    source = feeds.exclude(address="").first()
    if source is None:
        return Added(options.moved, "failed", "no show with a feed has this slug")
    if found.known and found.known != source:
        return Added(
            options.moved, "failed", f"this address is the feed of {found.known.podcast.title}"
        )
    words = f"feed moved from {source.address} to {found.page.address}"
    if dry_run:
        return Added(options.moved, "moved", words)
    before = source.address
    move_feed(source, found.page.address)
    report = take(
        _loaded(found.page, source), replace(options, podcast=options.moved), clock, watch
    )
    if not report.ok:
        move_feed(source, before)
        return Added(options.moved, "failed", report.reason)
    return Added(options.moved, "moved", f"{words}; {_count(source.podcast)}", report.note)


def _loaded(page: FetchedDocument, source: Source | None = None) -> Loaded:
    """A target with its page. A saved copy has no address of its own, so that nothing it names is
    fetched."""
    return Loaded(
        Target(page.name or page.address, source, "" if page.name else page.address), page
    )


def _count(podcast: Podcast) -> str:
    count = podcast.episodes.count()
    return "1 episode" if count == 1 else f"{count:,} episodes"


def _described(found: ShowPreview) -> str:
    channel, entries = found.channel, found.entries
    by = f" by {channel.author}" if channel.author else ""
    language = f", {channel.language}" if channel.language else ""
    newest = f"; first item: {entries[0].title or 'untitled'!r}" if entries else ""
    return f"would add {channel.title}{by}{language}: {len(entries):,} items{newest}"
