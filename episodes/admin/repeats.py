"""Review of episodes that may have been published before: one decision, the next one follows."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path, reverse
from django.utils.http import urlencode

from ..curation import Impossible, judge_repeat, undo
from ..fields import NOTES
from ..models import Change, Repeat
from .base import ReadOnly, attempt, is_id, listing, said_in, screen
from .comparing import openings, sides

VERBS = ("judge replaces", "judge repeats", "judge unrelated")
DONE = {
    "replaces": "“{later}” replaces “{earlier}” in lists and feeds; both addresses keep answering.",
    "repeats": "“{later}” is a rebroadcast; lists and feeds show “{earlier}”, with a note.",
    "unrelated": "“{later}” and “{earlier}” are not proposed again.",
}


def review_at(**where: int | str) -> str:
    return f"{reverse('admin:episodes_repeat_review')}?{urlencode(where)}"


def proposed() -> QuerySet[Repeat]:
    return Repeat.objects.filter(accepted=False).select_related("episode__podcast", "of__podcast").order_by("pk")


@admin.register(Repeat)
class RepeatAdmin(ReadOnly):
    list_display = ("episode", "kind", "of", "accepted", "common")
    list_filter = ("accepted", "kind", "episode__podcast")
    list_select_related = ("episode", "of")
    change_list_template = "admin/curation/repeat_list.html"

    def get_urls(self) -> list[Any]:
        review = self.admin_site.admin_view(self.review)
        return [path("review/", review, name="episodes_repeat_review"), *super().get_urls()]

    @admin.display(description="in common")
    def common(self, repeat: Repeat) -> str:
        return ", ".join(repeat.evidence)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        return super().changelist_view(request, {"title": "Published twice", **(extra_context or {})})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if request.method == "POST":
            raise PermissionDenied("What was published twice is decided about in its review.")
        known = is_id(object_id) and proposed().filter(pk=object_id).exists()
        return HttpResponseRedirect(review_at(pair=object_id) if known else listing("repeat"))

    def review(self, request: HttpRequest) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        if request.method != "POST":
            return self._show(request)
        if not request.user.has_perm("episodes.curate"):
            raise PermissionDenied("Only curators may do that.")
        return _undo(request) if "undo" in request.POST else _act(request)

    def _show(self, request: HttpRequest) -> HttpResponse:
        pair = _wanted(said_in(request, "pair"), said_in(request, "after"))
        last = Change.objects.filter(made_by=request.user.pk, verb__in=VERBS, undone_at=None).first()
        more: dict[str, Any] = {"pair": pair, "last": last, "total": proposed().count()}
        if pair:
            later, earlier = pair.episode, pair.of
            more["place"] = proposed().filter(pk__lte=pair.pk).count()
            more["lines"] = sides(later, earlier)
            more["texts"] = openings(NOTES.shown(later), NOTES.shown(earlier))
        return screen(self, request, "repeats", "Published twice?", [(listing("repeat"), "All of them")], **more)


def _act(request: HttpRequest) -> HttpResponse:
    number, act = said_in(request, "pair"), said_in(request, "act")
    pair = proposed().filter(pk=int(number)).first() if is_id(number) else None
    if pair is None:
        attempt(request, _gone, "")
        return HttpResponseRedirect(review_at(after=number if is_id(number) else 0))
    if act != "later":
        later, earlier, reason = pair.episode, pair.of, said_in(request, "reason")
        done = DONE.get(act, "").format(later=later.heading, earlier=earlier.heading)
        if attempt(request, lambda: judge_repeat(request.user, later, earlier, act, reason=reason), done):
            return HttpResponseRedirect(review_at(pair=pair.pk))
    return HttpResponseRedirect(review_at(after=pair.pk))


def _undo(request: HttpRequest) -> HttpResponse:
    number = said_in(request, "undo")
    last = Change.objects.filter(pk=number, verb__in=VERBS).first() if is_id(number) else None
    if last is None:
        attempt(request, _gone, "")
    else:
        attempt(request, lambda: undo(request.user, last), f"Undone: what was decided about “{last.subject}”.")
    return HttpResponseRedirect(review_at())


def _gone() -> None:
    raise Impossible("This was decided already, by you or by somebody else.")


def _wanted(number: str, after: str) -> Repeat | None:
    """The pair that is asked for, else the first after another, else the first of all."""
    rows = proposed()
    if is_id(number) and (pair := rows.filter(pk=int(number)).first()) is not None:
        return pair
    following = rows.filter(pk__gt=int(after)).first() if is_id(after) else None
    return following or rows.first()
