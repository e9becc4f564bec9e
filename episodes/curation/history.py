"""Writes what people change together with its history, brings the catalog up to date, and takes
changes back. Accounts are in the history, too."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar, cast
from uuid import uuid4

from django.apps import apps
from django.contrib.auth.models import AbstractUser, AnonymousUser
from django.contrib.auth.models import User as Account
from django.core import serializers
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, connection, models, transaction
from django.utils import timezone

from ..ingest import move_documents
from ..models import (
    DISMISSAL,
    Change,
    Decision,
    Episode,
    Podcast,
    Source,
    WithdrawnEpisode,
)
from ..resolve import apply, renew
from ..text.fingerprints import fingerprint, stable_hash

AnyUser = AbstractUser | AnonymousUser
# An import may hold a show for longer than a page may take; on SQLite a writer waits as long.
WAIT = "SET LOCAL statement_timeout = '60s'"
CURATE, CONFIGURE = "episodes.curate", "episodes.configure"
WHO = {CURATE: "curators", CONFIGURE: "administrators"}
DECISION = "episodes.decision"
LOG_IN, FAILED = "log in", "failed login"
LINK_SENT = "send password link"
LOGIN_VERBS = (LOG_IN, FAILED, LINK_SENT)  # for administrators alone
LINK_EVERY = timedelta(minutes=10)  # for somebody who is not logged in
LOGINS_KEPT = timedelta(days=90)
ONE_ROW_FOR = timedelta(hours=1)  # in which failures from one address are counted
NOBODY = "an unknown name"
Result = TypeVar("Result")


class InvalidChange(Exception):
    """A request that makes no sense; the message is for the person."""


class EditConflict(Exception):
    """Somebody else made a change since the form was opened, so nothing was written. The message
    says who and what."""


class UndoConflict(Exception):
    """A change cannot be undone: something depends on it. The message is for the person, and names
    that."""


@dataclass
class Recorder:
    """Writes rows and records their state before and after, for the history and for undo."""

    user: AnyUser
    rows: list[list[Any]] = field(default_factory=list)
    told: list[list[str]] = field(default_factory=list)

    def tell(self, what: str, before: object, after: object) -> None:
        """Add a line for people: what was changed, from what, to what; none where that is the
        same."""
        if str(before) != str(after):
            self.told.append([what.replace("_", " "), str(before), str(after)])

    def save(self, row: models.Model) -> None:
        """Write a new or changed row."""
        before = type(row)._default_manager.filter(pk=row.pk).first()
        # Read anew, as the row at hand has its new values already.
        was = _fields(before) if before else None
        row.save()
        if isinstance(before, Source) and isinstance(row, Source) and before.address != row.address:
            # What is stored follows the address: the next version is judged by the last one.
            move_documents(before, before.address, row.address)
        now = _fields(row)
        if was != now:
            self.rows.append([row._meta.label_lower, row.pk, was, now])

    def decide(self, kind: str, **columns: Any) -> Decision:
        """Put a decision in force, in place of the one about the same subject and field."""
        row = Decision(kind=kind, made_by_id=self.user.pk, **columns)
        same = {"about": row.subject_hash(), "field": row.field}
        for earlier in Decision.objects.in_force(kind).filter(**same):
            self.end(earlier)
        self.save(row)
        return row

    def end(self, row: Decision) -> None:
        """End a decision; it stays in the history."""
        row.ended_at = timezone.now()
        self.save(row)

    def decide_at_undo(self, kind: str, **columns: Any) -> None:
        """Write a decision that is ended already; to take the change back puts it in force."""
        row = self.decide(kind, ended_at=timezone.now(), **columns)
        self.rows[-1][2] = {**_fields(row), "ended_at": None}

    def delete(self, row: models.Model) -> None:
        """Delete a row of the configuration. Decisions are ended instead."""
        self.rows.append([row._meta.label_lower, row.pk, _fields(row), None])
        row.delete()


def row_token(row: models.Model) -> str:
    """Token by which a form notices that a row of the configuration was changed since it was
    opened."""
    return fingerprint(_fields(row)) if row.pk else ""


def check_unchanged(name: object, seen: str, now: str) -> None:
    """Refuse what a form sends that was opened before somebody else's change.

    Raises:
        Stale: the token that it has `seen` is not the one of `now`.
    """
    if seen and seen != now:
        raise EditConflict(
            f"Somebody changed “{name}” since you opened this form. Nothing was saved."
        )


def _fields(row: models.Model) -> dict[str, Any]:
    return dict(json.loads(serializers.serialize("json", [row]))[0]["fields"])


def require_permission(user: AnyUser, permission: str) -> None:
    """Refuse who may not.

    Raises:
        PermissionDenied: says what is needed.
    """
    if not (user.is_staff and user.has_perm(permission)):
        raise PermissionDenied(f"Only {WHO[permission]} may do that.")


@contextmanager
def record_change(
    user: AnyUser,
    verb: str,
    subject: str,
    about: str,
    *,
    about_too: str = "",
    podcasts: Iterable[Podcast] | None = None,
    reason: str = "",
    permission: str = CURATE,
) -> Iterator[Recorder]:
    """One change, whole or not at all: the rows that are written inside it, a line of history, and
    the catalog resolved.

    `podcasts` are the shows it touches; None for all. A change that writes nothing leaves no trace.
    `about_too` is the second of two episodes in whose history it is.

    Raises:
        PermissionDenied: the user may not.
    """
    require_permission(user, permission)
    with transaction.atomic():
        shows = _locked(podcasts)
        recorder, batch = Recorder(user), _BATCH.get()
        yield recorder
        # A form that was sent unchanged leaves no trace.
        if not recorder.rows:
            return
        change = Change.objects.create(
            made_by_id=user.pk,
            podcast=shows[0] if podcasts is not None and len(shows) == 1 else None,
            # The history tells what a person did, not each part of it.
            verb=batch.verb or verb,
            subject=subject[:500],
            about=about,
            about_too=about_too,
            reason=reason,
            told=recorder.told,
            rows=recorder.rows,
            lot=batch.name,
        )
        if batch.name:
            batch.shows |= {podcast.pk: podcast for podcast in shows}
        else:
            _renew(shows, [change])


@dataclass
class Batch:
    """Changes that are made together, and resolved once."""

    verb: str  # of each of them; "" where each keeps its own
    name: str = field(default_factory=lambda: uuid4().hex)
    made: list[Change] = field(default_factory=list)  # when it is closed
    shows: dict[int, Podcast] = field(default_factory=dict)

    @staticmethod
    def each(acts: Iterable[tuple[str, Callable[[], object]]]) -> list[str]:
        """Do what can be done, each act whole or not at all, and say what could not and why."""
        refused = []
        for name, act in acts:
            try:
                with transaction.atomic():
                    act()
            except (InvalidChange, EditConflict) as refusal:
                refused.append(f"{name}: {refusal}")
        return refused


_ALONE = Batch("", name="")  # that of a change which is made by itself
_BATCH: ContextVar[Batch] = ContextVar("batch", default=_ALONE)
# In a preview: the shows that changed, some of which may only wait to be resolved.
_CHANGED_SHOWS: ContextVar[list[Podcast]] = ContextVar("changed shows")


def _is_of_catalog(row: Sequence[Any]) -> bool:
    """False for rows of a change from which no catalog follows: suggestions, and what is no
    problem."""
    label, _, before, after = row
    if label == DECISION:
        return bool((after or before)["kind"] != DISMISSAL)
    return bool(label != "episodes.suggestion")


def _renew(shows: Sequence[Podcast], changes: Iterable[Change]) -> None:
    """Bring the catalogs of shows up to date, if one of the changes is of a catalog."""
    if any(_is_of_catalog(row) for change in changes for row in change.rows):
        renew(shows)
        _CHANGED_SHOWS.get([]).extend(shows)


@contextmanager
def batch_changes(podcasts: Iterable[Podcast], verb: str = "") -> Iterator[Batch]:
    """A batch: the changes inside are made all or none, and resolved once."""
    batch = Batch(verb)
    with transaction.atomic():
        _locked(podcasts)
        # Verbs inside need not know that they are part of something.
        mark = _BATCH.set(batch)
        try:
            yield batch
        finally:
            _BATCH.reset(mark)
        batch.made = list(Change.objects.filter(lot=batch.name).order_by("pk"))
        _renew(sorted(batch.shows.values(), key=lambda show: (show.rank, show.slug)), batch.made)


def _locked(podcasts: Iterable[Podcast] | None) -> list[Podcast]:
    """The shows with their rows locked, in one order, so that two never wait for each other."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(WAIT)
    rows = Podcast.objects.select_for_update()
    return list(rows if podcasts is None else rows.filter(pk__in=[p.pk for p in podcasts]))


