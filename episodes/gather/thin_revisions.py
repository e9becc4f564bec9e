"""Chooses the old revisions of an entry that nothing needs any more.

After 90 days these revisions stay: the first, the last, and one a day that changed title, text, date,
audio or GUID. So do revisions that a displayed date, a decision or a transcript depends on.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from ..fields import SOURCED_FIELDS
from ..records import EntryData


@dataclass(frozen=True, slots=True)
class StoredRevision:
    """A revision with the values that decide whether it stays."""

    id: int
    recorded_at: datetime
    values: EntryData


@dataclass(frozen=True, slots=True)
class Dependents:
    """Facts of an entry's episode that keep old revisions of the entry."""

    decided_at: Sequence[datetime] = ()  # times of the decisions about its episode
    fetched_files: frozenset[str] = frozenset()  # addresses of stored files
    has_transcript: bool = False  # a transcript of its episode was matched by a former title


def find_spare_revision_ids(
    revisions: Sequence[StoredRevision], keep_since: datetime, dependents: Dependents
) -> list[int]:
    """Return the ids of the revisions of one entry that can be deleted.

    `revisions` are all revisions of the entry, oldest first. A revision that was recorded at `keep_since`
    or later stays. The rule is idempotent: among the remaining revisions none is spare.
    """
    needed_ids = _ids_needed_by_pages_and_dependents(revisions, dependents)
    # The dict keeps the last of several revisions of a day.
    last_of_day = {revision.recorded_at.date(): revision for revision in revisions}
    spare_ids = []
    last_remaining = revisions[0]  # it always stays, as it is in `needed_ids`
    for revision in revisions:
        is_recent = revision.recorded_at >= keep_since
        is_last_of_day = last_of_day[revision.recorded_at.date()] == revision
        # Of each day the last revision stays, if it differs from the revision that stays before it.
        old_values = _main_values(last_remaining.values)
        has_changed = _main_values(revision.values) != old_values
        is_change_of_day = is_last_of_day and has_changed
        if is_recent or revision.id in needed_ids or is_change_of_day:
            last_remaining = revision
        else:
            spare_ids.append(revision.id)
    return spare_ids


def _ids_needed_by_pages_and_dependents(
    revisions: Sequence[StoredRevision], dependents: Dependents
) -> set[int]:
    needed_ids = {revisions[0].id, revisions[-1].id}
    needed_ids.update(_iterate_ids_around_last_changes(revisions))
    needed_ids.update(_ids_current_at_decisions(revisions, dependents.decided_at))
    needed_ids.update(_ids_of_last_revisions_offering_files(revisions, dependents.fetched_files))
    if dependents.has_transcript:
        # An imported file is matched by a title, which may be any that the entry had.
        first_id_by_title: dict[str, int] = {}
        for revision in revisions:
            first_id_by_title.setdefault(revision.values.title, revision.id)
        needed_ids.update(first_id_by_title.values())
    return needed_ids


def _main_values(values: EntryData) -> tuple[str, ...]:
    text = values.html or values.text
    return values.title, text, values.published or values.date_raw, values.audio_url, values.guid


def _iterate_ids_around_last_changes(revisions: Sequence[StoredRevision]) -> Iterator[int]:
    """Yield for each field the ids of the last revision with another value than now, and the revision after it.

    Pages show since when a source has published a value.
    """
    neighbours = list(pairwise(revisions))
    for sourced_field in SOURCED_FIELDS:
        current_value = sourced_field.display_entry_value(revisions[-1].values)
        for earlier, later in reversed(neighbours):
            if sourced_field.display_entry_value(earlier.values) != current_value:
                yield earlier.id
                yield later.id
                break


def _ids_current_at_decisions(
    revisions: Sequence[StoredRevision], decided_at: Sequence[datetime]
) -> Iterator[int]:
    """Yield the id of the last revision before each decision, which the curator saw, or of the first revision if
    there is none before."""
    recorded_at = [revision.recorded_at for revision in revisions]
    for decision_time in decided_at:
        count_before = bisect_right(recorded_at, decision_time)
        last_before = max(0, count_before - 1)
        yield revisions[last_before].id


def _ids_of_last_revisions_offering_files(
    revisions: Sequence[StoredRevision], fetched_files: frozenset[str]
) -> Iterator[int]:
    # By the address of a transcript or chapters file: the last revision that offers it.
    last_revision_ids: dict[str, int] = {}
    for revision in revisions:
        addresses = [*revision.values.extra("transcript"), *revision.values.extra("chapters")]
        for address in addresses:
            last_revision_ids[address] = revision.id
    for address in fetched_files & last_revision_ids.keys():
        yield last_revision_ids[address]
