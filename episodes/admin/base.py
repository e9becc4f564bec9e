"""Parts that the admin's screens share: safe lists, filters, pages in the admin's frame, addresses of
screens, and the one way in which a screen changes something: a form, a preview, the change itself,
and the history's undo."""

from collections.abc import Callable, Mapping, Sequence
from os.path import commonprefix
from typing import Any, ClassVar, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import quote, unquote
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import DatabaseError
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path, reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.text import Truncator, capfirst, slugify
from django.views import View
from django.views.generic import FormView

from ..curation import (
    CONFIGURE,
    CURATE,
    EditConflict,
    InvalidChange,
    UndoConflict,
    require_permission,
    rolled_back,
    row_token,
    save_row,
    trouble_with_term,
)
from ..fields import web_address
from ..ingest import is_web_address
from ..models import Episode, Podcast, Source, WithdrawnEpisode
from ..text.private_addresses import conceal
from ..text.urls import with_scheme

MOST_CHOICES = 200  # of a filter; with more there is the search
QUOTED = 120  # characters of a value that a list shows
BEFORE = 60  # characters shown before the place where two texts go apart
# A regular expression can keep the database busy for hours; a filter could guess a secret letter by letter.
REFUSED_LOOKUPS = {
    "regex", "iregex", "address", "feed_url", "login", "moved_to", "rows", "said",
}  # fmt: skip
MAX_TOKENS_LENGTH = 100  # characters of the tokens of two rows
LONGEST_ID = 18  # digits that every database takes for a number


class SafeChangeList(ChangeList):
    """A list of rows. A filter in its address that the database cannot make sense of is as wrong as
    one that Django cannot read, and ends like it: back at the list with a note."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        try:
            super().__init__(*arguments, **named)
        except (DatabaseError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise IncorrectLookupParameters(error) from error

    def url_for_result(self, result: Any) -> str:
        """A page by its address: the row's number is another after the address has changed."""
        if isinstance(result, Episode | WithdrawnEpisode):
            return episode_url(result)
        return str(super().url_for_result(result))


class OptionsFilter(admin.SimpleListFilter):
    """A filter of a list with a few options, each with its label and the rows that it leaves."""

    options: ClassVar[dict[str, tuple[str, Q]]] = {}

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(name, label) for name, (label, _) in self.options.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        option = self.options.get(str(self.value()))
        return queryset.filter(option[1]) if option else queryset


def options_filter(
    title: str, parameter: str, options: dict[str, tuple[str, Q]]
) -> type[OptionsFilter]:
    """A filter of a list by its options."""
    return type(
        "Options",
        (OptionsFilter,),
        {"title": title, "parameter_name": parameter, "options": options},
    )