def record_event(
    user: AnyUser,
    verb: str,
    row: models.Model,
    subject: str,
    podcast: Podcast,
    told: list[list[str]],
) -> None:
    """Keep a line of history about something that cannot be undone, such as an import."""
    Change.objects.create(
        made_by_id=user.pk,
        podcast=podcast,
        verb=verb,
        subject=subject[:500],
        about=f"{row._meta.model_name}:{row.pk}",
        told=told,
    )


@transaction.atomic
def undo(user: AnyUser, change: Change) -> Change:
    """Undo a change, as a change of its own, which can be undone in turn.

    Raises:
        Conflict: what it wrote was changed since, or it was undone already.
        PermissionDenied: the user may not.
    """
    # Of two who press at once the second finds it undone.
    change = Change.objects.select_for_update().get(pk=change.pk)
    require_permission(user, _needed(change))
    if refusal := undo_refusal(user, change):
        raise UndoConflict(refusal)
    shows = [change.podcast] if change.podcast else None
    if not any(map(_is_of_catalog, change.rows)):
        shows = []
    try:
        with record_change(
            user,
            "undo",
            change.subject,
            about=change.about,
            about_too=change.about_too,
            podcasts=shows,
            permission=_needed(change),
        ) as recorder:
            recorder.told = [[what, after, before] for what, before, after in change.told]
            for row in reversed(change.rows):
                _restore(recorder, *row)
    except (IntegrityError, models.ProtectedError, _Differs):
        raise UndoConflict(f"Can’t undo: {_dependents(change)}") from None
    change.undone_at = timezone.now()
    change.undone_by_id = user.pk
    change.save(update_fields=("undone_at", "undone_by"))
    return Change.objects.filter(verb="undo", about=change.about).latest("id")


