"""Transcripts that a curator uploads."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils import timezone

from ..ingest import Brought, BroughtFile, bring
from ..models import Podcast
from ..records import DocumentRejected
from .history import CURATE, Impossible, User, note, require


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
