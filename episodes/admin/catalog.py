"""The lists of episodes and of withdrawn ones."""

from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template import defaultfilters

from .. import curation
from ..models import Episode, Transcript, WithdrawnEpisode
from .base import (
    EpisodeScreenAdmin,
    ShowFilter,
    SourceFilter,
    options_filter,
)
from .bulk_repair import EPISODE_REPAIRS, SOURCE_OF_EPISODE, BulkRepairAdmin
from .editing import AddEpisodeView, EpisodeView
from .episode import (
    CorrectWordsView,
    EpisodeLookupView,
    MergeView,
    RerunView,
    SplitView,
    WithdrawView,
)
from .history import WithdrawnView
from .list_filters import ConflictFilter
from .shows import AddTranscriptView


@admin.register(Episode)
class EpisodeAdmin(BulkRepairAdmin, EpisodeScreenAdmin):
    """The list of episodes, and the screens of one or several."""

    episode_view = EpisodeView
    screens = (
        ("named", "named/", EpisodeLookupView),
        ("do", "<str:slug>/do/<slug:verb>/", EpisodeView),
        ("merge", "<str:slug>/merge/", MergeView),
        ("split", "<str:slug>/split/", SplitView),
        ("take_out", "<str:slug>/take-out/", WithdrawView),
        ("rerun", "<str:slug>/re-run/", RerunView),
        ("words", "<str:slug>/words/", CorrectWordsView),
        ("transcript", "<str:slug>/transcript/", AddTranscriptView),
    )
    start_page_filter = options_filter(
        "problem",
        "needs",
        {
            "number": (
                "Number of another episode",
                Q(pk__in=Episode.objects.with_duplicate_numbers().values("pk")),
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
    repairs = EPISODE_REPAIRS
    actions = ("download", "repair")
    list_display = ("__str__", "podcast", "number", "published", "length")
    list_filter = (
        start_page_filter,
        ConflictFilter,
        ("podcast", ShowFilter),
        (SOURCE_OF_EPISODE, SourceFilter),
        "topics",
    )
    list_select_related = ("podcast",)
    # Notes of a hundred rows are megabytes, and the list shows none.
    deferred_columns = ("description_text", "description_html", "provenance")
    search_fields = ("title", "slug", "description_text", "number")
    search_help_text = "Search title, notes, address or number"
    show_facets = admin.ShowFacets.ALWAYS

    has_add_permission = has_change_permission = BulkRepairAdmin.has_curate_permission

    @admin.action(description="Download as CSV", permissions=["view"])
    def download(self, request: HttpRequest, queryset: QuerySet[Episode]) -> HttpResponse:
        # The file has the deferred columns, too.
        table = curation.render_csv(queryset.defer(None))
        headers = {"Content-Disposition": 'attachment; filename="episodes.csv"'}
        return HttpResponse(table, content_type="text/csv; charset=utf-8", headers=headers)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        return self.respond(AddEpisodeView, request)

    @admin.display(description="published", ordering="published_at")
    def published(self, episode: Episode) -> str:
        return defaultfilters.date(episode.published_at)

    @admin.display(description="length", ordering="duration_seconds")
    def length(self, episode: Episode) -> str:
        return str(episode.duration or "–").removeprefix("0:")


@admin.register(WithdrawnEpisode)
class WithdrawnEpisodeAdmin(EpisodeScreenAdmin):
    episode_view = WithdrawnView
    list_display = (
        "__str__",
        "podcast",
        "taken_out_as",
        "decision__made_by",
        "decision__made_at",
        "decision__reason",
    )
    list_filter = (("podcast", ShowFilter),)
    list_select_related = ("podcast", "replaced_by", "decision__made_by")
    search_fields = ("title", "slug", "decision__reason")

    @admin.display(description="as", ordering="decision__value")
    def taken_out_as(self, episode: WithdrawnEpisode) -> str:
        """Return in words why an episode was withdrawn, with its replacement."""
        if episode.decision.value == curation.REPLACED:
            return f"replaced by {episode.replaced_by or 'an episode that is gone'}"
        return episode.decision.value_label
