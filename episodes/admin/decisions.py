"""Admin tables of decisions: read only, each row with the way to its history; decisions are made where their subject is."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ..curation import about_episode
from ..models import Addition, Judgement, Override, Removal, Withdrawal
from .base import ReadOnly, listing

COMMON = {"id", "podcast", "item_key", "source", "reason", "made_by", "made_at", "ended_at"}


@admin.register(Override, Judgement, Removal, Addition, Withdrawal)
class DecisionAdmin(ReadOnly):
    """Decisions in force and ended ones: rows stay."""

    date_hierarchy = "made_at"
    list_select_related = ("podcast", "made_by")

    list_filter = (
        "podcast",
        ("ended_at", admin.EmptyFieldListFilter),
        ("made_by", admin.RelatedOnlyFieldListFilter),
    )
    search_fields = ("item_key", "reason")

    def own(self, *, chosen: bool) -> list[str]:
        """The columns that this kind of decision alone has: those with choices, or the others."""
        fields = (field for field in self.opts.concrete_fields if field.name not in COMMON)
        return [field.name for field in fields if bool(field.choices) == chosen]

    def get_list_display(self, request: HttpRequest) -> Any:
        own = [*self.own(chosen=True), *self.own(chosen=False)]
        return ("item_key", "source", *own, "made_by", "made_at", "ended_at", "history")

    def get_list_filter(self, request: HttpRequest) -> Any:
        return (*self.list_filter, *self.own(chosen=True))

    def get_search_fields(self, request: HttpRequest) -> Any:
        return (*self.search_fields, *self.own(chosen=False))

    @admin.display(description="history")
    def history(self, row: Any) -> SafeString:
        about = about_episode(row.podcast, row.source, row.item_key)
        return format_html('<a href="{}?about={}">History</a>', listing("change"), about)
