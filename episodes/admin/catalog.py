"""The lists of episodes and of withdrawn ones, and changes of many episodes: actions on a selection, and the
catalog in a spreadsheet. They are previewed, made together and undone together."""

import re
from typing import Any, ClassVar, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.sessions.backends.base import SessionBase
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template import defaultfilters
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.text import Truncator

from .. import curation
from ..models import (
    Credit,
    Episode,
    EpisodeTopic,
    Topic,
    Transcript,
    WithdrawnEpisode,
    batches,
)
from ..text.formatting import format_count
from .base import (
    ActionView,
    EpisodeScreenAdmin,
    NamedRowField,
    OptionsFilter,
    ReaderTexts,
    ShowFilter,
    SubjectGone,
    TypedFilter,
    episode_url,
    is_row_id,
    list_url,
    offers_url,
    row_url,
    trim_common_start,
)
from .editing import AddEpisodeView, EpisodeView
from .episode import (
    CorrectWordsView,
    EpisodeLookupView,
    MergeView,
    RerunView,
    SplitView,
    WithdrawView,
    join_topic_names,
)
from .history import WithdrawnView
from .shows import AddTranscriptView


class TopicChoiceForm(forms.Form):
    topic = NamedRowField(EpisodeTopic, "topic")


# --- The screens -------------------------------------------------------------------------------


class BatchView(ActionView):
    """A change of many episodes. Refusals are shown, the rest is changed, and the batch is undone as one."""

    action_label = ""
    preview_noun = "episode"
    success_message = "{view.message}"
    batch: curation.Batch

    @property
    def message(self) -> str:
        changes = self.batch.changes
        if not changes:
            return "No changes."
        count = format_count(len(changes), "episode", "episodes")
        return f"{self.action_label}: done for {count}."

    def get_success_url(self) -> str:
        """Show the refusals. Return the address of the last change of the batch, or of the list if there is none."""
        for refusal in self.batch.refusals:
            messages.error(self.request, f"Not done: {refusal}")
        changes = self.batch.changes
        return row_url(changes[-1]) if changes else list_url("episode")


class BulkTopicView(BatchView):
    """Changes a topic of the selected episodes."""

    template_name = "admin/curation/bulk.html"
    title = "{view.action_label}"
    form_class = TopicChoiceForm
    episodes: Any = None  # the selection
    selected_count = 0

    def get_form_kwargs(self) -> dict[str, Any]:
        # The list sends a selection alone.
        return super().get_form_kwargs() if "topic" in self.request.POST else {}

    @property
    def topic(self) -> Topic:
        return cast(Topic, self.form.cleaned_data["topic"])

    def find_affected_episodes(self) -> QuerySet[Episode]:
        """Return the selected episodes that do not have the intended state yet."""
        raise NotImplementedError

    def change_episode(self, episode: Episode) -> None:
        raise NotImplementedError

    @cached_property
    def affected_episodes(self) -> list[Episode]:
        # Listed before the change, because the change may alter which episodes are selected.
        return list(self.find_affected_episodes())

    def make_change(self) -> None:
        """Change the topic of each affected episode, as one batch."""
        # Counted before the change, too.
        self.selected_count = self.episodes.count()
        shows = {episode.podcast for episode in self.affected_episodes}
        with curation.batch_changes(shows) as self.batch:
            for episode in self.affected_episodes:
                with self.batch.attempt(episode.heading):
                    self.change_episode(episode)

    @property
    def message(self) -> str:
        """Return how many episodes were changed, and how many needed no change."""
        unchanged_count = self.selected_count - len(self.affected_episodes)
        unchanged = format_count(unchanged_count, "episode was", "episodes were")
        note = f" {unchanged} like that already." if unchanged_count else ""
        return f"{super().message}{note}"

    def state_for_preview(self) -> ReaderTexts:
        """Return the topics of each affected episode, as text by episode, for the preview."""
        rows = Episode.objects.select_related("podcast").prefetch_related("topics")
        texts = {}
        for ids in batches([episode.pk for episode in self.affected_episodes]):
            for episode in rows.filter(pk__in=ids):
                texts[episode.heading, episode_url(episode)] = join_topic_names(episode)
        return texts

    def preview_context(self, before: ReaderTexts, after: ReaderTexts) -> dict[str, Any]:
        return {**super().preview_context(before, after), "refused": self.batch.refusals}

    def context(self) -> dict[str, Any]:
        """Return the template values: the selected episodes, and the inputs that repeat the selection."""
        # The inputs by which Django knows the action and the selected rows. The next form repeats them.
        selection = []
        for name in ("action", "index", "select_across", ACTION_CHECKBOX_NAME):
            for value in self.request.POST.getlist(name):
                selection.append((name, value))
        return {
            "selection": selection,
            "count": self.episodes.count(),
            "episodes": self.episodes[:200],
        }


