"""A curator's notes on rows of the inbox: set aside for a time or for good, brought back, given to somebody."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Any

from django.contrib.auth import get_user_model
from django.db import IntegrityError
from django.db.models import Q, QuerySet
from django.utils import timezone

from ..models import InboxNote, Podcast
from .entries import Ref
from .history import CURATE, Impossible, Stale, User, changing

LONGEST_SUBJECT = 300
DAYS = {"day": 1, "week": 7}
BACKEND = "django.contrib.auth.backends.ModelBackend"


@dataclass(frozen=True)
class RowKey:
    """A row of the inbox by its evidence: `refs` are the names that it has, the first is where a new note hangs."""

    kind: str
    podcast: Podcast | None
    refs: Sequence[Ref]
    part: str
    digest: str
    subject: str

    @property
    def about(self) -> str:
        show = self.podcast.pk if self.podcast else ""
        return sha256(
            "\n".join((self.kind, str(show), *self.refs[0], self.part)).encode("utf-8", "surrogatepass")
        ).hexdigest()

    def owns(self, note: InboxNote) -> bool:
        show = self.podcast.pk if self.podcast else None
        same = (note.kind, note.podcast_id, note.part) == (self.kind, show, self.part)
        return same and (note.source, note.item_key) in self.refs


def note_of(row: RowKey, notes: Iterable[InboxNote]) -> InboxNote | None:
    """The newest of the notes that is about this row."""
    return max((note for note in notes if row.owns(note)), key=lambda note: note.pk, default=None)


def set_aside(user: User, row: RowKey, how: str, *, reason: str = "") -> None:
    """Set a row aside for a "day" or a "week", or for good ("fine"); it comes back when it says something else.

    Raises:
        Impossible: there is no such time. Stale: somebody was faster.
    """
    if how not in (*DAYS, "fine"):
        raise Impossible("Choose one of the buttons.")
    until = timezone.now() + timedelta(days=DAYS[how]) if how in DAYS else None
    told = f"until {until:%-d %b %Y, %H:%M} UTC" if until else "not a problem"
    _note(user, "set aside", row, told, reason, state="later" if until else "fine", until=until)


def take_up(user: User, row: RowKey, *, reason: str = "") -> None:
    """Bring back a row that was set aside."""
    _note(user, "bring back row", row, "open", reason, state="open", until=None)


def assign(user: User, row: RowKey, to: Any, *, reason: str = "") -> None:
    """Give a row to somebody; None: to nobody.

    Raises:
        Impossible: they may not curate. Stale: somebody was faster.
    """
    if to is not None and not assignees().filter(pk=to.pk).exists():
        raise Impossible(f"{to} may not curate.")
    _note(user, "assign" if to else "unassign", row, str(to or "nobody"), reason, assignee_id=to.pk if to else None)


def assignees() -> QuerySet[Any]:
    """Who may have a row: active staff who may curate."""
    users: Any = get_user_model()._default_manager
    found: QuerySet[Any] = users.with_perm(CURATE, backend=BACKEND).filter(is_staff=True).order_by("username")
    return found


def _note(user: User, verb: str, row: RowKey, told: str, reason: str, **changed: object) -> None:
    """Write the note on a row in place of what was noted before, which holds on where it is not changed."""
    try:
        with changing(user, verb, row.subject, f"inbox:{row.about[:32]}", podcasts=[], reason=reason) as record:
            there = list(InboxNote.objects.filter(_like(row), kind=row.kind, part=row.part, ended_at=None))
            old = note_of(row, there)
            for note in filter(row.owns, there):
                record.end(note)
            record.save(_written(row, old, reason, changed))
            record.tell("inbox", _words(old), told)
    except IntegrityError:
        raise Stale("Somebody else decided about this row just now. Look again.") from None


def _like(row: RowKey) -> Q:
    return Q(podcast=row.podcast, item_key__in={key for _, key in row.refs})


def _written(row: RowKey, old: InboxNote | None, reason: str, changed: dict[str, object]) -> InboxNote:
    source, key = row.refs[0]
    note = InboxNote(podcast=row.podcast, kind=row.kind, source=source, item_key=key, part=row.part, about=row.about)
    note.digest, note.subject, note.reason = row.digest, row.subject[:LONGEST_SUBJECT], reason
    if old is not None:
        note.assignee_id = old.assignee_id
        note.state, note.until = (old.state, old.until) if old.digest == row.digest else ("open", None)
    for name, value in changed.items():
        setattr(note, name, value)
    return note


def _words(note: InboxNote | None) -> str:
    if note is None:
        return "open"
    return f"{note.get_state_display()}, {note.assignee or 'nobody'}"
