"""Takes one document: reads it, stores it as evidence, and brings the catalog up to date; all of it or nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from django.db import Error, IntegrityError, OperationalError, connection, transaction
from django.db.models import Exists, Max, OuterRef, QuerySet

from ..gather import Unreachable, fetch_images, same_address, store
from ..listings import asks_for_login, decode, is_show
from ..models import CLOSED, Attachment, Document, Held, Item, Podcast, Source
from ..records import DocumentRejected, EntryData, FetchedDocument, ParsedPage, WrongShow
from ..resolve import apply, posts_met, release
from ..text.faults import fault_of
from .advice import LOOK_THERE, advice
from .belonging import is_vouched, source_of
from .companions import addresses, checked, fetch_missing, has_missing, promised_at, waits_for
from .listings import read_again, reading_of
from .loading import known_at, stored_page
from .readings import Reading, Waiting, plan
from .settled import is_expected
from .shapes import Loaded, Options, Report, Unclear
from .shows import follow, follow_redirect
from .targets import sources_of

logger = logging.getLogger(__name__)

ATTEMPTS = 3
READDRESSED = (
    "{} of {} entries have another guid, audio file or page than before; see whether the feed is still the show's"
)
NOT_FETCHED = "transcripts and chapters are not fetched in a dry run"
CONFLICTS = ("40001", "40P01")  # PostgreSQL: serialization failure, deadlock


def take(loaded: Loaded, options: Options, clock: Callable[[], datetime], watch: Callable[[str], None]) -> Report:
    """Take a document. Two shows that give the same new address at one moment get in each other's way: one begins again,
    and finds the address taken."""
    for _ in range(ATTEMPTS - 1):
        try:
            return _take(loaded, options, clock, watch)
        except (IntegrityError, OperationalError) as error:
            if not _is_conflict(error):
                raise
    return _take(loaded, options, clock, watch)


def take_or_stop(
    loaded: Loaded, options: Options, clock: Callable[[], datetime], watch: Callable[[str], None]
) -> Report:
    """The same, and a report where the machine or the database failed: the next document may do better."""
    try:
        return take(loaded, options, clock, watch)
    except (Error, OSError, MemoryError) as error:
        fault = fault_of(error)
        if fault is None or connection.in_atomic_block:
            raise
        connection.close_if_unusable_or_obsolete()
        return Report(loaded.target.name, "stopped", str(fault))


def _take(loaded: Loaded, options: Options, clock: Callable[[], datetime], watch: Callable[[str], None]) -> Report:
    started = clock()
    source = loaded.target.source
    try:
        if isinstance(loaded.trouble, Unreachable):
            return _failed(loaded, options, started, clock)
        if loaded.trouble:
            raise loaded.trouble
        if companion := _companion(loaded, options):
            return _take_companion(loaded, companion, clock)
        with transaction.atomic():
            source = source or _source(loaded, options)
            _check_open(source)
            # The show's row is the lock: on PostgreSQL by FOR UPDATE, on SQLite the transaction itself is one.
            Podcast.objects.select_for_update().get(pk=source.podcast_id)
            report = _write(loaded, source, options, started, clock, watch)
        if _is_live_feed(loaded, source, options):
            report = replace(report, note=_fetch_files(source, report, options, clock, watch))
        return report
    except DocumentRejected as refusal:
        # A show or a site that was new with this document is not kept for its sake.
        if source is not None and Source.objects.filter(pk=source.pk).exclude(status__in=CLOSED).exists():
            _keep_refused(loaded, source, refusal, options, started, clock)
        return _refused(_name(loaded, source), loaded, refusal)


def _refused(name: str, loaded: Loaded, refusal: DocumentRejected) -> Report:
    """The report with the address that was fetched, where nothing names it yet, and with what to do."""
    reason, address = str(refusal), loaded.target.address
    is_told = not address or address in reason or address == name
    told = reason if is_told else f"{address}: {reason}"
    if isinstance(refusal, store.ImplausibleChange):
        return Report(name, "refused", told, acceptable=True)
    if isinstance(refusal, Unclear):
        return Report(name, "unclear", told)
    is_read_there = loaded.target.source and loaded.page and address
    return Report(name, "refused", f"{told}. {LOOK_THERE}" if is_read_there else told)


def _check_open(source: Source) -> None:
    """Refuse what is of a source that is to add nothing more.

    Raises:
        DocumentRejected: it is archived or removed.
    """
    if source.is_closed:
        raise DocumentRejected(f"the source is {source.status}; an administrator can resume it in the admin")


def _is_conflict(error: Exception) -> bool:
    """True where another transaction was in the way, and not the document."""
    return isinstance(error, IntegrityError) or getattr(error.__cause__, "sqlstate", "") in CONFLICTS


def _name(loaded: Loaded, source: Source | None) -> str:
    """Name of the document's source in the report; before it has one, its name on the command line."""
    return source.name(several=Podcast.objects.several()) if source else loaded.target.name


