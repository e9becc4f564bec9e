"""Imports a source, or transcripts, for a person who asks for it, within limits that a request can
wait for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from django.db import OperationalError
from django.utils import timezone

from ..ingest import (
    Brought,
    BroughtFile,
    PageDescription,
    Report,
    Target,
    Unreachable,
    bring,
    describe,
    fetch_page,
    load,
    take,
)
from ..models import Podcast, Source
from ..records import DocumentRejected, FetchedDocument
from .history import CONFIGURE, CURATE, Impossible, User, note, require
from .trying import LIMITS, SourcePreview, preview_source


@dataclass(frozen=True)
class SourceReading:
    """The outcome of an import, in one sentence; `acceptable`: refused as implausible, which a
    person can overrule."""

    ok: bool
    line: str
    acceptable: bool = False


def read_source(
    user: User, source: Source, *, accept: bool = False, allow: frozenset[str] = frozenset()
) -> SourceReading:
    """Import a source from its address now; `accept` lets a change through that looks implausible.

    Raises:
        Impossible: the source has no address, is archived or removed, or the database is busy.
        PermissionDenied: the user may not.
    """
    require(user, CONFIGURE)
    _check(source)
    # A person who asks is not kept waiting for as long as a server asked programs to wait.
    options = replace(LIMITS, accept=accept, allow=allow, now=True)
    name = source.name(several=Podcast.objects.several())
    target = Target(name, source=source, address=source.address)
    try:
        report = take(load(target, options, timezone.now()), options, timezone.now)
    except OperationalError:
        raise Impossible(
            f"{_name(source)} was not imported: another import is writing, or this one takes too "
            "long for a page. Nothing was changed. Try again in a minute, or run manage.py ingest "
            f"--podcast {source.podcast.slug} {source.slug}."
        ) from None
    reading = SourceReading(report.ok, _told(source, report), report.acceptable)
    verb = "accept import" if accept else "import"
    note(user, verb, source, name, source.podcast, [["result", "", reading.line]])
    return reading


def try_source(user: User, source: Source, *, allow: frozenset[str] = frozenset()) -> SourcePreview:
    """Preview what importing a source from its address would change; nothing is saved.

    Raises:
        Impossible, PermissionDenied: as for an import.
    """
    require(user, CONFIGURE)
    _check(source)
    return preview_source(user, source, None, allow=allow)


def bring_transcripts(
    user: User,
    podcast: Podcast,
    files: Iterable[BroughtFile],
    *,
    machine_made: bool = False,
    dry_run: bool = False,
) -> Brought:
    """Bring transcripts of a show; `dry_run` saves nothing.

    Raises:
        Impossible: nothing more is imported of the show, or a file is no archive that can be read.
        PermissionDenied: the user may not.
    """
    require(user, CURATE)
    try:
        brought = bring(podcast, files, timezone.now, machine_made=machine_made, dry_run=dry_run)
    except DocumentRejected as refusal:
        raise Impossible(f"Not imported: {refusal}.") from None
    if not dry_run:
        line = [["result", "", brought.line]]
        note(user, "bring transcripts", podcast, podcast.title, podcast, line)
    return brought


def look_at(address: str, allow: frozenset[str]) -> tuple[FetchedDocument, PageDescription]:
    """The page at an address, and what it says of itself.

    Raises:
        Impossible: nothing answers, or it cannot be read.
    """
    try:
        page = fetch_page(address, replace(LIMITS, allow=allow))
        return page, describe(page)
    except Unreachable as trouble:
        raise Impossible(f"{trouble}. Check the address.") from None
    except DocumentRejected as refusal:
        raise Impossible(f"{address} cannot be read: {refusal}.") from None


def _check(source: Source) -> None:
    name = _name(source)
    if source.is_closed:
        raise Impossible(f"{name} is {source.status}. Resume it to import it again.")
    if not source.address:
        raise Impossible(
            f"{name} has no address. Give it one, or import a saved copy with manage.py ingest FILE."
        )


def _name(source: Source) -> str:
    return f"{source.podcast.title} · {source.slug}"


def _told(source: Source, report: Report) -> str:
    """The outcome of an import, and advice, for a person who does not know commands."""
    if report.ok:
        counts = report.line.removeprefix(f"{report.source}: ")
        return f"{_name(source)}: {counts}.{f' Note: {report.note}.' if report.note else ''}"
    place = f"{_name(source)} ({source.address})"
    why = report.reason.removeprefix(f"{source.address}: ")
    if report.acceptable:
        reason = why.partition(". ")[0]
        what = "The last good copy stays. Look at the differences; if they are right, accept them."
        return f"{place}: not imported: {reason}. {what}"
    what = "Check the address and the parser, or try again later; manage.py ingest waits longer."
    return f"{place}: not imported: {why}. The last good copy stays. {what}"
