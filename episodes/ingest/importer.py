"""Takes one document: reads it, stores it as evidence, and brings the catalog up to date; all of it
or nothing."""

import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from http import HTTPStatus
from typing import cast

from django.db import Error, IntegrityError, OperationalError, connection, transaction
from django.db.models import Exists, Max, OuterRef

from ..gather import Unreachable, evidence, fetch_images, is_login_page, requested_wait
from ..listings import is_show
from ..models import CLOSED, Attachment, Capture, Decision, Document, Held, Item, Podcast, Source
from ..records import DocumentRejected, FetchedDocument, ParsedPage, WrongShow
from ..resolve import apply, release
from ..text.faults import OTHER_TABLES, fault_of
from ..text.formatting import counted
from ..text.private_addresses import conceal
from ..text.urls import host_of
from . import plausibility
from .companion_files import fetch_missing, promises
from .find_source import follow, is_confirmed, keep_login, propose_move, source_of
from .load_document import (
    Loaded,
    Options,
    Report,
    Watch,
    address_in_messages,
    known_at,
    same_address,
    sources_of,
    unwatched,
)
from .polling import Reading, pause_host, plan

logger = logging.getLogger(__name__)

# Advice by the status of an answer that is no document.
REFUSES = "The server refuses us, or wants a login: save the page in a browser, and import the file with --url"
ADVICE = {
    401: REFUSES,
    402: REFUSES,
    403: REFUSES,
    404: "Nothing is there: look for the new address on the show's site",
    407: REFUSES,
    410: "The server says it is gone for good: look for a new address, or pause the show",
    429: "Too many requests: import less often",
    451: REFUSES,
}
OTHERS = "See in a browser what the address serves; the next import tries again"
LOOK_THERE = "Nothing was changed: see in a browser what the address serves now"
READDRESSED = "{} of {} entries have another guid, audio file or page than before; see whether the feed is still the show's"
SECRET_FEED = (
    "the address of its feed is secret, so readers see it nowhere; an administrator can change that "
    "in the form of the show"
)
# PostgreSQL: serialization failure, deadlock, and a new row that another transaction has just made
# as well.
CONFLICTS = ("40001", "40P01", "23505")


def take(
    loaded: Loaded, options: Options, clock: Callable[[], datetime], watch: Watch = unwatched
) -> Report:
    """Take a document. Two shows that give the same new address at one moment get in each other's
    way: one begins again, once, and finds the address taken."""
    try:
        return Import(loaded, options, clock, watch).run()
    except (IntegrityError, OperationalError) as error:
        if getattr(error.__cause__, "sqlstate", "") not in CONFLICTS:
            raise
    return Import(loaded, options, clock, watch).run()


def take_or_stop(
    loaded: Loaded, options: Options, clock: Callable[[], datetime], watch: Watch
) -> Report:
    """The same, and a report where the machine or the database failed: the next document may do
    better."""
    try:
        return take(loaded, options, clock, watch)
    except (Error, OSError, MemoryError) as error:
        fault = fault_of(error)
        if fault is None or connection.in_atomic_block:
            raise
        if fault.cause == OTHER_TABLES.cause:  # or a bug
            logger.error("%s: %s", loaded.target.name, fault, exc_info=True)
        # A server that was restarted answers the next document on a new connection.
        connection.close_if_unusable_or_obsolete()
        return Report(loaded.target.name, "stopped", str(fault))


