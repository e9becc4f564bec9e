"""Imports one document: finds its source, parses it, stores it as evidence, and updates the catalog. Each
import is one transaction."""

import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from http import HTTPStatus
from typing import cast

from django.db import Error, IntegrityError, OperationalError, connection, transaction
from django.db.models import Exists, Max, OuterRef

from ..gather import (
    Unreachable,
    evidence,
    fetch_missing_images_and_summarize,
    is_login_page,
    requested_wait,
)
from ..listings import is_name_of_show
from ..models import (
    CLOSED_STATUSES,
    Attachment,
    Capture,
    Decision,
    Document,
    Held,
    Item,
    Podcast,
    Source,
    start_new_version,
)
from ..records import Channel, DocumentRejected, FetchedDocument, ParsedPage, WrongShow
from ..resolve import publish_due_episodes, update_catalog
from ..text.database_errors import TABLES_OF_OTHER_VERSION, find_fault
from ..text.formatting import format_count
from ..text.private_addresses import mask_secrets
from ..text.urls import host_of
from . import plausibility
from .companion_files import (
    create_documents_and_get_files_by_address,
    fetch_due_companion_files_and_summarize,
)
from .find_source import (
    find_or_create_source,
    is_provably_of_source,
    propose_move_and_describe,
    store_login,
    update_unedited_show_columns,
)
from .load_document import (
    ImportOptions,
    ImportReport,
    LoadedDocument,
    ProgressCallback,
    address_in_messages,
    address_key,
    documents_at_address,
    ignore_progress,
    sources_of_named_show_or_all,
)
from .polling import PollResult, pause_host, plan_next_poll

logger = logging.getLogger(__name__)
import_log = logging.getLogger("episodes.imports")  # commands that print reports silence it


def import_document(
    loaded_document: LoadedDocument,
    options: ImportOptions,
    clock: Callable[[], datetime],
    on_progress: ProgressCallback = ignore_progress,
) -> ImportReport:
    """Import a document, and report the result. Retry once after a conflict with another import."""
    try:
        return Import(loaded_document, options, clock, on_progress).import_and_report()
    except (IntegrityError, OperationalError) as error:
        # PostgreSQL: serialization failure, deadlock, and a row that another transaction inserted first.
        conflicts = ("40001", "40P01", "23505")
        if getattr(error.__cause__, "sqlstate", "") not in conflicts:
            raise
    return Import(loaded_document, options, clock, on_progress).import_and_report()


def import_or_report_outage(
    loaded_document: LoadedDocument,
    options: ImportOptions,
    clock: Callable[[], datetime],
    on_progress: ProgressCallback,
) -> ImportReport:
    """Import a document, and report the result. An outage of the machine or the database is reported as
    "stopped", so that the next document is tried. Other errors are raised, and any inside a transaction."""
    try:
        return import_document(loaded_document, options, clock, on_progress)
    except (Error, OSError, MemoryError) as error:
        fault = find_fault(error)
        if fault is None or connection.in_atomic_block:
            raise
        # A wrong query of ours fails like one on tables of another version, so log the traceback.
        may_be_bug = fault.cause == TABLES_OF_OTHER_VERSION.cause
        if may_be_bug:
            logger.error("%s: %s", loaded_document.target.name, fault, exc_info=True)
        # A server that was restarted answers the next document on a new connection.
        connection.close_if_unusable_or_obsolete()
        return ImportReport(loaded_document.target.name, "stopped", str(fault))


