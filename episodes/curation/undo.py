"""Undo: gives the rows of a change the values that they had before it."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, cast

from django.apps import apps
from django.core import serializers
from django.db import IntegrityError, models, transaction
from django.utils import timezone

from ..models import CORRECTABLE_FIELDS, Change, Decision, Podcast
from .corrections import CorrectionSubject
from .history import (
    CONFIGURE,
    CURATE,
    PERMITTED_ROLES,
    AnyUser,
    ChangeRefused,
    Recorder,
    RowChange,
    affects_catalog,
    open_change_batch,
    open_change_recorder,
    require_permission,
    row_changes,
    stored_fields,
)


class UndoConflict(ChangeRefused):
    """A change cannot be undone because something depends on it. The message names it."""


class _RowDiffers(Exception):
    """A row is not as a change left it."""


@transaction.atomic
def undo_change(user: AnyUser, change: Change) -> Change:
    """Undo a change and return the new change, which can be undone in turn.

    Raises:
        UndoConflict: its rows were changed since, or it was undone already.
        PermissionDenied: the user may not.
    """
    # Locked, so that of two people who undo it at once the second gets a refusal.
    change = Change.objects.select_for_update().get(pk=change.pk)
    require_permission(user, _permission_to_undo(change))
    if refusal := undo_refusal_or_empty(user, change):
        raise UndoConflict(refusal)
    try:
        with open_change_recorder(
            user,
            "undo",
            change.subject,
            change.about,
            second_subject_key=change.about_too,
            podcasts=_affected_shows_or_none_for_all(change),
            # The undo of a change without a show has none, either.
            is_of_all_shows=change.podcast is None,
            permission=_permission_to_undo(change),
        ) as recorder:
            # The lines of the history, with old and new text swapped.
            recorder.lines = [[label, after, before] for label, before, after in change.told]
            for row_change in reversed(row_changes(change)):
                _restore_row(recorder, row_change)
    except (IntegrityError, models.ProtectedError, _RowDiffers):
        raise UndoConflict(f"Can’t undo: {_describe_blocking_change(change)}") from None
    change.undone_at = timezone.now()
    change.undone_by_id = user.pk
    change.save(update_fields=("undone_at", "undone_by"))
    # The change that the recorder has just stored.
    return Change.objects.filter(verb="undo", about=change.about).latest("id")


def _affected_shows_or_none_for_all(change: Change) -> list[Podcast] | None:
    """Return the shows with catalogs that depend on the rows of a change. None means all shows."""
    if not affects_catalog(change):
        return []
    if change.podcast:
        return [change.podcast]
    # A correction is about "person:…", "link:…" or "symbol:…". Other changes without a show are of the
    # configuration, on which all catalogs depend.
    kind, _, _ = change.about.partition(":")
    if kind not in CORRECTABLE_FIELDS:
        return None
    # No show, if the subject is hidden, or merged into a hidden one. Episodes of any may name it again.
    return list(_shows_of_corrections(change, kind)) or None


def _shows_of_corrections(change: Change, kind: str) -> set[Podcast]:
    shows: set[Podcast] = set()
    for row in row_changes(change):
        correction = row.fields
        subject = CorrectionSubject(kind, correction["key"], change.subject)
        shows.update(subject.shows())
        # The correction merged the subject into another one, so the episodes of both change.
        if correction["field"] == "same":
            target = replace(subject, key=correction["value"])
            shows.update(target.shows())
    return shows


def undo_changes(user: AnyUser, changes: Iterable[Change]) -> None:
    """Undo several changes, the last first: all of them, or none.

    Raises:
        UndoConflict, PermissionDenied: as for a single change.
    """
    # A later change may depend on an earlier one.
    latest_first = sorted(changes, key=lambda change: change.pk, reverse=True)
    shows = {change.podcast_id: change.podcast for change in latest_first if change.podcast}
    with open_change_batch(shows.values()):
        for change in latest_first:
            try:
                undo_change(user, change)
            except UndoConflict as conflict:
                message = f"{change.subject}: {conflict} Nothing was undone."
                raise UndoConflict(message) from None


def undo_refusal_or_empty(user: AnyUser, change: Change) -> str:
    """Return why a person cannot undo a change, or "" if they can."""
    if change.undone_at:
        return "This was undone already."
    if not change.rows:
        return (
            "What a source said is kept, and accounts are changed on their own pages: "
            "this has no undo."
        )
    permission = _permission_to_undo(change)
    if user.has_perm(permission):
        return ""
    return f"Only {PERMITTED_ROLES[permission]} can undo this."


def _permission_to_undo(change: Change) -> str:
    return CONFIGURE if change.sets_up else CURATE


def _restore_row(recorder: Recorder, change: RowChange) -> None:
    """Give a row the values that it had before a change.

    Raises:
        _RowDiffers: it was changed since.
    """
    row = apps.get_model(change.table)._default_manager.filter(pk=change.key).first()
    current_fields = stored_fields(row) if row else {}
    if not _is_as_change_left_it(row, current_fields, change.after):
        raise _RowDiffers
    if change.before is not None:
        # Fields that a later version of the software added keep their values.
        fields = {**current_fields, **change.before}
        serialized = json.dumps([{"model": change.table, "pk": change.key, "fields": fields}])
        # An earlier version of the software may have had fields that are gone.
        (restored,) = serializers.deserialize("json", serialized, ignorenonexistent=True)
        recorder.save(restored.object)
    elif isinstance(row, Decision):
        # The change made this decision. It stays in the history.
        recorder.end_decision(row)
    else:
        # The change made this row, and nobody changed it since.
        recorder.delete(cast(models.Model, row))


def _is_as_change_left_it(
    row: models.Model | None, current_fields: dict[str, Any], after: dict[str, Any] | None
) -> bool:
    if after is None:  # it deleted the row
        return row is None
    # Fields that a later version of the software added are not compared.
    comparable = {name: current_fields.get(name) for name in after}
    return row is not None and _as_text(comparable) == _as_text(after)


def _as_text(fields: dict[str, Any]) -> str:
    """Return fields as text with their times as a backup restores them.

    Serializers cut times to thousandths, and write ".000" only of a time with a smaller part.
    """
    return json.dumps(fields, sort_keys=True).replace('.000Z"', 'Z"')


def _describe_blocking_change(change: Change) -> str:
    """Return a sentence that names the last later change of the same rows, which has to be undone first."""
    subjects = set(_iterate_row_subjects(change))
    later_changes = Change.objects.filter(pk__gt=change.pk, undone_at=None)
    for later in later_changes.select_related("made_by").order_by("-pk").iterator(100):
        if subjects.intersection(_iterate_row_subjects(later)):
            maker = later.made_by or "somebody"
            day_and_time = f"{later.made_at:%-d %b %Y, %H:%M}"
            return f"“{later}” ({maker}, {day_and_time}) depends on it. Undo that first."
    return "it was changed since outside of the history, or other rows depend on it."


def _iterate_row_subjects(change: Change) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a change as tuples, to compare changes: (table, key).

    Yield a decision also as (table, subject, field), because a later decision about the same subject
    and field has another key.
    """
    for row in row_changes(change):
        yield row.table, row.key
        if row.is_decision:
            yield row.table, row.fields["about"], row.fields["field"]
