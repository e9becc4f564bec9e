"""Brings transcripts that somebody has: each file is a document of a source of the show, whose one
entry says which episode it may be of. All of them are brought, or none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction

from ..gather import store
from ..models import CLOSED, TRANSCRIPTS, Attachment, Held, Podcast, Source
from ..records import DocumentRejected, FetchedDocument
from ..resolve import apply
from ..transcripts import TYPES, ending_of, entry_of
from .archives import BroughtFile

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
        return int(self.counts["refused"] > 0 or not self.counts["files"])


def bring(
    podcast: Podcast,
    files: Iterable[BroughtFile],
    clock: Callable[[], datetime],
    *,
    machine_made: bool = False,
    dry_run: bool = False,
) -> Brought:
    """Store transcripts of a show, and bring the catalog up to date; `dry_run` takes it all back.

    Raises:
        DocumentRejected: nothing more is to be imported of the show, or of its transcripts.
    """
    with transaction.atomic():
        Podcast.objects.select_for_update().get(pk=podcast.pk)
        source = source_of(podcast)
        brought = Bringing(source, clock, machine_made).run(files)
        transaction.set_rollback(dry_run)
    return brought


def source_of(podcast: Podcast) -> Source:
    """The source of the show's transcripts, made with the first of them.

    Raises:
        DocumentRejected: it is closed.
    """
    defaults = {"title": TITLE, "reader": TRANSCRIPTS, "rank": RANK, "own": False}
    source, _ = Source.objects.get_or_create(podcast=podcast, slug=SLUG, defaults=defaults)
    if podcast.status in CLOSED or source.is_closed:
        raise DocumentRejected(
            f"{podcast.title} is {podcast.status}, its source {SLUG} is {source.status}; an "
            "administrator can resume them"
        )
    return source


class Bringing:
    """The files of one source on their way into the catalog."""

    def __init__(self, source: Source, clock: Callable[[], datetime], machine_made: bool) -> None:
        self.source, self.clock, self.machine_made = source, clock, machine_made
        self.brought = Brought(source.name(several=Podcast.objects.several()))
        self.paths: dict[str, str] = {}  # by the address of its document

    def run(self, files: Iterable[BroughtFile]) -> Brought:
        counts, started = self.brought.counts, self.clock()
        for file in files:
            counts["files"] += 1
            try:
                is_new = self._keep(file, started)
                counts["new" if is_new else "unchanged"] += 1
            except ValueError as reason:
                counts["ignored"] += 1
                counts["refused"] += file.is_one
                self.brought.lines.append(f"{file.path}: ignored: {reason}")
                self.brought.failed += self.brought.lines[-1:] * file.is_one
        if counts["new"]:
            apply(self.source.podcast)
        self._tell()
        outcome = "taken" if counts.pop("new", 0) else "unchanged"
        numbers = {**counts, "items": counts["files"]}
        store.record_run(self.source, None, started, self.clock(), outcome, "", numbers)
        return self.brought

    def _keep(self, file: BroughtFile, now: datetime) -> bool:
        """Raises ValueError for a file that is not to be read, or cannot be."""
        if file.trouble:
            raise ValueError(file.trouble)
        address = f"file:{self.source.slug}/{file.path}"
        if address in self.paths:
            raise ValueError("another file has this name")
        entry = entry_of(file.path, file.body, machine_made=self.machine_made)
        self.paths[address] = file.path
        content_type = TYPES[ending_of(file.path)]
        page = FetchedDocument(file.body, address, content_type, name=file.path)
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
            told[file] = ("held", in_words(candidates))
        for file, path in self.paths.items():
            became, words = told.get(file, ("ignored", "a curator decided so"))
            self.brought.counts[became] += 1
            self.brought.lines += [f"{path}: {became}: {words}"] if words else []


def in_words(candidates: Iterable[Mapping[str, Any]]) -> str:
    """The episodes that a held file may be of, with the reasons."""
    told = [f"{one['episode']} ({', '.join(one['reasons'])})" for one in candidates]
    return " or ".join(told) or "no episode has its guid, audio file, title or number"
