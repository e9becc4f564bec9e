"""Imports transcripts of a show from files: all of them or none. Each file is a document of the source
`transcripts`, with one entry that is matched to an episode."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.utils.translation import ngettext

from ..gather import LimitedBatch, evidence
from ..models import CLOSED_STATUSES, TRANSCRIPTS_SLUG, Attachment, Held, Podcast, Source
from ..records import DocumentRejected, FetchedDocument
from ..resolve import update_catalog
from ..text.formatting import describe_import_results, format_count
from ..transcripts import TYPES_BY_EXTENSION, file_extension
from .importer import describe_candidates
from .transcript_files import FILE_FORMATS, TranscriptFile, read_bytes_and_entry_of_file

NO_CANDIDATE = "no episode has its guid, audio file, title or number"


@dataclass
class TranscriptImportResult:
    """The result of an import: numbers of files, and a line for each file that is not shown as the
    transcript of its episode.

    `counts` has the number of `files`, of each outcome (`matched`, `held`, `ignored`), and of `new`,
    `unchanged` and `refused` files.
    """

    source: str
    counts: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)  # the lines of transcripts that cannot be read
    strays: list[str] = field(default_factory=list)  # paths of files without a candidate
    path_by_address: dict[str, str] = field(default_factory=dict)  # of the stored documents

    @property
    def summary(self) -> str:
        counts = self.counts
        files = ngettext("file", "files", counts["files"])
        return (
            f"{self.source}: {counts['files']} {files}: {counts['matched']} matched, {counts['held']} held, "
            f"{counts['ignored']} ignored; {counts['unchanged']} unchanged since last time"
        )

    @property
    def counts_in_words(self) -> str:
        """Return the numbers of files by result without zeros: "64 files, all matched"."""
        files = format_count(self.counts["files"], "file", "files")
        words = {"matched": "matched", "held": "in need of review", "ignored": "ignored"}
        return describe_import_results(files, self.counts, words)

    @property
    def exit_code(self) -> int:
        """Return 1 if a transcript cannot be read, or if there is no transcript, else 0."""
        stored = self.counts["new"] + self.counts["unchanged"]
        return int(self.counts["refused"] > 0 or stored == 0)


def import_transcripts(
    podcast: Podcast,
    files: Sequence[TranscriptFile],
    clock: Callable[[], datetime],
    *,
    machine_made: bool,
    accept: bool = False,
    dry_run: bool = False,
) -> TranscriptImportResult:
    """Store transcripts of a show, and update the catalog. `dry_run` rolls all of it back.

    Raises:
        DocumentRejected: the show or its source of transcripts is closed, or most files belong to no
            episode and `accept` is False.
    """
    with transaction.atomic():
        # Only to lock the show.
        Podcast.objects.select_for_update().get(pk=podcast.pk)
        source = _find_or_create_source_or_raise_closed(podcast)
        started = clock()
        result = TranscriptImportResult(source.name(several=Podcast.objects.several()))
        _store_files_and_count(source, files, started, result, machine_made=machine_made)
        # Once for all files: a folder may have a thousand.
        if result.counts["new"]:
            update_catalog(podcast)
        _count_outcomes_and_add_problems(source, result)
        _record_run(source, started, clock(), result)
        if not accept:
            _require_few_strays(podcast, result)
        transaction.set_rollback(dry_run)
    return result


def _find_or_create_source_or_raise_closed(podcast: Podcast) -> Source:
    source, _ = Source.objects.get_or_create(
        podcast=podcast,
        slug="transcripts",
        defaults={
            "title": "Transcripts",
            "reader": TRANSCRIPTS_SLUG,
            "rank": 100,  # behind the feed, so that the transcripts of the feed are shown first
            "own": False,
        },
    )
    if podcast.status in CLOSED_STATUSES or source.is_closed:
        raise DocumentRejected(
            f"{podcast.title} is {podcast.status}, its source transcripts is {source.status}; an "
            "administrator can resume them"
        )
    return source


def _require_few_strays(podcast: Podcast, result: TranscriptImportResult) -> None:
    """Raise DocumentRejected if more than ten new files, and more than have an episode, have no candidate:
    they are of the wrong folder or show."""
    # Files that were stored before wait for a curator already. Some of them may have an episode, so
    # this number is too small rather than too large.
    min_new_strays = len(result.strays) - result.counts["unchanged"]
    # A few files without an episode are stored, and wait for a curator.
    if min_new_strays > max(10, result.counts["matched"]):
        raise DocumentRejected(
            f"{len(result.strays)} of {result.counts['files']} files are of no episode of {podcast.title}, such as "
            f"{result.strays[0]}. Nothing was stored: look at the folder and the show, "
            "or keep the files for review with manage.py transcripts --accept"
        )


def _store_files_and_count(
    source: Source,
    files: Sequence[TranscriptFile],
    now: datetime,
    result: TranscriptImportResult,
    *,
    machine_made: bool,
) -> None:
    """Store each file as a document, unless it is refused. Count it in `result`, and note its path or refusal."""
    # Of CPU, for all files together: the time of ten documents.
    max_seconds = settings.READ_SECONDS * 10
    with LimitedBatch(
        partial(read_bytes_and_entry_of_file, files, machine_made), max_seconds
    ) as batch:
        for index, file in enumerate(files):
            result.counts["files"] += 1
            address = f"file:{source.slug}/{file.path}"  # "file:transcripts/springs/12.vtt"
            try:
                # A zip file may have two files of one path.
                if address in result.path_by_address:
                    raise DocumentRejected("another file has this name")
                # In another process, within limits of memory and time.
                body, entry = batch.parse_within_limits(index)
            except DocumentRejected as reason:
                _add_refusal(result, file, reason)
                continue
            content_type = TYPES_BY_EXTENSION[file_extension(file.path)]
            page = FetchedDocument(body, address, content_type, name=file.path)
            is_new = evidence.store_transcript_and_detect_change(source, page, entry, now)
            result.counts["new" if is_new else "unchanged"] += 1
            result.path_by_address[address] = file.path


def _add_refusal(
    result: TranscriptImportResult, file: TranscriptFile, reason: DocumentRejected
) -> None:
    """Count a file that was refused, and add its line. A file in an unknown format is ignored, not a failure."""
    line = f"{file.path}: ignored: {reason}"
    result.counts["ignored"] += 1  # every file that is not stored
    result.problems.append(line)
    has_unknown_format = file.trouble == FILE_FORMATS
    if not has_unknown_format:
        result.counts["refused"] += 1
        result.failed.append(line)


class _FileResult(NamedTuple):
    """The result of a stored file: matched, held or ignored, and a remark if it is not displayed."""

    outcome: str
    remark: str


def _count_outcomes_and_add_problems(source: Source, result: TranscriptImportResult) -> None:
    result_by_address = _file_results_by_document_address(source)
    # A file that neither belongs to an episode nor waits for a curator.
    not_an_episode = _FileResult("ignored", "a curator decided so")
    for address, path in result.path_by_address.items():
        outcome, remark = result_by_address.get(address, not_an_episode)
        result.counts[outcome] += 1
        if remark:
            result.problems.append(f"{path}: {outcome}: {remark}")
        if remark == NO_CANDIDATE:
            result.strays.append(path)


def _file_results_by_document_address(source: Source) -> dict[str, _FileResult]:
    result_by_address: dict[str, _FileResult] = {}
    attached = Attachment.objects.filter(item__document__source=source)
    columns = ("item__document__address", "episode__title", "episode__transcript__url")
    for address, title, displayed_address in attached.values_list(*columns):
        # An episode shows one transcript. The feed may offer a better one.
        is_displayed = displayed_address == address
        remark = "" if is_displayed else f"“{title}” shows {displayed_address}"
        result_by_address[address] = _FileResult("matched", remark)
    unmatched = Held.objects.filter(item__document__source=source)
    for unmatched_entry in unmatched.select_related("item__document"):
        candidates = describe_candidates(unmatched_entry)
        address = unmatched_entry.item.document.address
        result_by_address[address] = _FileResult("held", candidates or NO_CANDIDATE)
    return result_by_address


def _record_run(
    source: Source, started: datetime, finished: datetime, result: TranscriptImportResult
) -> None:
    outcome = "taken" if result.counts["new"] else "unchanged"
    # Transcripts are no new episodes.
    counts = {**result.counts, "items": result.counts["files"], "new": 0}
    evidence.record_run(source, None, started, finished, outcome, "", counts)