class Import:
    """One document on its way into the catalog: what was loaded, how it is to be taken, whose it
    turns out to be, and what there is to say about it."""

    def __init__(
        self, loaded: Loaded, options: Options, clock: Callable[[], datetime], watch: Watch
    ) -> None:
        self.target, self.page, self.trouble = loaded.target, loaded.page, loaded.trouble
        self.options, self.clock, self.watch = options, clock, watch
        self.started = clock()
        self.known_source: Source | None = self.target.source
        # A saved copy is read without the network, and a stored one says nothing new of its server.
        self.is_confirmed = False
        self.was_fetched = bool(self.target.address) and self.target.document is None
        self.notes = [loaded.note]
        self.reading = ParsedPage()
        self.new_version: evidence.NewVersion | None = None
        self.new_entries = 0  # of a version that was refused

    @cached_property
    def name(self) -> str:
        """The source as reports name it; of a document that has none, its name on the command
        line. To be asked when the source has been looked for."""
        if self.known_source is None:
            return self.target.name
        return self.known_source.name(several=Podcast.objects.several())

    @property
    def source(self) -> Source:
        """The source that the document is of, once that is known."""
        return cast(Source, self.known_source)

    def run(self) -> Report:
        try:
            if self.trouble:
                raise self.trouble
            with transaction.atomic():
                report = self.take_listing()
        except Unreachable as trouble:
            return self.note_failure(trouble)
        except DocumentRejected as refusal:
            self.keep_refused(refusal)
            return self.refusal_report(refusal)
        # After the commit: other people's servers are not waited for while the show is locked.
        if self.options.files and self.was_fetched and self.source.reader == "feed":
            self.notes.append(fetch_missing(self.source, self.options, self.clock, self.watch))
            if self.options.images:
                self.notes.append(
                    fetch_images(
                        self.source.podcast,
                        self.name,
                        allow=self.options.allow,
                        clock=self.clock,
                        watch=self.watch,
                    )
                )
        return replace(report, note=self.conceal("\n  ".join(filter(None, self.notes))))

    def conceal(self, text: str) -> str:
        """Return words about the document with the secret addresses in them masked."""
        return self.known_source.conceal(text) if self.known_source else conceal(text)

    # -- a document that lists episodes ------------------------------------------------------------

    def take_listing(self) -> Report:
        self.watch(f"{self.target.name}: reading")
        self.find_source()
        self.lock()
        document, confirms_more = self.document()
        if self.was_fetched:
            evidence.store_response_state(document, self.page, None)
        stored = evidence.find_unchanged_version(document, self.page)
        reading, last = Reading("unchanged"), None
        is_read_again = self.target.document or self.options.explain
        if confirms_more or is_read_again or stored is None:
            last = Item.objects.aggregate(last=Max("pk", default=0))["last"]
            stored = self.take_version(document, confirms_more)
            reading = Reading("taken", stored.unchanged < evidence.current_items(document).count())
        elif self.page and self.page.moved_to:
            self.notes.append(propose_move(self.source, self.page, self.page.moved_to))
        counts = _count(document, stored, last)
        broken = self.count_broken_entries(document, last)
        if broken is not None:
            counts["broken"] = broken
        self.record(document, reading, counts)
        release(self.source.podcast)
        podcast = self.source.podcast
        if not counts["items"]:
            self.notes = [f"no known episode of {podcast.title} found on the page"]
        elif counts["ignored"] == counts["items"] and not document.show_confirmed:
            self.notes.append(
                f"nothing says that these entries are of {podcast.title}; if they are, import the "
                f"page with --podcast {podcast.slug}"
            )
        lines = tuple(explained(document, self.reading)) if self.options.explain else ()
        return Report(self.name, reading.outcome, counts=counts, lines=lines)

    def count_broken_entries(self, document: Document, last: int | None) -> int | None:
        """Return the number of entries that could be read only in part; None of well-formed XML. A
        version that is not read again is as it was when it was taken."""
        if last is not None:
            return self.reading.broken_entries
        taken = document.runs.filter(outcome="taken")
        return taken.values_list("counts__broken", flat=True).first()

    def find_source(self) -> None:
        """Find out whose the document is; nothing more is imported from a closed source."""
        if self.known_source is None:
            if self.page:
                self.known_source = source_of(self.page, self.options, sources_of(self.options))
            else:
                known = known_at(self.target.address, None).select_related("source__podcast")
                self.known_source = known[0].source
        keep_login(self.source, self.target.login)
        if self.source.is_closed:
            raise DocumentRejected(
                f"the source is {self.source.status}; an administrator can resume it in the admin"
            )

    def lock(self) -> None:
        """The show's row is the lock: on PostgreSQL by FOR UPDATE, on SQLite the transaction itself
        is one. The row is taken as it is now: a curator may have edited it while the document
        came."""
        locked = Podcast.objects.select_for_update()
        self.source.podcast = locked.get(pk=self.source.podcast_id)

    def document(self) -> tuple[Document, bool]:
        """Return the document that was loaded, and True if this import confirms more of it than before.

        Reading a stored document again confirms nothing new.
        """
        if self.target.document:
            return self.target.document, False
        page = self.page or FetchedDocument(b"", self.target.address)
        is_configured = self.target.source is not None
        self.is_confirmed = is_configured or is_confirmed(page, self.source, self.options)
        show_confirmed = self.is_confirmed or bool(self.options.podcast)
        document = evidence.get_or_create_document(
            self.source, page, confirmed=self.is_confirmed, show_confirmed=show_confirmed
        )
        confirms_document = self.is_confirmed and not document.vouched
        confirms_show = show_confirmed and not document.show_confirmed
        return document, confirms_document or confirms_show

    def take_version(self, document: Document, confirms_more: bool) -> evidence.StoredVersion:
        """Store a new version of a document, and resolve its show again.

        If this import only confirms a stored document, its stored version is read again.
        """
        source, podcast = self.source, self.source.podcast
        newest = evidence.newest_version(document)
        page = self.page or evidence.page_of(document, cast(Capture, newest))
        if confirms_more:
            evidence.confirm_document(document, page, confirmed=self.is_confirmed)
        before = evidence.current_entries(document)
        reading = plausibility.reading_of(
            source, page, show_confirmed=document.show_confirmed, newest=newest, before=before
        )
        self.reading = reading
        _check_subject(page, reading, podcast, show_confirmed=document.show_confirmed)
        if not (newest or is_show(reading.show or podcast.title, podcast.title)):
            self.notes.append(f"the feed calls itself {reading.show}, not {podcast.title}")
        new = self.new_version = evidence.build_version(document, page, reading, before)
        self._check_change(new)
        self.watch(f"{self.name}: storing {len(reading.entries):,} entries")
        stored = evidence.store_version(new, self.started)
        if reading.channel:  # only now: under its new name any feed would be tied to the show
            elsewhere = page.moved_to or reading.channel.new_feed_url
            self.notes.append(propose_move(source, page, elsewhere))
            follow(source, reading.channel)
            if newest is None and podcast.has_secret_feed:
                self.notes.append(SECRET_FEED)
        offered = promises(reading.entries, podcast.language)
        evidence.create_companion_documents(source, [promise.address for promise in offered])
        plausibility.read_again(podcast)
        self.watch(f"{self.name}: resolving")
        apply(podcast)
        return stored

    def _check_change(self, new: evidence.NewVersion) -> None:
        """Stop a version that looks wrong. Note if the show moved to other guids, files and pages."""
        is_at_home = self.is_at_own_address(new.document)
        if not self.options.accept:
            plausibility.check(new, self.started, at_own_address=is_at_home)
        moved = len(plausibility.difference(new.previous, new.entries)[2])
        if is_at_home and moved * 2 > len(new.previous):
            self.notes.append(READDRESSED.format(moved, len(new.previous)))

    def is_at_own_address(self, document: Document) -> bool:
        """Return True for the address of an official source of the show."""
        home = self.source.address
        return self.source.own and same_address(document.address) == same_address(home)

    def record(self, document: Document | None, reading: Reading, counts: dict[str, int]) -> None:
        """Keep a line about the import; where the source's own address was asked, also when it is
        due again."""
        now, reason = self.clock(), self.conceal(str(reading.trouble or ""))
        about = {"show": self.source.podcast.slug, "source": self.source.slug}
        logger.info(
            "import: %s",
            reason or reading.outcome,
            extra=about | {"outcome": reading.outcome, "counts": counts},
        )
        evidence.record_run(
            self.source, document, self.started, now, reading.outcome, reason, counts
        )
        if self.was_fetched and self.target.address == self.source.address:
            plan(self.source, reading, now, self.target.token)

    # -- what could not be taken -------------------------------------------------------------------

    def note_failure(self, trouble: Unreachable) -> Report:
        """Note that a source could not be reached, and how long it asked to be left alone; its last
        good state stays."""
        document = known_at(self.target.address, self.known_source).select_related("source").first()
        if document:
            self.known_source = document.source
        if trouble.status == HTTPStatus.TOO_MANY_REQUESTS:
            for host in {host_of(self.target.address), trouble.host} - {""}:
                pause_host(host, self.started + requested_wait(trouble))
        if self.known_source:
            with transaction.atomic():
                if document and (wait := requested_wait(trouble)):
                    evidence.store_response_state(document, None, self.started + wait)
                self.record(document, Reading("failed", trouble=trouble), {})
        advice = f". {ADVICE.get(trouble.status, OTHERS)}" if trouble.status else ""
        return Report(self.name, "failed", self.conceal(f"{trouble}{advice}"))

    def keep_refused(self, refusal: DocumentRejected) -> None:
        """Keep a refused document. A show or a site that was new with it is not kept for its
        sake."""
        # A source that was made in the transaction is gone with it.
        kept = Source.objects.filter(pk=getattr(self.known_source, "pk", None))
        if not kept.exclude(status__in=CLOSED).exists():
            return
        with transaction.atomic():
            self.lock()
            document = None
            if self.page is not None:
                document, _ = self.document()
                evidence.store_refused_copy(
                    document, self.page, self.conceal(str(refusal)), self.started
                )
                if isinstance(refusal, plausibility.ImplausibleChange):
                    self.take_new_entries(document)
            self.record(document, Reading("refused", trouble=refusal), {})

    def take_new_entries(self, document: Document) -> None:
        """Take the new entries of the show's own feed from a version that looks wrong."""
        new = self.new_version
        if new is None or not self.is_at_own_address(document) or not plausibility.is_of_show(new):
            return
        # The first attempt was rolled back, with all that it knew of the rows.
        new = evidence.build_version(
            document, new.page, new.parsed, evidence.current_entries(document)
        )
        stored = evidence.store_new_entries(new, self.started)
        if stored:
            offered = promises(new.parsed.entries, self.source.podcast.language)
            evidence.create_companion_documents(
                self.source, [promise.address for promise in offered]
            )
            plausibility.read_again(self.source.podcast)
            self.watch(f"{self.name}: resolving")
            apply(self.source.podcast)
            self.new_entries = evidence.current_items(document).count() - len(new.previous)

    def refusal_report(self, refusal: DocumentRejected) -> Report:
        """The report with the address that was fetched, where nothing names it yet, and with what to
        do."""
        reason = self.conceal(str(refusal))
        address = address_in_messages(self.target.address, self.known_source)
        if address not in f"{self.name} {reason}":
            reason = f"{address}: {reason}"
        acceptable = isinstance(refusal, plausibility.ImplausibleChange)
        if self.new_entries:
            reason += f". {counted(self.new_entries, 'new item was', 'new items were')} imported"
        if self.target.source and self.was_fetched and not acceptable:
            reason += f". {LOOK_THERE}"
        outcome = getattr(refusal, "outcome", "refused")
        return Report(self.name, outcome, reason, acceptable=acceptable)


