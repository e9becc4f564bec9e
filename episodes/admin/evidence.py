"""Admin screens of evidence: what was gathered, when, and what came of it; read only."""

from __future__ import annotations

import json

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ..models import Capture, IngestRun, Item, Revision
from .base import NoWriting, ReadOnly, ShowFilter, SourceFilter

SHOWN = 20_000  # characters of a kept document that its page shows
COUNTS = {
    "items": "read",
    "new": "new",
    "matched": "matched",
    "held": "to review",
    "ignored": "ignored",
    "unchanged": "unchanged",
    "gone": "gone",
}


class RevisionInline(NoWriting, admin.TabularInline):
    extra, show_change_link = 0, True
    model = Revision
    fields = ("version", "recorded_at", "content")
    readonly_fields = ("content",)

    @admin.display(description="content")
    def content(self, revision: Revision) -> SafeString:
        stated = {name: value for name, value in revision.payload.items() if value}
        text = json.dumps(stated, indent=1, ensure_ascii=False)
        return format_html("<pre>{}</pre>", text[:SHOWN])


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
    list_display = ("heading", "source", "position", "first_version", "gone_version")
    list_filter = (("document__source", SourceFilter), "is_post")
    list_select_related = ("document__source",)
    search_fields = ("attachment__episode__title", "key")
    search_help_text = "Search title of the episode, or key"
    inlines = (RevisionInline,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Item]:
        return super().get_queryset(request).prefetch_related("revisions")

    @admin.display(description="title", ordering="key")
    def heading(self, item: Item) -> str:
        return item.heading

    @admin.display(description="source", ordering="document__source")
    def source(self, item: Item) -> str:
        return str(item.document.source)


@admin.register(IngestRun)
class IngestRunAdmin(ReadOnly):
    column_of_several = "show"
    list_display = (
        "started_at", "show", "source", "outcome", "reason", "result", "times", "address",
    )  # fmt: skip
    fields = (
        "started_at", "finished_at", "source", "document", "outcome", "reason", "result", "times",
        "first_at",
    )  # fmt: skip
    readonly_fields = ("result",)
    list_filter = ("outcome", ("source__podcast", ShowFilter), ("source", SourceFilter))
    list_select_related = ("source__podcast", "document__source")
    search_fields = ("source__podcast__title", "source__slug", "reason")
    date_hierarchy = "started_at"

    @admin.display(description="entries")
    def result(self, run: IngestRun) -> str:
        words = (f"{run.counts[name]} {COUNTS[name]}" for name in COUNTS if run.counts.get(name))
        return ", ".join(words)

    @admin.display(description="show", ordering="source__podcast")
    def show(self, run: IngestRun) -> str:
        return run.source.podcast.title

    @admin.display(description="document", ordering="document")
    def address(self, run: IngestRun) -> str:
        return run.document.address if run.document else "–"