class CatalogAdmin(admin.ModelAdmin):
    """Base of every screen of a table: a list that no address breaks or keeps busy, and the table's
    further screens."""

    screens: ClassVar[Sequence[tuple[str, str, type[View]]]] = ()  # name, route and view of each
    tools: ClassVar[Sequence[tuple[str, str]]] = ()  # screens that the list leads to, in words
    counted: type[OptionsFilter] = OptionsFilter  # whose options the start page counts, too
    deferred: ClassVar[Sequence[str]] = ()  # columns too large for a list
    prefetched: ClassVar[Sequence[str]] = ()

    def get_urls(self) -> list[Any]:
        view, start = self.admin_site.admin_view, f"episodes_{self.opts.model_name}"
        own = [
            path(route, view(screen.as_view(model_admin=self)), name=f"{start}_{name}")
            for name, route, screen in self.screens
        ]
        # Ours come first: Django's last pattern takes every path for the number of a row.
        return [*own, *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> Any:
        return (
            super().get_queryset(request).defer(*self.deferred).prefetch_related(*self.prefetched)
        )

    def respond(
        self, view: type[View], request: HttpRequest, own: Any = (), **named: Any
    ) -> HttpResponse:
        """A page of ours in place of one of Django's; `own` are attributes of the view."""
        return cast(HttpResponse, view.as_view(model_admin=self, **dict(own))(request, **named))

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return SafeChangeList

    @property
    def list_name(self) -> str:
        """The list as the menu calls it."""
        names: dict[str, str] = getattr(self.admin_site, "names", {})
        return names.get(str(self.opts.object_name), capfirst(str(self.opts.verbose_name_plural)))

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return super().changelist_view(
            request,
            {
                "title": self.list_name,
                "tabs": cast(Any, self.admin_site).tabs(request, self.opts.object_name),
                "tools": [
                    (reverse(f"admin:episodes_{self.opts.model_name}_{name}"), words)
                    for name, words in self.tools
                ],
            },
        )

    def get_list_display(self, request: HttpRequest) -> Any:
        """The columns; that of the show where there are several."""
        several = Podcast.objects.several()
        columns = super().get_list_display(request)
        return [name for name in columns if several or not str(name).endswith("podcast")]

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """No regular expressions, and nothing that may be secret."""
        return not REFUSED_LOOKUPS & set(lookup.split("__")) and super().lookup_allowed(
            lookup, value, request
        )


class NoWritePermissions:
    """Permissions of evidence and catalog, which the admin must not write (docs/design.md: one
    writer for each kind)."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    has_change_permission = has_delete_permission = has_add_permission


class ReadOnlyAdmin(NoWritePermissions, CatalogAdmin):
    """A table to look at."""


class EpisodeScreenAdmin(ReadOnlyAdmin):
    """Episodes, which have one page of ours, by their address, for change and history alike."""

    page_view: type[View]

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **named: Any) -> Any:
        return self.respond(self.page_view, request, slug=object_id)

    history_view = change_view


class ShowFilter(admin.RelatedFieldListFilter):
    """The shows to choose from, where there are several and not too many."""

    def has_output(self) -> bool:
        # One show needs no filter, and among hundreds the search is the better way.
        return bool(self.lookup_val) or 1 < len(self.lookup_choices) <= MOST_CHOICES


class SourceFilter(ShowFilter):
    """The sources to choose from, each with its show where there are several."""

    def field_choices(
        self, field: Any, request: HttpRequest, model_admin: admin.ModelAdmin
    ) -> list[tuple[str, Any]]:
        several = Podcast.objects.several()
        rows = Source.objects.select_related("podcast").order_by("podcast__slug", "rank", "slug")
        return [(str(row.pk), row.label(several=several)) for row in rows]


# --- Pages in the admin's frame ----------------------------------------------------------------


def try_change(request: HttpRequest, act: Callable[[], object]) -> Exception | None:
    """Do it; a refusal becomes a message and is returned."""
    try:
        act()
    except (InvalidChange, EditConflict, UndoConflict) as refusal:
        messages.error(request, str(refusal))
        return refusal
    return None


def request_value(request: HttpRequest, name: str) -> str:
    """A short value that a form or an address carries, without what no database takes."""
    sent = request.POST if request.method == "POST" else request.GET
    # A zero byte is taken by no database, and nobody types more than this.
    return str(sent.get(name, "")).replace("\0", "").strip()[:2000]


def safe_next_url(request: HttpRequest) -> str:
    """The page of this site that led here; "" for none."""
    back, secure = request_value(request, "next"), request.is_secure()
    own = url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=secure)
    return back if own else ""


def request_row_id(request: HttpRequest, name: str) -> int:
    """The number of a row that a form or an address carries; 0 for none."""
    text = request_value(request, name)
    return int(text) if is_row_id(text) else 0


# --- Forms -------------------------------------------------------------------------------------


def single_show_id() -> int | None:
    """The key of the show of a catalog that has one alone."""
    # Two are enough to know that it is not alone.
    keys = list(Podcast.objects.values_list("pk", flat=True)[:2])
    return keys[0] if len(keys) == 1 else None


class AddressField(forms.CharField):
    """An address that can be asked, with the https:// that people leave out, or none."""

    def clean(self, value: Any) -> str:
        typed = with_scheme(str(super().clean(value)))
        completed = web_address(typed)
        if typed and not is_web_address(completed):
            raise ValidationError(
                f"“{conceal(typed[:80])}” is not a web address. "
                "Enter a full one such as https://example.org/page."
            )
        return completed


class LinesField(forms.CharField):
    """A list, one entry a line, each once. Rules of topics are terms of a kind."""

    widget = forms.Textarea(attrs={"rows": 6, "spellcheck": "false"})

    def __init__(self, terms: str = "", **kwargs: Any) -> None:
        # Blanks go line by line, below: they are no part of an entry.
        super().__init__(required=False, max_length=60_000, strip=False, **kwargs)
        self.terms = terms

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(map(str, value)) if isinstance(value, list) else value

    def clean(self, value: Any) -> Any:
        typed = map(str.strip, str(super().clean(value)).splitlines())
        lines = list(dict.fromkeys(filter(None, typed)))
        for line in lines:
            if self.terms and (trouble := trouble_with_term(self.terms, line)):
                raise ValidationError(f"“{line[:60]}”: {trouble}.")
        return lines


def shorten_value(value: object) -> str:
    """A value on one line, as lists quote it."""
    return Truncator(" ".join(str(value).split())).chars(QUOTED)


def trim_common_start(one: str, other: str) -> tuple[str, str]:
    """Two long texts from the words before the place where they go apart."""
    same = len(commonprefix((one, other)))  # noqa: RUF071  characters are meant
    # The cut is between words.
    start = one.rfind(" ", 0, max(0, same - BEFORE)) + 1
    mark = "…" if start else ""
    return mark + one[start:], mark + other[start:]


# --- Addresses ---------------------------------------------------------------------------------


def list_url(model: str, query: str = "") -> str:
    return reverse(f"admin:episodes_{model}_changelist") + query


def row_url(row: Any) -> str:
    return reverse(f"admin:episodes_{row._meta.model_name}_change", args=(row.pk,))


def episode_url(episode: Episode | WithdrawnEpisode) -> str:
    """The screen of an episode, by its address."""
    # By the address: a rebuild gives rows other numbers.
    return reverse(f"admin:episodes_{episode._meta.model_name}_change", args=(quote(episode.slug),))


def find_withdrawn(address: str) -> WithdrawnEpisode | None:
    """The episode that was taken out and keeps this address."""
    return (
        WithdrawnEpisode.objects.select_related("podcast", "replaced_by", "decision__made_by")
        .filter(slug=address.replace("\0", "")[:300])
        .first()
    )


def is_row_id(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= LONGEST_ID


# --- A screen that changes something -----------------------------------------------------------


# What readers find at each place, by its name and the address of its screen ("" for none).
ReaderTexts = Mapping[tuple[str, str], str]


class SubjectGone(Exception):
    """The subject of a screen is gone: the address to go to, and perhaps a message."""


class ActionView(FormView):
    """A screen that changes something. A subclass names its form, its template, and the verb of
    curation (`act`), which may say where the screen leads (`success_url`).

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
    is_below_list = True  # the list is the first part of the way back
    form_class: Any = forms.Form
    template_name = "admin/curation/action.html"
    # Texts; `{view}` stands for the view.
    title = ""
    explanation = ""
    done = ""  # the message after the change
    crumbs: Sequence[tuple[str, str]] = ()  # of the way back, after the list

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
        """The difference, as the template shows it: the places that differ, with what readers find
        at each before and after, long texts from shortly before they differ."""
        places = dict.fromkeys((*before, *after))
        both = ((one, before.get(one, ""), after.get(one, "")) for one in places)
        rows = [(*one, *trim_common_start(was, now)) for one, was, now in both if was != now]
        return {"rows": rows}

    def context(self) -> dict[str, Any]:
        """Further values for the template."""
        return {}

    # --- What all have in common ---

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        # What the form knew, against overwriting somebody else.
        self.seen = str(request.POST.get("seen", ""))[:MAX_TOKENS_LENGTH]
        self.reason = request_value(request, "reason")
        looks = self.viewers_may_look and request.method != "POST"
        if not (looks and self.model_admin.has_view_permission(request)):
            require_permission(request.user, self.permission)
        try:
            self.prepare()
            return super().dispatch(request, *args, **kwargs)
        except SubjectGone as gone:
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
        if "_preview" in self.request.POST:
            return self.page(**self.preview())
        refusal = try_change(request, self.act)
        return self.refused(refusal) if refusal else self.succeeded()

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
        # What the new preview shows is known then, and the next press may act on it.
        self.seen = ""
        return self.page(**self.preview())

    def preview(self) -> dict[str, Any]:
        """The preview, as the template shows it; a refusal is a message."""
        found: dict[str, Any] = {"looked": True}
        try_change(self.request, lambda: found.update(self.previewed()))
        return found

    def previewed(self) -> dict[str, Any]:
        return self.compare(self.look(), rolled_back(self.act, self.look))

    def page(self, **more: Any) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=self.form, **more))

    def get_form_kwargs(self) -> dict[str, Any]:
        kwargs: dict[str, Any] = super().get_form_kwargs()
        # A form that is whole in the address lets links lead to a preview at once.
        if self.filled_by_address and self.filled_by_address in self.request.GET:
            kwargs.setdefault("data", self.request.GET)
        return kwargs

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        opts, crumbs = self.model_admin.opts, self.crumbs
        if self.is_below_list:
            crumbs = [(list_url(opts.model_name), self.model_admin.list_name), *crumbs]
        return super().get_context_data(
            **{
                **self.model_admin.admin_site.each_context(self.request),
                "opts": opts,
                "title": self.title.format(view=self),
                "crumbs": crumbs,
                **self.context(),
                **more,
            }
        )

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
            # Most catalogs have one show; with several, a guess would often be wrong.
            self.initial["podcast"] = single_show_id()

    def clean_slug(self) -> str:
        # Where there is no name, that is told beside it, and nothing here.
        name = slugify(self.cleaned_data.get(self.named_by, "unnamed"))[:100]
        if slug := self.cleaned_data["slug"] or name:
            return str(slug)
        raise ValidationError("Use Latin letters and digits.")


# --- Rows of a table ---------------------------------------------------------------------------


class RowAction(ActionView):
    """A change of one row of a table, which its number names."""

    row: Any = None

    def prepare(self) -> None:
        if (number := self.kwargs.get("object_id")) is None:
            return
        self.row = self.model_admin.get_object(self.request, unquote(number))
        if self.row is None:
            opts = self.model_admin.opts
            raise SubjectGone(
                list_url(opts.model_name), f"This {opts.verbose_name} no longer exists."
            )
        # A link has a heading, too: the one that it is listed under.
        name = self.row.heading if isinstance(self.row, Source) else str(self.row)
        self.crumbs = [(row_url(self.row), name)]

    def look(self) -> Any:
        return self.model_admin.look(self.row)


class RowView(RowAction):
    """The form of a new or known row. Viewers read it."""

    title = "{view.name}"
    done = "“{view.form.instance}” was saved."

    def prepare(self) -> None:
        super().prepare()
        opts = self.model_admin.opts
        self.name = self.crumbs[0][1] if self.row else f"Add {opts.verbose_name}"
        # The row is the page itself, not a step of the way back.
        self.crumbs = ()
        self.token = self.seen or self.model_admin.seen(self.row or opts.model())

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "instance": self.row}

    def act(self) -> None:
        self.model_admin.save(self.request.user, self.form, seen=self.token, reason=self.reason)
        self.success_url = row_url(self.form.instance)

    def look(self) -> Any:
        return self.model_admin.look(self.form.instance)

    def of_row(self) -> dict[str, Any]:
        """Values that the page of a known row shows beside its form."""
        return {}

    def context(self) -> dict[str, Any]:
        self.may = self.request.user.has_perm(self.permission)
        if not self.may:
            # Viewers read the same form, and can send nothing.
            self.form.initial |= self.model_admin.masked(self.row)
            for field in self.form.fields.values():
                field.disabled = True
        return {
            "row": self.row,
            "seen": self.token,
            "may": self.may,
            "media": self.model_admin.media,
            **(self.of_row() if self.row else {}),
        }


class DeleteView(RowAction):
    """Asks before a row is deleted or hidden, and shows what that takes from episodes."""

    viewers_may_look = True
    previewed_at_once = True
    title = "{view.model_admin.delete_words}: {view.row}"

    def act(self) -> None:
        self.model_admin.delete_verb(self.request.user, self.row, **self.how)
        self.success_url = list_url(self.model_admin.opts.model_name)

    def context(self) -> dict[str, Any]:
        return {"seen": self.model_admin.seen(self.row)}


class CuratedAdmin(CatalogAdmin):
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
    show_facets = admin.ShowFacets.ALWAYS

    def save(self, user: Any, form: Any, **how: str) -> None:
        """Write what a complete form says of its row."""
        save_row(user, form.save(commit=False), **how)

    def seen(self, row: Any) -> str:
        """The token of a row as it is now."""
        return row_token(row)

    def masked(self, row: Any) -> dict[str, str]:
        """The values of fields that viewers see in place of secret ones."""
        return {}

    def look(self, row: Any) -> ReaderTexts:
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
        return self.respond(
            DeleteView,
            request,
            {"done": self.deleted, "explanation": self.delete_hint},
            object_id=object_id,
        )

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: Any = None,
    ) -> HttpResponse:
        if object_id is None and not self.has_add_permission(request):
            raise PermissionDenied
        return self.respond(
            self.view,
            request,
            {
                "permission": self.permission,
                "form_class": self.own_form,
                # An empty form has nothing to look at.
                "viewers_may_look": object_id is not None,
            },
            object_id=object_id,
        )
