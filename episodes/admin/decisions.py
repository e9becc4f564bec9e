"""Admin tables of decisions: read only, each row with the way to its history; decisions are made where their subject is."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ..curation import about_episode
from ..models import Addition, Judgement, Override, Removal
from .base import ReadOnly, listing

COMMON = {"id", "podcast", "item_key", "source", "reason", "made_by", "made_at", "ended_at"}


@admin.register(Override, Judgement, Removal, Addition)
class DecisionAdmin(ReadOnly):
    """Decisions in force and ended ones: rows stay."""

    date_hierarchy = "made_at"
    list_select_related = ("podcast", "made_by")

    def __init__(self, model: Any, site: admin.AdminSite) -> None:
        own = [field for field in model._meta.concrete_fields if field.name not in COMMON]
        self.list_display = (
            "item_key", "source", *(field.name for field in own), "made_by", "made_at", "ended_at", "history",
        )  # fmt: skip
        self.list_filter = (
            "podcast",
            ("ended_at", admin.EmptyFieldListFilter),
            ("made_by", admin.RelatedOnlyFieldListFilter),
            *(field.name for field in own if field.choices),
        )
        self.search_fields = ("item_key", "reason", *(field.name for field in own if not field.choices))
        super().__init__(model, site)

    @admin.display(description="history")
    def history(self, row: Any) -> SafeString:
        about = about_episode(row.podcast, row.source, row.item_key)
        return format_html('<a href="{}?about={}">History</a>', listing("change"), about)
