"""The one way in: takes documents one after another, stores each as evidence, and brings the catalog up to date."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

from django.db import transaction
from django.db.models import QuerySet

from .gather import store
from .gather.fetch import Unreachable, fetch
from .gather.keys import without_repeats
from .gather.locate import locate, reader_of
from .gather.names import is_show
from .models import Attachment, Document, Held, Item, Podcast, Source
from .records import Page, Refused, Resolved
from .resolve.apply import apply, resolved

LONGEST_ADDRESS = 1_000  # bytes: what a database can index
LARGEST = 20_000_000  # bytes of a file; of what is fetched too


class Unknown(Exception):
    """What was named does not exist, or the options contradict each other (exit code 2)."""


@dataclass(frozen=True, slots=True)
class Target:
    """One document to take: of a configured source, at an address, or in a file."""

    name: str
    source: Source | None = None
    address: str = ""
    path: Path | None = None
    document: Document | None = None  # a stored document to read again


@dataclass(frozen=True, slots=True)
class Options:
    url: str = ""
    source: str = ""
    podcast: str = ""
    offline: bool = False
    accept: bool = False
    allow: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Report:
    """What came of one document; `line` is the summary that a person reads."""

    source: str
    outcome: str  # taken | unchanged | refused | failed
    reason: str = ""
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return self.outcome in ("taken", "unchanged")

    @property
    def line(self) -> str:
        if not self.ok:
            word = "refused" if self.outcome == "refused" else "could not be reached"
            return f"{self.source}: {word}: {self.reason}"
        c = self.counts
        return (
            f"{self.source}: {c['items']} items: {c['new']} new, {c['matched']} matched, {c['held']} held, "
            f"{c['ignored']} ignored; {c['unchanged']} unchanged since last time"
        )


@dataclass(frozen=True, slots=True)
class Loaded:
    """A target with its page; None where the server says that nothing changed."""

    target: Target
    page: Page | None = None
    trouble: Exception | None = None


def targets(names: Sequence[str], options: Options) -> list[Target]:
    """The documents that the command line names; without names, every configured source that has an address.

    Raises:
        Unknown: a name is no source, no address and no file, or the options contradict.
    """
    sources = _sources(options)
    if options.url and not is_web(options.url):
        raise Unknown(
            f"--url takes an http(s) address of at most {LONGEST_ADDRESS} characters, not {options.url[:80]!r}"
        )
    if options.url and (len(names) != 1 or _named(names[0], sources) or _is_address(names[0])):
        raise Unknown("--url says what one saved file is a copy of; name exactly one file with it")
    if options.source and not [s for s in sources if s.slug == options.source]:
        raise Unknown(f"no source is called {options.source!r}; there are: {_list(sources)}")
    if not names:
        return [t for s in sources for t in _of_source(s, options, named=False)]
    return [target for name in names for target in _target(name, sources, options)]


def _sources(options: Options) -> list[Source]:
    found = Source.objects.select_related("podcast")
    if options.podcast:
        if not Podcast.objects.filter(slug=options.podcast).exists():
            shows = ", ".join(Podcast.objects.values_list("slug", flat=True)) or "none yet"
            raise Unknown(f"no podcast is called {options.podcast!r}; there are: {shows}")
        found = found.filter(podcast__slug=options.podcast)
    return list(found)


def _target(name: str, sources: Sequence[Source], options: Options) -> list[Target]:
    named = _named(name, sources)
    if len(named) > 1:
        raise Unknown(f"{name!r} is a source of several podcasts; say which with --podcast")
    if named:
        return _of_source(named[0], options, named=True)
    if _is_address(name):
        if not is_web(name):
            raise Unknown(f"{printable(name)[:80]!r} is no address that can be asked")
        if options.offline:
            stored = list(Document.objects.filter(address=name).select_related("source__podcast"))
            if not stored:
                raise Unknown(f"{name} was never stored; --offline uses stored documents only")
            return [Target(name, document=d, source=d.source, address=d.address) for d in stored]
        return [Target(name, address=name)]
    path = Path(name)
    try:
        if path.is_file() and not options.offline:
            return [Target(printable(path.name), path=path)]
        what = "is a folder" if path.is_dir() else "is no configured source, no http(s) address and no file"
    except (OSError, ValueError) as error:  # a name too long, or a folder that may not be read
        what = f"cannot be read: {getattr(error, 'strerror', None) or error}"
    if options.offline and not what.startswith("cannot"):
        what = "is no stored document; --offline uses stored documents only"
    name = printable(name)[:200]
    raise Unknown(f"{name!r} {what}; sources are: {_list(sources)}")


def _of_source(source: Source, options: Options, *, named: bool) -> list[Target]:
    if options.offline:
        found = Document.objects.filter(source=source, captures__version__isnull=False).distinct()
        if named and not found:
            raise Unknown(f"no document of {source.slug} is stored; --offline uses stored documents only")
        return [Target(source.slug, source=source, address=d.url, document=d) for d in found]
    if not source.address:
        if named:
            raise Unknown(f"{source.slug} has no address to fetch; ingest a saved copy of its page instead")
        return []
    return [Target(source.slug, source=source, address=source.address)]


def _named(name: str, sources: Sequence[Source]) -> list[Source]:
    return [s for s in sources if s.slug == name]


def _is_address(name: str) -> bool:
    return name.lower().startswith(("http://", "https://"))


def is_web(address: str) -> bool:
    """Whether it is a whole http(s) address that can be kept."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    short = len(address.encode("utf-8", "replace")) <= LONGEST_ADDRESS
    return parts.scheme in ("http", "https") and bool(host) and short and address == printable(address)


