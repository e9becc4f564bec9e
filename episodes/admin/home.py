"""The start page: the inbox by kinds, what episodes lack, and recent changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..models import Change
from .base import listing
from .inbox import Inbox, inbox_at
from .inbox_kinds import missing

RECENT = 10


@dataclass(frozen=True)
class Need:
    """A kind of rows: how many there are, and the address of these."""

    name: str
    count: int
    address: str
    hint: str = ""


def context() -> dict[str, Any]:
    inbox = Inbox()
    counts = inbox.counts()
    needs = [
        Need(kind.label, counts[kind.slug], inbox_at(kind=kind.slug), kind.hint)
        for kind in inbox.kinds
    ]
    changes = Change.objects.exclude(rows=[]).select_related("made_by", "undone_by", "podcast")
    return {
        "inbox_address": inbox_at(),
        "total": sum(counts.values()),
        "needs": [need for need in needs if need.count],
        "settled": [need for need in needs if not need.count],
        "missing": [
            Need(label, count, listing("episode", f"?{query}"))
            for label, query, count in missing()
            if count
        ],
        "recent": changes[:RECENT],
    }
