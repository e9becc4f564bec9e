"""The catalog out to a spreadsheet and back: what was changed in it is shown, ticked, and becomes
decisions."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import asdict, replace
from itertools import accumulate
from os.path import commonprefix
from typing import Any
from uuid import uuid4

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.text import Truncator

from ..curation import (
    LARGEST_SHEET,
    Cell,
    SheetRow,
    Unreadable,
    apply_rows,
    read_sheet,
    write_sheet,
)
from ..fields import BY_NAME, DURATION, NUMBER, PUBLISHED
from ..models import Episode
from .action import ActionView, Unavailable
from .bulk import BatchView
from .episode import warn_of_number

SHEET = "sheet"  # of the session: what the last upload brings
MOST = 900  # differences on a page; a form with a thousand fields is refused
WORDED = (DURATION.name, PUBLISHED.name)
QUOTED = 320  # characters of a value that the table of differences shows


def as_sheet(episodes: QuerySet[Episode]) -> HttpResponse:
    answer = HttpResponse(write_sheet(episodes), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = 'attachment; filename="episodes.csv"'
    return answer


class UploadForm(forms.Form):
    sheet = forms.FileField(
        allow_empty_file=True, error_messages={"required": "Choose a file first."}
    )

    def clean_sheet(self) -> dict[str, Any]:
        """Differences in the sheet, as a session can keep it."""
        upload = self.cleaned_data["sheet"]
        try:
            if upload.size > LARGEST_SHEET:
                raise Unreadable(f"The file is larger than {LARGEST_SHEET // 1_000_000} MB.")
            found = read_sheet(upload.read())
        except Unreadable as trouble:
            raise ValidationError(str(trouble)) from None
        return {"id": str(uuid4()), "name": upload.name[:100], **asdict(found)}


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
        self.request.session[SHEET] = self.form.cleaned_data["sheet"]

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
        self.sheet = self.request.session.get(SHEET) or {}
        known = self.sheet.get("id")
        if not known or self.request.POST.get("upload", known) != known:
            message = "This sheet has already been applied, or another one was uploaded since. Upload it again."
            raise Unavailable(reverse("admin:episodes_episode_sheet"), message)
        self.crumbs = [(reverse("admin:episodes_episode_sheet"), "Spreadsheet")]
        self.rows, self.more = first([restored(row) for row in self.sheet["rows"]])

    def act(self) -> None:
        ticked = set(self.request.POST.getlist("cell"))
        wanted = []
        for row in self.rows:
            cells = [cell for name, cell in named(row).items() if name in ticked]
            wanted += [replace(row, cells=cells)] if cells else []
        slugs = [row.slug for row in wanted if NUMBER.name in {cell.field for cell in row.cells}]
        numbered = Episode.objects.filter(slug__in=slugs)
        keys = list(numbered.values_list("pk", flat=True))  # a new title changes the slug
        self.batch, self.refusals = apply_rows(self.request.user, wanted, reason=self.reason)
        for episode in Episode.objects.filter(pk__in=keys):
            warn_of_number(self.request, episode)
        del self.request.session[SHEET]

    def context(self) -> dict[str, Any]:
        return {
            "upload": self.sheet["id"],
            "name": self.sheet["name"],
            "rows": [
                (row, [(name, cell, *shortened(cell)) for name, cell in named(row).items()])
                for row in self.rows
            ],
            "count": sum(len(row.cells) for row in self.rows),
            "more": self.more,
            "read": self.sheet["read"],
            "problems": self.sheet["problems"],
        }


def restored(row: dict[str, Any]) -> SheetRow:
    """A row as a session kept it."""
    return SheetRow(**{**row, "cells": [Cell(**cell) for cell in row["cells"]]})


def named(row: SheetRow) -> dict[str, Cell]:
    """The cells of a row by the names that a form has for them."""
    return {f"{row.line}-{n}": cell for n, cell in enumerate(row.cells)}


def shortened(cell: Cell) -> list[str]:
    """Both values as a table shows them: in words, long ones from a little before the place where
    they go apart."""
    if cell.field in WORDED:
        return [BY_NAME[cell.field].words(value) for value in (cell.now, cell.new)]
    apart = len(commonprefix([cell.now, cell.new]))  # noqa: RUF071  characters are meant
    start = max(0, apart - QUOTED // 4)
    cut = "…" if start else ""
    return [cut + Truncator(value[start:]).chars(QUOTED) for value in (cell.now, cell.new)]


def first(rows: list[SheetRow]) -> tuple[list[SheetRow], int]:
    """The rows that one form can carry, and how many differences are left."""
    totals = list(accumulate(len(row.cells) for row in rows))
    place = bisect_right(totals, MOST)
    return rows[:place], sum(len(row.cells) for row in rows[place:])