class AddTopicView(BulkTopicView):
    """Adds a topic to the selected episodes."""

    action_label = "Add a topic"

    def find_affected_episodes(self) -> QuerySet[Episode]:
        return cast(QuerySet[Episode], self.episodes.exclude(topics=self.topic))

    def change_episode(self, episode: Episode) -> None:
        user = self.request.user
        slug = self.topic.slug
        curation.add_list_entry(user, episode, "topic", slug, reason=self.reason)


class RemoveTopicView(BulkTopicView):
    """Removes a topic from the selected episodes."""

    action_label = "Remove a topic"

    def find_affected_episodes(self) -> QuerySet[Episode]:
        return cast(QuerySet[Episode], self.episodes.filter(topics=self.topic))

    def change_episode(self, episode: Episode) -> None:
        user = self.request.user
        slug = self.topic.slug
        curation.remove_list_entry(user, episode, "topic", slug, reason=self.reason)


# --- Out to a spreadsheet and back --------------------------------------------------------------


UPLOAD_KEY = "sheet_key"  # of the session: the key of the stored upload
MAX_DIFFERENCES = 900  # on a page; a form with a thousand fields is refused
MAX_PROBLEMS = 500


def stored_upload(session: SessionBase) -> SessionBase:
    """Return the session that stores the last upload.

    It is another one than the user's: every request loads that, and a sheet is large.
    """
    return type(session)(session.get(UPLOAD_KEY))


def sheet_response(episodes: QuerySet[Episode]) -> HttpResponse:
    """Return the sheet of episodes as a download."""
    headers = {"Content-Disposition": 'attachment; filename="episodes.csv"'}
    sheet = curation.render_sheet(episodes)
    return HttpResponse(sheet, content_type="text/csv; charset=utf-8", headers=headers)


class UploadForm(forms.Form):
    sheet = forms.FileField(
        allow_empty_file=True,
        error_messages={"required": "Choose a file first."},
        help_text=f"CSV in UTF-8, at most {curation.MAX_SHEET_BYTES // 1_000_000} MB.",
    )

    def clean_sheet(self) -> str:
        """Return the text of the uploaded sheet.

        Raises:
            ValidationError: it is too large, not UTF-8, or cannot be compared with the catalog.
        """
        upload = self.cleaned_data["sheet"]
        if upload.size > curation.MAX_SHEET_BYTES:
            megabytes = curation.MAX_SHEET_BYTES // 1_000_000
            raise ValidationError(f"The file is larger than {megabytes} MB.")
        try:
            text = upload.read().decode("utf-8-sig")
            curation.compare_sheet_with_catalog(text)
        except UnicodeDecodeError:
            raise ValidationError(
                "This is no text in UTF-8. Save the sheet as CSV UTF-8."
            ) from None
        except curation.InvalidChange as refusal:
            raise ValidationError(str(refusal)) from None
        return str(text)