def undo_all(user: AnyUser, changes: Iterable[Change]) -> None:
    """Undo several changes, the last first: all of them, or none.

    Raises:
        Conflict, PermissionDenied: as for one.
    """
    # What came later may rest on what came before.
    latest_first = sorted(changes, key=lambda change: -change.pk)
    shows = {change.podcast_id: change.podcast for change in latest_first if change.podcast}
    with batch_changes(shows.values()):
        for change in latest_first:
            try:
                undo(user, change)
            except UndoConflict as conflict:
                raise UndoConflict(f"{change.subject}: {conflict} Nothing was undone.") from None


def undo_refusal(user: AnyUser, change: Change) -> str:
    """The reason why a person cannot undo a change; "" for none."""
    if change.undone_at:
        return "This was undone already."
    if not change.rows:
        return (
            "What a source said is kept, and accounts are changed on their own pages: "
            "this has no undo."
        )
    needed = _needed(change)
    return "" if user.has_perm(needed) else f"Only {WHO[needed]} can undo this."


def _needed(change: Change) -> str:
    return CONFIGURE if change.sets_up else CURATE


class _Differs(Exception):
    """A row is not as a change left it."""


def _dependents(change: Change) -> str:
    """The last later change of the same decisions, to be undone first."""
    mine = set(_identities(change))
    later = Change.objects.filter(pk__gt=change.pk, undone_at=None).select_related("made_by")
    for other in later.order_by("-pk").iterator(100):
        if mine.intersection(_identities(other)):
            who, when = other.made_by or "somebody", f"{other.made_at:%-d %b %Y, %H:%M}"
            return f"“{other}” ({who}, {when}) depends on it. Undo that first."
    return "it was changed since outside of the history, or other rows depend on it."


def _identities(change: Change) -> Iterator[tuple[Any, ...]]:
    """The rows of a change by their numbers, and decisions also by what they are about: of those
    only one is in force."""
    for label, key, before, after in change.rows:
        yield label, key
        if label == DECISION:
            values = after or before
            yield label, values["about"], values["field"]


def _restore(
    recorder: Recorder,
    label: str,
    key: Any,
    before: dict[str, Any] | None,
    after: dict[str, Any] | None,
) -> None:
    row = apps.get_model(label)._default_manager.filter(pk=key).first()
    now = _fields(row) if row else None
    # Fields that a later version of the software added do not count.
    left = now and {name: now.get(name) for name in after or {}}
    if _as_text(left) != _as_text(after):
        raise _Differs
    if before is not None:
        fields = {**(now or {}), **before}
        (restored,) = serializers.deserialize(
            "json",
            json.dumps([{"model": label, "pk": key, "fields": fields}]),
            ignorenonexistent=True,
        )
        recorder.save(restored.object)
    elif isinstance(row, Decision):
        recorder.end(row)
    else:  # one that the change made, and that is as it left it
        recorder.delete(cast(models.Model, row))


