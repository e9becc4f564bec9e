"""The history of changes: a change is written whole, with its rows before and after, so that it can be
undone, and brings the catalog up to date."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar, cast
from uuid import uuid4

from django.contrib.auth.models import AbstractUser, AnonymousUser
from django.core import serializers
from django.core.exceptions import PermissionDenied
from django.db import connection, models, transaction
from django.utils import timezone

from ..ingest import move_documents
from ..models import (
    DISMISSAL_KIND,
    CatalogState,
    Change,
    Decision,
    Episode,
    EpisodeReading,
    Podcast,
    Source,
    Topic,
    WithdrawnEpisode,
)
from ..resolve import resolve_small_shows_queue_others, update_catalog
from ..text.fingerprints import fingerprint, stable_hash

AnyUser = AbstractUser | AnonymousUser
CURATE, CONFIGURE = "episodes.curate", "episodes.configure"
PERMITTED_ROLES = {CURATE: "curators", CONFIGURE: "administrators"}
Result = TypeVar("Result")


class ChangeRefused(Exception):
    """A change that cannot be made. Nothing was written, and the message is for the person."""


class InvalidChange(ChangeRefused):
    """A request that makes no sense."""


class EditConflict(ChangeRefused):
    """Somebody else made a change since the form was opened, so nothing was written."""


class RowChange(NamedTuple):
    """A row before and after a change, as the history stores it. None: there was no row."""

    table: str
    key: Any
    before: dict[str, Any] | None
    after: dict[str, Any] | None

    @property
    def fields(self) -> dict[str, Any]:
        """Return the fields of the row after the change, or before it if the row was deleted."""
        return cast(dict[str, Any], self.after or self.before)

    @property
    def is_decision(self) -> bool:
        return self.table == "episodes.decision"

    @property
    def affects_catalog(self) -> bool:
        """Return whether the row is an input of a catalog. Dismissals, suggestions and saved
        filters are not."""
        if self.is_decision:
            return bool(self.fields["kind"] != DISMISSAL_KIND)
        return self.table not in ("episodes.suggestion", "episodes.savedfilter")


def row_changes(change: Change) -> list[RowChange]:
    return [RowChange(*row) for row in change.rows]


# --- Recording ---------------------------------------------------------------------------------


@dataclass
class Recorder:
    """Writes rows, and records their state before and after for the history and for undo."""

    user: AnyUser
    subject_key: str = ""  # of the history
    rows: list[RowChange] = field(default_factory=list)
    lines: list[list[str]] = field(default_factory=list)
    # The show in the history of a change that leaves all catalogs as they are.
    podcast: Podcast | None = None

    def describe(self, label: str, before: object, after: object) -> None:
        """Add a line of the history (label, old text, new text), unless both texts are equal."""
        if str(before) != str(after):
            self.lines.append([label.replace("_", " "), str(before), str(after)])

    def save(self, row: models.Model) -> None:
        """Save a row, and record its values before and after, so that the change can be undone."""
        # Read the old values from the database, because `row` already has the new ones.
        stored: Any = type(row)._default_manager.filter(pk=row.pk).first()
        before = stored_fields(stored) if stored else None
        row.save()
        if isinstance(row, Source) and stored:
            # If the address of a source changes, its documents keep their versions under the new one.
            move_documents(row, stored.address, row.address)
        after = stored_fields(row)
        if before != after:
            self.rows.append(RowChange(row._meta.label_lower, row.pk, before, after))

    def store_decision_and_end_earlier(self, kind: str, **columns: Any) -> None:
        """Store a new decision, and end earlier decisions about the same subject and field."""
        decision = Decision(kind=kind, made_by_id=self.user.pk, **columns)
        same_subject = Decision.objects.in_force(kind).filter(
            about=decision.subject_hash(), field=decision.field
        )
        for earlier in same_subject:
            self.end_decision(earlier)
        self.save(decision)

    def end_decision(self, decision: Decision) -> None:
        """End a decision. It stays in the history."""
        decision.ended_at = timezone.now()
        self.save(decision)

    def store_decision_for_undo(self, kind: str, **columns: Any) -> None:
        """Store an ended decision. When the change is undone, the decision comes into force."""
        self.store_decision_and_end_earlier(kind, ended_at=timezone.now(), **columns)
        # Undo gives a row its values from before the change. So pretend that it was in force.
        last_row = self.rows[-1]
        in_force = {**last_row.fields, "ended_at": None}
        self.rows[-1] = last_row._replace(before=in_force)

    def delete(self, row: models.Model) -> None:
        """Delete a row of the configuration. Decisions are ended instead."""
        self.rows.append(RowChange(row._meta.label_lower, row.pk, stored_fields(row), None))
        if isinstance(row, Topic):
            # Its episodes lose it with the row. Without a fingerprint the next resolve writes them again, even
            # if undo restores the topic before that.
            readings = EpisodeReading.objects.filter(episode__topic_uses__topic=row)
            readings.update(fingerprint="")
        row.delete()


def stored_fields(row: models.Model) -> dict[str, Any]:
    (serialized,) = json.loads(serializers.serialize("json", [row]))
    return dict(serialized["fields"])


@contextmanager
def open_change_recorder(
    user: AnyUser,
    verb: str,
    subject: str,
    subject_key: str,
    *,
    second_subject_key: str = "",
    podcasts: Iterable[Podcast] | None,
    is_of_all_shows: bool = False,
    reason: str = "",
    permission: str = CURATE,
    preview: Callable[[Podcast], object] | None = None,
) -> Iterator[Recorder]:
    """Yield a recorder, and store all that it wrote as one change in the history, or nothing.

    The catalogs of `podcasts` are brought up to date afterwards. None means all shows. Set
    `is_of_all_shows` for a subject that any show may name, such as a person: the history then gives the
    change to no show. A block that writes nothing adds no change. A change of two episodes is in the history of both.
    In a preview, `preview` is called for each show in place of a whole resolve.

    Raises:
        PermissionDenied: the user may not.
    """
    require_permission(user, permission)
    with transaction.atomic():
        shows = _lock_and_load_shows(podcasts)
        recorder = Recorder(user, subject_key)
        yield recorder
        # A form that was sent unchanged adds no line to the history.
        if not recorder.rows:
            return
        batch = _current_batch.get()
        # In a batch, the history shows the verb of the whole action, not of its parts.
        if batch and batch.verb:
            verb = batch.verb
        # A change of all shows has no show in the history, even if the catalog has a single one.
        is_of_all_shows = is_of_all_shows or podcasts is None
        has_show = len(shows) == 1 and not is_of_all_shows
        change = Change.objects.create(
            made_by_id=user.pk,
            podcast=shows[0] if has_show else recorder.podcast,  # which the block may have set
            verb=verb,
            subject=subject[:500],  # the size of the column
            about=recorder.subject_key,
            about_too=second_subject_key,
            reason=reason,
            told=recorder.lines,
            rows=recorder.rows,
            lot=batch.id if batch else "",
        )
        _update_catalogs_now_or_after_batch(change, shows, preview)


def _update_catalogs_now_or_after_batch(
    change: Change, shows: Sequence[Podcast], preview: Callable[[Podcast], object] | None
) -> None:
    """Bring the catalogs of shows up to date: at the end of a batch, by `preview` in a preview, else now."""
    batch = _current_batch.get()
    is_previewing = _previewed_shows.get(None) is not None
    if batch:
        # `open_change_batch` resolves each of them once.
        for podcast in shows:
            batch.shows[podcast.pk] = podcast
    elif preview and is_previewing:
        for podcast in shows:
            preview(podcast)
    else:
        # A preview without `preview` resolves the shows, too, and rolls that back.
        _update_catalogs(shows, [change])


def record_event(
    user: AnyUser,
    verb: str,
    row: models.Model,
    subject: str,
    podcast: Podcast,
    lines: list[list[str]],
) -> None:
    """Write a line of history about an event that cannot be undone, such as an import."""
    Change.objects.create(
        made_by_id=user.pk,
        podcast=podcast,
        verb=verb,
        subject=subject[:500],  # the size of the column
        about=row_history_key(row),
        told=lines,
    )


def require_permission(user: AnyUser, permission: str) -> None:
    """Raise PermissionDenied, with the role that is needed, unless the user has the permission."""
    if not (user.is_staff and user.has_perm(permission)):
        raise PermissionDenied(f"Only {PERMITTED_ROLES[permission]} may do that.")


def row_token(row: models.Model) -> str:
    return fingerprint(stored_fields(row)) if row.pk else ""


def check_unchanged(name: object, form_token: str, current_token: str) -> None:
    """Raise EditConflict if the token of a form is not the present token of its subject.

    A form without a token is not checked.
    """
    if form_token and form_token != current_token:
        raise EditConflict(
            f"Somebody changed “{name}” since you opened this form. Nothing was saved."
        )


def check_choice_unchanged(name: object, form_token: str, current_token: str) -> None:
    """Raise EditConflict as for a changed subject, but about the second subject, which a form lets people
    choose: its token may be of another choice."""
    if form_token and form_token != current_token:
        raise EditConflict(
            f"Somebody changed “{name}” since you opened this form, or you chose it since. Nothing was saved."
        )


def _lock_and_load_shows(podcasts: Iterable[Podcast] | None) -> list[Podcast]:
    """Lock the rows of shows, or of all for None, and return them. Every change locks in the same order."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            # An import may lock a show for longer than a page's statements may take. A writer on
            # SQLite waits as long.
            cursor.execute("SET LOCAL statement_timeout = '60s'")
    # Two changes that lock in different orders could wait for each other.
    rows = Podcast.objects.order_by("rank", "slug").select_for_update()
    if podcasts is not None:
        rows = rows.filter(pk__in=[podcast.pk for podcast in podcasts])
    return list(rows)


