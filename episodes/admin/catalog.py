"""The list of episodes with what needs a look, and changes of many of them: actions on a selection,
and the catalog out to a spreadsheet and back; previewed, done together, and undone together."""

from collections.abc import Sequence
from functools import partial
from typing import Any

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
from ..models import Episode, Topic, Transcript, WithdrawnEpisode, batches
from ..text.formatting import counted
from .base import (
    ActionView,
    EpisodeScreenAdmin,
    ReaderTexts,
    ShowFilter,
    SubjectGone,
    episode_url,
    list_url,
    options_filter,
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

MOST_LISTED = 200
# Inputs by which Django knows an action and its selection.
SELECTION = ("action", "index", "select_across", ACTION_CHECKBOX_NAME)


class TopicChoiceForm(forms.Form):
    topic = forms.ModelChoiceField(Topic.objects.order_by("name"), to_field_name="slug")


# --- The screens -------------------------------------------------------------------------------


class BatchView(ActionView):
    """A change of many episodes: what is refused is told, the rest is done, and the batch is undone
    as one."""

    what = ""
    batch: curation.Batch
    refusals: Sequence[str]

    def get_success_url(self) -> str:
        made = self.batch.made
        done = f"{self.what}: done for {counted(len(made), 'episode', 'episodes')}."
        messages.info(self.request, done if made else "No changes.")
        for why in self.refusals:
            messages.error(self.request, f"Not done: {why}")
        return row_url(made[-1]) if made else list_url("episode")


class BulkView(BatchView):
    """An action of the list of episodes: its form, and what it would do to the selection."""

    template_name = "admin/curation/bulk.html"
    title = "{view.what}"
    form_class = TopicChoiceForm
    episodes: Any = None  # the selection
    what = "Add a topic"
    removes = False

    def get_form_kwargs(self) -> dict[str, Any]:
        """The list itself sends a selection alone."""
        return super().get_form_kwargs() if "topic" in self.request.POST else {}

    @cached_property
    def concerned(self) -> list[Episode]:
        """The selected episodes that it would change."""
        narrowed = self.episodes.filter if self.removes else self.episodes.exclude
        return list(narrowed(topics=self.form.cleaned_data["topic"]))

    def act(self) -> None:
        # What one episode refuses does not keep the others from it.
        verb = curation.remove_from_list if self.removes else curation.add_to_list
        slug, user = self.form.cleaned_data["topic"].slug, self.request.user
        acts = [
            (one.heading, partial(verb, user, one, "topic", slug, reason=self.reason))
            for one in self.concerned
        ]
        with curation.batch_changes({one.podcast for one in self.concerned}) as batch:
            self.batch, self.refusals = batch, batch.each(acts)

    def look(self) -> ReaderTexts:
        rows = Episode.objects.select_related("podcast").prefetch_related("topics")
        return {
            (episode.heading, episode_url(episode)): join_topic_names(episode)
            for some in batches([episode.pk for episode in self.concerned])
            for episode in rows.filter(pk__in=some)
        }

    def compare(self, before: ReaderTexts, after: ReaderTexts) -> dict[str, Any]:
        return super().compare(before, after) | {"refused": self.refusals}

    def context(self) -> dict[str, Any]:
        sent = self.request.POST
        return {
            "selection": [(name, value) for name in SELECTION for value in sent.getlist(name)],
            "count": self.episodes.count(),
            "episodes": self.episodes[:MOST_LISTED],
        }


# --- Out to a spreadsheet and back --------------------------------------------------------------


SHEET = "sheet_key"  # of the session: the key under which the last upload is kept
KEPT = 24 * 60 * 60  # seconds
MOST_PROBLEMS = 500
MOST = 900  # differences on a page; a form with a thousand fields is refused
QUOTED = 320  # characters of a value that the table of differences shows


def stored_upload(session: SessionBase) -> SessionBase:
    """The row of the last upload, beside the session: every request loads that, and a sheet is
    large."""
    return type(session)(session.get(SHEET))


def sheet_response(episodes: QuerySet[Episode]) -> HttpResponse:
    headers = {"Content-Disposition": 'attachment; filename="episodes.csv"'}
    sheet = curation.write_sheet(episodes)
    return HttpResponse(sheet, content_type="text/csv; charset=utf-8", headers=headers)


class UploadForm(forms.Form):
    sheet = forms.FileField(
        allow_empty_file=True,
        error_messages={"required": "Choose a file first."},
        help_text=f"CSV in UTF-8, at most {curation.MAX_SHEET_BYTES // 1_000_000} MB.",
    )

    def clean_sheet(self) -> str:
        """The text of the sheet."""
        upload = self.cleaned_data["sheet"]
        if upload.size > curation.MAX_SHEET_BYTES:
            raise ValidationError(
                f"The file is larger than {curation.MAX_SHEET_BYTES // 1_000_000} MB."
            )
        try:
            text = upload.read().decode("utf-8-sig")
            curation.read_sheet(text)
        except UnicodeDecodeError:
            raise ValidationError(
                "This is no text in UTF-8. Save the sheet as CSV UTF-8."
            ) from None
        except curation.InvalidChange as trouble:
            raise ValidationError(str(trouble)) from None
        return str(text)


class UploadView(ActionView):
    """Takes a sheet that comes back. Viewers may download one."""

    viewers_may_look = True
    form_class = UploadForm
    template_name = "admin/curation/spreadsheet.html"
    title = "Edit in a spreadsheet"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if "all" in request.GET:
            return sheet_response(Episode.objects.newest_first())
        return super().get(request, *args, **kwargs)

    def act(self) -> None:
        session = self.request.session
        stored_upload(session).flush()
        kept = type(session)()
        kept["text"] = self.form.cleaned_data["sheet"]
        kept.set_expiry(KEPT)
        kept.cycle_key()  # keeps it, under a key of its own
        session[SHEET] = kept.session_key
        self.success_url = reverse("admin:episodes_episode_sheet_differences")


class DifferencesView(BatchView):
    """Shows what is different in the last sheet, and applies what is ticked; a sheet is used
    once."""

    template_name = "admin/curation/spreadsheet_differences.html"
    title = "Differences"
    what = "Spreadsheet"

    def prepare(self) -> None:
        self.kept = stored_upload(self.request.session)
        if "text" not in self.kept:
            raise SubjectGone(
                reverse("admin:episodes_episode_sheet"),
                "This sheet has already been applied. Upload it again.",
            )
        self.crumbs = [(reverse("admin:episodes_episode_sheet"), "Spreadsheet")]

    def act(self) -> None:
        self.batch, self.refusals = curation.apply_sheet(
            self.request.user,
            self.kept["text"],
            self.request.POST.getlist("cell"),
            reason=self.reason,
        )
        self.kept.flush()

    def context(self) -> dict[str, Any]:
        # Compared anew with each look: the catalog may have changed since the upload.
        sheet = curation.read_sheet(self.kept["text"])
        return {
            "cells": [
                (
                    cell,
                    *(
                        Truncator(text).chars(QUOTED)
                        for text in trim_common_start(cell.now, cell.new)
                    ),
                )
                for cell in sheet.cells[:MOST]
            ],
            "count": len(sheet.cells),
            "more": max(0, len(sheet.cells) - MOST),
            "read": sheet.read,
            "problems": sheet.problems[:MOST_PROBLEMS],
            "skipped": len(sheet.problems),
        }


# --- The list of episodes, and of those that were taken out -------------------------------------


@admin.register(Episode)
class EpisodeAdmin(EpisodeScreenAdmin):
    """The list of episodes, and the screens that decide about one or several."""

    page_view = EpisodeView
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
    counted = options_filter(
        "problem",
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
    list_display = (
        "__str__",
        "podcast",
        "number",
        "published",
        "length",
    )
    list_filter = (
        counted,
        ("podcast", ShowFilter),
        "topics",
    )
    list_select_related = ("podcast",)
    # Notes of a hundred rows are megabytes, and the list shows none.
    deferred = ("description_text", "description_html", "provenance")
    search_fields = ("title", "slug", "description_text", "number")
    search_help_text = "Search title, notes, address or number"
    show_facets = admin.ShowFacets.ALWAYS

    def has_curate_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm(curation.CURATE)

    has_add_permission = has_change_permission = has_curate_permission

    @admin.action(description="Download as CSV", permissions=["view"])
    def download(self, request: HttpRequest, queryset: QuerySet[Episode]) -> HttpResponse:
        # The sheet has the notes, too.
        return sheet_response(queryset.defer(None))

    @admin.action(description="Add a topic…", permissions=["curate"])
    def add_topic(self, request: HttpRequest, queryset: QuerySet[Episode]) -> HttpResponse:
        """Leads to its form, which a preview follows."""
        return self.respond(BulkView, request, {"episodes": queryset.order_by("podcast", "-order")})

    @admin.action(description="Remove a topic…", permissions=["curate"])
    def remove_topic(self, request: HttpRequest, queryset: QuerySet[Episode]) -> HttpResponse:
        own = {"episodes": queryset.order_by("podcast", "-order"), "removes": True}
        return self.respond(BulkView, request, {**own, "what": "Remove a topic"})

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


@admin.display(description="as", ordering="decision__value")
def withdrawn_as(episode: WithdrawnEpisode) -> str:
    if episode.decision.value == curation.REPLACED:
        return f"replaced by {episode.replaced_by or 'an episode that is gone'}"
    return episode.decision.value_label


admin.site.register(
    WithdrawnEpisode,
    EpisodeScreenAdmin,
    page_view=WithdrawnView,
    list_display=(
        "__str__",
        "podcast",
        withdrawn_as,
        "decision__made_by",
        "decision__made_at",
        "decision__reason",
    ),
    list_filter=(("podcast", ShowFilter),),
    list_select_related=("podcast", "replaced_by", "decision__made_by"),
    search_fields=("title", "slug", "decision__reason"),
)
