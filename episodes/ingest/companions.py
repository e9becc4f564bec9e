"""Transcripts and chapters beside the audio. Fetches what a feed offers, each file once, and stores it as
evidence.

Brings transcripts that somebody has, in a folder, a zip file or single files: each is a document of
a source of the show, whose one entry says which episode it may be of. All of them are brought, or none.
Nothing is unpacked to disk, and no more is read than a transcript can have."""

import re
import stat
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property, partial
from io import BytesIO
from operator import itemgetter
from pathlib import Path
from typing import IO, Any, TypeAlias, TypeVar
from zipfile import BadZipFile, ZipFile

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef

from ..gather import FetchRun, LimitedBatch, store, within_limits, within_seconds
from ..models import CLOSED, TRANSCRIPTS, Attachment, Capture, Document, Held, Item, Podcast, Source
from ..records import DocumentRejected, EntryData, FetchedDocument
from ..resolve import apply
from ..text.normalize import TURNING
from ..transcripts import (
    AUDIO_ENDING,
    MOST_BYTES,
    TYPES,
    OfferedChapters,
    OfferedTranscript,
    check_file,
    ending_of,
    entry_of,
    offer,
)
from .loading import Options, Unknown, Watch, fetch_page, is_web_address, printable
from .readings import are_files_paused, pause_files

File: TypeAlias = OfferedTranscript | OfferedChapters
SOON = timedelta(hours=1)  # many a transcript follows its episode
ASKED = ("asked_at", "trouble", "not_before")  # columns that say how asking for a file went
MOST_SECONDS = 20  # of CPU for a file: five times what the largest transcript takes that is read


def promises(
    entries: Iterable[EntryData], language: str, failed: Collection[str] = ()
) -> list[File]:
    """The best transcript and the best chapters that each entry offers, each file once; the next
    best, too, of a file whose address has `failed`."""
    wanted: dict[File, None] = {}
    for said in entries:
        offered = offer(said.extras, language)
        files: Sequence[File]
        for files in (offered.transcripts, offered.chapters):
            for file in files:
                if is_web_address(file.address):
                    wanted[file] = None
                    if file.address not in failed:
                        break
    return list(wanted)


def fetch_missing(
    source: Source, options: Options, clock: Callable[[], datetime], watch: Watch
) -> str:
    """Fetch what the source's feed names and nobody has yet; what came of it in words, "" where
    there was nothing.

    What could not be had is asked for again after an hour, then less and less often.
    """
    if are_files_paused(source, clock()) and not options.now:
        return ""
    run, pages = FetchRun(str(source), SOON, clock, watch), []
    due = _due(source, clock())
    for document in run.each(due):
        document.save(update_fields=ASKED)
        page = run.ask(document, partial(_fetch, due[document], options, source.login))
        document.save(update_fields=ASKED)
        if page:
            pages.append((document, page))
    if pages:
        # In one transaction, so that a show is made once for all files of a run.
        with transaction.atomic():
            podcast = Podcast.objects.select_for_update().get(pk=source.podcast_id)
            for document, page in pages:
                store.keep_companion(document, page, clock())
            apply(podcast)
    if run.took_too_much:
        pause_files(source, clock())
    return run.told(len(pages), "transcripts and chapters read")


def _due(source: Source, now: datetime) -> dict[Document, File]:
    """The files that are not there and may be asked for now, those asked longest ago first."""
    stored = Capture.objects.filter(document=OuterRef("pk"), version__isnull=False)
    missing = Document.objects.filter(~Exists(stored), source=source, kind="companion")
    due = missing.exclude(not_before__gt=now).order_by(F("asked_at").asc(nulls_first=True), "pk")
    if not due.exists():
        return {}
    # A file that cannot be had must not keep the next best one away for ever.
    failed = set(missing.exclude(trouble="").values_list("address", flat=True))
    items = Item.objects.filter(document__source=source, is_post=False)
    # In the order in which the source lists them.
    listed = store.current_revisions(items).values_list("payload", flat=True)
    entries = [EntryData.from_payload(payload) for payload in listed]
    named = promises(entries, source.podcast.language, failed)
    promise_at = {promise.address: promise for promise in named}
    store.offer_companions(source, [*promise_at])
    return {one: promise_at[one.address] for one in due if one.address in promise_at}