class UploadView(ActionView):
    """Takes an edited sheet. Viewers may download one."""

    viewers_may_read = True
    form_class = UploadForm
    template_name = "admin/curation/spreadsheet.html"
    title = "Edit in a spreadsheet"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Show the form, or with `?all` download the sheet of all episodes."""
        if "all" in request.GET:
            return sheet_response(Episode.objects.newest_first())
        return super().get(request, *args, **kwargs)

    def make_change(self) -> None:
        """Store the sheet for a day, in a session of its own, so that the next page can show its differences."""
        session = self.request.session
        stored_upload(session).flush()  # deletes the upload before
        upload = type(session)()
        upload["text"] = self.form.cleaned_data["sheet"]
        upload.set_expiry(24 * 60 * 60)  # seconds
        upload.cycle_key()  # stores it under a new key
        session[UPLOAD_KEY] = upload.session_key
        self.success_url = reverse("admin:episodes_episode_sheet_differences")


class DifferencesView(BatchView):
    """Shows the differences of the last sheet, and applies the ticked ones. A sheet is used once."""

    template_name = "admin/curation/spreadsheet_differences.html"
    title = "Differences"
    action_label = "Spreadsheet"

    def load_subject(self) -> None:
        """Load the stored sheet into `self.upload`. Raise SubjectGone if it was applied already."""
        upload_url = reverse("admin:episodes_episode_sheet")
        self.upload = stored_upload(self.request.session)
        if "text" not in self.upload:
            message = "This sheet has already been applied. Upload it again."
            raise SubjectGone(upload_url, message)
        self.crumbs = [(upload_url, "Spreadsheet")]

    def make_change(self) -> None:
        """Apply the ticked cells of the stored sheet, and delete the sheet."""
        ticked = self.request.POST.getlist("cell")
        user = self.request.user
        self.batch = curation.apply_sheet(user, self.upload["text"], ticked, reason=self.reason)
        self.upload.flush()

    def context(self) -> dict[str, Any]:
        """Return the template values: the first differences and problems, and the counts of all."""
        # Compared again each time, because the catalog may have changed since the upload.
        sheet = curation.compare_sheet_with_catalog(self.upload["text"])
        cells = []
        for cell in sheet.cells[:MAX_DIFFERENCES]:
            now, new = trim_common_start(cell.now, cell.new)
            cells.append((cell, Truncator(now).chars(320), Truncator(new).chars(320)))
        return {
            "cells": cells,
            "count": len(sheet.cells),
            "more": len(sheet.cells) - len(cells),
            "read": sheet.row_count,
            "problems": sheet.problems[:MAX_PROBLEMS],
            "skipped": len(sheet.problems),
        }


# --- The lists of episodes and of withdrawn ones --------------------------------------------------


SHOW_PARAMETER = "podcast__id__exact"  # of the filter by show
YEAR_MONTH_OR_DAY = re.compile(r"\b\d{4}(-\d\d){0,2}\b", re.ASCII)


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
        """Return the choices of the filter."""
        choices = list(super().choices(changelist))
        choices[0]["display"] = "Published"
        withdrawn = {
            "selected": False,
            "query_string": list_url("withdrawnepisode"),
            "display": f"Taken out ({WithdrawnEpisode.objects.count()})",
        }
        return [*choices, withdrawn]


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
    """The topics to choose from: of the chosen show, if one is chosen."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.empty_value_display: Any = "No topic"

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> Any:
        """Return (id, name) of the topics."""
        topics = Topic.objects.order_by("name")
        show_id = request.GET.get(SHOW_PARAMETER, "")
        if is_row_id(show_id):
            topics = topics.filter(uses__episode__podcast=int(show_id)).distinct()
        return list(topics.values_list("pk", "name"))


class PersonFilter(TypedFilter):
    title = parameter_name = "person"
    offers_url = offers_url(Credit, "person")

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        name = self.value()
        if not name:
            return queryset
        credits_of_name = Credit.objects.filter(person__name__icontains=name.strip())
        return queryset.filter(pk__in=credits_of_name.values("episode"))


@admin.register(Episode)
class EpisodeAdmin(EpisodeScreenAdmin):
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
        ("sheet", "sheet/", UploadView),
        ("sheet_differences", "sheet/differences/", DifferencesView),
    )
    start_page_filter = EpisodeStateFilter
    actions = ("download", "add_topic", "remove_topic")
    tools = (("sheet", "Spreadsheet"),)
    list_display = ("__str__", "podcast", "number", "published", "length")
    list_filter = (
        EpisodeStateFilter,
        ("podcast", ShowFilter),
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
        """Return the columns to search, with the date if the query names a year or month."""
        if YEAR_MONTH_OR_DAY.search(request.GET.get("q", "")):
            return (*self.search_fields, "^published_at__date")
        return self.search_fields

    def has_curate_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm(curation.CURATE)

    has_add_permission = has_change_permission = has_curate_permission

    @admin.action(description="Download as CSV", permissions=["view"])
    def download(self, request: HttpRequest, queryset: QuerySet[Episode]) -> HttpResponse:
        # The sheet has the deferred columns, too.
        return sheet_response(queryset.defer(None))

    @admin.action(description="Add a topic…", permissions=["curate"])
    def add_topic(self, request: HttpRequest, queryset: QuerySet[Episode]) -> HttpResponse:
        attributes = {"episodes": queryset.order_by("podcast", "-order")}
        return self.respond(AddTopicView, request, attributes)

    @admin.action(description="Remove a topic…", permissions=["curate"])
    def remove_topic(self, request: HttpRequest, queryset: QuerySet[Episode]) -> HttpResponse:
        attributes = {"episodes": queryset.order_by("podcast", "-order")}
        return self.respond(RemoveTopicView, request, attributes)

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
        """Return in words why an episode was withdrawn, with its replacement."""
        if episode.decision.value == curation.REPLACED:
            return f"replaced by {episode.replaced_by or 'an episode that is gone'}"
        return episode.decision.value_label
