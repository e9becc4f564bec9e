"""Finds the documents that a command line names, and loads each from a server, a file or the evidence.
Has the values that pass between the steps of an import: target, options, loaded document, report."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from os.path import isfile
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import QuerySet

from ..gather import (
    LISTING_KIND,
    Unreachable,
    decompress_saved_document_if_gzip,
    fetch,
    fetch_complete_feed_with_note,
    is_paused,
    readers,
)
from ..models import Document, DocumentQuerySet, Podcast, Source, SourceQuerySet, Status
from ..records import DocumentRejected, FetchedDocument
from ..text.formatting import describe_import_results, describe_xml_repair, format_count
from ..text.private_addresses import mask_secrets, split_login, without_secret
from ..text.urls import add_scheme, canonical_address_parts_or_none, host_of
from .polling import RetryLater, paused_until

EXIT_CODES = {"taken": 0, "unchanged": 0, "refused": 1, "failed": 1, "unclear": 2, "stopped": 3}
ProgressCallback = Callable[[str], None]  # called with a message about the progress
MAX_ADDRESS_BYTES = 1_000  # a database can index no more


def ignore_progress(message: str) -> None:
    """Ignore a message about the progress."""


class UsageError(Exception):
    """A name of the command line that does not exist, or options that contradict (exit code 2)."""


class AmbiguousDocument(DocumentRejected):
    """A file that may be a known show's, and no option says so. Nothing is stored (exit code 2)."""

    outcome = "unclear"


@dataclass(frozen=True, slots=True)
class ImportTarget:
    """A document to import: of a configured source, at an address, or in a file."""

    name: str
    source: Source | None = None
    address: str = ""
    path: Path | None = None
    document: Document | None = None  # a stored document to parse again
    token: str = ""  # of the worker's claim (polling.plan_next_poll)
    login: str = field(default="", repr=False)  # from the address on the command line


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """The options of an import, as on the command line of `ingest` and `add_show`."""

    url: str = ""  # the original address of a saved file
    source: str = ""  # the slug of the source
    podcast: str = ""  # the slug of the show
    offline: bool = False  # parse stored documents again, and send no request
    accept: bool = False  # take a change that looks wrong
    all_pages: bool = False  # fetch the older pages of a known feed, too
    new: bool = False  # a feed is a new show's, even if it is like a known show's
    moved: str = ""  # the slug of a show that moved its feed to the document's address
    files: bool = True  # fetch the transcripts and chapters that a feed offers
    seconds: float = 30.0  # for fetching a document
    images: bool = False  # fetch and store the images that a feed names
    now: bool = False  # send a request even during a pause
    allowed_private_hosts: frozenset[str] = frozenset()
    explain: bool = False  # report the result for each entry


