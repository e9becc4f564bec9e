"""Admin screens of evidence: what was gathered, when, and what came of it; read only."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ..models import Capture, IngestRun, Item, Revision
from ..text.formatting import counted
from .base import ReadOnly, ReadOnlyInline, ShowFilter, SourceFilter

SHOWN = 20_000  # characters of a kept document that its page shows
COUNTS = {
    "new": "new",
    "matched": "matched",
    "held": "to review",
    "ignored": "ignored",
    "unchanged": "unchanged",
    "gone": "gone",
}


def content_of(revision: Revision) -> SafeString:
    """What an entry lists, a line for each field."""
    rows = (
        (name.replace("_", " "), in_words(value)[:SHOWN])
        for name, value in revision.payload.items()
        if value
    )
    return format_html_join("", "<div><b>{}</b> {}</div>", rows)


def in_words(value: Any) -> str:
    """A stored value without brackets and braces."""
    if isinstance(value, dict):
        return ", ".join(
            f"{name} {in_words(part)}"
            for name, part in value.items()
            if part not in (None, "", [], {})
        )
    if isinstance(value, list):
        return "; ".join(in_words(part) for part in value)
    return str(value)


def counted_items(counts: dict[str, int]) -> str:
    """`82 entries: 1 new, 81 matched`."""
    rest = ", ".join(
        f"{number} {COUNTS[name]}" for name, number in counts.items() if number and name in COUNTS
    )
    total = counted(counts.get("items", 0), "entry", "entries")
    return f"{total}: {rest}" if rest else total


class RevisionInline(ReadOnlyInline):
    model = Revision
    fields = ("version", "recorded_at", "content")
    readonly_fields = ("content",)

    @admin.display(description="content")
    def content(self, revision: Revision) -> SafeString:
        return content_of(revision)


@admin.register(Capture)
class CaptureAdmin(ReadOnly):
    list_display = ("document", "version", "taken_at", "refused", "foreign")
    list_filter = (("document__source", SourceFilter),)
    list_select_related = ("document__source",)
    date_hierarchy = "taken_at"
    exclude = ("reading",)
    readonly_fields = ("content",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Capture]:
        return super().get_queryset(request).defer("reading")

    @admin.display(description="as it came")
    def content(self, capture: Capture) -> str:
        return format_html("<pre>{}</pre>", capture.body.decode("utf-8", "replace")[:SHOWN])


@admin.register(Item)
class ItemAdmin(ReadOnly):
    list_display = ("title", "source", "position", "first_version", "gone_version", "is_post")
    list_filter = (("document__source", SourceFilter), "is_post")
    list_select_related = ("document__source",)
    search_fields = ("key",)
    inlines = (RevisionInline,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Item]:
        return super().get_queryset(request).prefetch_related("revisions")

    def heading_of(self, item: Item) -> str:
        return item.heading

    @admin.display(description="title", ordering="key")
    def title(self, item: Item) -> str:
        return item.heading

    @admin.display(description="source", ordering="document__source")
    def source(self, item: Item) -> str:
        return str(item.document.source)


@admin.register(IngestRun)
class IngestRunAdmin(ReadOnly):
    column_of_several = "show"
    list_display = (
        "started_at",
        "show",
        "source",
        "outcome",
        "reason",
        "result",
        "times",
        "address",
    )
    fields = (
        "started_at",
        "finished_at",
        "source",
        "address",
        "outcome",
        "reason",
        "result",
        "times",
        "first_at",
    )
    readonly_fields = ("address", "result")
    list_filter = (
        "outcome",
        ("source__podcast", ShowFilter),
        ("source", SourceFilter),
    )
    list_select_related = ("source__podcast", "document__source")
    search_fields = ("source__podcast__title", "source__slug", "reason")
    date_hierarchy = "started_at"

    @admin.display(description="document", ordering="document")
    def address(self, run: IngestRun) -> str:
        return run.document.address if run.document else "–"

    @admin.display(description="entries")
    def result(self, run: IngestRun) -> str:
        return counted_items(run.counts) if run.counts else "–"

    @admin.display(description="show", ordering="source__podcast")
    def show(self, run: IngestRun) -> str:
        return run.source.podcast.title