def _fetch(promise: File, options: Options, login: str) -> FetchedDocument:
    """The file that a feed promises.

    Raises:
        Unreachable: nothing answers.
        DocumentRejected: it is something else; says what.
    """
    page = fetch_page(promise.address, options, login)
    about = promise.content_type, page.content_type, promise.address
    try:
        within_seconds(MOST_SECONDS, check_file, promise.role, page.body, *about)
    except ValueError as reason:
        raise DocumentRejected(f"not a {promise.role} file: {reason}") from reason
    return page


# -- transcripts that somebody has -----------------------------------------------------------------

ENOUGH = MOST_BYTES + 1  # bytes: they tell that a file is too large
MOST_UNPACKED = 4_000_000_000  # bytes of an archive, which are stored in one transaction
DOCUMENTS_IN_BATCH = 10  # all files together may take the CPU time of so many
LONGEST_PATH = 480  # characters: what the key of an entry can have
# Hidden files, those that macOS makes, and those that are beside transcripts.
BESIDE = re.compile(
    r"(?:\A|/)(?:\.[^./]|__MACOSX/|(?:readme|license|changelog|contributing)\.[^/]*\Z)", re.I
)
UNPRINTABLE = re.compile(rf"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff{TURNING}]")
FORMATS = f"none of the formats that are read ({', '.join(TYPES)})"
UNREADABLE = (
    BadZipFile,
    NotImplementedError,
    RuntimeError,
    OSError,
    EOFError,
    ValueError,
    zlib.error,
)
One = TypeVar("One")
Opener: TypeAlias = Callable[[], AbstractContextManager[Any]]


@dataclass(frozen=True, slots=True)
class BroughtFile:
    """A file by its path, which begins with the folder or archive that it came in; `opens` opens it.
    `trouble` says why it is not read."""

    path: str
    opens: Opener = BytesIO
    trouble: str = ""


def files_at(name: str) -> list[BroughtFile]:
    """Return the files of a folder and of the folders in it, of a zip file, or one file, in the order
    of their names; without links, and without those that are only beside transcripts.

    Raises:
        Unknown: nothing is there, or it cannot be opened.
        DocumentRejected: it is an archive that must not be opened.
    """
    # An empty name, as of a variable that is not set, would be the folder where we are.
    path = Path(name or "\0")
    try:
        if path.is_file():
            path = path.resolve(strict=True)
            path.open("rb").close()
            return _files_of(path.name, path, partial(path.open, "rb"))
        folder = path.resolve(strict=True)  # so that `.` has a name, too
        next(folder.iterdir(), None)  # an error for a pipe or a device: they are not read
        paths = {
            one: one.relative_to(folder.parent).as_posix()
            for one in folder.rglob("*")
            if one.is_file() and not one.is_symlink()
        }
    except (OSError, ValueError):  # nothing there, a name too long, or no right to read it
        raise Unknown(
            f"{printable(name)[:200]!r} is not a folder or file that can be read"
        ) from None
    return [_brought(shown, partial(one.open, "rb")) for one, shown in meant(paths)]


def uploaded(file: IO[bytes]) -> list[BroughtFile]:
    """Return a file that was opened, or the files of a zip file.

    Raises:
        DocumentRejected: it is an archive that must not be opened.
    """
    name = file.name.rpartition("/")[2]
    return _files_of(name, file, partial(nullcontext, file))


def _files_of(name: str, file: Path | IO[bytes], opens: Opener) -> list[BroughtFile]:
    """Return a file, or the files of a zip file, below its name as below that of a folder. An archive
    that was made of the folder of its name is like that folder."""
    if ending_of(name) != "zip":
        return [_brought(name, opens)]
    archive = Archive(name, file)
    paths = within_limits(archive.members)
    return [_brought(shown, partial(archive.open, index)) for index, shown in paths]


