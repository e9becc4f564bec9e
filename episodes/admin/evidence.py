"""Admin screens of evidence: what was gathered, when, and what came of it; read only."""

from __future__ import annotations

from typing import ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html

from ..models import Capture, Document, IngestRun, Item, Revision
from .base import Option, OptionsFilter, ReadOnly, ReadOnlyInline, ShowFilter, SourceFilter

SHOWN = 20_000  # characters of a kept document that its page shows


class CaptureInline(ReadOnlyInline):
    model = Capture
    fields = ("version", "taken_at", "content_type", "refused", "foreign")


class RevisionInline(ReadOnlyInline):
    model = Revision
    fields = ("version", "recorded_at", "payload")


@admin.register(Document)
class DocumentAdmin(ReadOnly):
    list_display = ("address", "source", "etag", "last_modified", "not_before")
    list_filter = (("source", SourceFilter),)
    list_select_related = ("source",)
    search_fields = ("address",)
    inlines = (CaptureInline,)


@admin.register(Capture)
class CaptureAdmin(ReadOnly):
    list_display = ("document", "version", "taken_at", "refused", "foreign")
    list_filter = (("refused", admin.EmptyFieldListFilter), ("document__source", SourceFilter))
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
    list_display = ("key", "document", "position", "first_version", "gone_version", "is_post")
    list_filter = (("document__source", SourceFilter), ("gone_version", admin.EmptyFieldListFilter), "is_post")
    list_select_related = ("document__source",)
    search_fields = ("key",)
    inlines = (RevisionInline,)


@admin.register(Revision)
class RevisionAdmin(ReadOnly):
    list_display = ("item", "version", "recorded_at")
    list_filter = (("item__document__source", SourceFilter),)
    list_select_related = ("item",)
    date_hierarchy = "recorded_at"
    search_fields = ("item__key",)


class RunOutcomeFilter(OptionsFilter):
    """The last reading of each source, where it was refused or failed."""

    title, parameter_name = "sources in trouble", "trouble"
    options: ClassVar[dict[str, Option]] = {"yes": ("Yes", lambda rows: rows.filter(pk__in=_troubled().values("pk")))}


def _troubled() -> QuerySet[IngestRun]:
    return IngestRun.objects.newest().exclude(outcome__in=IngestRun.GOOD)


@admin.register(IngestRun)
class IngestRunAdmin(ReadOnly):
    column_of_several = "show"
    list_display = ("started_at", "show", "source", "document", "outcome", "reason", "counts", "times")
    list_filter = (RunOutcomeFilter, "outcome", ("source__podcast", ShowFilter), ("source", SourceFilter))
    list_select_related = ("source__podcast", "document__source")
    search_fields = ("source__podcast__title", "source__slug", "reason")
    date_hierarchy = "started_at"

    @admin.display(description="show", ordering="source__podcast")
    def show(self, run: IngestRun) -> str:
        return run.source.podcast.title
