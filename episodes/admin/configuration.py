"""Admin screens of shows, sources and topics; saving one brings the catalog up to date."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db import transaction
from django.db.models import Count, QuerySet
from django.http import HttpRequest

from ..models import Podcast, Source, Topic
from ..resolve.apply import apply


def resolve_all() -> None:
    """Resolve every show again; what is right already is not written."""
    for podcast in Podcast.objects.select_for_update().order_by("slug"):
        apply(podcast)


class Configuration(admin.ModelAdmin):
    """A screen whose rows decide how evidence is read: a change takes effect at once."""

    @transaction.atomic
    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        resolve_all()

    @transaction.atomic
    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        super().delete_model(request, obj)
        resolve_all()


@admin.register(Podcast)
class PodcastAdmin(Configuration):
    list_display = ("title", "slug", "feed_url", "author", "language", "episode_count")
    search_fields = ("title", "slug", "author")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Podcast]:
        rows: QuerySet[Podcast] = super().get_queryset(request)
        return rows.annotate(episode_count=Count("episodes"))

    @admin.display(description="episodes", ordering="episode_count")
    def episode_count(self, podcast: Any) -> int:
        return int(podcast.episode_count)


@admin.register(Source)
class SourceAdmin(Configuration):
    list_display = ("slug", "podcast", "title", "reader", "rank", "may_create", "complete", "address")
    list_filter = ("podcast", "may_create", "complete")
    list_select_related = ("podcast",)
    search_fields = ("slug", "title", "address")


@admin.register(Topic)
class TopicAdmin(Configuration):
    list_display = ("name", "slug", "group", "position", "used", "description")
    list_filter = ("group",)
    search_fields = ("name", "slug", "description")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Topic]:
        rows: QuerySet[Topic] = super().get_queryset(request)
        return rows.annotate(used_count=Count("uses"))

    @admin.display(description="episodes", ordering="used_count")
    def used(self, topic: Any) -> int:
        return int(topic.used_count)