class Archive:
    """A zip file. It is opened where it is parsed, and never written to disk."""

    def __init__(self, name: str, file: Path | IO[bytes]) -> None:
        self.name, self._file = name, file

    @cached_property
    def _zip(self) -> ZipFile:
        return ZipFile(self._file)

    def members(self) -> list[tuple[int, str]]:
        """Return the indexes and paths of the files that may be transcripts.

        Raises:
            DocumentRejected: it cannot be read, or is too large.
        """
        try:
            infos = self._zip.infolist()
        except UNREADABLE as error:
            raise DocumentRejected(
                f"{self.name} is not a zip file that can be read: {error}"
            ) from None
        folder = f"{self.name.rpartition('.')[0]}/"
        paths = {}
        for index, info in enumerate(infos):
            if not (info.is_dir() or stat.S_ISLNK(info.external_attr >> 16)):
                paths[index] = folder + info.filename.replace("\\", "/").removeprefix(folder)
        members = meant(paths)
        # The sizes that the archive declares; no more is read of any file than is allowed.
        if sum(infos[index].file_size for index, _ in members) > MOST_UNPACKED:
            most = f"{MOST_UNPACKED // 1_000_000_000} GB"
            raise DocumentRejected(
                f"{self.name} unpacks to more than {most}; bring its parts one by one"
            )
        return members

    def open(self, index: int) -> IO[bytes]:
        return self._zip.open(self._zip.infolist()[index])


def _brought(name: str, opens: Opener) -> BroughtFile:
    path = UNPRINTABLE.sub("?", name)
    if ending_of(name) not in TYPES:
        return BroughtFile(path[:LONGEST_PATH], trouble=FORMATS)
    if len(path) > LONGEST_PATH:
        trouble = f"its path is longer than {LONGEST_PATH} characters"
        return BroughtFile(path[:LONGEST_PATH], trouble=trouble)
    return BroughtFile(path, opens)


def _parse_file(
    files: Sequence[BroughtFile], machine_made: bool, index: int
) -> tuple[bytes, EntryData]:
    """Return the bytes of a file and the entry that its words make.

    Raises:
        DocumentRejected: it cannot be read.
    """
    file = files[index]
    # One that is damaged says so, and the others are brought.
    try:
        with file.opens() as opened:
            body = opened.read(ENOUGH)
    except UNREADABLE as error:
        raise DocumentRejected(f"cannot be read: {error}") from None
    try:
        return body, entry_of(file.path, body, machine_made=machine_made)
    except ValueError as reason:
        raise DocumentRejected(str(reason)) from None


def meant(paths: Mapping[One, str]) -> list[tuple[One, str]]:
    """Files in the order of their paths, without audio and without those that nobody takes for
    transcripts."""
    ordered = sorted(paths.items(), key=itemgetter(1))
    return [
        (one, path)
        for one, path in ordered
        if not (AUDIO_ENDING.search(path) or BESIDE.search(path))
    ]


# Files without an episode: more of them, and than files with one, are of the wrong folder or show.
MOST_STRAYS = 10
NONE_LIKE_IT = "no episode has its guid, audio file, title or number"
SLUG, TITLE, RANK = "transcripts", "Transcripts", 100  # of the source


@dataclass
class Brought:
    """The result of bringing files: numbers, and a line for each that is not shown as the
    transcript of its episode."""

    source: str
    counts: Counter[str] = field(default_factory=Counter)
    lines: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)  # the lines of transcripts that cannot be read

    @property
    def line(self) -> str:
        c = self.counts
        return (
            f"{self.source}: {c['files']} files: {c['matched']} matched, {c['held']} held, "
            f"{c['ignored']} ignored; {c['unchanged']} unchanged since last time"
        )

    @property
    def exit_code(self) -> int:
        """1 where a file that should be a transcript cannot be read, or where there is none."""
        return int(self.counts["refused"] > 0 or not self.counts["new"] + self.counts["unchanged"])