class Import:
    """A document on its way into the catalog, with its source once that is found, and notes for the
    report."""

    def __init__(
        self,
        loaded_document: LoadedDocument,
        options: ImportOptions,
        clock: Callable[[], datetime],
        on_progress: ProgressCallback,
    ) -> None:
        self.target = loaded_document.target
        self.page = loaded_document.page
        self.load_error = loaded_document.error
        self.options = options
        self.clock = clock
        self.on_progress = on_progress
        self.started = clock()
        self._source: Source | None = self.target.source
        # The target of a saved file has no address. A stored document is parsed again, not fetched.
        self.was_fetched = bool(self.target.address) and self.target.document is None
        self.notes = [loaded_document.note]
        self.parsed = ParsedPage()
        self.new_version: evidence.NewVersion | None = None
        self.new_entry_count = 0  # of a version that was refused

    @cached_property
    def name(self) -> str:
        """Return the name for reports: the source's, or the name on the command line without a source. It is
        cached, so use it after `set_source_and_require_open`."""
        if self._source is None:
            return self.target.name
        return self._source.name(several=Podcast.objects.several())

    @property
    def source(self) -> Source:
        return cast(Source, self._source)

    def import_and_report(self) -> ImportReport:
        """Import the document, then fetch the files that its feed offers. Return the report, also of a
        failure."""
        try:
            if self.load_error:
                raise self.load_error
            with transaction.atomic():
                report = self.store_document_and_report()
        except Unreachable as trouble:
            return self.record_fetch_failure_and_report(trouble)
        except DocumentRejected as refusal:
            self.record_refusal_and_new_entries(refusal)
            return self.build_refusal_report_with_advice(refusal)
        # After the commit, so that the show is not locked while other servers answer.
        if self.options.files and self.was_fetched and self.source.reader == "feed":
            self.fetch_companions_and_images()
        note = "\n  ".join(filter(None, self.notes))
        return replace(report, note=self.conceal(note))

    def fetch_companions_and_images(self) -> None:
        self.notes.append(
            fetch_due_companion_files_and_summarize(
                self.source, self.options, self.clock, self.on_progress
            )
        )
        if self.options.images:
            self.notes.append(
                fetch_missing_images_and_summarize(
                    self.source.podcast,
                    self.name,
                    allowed_private_hosts=self.options.allowed_private_hosts,
                    clock=self.clock,
                    on_progress=self.on_progress,
                )
            )

    def conceal(self, text: str) -> str:
        return self._source.conceal(text) if self._source else mask_secrets(text)

    # -- a document that lists episodes ------------------------------------------------------------

    def store_document_and_report(self) -> ImportReport:
        """Store the document, update the catalog, and return the report, in a transaction of the caller.

        Raises:
            DocumentRejected: the document is refused.
            LostClaim: another worker polls the source.
        """
        self.on_progress(f"{self.target.name}: reading")
        self.set_source_and_require_open()
        store_login(self.source, self.target.login)
        self.lock_and_reload_show()
        document = self.find_or_create_document()
        if self.was_fetched:
            evidence.store_response_state(document, self.page, not_before=None)
        result, counts = self.store_unless_unchanged_with_result_and_counts(document)
        self.record_run_and_plan_poll(document, result, counts)
        # The time of an announced episode may have come since the last import.
        publish_due_episodes(self.source.podcast)
        self.explain_if_no_entry_was_used(document, counts)
        lines: tuple[str, ...] = ()
        if self.options.explain:
            lines = tuple(iterate_match_report_lines(document, self.parsed))
        return ImportReport(self.name, result.outcome, counts=counts, entry_lines=lines)

    def store_unless_unchanged_with_result_and_counts(
        self, document: Document
    ) -> tuple[PollResult, dict[str, int]]:
        """Store the document unless it is unchanged. Return the result, and the numbers of entries such as
        {"items": 82, "new": 1, …}."""
        unchanged_version = evidence.newest_version_if_unchanged(document, self.page)
        must_parse_unchanged = (
            self.is_first_confirmation(document)  # which can change how a document is parsed
            or self.target.document is not None  # a stored document, to parse it again
            or self.options.explain  # the reader gives the reasons for entries
        )
        if unchanged_version and not must_parse_unchanged:
            counts = self.note_move_and_count_entries_by_result(document, unchanged_version)
            return PollResult("unchanged"), counts
        counts = self.store_version_and_count_entries_by_result(document)
        # All others of the stored entries are new or changed. Vanished entries alone are no change.
        has_changed_entries = counts["unchanged"] < evidence.current_items(document).count()
        return PollResult("taken", changed=has_changed_entries), counts

    def note_move_and_count_entries_by_result(
        self, document: Document, unchanged_version: evidence.StoredVersion
    ) -> dict[str, int]:
        """Note the new address that the server of an unchanged document gives. Return the document's numbers
        of entries."""
        if self.page and self.page.moved_to:
            note = propose_move_and_describe(self.source, self.page, self.page.moved_to)
            self.notes.append(note)
        counts = _entry_counts_for_summary_line(
            document, unchanged_version, last_item_id_before_import=None
        )
        # Nothing was parsed now, so this number is of the last run that did.
        runs = document.runs.filter(outcome="taken")
        _set_broken_count(counts, runs.values_list("counts__broken", flat=True).first())
        return counts

    def store_version_and_count_entries_by_result(self, document: Document) -> dict[str, int]:
        # Entries with a higher id come from this import.
        last_item_id = Item.objects.aggregate(last=Max("pk", default=0))["last"]
        stored = self.store_version_and_resolve(document)
        counts = _entry_counts_for_summary_line(
            document, stored, last_item_id_before_import=last_item_id
        )
        _set_broken_count(counts, self.parsed.broken_entries)
        return counts

    def explain_if_no_entry_was_used(self, document: Document, counts: dict[str, int]) -> None:
        podcast = self.source.podcast
        are_all_ignored = counts["ignored"] == counts["items"]
        if not counts["items"]:
            # The notes until now are about entries, so this note replaces them.
            self.notes = [f"no known episode of {podcast.title} found on the page"]
        # Until somebody confirms the show of the page, its entries have to name the show.
        elif are_all_ignored and not document.show_confirmed:
            self.notes.append(
                f"nothing says that these entries are of {podcast.title}; if they are, import the "
                f"page with --podcast {podcast.slug}"
            )

    def set_source_and_require_open(self) -> None:
        """Set the document's source.

        Raises:
            DocumentRejected: no source fits, or it is closed.
        """
        source = self._source or self.find_or_create_source()
        self._source = source
        if source.is_closed:
            raise DocumentRejected(
                f"the source is {source.status}; an administrator can resume it in the admin"
            )

    def find_or_create_source(self) -> Source:
        if self.page:
            sources = sources_of_named_show_or_all(self.options)
            return find_or_create_source(self.page, self.options, sources)
        # The server answered "not modified", so the document is stored.
        documents = documents_at_address(self.target.address)
        return documents.select_related("source__podcast")[0].source

    def lock_and_reload_show(self) -> None:
        """Lock the show's row, and load it again: a curator may have edited it during the fetch. On
        SQLite the transaction itself is the lock."""
        shows = Podcast.objects.select_for_update()
        self.source.podcast = shows.get(pk=self.source.podcast_id)

    def find_or_create_document(self) -> Document:
        if self.target.document:
            return self.target.document
        document = evidence.find_or_create_document(
            self.source,
            self.page_or_empty_page,
            confirmed=self.is_confirmed,
            show_confirmed=self.is_show_confirmed,
        )
        # A saved copy of a page from the web. Its relative links start from the address of that page.
        if self.page and not self.page.address:
            self.page = replace(self.page, address=document.url)
        return document

    @property
    def page_or_empty_page(self) -> FetchedDocument:
        # Without a page ("not modified") an empty page at the address identifies the document.
        return self.page or FetchedDocument(b"", self.target.address)

    @cached_property
    def is_confirmed(self) -> bool:
        """Return True if the document provably belongs to its source. Parsing a stored document again confirms
        nothing. The result is cached, so use it after `set_source_and_require_open`."""
        if self.target.document:
            return False
        is_at_configured_address = self.target.source is not None
        return is_at_configured_address or is_provably_of_source(
            self.page_or_empty_page, self.source, self.options
        )

    @property
    def is_show_confirmed(self) -> bool:
        is_show_named_by_person = bool(self.options.podcast) and not self.target.document
        return self.is_confirmed or is_show_named_by_person

    def is_first_confirmation(self, document: Document) -> bool:
        # `vouched` is the stored `is_confirmed` of earlier imports.
        confirms_document = self.is_confirmed and not document.vouched
        confirms_show = self.is_show_confirmed and not document.show_confirmed
        return confirms_document or confirms_show

    def store_version_and_resolve(self, document: Document) -> evidence.StoredVersion:
        """Parse and check the page, store it as a version with its entries, and update show and catalog.

        Raises:
            DocumentRejected: the version is refused.
        """
        newest = evidence.newest_version(document)
        # Without a page the server answered "not modified", or the target is a stored document. So it has
        # a version.
        page = self.page or evidence.stored_page(document, cast(Capture, newest))
        if self.is_first_confirmation(document):
            evidence.store_confirmation_of_show_and_document(
                document, page, is_document_confirmed=self.is_confirmed
            )
        new_version = self.parse_and_require_plausible_version(document, page, newest)
        self.on_progress(f"{self.name}: storing {len(new_version.parsed.entries):,} entries")
        stored = evidence.store_or_find_version(new_version, self.started)
        has_changed_entries = new_version.previous != new_version.entries
        if has_changed_entries:
            # Pages of changes also list entries that change no episode. So cached pages end here, too.
            start_new_version()
        channel = self.parsed.channel  # only a feed has one
        if channel:
            self.update_show_and_note_move(page, channel, is_first_version=newest is None)
        self.create_companion_documents_and_resolve(self.parsed)
        return stored

    def parse_and_require_plausible_version(
        self, document: Document, page: FetchedDocument, newest: Capture | None
    ) -> evidence.NewVersion:
        """Parse a page, and return it as a new version of the document, which is not stored yet.

        Raises:
            DocumentRejected: it cannot be parsed, is of another show, or looks wrong.
        """
        show_confirmed = document.show_confirmed
        previous_entries = evidence.current_entries(document)
        self.parsed = plausibility.parse_version(
            self.source,
            page,
            show_confirmed=show_confirmed,
            newest=newest,
            previous=previous_entries,
        )
        _refuse_login_or_foreign_page(
            page, self.parsed, self.source.podcast, show_confirmed=show_confirmed
        )
        # Set before the version may be refused as implausible: its new entries may be stored all the same.
        self.new_version = evidence.build_new_version(document, page, self.parsed, previous_entries)
        self._require_plausible_and_note_moves(self.new_version)
        return self.new_version

    def update_show_and_note_move(
        self, page: FetchedDocument, channel: Channel, *, is_first_version: bool
    ) -> None:
        """Store the feed's description of the show. Note a move of the feed and facts about a first version.

        Call it after the plausibility check, which compares the feed with the show as it was.
        """
        podcast = self.source.podcast
        has_title = channel.title != ""
        if is_first_version and has_title and not is_name_of_show(channel.title, podcast.title):
            self.notes.append(f"the feed calls itself {channel.title}, not {podcast.title}")
        new_address = page.moved_to or channel.new_feed_url
        self.notes.append(propose_move_and_describe(self.source, page, new_address))
        update_unedited_show_columns(self.source, channel)
        if is_first_version and podcast.has_secret_feed:
            self.notes.append(
                "the address of its feed is secret, so readers see it nowhere; an administrator "
                "can change that in the form of the show"
            )

    def create_companion_documents_and_resolve(self, parsed: ParsedPage) -> None:
        podcast = self.source.podcast
        create_documents_and_get_files_by_address(self.source, parsed.entries)
        # Stored pages may list episodes that this document has made known.
        plausibility.reparse_listing_pages_and_detect_change(podcast)
        self.on_progress(f"{self.name}: resolving")
        update_catalog(podcast)

    def _require_plausible_and_note_moves(self, new_version: evidence.NewVersion) -> None:
        """Refuse a version that looks wrong.

        If most entries have other guids, files or pages, the version is refused, but at the publisher's
        address the report gets a note.

        Raises:
            DocumentRejected: the version looks wrong, and the options do not accept it.
        """
        at_publisher_address = self.is_at_publisher_address(new_version.document)
        if not self.options.accept:
            plausibility.require_plausible(
                new_version, self.started, at_publisher_address=at_publisher_address
            )
        changes = plausibility.find_vanished_rewritten_and_moved(
            new_version.previous, new_version.entries
        )
        moved_count = len(changes.moved)
        if at_publisher_address and moved_count * 2 > len(new_version.previous):
            self.notes.append(
                f"{moved_count} of {len(new_version.previous)} entries have another guid, audio file or page than "
                "before; see whether the feed is still the show's"
            )

    def is_at_publisher_address(self, document: Document) -> bool:
        source_address = address_key(self.source.address)
        return self.source.own and address_key(document.address) == source_address

    def record_run_and_plan_poll(
        self, document: Document | None, result: PollResult, counts: dict[str, int]
    ) -> None:
        now = self.clock()
        reason = self.conceal(str(result.trouble or ""))
        self.write_outcome_to_log(result.outcome, reason, counts)
        evidence.record_run(
            self.source, document, self.started, now, result.outcome, reason, counts
        )
        # Another page of the source was imported by hand, and is not polled.
        is_polled_address = self.was_fetched and self.target.address == self.source.address
        if is_polled_address:
            plan_next_poll(self.source, result, now, self.target.token)

    def write_outcome_to_log(self, outcome: str, reason: str, counts: dict[str, int]) -> None:
        log_values = {
            "show": self.source.podcast.slug,
            "source": self.source.slug,
            "outcome": outcome,
            "counts": counts,
        }
        is_success = outcome in ("taken", "unchanged")
        level = logging.INFO if is_success else logging.WARNING
        outcome_and_reason = f"{outcome}: {reason}" if reason else outcome
        import_log.log(level, "%s: %s", self.name, outcome_and_reason, extra=log_values)

    # -- failures and refusals ---------------------------------------------------------------------

    def record_fetch_failure_and_report(self, error: Unreachable) -> ImportReport:
        """Record that a document could not be fetched, and the pause that its server wants. Return the
        report. The last good version stays."""
        documents = documents_at_address(self.target.address, self._source)
        document = documents.select_related("source").first()
        end_of_pause = self.started + requested_wait(error)
        if error.status == HTTPStatus.TOO_MANY_REQUESTS:
            self.pause_requested_hosts(error.host, end_of_pause)
        if document:
            self._source = document.source
            wants_pause = end_of_pause > self.started
            if wants_pause:
                evidence.store_response_state(document, not_before=end_of_pause)
        # A typed address that never answered has no source, so there is no run to record.
        if self._source:
            with transaction.atomic():
                self.record_run_and_plan_poll(document, PollResult("failed", trouble=error), {})
        return ImportReport(self.name, "failed", self.conceal(_message_with_advice(error)))

    def pause_requested_hosts(self, answering_host: str, end_of_pause: datetime) -> None:
        # After a redirect, another host has answered. Without a redirect it is "".
        hosts = {host_of(self.target.address), answering_host}
        hosts.discard("")
        for host in hosts:
            pause_host(host, end_of_pause)

    def record_refusal_and_new_entries(self, refusal: DocumentRejected) -> None:
        """Store the copy and the run of a refused document, unless its source is new or closed."""
        # A source that was created in the transaction was rolled back with it.
        open_sources = Source.objects.exclude(status__in=CLOSED_STATUSES)
        source_id = getattr(self._source, "pk", 0)  # no row has 0: no source fits
        has_open_source = open_sources.filter(pk=source_id).exists()
        if not has_open_source:
            return
        with transaction.atomic():
            self.lock_and_reload_show()
            document = None
            # Without a page there are no new bytes: they could not be read, or are stored already.
            if self.page is not None:
                document = self.find_or_create_document()
                reason = self.conceal(str(refusal))
                evidence.store_refused_copy_unless_repeated(
                    document, self.page, reason, self.started
                )
                # Other refusals have no entries to trust: they are missing, or of another show.
                if isinstance(refusal, plausibility.ImplausibleChange):
                    self.new_entry_count = self.store_new_entries_of_refused_version(document)
            self.record_run_and_plan_poll(document, PollResult("refused", trouble=refusal), {})

    def store_new_entries_of_refused_version(self, document: Document) -> int:
        """Store the new entries of a refused version of the show's own feed, and return their number."""
        refused = cast(evidence.NewVersion, self.new_version)  # it was compared with the one before
        # Other sources, and another show's feed at the show's address, do not tell which episodes are new.
        at_publisher_address = self.is_at_publisher_address(document)
        if not (at_publisher_address and plausibility.is_of_show(refused)):
            return 0
        # The first attempt was rolled back, so its rows are looked up again.
        previous = evidence.current_entries(document)
        new = evidence.build_new_version(document, refused.page, refused.parsed, previous)
        stored = evidence.store_new_entries_as_partial_version(new, self.started)
        if stored is None:
            return 0
        self.create_companion_documents_and_resolve(new.parsed)
        return evidence.current_items(document).count() - len(previous)

    def build_refusal_report_with_advice(self, refusal: DocumentRejected) -> ImportReport:
        """Return the report of a refused document, with advice, and with the document's address if neither
        name nor reason has it."""
        reason = self.conceal(str(refusal))
        address = address_in_messages(self.target.address, self._source)
        if address not in f"{self.name} {reason}":
            reason = f"{address}: {reason}"
        if self.new_entry_count:
            items_were = format_count(self.new_entry_count, "new item was", "new items were")
            reason += f". {items_were} imported"
        # A curator can accept a change that is only implausible, and its reason says so.
        acceptable = isinstance(refusal, plausibility.ImplausibleChange)
        # The address of a source was right when it was added. A new one may be mistyped.
        is_answer_of_source_address = self.target.source is not None and self.was_fetched
        if is_answer_of_source_address and not acceptable:
            reason += ". Nothing was changed: see in a browser what the address serves now"
        # AmbiguousDocument has an outcome of its own.
        outcome = getattr(refusal, "outcome", "refused")
        return ImportReport(self.name, outcome, reason, acceptable=acceptable)