def _is_live_feed(loaded: Loaded, source: Source, options: Options) -> bool:
    """Only what was fetched itself leads to more requests: a saved copy is read without the network."""
    return options.files and source.reader == "feed" and _was_fetched(loaded)


def _was_fetched(loaded: Loaded) -> bool:
    return bool(loaded.target.address) and loaded.target.document is None


def _fetch_files(
    source: Source, report: Report, options: Options, clock: Callable[[], datetime], watch: Callable[[str], None]
) -> str:
    """Fetch what the feed names beside the audio; the report's note, and what came of it."""
    if options.dry_run:
        return "\n  ".join(filter(None, [report.note, NOT_FETCHED if has_missing(source, clock()) else ""]))
    notes = [report.note, fetch_missing(source, options, clock, watch)]
    if options.images:
        notes.append(fetch_images(source.podcast, report.source, allow=options.allow, clock=clock, watch=watch))
    return "\n  ".join(filter(None, notes))


def _companion(loaded: Loaded, options: Options) -> Document | None:
    target, page = loaded.target, loaded.page
    if target.source or target.document or options.source:
        return None
    return waits_for(page.address if page else target.address, sources_of(options))


def _take_companion(loaded: Loaded, document: Document, clock: Callable[[], datetime]) -> Report:
    """Store a transcript or chapters that somebody brought, or asked for by its address."""
    page = checked(loaded.page, promised_at(document))
    with transaction.atomic():
        podcast = Podcast.objects.select_for_update().get(pk=document.source.podcast_id)
        news = store.keep_companion(document, page, clock())
        if news:
            apply(podcast)
    counts = {"items": 1, "new": 0, "matched": 1, "held": 0, "ignored": 0, "unchanged": int(not news)}
    return Report(_name(loaded, document.source), "taken" if news else "unchanged", counts=counts)


def _source(loaded: Loaded, options: Options) -> Source:
    if loaded.page is None:
        return known_at(loaded.target.address, None).select_related("source__podcast")[0].source
    return source_of(loaded.page, options, sources_of(options))


def _write(
    loaded: Loaded,
    source: Source,
    options: Options,
    started: datetime,
    clock: Callable[[], datetime],
    watch: Callable[[str], None],
) -> Report:
    document, is_vouched_now = _document(loaded, source, options)
    if loaded.target.address and not loaded.target.document:
        store.remember_answer(document, loaded.page, None)
    page = loaded.page or stored_page(document)
    is_read_anew = is_vouched_now or loaded.target.document is not None
    known = None if is_read_anew else store.same_as_newest(document, page)
    if known:
        counts = _count(document, known.foreign, known.unchanged, None)
        note = follow_redirect(source, page)
        reading = Reading("unchanged")
    else:
        if is_vouched_now:
            store.vouch(document, page)
        counts, note, pace = _take_version(document, page, options, started, watch)
        changed = counts["unchanged"] < store.present(document).count()
        reading = Reading("taken", changed, pace=pace)
    _record(loaded, source, document, reading, options, started, clock, counts=counts)
    release(source.podcast)
    note = "; ".join(filter(None, (note, _told_held(document))))
    if not counts["items"]:
        note = f"no known episode of {source.podcast.title} found on the page"
    return Report(_name(loaded, source), reading.outcome, counts=counts, note=note)