def _check_subject(
    page: FetchedDocument, reading: ParsedPage, podcast: Podcast, *, show_confirmed: bool
) -> None:
    """Raises DocumentRejected for a page that asks for a login in place of its list, for a saved
    file of which only its own words say that it is of the show, and for one that says that it is
    about another show; a feed may call itself what it likes."""
    if not reading.entries and is_login_page(page):
        raise DocumentRejected(
            "the page asks for a login. Save it in a browser, and import the file with --url"
        )
    if not (reading.entries or page.address or show_confirmed):
        raise DocumentRejected(
            f"no known episode of {podcast.title} found on the page {page.name}. If it is one of "
            f"that show, import it with --podcast {podcast.slug}"
        )
    if reading.show and not (reading.channel or is_show(reading.show, podcast.title)):
        raise WrongShow(f"it is about another show: {reading.show}, not {podcast.title}")


def _count(document: Document, stored: evidence.StoredVersion, last: int | None) -> dict[str, int]:
    """The numbers of the document's entries by what became of them; every one is counted once.

    An entry is `new` if its episode has no entry up to the item `last`, the newest one before the
    import; without it, none is.
    """
    items, new, total = evidence.current_items(document), 0, stored.unchanged
    attached = Attachment.objects.filter(item__in=items)
    if last is not None:
        older = Attachment.objects.filter(episode=OuterRef("episode"), item__lte=last)
        new, total = attached.filter(~Exists(older)).count(), items.count()
    matched = attached.count() - new
    held = Held.objects.filter(item__in=items).count()
    total += stored.foreign
    return {
        "items": total,
        "new": new,
        "matched": matched,
        "held": held,
        "ignored": total - new - matched - held,
        "unchanged": stored.unchanged,
    }


