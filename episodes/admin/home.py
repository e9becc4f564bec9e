"""The start page: the inbox by kinds, with what is assigned to oneself on top, and recent changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from ..models import Change
from .inbox import MINE, Inbox, inbox_at

RECENT = 10


@dataclass(frozen=True)
class Need:
    """A kind of rows in the inbox: how many there are, and the address of these."""

    name: str
    count: int
    address: str
    hint: str


def needs(inbox: Inbox) -> list[Need]:
    """The kinds of rows, in a fixed number of queries; what is set aside does not count."""
    counts = inbox.counts()
    return [Need(kind.label, counts[kind.slug], inbox_at(kind=kind.slug), kind.hint) for kind in inbox.kinds]


def context(request: HttpRequest) -> dict[str, Any]:
    inbox = Inbox(request.user)
    rows = needs(inbox)
    return {
        "inbox_address": inbox_at(),
        "mine": sum(inbox.counts(MINE).values()) if inbox.notes else 0,
        "mine_address": inbox_at(whose=MINE),
        "total": sum(need.count for need in rows),
        "needs": [need for need in rows if need.count],
        "settled": [need for need in rows if not need.count],
        "recent": Change.objects.exclude(rows=[]).select_related("made_by", "undone_by", "podcast")[:RECENT],
    }