def _document(loaded: Loaded, source: Source, options: Options) -> tuple[Document, bool]:
    """The document that was loaded, and True where somebody vouches for a known one only now. Reading a stored one again
    says nothing new about whose it is."""
    if loaded.target.document:
        return loaded.target.document, False
    page = loaded.page or FetchedDocument(b"", loaded.target.address)
    vouched = loaded.target.source is not None or is_vouched(page, source, options)
    document = store.document_of(source, page, vouched=vouched)
    return document, vouched and not document.vouched


def _record(
    loaded: Loaded,
    source: Source,
    document: Document | None,
    reading: Reading,
    options: Options,
    started: datetime,
    clock: Callable[[], datetime],
    *,
    counts: dict[str, int] | None = None,
) -> None:
    """Keep a line about the import; where the source's own address was asked, also when it is due again."""
    now = clock()
    reason = str(reading.trouble or "")
    said = {"show": source.podcast.slug, "source": source.slug, "outcome": reading.outcome, "counts": counts or {}}
    logger.info("import: %s", reason or reading.outcome, extra=said)
    store.record_run(source, document, started, now, reading.outcome, reason, counts)
    if _was_fetched(loaded) and loaded.target.address == source.address:
        plan(source, reading, now, options.rhythm)


def _take_version(
    document: Document, page: FetchedDocument, options: Options, started: datetime, watch: Callable[[str], None]
) -> tuple[dict[str, int], str, timedelta | None]:
    """Store a new version of a document and resolve its show again; what became of its entries, a note, and how often
    the feed wants to be read."""
    source, podcast = document.source, document.source.podcast
    said = store.said_now(document)
    reading = reading_of(source, page, vouched=document.vouched, known=store.known_feed(document, said))
    _check_login(page, reading)
    notes = [_check_show(document, reading, podcast)]
    last = Item.objects.aggregate(last=Max("pk"))["last"] or 0
    name = source.name(several=Podcast.objects.several())
    watch(f"{name}: storing {len(reading.entries):,} entries")
    # At its own address a show may move to other guids, files and pages; that is told, and is no reason to stop.
    is_own = source.own and same_address(document.address) == same_address(source.address)
    stored = _store(document, page, reading, started, said, accept=options.accept, strict=not is_own)
    if is_own and stored.readdressed * 2 > len(said):
        notes.append(READDRESSED.format(stored.readdressed, len(said)))
    if reading.channel:  # only now: under its new name any feed would be tied to the show
        notes.append(follow(source, reading.channel, page))
    store.offer_companions(source, addresses(reading.entries, podcast.language))
    if source.reader != store.LISTING:
        read_again(podcast)
    watch(f"{name}: resolving")
    apply(podcast)
    counts = _count(document, stored.foreign, stored.unchanged, last)
    pace = timedelta(minutes=reading.channel.pace) if reading.channel and reading.channel.pace else None
    return counts, "; ".join(filter(None, notes)), pace


def _check_login(page: FetchedDocument, reading: ParsedPage) -> None:
    """Raises DocumentRejected for a page that asks for a login in place of its list."""
    if not reading.entries and not reading.channel and page.body and asks_for_login(decode(page)):
        raise DocumentRejected("the page asks for a login. Save it in a browser, and import the file with --url")


