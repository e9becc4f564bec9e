"""Tears: what does not fit together in evidence and history, as in a dump that was taken while an
import ran."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import Count, Exists, Max, Model, OuterRef

from ..models import (
    Capture,
    Change,
    Content,
    Decision,
    Document,
    Item,
    Revision,
)

# What names a version of its document: in words, and where it does.
VERSIONS: tuple[tuple[str, type[Model], str, str], ...] = (
    ("entries added", Item, "document", "first_version"),
    ("entries removed", Item, "document", "gone_version"),
    ("entries changed", Revision, "item__document", "version"),
)


def tears() -> list[str]:
    """A line for each, with the document that it is about; none where all is whole.

    Each table of a dump is of one moment, and later tables are of later moments. So a torn one has
    entries of versions that were not captured yet, or names decisions that were not made yet.
    """
    return [*_versions(), *_contents(), *_entries(), *_decisions()]


def _versions() -> Iterator[str]:
    """Versions that entries name and that are not there. Others may be missing: `tidy` deletes what
    said nothing new."""
    captured = Capture.objects.filter(version__isnull=False).order_by().values_list("document")
    newest = dict(captured.annotate(Max("version")))
    for what, model, document_of, field in VERSIONS:
        there = Capture.objects.filter(document=OuterRef(document_of), version=OuterRef(field))
        named: Any = (
            model._default_manager.filter(**{f"{field}__isnull": False})
            .exclude(Exists(there))
            .order_by()
        )
        for document, version in named.values_list(document_of).annotate(Max(field)):
            last = newest.get(document, 0)
            why = f"but the newest version is {last}" if version > last else "which is missing"
            yield f"{_name(document)}: {what} in version {version}, {why}"


def _contents() -> Iterator[str]:
    there = Content.objects.filter(pk=OuterRef("sha256"))
    missing = (
        Capture.objects.exclude(Exists(there))
        .order_by()
        .values_list("document")
        .annotate(Count("pk"))
    )
    for document, count in missing:
        yield f"{_name(document)}: the content of {count} stored versions is missing"


def _entries() -> Iterator[str]:
    """Entries of which nobody knows what they said when they came."""
    first = Revision.objects.filter(item=OuterRef("pk"), version=OuterRef("first_version"))
    mute = (
        Item.objects.exclude(Exists(first)).order_by().values_list("document").annotate(Count("pk"))
    )
    for document, count in mute:
        yield f"{_name(document)}: {count} entries have no text"


def _decisions() -> Iterator[str]:
    """Decisions are ended and never deleted, so all that the history names are there."""
    changed = Change.objects.values_list("rows", flat=True).iterator(2000)
    label = Decision._meta.label_lower
    named = {row[1] for rows in changed for row in rows if row[0] == label}
    if missing := named - set(Decision.objects.values_list("pk", flat=True)):
        yield f"history: {len(missing)} decisions it refers to are missing"


def _name(document: int) -> str:
    return str(Document.objects.select_related("source").get(pk=document))
