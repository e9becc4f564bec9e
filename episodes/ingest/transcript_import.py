"""Imports transcripts of a show from files. Each is a document of the source `transcripts`, with one entry
that says which episode it may be of. All of them are imported, or none."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from django.conf import settings
from django.db import transaction

from ..gather import LimitedBatch, evidence
from ..models import CLOSED_STATUSES, TRANSCRIPTS_SLUG, Attachment, Held, Podcast, Source
from ..records import DocumentRejected, EntryData, FetchedDocument
from ..resolve import update_catalog
from ..transcripts import TYPES_BY_EXTENSION, file_extension
from .transcript_files import FORMATS, TranscriptFile, parse_file

DOCUMENTS_IN_BATCH = 10  # all files together may take the CPU time of so many
# Files without an episode: more of them, and than files with one, are of the wrong folder or show.
MOST_STRAYS = 10
NONE_LIKE_IT = "no episode has its guid, audio file, title or number"
SLUG, TITLE, RANK = "transcripts", "Transcripts", 100  # of the source


@dataclass
class TranscriptImportResult:
    """The result of an import: numbers, and a line for each file that is not shown as the transcript of
    its episode."""

    source: str
    counts: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)  # the lines of transcripts that cannot be read
    strays: list[str] = field(default_factory=list)  # paths of files without a candidate
    addresses: dict[str, str] = field(default_factory=dict)  # of the documents, with their paths

    @property
    def summary(self) -> str:
        c = self.counts
        return (
            f"{self.source}: {c['files']} files: {c['matched']} matched, {c['held']} held, "
            f"{c['ignored']} ignored; {c['unchanged']} unchanged since last time"
        )

    @property
    def exit_code(self) -> int:
        """1 if a file that should be a transcript cannot be read, or if there is none."""
        return int(self.counts["refused"] > 0 or not self.counts["new"] + self.counts["unchanged"])


def import_transcripts(
    podcast: Podcast,
    files: Sequence[TranscriptFile],
    clock: Callable[[], datetime],
    *,
    machine_made: bool = False,
    accept: bool = False,
    dry_run: bool = False,
) -> TranscriptImportResult:
    """Store transcripts of a show, and bring the catalog up to date. `dry_run` takes it all back.

    Raises:
        DocumentRejected: the show or its source of transcripts is closed, or most files are of no
            episode and are not to be accepted.
    """
    with transaction.atomic():
        Podcast.objects.select_for_update().get(pk=podcast.pk)
        defaults = {"title": TITLE, "reader": TRANSCRIPTS_SLUG, "rank": RANK, "own": False}
        source, _ = Source.objects.get_or_create(podcast=podcast, slug=SLUG, defaults=defaults)
        if podcast.status in CLOSED_STATUSES or source.is_closed:
            raise DocumentRejected(
                f"{podcast.title} is {podcast.status}, its source {SLUG} is {source.status}; an "
                "administrator can resume them"
            )
        started = clock()
        result = TranscriptImportResult(source.name(several=Podcast.objects.several()))
        _store_files(source, files, started, result, machine_made=machine_made)
        # Once for all files: a folder may have a thousand.
        if result.counts["new"]:
            update_catalog(podcast)
        _count_outcomes(source, result)
        _record(source, started, clock(), result)
        # Files that were stored before wait already.
        new_strays = len(result.strays) - result.counts["unchanged"]
        if not accept and new_strays > max(MOST_STRAYS, result.counts["matched"]):
            raise DocumentRejected(
                f"{len(result.strays)} of {result.counts['files']} files are of no episode of {podcast.title}, such as "
                f"{result.strays[0]}. Nothing was stored: look at the folder and the show, "
                "or keep the files for review with manage.py transcripts --accept"
            )
        transaction.set_rollback(dry_run)
    return result


def _store_files(
    source: Source,
    files: Sequence[TranscriptFile],
    now: datetime,
    result: TranscriptImportResult,
    *,
    machine_made: bool,
) -> None:
    counts = result.counts
    max_seconds = settings.READ_SECONDS * DOCUMENTS_IN_BATCH
    with LimitedBatch(partial(parse_file, files, machine_made), max_seconds) as batch:
        for index, file in enumerate(files):
            counts["files"] += 1
            address = f"file:{source.slug}/{file.path}"
            try:
                _check_file(file, address in result.addresses)
                is_new = _store_file(source, address, file.path, *batch.parse(index), now)
            except DocumentRejected as reason:
                line = f"{file.path}: ignored: {reason}"
                counts["ignored"] += 1
                result.problems.append(line)
                if file.trouble != FORMATS:
                    counts["refused"] += 1
                    result.failed.append(line)
                continue
            counts["new" if is_new else "unchanged"] += 1
            result.addresses[address] = file.path


def _check_file(file: TranscriptFile, is_known: bool) -> None:
    if file.trouble or is_known:
        raise DocumentRejected(file.trouble or "another file has this name")


def _store_file(
    source: Source, address: str, path: str, body: bytes, entry: EntryData, now: datetime
) -> bool:
    """Store a transcript, and return True if it is new or changed."""
    page = FetchedDocument(body, address, TYPES_BY_EXTENSION[file_extension(path)], name=path)
    return evidence.store_transcript(source, page, entry, now)


def _count_outcomes(source: Source, result: TranscriptImportResult) -> None:
    """Count the outcome of each file, and add a line for each that is not simply shown."""
    of_source = {"item__document__source": source}
    columns = ("item__document__address", "episode__title", "episode__transcript__url")
    outcomes: dict[str, tuple[str, str]] = {}
    for address, title, shown in Attachment.objects.filter(**of_source).values_list(*columns):
        outcomes[address] = ("matched", "" if shown == address else f"“{title}” shows {shown}")
    held = Held.objects.filter(**of_source)
    for address, candidates in held.values_list("item__document__address", "candidates"):
        episodes = [f"{one['episode']} ({', '.join(one['reasons'])})" for one in candidates]
        outcomes[address] = ("held", " or ".join(episodes) or NONE_LIKE_IT)
    for address, path in result.addresses.items():
        outcome, words = outcomes.get(address, ("ignored", "a curator decided so"))
        result.counts[outcome] += 1
        if words:
            result.problems.append(f"{path}: {outcome}: {words}")
        if words == NONE_LIKE_IT:
            result.strays.append(path)


def _record(
    source: Source, started: datetime, ended: datetime, result: TranscriptImportResult
) -> None:
    outcome = "taken" if result.counts["new"] else "unchanged"
    # Transcripts are no new episodes.
    numbers = {**result.counts, "items": result.counts["files"], "new": 0}
    evidence.record_run(source, None, started, ended, outcome, "", numbers)
