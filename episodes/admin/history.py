"""The history: who changed what and when, from what to what, and the way back."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import Truncator, capfirst

from ..curation import CONFIGURE, CURATE, LOGINS, may_undo, undo
from ..models import Change, in_words
from .action import ActionView
from .base import ReadOnly, ShowFilter, is_id, listing, way_back
from .bulk import batch_at

QUOTED = 90  # characters of a value that a list shows
MOST_LATER = 20
MOST_TOLD = 4  # lines of a change that the list shows


def visible(rows: QuerySet[Change], user: Any) -> QuerySet[Change]:
    """The history for this person: logins, with the addresses they came from, are for
    administrators."""
    return rows if user.has_perm(CONFIGURE) else rows.exclude(verb__in=LOGINS)


def shortened(value: object) -> str:
    return Truncator(" ".join(str(value).split())).chars(QUOTED)


class ActionFilter(admin.SimpleListFilter):
    """The actions that there were, in words."""

    title, parameter_name = "action", "verb"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        verbs = visible(Change.objects.all(), request.user).order_by("verb")
        known = verbs.values_list("verb", flat=True).distinct()
        return [(verb, capfirst(in_words(verb))) for verb in known]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Change]) -> QuerySet[Change]:
        return queryset.filter(verb=self.value()) if self.value() else queryset


class UndoView(ActionView):
    """Asks before a change is undone, and shows what was changed after it."""

    template_name = "admin/curation/change.html"
    title = "{view.question}"
    done = "Undone: {view.change.action}, {view.change.subject}."
    viewers_may_look = True
    confirm = True

    def prepare(self) -> None:
        number = str(self.kwargs["pk"])
        rows = Change.objects.select_related("made_by", "undone_by", "podcast")
        seen = visible(rows, self.request.user)
        self.change = get_object_or_404(seen, pk=int(number) if is_id(number) else 0)
        change = self.change
        self.may_undo = may_undo(self.request.user, change)
        # The reader learns before pressing it why an undo is not possible.
        self.previewed_at_once = self.confirm and self.may_undo and not change.undone_at
        self.question = f"Undo “{change}”"[:120] if self.confirm else capfirst(str(change))[:120]

    def act(self) -> None:
        undo(self.request.user, self.change)

    def get_success_url(self) -> str:
        return way_back(self.request) or listing("change")

    def context(self) -> dict[str, Any]:
        later = Change.objects.filter(about=self.change.about, pk__gt=self.change.pk)
        return {
            "change": self.change,
            "confirm": self.confirm,
            "may_undo": self.may_undo,
            "later": visible(later, self.request.user).select_related("made_by", "undone_by")[
                :MOST_LATER
            ],
            "next": self.get_success_url(),
        }


class ChangeView(UndoView):
    """Shows a change."""

    confirm = False


@admin.register(Change)
class ChangeAdmin(ReadOnly):
    screens = (("undo", "<int:pk>/undo/", UndoView),)
    list_display = ("made_at", "made_by", "done", "subject_shown", "what")
    list_display_links = ("made_at",)
    list_filter = (
        ("made_by", admin.RelatedOnlyFieldListFilter),
        ActionFilter,
        ("podcast", ShowFilter),
    )
    list_select_related = ("made_by", "undone_by", "podcast")
    search_fields = ("subject", "reason", "told", "made_by__username")
    date_hierarchy = "made_at"
    show_facets = admin.ShowFacets.ALWAYS
    list_per_page = 50

    def get_list_display(self, request: HttpRequest) -> Any:
        """With the undo that the person may do."""
        columns = super().get_list_display(request)
        if request.user.has_perm(CONFIGURE):
            return [*columns, "back"]
        return [*columns, "back_for_curators"] if request.user.has_perm(CURATE) else columns

    @admin.display(description="action", ordering="verb")
    def done(self, change: Change) -> str:
        return capfirst(change.action)

    @admin.display(description="about", ordering="subject")
    def subject_shown(self, change: Change) -> str:
        return shortened(change.subject)

    @admin.display(description="before → after")
    def what(self, change: Change) -> SafeString:
        told, more = change.told[:MOST_TOLD], len(change.told) - MOST_TOLD
        rows = ((line[0], shortened(line[1]), shortened(line[2])) for line in told)
        lines = format_html_join(
            "", '<div><b>{}</b> <del class="was">{}</del> → <ins class="now">{}</ins></div>', rows
        )
        rest = f"and {more} more" if more > 0 else ""
        reason = f"Reason: {shortened(change.reason)}" if change.reason else ""
        return lines + format_html_join(
            "", "<div>{}</div>", ((text,) for text in (rest, reason) if text)
        )

    @admin.display(description="undo")
    def back(self, change: Change) -> SafeString | str:
        if change.undone_at:
            return f"undone by {change.undone_by or 'somebody'}"
        if not change.rows:
            return ""
        alone = format_html(
            '<a href="{}">Undo…</a>', reverse("admin:episodes_change_undo", args=(change.pk,))
        )
        if not change.lot:
            return alone
        return format_html('{}<br><a href="{}">whole batch…</a>', alone, batch_at(change.lot))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Change]:
        return visible(super().get_queryset(request), request.user)

    @admin.display(description="undo")
    def back_for_curators(self, change: Change) -> SafeString | str:
        return "–" if change.sets_up and not change.undone_at else self.back(change)

    def change_view(
        self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        if request.method == "POST":
            raise PermissionDenied("History cannot be edited. Undo a change instead.")
        return self.respond(ChangeView, request, pk=object_id)
