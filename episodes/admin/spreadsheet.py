"""The catalog out to a spreadsheet and back: what was changed in it is shown, ticked, and becomes decisions."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path, reverse

from ..curation.spreadsheet import LARGEST, Cell, SheetRow, Unreadable, apply_rows, dump, read
from ..models import Episode
from .base import listing, said_in, screen
from .bulk import Several

SHEET = "sheet"  # of the session: what the last upload brings
MOST = 900  # differences on a page; a form with a thousand fields is refused
MOST_TOLD = 100
QUOTED = 320  # characters of a value that the table of differences shows


def differences() -> str:
    return reverse("admin:episodes_episode_sheet_differences")


class Sheets(Several):
    """The part of the list of episodes that goes out as a sheet and takes it back."""

    change_list_template = "admin/curation/spreadsheet_list.html"

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        found: dict[str, Any] = super().get_actions(request)
        if "download" not in found and self.has_view_permission(request):
            found["download"] = (type(self).download, "download", "Download as CSV")
        return found

    def download(self, request: HttpRequest, queryset: QuerySet[Episode]) -> HttpResponse:
        return sent(queryset.defer(None).prefetch_related(None))

    def get_urls(self) -> list[Any]:
        view = self.admin_site.admin_view
        own = [
            path("sheet/", view(self.sheet_view), name="episodes_episode_sheet"),
            path("sheet/differences/", view(self.differences_view), name="episodes_episode_sheet_differences"),
            path("sheet/episodes.csv", view(self.download_view), name="episodes_episode_sheet_download"),
        ]
        return [*own, *super().get_urls()]

    def download_view(self, request: HttpRequest) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        return sent(Episode.objects.newest_first())

    def sheet_view(self, request: HttpRequest) -> HttpResponse:
        """Take a sheet that comes back."""
        if not self.has_curate_permission(request):
            raise PermissionDenied
        problem = ""
        if request.method == "POST":
            upload = request.FILES.get("sheet")
            try:
                if upload is None:
                    raise Unreadable("Choose a file first.")
                if (upload.size or 0) > LARGEST:
                    raise Unreadable(f"The file is larger than {LARGEST // 1_000_000} MB.")
                found = read(upload.read())
            except Unreadable as trouble:
                problem = str(trouble)
            else:
                name = (upload.name or "")[:100]
                request.session[SHEET] = {"id": str(uuid4()), "name": name, **asdict(found)}
                return HttpResponseRedirect(differences())
        context = {"problem": problem, "largest": LARGEST // 1_000_000}
        return screen(
            self, request, "spreadsheet", "Edit in a spreadsheet", [(listing("episode"), "Episodes")], **context
        )

    def differences_view(self, request: HttpRequest) -> HttpResponse:
        """Show what is different in the last sheet, and apply what is ticked."""
        if not self.has_curate_permission(request):
            raise PermissionDenied
        kept = request.session.get(SHEET)
        if not kept or (request.method == "POST" and request.POST.get("upload") != kept["id"]):
            messages.error(request, "That sheet was used already, or another one was uploaded since. Upload it again.")
            return HttpResponseRedirect(reverse("admin:episodes_episode_sheet"))
        shown, more = first(rows_of(kept))
        if request.method == "POST":
            wanted = ticked(shown, set(request.POST.getlist("cell")))
            lot, refused = apply_rows(request.user, wanted, reason=said_in(request, "reason", 500))
            del request.session[SHEET]
            return self.finished(request, lot, refused, "Spreadsheet")
        context = {
            "upload": kept["id"],
            "name": kept["name"],
            "rows": [(row, [(name, cell, *apart(cell)) for name, cell in named(row)]) for row in shown],
            "count": sum(len(row.cells) for row in shown),
            "more": more,
            "read": kept["read"],
            "problems": kept["problems"][:MOST_TOLD],
            "problems_more": max(0, len(kept["problems"]) - MOST_TOLD),
        }
        crumbs = [(listing("episode"), "Episodes"), (reverse("admin:episodes_episode_sheet"), "Spreadsheet")]
        return screen(self, request, "spreadsheet_differences", "What is different", crumbs, **context)


def rows_of(kept: dict[str, Any]) -> list[SheetRow]:
    """The rows that an upload left in the session."""
    return [SheetRow(**{**row, "cells": [Cell(**cell) for cell in row["cells"]]}) for row in kept["rows"]]


def named(row: SheetRow) -> list[tuple[str, Cell]]:
    """The cells of a row by the names that a form has for them."""
    return [(f"{row.line}-{n}", cell) for n, cell in enumerate(row.cells)]


def ticked(rows: list[SheetRow], names: set[str]) -> list[SheetRow]:
    """The rows with those of their cells that were ticked, if any."""
    wanted = [replace(row, cells=[cell for name, cell in named(row) if name in names]) for row in rows]
    return [row for row in wanted if row.cells]


def apart(cell: Cell) -> tuple[str, str]:
    """Both values as a table shows them: long ones from a little before the place where they go apart."""
    if max(len(cell.now), len(cell.new)) <= QUOTED:
        return cell.now, cell.new
    same = next((n for n, (a, b) in enumerate(zip(cell.now, cell.new, strict=False)) if a != b), None)
    start = max(0, (min(len(cell.now), len(cell.new)) if same is None else same) - QUOTED // 4)
    return excerpt(cell.now, start), excerpt(cell.new, start)


def excerpt(value: str, start: int) -> str:
    end = start + QUOTED
    return f"{'…' if start and value else ''}{value[start:end]}{'…' if value[end:] else ''}"


def first(rows: list[SheetRow]) -> tuple[list[SheetRow], int]:
    """The rows that one form can carry, and how many differences are left."""
    shown: list[SheetRow] = []
    count = 0
    for place, row in enumerate(rows):
        if count + len(row.cells) > MOST:
            return shown, sum(len(other.cells) for other in rows[place:])
        shown.append(row)
        count += len(row.cells)
    return shown, 0


def sent(episodes: QuerySet[Episode]) -> HttpResponse:
    answer = HttpResponse(dump(episodes), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = 'attachment; filename="episodes.csv"'
    return answer
