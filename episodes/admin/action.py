"""The one way in which a screen changes something: a form, a preview, the change itself, and the
history's undo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.generic import FormView

from ..curation import CURATE, require, rolled_back
from .base import Crumbs, attempt, frame, listing, said_in


class Unavailable(Exception):
    """The subject of a screen is gone: leads to `address`, with the message."""

    def __init__(self, address: str, message: str = "") -> None:
        super().__init__(message)
        self.address = address


class ActionView(FormView):
    """A screen that changes something. A subclass names its form, its template, and the verb of
    curation (`act`).

    An incomplete form is shown again. The preview button makes the change for real, compares what
    `look` sees before and after, and rolls it back. Everything else that is posted makes the
    change; a refusal is shown, and nothing is written. Every verb keeps a line of history, which
    undoes it.
    """

    http_method_names = ("get", "head", "post")
    model_admin: Any = None
    permission = CURATE
    viewers_may_look = False  # at the form, as long as it is not sent
    filled_by_address = (
        ""  # the parameter of the address that completes the form, which is previewed at once then
    )
    preview_button = "_preview"
    seen_fields: Sequence[str] = ("seen",)  # what the form knew, against overwriting somebody else
    form_class: Any = forms.Form
    template_name = "admin/curation/action.html"
    # Texts; `{view}` stands for the view.
    title = ""
    done = ""  # the message after the change
    crumbs: Crumbs = ()  # of the way back, after the list

    # --- What a screen says of itself ---

    def prepare(self) -> None:
        """Load what the screen is about, or raise Http404 or Unavailable."""

    def act(self) -> object:
        """The change."""
        raise NotImplementedError

    def look(self) -> Any:
        """Values that a preview compares, read before and after the change."""

    def compare(self, before: Any, after: Any) -> dict[str, Any]:
        """The preview, as the template shows it."""
        return {"after": after}

    def context(self) -> dict[str, Any]:
        """Further values for the template."""
        return {}

    # --- What all have in common ---

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        self.seen = [
            value[:64] for name in self.seen_fields for value in request.POST.getlist(name)
        ]

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        looks = self.viewers_may_look and request.method != "POST"
        if not (looks and self.model_admin.has_view_permission(request)):
            require(request.user, self.permission)
        try:
            self.prepare()
            return super().dispatch(request, *args, **kwargs)
        except Unavailable as reason:
            if str(reason):
                messages.error(request, str(reason))
            return HttpResponseRedirect(reason.address)

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        self.form = self.get_form()
        return self.page(**self.preview()) if self.form.is_valid() else self.page()

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        self.form = self.get_form()
        if not self.form.is_valid():
            return self.page()
        if self.asks():
            return self.page(**self.preview())
        refusal = attempt(request, self.act)
        return self.refused(refusal) if refusal else self.succeeded()

    def asks(self) -> bool:
        """True where a complete form wants the preview."""
        return self.preview_button in self.request.POST

    def done_message(self) -> str:
        """The message after the change."""
        return self.done.format(view=self)

    def succeeded(self) -> HttpResponse:
        if self.done:
            messages.success(self.request, self.done_message())
        return HttpResponseRedirect(self.get_success_url())

    def refused(self, refusal: Exception) -> HttpResponse:
        """The form as it was sent; a preview that was shown at once is shown as things are now."""
        if not self.filled_by_address:
            return self.page()
        self.seen = []
        return self.page(**self.preview())

    def preview(self) -> dict[str, Any]:
        found: dict[str, Any] = {"looked": True}
        before = self.look()
        attempt(
            self.request,
            lambda: found.update(self.compare(before, rolled_back(self.act, self.look))),
        )
        return found

    def page(self, **more: Any) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=self.form, **more))

    def get_form_kwargs(self) -> dict[str, Any]:
        kwargs: dict[str, Any] = super().get_form_kwargs()
        if self.filled_by_address and self.filled_by_address in self.request.GET:
            kwargs.setdefault("data", self.request.GET)
        return kwargs

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        title = self.title.format(view=self)
        context = frame(self.model_admin, self.request, title, [*self.list_crumb(), *self.crumbs])
        return super().get_context_data(**{**context, **self.context(), **more})

    def list_crumb(self) -> Crumbs:
        admin = self.model_admin
        return [(listing(admin.opts.model_name), admin.list_name)]

    @property
    def reason(self) -> str:
        return said_in(self.request, "reason")

    @property
    def seen_first(self) -> str:
        return self.seen[0] if self.seen else ""
