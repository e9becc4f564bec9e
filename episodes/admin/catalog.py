"""Admin screens of the catalog: the list of episodes with what needs a look, and the tables behind it."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import path

from ..models import Attachment, Episode, FormerAddress, Person, Podcast
from . import editing, merging, upstream
from .base import ListingAdmin, ReadOnly, page_of
from .by_hand import ByHand
from .spreadsheet import Sheets


class YesNo(admin.SimpleListFilter):
    """A filter for the episodes of `wanted`, and for all others."""

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "Yes"), ("no", "No")]

    def wanted(self) -> QuerySet[Episode]:
        raise NotImplementedError

    def queryset(self, request: HttpRequest, queryset: QuerySet[Episode]) -> QuerySet[Episode]:
        if self.value() == "yes":
            return queryset.filter(pk__in=self.wanted().order_by().values("pk"))
        return queryset.exclude(pk__in=self.wanted().order_by().values("pk")) if self.value() == "no" else queryset


class Conflicts(YesNo):
    """Episodes on which sources say what cannot both be right."""

    title, parameter_name = "conflicts between sources", "conflicts"

    def wanted(self) -> QuerySet[Episode]:
        return Episode.objects.exclude(conflicts=[])


class Proposed(YesNo):
    """Episodes with a topic that the rules propose with low confidence."""

    title, parameter_name = "doubtful topics", "proposed"

    def wanted(self) -> QuerySet[Episode]:
        return Episode.objects.filter(topic_uses__confidence="low")


class ChangedUpstreamFilter(YesNo):
    """Episodes of which a source changed a field after a curator had set it."""

    title, parameter_name = "changed upstream since", "upstream"

    def wanted(self) -> QuerySet[Episode]:
        return Episode.objects.filter(pk__in=upstream.changed_episodes())


class EpisodeList(ListingAdmin):
    def url_for_result(self, result: Any) -> str:
        return page_of(result)


@admin.register(Episode)
class EpisodeAdmin(Sheets, ByHand, ReadOnly):
    list_display = ("heading", "podcast", "number", "published", "length", "cut", "sources")
    list_filter = (
        Conflicts,
        Proposed,
        ChangedUpstreamFilter,
        ("title", admin.EmptyFieldListFilter),
        ("published_at", admin.EmptyFieldListFilter),
        ("audio_url", admin.EmptyFieldListFilter),
        "description_truncated",
        ("podcast", admin.RelatedOnlyFieldListFilter),
        "topics",
    )
    list_select_related = ("podcast",)
    list_per_page = 100
    search_fields = ("title", "slug", "description_text", "number")
    search_help_text = "Words of the title or the notes, an address, or a number"
    show_facets = admin.ShowFacets.ALWAYS

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm("episodes.curate")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Episode]:
        rows: QuerySet[Episode] = super().get_queryset(request)
        large = ("description_text", "description_html", "provenance")
        attached = Attachment.objects.select_related("item__document__source")
        return rows.defer(*large).prefetch_related(Prefetch("attachments", attached))

    def get_list_display(self, request: HttpRequest) -> Any:
        shown = super().get_list_display(request)
        return [name for name in shown if name != "podcast" or Podcast.objects.count() > 1]

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return EpisodeList

    def get_urls(self) -> list[Any]:
        view = self.admin_site.admin_view
        own = [
            path("<str:slug>/merge/", view(self.merge_view), name="episodes_episode_merge"),
            path("<str:slug>/split/", view(self.split_view), name="episodes_episode_split"),
        ]
        return [*own, *super().get_urls()]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return editing.page(self, request, object_id)

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return editing.history(self, request, object_id)

    def merge_view(self, request: HttpRequest, slug: str) -> HttpResponse:
        return merging.merging(self, request, slug)

    def split_view(self, request: HttpRequest, slug: str) -> HttpResponse:
        return merging.splitting(self, request, slug)

    @admin.display(description="published", ordering="published_at")
    def published(self, episode: Episode) -> str:
        return f"{episode.published_at:%Y-%m-%d}" if episode.published_at else "unknown"

    @admin.display(description="length", ordering="duration_seconds")
    def length(self, episode: Episode) -> str:
        return "unknown" if episode.duration is None else str(episode.duration).removeprefix("0:")

    @admin.display(description="notes", ordering="description_truncated")
    def cut(self, episode: Episode) -> str:
        return "cut" if episode.description_truncated else "whole"

    @admin.display(description="sources")
    def sources(self, episode: Episode) -> str:
        return ", ".join(sorted({a.item.document.source.slug for a in episode.attachments.all()}))


@admin.register(Person)
class PersonAdmin(ReadOnly):
    list_display = ("name", "slug", "identity")
    search_fields = ("name", "slug", "identity")


@admin.register(FormerAddress)
class FormerAddressAdmin(ReadOnly):
    list_display = ("slug", "source", "document", "item_key")
    list_select_related = ("source",)
    search_fields = ("slug", "item_key")
