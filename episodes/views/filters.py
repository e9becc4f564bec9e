"""Filters that are read from an address, and complaints about values that cannot be read."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Set
from functools import cache, cached_property
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import EMPTY_VALUES
from django.db.models import Model, QuerySet
from django.db.models.functions import Substr, Upper
from django.utils.text import Truncator
from django_filters import Filter, FilterSet

from ..models import MAX_QUERY_TERMS, Podcast
from ..text.urls import is_campaign_parameter
from .selection import QueryChoice, Selection

MAX_QUERY_LENGTH = 200  # characters
MAX_COMPLAINTS = 5
TOO_MANY_TERMS = f"only the first {MAX_QUERY_TERMS} words were searched"


class KnownSlugsField(forms.MultipleChoiceField):
    """A field of several slugs. Unknown and repeated ones are dropped."""

    valid_slugs: Container[str] = ()

    def clean(self, slugs: Iterable[str]) -> list[str]:
        return [slug for slug in dict.fromkeys(slugs) if slug in self.valid_slugs]


class KnownValueField(forms.CharField):
    """A field that takes a value if some row of the catalog has it in a column."""

    def __init__(self, *, model: type[Model], column: str = "slug", **kwargs: Any) -> None:
        super().__init__(strip=False, max_length=255, **kwargs)
        self.rows = model._default_manager
        self.column = column

    def clean(self, value: str | None) -> str:
        cleaned: str = super().clean(value)
        if cleaned and not self.rows.filter(**{self.column: cleaned}).exists():
            raise ValidationError("unknown")
        return cleaned


class AddressParameter(Filter):  # type: ignore[misc]
    """A parameter of an address: the field that reads it, and the queryset method that applies it.

    Without a method it compares the column of its name.
    """

    def __init__(self, field_class: type[forms.Field], method: str = "", **options: Any) -> None:
        super().__init__(**options)
        self.field_class = field_class
        self.queryset_method = method

    def __deepcopy__(self, memo: object) -> AddressParameter:
        # It holds no state of a request, and copying all of them takes as long as a query.
        return self

    def filter(self, rows: QuerySet[Any], value: Any) -> QuerySet[Any]:
        filtered: QuerySet[Any]
        if not self.queryset_method:
            filtered = super().filter(rows, value)  # by the column of its name
            return filtered
        filter_by_value = getattr(rows, self.queryset_method)
        filtered = filter_by_value(value)
        return filtered


class ShowParameter(AddressParameter):
    """The parameter for a show: keeps the rows that its episodes have, by a model that joins the two."""

    def __init__(self, join_model: type[Model], column: str) -> None:
        super().__init__(KnownValueField, model=Podcast)
        self.joined_rows = join_model._default_manager
        self.column = column

    def filter(self, rows: QuerySet[Any], slug: str) -> QuerySet[Any]:
        joined = self.joined_rows.filter(episode__podcast__slug=slug).order_by()
        return rows.filter(pk__in=joined.values(self.column))


class AddressFilters(FilterSet):  # type: ignore[misc]
    """The filters in an address, as far as their values can be read."""

    @classmethod
    @cache
    def get_form_class(cls) -> type[forms.Form]:
        """Return the form that reads the parameters. django-filter would make its class for every page."""
        fields = {name: parameter.field for name, parameter in cls.base_filters.items()}
        return type(f"{cls.__name__}Form", (forms.Form,), fields)

    @cached_property
    def values(self) -> dict[str, Any]:
        self.form.full_clean()
        cleaned: dict[str, Any] = self.form.cleaned_data
        return cleaned

    @cached_property
    def selection(self) -> Selection:
        """Return the readable values as texts, to make addresses of other lists from."""
        texts = {}
        for name, value_or_values in self.values.items():
            # Only parameters that may be repeated, such as `topic`, have a list.
            is_list = isinstance(value_or_values, list)
            values = value_or_values if is_list else [value_or_values]
            texts[name] = tuple(str(value) for value in values if value not in EMPTY_VALUES)
        return Selection(texts, parameters=tuple(self.base_filters))

    @cached_property
    def active(self) -> dict[str, Any]:
        return {name: self.values[name] for name, _ in self.selection.narrowing_pairs()}

    def filtered_rows(self, *, ignoring: Set[str] = frozenset()) -> Any:
        """Return the rows that pass every filter that is not in `ignoring`, in no order."""
        rows = self.queryset.order_by()
        # Sorted, so that the same filters always give the same statement.
        for name in sorted(self.active):
            if name not in ignoring:
                rows = self.filters[name].filter(rows, self.active[name])
        return rows

    def complaints(self) -> list[str]:
        """Return a sentence for each value of the address that is ignored, at most MAX_COMPLAINTS."""
        unique_complaints = dict.fromkeys(self._iterate_complaints_about_ignored_values())
        return list(unique_complaints)[:MAX_COMPLAINTS]

    def _iterate_complaints_about_ignored_values(self) -> Iterator[str]:
        for name in self.form.errors:
            yield _COMPLAINTS[name].format(shorten_to_printable(self.data[name]))
        for name, value in self.data.items():
            is_expected = name in self.base_filters or name == "page"
            # Parameters of campaigns come with links from other sites. No reader chose them.
            is_chosen_by_reader = value.strip() != "" and not is_campaign_parameter(name)
            if is_chosen_by_reader and not is_expected:
                yield f"unknown filter “{shorten_to_printable(name)}”"


_COMPLAINTS = {
    "q": "we can’t search for “{}”",
    "year": "“{}” is not a year",
    "month": "“{}” is not a month such as 2021-03",
    "length": "“{}” is not a range of minutes such as 15-20",
    "minutes": "“{}” is not a number of minutes from 1 to 1440",
    "min_minutes": "“{}” is not a number of minutes",
    "max_minutes": "“{}” is not a number of minutes",
    "source": "unknown source “{}”",
    "person": "unknown person “{}”",
    "link_kind": "“{}” is not a kind of link",
    "podcast": "unknown show “{}”",
    "language": "no show is in the language “{}”",
    "skip": "“{}” is not a number of playlists up to 20",
    "letter": "“{}” is not one letter",
    "kind": "“{}” is not a kind of link",
    "repository": "no link leads to a repository “{}”",
    "topic": "unknown topic “{}”",
    "shared": "“{}” is not 1",
    "sort": "“{}” is not a sort option",
    "as_typed": "“{}” is not 1",
}


def shorten_to_printable(text: str) -> str:
    """Return a reader's text in at most 40 printable characters."""
    # Characters that turn the direction of a line are not printable either.
    printable = "".join(c if c.isprintable() else "�" for c in text.strip())
    return Truncator(printable).chars(40)


def letter_choices(index: AddressFilters, column: str) -> list[QueryChoice]:
    selection = index.selection
    first_letter = Upper(Substr(column, 1, 1))
    # Ignoring the selected letter, so that a reader can choose another.
    rows = index.filtered_rows(ignoring={"letter"}).annotate(first=first_letter)
    choices = []
    for letter in rows.order_by("first").values_list("first", flat=True).distinct():
        query = selection.switched("letter", letter).query()
        choices.append(QueryChoice(letter, query, letter == selection.first("letter")))
    return choices
