"""Tables of decisions: read only; decisions are made where their subject is."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ..curation import about_episode
from ..fields import BY_NAME
from ..models import (
    Addition,
    Attachment,
    Judgement,
    Override,
    Removal,
    Withdrawal,
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


class DecisionAdmin(ReadOnly):
    """Decisions in force and ended ones: rows stay."""

    own: ClassVar[tuple[str, ...]] = ()  # the columns that this kind of decision alone has
    date_hierarchy = "made_at"
    list_select_related = ("podcast", "made_by")
    list_display_links = ("when",)
    search_fields: ClassVar[tuple[str, ...]] = ("item_key", "reason")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        entry = {"key": "item_key", "document__source__slug": "source"}
        rows = super().get_queryset(request)
        return with_episode(rows, **entry, document__source__podcast="podcast")

    def get_list_display(self, request: HttpRequest) -> Any:
        return ("when", "about", *self.own, "reason", "who", "state", "history")

    def get_list_filter(self, request: HttpRequest) -> Any:
        kinds = [field.name for field in self.opts.concrete_fields if field.choices]
        related = admin.RelatedOnlyFieldListFilter
        return (*kinds, ("ended_at", EndedFilter), ("made_by", related), ("podcast", related))

    def heading_of(self, row: Any) -> str:
        return f"{row.episode_title or 'An entry that is gone'}: {self.decided(row)}"[:QUOTED]

    def decided(self, row: Any) -> str:
        """The decision in words, for the title of its page."""
        return str(row.get_kind_display()).lower()

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ("when", "who", "state", "podcast", "about", *self.own, "reason")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.get_fields(request, obj)

    @admin.display(description="when", ordering="made_at")
    def when(self, row: Any) -> str:
        return moment(row.made_at)

    @admin.display(description="by", ordering="made_by")
    def who(self, row: Any) -> str:
        return str(row.made_by or "somebody")

    @admin.display(description="state", ordering="ended_at")
    def state(self, row: Any) -> str:
        return f"ended {moment(row.ended_at)}" if row.ended_at else "in force"

    @admin.display(description="episode")
    def about(self, row: Any) -> SafeString | str:
        return episode_link(row)

    @admin.display(description="history")
    def history(self, row: Any) -> SafeString:
        return format_html('<a href="{}">History</a>', self.history_at(row))

    def history_at(self, row: Any) -> str:
        about = about_episode(row.podcast, row.source, row.item_key)
        return listing("change", f"?about={about}")


@admin.register(Override)
class OverrideAdmin(DecisionAdmin):
    own = ("field", "value_shown")

    def decided(self, row: Override) -> str:
        return f"{row.get_field_display().lower()} locked"

    @admin.display(description="value", ordering="value")
    def value_shown(self, row: Override) -> str:
        return BY_NAME[row.field].words(row.value)[:QUOTED] or "–"


@admin.register(Judgement)
class JudgementAdmin(DecisionAdmin):
    own = ("verdict", "other")
    search_fields = ("item_key", "other_key", "reason")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        other = Attachment.objects.filter(
            item__key=OuterRef("other_key"),
            item__document__source__slug=OuterRef("other_source"),
            episode__podcast=OuterRef("podcast"),
        )
        title = Subquery(other.values("episode__title")[:1])
        rows: QuerySet[Any] = super().get_queryset(request).annotate(other_title=title)
        return rows

    def decided(self, row: Any) -> str:
        return str(row.get_verdict_display())

    @admin.display(description="other episode")
    def other(self, row: Any) -> str:
        return row.other_title or "–"


@admin.register(Withdrawal)
class WithdrawalAdmin(DecisionAdmin):
    own = ("kind", "address")
    search_fields = ("item_key", "address", "reason")


@admin.register(Addition, Removal)
class ListDecisionAdmin(DecisionAdmin):
    own = ("kind", "what")
    search_fields = ("item_key", "key", "reason")

    def decided(self, row: Any) -> str:
        return f"{super().decided(row)} {row._meta.verbose_name}: {self.what(row)}"

    @admin.display(description="what", ordering="key")
    def what(self, row: Any) -> str:
        """The words of a link, the role and name of a person, the relation of an episode."""
        key = "" if row.kind == "reference" else row.key
        return (getattr(row, "detail", "") or " / ".join(key.split("\n")))[:QUOTED] or "–"
