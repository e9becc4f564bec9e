"""The table of decisions: read only; decisions are made where their subject is."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ..curation import about_episode, thing_of
from ..fields import BY_NAME
from ..models import (
    CORRECTIONS,
    DECISION_KINDS,
    LISTS,
    Attachment,
    Decision,
    Person,
    WithdrawnEntry,
)
from .base import EndedFilter, ReadOnly, listing, moment, page_of_slug

QUOTED = 200


def with_episode(rows: QuerySet[Any], **entry: str) -> QuerySet[Any]:
    """Rows with title and slug of the episode that their entry belongs to, taken out or not."""
    where = {f"item__{lookup}": OuterRef(column) for lookup, column in entry.items()}

    def of(column: str) -> Coalesce:
        tables: tuple[Any, ...] = (Attachment.objects, WithdrawnEntry.objects)
        values = (table.filter(**where).values(f"episode__{column}")[:1] for table in tables)
        return Coalesce(*(Subquery(value) for value in values))

    annotated: QuerySet[Any] = rows.annotate(episode_title=of("title"), episode_slug=of("slug"))
    return annotated


def episode_link(row: Any) -> SafeString | str:
    slug, title = row.episode_slug, row.episode_title
    if not slug:
        return "an entry that is gone"
    return format_html('<a href="{}">{}</a>', page_of_slug(slug), (title or slug)[:QUOTED])


@admin.register(Decision)
class DecisionAdmin(ReadOnly):
    """Decisions in force and ended ones: rows stay."""

    date_hierarchy = "made_at"
    list_select_related = ("podcast", "made_by")
    list_display = ("when", "kind", "subject", "decided", "reason", "who", "state", "history")
    list_display_links = ("when",)
    list_filter = (
        "kind",
        ("ended_at", EndedFilter),
        ("made_by", admin.RelatedOnlyFieldListFilter),
        ("podcast", admin.RelatedOnlyFieldListFilter),
    )
    search_fields = ("item_key", "other_key", "key", "value", "detail", "reason")
    fields = ("when", "who", "state", "podcast", "kind", "subject", "decided", "reason")
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With the titles of both episodes, and the name of the person that another one is."""
        entry = {"key": "item_key", "document__source__slug": "source"}
        rows = with_episode(
            super().get_queryset(request), **entry, document__source__podcast="podcast"
        )
        other = Attachment.objects.filter(
            item__key=OuterRef("other_key"),
            item__document__source__slug=OuterRef("other_source"),
            episode__podcast=OuterRef("podcast"),
        ).values("episode__title")
        person = Person.objects.filter(identity=OuterRef("value")).values("name")
        found: QuerySet[Any] = rows.annotate(
            other_title=Subquery(other[:1]), person=Subquery(person[:1])
        )
        return found

    def heading_of(self, row: Any) -> str:
        return f"{self.named(row)}: {self.decided(row)}"[:QUOTED]

    def named(self, row: Any) -> str:
        """The name of what the decision is about."""
        if DECISION_KINDS[row.kind].is_of_entry:
            return str(row.episode_title or "An entry that is gone")
        return str(row.detail or row.key)

    @admin.display(description="when", ordering="made_at")
    def when(self, row: Any) -> str:
        return moment(row.made_at)

    @admin.display(description="by", ordering="made_by")
    def who(self, row: Any) -> str:
        return str(row.made_by or "somebody")

    @admin.display(description="state", ordering="ended_at")
    def state(self, row: Any) -> str:
        return f"ended {moment(row.ended_at)}" if row.ended_at else "in force"

    @admin.display(description="about")
    def subject(self, row: Any) -> SafeString | str:
        return episode_link(row) if DECISION_KINDS[row.kind].is_of_entry else self.named(row)

    @admin.display(description="decision", ordering="value")
    def decided(self, row: Any) -> str:
        """The decision in words: the value of a field, a member of a list, a verdict."""
        if row.field:
            return f"{row.field_label}: {self.value_of(row)[:QUOTED] or '–'}"
        if row.kind in LISTS:
            key = "" if row.kind == "reference" else " / ".join(row.key.split("\n"))
            list_name = row.get_kind_display().removesuffix(" of an episode")
            return f"{list_name} {row.value_label}: {(row.detail or key)[:QUOTED] or '–'}"
        verdict = row.value_label or "not proposed again"
        return f"{verdict}: {row.other_title}" if row.other_title else verdict

    def value_of(self, row: Any) -> str:
        if row.kind == "value":
            return BY_NAME[row.field].words(row.value)
        return str((row.field == "same" and row.person) or row.value)

    @admin.display(description="history")
    def history(self, row: Any) -> SafeString:
        return format_html('<a href="{}">History</a>', self.history_at(row))

    def history_at(self, row: Any) -> str:
        if row.kind in CORRECTIONS:
            return listing("change", f"?about={thing_of(row).about}")
        if row.kind == "refusal":
            return listing("change", f"?about=podcast:{row.podcast_id}")
        return listing("change", f"?about={about_episode(row.podcast, row.source, row.item_key)}")
