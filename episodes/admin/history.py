"""The history: who changed what and when, from what to what, and the way back."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import SafeString

from ..curation import undo
from ..models import Change
from .base import ReadOnly, attempt, is_id, listing, lot_at, said_in, screen

QUOTED = 90  # characters of a value that a list shows
MOST_LATER = 20


def undo_at(change: Change, back: str = "") -> str:
    return reverse("admin:episodes_change_undo", args=(change.pk,)) + (f"?next={back}" if back else "")


def shortened(value: object) -> str:
    words = " ".join(str(value).split())
    return words if len(words) <= QUOTED else f"{words[: QUOTED - 1]}…"


@admin.register(Change)
class ChangeAdmin(ReadOnly):
    list_display = ("when", "made_by", "verb", "subject_shown", "what", "back")
    list_display_links = ("when",)
    list_filter = (("made_by", admin.RelatedOnlyFieldListFilter), "verb", ("podcast", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("made_by", "undone_by", "podcast")
    search_fields = ("subject", "reason", "told", "made_by__username")
    date_hierarchy = "made_at"
    show_facets = admin.ShowFacets.ALWAYS
    list_per_page = 50

    def get_urls(self) -> list[Any]:
        view = self.admin_site.admin_view(self.undo)
        return [path("<int:pk>/undo/", view, name="episodes_change_undo"), *super().get_urls()]

    @admin.display(description="when", ordering="made_at")
    def when(self, change: Change) -> str:
        return f"{change.made_at:%Y-%m-%d %H:%M}"

    @admin.display(description="about", ordering="subject")
    def subject_shown(self, change: Change) -> str:
        return shortened(change.subject)

    @admin.display(description="before → after")
    def what(self, change: Change) -> SafeString:
        rows = ((line[0], shortened(line[1]), shortened(line[2])) for line in change.told[:4])
        return format_html_join("", '<div><b>{}</b> <del class="was">{}</del> → <ins class="now">{}</ins></div>', rows)

    @admin.display(description="undo")
    def back(self, change: Change) -> SafeString | str:
        if change.undone_at:
            return f"taken back by {change.undone_by or 'somebody'}"
        alone = format_html('<a href="{}">Undo…</a>', undo_at(change))
        if not change.lot:
            return alone
        return format_html('{}<br><a href="{}">what was done with it…</a>', alone, lot_at(change.lot))

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        return super().changelist_view(request, {"title": "History", **(extra_context or {})})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if request.method == "POST":
            raise PermissionDenied("The history is never changed; a change is taken back by undo.")
        return self._page(request, int(object_id) if is_id(object_id) else 0, confirm=False)

    def undo(self, request: HttpRequest, pk: int) -> HttpResponse:
        if request.method != "POST":
            return self._page(request, pk, confirm=True)
        change = Change.objects.filter(pk=pk).first()
        if change is None:
            raise Http404
        refused = attempt(request, lambda: undo(request.user, change), f"Taken back: {change.verb}, {change.subject}.")
        if refused:
            return HttpResponseRedirect(undo_at(change))
        back = said_in(request, "next")
        here = url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=request.is_secure())
        return HttpResponseRedirect(back if back and here else listing("change"))

    def _page(self, request: HttpRequest, pk: int, *, confirm: bool) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        change = Change.objects.filter(pk=pk).select_related("made_by", "undone_by", "podcast").first()
        if change is None:
            raise Http404
        later = Change.objects.filter(about=change.about, pk__gt=change.pk).select_related("made_by", "undone_by")
        more = {"change": change, "confirm": confirm, "later": later[:MOST_LATER], "next": said_in(request, "next")}
        title = f"Undo “{change.verb}” of {change.subject}" if confirm else str(change)
        return screen(self, request, "change", title[:120], [(listing("change"), "History")], **more)