def _as_text(fields: dict[str, Any] | None) -> str:
    """Fields as text, with their times as a backup gives them back: serializers cut these to
    thousandths, and write ".000" only of those that had a smaller part."""
    return json.dumps(fields, sort_keys=True).replace('.000Z"', 'Z"')


def episode_history_key(podcast: Podcast, source: str, key: str) -> str:
    """The key of an episode's history: the entry that its decisions refer to."""
    return f"episode:{podcast.pk}:{stable_hash(f'{source} {key}', 32)}"


def episode_changes(episode: Episode | WithdrawnEpisode) -> models.QuerySet[Change]:
    """All changes of an episode, newest first, whichever of its entries they refer to."""
    abouts = [
        episode_history_key(episode.podcast, source, key)
        for source, key in episode.attachments.values_list(
            "item__document__source__slug", "item__key"
        )
    ]
    return Change.objects.filter(
        models.Q(about__in=abouts) | models.Q(about_too__in=abouts)
    ).select_related("made_by", "undone_by")


def rolled_back(act: Callable[[], object], look: Callable[[], Result]) -> Result:
    """Return the result of `look` after `act`, and roll both back: a preview that is the real
    thing."""
    shows: list[Podcast] = []
    mark = _CHANGED_SHOWS.set(shows)
    try:
        with transaction.atomic():
            act()
            for podcast in dict.fromkeys(shows):
                apply(podcast)  # nothing to do but in a show that waits to be resolved
            seen = look()
            transaction.set_rollback(True)
    finally:
        _CHANGED_SHOWS.reset(mark)
    return seen


# --- Accounts: who logged in, who failed to, and who changed what somebody may do -----------------


def record_login(user: Any, address: str) -> None:
    record_account_change(user, LOG_IN, user, [["from", "", address]])


def has_logged_in_from(name: str, address: str) -> bool:
    """True where the history has a login to the account from this address."""
    return Change.objects.filter(
        verb=LOG_IN, made_by__username=name, told=[["from", "", address]]
    ).exists()


@transaction.atomic
def record_failed_login(name: str, address: str, now: datetime) -> None:
    """One row an hour for each name and address. A name of no account is not kept: people type
    passwords there."""
    user = Account.objects.filter(username=name).first()
    about = f"account:{user.pk}" if user else "account:none"
    # Locked, because whoever guesses sends many at once.
    rows = Change.objects.select_for_update().filter(
        verb=FAILED, about=about, made_at__gt=now - ONE_ROW_FOR, told__0__2=address
    )
    if row := rows.order_by("-pk").first():
        # The second line tells how many times.
        row.told[1][2] = str(int(row.told[1][2]) + 1)
        row.save(update_fields=["told"])
    else:
        Change.objects.create(
            verb=FAILED,
            subject=user.get_username() if user else NOBODY,
            about=about,
            told=[["from", "", address], ["times", "", "1"]],
            made_at=now,
        )


def record_password_link(maker: Any, account: Account) -> None:
    """Note that somebody has a link mailed with which the owner sets the password; None for a
    stranger."""
    record_account_change(maker, LINK_SENT, account, [["password", "", "link sent"]])


@transaction.atomic
def claim_password_link(account: Account, now: datetime) -> bool:
    """Note a link that a stranger asked for; False where one was sent a short time ago."""
    # Locked, because whoever wants to annoy sends many at once.
    Account.objects.select_for_update().get(pk=account.pk)
    sent = Change.objects.filter(verb=LINK_SENT, about=f"account:{account.pk}")
    if sent.filter(made_at__gt=now - LINK_EVERY).exists():
        return False
    record_password_link(None, account)
    return True


def record_account_change(maker: Any, verb: str, account: Any, told: Iterable[list[str]]) -> None:
    """Note a change of an account or a role; nothing where nothing differs."""
    if lines := list(told):
        kind = "account" if isinstance(account, Account) else "role"
        Change.objects.create(
            made_by_id=getattr(maker, "pk", None),
            verb=verb,
            subject=str(account),
            about=f"{kind}:{account.pk}",
            told=lines,
        )


def delete_old_logins(now: datetime) -> int:
    """Delete logins that are long ago; how many they were."""
    old = Change.objects.filter(verb__in=LOGIN_VERBS, made_at__lt=now - LOGINS_KEPT)
    return old.delete()[0]


def update_staff_flag(account: Account) -> None:
    """Whoever has a role, or is a superuser, may use the admin, and nobody else."""
    account.is_staff = account.is_superuser or account.groups.exists()
    account.save(update_fields=["is_staff"])
