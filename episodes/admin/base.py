"""Parts that the admin's screens share: safe lists, filters, form fields, addresses of screens, and the one
way in which a screen changes something: a form, a preview, the change, and its undo in the history."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from os.path import commonprefix
from typing import Any, ClassVar, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import quote, unquote
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import DatabaseError
from django.db.models import Max, Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path, reverse, reverse_lazy
from django.utils.functional import cached_property
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.utils.text import Truncator, capfirst, format_lazy
from django.views import View
from django.views.generic import FormView

from ..curation import (
    CONFIGURE,
    CURATE,
    ChangeRefused,
    describe_term_fault,
    require_permission,
    row_token,
    run_and_roll_back,
    save_row,
)
from ..fields import complete_web_address_or_empty
from ..ingest import is_storable_web_address
from ..models import (
    Change,
    Episode,
    Podcast,
    Source,
    Topic,
    WithdrawnEpisode,
    topic_slugs_by_casefolded_name,
)
from ..text.private_addresses import mask_secrets
from ..text.urls import add_scheme

MAX_FILTER_CHOICES = 200  # with more, people search
ROWS_ON_PHONE = 25  # of a list
MAX_OFFERS = 4  # names that an error offers


# --- Lists of rows -------------------------------------------------------------------------------


class SafeChangeList(ChangeList):
    """A list of rows. A filter that the database cannot make sense of ends like one that Django cannot read:
    back at the list with a note."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Treat an error of the database or of a value in the address as a wrong lookup, which Django answers."""
        try:
            super().__init__(*args, **kwargs)
        except (DatabaseError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise IncorrectLookupParameters(error) from error

    def get_results(self, request: HttpRequest) -> None:
        # All browsers of phones have this in their names.
        if "Mobi" in request.headers.get("User-Agent", ""):
            self.list_per_page = ROWS_ON_PHONE
        super().get_results(request)

    def url_for_result(self, result: Any) -> str:
        return row_url(result)


class OptionsFilter(admin.SimpleListFilter):
    """A filter of a list with a few options, each with its label and its condition."""

    options: ClassVar[dict[str, tuple[str, Q]]] = {}

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(name, label) for name, (label, _) in self.options.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        # Without a choice, or with an unknown one, the list shows all rows.
        _, condition = self.options.get(str(self.value()), ("", Q()))
        return queryset.filter(condition)


def options_filter(
    title: str, parameter: str, options: dict[str, tuple[str, Q]]
) -> type[OptionsFilter]:
    return type(
        "Options",
        (OptionsFilter,),
        {"title": title, "parameter_name": parameter, "options": options},
    )


class ShowFilter(admin.RelatedFieldListFilter):
    """The shows to choose from, if there are several and not too many."""

    def has_output(self) -> bool:
        # A filter by show helps only with several shows, and with hundreds the search is easier.
        return bool(self.lookup_val) or 1 < len(self.lookup_choices) <= MAX_FILTER_CHOICES


class SourceFilter(ShowFilter):
    """The sources to choose from. With several shows, each is named with its show."""

    def field_choices(
        self, field: Any, request: HttpRequest, model_admin: admin.ModelAdmin
    ) -> list[tuple[str, Any]]:
        several = Podcast.objects.several()
        rows = Source.objects.select_related("podcast").order_by("podcast__slug", "rank", "slug")
        return [(str(row.pk), row.label(several=several)) for row in rows]


class CatalogAdmin(admin.ModelAdmin):
    """A table with a list that no address breaks or keeps busy, and the table's further screens."""

    # Name, route and view of each screen, of the list and of single rows.
    list_screens: ClassVar[Sequence[tuple[str, str, type[View]]]] = ()
    screens: ClassVar[Sequence[tuple[str, str, type[View]]]] = ()
    start_page_filter: type[OptionsFilter] = OptionsFilter  # its options are counted there
    deferred_columns: ClassVar[Sequence[str]] = ()  # too large for a list
    prefetched_relations: ClassVar[Sequence[str]] = ()

    def get_urls(self) -> list[Any]:
        wrap = self.admin_site.admin_view
        urls = []
        for name, route, view in (*self.list_screens, *self.screens):
            url_name = f"episodes_{self.opts.model_name}_{name}"
            urls.append(path(route, wrap(view.as_view(model_admin=self)), name=url_name))
        # Ours come first: Django's last pattern takes every path, as if it were the id of a row.
        return [*urls, *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> Any:
        rows = super().get_queryset(request).defer(*self.deferred_columns)
        return rows.prefetch_related(*self.prefetched_relations)

    def respond(
        self,
        view: type[View],
        request: HttpRequest,
        view_attributes: Mapping[str, Any] = {},
        **url_arguments: Any,
    ) -> HttpResponse:
        answer_request = view.as_view(model_admin=self, **view_attributes)
        return cast(HttpResponse, answer_request(request, **url_arguments))

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return SafeChangeList

    @property
    def list_name(self) -> str:
        names: dict[str, str] = getattr(self.admin_site, "names", {})
        return names.get(str(self.opts.object_name), capfirst(str(self.opts.verbose_name_plural)))

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        context = {
            "title": self.list_name,
            "tabs": cast(Any, self.admin_site).addresses_and_names_of_tabs(
                request, self.opts.object_name
            ),
            **(extra_context or {}),
        }
        return super().changelist_view(request, context)

    def get_list_display(self, request: HttpRequest) -> Any:
        columns = super().get_list_display(request)
        if Podcast.objects.several():
            return columns
        return [name for name in columns if name != "podcast"]

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        # A regular expression can keep the database busy for hours.
        expressions = {"regex", "iregex"}
        # A filter could guess a secret letter by letter. `rows` of the history and `said`, the values of a
        # feed, may have addresses of private feeds.
        secret_columns = {"address", "feed_url", "image_url", "login", "moved_to", "rows", "said"}
        if (expressions | secret_columns).intersection(lookup.split("__")):
            return False
        return super().lookup_allowed(lookup, value, request)


class NoWritePermissions:
    """Permissions of evidence and catalog, which the admin must not write (docs/design.md: one writer for
    each kind)."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    has_change_permission = has_delete_permission = has_add_permission


class ReadOnlyAdmin(NoWritePermissions, CatalogAdmin):
    """A table that people only look at."""


class EpisodeScreenAdmin(ReadOnlyAdmin):
    """A table of episodes. Each has one screen, at its address, for change and history alike."""

    episode_view: type[View]

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> Any:
        return self.respond(self.episode_view, request, slug=object_id)

    history_view = change_view


# --- Values of a request -------------------------------------------------------------------------


def request_value(request: HttpRequest, name: str) -> str:
    """Return a short value of the form, else of the address. Return "" if there is none."""
    data = request.POST if request.method == "POST" else request.GET
    # Databases refuse NUL. No honest value is longer.
    return str(data.get(name, "")).replace("\0", "").strip()[:2000]


def request_row_id(request: HttpRequest, name: str) -> int:
    return row_id_of(request_value(request, name))


def row_id_of(text: str) -> int:
    """Return the number of a row, or 0, which no row has."""
    return int(text) if is_row_id(text) else 0


def is_row_id(text: str) -> bool:
    # Longer numbers overflow the ids of some databases.
    return text.isascii() and text.isdecimal() and len(text) <= 18


def safe_next_url(request: HttpRequest) -> str:
    """Return the page of this site that a request is to lead back to, or ""."""
    url = request_value(request, "next")
    is_ours = url_has_allowed_host_and_scheme(
        url, {request.get_host()}, require_https=request.is_secure()
    )
    return url if is_ours else ""


# --- Form fields and values ----------------------------------------------------------------------


def single_show_id() -> int | None:
    # Two are enough to know that there are several.
    ids = list(Podcast.objects.values_list("pk", flat=True)[:2])
    return ids[0] if len(ids) == 1 else None


class AddressField(forms.CharField):
    """A web address. The https:// may be left out."""

    def clean(self, value: Any) -> str:
        """Return the completed web address (with a scheme), or "" for an empty field.

        Raises:
            ValidationError: it is not a web address.
        """
        typed = add_scheme(str(super().clean(value)))
        completed = complete_web_address_or_empty(typed)
        if typed and not is_storable_web_address(completed):
            raise ValidationError(
                f"“{mask_secrets(typed[:80])}” is not a web address. "
                "Enter a full one such as https://example.org/page."
            )
        return completed


def offers_url(uses: type[Model], column: str) -> Any:
    """Return the address where Django offers the rows that a foreign key may refer to."""
    query = urlencode(
        {
            "app_label": uses._meta.app_label,
            "model_name": str(uses._meta.model_name),
            "field_name": column,
        }
    )
    return format_lazy("{}?{}", reverse_lazy("admin:autocomplete"), query)


class NamedRowField(forms.ModelChoiceField):
    """A topic, person or symbol by its name or address. Names are offered while people type."""

    def __init__(self, uses: type[Model], column: str, **kwargs: Any) -> None:
        rows: Any = uses._meta.get_field(column).related_model
        attributes = {"data-offers": offers_url(uses, column), "placeholder": "name"}
        widget = forms.TextInput(attributes)
        super().__init__(rows._default_manager.all(), widget=widget, **kwargs)

    def to_python(self, value: Any) -> Any:
        """Return the one row that a name or an address means, or None for an empty field.

        Raises:
            ValidationError: no row has the name, or several do. It offers the rows with a part of it.
        """
        # PostgreSQL refuses NUL, and no name is longer.
        typed = str(value or "").replace("\0", "").strip()[:300]
        # Every name contains an empty text.
        if not typed:
            return None
        name_format = "{0} ({0.slug})"
        exact_rows = self.find_exact_rows(typed)
        rows: Any = self.queryset
        similar_rows = rows.filter(name__icontains=typed).order_by("name")[:MAX_OFFERS]
        # Without any row, too: it raises the error that nothing matches.
        if exact_rows or not similar_rows:
            return require_single_match(typed, exact_rows, name_format)
        names = ", ".join(map(name_format.format, similar_rows))
        raise ValidationError(f"“{typed[:80]}” is no whole name. Type one of them: {names}.")

    def find_exact_rows(self, typed: str) -> list[Any]:
        rows: Any = self.queryset
        return list(rows.filter(Q(slug=typed) | Q(name__iexact=typed))[:MAX_OFFERS])


class TopicField(NamedRowField):
    """A topic, also by its other names and former addresses."""

    def find_exact_rows(self, typed: str) -> list[Topic]:
        topics = super().find_exact_rows(typed)
        if topics:
            return topics
        slug = topic_slugs_by_casefolded_name().get(typed.casefold(), "")
        return list(Topic.objects.filter(slug=slug))


def require_single_match(typed: str, matches: Sequence[Any], name_format: str) -> Any:
    """Return the only row that matches what a person typed.

    Raises:
        ValidationError: no row matches, or several do. It names the first, each with its address, because
            two people or episodes may have one name.
    """
    if len(matches) == 1:
        return matches[0]
    if not matches:
        raise ValidationError(f"Nothing matches “{typed[:80]}”.")
    names = ", ".join(map(name_format.format, matches[:MAX_OFFERS]))
    raise ValidationError(f"“{typed[:80]}” could be several: {names}. Type one of them.")


class LinesField(forms.CharField):
    """A list, one entry a line, each once."""

    widget = forms.Textarea(attrs={"rows": 6, "spellcheck": "false"})

    def __init__(self, **kwargs: Any) -> None:
        # Blanks are stripped line by line, in `clean`.
        super().__init__(required=False, max_length=60_000, strip=False, **kwargs)

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(map(str, value)) if isinstance(value, list) else value

    def clean(self, value: Any) -> Any:
        lines = map(str.strip, str(super().clean(value)).splitlines())
        # `dict.fromkeys` drops equal lines and keeps the order.
        different_lines = dict.fromkeys(lines)
        different_lines.pop("", None)
        return list(different_lines)


class TermsField(LinesField):
    """The terms of a topic of one kind: "title", "notes", "links", "hints" or "excludes"."""

    def __init__(self, kind: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.kind = kind

    def clean(self, value: Any) -> Any:
        """Return the terms.

        Raises:
            ValidationError: a line is not a term of this kind.
        """
        terms = super().clean(value)
        for term in terms:
            problem = describe_term_fault(self.kind, term)
            if problem:
                raise ValidationError(f"“{term[:60]}”: {problem}.")
        return terms


def shorten_value(value: object) -> str:
    return Truncator(" ".join(str(value).split())).chars(120)


def shorten_equal_start(left: str, right: str) -> tuple[str, str]:
    """Return both texts from some 60 characters before their first difference, with "…" in place of the rest."""
    common_length = len(commonprefix((left, right)))  # noqa: RUF071  characters are meant
    latest_start = max(0, common_length - 60)
    # Behind the last space before it, so that no word is cut. Without a space this is 0.
    start = left.rfind(" ", 0, latest_start) + 1
    ellipsis = "…" if start else ""
    return ellipsis + left[start:], ellipsis + right[start:]


# --- Addresses of screens ------------------------------------------------------------------------


def list_url(model: str, query: str = "") -> str:
    return reverse(f"admin:episodes_{model}_changelist") + query


def row_url(row: Any) -> str:
    if isinstance(row, Episode | WithdrawnEpisode):
        return episode_url(row)
    opts = row._meta
    return reverse(f"admin:{opts.app_label}_{opts.model_name}_change", args=(row.pk,))


def episode_url(episode: Episode | WithdrawnEpisode) -> str:
    # Identified by slug, because a rebuild changes the ids of rows.
    return reverse(f"admin:episodes_{episode._meta.model_name}_change", args=(quote(episode.slug),))


def find_withdrawn(slug: str) -> WithdrawnEpisode | None:
    """Return the withdrawn episode that had this slug last, or None."""
    rows = WithdrawnEpisode.objects.select_related("podcast", "replaced_by", "decision__made_by")
    return rows.filter(slug=slug.replace("\0", "")[:300]).first()


# --- A screen that changes something -----------------------------------------------------------


# The texts that readers find, by the name of the page and the address of its screen ("" for none).
ReaderTexts = Mapping[tuple[str, str], str]


def name_and_no_url(name: str) -> tuple[str, str]:
    return name, ""


class SubjectGone(Exception):
    """The subject of a screen is gone: the address to go to, and a message."""

    def __init__(self, url: str, message: str = "") -> None:
        super().__init__(message)
        self.url = url


class ActionView(FormView):
    """A screen with a form that previews or makes a change, and then offers to undo it.

    A subclass has a form, a template, and `make_change`, which returns nothing: it stores its outcome in the
    view, for the message.

    The methods are called in this order:

    1. `set_view_attributes_from_address` loads the subject of the screen into the view. It may raise
       SubjectGone, which leads to another page.
    2. `get_form` makes the form. An incomplete form is shown again.
    3. GET with a form that the address fills, and POST with the preview button, call `build_preview_context`:
       `current_texts_for_preview`, `make_change` and `current_texts_for_preview` again, all rolled back, and
       then `context_of_comparison`.
    4. POST with any other button calls `make_change`. Then `respond_to_success` shows
       `format_success_message` and leads to `get_success_url`. If `make_change` raised
       ChangeRefused, nothing was written, and `respond_to_refusal` shows it.
    5. `context` gives values to the template, if a page is shown.

    Every change has a line of history, where it can be undone.
    """

    http_method_names = ("get", "head", "post")
    model_admin: Any = None
    permission = CURATE
    viewers_may_read = False  # the form, but not send it
    prefill_parameter = ""  # an address with this parameter fills the form
    starts_with_preview = False
    is_below_list = True  # the breadcrumbs begin with the list
    form_class: Any = forms.Form
    template_name = "admin/curation/action.html"
    # Texts with `{view}` in place of the view.
    title = ""
    explanation = ""
    button_label = ""  # "" for the title
    preview_noun, preview_verb = "place", "change"  # "11 places would change."
    success_message = ""
    message = ""  # replaces the success message, if `make_change` sets it
    crumbs: Sequence[tuple[str, str]] = ()  # address and label, after the list

    # --- For subclasses ---

    def set_view_attributes_from_address(self) -> None:
        """Load the subject of the screen, or raise Http404 or SubjectGone."""

    def make_change(self) -> object:
        raise NotImplementedError

    def current_texts_for_preview(self) -> Any:
        """Return the texts that readers find now: `ReaderTexts`, unless `context_of_comparison` takes others.

        A preview calls this before and after the change, and shows the differences.
        """
        return {}

    def context_of_comparison(self, before: Any, after: Any) -> dict[str, Any]:
        """Return the preview's template values: `rows` of (name, URL, old text, new text) that differ.

        Long texts are trimmed where both sides are equal.
        """
        rows = []
        # Each page once, in the order of `before`, and then new ones.
        for name, url in dict.fromkeys((*before, *after)):
            old = before.get((name, url), "")
            new = after.get((name, url), "")
            if old != new:
                old_end, new_end = shorten_equal_start(old, new)
                rows.append((name, url, old_end, new_end))
        return {"rows": rows}

    def context(self) -> dict[str, Any]:
        return {}

    # --- The same for most screens ---

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        """Read token and reason, check the permission, load the subject, and answer the request.

        If the subject is gone, redirect with a message.
        """
        # A token of the state that the form showed: a change of another state is refused. The tokens of two
        # rows have at most 100 characters.
        self.token = str(request.POST.get("seen", ""))[:100]
        self.reason = request_value(request, "reason")
        is_reading = self.viewers_may_read and request.method != "POST"
        is_viewer = is_reading and self.model_admin.has_view_permission(request)
        if not is_viewer:
            require_permission(request.user, self.permission)
        try:
            self.set_view_attributes_from_address()
            return super().dispatch(request, *args, **kwargs)
        except SubjectGone as gone:
            message = str(gone)
            # Without a message the redirect explains itself, as to the page of a withdrawn episode.
            if message:
                messages.error(request, message)
            return HttpResponseRedirect(gone.url)

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        self.form = self.get_form()
        # The form is valid only if the address filled it.
        has_preview = self.starts_with_preview or self.form.is_valid()
        # A preview makes the change before it rolls it back, so viewers get none.
        if has_preview and request.user.has_perm(self.permission):
            return self.render_preview()
        return self.render_page()

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        self.form = self.get_form()
        if not self.form.is_valid():
            return self.render_page()
        if "_preview" in request.POST:
            return self.render_preview()
        # The changes of this request get higher ids.
        last_id_before = Change.objects.aggregate(last=Max("pk", default=0))["last"]
        try:
            self.make_change()
        except ChangeRefused as refusal:
            messages.error(request, str(refusal))
            return self.respond_to_refusal()
        return self.respond_to_success(self.id_of_change_to_undo_or_empty(last_id_before))

    def id_of_change_to_undo_or_empty(self, last_id_before: int) -> str:
        """Return the id of the last change of this request, or "". Its page can undo the whole batch."""
        changes = Change.objects.filter(made_by=self.request.user.pk, pk__gt=last_id_before)
        # An import has no rows and no undo.
        undoable_newest_first = changes.exclude(rows=[])
        last_id = undoable_newest_first.values_list("pk", flat=True).first()
        return str(last_id or "")

    def respond_to_success(self, change_id: str) -> HttpResponse:
        """Show the success message with a button that undoes the change, and redirect to the next page."""
        messages.success(self.request, self.format_success_message(), extra_tags=change_id)
        return HttpResponseRedirect(self.get_success_url())

    def format_success_message(self) -> str:
        return self.message or self.success_message.format(view=self)

    def respond_to_refusal(self) -> HttpResponse:
        """Show the form as it was sent, or a preview of the present state if the screen began with one."""
        if not self.prefill_parameter:
            return self.render_page()
        return self.render_preview()

    def render_preview(self) -> HttpResponse:
        """Return the page with the preview. If the change is refused, return it with the message alone."""
        if self.prefill_parameter:
            self.forget_token_of_older_state()
        try:
            preview = self.build_preview_context()
        except ChangeRefused as refusal:
            messages.error(self.request, str(refusal))
            preview = {}
        return self.render_page(has_preview=True, **preview)

    def forget_token_of_older_state(self) -> None:
        # A form that an address fills ("Withdraw this episode…") has no values of an older state. So its preview
        # is of the present state, and the page gets the present token from `context`.
        self.token = ""

    def build_preview_context(self) -> dict[str, Any]:
        """Make the change, compare the states before and after it, and roll it back. Return template values."""
        before = self.current_texts_for_preview()
        after = run_and_roll_back(self.make_change, self.current_texts_for_preview)
        return self.context_of_comparison(before, after)

    def render_page(self, **context: Any) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=self.form, **context))

    def get_form_kwargs(self) -> dict[str, Any]:
        kwargs: dict[str, Any] = super().get_form_kwargs()
        # A link whose address fills the form leads to the preview at once.
        if self.prefill_parameter and self.prefill_parameter in self.request.GET:
            kwargs.setdefault("data", self.request.GET)
        return kwargs

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        opts = self.model_admin.opts
        crumbs = list(self.crumbs)
        if self.is_below_list:
            crumbs.insert(0, (list_url(opts.model_name), self.model_admin.list_name))
        context = {
            **self.model_admin.admin_site.each_context(self.request),
            "opts": opts,
            "title": self.title.format(view=self),
            "crumbs": crumbs,
            "token": "",
            **self.context(),
            **kwargs,
        }
        return super().get_context_data(**context)

    @property
    def change_options(self) -> dict[str, str]:
        return {"token": self.token, "reason": self.reason}


# --- Rows of a table ---------------------------------------------------------------------------


class RowAction(ActionView):
    """A change of one row of a table, which `set_view_attributes_from_address` loads into `row`."""

    row: Any = None  # stays None on the form of a new row
    row_name = ""
    preview_noun = "episode"

    def set_view_attributes_from_address(self) -> None:
        """Load the row of the address into `self.row`, its name, and the step to it into `self.crumbs`.

        Raises:
            SubjectGone: the row no longer exists.
        """
        number = self.kwargs.get("object_id")
        if number is None:
            return
        self.row = self.model_admin.get_object(self.request, unquote(number))
        if self.row is None:
            opts = self.model_admin.opts
            message = f"This {opts.verbose_name} no longer exists."
            raise SubjectGone(list_url(opts.model_name), message)
        # A source is listed by its heading. All other rows, links too, are listed by their text.
        self.row_name = self.row.heading if isinstance(self.row, Source) else str(self.row)
        self.crumbs = [(row_url(self.row), self.row_name)]

    @cached_property
    def episode_ids(self) -> set[int]:
        # Found before the change: a hidden row is in no episode.
        return set(self.model_admin.episode_ids_of_row(self.row))

    def current_texts_for_preview(self) -> Any:
        return self.model_admin.episode_texts(self.row, self.episode_ids)


class RowView(RowAction):
    """The form of a new or stored row. Viewers see it disabled, with secrets masked.

    `make_change` lets the `CuratedAdmin` of the table save the row, and a preview compares the
    admin's `episode_texts`. A subclass adds `row_context` for the page of a stored row.
    """

    title = "{view.heading}"
    read_only_explanation = ""  # for viewers
    success_message = "“{view.form.instance}” was saved."

    def set_view_attributes_from_address(self) -> None:
        super().set_view_attributes_from_address()
        opts = self.model_admin.opts
        self.heading = self.row_name if self.row else f"Add {opts.verbose_name}"
        # The row is the page itself, not a step above it.
        self.crumbs = ()
        # A page that is opened sends no token, and its form gets the present one.
        if not self.token:
            self.token = self.model_admin.token(self.row or opts.model())

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "instance": self.row}

    def get_form(self, form_class: Any = None) -> Any:
        """Return the form, and set `may` and `explanation` for the template.

        For users who may only view, disable the fields and mask secret values.
        """
        form = super().get_form(form_class)
        self.may = self.request.user.has_perm(self.permission)
        if not self.may:
            self.explanation = self.read_only_explanation
            form.initial.update(self.model_admin.masked_values(self.row))
            for field in form.fields.values():
                field.disabled = True
        return form

    def make_change(self) -> None:
        self.model_admin.save(self.request.user, self.form, **self.change_options)
        self.success_url = row_url(self.form.instance)

    def current_texts_for_preview(self) -> Any:
        return self.model_admin.episode_texts(self.form.instance, self.episode_ids)

    def row_context(self) -> dict[str, Any]:
        """Return values that the page of a stored row shows beside its form."""
        return {}

    def context(self) -> dict[str, Any]:
        context = {
            "row": self.row,
            "token": self.token,
            "may": self.may,
            "media": self.model_admin.media,
        }
        if self.row:
            context.update(self.row_context())
        return context