def printable(text: str) -> str:
    """`text` without what no database and no terminal takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _list(sources: Sequence[Source]) -> str:
    return ", ".join(sorted({s.slug for s in sources})) or "none yet (manage.py loaddata sources topics)"


def ingest(
    wanted: Sequence[Target],
    options: Options,
    clock: Callable[[], datetime],
    *,
    dry_run: bool = False,
    map: Callable[..., Iterable[Loaded]] = map,  # noqa: A002  a pool's map can be passed in
    watch: Callable[[str], None] = lambda message: None,
) -> Iterator[Report]:
    """Take the targets in turn and report on each. Each is one transaction: all of it is done, or nothing.

    `dry_run` does everything and takes it back at the end. `watch` is told what is being done.
    """
    plans = [(target, *_conditions(target, clock())) for target in wanted]
    loads = map(lambda plan: _load(plan, options, watch), plans)
    if not dry_run:
        for loaded in loads:
            watch(f"{loaded.target.name}: reading")
            yield _take(loaded, options, clock, watch)
        return
    loads = list(loads)
    with transaction.atomic():
        reports = [_take(loaded, options, clock, watch) for loaded in loads]
        transaction.set_rollback(True)
    yield from reports


# -- loading ----------------------------------------------------------------------------------------------------------


def _conditions(target: Target, now: datetime) -> tuple[str, str, str]:
    """ETag, Last-Modified and a reason not to ask at all."""
    if not target.address or target.document:
        return "", "", ""
    document = _known(target.address, target.source).first()
    if document is None:
        return "", "", ""
    wait = document.not_before
    reason = f"the server asked to be left alone until {wait:%Y-%m-%d %H:%M} UTC" if wait and wait > now else ""
    # Only a document that is stored can be said to be unchanged.
    return (document.etag, document.last_modified, reason) if store.newest(document) else ("", "", reason)


def _known(address: str, source: Source | None) -> QuerySet[Document]:
    """The documents at an address: of the source, where one is named; another show's may be at the same."""
    found = Document.objects.filter(address=address).order_by("id")
    return found.filter(source=source) if source else found


def _load(plan: tuple[Target, str, str, str], options: Options, watch: Callable[[str], None]) -> Loaded:
    target, etag, last_modified, wait = plan
    if target.document:
        return Loaded(target)  # read when its turn comes: what is taken before may change it
    if target.path:
        try:
            if target.path.stat().st_size > LARGEST:
                return Loaded(target, trouble=Refused(f"it is larger than {LARGEST // 1_000_000} MB"))
            return Loaded(target, Page(target.path.read_bytes(), options.url, name=printable(target.path.name)))
        except OSError as error:
            return Loaded(target, trouble=Refused(f"cannot be read: {error.strerror}"))
    if wait:
        return Loaded(target, trouble=Unreachable(wait))
    watch(f"{target.name}: asking {target.address}")
    try:
        return Loaded(target, fetch(target.address, etag=etag, last_modified=last_modified, allow=options.allow))
    except Unreachable as trouble:
        return Loaded(target, trouble=trouble)


def _stored_page(document: Document) -> Page:
    capture = store.newest(document)
    if capture is None:
        return Page(b"", document.url)
    return Page(bytes(capture.body), document.url, capture.content_type, document.address.removeprefix("file:"))


# -- taking -----------------------------------------------------------------------------------------------------------


def _take(loaded: Loaded, options: Options, clock: Callable[[], datetime], watch: Callable[[str], None]) -> Report:
    started = clock()
    source = loaded.target.source
    try:
        if isinstance(loaded.trouble, Unreachable):
            return _failed(loaded, started, clock)
        if loaded.trouble:
            raise loaded.trouble
        source = source or _source(loaded, options)
        with transaction.atomic():
            # The show's row is the lock: on PostgreSQL by FOR UPDATE, on SQLite the transaction itself is one.
            Podcast.objects.select_for_update().get(pk=source.podcast_id)
            return _write(loaded, source, options, started, clock, watch)
    except Refused as refusal:
        if source is not None:
            _keep_refused(loaded, source, str(refusal), started, clock)
        return Report(source.slug if source else loaded.target.name, "refused", str(refusal))


