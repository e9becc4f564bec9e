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
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views import View

from ..curation import (
    LARGEST_SHEET,
    Cell,
    SheetRow,
    Unreadable,
    apply_rows,
    read_sheet,
    write_sheet,
)
from ..fields import BY_NAME, DURATION, PUBLISHED
from ..models import Episode
from .action import ActionView, Unavailable
from .bulk import BatchView
from .episode import warn_of_number

SHEET = "sheet"  # of the session: what the last upload brings
MOST = 900  # differences on a page; a form with a thousand fields is refused
MOST_TOLD = 100
WORDED = (DURATION.name, PUBLISHED.name)
QUOTED = 320  # characters of a value that the table of differences shows


def sheet_at(name: str = "") -> str:
    return reverse(f"admin:episodes_episode_sheet{name}")


def as_sheet(episodes: QuerySet[Episode]) -> HttpResponse:
    answer = HttpResponse(write_sheet(episodes), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = 'attachment; filename="episodes.csv"'
    return answer


class DownloadView(View):
    model_admin: Any = None

    def get(self, request: HttpRequest) -> HttpResponse:
        if not self.model_admin.has_view_permission(request):
            raise PermissionDenied
        return as_sheet(Episode.objects.newest_first())

    post = get


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

    def act(self) -> None:
        self.request.session[SHEET] = self.form.cleaned_data["sheet"]

    def get_success_url(self) -> str:
        return sheet_at("_differences")

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
        posted = (
            self.request.POST.get("upload")
            if self.request.method == "POST"
            else self.sheet.get("id")
        )
        if posted is None or posted != self.sheet.get("id"):
            message = "This sheet has already been applied, or another one was uploaded since. Upload it again."
            raise Unavailable(sheet_at(), message)
        self.crumbs = [(sheet_at(), "Spreadsheet")]
        self.rows, self.more = first([restored(row) for row in self.sheet["rows"]])

    def act(self) -> None:
        wanted = ticked(self.rows, set(self.request.POST.getlist("cell")))
        slugs = [row.slug for row in wanted if "number" in {cell.field for cell in row.cells}]
        numbered = Episode.objects.filter(slug__in=slugs[:MOST_TOLD])
        keys = list(numbered.values_list("pk", flat=True))  # a new title changes the slug
        self.batch, self.refusals = apply_rows(self.request.user, wanted, reason=self.reason)
        for episode in Episode.objects.filter(pk__in=keys):
            warn_of_number(self.request, episode)
        del self.request.session[SHEET]

    def context(self) -> dict[str, Any]:
        problems = self.sheet["problems"]
        return {
            "upload": self.sheet["id"],
            "name": self.sheet["name"],
            "rows": [
                (row, [(name, cell, *shortened(cell)) for name, cell in named(row)])
                for row in self.rows
            ],
            "count": sum(len(row.cells) for row in self.rows),
            "more": self.more,
            "read": self.sheet["read"],
            "problems": problems[:MOST_TOLD],
            "problems_more": len(problems[MOST_TOLD:]),
        }


def restored(row: dict[str, Any]) -> SheetRow:
    """A row as a session kept it."""
    return SheetRow(**{**row, "cells": [Cell(**cell) for cell in row["cells"]]})


def named(row: SheetRow) -> list[tuple[str, Cell]]:
    """The cells of a row by the names that a form has for them."""
    return [(f"{row.line}-{n}", cell) for n, cell in enumerate(row.cells)]


def ticked(rows: list[SheetRow], names: set[str]) -> list[SheetRow]:
    """The rows with those of their cells that were ticked, if any."""
    wanted = [
        replace(row, cells=[cell for name, cell in named(row) if name in names]) for row in rows
    ]
    return [row for row in wanted if row.cells]


def shortened(cell: Cell) -> tuple[str, str]:
    """Both values as a table shows them: in words, long ones from a little before the place where
    they go apart."""
    if cell.field in WORDED:
        words = BY_NAME[cell.field].words
        return words(cell.now), words(cell.new)
    if max(len(cell.now), len(cell.new)) <= QUOTED:
        return cell.now, cell.new
    apart = len(commonprefix([cell.now, cell.new]))  # noqa: RUF071  characters are meant
    start = max(0, apart - QUOTED // 4)
    return excerpt(cell.now, start), excerpt(cell.new, start)


def excerpt(value: str, start: int) -> str:
    end = start + QUOTED
    return f"{'…' if start and value else ''}{value[start:end]}{'…' if value[end:] else ''}"


def first(rows: list[SheetRow]) -> tuple[list[SheetRow], int]:
    """The rows that one form can carry, and how many differences are left."""
    totals = list(accumulate(len(row.cells) for row in rows))
    place = bisect_right(totals, MOST)
    return rows[:place], sum(len(row.cells) for row in rows[place:])
