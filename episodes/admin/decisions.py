"""The table of decisions: read only; decisions are made where their subject is."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from ..curation import about_episode, thing_of
from ..models import CORRECTIONS, Attachment, Decision, WithdrawnEntry
from .base import ReadOnly, ShowFilter, listing

QUOTED = 200  # characters


@admin.register(Decision)
class DecisionAdmin(ReadOnly):
    """Decisions in force and ended ones: rows stay."""

    date_hierarchy = "made_at"
    list_select_related = ("podcast", "made_by")
    list_display = ("made_at", "kind", "subject", "decided", "reason", "made_by", "ended_at")
    list_display_links = ("made_at",)
    list_filter = (
        "kind",
        ("ended_at", admin.EmptyFieldListFilter),
        ("made_by", admin.RelatedOnlyFieldListFilter),
        ("podcast", ShowFilter),
    )
    search_fields = ("item_key", "other_key", "key", "value", "detail", "reason")
    fields = (
        "podcast",
        "made_at",
        "kind",
        "subject",
        "decided",
        "reason",
        "who",
        "ended_at",
        "history",
    )
    readonly_fields = ("subject", "decided", "who", "history")

    def get_queryset(self, request: HttpRequest) -> Any:
        """With the title of the episode that an entry belongs to, taken out or not."""
        entry = {
            "item__key": OuterRef("item_key"),
            "item__document__source__slug": OuterRef("source"),
            "item__document__source__podcast": OuterRef("podcast"),
        }
        tables: tuple[Any, ...] = (Attachment.objects, WithdrawnEntry.objects)
        titles = (table.filter(**entry).values("episode__title")[:1] for table in tables)
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.annotate(episode=Coalesce(*(Subquery(title) for title in titles)))

    def heading_of(self, row: Any) -> str:
        return f"{self.subject(row)}: {self.decided(row)}"[:QUOTED]

    @admin.display(description="curator")
    def who(self, row: Any) -> str:
        """The name alone: the page of an account is for administrators."""
        return str(row.made_by or "somebody")

    @admin.display(description="about")
    def subject(self, row: Any) -> str:
        return str(row.episode or row.item_key or row.detail or row.key)

    @admin.display(description="decision", ordering="value")
    def decided(self, row: Any) -> str:
        """The decision on the subject: a field's value, a member of a list, or a verdict."""
        words = (row.field_label, row.value_label, row.detail or row.key)
        return Truncator(": ".join(filter(None, words))).chars(QUOTED)

    @admin.display(description="history")
    def history(self, row: Any) -> SafeString:
        about = f"podcast:{row.podcast_id}"
        if row.kind in CORRECTIONS:
            about = thing_of(row).about
        elif row.item_key:
            about = about_episode(row.podcast, row.source, row.item_key)
        return format_html('<a href="{}">History</a>', listing("change", f"?about={about}"))
