"""Review of a queue: one decision, the next one follows, and the last one is undone with one press."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import urlencode

from ..models import Change
from .action import ActionView, Unavailable
from .base import number_in
from .history import UndoView


def review_at(queue: str, **where: int | str) -> str:
    """The address of the review of a queue, at this place in it."""
    return f"{reverse(f'admin:episodes_{queue}_review')}?{urlencode(where)}"


class UndoLastView(UndoView):
    """Undoes a decision of a review. A subclass names the verbs of its decisions and the way back."""

    done = "Undone: {view.change.action}, “{view.change.subject}”."
    verbs: tuple[str, ...] = ()
    decided = ""  # the message where there is no such decision any more
    start = ""  # the name of the review's address

    def prepare(self) -> None:
        changes = Change.objects.filter(pk=number_in(self.request, "undo"), verb__in=self.verbs)
        if not changes:
            raise Unavailable(reverse(self.start), self.decided)
        self.change = changes[0]

    def refused(self, refusal: Exception) -> HttpResponse:
        return HttpResponseRedirect(self.get_success_url())

    def get_success_url(self) -> str:
        return reverse(self.start)


class QueueView(ActionView):
    """Shows the next of a queue and decides about it. A subclass names the view that undoes its decisions."""

    viewers_may_look = True
    undo_view: type[UndoLastView]

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if "undo" in request.POST:
            return self.undo_view.as_view(model_admin=self.model_admin)(request)
        return super().dispatch(request, *args, **kwargs)

    def context(self) -> dict[str, Any]:
        mine = Change.objects.filter(made_by=self.request.user.pk, verb__in=self.undo_view.verbs, undone_at=None)
        return {"last": mine.first()}
