"""Chooses the old revisions of an entry that nothing needs any more.

After 90 days these revisions stay: the first, the last, and one a day that changed title, text, date,
audio or GUID. So do those that a shown date, a decision or a transcript depends on.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from ..fields import SOURCED_FIELDS
from ..records import EntryData

REVISIONS_KEPT = timedelta(days=90)
FILE_KINDS = ("transcript", "chapters")  # of extras


@dataclass(frozen=True, slots=True)
class StoredRevision:
    """A revision as the thinning sees it."""

    id: int
    recorded_at: datetime
    values: EntryData


@dataclass(frozen=True, slots=True)
class Dependents:
    """What depends on revisions of an entry beside the catalog's present values."""

    decided_at: Sequence[datetime] = ()  # times of the decisions about its episode
    fetched_files: Collection[str] = field(default=frozenset())  # addresses of stored files
    has_transcript: bool = False  # a transcript of its episode was matched by a former title


def spare_revisions(
    revisions: Sequence[StoredRevision], until: datetime, dependents: Dependents
) -> list[int]:
    """Return the ids of the revisions of one entry that can be deleted.

    `revisions` are all of the entry, oldest first. Those recorded at `until` or later stay. The rule is
    idempotent: among the remaining revisions none is spare.
    """
    needed = {revisions[0].id, revisions[-1].id}
    needed.update(revision.id for revision in revisions if revision.recorded_at >= until)
    needed.update(_beginnings_of_current_values(revisions))
    needed.update(_current_when_decided(revisions, dependents.decided_at))
    needed.update(_last_with_each_file(revisions, dependents.fetched_files))
    if dependents.has_transcript:
        needed.update(_first_with_each_title(revisions))
    last_of_day = {revision.recorded_at.date(): revision.id for revision in revisions}
    spare = []
    kept = revisions[0]
    for revision in revisions:
        ends_day = last_of_day[revision.recorded_at.date()] == revision.id
        is_step = ends_day and _identity(revision.values) != _identity(kept.values)
        if revision.id in needed or is_step:
            kept = revision
        else:
            spare.append(revision.id)
    return spare


def _identity(values: EntryData) -> tuple[str, ...]:
    """Return the values whose changes are kept: title, text, date, audio and GUID."""
    text = values.html or values.text
    return values.title, text, values.published or values.date_raw, values.audio_url, values.guid


def _beginnings_of_current_values(revisions: Sequence[StoredRevision]) -> Iterator[int]:
    """Yield the first revision of the unbroken run with the current value of each field, and the one before.

    Pages show since when a source has published a value.
    """
    for shown_field in SOURCED_FIELDS:
        current = shown_field.display_entry_value(revisions[-1].values)
        for revision, earlier in zip(reversed(revisions), reversed(revisions[:-1]), strict=False):
            if shown_field.display_entry_value(earlier.values) != current:
                yield revision.id
                yield earlier.id
                break


def _current_when_decided(
    revisions: Sequence[StoredRevision], decided_at: Sequence[datetime]
) -> Iterator[int]:
    """Yield the last revision before each decision: what the curator saw."""
    for decided in decided_at:
        for revision in reversed(revisions):
            if revision.recorded_at <= decided:
                yield revision.id
                break


def _last_with_each_file(
    revisions: Sequence[StoredRevision], fetched_files: Collection[str]
) -> Iterator[int]:
    """Yield the last revision that offers each stored transcript or file of chapters."""
    last: dict[str, int] = {}
    for revision in revisions:
        for kind, *details in revision.values.extras:
            if kind in FILE_KINDS and details[0] in fetched_files:
                last[details[0]] = revision.id
    yield from last.values()


def _first_with_each_title(revisions: Sequence[StoredRevision]) -> Iterator[int]:
    titles = set()
    for revision in revisions:
        if revision.values.title not in titles:
            titles.add(revision.values.title)
            yield revision.id
