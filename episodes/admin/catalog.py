"""Admin screens of the catalog: what people read, with where it comes from; changed by decisions, not here."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from ..models import (
    Attachment,
    Credit,
    Episode,
    EpisodeLink,
    EpisodeTopic,
    FormerAddress,
    Held,
    Link,
    Person,
    Reference,
)
from .base import ReadOnly, ReadOnlyInline


class AttachmentInline(ReadOnlyInline):
    model = Attachment
    fields = ("item", "reasons")
    verbose_name_plural = "entries that belong to it"


class TopicInline(ReadOnlyInline):
    model = EpisodeTopic
    fields = ("topic", "term", "field", "position", "confidence")


class LinkInline(ReadOnlyInline):
    model = EpisodeLink
    fields = ("position", "link", "url", "text")


class CreditInline(ReadOnlyInline):
    model = Credit


class ReferenceInline(ReadOnlyInline):
    model = Reference
    fk_name = "episode"


class Conflicts(admin.SimpleListFilter):
    """Episodes on which sources say what cannot both be right."""

    title = "conflicts between sources"
    parameter_name = "conflicts"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "Yes"), ("no", "No")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Episode]) -> QuerySet[Episode]:
        if self.value() == "yes":
            return queryset.exclude(conflicts=[])
        return queryset.filter(conflicts=[]) if self.value() == "no" else queryset


@admin.register(Episode)
class EpisodeAdmin(ReadOnly):
    list_display = ("heading", "podcast", "number", "published_at", "duration", "description_truncated", "sources")
    list_filter = (
        "podcast",
        ("title", admin.EmptyFieldListFilter),
        ("published_at", admin.EmptyFieldListFilter),
        ("audio_url", admin.EmptyFieldListFilter),
        Conflicts,
        "description_truncated",
        "topics",
    )
    list_select_related = ("podcast",)
    search_fields = ("title", "slug", "description_text", "number")
    inlines = (AttachmentInline, TopicInline, LinkInline, ReferenceInline, CreditInline)

    def get_queryset(self, request: Any) -> Any:
        return super().get_queryset(request).prefetch_related("attachments__item__document__source")

    @admin.display(description="sources")
    def sources(self, episode: Episode) -> str:
        return ", ".join(sorted({a.item.document.source.slug for a in episode.attachments.all()}))


@admin.register(Held)
class HeldAdmin(ReadOnly):
    list_display = ("item", "podcast", "candidates")
    list_filter = ("podcast", "item__document__source")
    list_select_related = ("item", "podcast")
    search_fields = ("item__key",)


@admin.register(Link)
class LinkAdmin(ReadOnly):
    list_display = ("key", "kind", "title")
    list_filter = ("kind",)
    search_fields = ("key", "title")


@admin.register(Person)
class PersonAdmin(ReadOnly):
    list_display = ("name", "slug")
    search_fields = ("name", "slug")


@admin.register(FormerAddress)
class FormerAddressAdmin(ReadOnly):
    list_display = ("slug", "source", "document", "item_key")
    search_fields = ("slug", "item_key")