def _source(loaded: Loaded, options: Options) -> Source:
    """The source of a page that came without one: named, else recognised by address, file or content."""
    sources = _sources(options)
    if options.source:
        named = _named(options.source, sources)
        if len(named) > 1:
            raise Refused(f"{options.source} is a source of several podcasts; say which with --podcast")
        return named[0]
    if loaded.page is None:
        return _known(loaded.target.address, None).select_related("source__podcast")[0].source
    return locate(loaded.page, sources)


def _write(
    loaded: Loaded,
    source: Source,
    options: Options,
    started: datetime,
    clock: Callable[[], datetime],
    watch: Callable[[str], None],
) -> Report:
    page = loaded.page
    document = loaded.target.document or store.document_of(source, page or Page(b"", loaded.target.address))
    if loaded.target.address and not loaded.target.document:
        store.remember_answer(document, page, None)
    page = page or _stored_page(document)
    known = None if loaded.target.document else store.same_as_newest(document, page)
    podcast = source.podcast
    if known:
        counts = _count(podcast, document, known.foreign, known.unchanged, None, frozenset())
    else:
        reader = reader_of(source)
        reading = reader.read(page, podcast.show)
        if reading.show and not is_show(reading.show, podcast.title) and not _is_feed_of(source, reading.feed):
            raise Refused(f"it is about another show: {reading.show}, not {podcast.title}")
        store.judge(reading, reader)
        entries = tuple(without_repeats(reading.entries))
        repeated = len(reading.entries) - len(entries)
        reading = replace(reading, entries=entries, foreign=reading.foreign + repeated)
        before = frozenset(Item.objects.filter(document__source__podcast=podcast).values_list("pk", flat=True))
        watch(f"{source.slug}: storing {len(reading.entries):,} entries")
        stored = store.store(document, page, reading, started, accept=options.accept)
        watch(f"{source.slug}: resolving")
        counts = _count(podcast, document, stored.foreign, stored.unchanged, apply(podcast), before)
    outcome = "unchanged" if known else "taken"
    store.record_run(source, document, started, clock(), outcome, counts=counts)
    return Report(source.slug, outcome, counts=counts)


def _is_feed_of(source: Source, channel: dict[str, str]) -> bool:
    """A show's own feed may rename the show; its reader has checked that it is the show's."""
    return bool(channel) and source.reader == "feed"


def _count(
    podcast: Podcast,
    document: Document,
    foreign: int,
    unchanged: int,
    result: Resolved | None,
    before: frozenset[int],
) -> dict[str, int]:
    """What became of the document's entries; every one is counted once. `new`: its episode was not there before."""
    items = {item.pk: item.is_post for item in store.present(document)}
    attached = dict(
        Attachment.objects.filter(item__document=document, item__gone_version__isnull=True).values_list(
            "item", "episode"
        )
    )
    held = Held.objects.filter(item__document=document, item__gone_version__isnull=True).count()
    old = _episodes_from(before, podcast) if result else set(attached.values())
    new = sum(episode not in old for episode in attached.values())
    matched = len(attached) - new + (_posts_met(podcast, document, result) if any(items.values()) else 0)
    return {
        "items": len(items) + foreign,
        "new": new,
        "matched": matched,
        "held": held,
        "ignored": len(items) + foreign - new - matched - held,
        "unchanged": unchanged,
    }


def _episodes_from(before: frozenset[int], podcast: Podcast) -> set[int]:
    rows = Attachment.objects.filter(episode__podcast=podcast).values_list("item", "episode")
    return {episode for item, episode in rows if item in before}


def _posts_met(podcast: Podcast, document: Document, result: Resolved | None) -> int:
    """Posts that gave a link its title."""
    found = (result or resolved(podcast)[0]).posts
    return sum((source, address) == (document.source.slug, document.address) for source, address, _ in found)


def _keep_refused(
    loaded: Loaded, source: Source, reason: str, started: datetime, clock: Callable[[], datetime]
) -> None:
    with transaction.atomic():
        Podcast.objects.select_for_update().get(pk=source.podcast_id)
        document = None
        if loaded.page is not None:
            document = store.document_of(source, loaded.page)
            store.keep_refused(document, loaded.page, reason, started)
        store.record_run(source, document, started, clock(), "refused", reason)


def _failed(loaded: Loaded, started: datetime, clock: Callable[[], datetime]) -> Report:
    """Note that a source could not be reached, and how long it asked to be left alone; its last good state stays."""
    source, trouble = loaded.target.source, loaded.trouble
    wait = getattr(trouble, "retry_after", None)
    document = _known(loaded.target.address, source).select_related("source").first()
    source = source or (document.source if document else None)
    if source is not None:
        with transaction.atomic():
            if document is None and wait:
                document = store.document_of(source, Page(b"", loaded.target.address))
            if document is not None and wait:
                store.remember_answer(document, None, started + timedelta(seconds=wait))
            store.record_run(source, document, started, clock(), "failed", str(trouble))
    return Report(source.slug if source else loaded.target.name, "failed", str(trouble))
