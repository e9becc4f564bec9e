"""The values that pass between the steps of an import: target, options, document, report; finds the
documents that a command line names, and loads them: from a server, politely, or from a file; or not at
all, where the server asked to wait."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from os.path import isfile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet

from ..gather import LISTING, Unreachable, fetch, is_paused, readers, with_older_pages
from ..models import Capture, Document, Podcast, Source, SourceQuerySet, Status
from ..records import DocumentRejected, FetchedDocument
from ..text.formatting import xml_trouble
from ..text.private_addresses import conceal, split_login, without_secret
from ..text.urls import host_of, split, with_scheme
from .polling import Waiting, paused_until

TROUBLES = {
    "refused": "refused",
    "failed": "failed",
    "unclear": "refused",
    "stopped": "not imported",
}
EXIT_CODES = {"taken": 0, "unchanged": 0, "refused": 1, "failed": 1, "unclear": 2, "stopped": 3}
Watch = Callable[[str], None]  # told what is being done
LONGEST_ADDRESS = 1_000  # bytes: what a database can index


def unwatched(message: str) -> None:
    """For whoever wants to hear nothing."""


class Unknown(Exception):
    """Something that was named does not exist, or the options contradict each other (exit code 2)."""


class Unclear(DocumentRejected):
    """A file that claims to be a known show's, and nobody says whose it is: wrong usage, so nothing
    is kept (exit code 2)."""

    outcome = "unclear"


@dataclass(frozen=True, slots=True)
class Target:
    """One document to take: of a configured source, at an address, or in a file."""

    name: str
    source: Source | None = None
    address: str = ""
    path: Path | None = None
    document: Document | None = None  # a stored document to read again
    token: str = ""  # of the worker's reading (polling.plan)
    login: str = field(default="", repr=False)  # that was typed in front of the address


@dataclass(frozen=True, slots=True)
class Options:
    url: str = ""
    source: str = ""
    podcast: str = ""
    offline: bool = False
    accept: bool = False
    all_pages: bool = False  # read the older pages of a feed that is known, too
    new: bool = False  # a feed is a new show's, whatever it says
    moved: str = ""  # the slug of the show whose feed moved to where the document is
    files: bool = True  # fetch the transcripts and chapters that a live feed names
    seconds: float = 30.0  # for fetching a document
    images: bool = False  # fetch and keep the images that a live feed names
    now: bool = False  # ask even a server that wants to be left alone
    allow: frozenset[str] = frozenset()
    explain: bool = False  # say of each entry what became of it


def import_options(**given: Any) -> Options:
    """Options of an import with what the settings say."""
    return Options(images=settings.IMAGES == "keep", allow=settings.FETCH_ALLOW, **given)


@dataclass(frozen=True, slots=True)
class Report:
    """The result of one document; `line` is the summary that a person reads, `note` what else there
    is to say."""

    source: str
    outcome: str  # one of EXIT_CODES
    reason: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    note: str = ""
    lines: tuple[str, ...] = ()  # of each entry what became of it
    acceptable: bool = False  # refused as implausible, which a person can overrule

    @property
    def exit_code(self) -> int:
        """The exit code of an import of this document alone; 3 where the machine or the database
        failed."""
        return EXIT_CODES[self.outcome]

    @property
    def line(self) -> str:
        if self.exit_code:
            return f"{self.source}: {TROUBLES[self.outcome]}: {self.reason}"
        c = self.counts
        summary = (
            f"{self.source}: {c['items']} items: {c['new']} new, {c['matched']} matched, {c['held']} held, "
            f"{c['ignored']} ignored; {c['unchanged']} unchanged since last time"
        )
        return "; ".join(filter(None, (summary, xml_trouble(c))))


@dataclass(frozen=True, slots=True)
class Loaded:
    """A target with its page; None where the server says that nothing changed."""

    target: Target
    page: FetchedDocument | None = None
    note: str = ""
    trouble: Exception | None = None


def largest() -> int:
    """The most bytes of a document, fetched or in a file."""
    return int(settings.DOCUMENT_MB) * 1_000_000


def is_web_address(address: str) -> bool:
    """True for a whole http(s) address that can be kept."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    # An address with half a character in it could not be stored, nor asked for again.
    short = len(address.encode("utf-8", "replace")) <= LONGEST_ADDRESS
    return (
        parts.scheme in ("http", "https") and bool(host) and short and address == printable(address)
    )


