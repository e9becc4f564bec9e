"""The lists of episodes and of withdrawn ones."""

from typing import Any, ClassVar
from urllib.parse import parse_qsl

from django.contrib import admin
from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.http import HttpRequest, HttpResponse
from django.template import defaultfilters

from .. import curation
from ..fields import FIELDS_BY_NAME, SOURCED_FIELDS
from ..models import Credit, Episode, Topic, Transcript, WithdrawnEpisode
from .base import (
    EpisodeScreenAdmin,
    OptionsFilter,
    ShowFilter,
    SourceFilter,
    is_row_id,
    list_url,
    offers_url,
)
from .bulk_repair import SOURCE_OF_EPISODE, BulkRepairAdmin
from .editing import AddEpisodeView, EpisodeView
from .episode import (
    CorrectWordsView,
    EpisodeLookupView,
    MergeView,
    RerunView,
    SplitView,
    WithdrawView,
)
from .history import UndoWithdrawalView
from .shows import AddTranscriptView

# --- The filters of the list -----------------------------------------------------------------


class EpisodeStateFilter(OptionsFilter):
    """What episodes lack. Withdrawn ones are in a list of their own, which the last choice opens."""

    title = "state"
    parameter_name = "needs"
    options: ClassVar[dict[str, tuple[str, Q]]] = {
        "number": (
            "Same number as another",
            Q(pk__in=Episode.objects.with_duplicate_numbers().values("pk")),
        ),
        "title": ("No title", Q(title="")),
        "date": ("No date", Q(published_at=None)),
        "audio": ("No audio", Q(audio_url="")),
        "notes": ("Truncated notes", Q(description_truncated=True)),
        "words": (
            "Transcript corrections that no longer fit",
            Q(pk__in=Transcript.objects.exclude(lost=[]).values("episode")),
        ),
    }

    def choices(self, changelist: Any) -> Any:
        choices = list(super().choices(changelist))
        choices[0]["display"] = "Published"
        withdrawn = {
            "selected": False,
            "query_string": list_url("withdrawnepisode"),
            "display": f"Taken out ({WithdrawnEpisode.objects.count()})",
        }
        return [*choices, withdrawn]


class ConflictFilter(admin.SimpleListFilter):
    """A filter of episodes by the field about which their sources contradict each other."""

    title = parameter_name = "conflict"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(field.name, field.label) for field in SOURCED_FIELDS]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        name = str(self.value())
        if name not in FIELDS_BY_NAME:
            return queryset
        # Both databases write JSON as {"field": "title", …}. Within a value, quotation marks are escaped, so
        # only the name of a field is found.
        rows: QuerySet[Any] = queryset.annotate(conflicts_text=Cast("conflicts", TextField()))
        return rows.filter(conflicts_text__contains=f'"field": "{name}"')


class YearFilter(admin.SimpleListFilter):
    title = parameter_name = "year"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        dated = Episode.objects.exclude(published_at=None)
        years = dated.values_list("published_at__year", "published_at__year")
        return years.order_by("-published_at__year").distinct()

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        year = str(self.value())
        if not is_row_id(year):
            return queryset
        return queryset.filter(published_at__year=year)


class TopicFilter(admin.RelatedFieldListFilter):
    """A filter by topic, which offers the topics by name. If the list is filtered by a show, only its topics."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.empty_value_display: Any = "No topic"

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> Any:
        topics = Topic.objects.order_by("name")
        show_id = request.GET.get("podcast__id__exact", "")
        if is_row_id(show_id):
            topics = topics.filter(uses__episode__podcast=int(show_id)).distinct()
        return list(topics.values_list("pk", "name"))


class PersonFilter(admin.SimpleListFilter):
    """A filter of episodes by a typed part of the name of a credited person.

    A list would have too many names. They are offered while people type.
    """

    title = parameter_name = "person"
    template = "admin/curation/typed_filter.html"
    offers_url = offers_url(Credit, "person")

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        # Django shows only filters with a choice.
        return [("", "any")]

    def choices(self, changelist: Any) -> Any:
        """Yield the values of the form: the typed name, and the other filters, which stay."""
        other_filters = changelist.get_query_string(remove=[self.parameter_name])
        yield {
            "typed": self.value(),
            "other_parameters": parse_qsl(other_filters.removeprefix("?")),
            "remove_url": other_filters,
        }

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        name = self.value()
        if not name:
            return queryset
        credits_of_name = Credit.objects.filter(person__name__icontains=name.strip())
        return queryset.filter(pk__in=credits_of_name.values("episode"))


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
    start_page_filter = EpisodeStateFilter
    actions = ("download", "repair")
    list_display = ("__str__", "podcast", "number", "published", "length")
    list_filter = (
        EpisodeStateFilter,
        ConflictFilter,
        ("podcast", ShowFilter),
        (SOURCE_OF_EPISODE, SourceFilter),
        YearFilter,
        PersonFilter,
        ("topics", TopicFilter),
    )
    date_hierarchy = "published_at"
    list_select_related = ("podcast",)
    # Notes of a hundred rows are megabytes, and the list shows none.
    deferred_columns = ("description_text", "description_html", "provenance")
    search_fields = ("title", "slug", "description_text", "number")
    search_help_text = "Search title, notes, address, number, or year and month (2021-09)"
    show_facets = admin.ShowFacets.ALWAYS
    list_per_page = 50

    def get_search_fields(self, request: HttpRequest) -> Any:
        words = request.GET.get("q", "").split()
        # 2021, 2021-09 or 2021-09-17
        if any(word[:4].isdecimal() and len(word) >= 4 for word in words):
            return (*self.search_fields, "^published_at__date")
        return self.search_fields

    has_add_permission = has_change_permission = BulkRepairAdmin.has_curate_permission

    @admin.action(description="Download as CSV", permissions=["view"])
    def download(self, request: HttpRequest, queryset: QuerySet[Episode]) -> HttpResponse:
        # The file has the deferred columns, too.
        table = curation.render_episodes_csv_bytes(queryset.defer(None))
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
    episode_view = UndoWithdrawalView
    list_display = (
        "__str__",
        "podcast",
        "taken_out_as",
        "taken_out_by",
        "taken_out_at",
        "reason",
    )
    list_filter = (("podcast", ShowFilter),)
    list_select_related = ("podcast", "replaced_by", "decision__made_by")
    search_fields = ("title", "slug", "decision__reason")

    @admin.display(description="by", ordering="decision__made_by")
    def taken_out_by(self, episode: WithdrawnEpisode) -> Any:
        return episode.decision.made_by

    @admin.display(description="when", ordering="decision__made_at")
    def taken_out_at(self, episode: WithdrawnEpisode) -> Any:
        return episode.decision.made_at

    @admin.display(description="why", ordering="decision__reason")
    def reason(self, episode: WithdrawnEpisode) -> str:
        return episode.decision.reason

    @admin.display(description="taken out as", ordering="decision__value")
    def taken_out_as(self, episode: WithdrawnEpisode) -> str:
        if episode.decision.value == curation.REPLACED:
            return f"replaced by {episode.replaced_by or 'an episode that is gone'}"
        return episode.decision.value_label
