"""Admin screens of the catalog: the list of episodes with what needs a look, and the tables behind
it."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse

from ..curation import CURATE, REPLACED
from ..models import Episode, Transcript, WithdrawnEpisode
from .base import ReadOnly, ShowFilter, date, options_filter
from .bulk import BulkView, DifferencesView, RemoveTopicView, UploadView, as_sheet
from .editing import AddEpisodeView, EpisodeView
from .episode import NamedEpisodesView
from .history import TakenOutView
from .regrouping import MergeView, SplitView, TakeOutView, WordsView


@admin.register(Episode)
class EpisodeAdmin(ReadOnly):
    """The list of episodes, and the screens that decide about one or several."""

    screens = (
        ("named", "named/", NamedEpisodesView),
        ("do", "<str:slug>/do/<slug:verb>/", EpisodeView),
        ("merge", "<str:slug>/merge/", MergeView),
        ("split", "<str:slug>/split/", SplitView),
        ("take_out", "<str:slug>/take-out/", TakeOutView),
        ("words", "<str:slug>/words/", WordsView),
        ("sheet", "sheet/", UploadView),
        ("sheet_differences", "sheet/differences/", DifferencesView),
    )
    counted = options_filter(
        "needs a look",
        "needs",
        {
            "number": (
                "Number of another episode",
                Q(pk__in=Episode.objects.with_a_number_twice().values("pk")),
            ),
            "title": ("No title", Q(title="")),
            "date": ("No date", Q(published_at=None)),
            "audio": ("No audio", Q(audio_url="")),
            "notes": ("Truncated notes", Q(description_truncated=True)),
            "words": (
                "Corrected words that are gone",
                Q(pk__in=Transcript.objects.exclude(lost=[]).values("episode")),
            ),
        },
    )
    actions = ("download", "add_topic", "remove_topic")
    tools = (("sheet", "Spreadsheet"),)
    column_of_several = "podcast"
    list_display = (
        "__str__",
        "podcast",
        "number",
        "published",
        "length",
        "description_truncated",
    )
    list_filter = (
        counted,
        ("podcast", ShowFilter),
        "topics",
    )
    list_select_related = ("podcast",)
    list_per_page = 100
    search_fields = ("title", "slug", "description_text", "number")
    search_help_text = "Search title, notes, address or number"
    show_facets = admin.ShowFacets.ALWAYS

    def has_curate_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm(CURATE)

    has_add_permission = has_change_permission = has_curate_permission

    def get_queryset(self, request: HttpRequest) -> Any:
        large = ("description_text", "description_html", "provenance")
        return super().get_queryset(request).defer(*large)

    @admin.action(description="Download as CSV", permissions=["view"])
    def download(self, request: HttpRequest, queryset: QuerySet[Episode]) -> HttpResponse:
        return as_sheet(queryset.defer(None))

    @admin.action(description="Add a topic…", permissions=["curate"])
    def add_topic(self, request: HttpRequest, queryset: QuerySet[Episode]) -> HttpResponse:
        """Leads to its form, which a preview follows."""
        episodes = queryset.order_by("podcast", "-order")
        return self.respond(BulkView, request, {"episodes": episodes})

    @admin.action(description="Remove a topic…", permissions=["curate"])
    def remove_topic(self, request: HttpRequest, queryset: QuerySet[Episode]) -> HttpResponse:
        episodes = queryset.order_by("podcast", "-order")
        return self.respond(RemoveTopicView, request, {"episodes": episodes})

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        return self.respond(AddEpisodeView, request)

    def change_view(
        self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        return self.respond(EpisodeView, request, slug=object_id)

    history_view = change_view

    @admin.display(description="published", ordering="published_at")
    def published(self, episode: Episode) -> str:
        return date(episode.published_at) if episode.published_at else "–"

    @admin.display(description="length", ordering="duration_seconds")
    def length(self, episode: Episode) -> str:
        return "–" if episode.duration is None else str(episode.duration).removeprefix("0:")


@admin.register(WithdrawnEpisode)
class WithdrawnEpisodeAdmin(ReadOnly):
    column_of_several = "podcast"
    list_display = (
        "__str__",
        "podcast",
        "kind",
        "decision__made_by",
        "decision__made_at",
        "decision__reason",
    )
    list_filter = (("podcast", ShowFilter),)
    list_select_related = ("podcast", "replaced_by", "decision__made_by")
    search_fields = ("title", "slug", "decision__reason")

    def change_view(
        self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        return self.respond(TakenOutView, request, slug=object_id)

    history_view = change_view

    @admin.display(description="as", ordering="decision__value")
    def kind(self, episode: WithdrawnEpisode) -> str:
        if episode.decision.value == REPLACED:
            return f"replaced by {episode.replaced_by or 'an episode that is gone'}"
        return episode.decision.value_label
