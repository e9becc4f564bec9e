"""Review of episodes that may have been published before: one decision, the next one follows."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from ..curation import judge_repeat
from ..fields import NOTES
from ..models import Repeat
from .action import Unavailable
from .base import ReadOnly, ShowFilter, is_id, listing, number_in, said_in
from .comparing import openings, sides
from .review import QueueView, UndoLastView, review_at

VERBS = ("judge replaces", "judge repeats", "judge unrelated")
DECIDED = "This pair has already been decided, by you or somebody else."
DONE = {
    "replaces": "“{view.pair.episode}” replaces “{view.pair.of}” in lists and feeds; both addresses keep working.",
    "repeats": "“{view.pair.episode}” is a rebroadcast; lists and feeds show “{view.pair.of}”, with a note.",
    "unrelated": "“{view.pair.episode}” and “{view.pair.of}” will not be proposed again.",
    "later": "",
}


def proposed() -> QuerySet[Repeat]:
    return Repeat.objects.filter(accepted=False).select_related("episode__podcast", "of__podcast").order_by("pk")


class UndoRepeatView(UndoLastView):
    """Undoes a decision of the review."""

    verbs = VERBS
    decided = DECIDED
    start = "admin:episodes_repeat_review"


class RepeatView(QueueView):
    """Shows an episode beside an earlier one and decides what it is to it; the next pair follows."""

    template_name = "admin/curation/repeats.html"
    title = "Published twice?"
    list_name = "All pairs"
    undo_view = UndoRepeatView

    def prepare(self) -> None:
        self.button = said_in(self.request, "act")
        after, number = number_in(self.request, "after"), number_in(self.request, "pair")
        found = proposed().filter(pk=number).first()
        if found is None and self.request.method == "POST":
            raise Unavailable(review_at("repeat", after=number), DECIDED)
        self.pair = found or proposed().filter(pk__gt=after).first() or proposed().first()

    def act(self) -> None:
        self.done = DONE.get(self.button, "")
        if self.button != "later" and self.pair is not None:
            judge_repeat(self.request.user, self.pair.episode, self.pair.of, self.button, reason=self.reason)

    def get_success_url(self) -> str:
        assert self.pair is not None, "a post has one"
        return review_at("repeat", after=self.pair.pk)

    def context(self) -> dict[str, Any]:
        context = super().context() | {"pair": self.pair, "total": proposed().count()}
        if self.pair is not None:
            later, earlier = self.pair.episode, self.pair.of
            context |= {
                "place": proposed().filter(pk__lte=self.pair.pk).count(),
                "lines": sides(later, earlier),
                "texts": openings(NOTES.shown(later), NOTES.shown(earlier)),
            }
        return context


@admin.register(Repeat)
class RepeatAdmin(ReadOnly):
    screens = (("review", "review/", RepeatView),)
    list_display = ("episode", "kind", "of", "accepted", "common")
    list_filter = ("accepted", "kind", ("episode__podcast", ShowFilter))
    list_select_related = ("episode", "of")
    change_list_template = "admin/curation/repeat_list.html"

    @admin.display(description="in common")
    def common(self, repeat: Repeat) -> str:
        return ", ".join(repeat.evidence)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        return super().changelist_view(request, {"title": "Published twice", **(extra_context or {})})

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method == "POST":
            raise PermissionDenied("Decide these episodes in the review.")
        known = is_id(object_id) and proposed().filter(pk=object_id).exists()
        return HttpResponseRedirect(review_at("repeat", pair=object_id) if known else listing("repeat"))
