"""The one way in which a screen changes something: a form, a preview, the change itself, and the
history's undo."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.text import slugify
from django.views.generic import FormView

from ..curation import CONFIGURE, CURATE, require, rolled_back, state
from .base import Crumbs, SafeAdmin, attempt, from_difference, listing, only_show, row_at, said_in

Place = tuple[str, str]  # its name, and the address of its screen ("" for none)
Words = Mapping[Place, str]  # what readers find at each place


def changed_places(before: Words, after: Words) -> list[tuple[str, str, str, str]]:
    """The places that differ, by name and address, with what readers find at each before and after,
    long texts from shortly before they differ."""
    places = dict.fromkeys((*before, *after))
    both = ((one, before.get(one, ""), after.get(one, "")) for one in places)
    return [(*one, *from_difference(was, now)) for one, was, now in both if was != now]


class Unavailable(Exception):
    """The subject of a screen is gone: the address to go to, and perhaps a message."""


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
    filled_by_address = ""  # the parameter that completes the form, which is previewed at once then
    previewed_at_once = False
    form_class: Any = forms.Form
    template_name = "admin/curation/action.html"
    # Texts; `{view}` stands for the view.
    title = ""
    explanation = ""
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
        return {}

    def compare(self, before: Any, after: Any) -> dict[str, Any]:
        """The difference, as the template shows it."""
        return {"rows": changed_places(before, after)}

    def context(self) -> dict[str, Any]:
        """Further values for the template."""
        return {}

    # --- What all have in common ---

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        # What the form knew, against overwriting somebody else.
        self.seen = str(request.POST.get("seen", ""))[:64]
        self.reason = said_in(request, "reason")
        looks = self.viewers_may_look and request.method != "POST"
        if not (looks and self.model_admin.has_view_permission(request)):
            require(request.user, self.permission)
        try:
            self.prepare()
            return super().dispatch(request, *args, **kwargs)
        except Unavailable as gone:
            address, *trouble = gone.args
            for words in trouble:
                messages.error(request, words)
            return HttpResponseRedirect(address)

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        self.form = self.get_form()
        ready = self.previewed_at_once or self.form.is_valid()
        may = request.user.has_perm(self.permission)
        return self.page(**self.preview()) if ready and may else self.page()

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
        return "_preview" in self.request.POST

    def done_message(self) -> str:
        """The message after the change."""
        return self.done.format(view=self)

    def succeeded(self) -> HttpResponse:
        if self.done:
            messages.success(self.request, self.done_message())
        return HttpResponseRedirect(self.get_success_url())

    def refused(self, refusal: Exception) -> HttpResponse:
        """The form as it was sent; a preview that was shown at once is shown as things are now."""
        self.seen = "" if self.filled_by_address else self.seen
        return self.page(**self.preview()) if self.filled_by_address else self.page()

    def preview(self) -> dict[str, Any]:
        """The preview, as the template shows it; a refusal is a message."""
        found: dict[str, Any] = {"looked": True}
        attempt(self.request, lambda: found.update(self.previewed()))
        return found

    def previewed(self) -> dict[str, Any]:
        before = self.look()
        return self.compare(before, rolled_back(self.act, self.look))

    def page(self, **more: Any) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=self.form, **more))

    def get_form_kwargs(self) -> dict[str, Any]:
        kwargs: dict[str, Any] = super().get_form_kwargs()
        if self.filled_by_address and self.filled_by_address in self.request.GET:
            kwargs.setdefault("data", self.request.GET)
        return kwargs

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        title = self.title.format(view=self)
        crumbs = [*self.list_crumb(), *self.crumbs]
        own = {"opts": self.model_admin.opts, "title": title, "crumbs": crumbs}
        shared = self.model_admin.admin_site.each_context(self.request)
        return super().get_context_data(**{**shared, **own, **self.context(), **more})

    def list_crumb(self) -> Crumbs:
        return [(listing(self.model_admin.opts.model_name), self.model_admin.list_name)]

    @property
    def how(self) -> dict[str, str]:
        """The arguments that most verbs take beside their subject."""
        return {"seen": self.seen, "reason": self.reason}


class SluggedForm(forms.ModelForm):
    """A topic or path, of one show or of all; an empty slug is made from its name."""

    named_by: ClassVar[str]
    all_shows: ClassVar[str]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["slug"].required = False
        self.fields["podcast"].empty_label = self.all_shows  # type: ignore[attr-defined]
        if self.instance._state.adding:
            self.initial["podcast"] = only_show()

    def clean_slug(self) -> str:
        name = slugify(self.cleaned_data.get(self.named_by, ""))[:100]
        if slug := self.cleaned_data["slug"] or name:
            return str(slug)
        raise ValidationError("Use Latin letters and digits.")


# --- Rows of a table ---------------------------------------------------------------------------


class RowAction(ActionView):
    """A change of one row of a table, which its number names; it leads back to the row."""

    row: Any = None

    def prepare(self) -> None:
        number = self.kwargs.get("object_id")
        if number is None:
            return
        opts = self.model_admin.opts
        self.row = self.model_admin.get_object(self.request, unquote(number))
        if self.row is None:
            raise Unavailable(
                listing(opts.model_name), f"This {opts.verbose_name} no longer exists."
            )
        self.crumbs = [(row_at(self.row), str(getattr(self.row, "heading", self.row)))]

    def get_success_url(self) -> str:
        return row_at(self.row)


class RowView(RowAction):
    """The form of a new or known row. Viewers read it."""

    title = "{view.name}"
    done = "“{view.form.instance}” was saved."

    def prepare(self) -> None:
        super().prepare()
        opts = self.model_admin.opts
        self.name = self.crumbs[0][1] if self.row else f"Add {opts.verbose_name}"
        self.crumbs = ()
        self.token = self.seen or self.model_admin.seen(self.row or opts.model())

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "instance": self.row}

    def get_success_url(self) -> str:
        return row_at(self.form.instance)

    def context(self) -> dict[str, Any]:
        may = self.request.user.has_perm(self.permission)
        for field in () if may else self.form.fields.values():
            field.disabled = True
        return {"row": self.row, "seen": self.token, "may": may, "media": self.model_admin.media}


class DeleteView(RowAction):
    """Asks before a row is deleted or hidden, and shows what that takes from episodes."""

    viewers_may_look = True
    previewed_at_once = True
    title = "{view.model_admin.delete_words}: {view.row}"

    def act(self) -> None:
        self.model_admin.delete_verb(self.request.user, self.row, **self.how)

    def look(self) -> Any:
        return self.model_admin.look(self.row)

    def get_success_url(self) -> str:
        return listing(self.model_admin.opts.model_name)

    def context(self) -> dict[str, Any]:
        return {"seen": self.model_admin.seen(self.row)}


class CuratedAdmin(SafeAdmin):
    """A table whose rows only a verb of curation writes, through a view of ours in place of
    Django's form."""

    permission = CONFIGURE
    view: ClassVar[type[RowView]]
    own_form: ClassVar[Any]
    delete_verb: Any = None  # for rows that can be deleted
    delete_words = "Delete"
    delete_hint = ""
    deleted = "“{view.row}” was deleted; its address redirects to the list."
    actions: Any = None

    def seen(self, row: Any) -> str:
        """The token of a row as it is now."""
        return state(row)

    def look(self, row: Any) -> Words:
        """The words of the episodes that a change of the row touches."""
        return {}

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm(self.permission)

    has_add_permission = has_change_permission

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.delete_verb is not None and self.has_change_permission(request)

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: Any = None
    ) -> HttpResponse:
        if not self.has_delete_permission(request):
            raise PermissionDenied
        own = {"done": self.deleted, "explanation": self.delete_hint}
        return self.respond(DeleteView, request, own, object_id=object_id)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: Any = None,
    ) -> HttpResponse:
        if object_id is None and not self.has_add_permission(request):
            raise PermissionDenied
        own = {"permission": self.permission, "form_class": self.own_form}
        may_look = object_id is not None
        return self.respond(
            self.view, request, {**own, "viewers_may_look": may_look}, object_id=object_id
        )