# --- Several changes at once ---------------------------------------------------------------------


@dataclass
class Batch:
    """Changes that are made together and resolved once."""

    verb: str  # of each change; "" if each keeps its own
    id: str = field(default_factory=lambda: uuid4().hex)
    changes: list[Change] = field(default_factory=list)  # when the batch is closed
    shows: dict[int, Podcast] = field(default_factory=dict)
    refusals: list[str] = field(default_factory=list)

    @contextmanager
    def attempt(self, subject: str) -> Iterator[None]:
        try:
            with transaction.atomic():
                yield
        except ChangeRefused as refusal:
            self.refusals.append(f"{subject}: {refusal}")


_current_batch: ContextVar[Batch | None] = ContextVar("batch", default=None)
# In a preview: the changed shows, some of which may only wait to be resolved.
_previewed_shows: ContextVar[list[Podcast]] = ContextVar("previewed shows")


@contextmanager
def open_change_batch(podcasts: Iterable[Podcast], verb: str = "") -> Iterator[Batch]:
    """Yield a batch that collects the changes of the block: all are saved or none. Resolve their shows once."""
    batch = Batch(verb)
    with transaction.atomic():
        _lock_and_load_shows(podcasts)
        # A context variable, because functions that are called in the block need not know of the batch.
        reset_token = _current_batch.set(batch)
        try:
            yield batch
        finally:
            _current_batch.reset(reset_token)
        batch.changes = list(Change.objects.filter(lot=batch.id).order_by("pk"))
        _update_catalogs([*batch.shows.values()], batch.changes)