def _message_with_advice(error: Unreachable) -> str:
    # Without a status of HTTP no server answered.
    return f"{error}. {_advice_for_status(error.status)}" if error.status else str(error)


def _advice_for_status(status: int) -> str:
    if status in (401, 402, 403, 407, 451):
        return (
            "The server refuses us, or wants a login: save the page in a browser, and import the file "
            "with --url"
        )
    advice = {
        404: "Nothing is there: look for the new address on the show's site",
        410: "The server says it is gone for good: look for a new address, or pause the show",
        429: "Too many requests: import less often",
    }
    return advice.get(
        status, "See in a browser what the address serves; the next import tries again"
    )


def _refuse_login_or_foreign_page(
    page: FetchedDocument, parsed: ParsedPage, podcast: Podcast, *, show_confirmed: bool
) -> None:
    """Check that a page is of the show. A feed may have any title.

    Raises:
        DocumentRejected: it is a login page, or an unconfirmed saved file without a known episode.
        WrongShow: the page names another show.
    """
    if not parsed.entries and is_login_page(page):
        raise DocumentRejected(
            "the page asks for a login. Save it in a browser, and import the file with --url"
        )
    # A saved file without an address may be of any show, unless a person said which.
    has_known_origin = page.address != "" or show_confirmed
    if not parsed.entries and not has_known_origin:
        raise DocumentRejected(
            f"no known episode of {podcast.title} found on the page {page.name}. If it is one "
            f"of that show, import it with --podcast {podcast.slug}"
        )
    # Another show on the page counts more than what a person said.
    is_feed = parsed.channel is not None
    if parsed.show and not is_feed and not is_name_of_show(parsed.show, podcast.title):
        raise WrongShow(f"it is about another show: {parsed.show}, not {podcast.title}")