class DeleteView(RowAction):
    """Asks before a row is deleted or hidden, and shows the effect on episodes."""

    viewers_may_read = True
    starts_with_preview = True
    title = "{view.model_admin.delete_label}: {view.row}"

    def make_change(self) -> None:
        self.model_admin.delete_row(self.request.user, self.row, **self.change_options)
        self.success_url = list_url(self.model_admin.opts.model_name)

    def context(self) -> dict[str, Any]:
        return {"token": self.model_admin.token(self.row)}


class CuratedAdmin(CatalogAdmin):
    """A table that only curation writes. Views of ours replace Django's pages for a row.

    Django calls `changeform_view` to add or change a row, which responds with `row_view`, and
    `delete_view`, which responds with DeleteView. These views call the methods of the admin:

    - `token` when the form is shown, and `masked_values` if a viewer reads it,
    - `episode_texts` before and after the change, for a preview,
    - `save` or `delete_row` to make the change.
    """

    permission = CONFIGURE
    row_view: ClassVar[type[RowView]]
    row_form: ClassVar[Any]
    delete_row: Any = None  # the function of curation, if rows can be deleted
    delete_label = "Delete"
    delete_explanation = ""
    deleted_message = "“{view.row}” was deleted; its address redirects to the list."
    actions: Any = None
    show_facets = admin.ShowFacets.ALWAYS

    def save(self, user: Any, form: Any, **options: str) -> None:
        """Save the row of a valid form. The options are `token` and `reason`."""
        save_row(user, form.save(commit=False), **options)

    def token(self, row: Any) -> str:
        return row_token(row)

    def masked_values(self, row: Any) -> dict[str, str]:
        """Return the values that viewers see in place of secret ones, by field."""
        return {}

    def episode_ids_of_row(self, row: Any) -> Iterable[int]:
        return ()

    def episode_texts(self, row: Any, episode_ids: Collection[int]) -> ReaderTexts:
        """Return the texts of episodes that a change of the row affects."""
        return {}

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm(self.permission)

    has_add_permission = has_change_permission

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.delete_row is not None and self.has_change_permission(request)

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: Any = None
    ) -> HttpResponse:
        if not self.has_delete_permission(request):
            raise PermissionDenied
        texts = {"success_message": self.deleted_message, "explanation": self.delete_explanation}
        return self.respond(DeleteView, request, texts, object_id=object_id)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: Any = None,
    ) -> HttpResponse:
        # This view replaces Django's form: it saves the row through curation, with a line in the history.
        is_new = object_id is None
        if is_new and not self.has_add_permission(request):
            raise PermissionDenied
        view_attributes = {
            "permission": self.permission,
            "form_class": self.row_form,
            # An empty form shows viewers nothing.
            "viewers_may_read": not is_new,
        }
        return self.respond(self.row_view, request, view_attributes, object_id=object_id)