def _update_catalogs(shows: Sequence[Podcast], changes: Sequence[Change]) -> None:
    if not any(affects_catalog(change) for change in changes):
        return
    # Each changed episode is read again, so with more changes the person would wait too long.
    max_changes_to_wait_for = 300
    resolve_small_shows_queue_others(shows, at_once=len(changes) <= max_changes_to_wait_for)
    # In a preview, `run_and_roll_back` resolves the shows that still wait, to read the new state.
    previewed_shows = _previewed_shows.get(None)
    if previewed_shows is not None:
        previewed_shows.extend(shows)


def affects_catalog(change: Change) -> bool:
    return any(row.affects_catalog for row in row_changes(change))


def run_and_roll_back(
    make_change: Callable[[], object], read_state: Callable[[], Result]
) -> Result:
    """Make a change, resolve its shows, read the state, and roll everything back. Return the state."""
    # While the context variable has this list, every change appends its shows.
    changed_shows: list[Podcast] = []
    reset_token = _previewed_shows.set(changed_shows)
    try:
        with transaction.atomic():
            make_change()
            # A change resolves small shows, and only marks large ones as waiting.
            waiting = CatalogState.objects.filter(
                waiting_since__isnull=False, podcast__in=changed_shows
            )
            for catalog_state in waiting.select_related("podcast"):
                update_catalog(catalog_state.podcast)
            result = read_state()
            transaction.set_rollback(True)
    finally:
        _previewed_shows.reset(reset_token)
    return result


# --- Keys of the history -------------------------------------------------------------------------


def row_history_key(row: models.Model) -> str:
    """Return the key of the history of a show, source, topic or path."""
    return f"{row._meta.model_name}:{row.pk}"


def episode_history_key(podcast: Podcast, source: str, key: str) -> str:
    """Return the key of an episode's history: it is made of the entry that decisions refer to."""
    return f"episode:{podcast.pk}:{stable_hash(f'{source} {key}', 32)}"


def episode_changes(episode: Episode | WithdrawnEpisode) -> models.QuerySet[Change]:
    """Return all changes of an episode, newest first, whichever of its entries they refer to."""
    entries = episode.attachments.values_list("item__document__source__slug", "item__key")
    keys = [episode_history_key(episode.podcast, source, key) for source, key in entries]
    changes = Change.objects.filter(models.Q(about__in=keys) | models.Q(about_too__in=keys))
    return changes.select_related("made_by", "undone_by")
