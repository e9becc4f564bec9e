"""The catalog out to a spreadsheet and back: what was changed in it is shown, ticked, and becomes
decisions."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.sessions.backends.base import SessionBase
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.text import Truncator

from ..curation import LARGEST_SHEET, Impossible, apply_sheet, read_sheet, write_sheet
from ..models import Episode
from .action import ActionView, Unavailable
from .base import from_difference
from .bulk import BatchView

SHEET = "sheet_key"  # of the session: the key under which the last upload is kept
KEPT = 24 * 60 * 60  # seconds
MOST_PROBLEMS = 500
MOST = 900  # differences on a page; a form with a thousand fields is refused
QUOTED = 320  # characters of a value that the table of differences shows


def kept_sheet(session: SessionBase) -> SessionBase:
    """The row of the last upload, beside the session: every request loads that, and a sheet is
    large."""
    return type(session)(session.get(SHEET))


def as_sheet(episodes: QuerySet[Episode]) -> HttpResponse:
    answer = HttpResponse(write_sheet(episodes), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = 'attachment; filename="episodes.csv"'
    return answer


class UploadForm(forms.Form):
    sheet = forms.FileField(
        allow_empty_file=True, error_messages={"required": "Choose a file first."}
    )

    def clean_sheet(self) -> str:
        """The text of the sheet."""
        upload = self.cleaned_data["sheet"]
        if upload.size > LARGEST_SHEET:
            raise ValidationError(f"The file is larger than {LARGEST_SHEET // 1_000_000} MB.")
        try:
            text = upload.read().decode("utf-8-sig")
            read_sheet(text)
        except UnicodeDecodeError:
            raise ValidationError(
                "This is no text in UTF-8. Save the sheet as CSV UTF-8."
            ) from None
        except Impossible as trouble:
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
            return as_sheet(Episode.objects.newest_first())
        return super().get(request, *args, **kwargs)

    def act(self) -> None:
        session = self.request.session
        kept_sheet(session).flush()
        kept = type(session)()
        kept["text"] = self.form.cleaned_data["sheet"]
        kept.set_expiry(KEPT)
        kept.cycle_key()  # keeps it, under a key of its own
        session[SHEET] = kept.session_key

    def get_success_url(self) -> str:
        return reverse("admin:episodes_episode_sheet_differences")

    def context(self) -> dict[str, Any]:
        return {"largest": LARGEST_SHEET // 1_000_000}


class DifferencesView(BatchView):
    """Shows what is different in the last sheet, and applies what is ticked; a sheet is used
    once."""

    template_name = "admin/curation/spreadsheet_differences.html"
    title = "Differences"
    what = "Spreadsheet"

    def prepare(self) -> None:
        self.kept = kept_sheet(self.request.session)
        if "text" not in self.kept:
            raise Unavailable(
                reverse("admin:episodes_episode_sheet"),
                "This sheet has already been applied. Upload it again.",
            )
        self.crumbs = [(reverse("admin:episodes_episode_sheet"), "Spreadsheet")]

    def act(self) -> None:
        text, ticked = self.kept["text"], self.request.POST.getlist("cell")
        self.batch, self.refusals = apply_sheet(self.request.user, text, ticked, reason=self.reason)
        self.kept.flush()

    def context(self) -> dict[str, Any]:
        sheet = read_sheet(self.kept["text"])
        return {
            "cells": [
                (
                    cell,
                    *(
                        Truncator(text).chars(QUOTED)
                        for text in from_difference(cell.now, cell.new)
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