def _set_broken_count(counts: dict[str, int], broken_count: int | None) -> None:
    if broken_count is not None:
        counts["broken"] = broken_count


def _entry_counts_for_summary_line(
    document: Document,
    stored_version: evidence.StoredVersion,
    *,
    last_item_id_before_import: int | None,
) -> dict[str, int]:
    """Return the numbers of the document's entries: of all (`items`), by their result, and of unchanged ones.

    Each entry is new, matched, held or ignored. It is `new` if its episode has no entry with an id up to
    `last_item_id_before_import`. Without this id no entry is new.
    """
    items = evidence.current_items(document)
    attached = Attachment.objects.filter(item__in=items)
    new = 0
    if last_item_id_before_import is not None:
        earlier_of_episode = Attachment.objects.filter(
            episode=OuterRef("episode"), item__lte=last_item_id_before_import
        )
        new = attached.filter(~Exists(earlier_of_episode)).count()
    matched = attached.count() - new
    held = Held.objects.filter(item__in=items).count()
    # Entries of the page that are of other shows or repeats are not stored, but count as ignored.
    total = items.count() + stored_version.foreign_count
    return {
        "items": total,
        "new": new,
        "matched": matched,
        "held": held,
        "ignored": total - new - matched - held,
        "unchanged": stored_version.unchanged_count,
    }