NO_EPISODE = "no episode of the catalog fits"


def explained(document: Document, reading: ParsedPage) -> Iterator[str]:
    """A line for each entry that the document lists now: title, what became of it, and the signs
    for that; then for each one that its reader left out."""
    of_document = {"item__document": document}
    unwanted = Decision.objects.in_force("match").filter(
        podcast=document.source.podcast, source=document.source.slug, value="ignore"
    )
    keys = unwanted.values_list("item_key", flat=True)
    posts = evidence.current_items(document).filter(is_post=True)
    decided = evidence.current_items(document).filter(key__in=keys)
    fates = dict.fromkeys(posts, "ignored: a post, which gives links their titles")
    fates |= dict.fromkeys(decided, "ignored: a curator decided so")
    for held in Held.objects.filter(**of_document).select_related("item"):
        some = [f"{one['episode']} ({', '.join(one['reasons'])})" for one in held.candidates]
        fates[held.item] = f"held: {' or '.join(some) or NO_EPISODE}"
    page_reasons = dict(zip(reading.entries, reading.reasons, strict=False))
    attachments = Attachment.objects.filter(**of_document).select_related("item", "episode")
    attached = {row.item: row for row in attachments}
    for revision in evidence.current_revisions(evidence.current_items(document)).select_related(
        "item"
    ):
        title = revision.said.title or revision.said.text[:80]
        row = attached.get(revision.item)
        if row is None:
            yield f"{title}: {fates.get(revision.item, f'ignored: {NO_EPISODE}')}"
            continue
        page_reason = page_reasons.get(revision.said)
        reasons = [page_reason] if page_reason else row.reasons
        yield f"{title}: attached: {'; '.join((row.episode.heading, *reasons))}"
    yield from (f"{title}: ignored: {reason}" for title, reason in reading.left_out)


def parse_stored_pages() -> None:
    """Parse the stored pages of any site again after an upgrade. Bring their shows up to date."""
    for podcast in Podcast.objects.order_by("pk"):
        with transaction.atomic():
            locked = Podcast.objects.select_for_update().get(pk=podcast.pk)
            if plausibility.read_again(locked):
                apply(locked)