def bring(
    podcast: Podcast,
    files: Sequence[BroughtFile],
    clock: Callable[[], datetime],
    *,
    machine_made: bool = False,
    accept: bool = False,
    dry_run: bool = False,
) -> Brought:
    """Store transcripts of a show, and bring the catalog up to date; `dry_run` takes it all back.

    Raises:
        DocumentRejected: nothing more is to be imported of the show, or of its transcripts; or,
            unless they are to be accepted, most of them are of no episode.
    """
    with transaction.atomic():
        Podcast.objects.select_for_update().get(pk=podcast.pk)
        defaults = {"title": TITLE, "reader": TRANSCRIPTS, "rank": RANK, "own": False}
        source, _ = Source.objects.get_or_create(podcast=podcast, slug=SLUG, defaults=defaults)
        if podcast.status in CLOSED or source.is_closed:
            raise DocumentRejected(
                f"{podcast.title} is {podcast.status}, its source {SLUG} is {source.status}; an "
                "administrator can resume them"
            )
        brought = Bringing(source, clock, machine_made).run(files)
        strays = [line for line in brought.lines if line.endswith(NONE_LIKE_IT)]
        # Those that were kept before are there already.
        fresh = len(strays) - brought.counts["unchanged"]
        if not accept and fresh > max(MOST_STRAYS, brought.counts["matched"]):
            raise DocumentRejected(
                f"{len(strays)} of {brought.counts['files']} files are of no episode of {podcast.title}, such as "
                f"{strays[0].partition(': ')[0]}. Nothing was stored: look at the folder and the show, "
                "or keep the files for review with manage.py transcripts --accept"
            )
        transaction.set_rollback(dry_run)
    return brought


class Bringing:
    """The files of one source on their way into the catalog."""

    def __init__(self, source: Source, clock: Callable[[], datetime], machine_made: bool) -> None:
        self.source, self.clock, self.machine_made = source, clock, machine_made
        self.brought = Brought(source.name(several=Podcast.objects.several()))
        self.paths: dict[str, str] = {}  # by the address of its document

    def run(self, files: Sequence[BroughtFile]) -> Brought:
        counts, started = self.brought.counts, self.clock()

        most = settings.READ_SECONDS * DOCUMENTS_IN_BATCH
        with LimitedBatch(partial(_parse_file, files, self.machine_made), most) as batch:
            for index, file in enumerate(files):
                counts["files"] += 1
                try:
                    is_new = self._keep(file, partial(batch.parse, index), started)
                    counts["new" if is_new else "unchanged"] += 1
                except DocumentRejected as reason:
                    counts["ignored"] += 1
                    should_be_one = file.trouble != FORMATS
                    counts["refused"] += should_be_one
                    self.brought.lines.append(f"{file.path}: ignored: {reason}")
                    self.brought.failed += self.brought.lines[-1:] * should_be_one
        # Once for all files: a folder may have a thousand.
        if counts["new"]:
            apply(self.source.podcast)
        self._tell()
        outcome = "taken" if counts["new"] else "unchanged"
        numbers = {**counts, "items": counts["files"], "new": 0}  # no episode is
        store.record_run(self.source, None, started, self.clock(), outcome, "", numbers)
        return self.brought

    def _keep(
        self, file: BroughtFile, parse: Callable[[], tuple[bytes, EntryData]], now: datetime
    ) -> bool:
        """Parse and store a file, and return True if it is new.

        Raises:
            DocumentRejected: it is not to be read, or cannot be.
        """
        if file.trouble:
            raise DocumentRejected(file.trouble)
        address = f"file:{self.source.slug}/{file.path}"
        if address in self.paths:
            raise DocumentRejected("another file has this name")
        body, entry = parse()
        self.paths[address] = file.path
        content_type = TYPES[ending_of(file.path)]
        page = FetchedDocument(body, address, content_type, name=file.path)
        return store.keep_transcript(self.source, page, entry, now)

    def _tell(self) -> None:
        """Count what became of the files, and say it of those that are not simply shown."""
        of_source = {"item__document__source": self.source}
        address = "item__document__address"
        placed = Attachment.objects.filter(**of_source)
        told = {
            file: ("matched", "" if shown == file else f"“{title}” shows {shown}")
            for file, title, shown in placed.values_list(
                address, "episode__title", "episode__transcript__url"
            )
        }
        for file, candidates in Held.objects.filter(**of_source).values_list(address, "candidates"):
            some = [f"{one['episode']} ({', '.join(one['reasons'])})" for one in candidates]
            told[file] = ("held", " or ".join(some) or NONE_LIKE_IT)
        for file, path in self.paths.items():
            became, words = told.get(file, ("ignored", "a curator decided so"))
            self.brought.counts[became] += 1
            self.brought.lines += [f"{path}: {became}: {words}"] if words else []