def iterate_match_report_lines(document: Document, parsed: ParsedPage) -> Iterator[str]:
    """Yield a line for each entry of the document: its title, result and reasons. Then yield a line for
    each title that the reader left out."""
    items = evidence.current_items(document)
    # Only the reader of any site gives reasons, so `parsed.reasons` may be empty.
    page_reason_by_entry = dict(zip(parsed.entries, parsed.reasons, strict=False))
    result_by_unattached_item_id = _results_by_unattached_item_id(document)
    attachments = Attachment.objects.filter(item__document=document).select_related("episode")
    attachment_by_item_id = {attachment.item_id: attachment for attachment in attachments}
    for revision in evidence.current_revisions(items).select_related("item"):
        entry = revision.values
        title = entry.title or entry.text[:80]  # without a title, the beginning of the text
        attachment = attachment_by_item_id.get(revision.item_id)
        if attachment is None:
            result = result_by_unattached_item_id.get(revision.item_id, f"ignored: {NO_EPISODE}")
        else:
            result = _result_of_attached_entry(attachment, page_reason_by_entry.get(entry))
        yield f"{title}: {result}"
    for title, reason in parsed.left_out:
        yield f"{title}: ignored: {reason}"


def _result_of_attached_entry(attachment: Attachment, page_reason: str | None) -> str:
    # The reason of the page, if there is one, is shown in place of the reasons of the match.
    reasons = attachment.reasons if page_reason is None else [page_reason]
    return "attached: " + "; ".join([attachment.episode.heading, *reasons])


