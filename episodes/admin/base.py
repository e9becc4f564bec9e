"""Parts that the admin's screens share: safe lists, filters, pages in the admin's frame, and
addresses of screens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from os.path import commonprefix
from typing import Any, ClassVar, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import quote
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import ValidationError
from django.db import DatabaseError
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import path, reverse
from django.utils.formats import date_format
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.text import capfirst
from django.views import View

from ..curation import Conflict, Impossible, Stale, led_to, term_trouble
from ..fields import web_address
from ..ingest import is_web_address
from ..models import Episode, Podcast, Source, WithdrawnEpisode

Crumbs = Sequence[tuple[str, str]]
Option = tuple[str, Q]  # its label and the rows that it leaves
MOST_CHOICES = 200  # of a filter; with more there is the search
BEFORE = 60  # characters shown before the place where two texts go apart
LONGEST_ID = 18  # digits that every database takes for a number


class ListingAdmin(ChangeList):
    """A list of rows. A filter in its address that the database cannot make sense of is as wrong as
    one that Django cannot read, and ends like it: back at the list with a note."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        try:
            super().__init__(*arguments, **named)
        except (DatabaseError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise IncorrectLookupParameters(error) from error

    def url_for_result(self, result: Any) -> str:
        """A page by its address: the row's number is another after the address has changed."""
        by_slug = isinstance(result, Episode | WithdrawnEpisode)
        return page_of(result) if by_slug else str(super().url_for_result(result))


class OptionsFilter(admin.SimpleListFilter):
    """A filter of a list with a few options, each with the rows that it leaves."""

    options: ClassVar[dict[str, Option]] = {}

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(name, label) for name, (label, _) in self.options.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        option = self.options.get(self.value() or "")
        return queryset.filter(option[1]) if option else queryset


def options_filter(title: str, parameter: str, options: dict[str, Option]) -> type[OptionsFilter]:
    """A filter of a list by its options."""
    own = {"title": title, "parameter_name": parameter, "options": options}
    return type("Options", (OptionsFilter,), own)


class SafeAdmin(admin.ModelAdmin):
    """Base of every screen of a table: a list that no address breaks or keeps busy, and the table's
    further screens."""

    screens: ClassVar[Sequence[tuple[str, str, type[View]]]] = ()  # name, route and view of each
    tools: ClassVar[Sequence[tuple[str, str]]] = ()  # screens that the list leads to, in words
    counted: type[OptionsFilter] = OptionsFilter  # whose options the start page counts, too
    column_of_several = ""  # a column that is shown only where there are several shows

    def get_urls(self) -> list[Any]:
        view, start = self.admin_site.admin_view, f"episodes_{self.opts.model_name}"
        own = [
            path(route, view(screen.as_view(model_admin=self)), name=f"{start}_{name}")
            for name, route, screen in self.screens
        ]
        return [*own, *super().get_urls()]

    def respond(
        self, view: type[View], request: HttpRequest, own: Any = None, **named: Any
    ) -> HttpResponse:
        """A page of ours in place of one of Django's; `own` are attributes of the view."""
        return cast(HttpResponse, view.as_view(model_admin=self, **own or {})(request, **named))

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return ListingAdmin

    @property
    def list_name(self) -> str:
        """The list as the menu calls it."""
        plural = capfirst(str(self.opts.verbose_name_plural))
        names: dict[str, str] = getattr(self.admin_site, "names", {})
        return names.get(str(self.opts.object_name), plural)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        own = {
            "title": self.list_name,
            "tabs": cast(Any, self.admin_site).tabs(request, self.opts.object_name),
            "tools": [
                (reverse(f"admin:episodes_{self.opts.model_name}_{name}"), words)
                for name, words in self.tools
            ],
        }
        return super().changelist_view(request, {**own, **(extra_context or {})})

    def get_list_display(self, request: HttpRequest) -> Any:
        hidden = "" if Podcast.objects.several() else self.column_of_several
        return [column for column in super().get_list_display(request) if column != hidden]

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """No regular expressions: one can keep the database busy for hours."""
        return not {"regex", "iregex"} & set(lookup.split("__")) and super().lookup_allowed(
            lookup, value, request
        )


class NoWriting:
    """Permissions of evidence and catalog, which the admin must not write (docs/design.md: one
    writer for each kind)."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    has_change_permission = has_delete_permission = has_add_permission


class ReadOnly(NoWriting, SafeAdmin):
    """A table to look at."""

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **named: Any
    ) -> Any:
        """A page titled by its row."""
        own = {"title": self.heading(context["original"]), "subtitle": "", "history_at": ""}
        return super().render_change_form(request, {**context, **own}, *args, **named)

    def heading(self, row: Any) -> str:
        return capfirst(str(row))


class PagesBySlug(ReadOnly):
    """Episodes, which have one page of ours, by their address, for change and history alike."""

    page_view: type[View]

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **named: Any) -> Any:
        return self.respond(self.page_view, request, slug=object_id)

    history_view = change_view


class ShowFilter(admin.RelatedFieldListFilter):
    """The shows to choose from, where there are several and not too many."""

    def has_output(self) -> bool:
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


def attempt(request: HttpRequest, act: Callable[[], object]) -> Exception | None:
    """Do it; a refusal becomes a message and is returned."""
    try:
        act()
    except (Impossible, Stale, Conflict) as refusal:
        messages.error(request, str(refusal))
        return refusal
    return None


def said_in(request: HttpRequest, name: str) -> str:
    """A short value that a form or an address carries, without what no database takes."""
    sent = request.POST if request.method == "POST" else request.GET
    return str(sent.get(name, "")).replace("\0", "").strip()[:2000]


def way_back(request: HttpRequest) -> str:
    """The page of this site that led here; "" for none."""
    back, secure = said_in(request, "next"), request.is_secure()
    own = url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=secure)
    return back if own else ""


def number_in(request: HttpRequest, name: str) -> int:
    """The number of a row that a form or an address carries; 0 for none."""
    text = said_in(request, name)
    return int(text) if is_id(text) else 0


# --- Forms -------------------------------------------------------------------------------------


def only_show() -> int | None:
    """The key of the show of a catalog that has one alone."""
    keys = list(Podcast.objects.values_list("pk", flat=True)[:2])
    return keys[0] if len(keys) == 1 else None


class AddressField(forms.CharField):
    """An address that can be asked, with the https:// that people leave out, or none."""

    def clean(self, value: Any) -> str:
        typed = str(super().clean(value) or "").strip()
        completed = web_address(typed)
        if typed and not (completed and is_web_address(completed)):
            raise ValidationError(
                f"“{typed[:80]}” is not a web address. "
                "Enter a full one such as https://example.org/page."
            )
        return completed


class LinesField(forms.CharField):
    """A list, one entry a line, each once. Rules of topics are terms of a kind."""

    widget = forms.Textarea(attrs={"rows": 6, "spellcheck": "false"})

    def __init__(self, terms: str = "", **kwargs: Any) -> None:
        super().__init__(required=False, max_length=60_000, strip=False, **kwargs)
        self.terms = terms

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(map(str, value)) if isinstance(value, list) else value

    def clean(self, value: Any) -> Any:
        typed = map(str.strip, str(super().clean(value) or "").splitlines())
        lines = list(dict.fromkeys(filter(None, typed)))
        for line in lines:
            if self.terms and (trouble := term_trouble(self.terms, line)):
                raise ValidationError(f"“{line[:60]}”: {trouble}.")
        return lines


def from_difference(one: str, other: str) -> tuple[str, str]:
    """Two long texts from the words before the place where they go apart."""
    same = len(commonprefix((one, other)))  # noqa: RUF071  characters are meant
    start = one.rfind(" ", 0, max(0, same - BEFORE)) + 1
    mark = "…" if start else ""
    return mark + one[start:], mark + other[start:]


# --- Dates -------------------------------------------------------------------------------------


def date(at: datetime) -> str:
    return date_format(at, "DATE_FORMAT")


# --- Addresses ---------------------------------------------------------------------------------


def listing(model: str, query: str = "") -> str:
    return reverse(f"admin:episodes_{model}_changelist") + query


def row_at(row: Any) -> str:
    return reverse(f"admin:episodes_{row._meta.model_name}_change", args=(row.pk,))


def page_of(episode: Episode | WithdrawnEpisode) -> str:
    """The screen of an episode, by its address."""
    name = f"admin:episodes_{episode._meta.model_name}_change"
    return reverse(name, args=(quote(episode.slug),))


def withdrawn_at(address: str) -> WithdrawnEpisode | None:
    """The episode that was taken out and keeps this address."""
    rows = WithdrawnEpisode.objects.select_related("podcast", "replaced_by", "decision__made_by")
    return rows.filter(slug=address.replace("\0", "")[:300]).first()


def episode_at(address: str) -> Episode | None:
    """The episode that has this address, or had it, or whose row has this number."""
    address = address.replace("\0", "")[:300]
    row = Episode.objects.select_related("podcast").filter(pk=address if is_id(address) else 0)
    return led_to(address) or row.first()


def is_id(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= LONGEST_ID
