"""Review of a queue: one decision, the next one follows, and the last one is undone with one
press."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import urlencode

from ..models import Change
from .action import ActionView, Unavailable
from .base import ReadOnly, listing, number_in
from .history import UndoView


def review_at(queue: str, **where: int | str) -> str:
    """The address of the review of a queue, at this place in it."""
    return f"{reverse(f'admin:episodes_{queue}_review')}?{urlencode(where)}"


class UndoLastView(UndoView):
    """Undoes a decision of a review. A subclass names the verbs of its decisions and the way
    back."""

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
    """Shows the next of a queue and decides about it. A subclass names the view that undoes its
    decisions."""

    viewers_may_look = True
    undo_view: type[UndoLastView]
    row_name = ""  # the parameter of addresses and forms that names a row

    def row_of(self, rows: QuerySet[Any], key: str = "pk") -> Any:
        """The row that is named, else the next one; a form is about the named one alone."""
        number, after = number_in(self.request, self.row_name), number_in(self.request, "after")
        named = rows.filter(**{key: number}).first()
        if named is None and self.request.method == "POST":
            here = review_at(self.model_admin.opts.model_name, after=number)
            raise Unavailable(here, self.undo_view.decided)
        return named or rows.filter(**{f"{key}__gt": after}).first() or rows.first()

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if "undo" in request.POST:
            return self.undo_view.as_view(model_admin=self.model_admin)(request)
        return super().dispatch(request, *args, **kwargs)

    def context(self) -> dict[str, Any]:
        mine = Change.objects.filter(
            made_by=self.request.user.pk, verb__in=self.undo_view.verbs, undone_at=None
        )
        return {"last": mine.first()}


class ReviewedAdmin(ReadOnly):
    """A table whose rows are decided about in a review; `place` is where a row stands in it."""

    place: ClassVar[Mapping[str, str]] = {}  # parameter of the review, and the column that it names

    def change_view(
        self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        if request.method == "POST":
            raise PermissionDenied("Decide about these in the review.")
        row, queue = self.get_object(request, object_id), str(self.opts.model_name)
        where = {name: getattr(row, column) for name, column in self.place.items() if row}
        return HttpResponseRedirect(review_at(queue, **where) if row else listing(queue))
