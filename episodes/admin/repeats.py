"""Review of episodes that may have been published before: one decision, the next one follows."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet

from ..curation import judge_repeat
from ..fields import NOTES
from ..models import Repeat
from .base import ShowFilter, said_in
from .comparing import openings, sides
from .review import QueueView, ReviewedAdmin, UndoLastView, review_at

VERBS = ("judge replaces", "judge repeats", "judge unrelated")
DECIDED = "This pair has already been decided, by you or somebody else."
DONE = {
    "replaces": "“{view.pair.episode}” replaces “{view.pair.of}” in lists and feeds; both addresses keep working.",
    "repeats": "“{view.pair.episode}” is a rebroadcast; lists and feeds show “{view.pair.of}”, with a note.",
    "unrelated": "“{view.pair.episode}” and “{view.pair.of}” will not be proposed again.",
    "later": "",
}


def proposed() -> QuerySet[Repeat]:
    return (
        Repeat.objects.filter(accepted=False)
        .select_related("episode__podcast", "of__podcast")
        .order_by("pk")
    )


class UndoRepeatView(UndoLastView):
    """Undoes a decision of the review."""

    verbs = VERBS
    decided = DECIDED
    start = "admin:episodes_repeat_review"


class RepeatView(QueueView):
    """Shows an episode beside an earlier one and decides what it is to it; the next pair
    follows."""

    template_name = "admin/curation/repeats.html"
    title = "Published twice?"
    list_name = "All pairs"
    undo_view = UndoRepeatView
    row_name = "pair"

    def prepare(self) -> None:
        self.button = said_in(self.request, "act")
        self.pair = self.row_of(proposed())

    def act(self) -> None:
        self.done = DONE.get(self.button, "")
        if self.button != "later" and self.pair is not None:
            judge_repeat(
                self.request.user, self.pair.episode, self.pair.of, self.button, reason=self.reason
            )

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
class RepeatAdmin(ReviewedAdmin):
    place: ClassVar = {"pair": "pk"}
    screens = (("review", "review/", RepeatView),)
    list_display = ("episode", "kind", "of", "accepted", "common")
    list_filter = ("accepted", "kind", ("episode__podcast", ShowFilter))
    list_select_related = ("episode", "of")
    tools = (("review", "Review proposals one by one"),)

    @admin.display(description="in common")
    def common(self, repeat: Repeat) -> str:
        return ", ".join(repeat.evidence)
