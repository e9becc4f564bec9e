"""Admin screens of decisions: they are made and ended here, never changed or deleted, and take effect at once."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django.utils import timezone

from ..models import Item, Judgement, Override, Podcast, Removal
from ..records import parse_moment
from ..resolve.apply import apply

WHERE = ("podcast", "source", "item_key")


def known(podcast: Podcast | None, source: str, key: str) -> bool:
    """Whether an entry is there for a decision to hang on."""
    return Item.objects.filter(document__source__podcast=podcast, document__source__slug=source, key=key).exists()


class DecisionForm(ModelForm):
    """Refuses a decision about an entry that no source has."""

    pairs: tuple[tuple[str, str], ...] = (("source", "item_key"),)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        for source, key in self.pairs:
            if data.get(key) and not known(data.get("podcast"), data.get(source, ""), data[key]):
                self.add_error(key, "No source has an entry with this key.")
        return data


class OverrideForm(DecisionForm):
    def clean_value(self) -> str:
        field, value = self.cleaned_data.get("field"), str(self.cleaned_data["value"])
        whole = value.isascii() and value.isdecimal() and len(value) < 10
        if field in ("number", "duration_seconds") and value and not whole:
            raise ValidationError("A whole number, or nothing.")
        if field == "published" and value and parse_moment(value) is None:
            raise ValidationError("A day (2021-08-18), an instant (2021-08-18T13:00:00Z), or nothing.")
        return value


class JudgementForm(DecisionForm):
    pairs = (("source", "item_key"), ("other_source", "other_key"))


class DecisionAdmin(admin.ModelAdmin):
    """A row is added, and ended by the action; the history of what was decided stays."""

    form = DecisionForm
    exclude = ("made_by", "made_at", "ended_at")
    actions = ("end",)
    date_hierarchy = "made_at"
    list_filter = ("podcast", ("ended_at", admin.EmptyFieldListFilter))
    list_select_related = ("podcast", "made_by")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @transaction.atomic
    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        podcast = Podcast.objects.select_for_update().get(pk=obj.podcast_id)
        obj.made_by = request.user
        super().save_model(request, obj, form, change)
        apply(podcast)

    def has_end_permission(self, request: HttpRequest) -> bool:
        return self.has_add_permission(request)

    @admin.action(description="End the selected decisions", permissions=("end",))
    @transaction.atomic
    def end(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        shows = list(Podcast.objects.select_for_update().filter(pk__in=queryset.values("podcast")).order_by("slug"))
        ended = queryset.filter(ended_at__isnull=True).update(ended_at=timezone.now())
        for podcast in shows:
            apply(podcast)
        self.message_user(request, f"{ended} ended; what sources say holds again.", messages.SUCCESS)


@admin.register(Override)
class OverrideAdmin(DecisionAdmin):
    form = OverrideForm
    fields = (*WHERE, "field", "value", "reason")
    list_display = ("item_key", "source", "field", "value", "made_by", "made_at", "ended_at")
    search_fields = ("item_key", "value", "reason")


@admin.register(Judgement)
class JudgementAdmin(DecisionAdmin):
    form = JudgementForm
    fields = (*WHERE, "other_source", "other_key", "verdict", "reason")
    list_display = ("item_key", "source", "verdict", "other_key", "other_source", "made_by", "made_at", "ended_at")
    search_fields = ("item_key", "other_key", "reason")


@admin.register(Removal)
class RemovalAdmin(DecisionAdmin):
    fields = (*WHERE, "kind", "key", "reason")
    list_display = ("item_key", "source", "kind", "key", "made_by", "made_at", "ended_at")
    search_fields = ("item_key", "key", "reason")