def same_address(address: str) -> str:
    """The part of an address that tells documents apart: http and https serve the same one, and
    hosts ignore case. A feed may call anything an address."""
    parts = split(address)
    return parts.place() if parts else address


def address_in_messages(address: str, source: Source | None) -> str:
    """Return an address as messages may show it, of a source if that is known."""
    return source.for_display(address) if source else without_secret(address)


def printable(text: str) -> str:
    """`text` without what no database and no terminal takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


# -- what a command line names ---------------------------------------------------------------------


def targets(names: Sequence[str], options: Options) -> list[Target]:
    """The documents that the command line names; without names, those of every active source that
    has any.

    Raises:
        Unknown: a name is no source, no address and no file, or the options contradict.
    """
    sources = sources_of(options)
    if options.source and not sources.filter(slug=options.source):
        raise Unknown(f"unknown source: {options.source!r}; known sources: {_list(sources)}")
    if options.source and not names:
        show = sources.filter(slug=options.source)[0].podcast.slug
        raise Unknown(
            "--source says which source a document belongs to, and no document is named. To import "
            f"the source: manage.py ingest {options.source} --podcast {show}"
        )
    found: list[Target] = []
    for name in names:
        found += _target(name, sources, options)
    if options.url and not (is_web_address(options.url) and list(map(isfile, names)) == [True]):
        raise Unknown(
            "--url gives the original http(s) address of exactly one saved file, of at most "
            f"{LONGEST_ADDRESS} characters, not {conceal(options.url[:80])!r}"
        )
    # Without names all that have an address are meant, so one without is no mistake.
    for source in () if names else sources.active():
        with suppress(Unknown):  # it has no document
            found += _of_source(source, options)
    return found


def sources_of(options: Options) -> SourceQuerySet:
    found = Source.objects.select_related("podcast")
    if options.podcast:
        found = found.filter(podcast=show_named(options.podcast))
    return found


def show_named(slug: str) -> Podcast:
    """The show of a slug, or the only one.

    Raises:
        Unknown: there is no such show, or several and none is named.
    """
    shows = list(Podcast.objects.filter(slug=slug) if slug else Podcast.objects.shown()[:2])
    if len(shows) == 1:
        return shows[0]
    known = ", ".join(Podcast.objects.values_list("slug", flat=True))
    what = f"unknown show: {slug!r}" if slug else "name the show with --podcast"
    raise Unknown(f"{what}; known shows: {known}")


def _target(name: str, sources: SourceQuerySet, options: Options) -> list[Target]:
    asked = printable(name)  # no database takes half a character
    named = sources.filter(slug=asked)
    if len(named) > 1:
        raise Unknown(f"{name!r} is a source of several shows; choose one with --podcast")
    if named:
        return _of_source(named[0], options)
    if options.offline:
        return _stored(name, Document.objects.filter(address=asked))
    if isfile(name):
        return [Target(printable(Path(name).name), path=Path(name))]
    address, login = split_login(with_scheme(name))
    if is_web_address(address):
        return [Target(without_secret(address), address=address, login=login)]
    known = f"known sources: {_list(sources)}"
    raise Unknown(
        f"{conceal(printable(name)[:200])!r} is not a known source, http(s) address or file; {known}"
    )


def _stored(name: str, documents: QuerySet[Document]) -> list[Target]:
    listings = documents.filter(kind="listing", captures__version__isnull=False).distinct()
    if not listings:
        raise Unknown(
            f"{printable(name)[:200]!r} was never stored; --offline uses stored documents only"
        )
    return [
        Target(name, document.source, document.url, document=document)
        for document in listings.select_related("source__podcast")
    ]


def _of_source(source: Source, options: Options) -> list[Target]:
    name = source.name(several=Podcast.objects.several())
    if source.podcast.status == Status.REMOVED or source.is_closed:
        raise Unknown(f"{name} is archived or removed; an administrator can resume it in the admin")
    if options.offline:
        return _stored(name, Document.objects.filter(source=source))
    if not source.address:
        raise Unknown(
            f"{source.slug} has no address to fetch; ingest the address of one of its pages, or a "
            "saved copy"
        )
    return [Target(name, source, source.address)]


def reader_titles() -> list[tuple[str, str]]:
    """The readers that a source can name, with the sites they read."""
    known = [(name, reader.TITLE) for name, reader in readers().items() if name != "by-hand"]
    return [*known, (LISTING, "Any page that lists known episodes")]


def _list(sources: SourceQuerySet) -> str:
    slugs = sources.order_by("slug").values_list("slug", flat=True).distinct()
    return ", ".join(slugs) or "none yet (add a show: manage.py add_show ADDRESS)"


def known_at(address: str, source: Source | None) -> QuerySet[Document]:
    """The stored documents at an address: of the source, where one is named; another show's may be
    at the same. A feed may call any address its transcript: that says nothing of the page there."""
    versions = Capture.objects.filter(document=OuterRef("pk"), version__isnull=False)
    found = Document.objects.filter(Exists(versions), address=address, kind="listing")
    return (found.filter(source_id=source.pk) if source else found).order_by("id")


def load(target: Target, options: Options, now: datetime, watch: Watch = unwatched) -> Loaded:
    """The document that a target names, or why it cannot be had. A server is asked only for what is
    new, and not at all where it wants to be left alone; a person who accepts a change, or says so,
    has it asked all the same."""
    if target.document:
        return Loaded(target)  # read when its turn comes: what is taken before may change it
    try:
        if target.path:
            return Loaded(target, in_file(target.path, options))
        return _fetched(target, options, now, watch)
    except (DocumentRejected, Unreachable) as trouble:
        return Loaded(target, trouble=trouble)


def in_file(path: Path, options: Options) -> FetchedDocument:
    """A saved document.

    Raises:
        DocumentRejected: it is too large, or cannot be read.
    """
    try:
        if path.stat().st_size > largest():
            raise DocumentRejected(f"it is larger than {settings.DOCUMENT_MB} MB (DOCUMENT_MB)")
        address, login = split_login(options.url)
        return FetchedDocument(path.read_bytes(), address, name=printable(path.name), login=login)
    except OSError as error:
        raise DocumentRejected(f"cannot be read: {error.strerror}") from error


def _fetched(target: Target, options: Options, now: datetime, watch: Watch) -> Loaded:
    documents = known_at(target.address, target.source).select_related("source__podcast")
    document = documents.first() or Document()
    source = document.source if document.pk else target.source
    if not options.now:
        _check_waits((paused_until(host_of(target.address)), document.not_before), now)
    login = target.login or getattr(source, "login", "")
    watch(f"{target.name}: fetching {address_in_messages(target.address, source)}")
    if options.accept or options.all_pages:
        document = Document()  # the whole of it is wanted
    page = _ask(target.address, options, document, login)
    if page and not document.pk:
        fetch_one = partial(fetch_page, options=options, login=login)
        return Loaded(target, *with_older_pages(page, fetch_one, watch))
    return Loaded(target, page)


def _check_waits(ends: Sequence[datetime | None], now: datetime) -> None:
    """Raise Waiting if one of the times at which a wait ends is still to come."""
    for until in ends:
        if until and is_paused(until, now):
            # Its plan is moved to then, and the failures are not counted: nobody asked.
            raise Waiting(
                f"the server asked us to wait until {until:%Y-%m-%d %H:%M} UTC; --now asks all the same",
                int((until - now).total_seconds()),
            )


def fetch_page(address: str, options: Options, login: str = "") -> FetchedDocument:
    """A document within the limits of the options; `login` is for its own server alone.

    Raises:
        Unreachable: nothing answers, or it is too large or too slow.
    """
    return _ask(address, options, Document(), login) or FetchedDocument(b"", address)


def _ask(address: str, options: Options, known: Document, login: str) -> FetchedDocument | None:
    """The document at an address; None where it is as the `known` one."""
    return fetch(
        address,
        login=login,
        etag=known.etag,
        last_modified=known.last_modified,
        allow=options.allow,
        max_bytes=largest(),
        max_seconds=options.seconds,
    )
