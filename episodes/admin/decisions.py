"""Admin tables of decisions: read only, each row with the way to its history; decisions are made where their subject is."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ..curation import about_episode
from ..models import Addition, Judgement, Override, Removal
from .base import ReadOnly, listing

WHO = ("made_by", "made_at", "ended_at", "history")


class DecisionAdmin(ReadOnly):
    """What holds, and what held once: ended rows stay."""

    date_hierarchy = "made_at"
    list_filter: ClassVar[Any] = (
        "podcast",
        ("ended_at", admin.EmptyFieldListFilter),
        ("made_by", admin.RelatedOnlyFieldListFilter),
    )
    list_select_related = ("podcast", "made_by")

    @admin.display(description="history")
    def history(self, row: Any) -> SafeString:
        about = about_episode(row.podcast, row.source, row.item_key)
        return format_html('<a href="{}?about={}">History</a>', listing("change"), about)


@admin.register(Override)
class OverrideAdmin(DecisionAdmin):
    list_display = ("item_key", "source", "field", "value", *WHO)
    list_filter: ClassVar[Any] = (*DecisionAdmin.list_filter, "field")
    search_fields = ("item_key", "value", "reason")


@admin.register(Judgement)
class JudgementAdmin(DecisionAdmin):
    list_display = ("item_key", "source", "verdict", "other_key", "other_source", *WHO)
    list_filter: ClassVar[Any] = (*DecisionAdmin.list_filter, "verdict")
    search_fields = ("item_key", "other_key", "reason")


@admin.register(Removal)
class RemovalAdmin(DecisionAdmin):
    list_display = ("item_key", "source", "kind", "key", *WHO)
    list_filter: ClassVar[Any] = (*DecisionAdmin.list_filter, "kind")
    search_fields = ("item_key", "key", "reason")


@admin.register(Addition)
class AdditionAdmin(DecisionAdmin):
    list_display = ("item_key", "source", "kind", "key", "detail", *WHO)
    list_filter: ClassVar[Any] = (*DecisionAdmin.list_filter, "kind")
    search_fields = ("item_key", "key", "detail", "reason")