def import_options(**options: Any) -> ImportOptions:
    return ImportOptions(
        images=settings.IMAGES == "keep", allowed_private_hosts=settings.FETCH_ALLOW, **options
    )


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The result of one document. `line` is the summary for people, `note` has further remarks."""

    source: str
    outcome: str  # one of EXIT_CODES
    reason: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    note: str = ""
    entry_lines: tuple[str, ...] = ()  # the result for each entry
    acceptable: bool = False  # refused as implausible: a person can accept it

    @property
    def exit_code(self) -> int:
        """Return the exit code of an import of this document alone. 3: the machine or the database failed."""
        return EXIT_CODES[self.outcome]

    @property
    def summary(self) -> str:
        if self.exit_code:
            # The words of other outcomes, such as "failed", are printed as they are.
            words_for_people = {"unclear": "refused", "stopped": "not imported"}
            outcome = words_for_people.get(self.outcome, self.outcome)
            return f"{self.source}: {outcome}: {self.reason}"
        counts = self.counts
        summary = (
            f"{self.source}: {counts['items']} items: {counts['new']} new, {counts['matched']} matched, "
            f"{counts['held']} held, {counts['ignored']} ignored; "
            f"{counts['unchanged']} unchanged since last time"
        )
        xml_note = describe_xml_repair(counts)
        return f"{summary}; {xml_note}" if xml_note else summary

    @property
    def counts_in_words(self) -> str:
        """Return the numbers of entries by result without zeros: "82 entries, all new"."""
        entries = format_count(self.counts["items"], "entry", "entries")
        return describe_import_results(entries, self.counts)


@dataclass(frozen=True, slots=True)
class LoadedDocument:
    """A target with its page, or with the error why it cannot be loaded. Without both, the server answered
    "not modified", or a stored document is parsed again."""

    target: ImportTarget
    page: FetchedDocument | None = None
    note: str = ""
    error: Exception | None = None


def max_document_bytes() -> int:
    return int(settings.DOCUMENT_MB) * 1_000_000


def unpack_document(body: bytes) -> bytes:
    """Return the bytes of a saved document, decompressed if they are a gzip file.

    Raises:
        DocumentRejected: the gzip file is damaged, or too large when it is decompressed.
    """
    return decompress_saved_document_if_gzip(body, max_document_bytes())


def is_storable_web_address(address: str) -> bool:
    try:
        parts = urlsplit(address)
        host = parts.hostname
        _ = parts.port  # raises an error for "https://loom.example:port"
    except ValueError:
        return False
    is_http = parts.scheme in ("http", "https") and bool(host)
    is_short = len(address.encode("utf-8", "replace")) <= MAX_ADDRESS_BYTES
    # A database stores no surrogates, by which Python keeps bytes of an argument that are no text.
    return is_http and is_short and address == replace_surrogates(address)


def address_key(address: str) -> str:
    """Return an address in a form that all addresses of a document share: without the scheme, with the
    host in lower case. Text that is no address stays as it is."""
    parts = canonical_address_parts_or_none(address)
    return parts.without_scheme() if parts else address


def address_in_messages(address: str, source: Source | None) -> str:
    return source.for_display(address) if source else without_secret(address)


def replace_surrogates(text: str) -> str:
    """Return text with surrogates replaced, which neither databases nor terminals accept."""
    return text.encode("utf-8", "replace").decode("utf-8")


# -- what a command line names ---------------------------------------------------------------------


def find_selected_or_all_targets(
    names: Sequence[str], options: ImportOptions
) -> list[ImportTarget]:
    """Return the documents that the command line names, or without names the documents of every active
    source.

    Raises:
        UsageError: a name is no source, no address and no file, or the options contradict.
    """
    sources = sources_of_named_show_or_all(options)
    if options.source:
        _require_known_source_and_documents(names, sources, options)
    targets: list[ImportTarget] = []
    for name in names:
        targets += _import_targets_of_name(name, sources, options)
    if options.url:
        _require_valid_url_option(names, options.url)
    if names:
        return targets
    # No name is on the command line, so all sources are imported.
    for source in sources.active():
        # A source without an address is no mistake if it was not named.
        with suppress(UsageError):
            targets += _target_at_address_or_stored_targets(source, options)
    return targets


def _require_valid_url_option(names: Sequence[str], url: str) -> None:
    is_one_file = len(names) == 1 and isfile(names[0])
    if not (is_one_file and is_storable_web_address(url)):
        raise UsageError(
            "--url gives the original http(s) address of exactly one saved file, of at most "
            f"{MAX_ADDRESS_BYTES} characters, not {mask_secrets(url[:80])!r}"
        )


def _require_known_source_and_documents(
    document_names: Sequence[str], sources: SourceQuerySet, options: ImportOptions
) -> None:
    option_source = sources.filter(slug=options.source).first()
    if option_source is None:
        raise UsageError(
            f"unknown source: {options.source!r}; known sources: {_source_slugs(sources)}"
        )
    if not document_names:
        raise UsageError(
            "--source says which source a document belongs to, and no document is named. To import "
            f"the source: manage.py ingest {options.source} --podcast {option_source.podcast.slug}"
        )


def sources_of_named_show_or_all(options: ImportOptions) -> SourceQuerySet:
    sources = Source.objects.select_related("podcast")
    if options.podcast:
        sources = sources.filter(podcast=find_show_or_only_show(options.podcast))
    return sources


def find_show_or_only_show(slug: str) -> Podcast:
    """Return the show with a slug, or for "" the only show.

    Raises:
        UsageError: no show has the slug, or the catalog has several shows.
    """
    if slug:
        shows = Podcast.objects.filter(slug=slug)
        problem = f"unknown show: {slug!r}"
    else:
        # Two are enough to know that there are several.
        shows = Podcast.objects.listed()[:2]
        problem = "name the show with --podcast"
    if len(shows) == 1:
        return shows[0]
    slugs = ", ".join(Podcast.objects.values_list("slug", flat=True))
    raise UsageError(f"{problem}; known shows: {slugs}")


def _import_targets_of_name(
    name: str, sources: SourceQuerySet, options: ImportOptions
) -> list[ImportTarget]:
    # Bytes of a command line that are no text cannot be in a query. A file keeps them in its name.
    storable_name = replace_surrogates(name)
    # "feed" is the slug of a source of nearly every show.
    sources_with_slug = sources.filter(slug=storable_name)
    if len(sources_with_slug) > 1:
        raise UsageError(f"{name!r} is a source of several shows; choose one with --podcast")
    if sources_with_slug:
        return _target_at_address_or_stored_targets(sources_with_slug[0], options)
    # Any other name is an address, with or without "https://", or the path of a file.
    if options.offline:
        return _stored_targets(name, Document.objects.filter(address=storable_name))
    if isfile(name):
        return [ImportTarget(replace_surrogates(Path(name).name), path=Path(name))]
    address, login = split_login(add_scheme(name))
    if is_storable_web_address(address):
        return [ImportTarget(without_secret(address), address=address, login=login)]
    raise UsageError(
        f"{mask_secrets(storable_name[:200])!r} is not a known source, http(s) address or file; "
        f"known sources: {_source_slugs(sources)}"
    )


def _stored_targets(name: str, documents: DocumentQuerySet) -> list[ImportTarget]:
    """Return a target for each stored document, to parse it again.

    Raises:
        UsageError: none of the documents was ever stored.
    """
    listings = documents.stored().filter(kind="listing")
    if not listings:
        raise UsageError(
            f"{replace_surrogates(name)[:200]!r} was never stored; --offline uses stored documents only"
        )
    return [
        ImportTarget(name, document.source, document.url, document=document)
        for document in listings.select_related("source__podcast")
    ]


def _target_at_address_or_stored_targets(
    source: Source, options: ImportOptions
) -> list[ImportTarget]:
    """Return the target at a source's address, or with `--offline` its stored documents.

    Raises:
        UsageError: the source is closed, or has no address.
    """
    name = source.name(several=Podcast.objects.several())
    if source.podcast.status == Status.REMOVED or source.is_closed:
        raise UsageError(
            f"{name} is archived or removed; an administrator can resume it in the admin"
        )
    if options.offline:
        return _stored_targets(name, Document.objects.filter(source=source))
    if not source.address:
        raise UsageError(
            f"{source.slug} has no address to fetch; ingest the address of one of its pages, or a "
            "saved copy"
        )
    return [ImportTarget(name, source, source.address)]


def reader_titles() -> list[tuple[str, str]]:
    titles = [(name, reader.title) for name, reader in readers().items() if name != "by-hand"]
    return [*titles, (LISTING_KIND, "Any page that lists known episodes")]


def _source_slugs(sources: SourceQuerySet) -> str:
    slugs = sources.order_by("slug").values_list("slug", flat=True).distinct()
    return ", ".join(slugs) or "none yet (add a show: manage.py add_show ADDRESS)"


def documents_at_address(address: str, source: Source | None = None) -> QuerySet[Document]:
    """Return the stored listings at an address, of one source or of all. Shows may share an address."""
    # A feed may call any address its transcript, so companions do not count.
    documents = Document.objects.stored().filter(address=address, kind="listing")
    if source:
        documents = documents.filter(source_id=source.pk)
    return documents.order_by("id")


def load_document_or_error(
    target: ImportTarget,
    options: ImportOptions,
    now: datetime,
    on_progress: ProgressCallback = ignore_progress,
) -> LoadedDocument:
    """Return the document of a target, or the error why it cannot be loaded.

    Requests are conditional, unless the options accept a change or want all pages. During a pause of
    the server no request is sent, unless `options.now`.
    """
    if target.document:
        return LoadedDocument(target)  # the import reads it: an import before it may change it
    try:
        if target.path:
            return LoadedDocument(target, read_saved_document(target.path, options))
        return _load_from_server_if_changed(target, options, now, on_progress)
    except (DocumentRejected, Unreachable) as error:
        return LoadedDocument(target, error=error)


def read_saved_document(path: Path, options: ImportOptions) -> FetchedDocument:
    """Return the document in a file, with its original address and login from `--url`.

    Raises:
        DocumentRejected: it is too large, or cannot be read.
    """
    try:
        if path.stat().st_size > max_document_bytes():
            raise DocumentRejected(f"it is larger than {settings.DOCUMENT_MB} MB (DOCUMENT_MB)")
        address, login = split_login(options.url)
        body = unpack_document(path.read_bytes())
        return FetchedDocument(body, address, name=replace_surrogates(path.name), login=login)
    except OSError as error:
        raise DocumentRejected(f"cannot be read: {error.strerror}") from error


def _load_from_server_if_changed(
    target: ImportTarget, options: ImportOptions, now: datetime, on_progress: ProgressCallback
) -> LoadedDocument:
    documents = documents_at_address(target.address, target.source)
    stored_document = documents.select_related("source__podcast").first()
    source = stored_document.source if stored_document else target.source
    ignores_pause = options.now
    if not ignores_pause:
        _require_no_pause_of_server(target.address, stored_document, now)
    login = target.login or getattr(source, "login", "")
    on_progress(f"{target.name}: fetching {address_in_messages(target.address, source)}")
    # After a large change that a person accepts, the older pages of the feed may be others, too.
    must_fetch_all = options.accept or options.all_pages
    if stored_document and not must_fetch_all:
        # None if it is unchanged. The older pages of the feed are stored already.
        page = _fetch_if_changed(target.address, options, stored_document, login)
        return LoadedDocument(target, page)
    page = fetch_page(target.address, options, login)
    fetch_older_page = partial(fetch_page, options=options, login=login)
    complete_feed, note = fetch_complete_feed_with_note(page, fetch_older_page, on_progress)
    return LoadedDocument(target, complete_feed, note)


def _require_no_pause_of_server(
    address: str, stored_document: Document | None, now: datetime
) -> None:
    _require_no_pause(paused_until(host_of(address)), now)
    if stored_document:
        _require_no_pause(stored_document.not_before, now)


def _require_no_pause(until: datetime | None, now: datetime) -> None:
    """Raise RetryLater if a pause of the server has not ended. No request was sent, so that is no
    failure of the source."""
    if until and is_paused(until, now):
        raise RetryLater(
            f"the server asked us to wait until {until:%Y-%m-%d %H:%M} UTC; pass --now to ask anyway",
            int((until - now).total_seconds()),
        )


def fetch_page(address: str, options: ImportOptions, login: str = "") -> FetchedDocument:
    """Return a document, fetched within the limits of the options. `login` goes to its own server alone.

    Raises:
        Unreachable: nothing answers, or it is too large or too slow.
    """
    # A document without validators makes the request unconditional. So "not modified" is an error, not None.
    page = _fetch_if_changed(address, options, Document(), login)
    return cast(FetchedDocument, page)


def _fetch_if_changed(
    address: str, options: ImportOptions, stored_document: Document, login: str
) -> FetchedDocument | None:
    return fetch(
        address,
        login=login,
        etag=stored_document.etag,
        last_modified=stored_document.last_modified,
        allowed_private_hosts=options.allowed_private_hosts,
        max_bytes=max_document_bytes(),
        max_seconds=options.seconds,
    )