def _check_show(document: Document, reading: ParsedPage, podcast: Podcast) -> str:
    """A note where a feed that is read for the first time has another title than its show; a feed may rename itself.

    Raises:
        DocumentRejected: a page says that it is about another show.
    """
    if not reading.show or is_show(reading.show, podcast.title):
        return ""
    if not reading.channel:
        raise WrongShow(f"it is about another show: {reading.show}, not {podcast.title}")
    return "" if store.newest(document) else f"the feed calls itself {reading.show}, not {podcast.title}"


def _store(
    document: Document,
    page: FetchedDocument,
    reading: ParsedPage,
    now: datetime,
    said: Mapping[str, EntryData],
    *,
    accept: bool,
    strict: bool,
) -> store.Stored:
    """The document's next version; an implausible change is let through where it is accepted, the list
    moved on, or the change stays."""
    try:
        return store.store(document, page, reading, now, said, accept=accept, strict=strict)
    except store.ImplausibleChange:
        if not is_expected(document, reading, now, strict=strict):
            raise
        return store.store(document, page, reading, now, said, accept=True)


def _count(document: Document, foreign: int, unchanged: int, last: int | None) -> dict[str, int]:
    """The numbers of the document's entries by what became of them; every one is counted once.

    An entry is `new` if its episode has no entry up to the item `last`, the newest one before the import; None means that
    nothing was stored.
    """
    items = store.present(document)
    attached = Attachment.objects.filter(item__document=document, item__gone_version__isnull=True)
    new = 0 if last is None else _attached_since(attached, last).count()
    total, posts = items.count() + foreign, items.filter(is_post=True).exists()
    matched = attached.count() - new + (posts_met(document) if posts else 0)
    held = Held.objects.filter(item__document=document, item__gone_version__isnull=True).count()
    return {
        "items": total,
        "new": new,
        "matched": matched,
        "held": held,
        "ignored": total - new - matched - held,
        "unchanged": unchanged,
    }


def _told_held(document: Document) -> str:
    """A note where entries wait for a review that the document listed once: its counts are of what it lists."""
    gone = Held.objects.filter(item__document=document, item__gone_version__isnull=False).count()
    return f"{gone} more held, no longer listed; review in the admin" if gone else ""


def _attached_since(attached: QuerySet[Attachment], last: int) -> QuerySet[Attachment]:
    """The attachments to episodes that have no entry up to the item `last`."""
    return attached.filter(~Exists(Attachment.objects.filter(episode=OuterRef("episode"), item__lte=last)))


def _keep_refused(
    loaded: Loaded,
    source: Source,
    refusal: DocumentRejected,
    options: Options,
    started: datetime,
    clock: Callable[[], datetime],
) -> None:
    with transaction.atomic():
        Podcast.objects.select_for_update().get(pk=source.podcast_id)
        document = None
        if loaded.page is not None:
            document, _ = _document(loaded, source, options)
            store.keep_refused(document, loaded.page, str(refusal), started)
        _record(loaded, source, document, Reading("refused", trouble=refusal), options, started, clock)


def _failed(loaded: Loaded, options: Options, started: datetime, clock: Callable[[], datetime]) -> Report:
    """Note that a source could not be reached, and how long it asked to be left alone; its last good state stays."""
    source, trouble = loaded.target.source, loaded.trouble
    # A server that was not asked has set no new pause.
    wait = None if isinstance(trouble, Waiting) else getattr(trouble, "retry_after", None)
    document = known_at(loaded.target.address, source).select_related("source").first()
    source = source or (document.source if document else None)
    if source is not None:
        with transaction.atomic():
            if document is None and wait:
                document = store.document_of(source, FetchedDocument(b"", loaded.target.address), vouched=True)
            if document is not None and wait:
                store.remember_answer(document, None, started + timedelta(seconds=wait))
            _record(loaded, source, document, Reading("failed", trouble=trouble), options, started, clock)
    return Report(_name(loaded, source), "failed", f"{trouble}{advice(getattr(trouble, 'status', None))}")