NO_EPISODE = "no episode of the catalog fits"


def _results_by_unattached_item_id(document: Document) -> dict[int, str]:
    result_by_item_id: dict[int, str] = {}
    items = evidence.current_items(document)
    for item in items.filter(is_post=True):
        result_by_item_id[item.pk] = "ignored: a post, which gives links their titles"
    ignoring_decisions = Decision.objects.in_force("match").filter(
        podcast=document.source.podcast, source=document.source.slug, value="ignore"
    )
    for item in items.filter(key__in=ignoring_decisions.values_list("item_key", flat=True)):
        result_by_item_id[item.pk] = "ignored: a curator decided so"
    for unmatched_entry in Held.objects.filter(item__document=document):
        candidates = describe_candidates(unmatched_entry)
        result_by_item_id[unmatched_entry.item_id] = f"held: {candidates or NO_EPISODE}"
    return result_by_item_id


def describe_candidates(unmatched_entry: Held) -> str:
    candidates = [
        f"{candidate['episode']} ({', '.join(candidate['reasons'])})"
        for candidate in unmatched_entry.candidates
    ]
    return " or ".join(candidates)


def reparse_pages_and_resolve_changed_shows() -> None:
    for podcast in Podcast.objects.order_by("pk"):
        with transaction.atomic():
            locked = Podcast.objects.select_for_update().get(pk=podcast.pk)
            if plausibility.reparse_listing_pages_and_detect_change(locked):
                update_catalog(locked)
