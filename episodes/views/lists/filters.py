"""Reads what an address asks of a list, narrows the episode list by it, and says what it could not read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import cast

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import QueryDict
from django_filters import Filter, FilterSet

from ...models import EpisodeQuerySet, FormerTopic, Person, Podcast, Source, Topic
from ...search import MOST_TERMS, parse_query, prepare, relaxed
from ...search import PreparedQuery as AskedFor
from ...site import Site
from ...text.formatting import is_month
from ...text.link_labels import KINDS
from .length_bands import band, is_band
from .selection import NAMES, Selection

UNKNOWN_YEAR = "unknown"
SORTS = {
    "match": "Best match",
    "newest": "Newest",
    "oldest": "Oldest",
    "shortest": "Shortest",
    "longest": "Longest",
}
LONGEST_QUERY = 200
LONGEST_QUOTE = 40
MOST_NOTES = 5
LENGTHS = ("length", "min_minutes", "max_minutes")
SLUG = re.compile(r"[-a-zA-Z0-9_]{1,100}")
# Added to addresses by mail programs and advertisers; no reader typed them.
NOT_ASKED = ("utm_", "fbclid", "gclid", "mc_cid", "mc_eid")

COMPLAINTS = {
    "q": "we can’t search for “{}”",
    "topic": "unknown topic “{}”",
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
    "kind": "“{}” is not a kind of link",
    "repository": "no link leads to a repository “{}”",
    "directory": "no link leads to a file in “{}”",
    "sort": "“{}” is not a sort option",
}


TOO_MANY_TERMS = f"only the first {MOST_TERMS} words were searched"


def storable(value: str) -> None:
    """Refuse halves of characters, which no database takes."""
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise ValidationError("invalid character")


class Words(Filter):  # type: ignore[misc]
    field_class = forms.CharField


class Minutes(Filter):  # type: ignore[misc]
    field_class = forms.IntegerField


class FilterChoice(Filter):  # type: ignore[misc]
    field_class = forms.ChoiceField


class YearField(forms.CharField):
    """Four digits, or the word for episodes whose date nobody knows."""

    def clean(self, value: str | None) -> str:
        year = super().clean(value) or ""
        if year in ("", UNKNOWN_YEAR):
            return year
        if not (year.isascii() and year.isdecimal() and len(year) == 4 and year > "1000"):
            raise ValidationError("not a year")
        return year


class YearFilter(Filter):  # type: ignore[misc]
    field_class = YearField


class MonthField(forms.CharField):
    """A year and a month: `2021-03`."""

    def clean(self, value: str | None) -> str:
        month = super().clean(value) or ""
        if month and not is_month(month):
            raise ValidationError("not a month")
        return month


class MonthFilter(Filter):  # type: ignore[misc]
    field_class = MonthField


class BandField(forms.CharField):
    """A band of lengths: `15-20`, or `unknown`."""

    def clean(self, value: str | None) -> str:
        length = super().clean(value) or ""
        if length and not is_band(length):
            raise ValidationError("not a band of lengths")
        return length


class BandFilter(Filter):  # type: ignore[misc]
    field_class = BandField


class KnownField(forms.MultipleChoiceField):
    """Several choices of which the unknown ones are dropped, each once."""

    def clean(self, value: Iterable[str] | None) -> list[str]:
        return [v for v in dict.fromkeys(value or ()) if self.valid_value(v)]


class KnownValues(Filter):  # type: ignore[misc]
    field_class = KnownField


def slugs(rows: QuerySet[Podcast] | QuerySet[Source] | QuerySet[Person]) -> list[tuple[str, str]]:
    return [(slug, slug) for slug in rows.order_by("slug").values_list("slug", flat=True).distinct()]


class AppliedFilters:
    """What an address asks of a list: its values as far as they can be read, and complaints about the others."""

    names: tuple[str, ...]
    data: QueryDict
    form: forms.Form

    @cached_property
    def cleaned(self) -> dict[str, object]:
        self.form.full_clean()
        return self.form.cleaned_data

    @property
    def selection(self) -> Selection:
        chosen = {}
        for name, value in self.cleaned.items():
            values = value if isinstance(value, list) else [] if value in (None, "") else [value]
            chosen[name] = tuple(str(v) for v in values)
        return Selection(chosen, self.names)

    def complaints(self) -> list[str]:
        """What of the address was left out of account and why, in words, no more than a reader wants to read."""
        found = list(dict.fromkeys(self._complaints()))
        more = len(found) - MOST_NOTES
        return found[:MOST_NOTES] + ([f"and {more} more"] if more > 0 else [])

    def _complaints(self) -> Iterator[str]:
        for name in self.data:
            if name in self.names:
                yield from self._unread(name, [value.strip() for value in self.data.getlist(name)])
            elif any(self.data.getlist(name)) and name != "page" and not name.startswith(NOT_ASKED):
                yield f"unknown filter “{quoted(name)}”"

    def _unread(self, name: str, given: list[str]) -> Iterator[str]:
        several = isinstance(self.form.fields[name], KnownField)
        if several:
            wrong = [value for value in given if value and value not in self.selection.all(name)]
        else:
            wrong = given[-1:] if name in self.form.errors else []
        yield from (COMPLAINTS[name].format(quoted(value)) for value in wrong)
        if not several and len(set(given)) > 1:
            yield f"only the last value of {name.replace('_', ' ')} counts"


class EpisodeFilter(AppliedFilters, FilterSet):  # type: ignore[misc]
    """The filters of the contract; a value that cannot be read narrows nothing and is complained of."""

    names = NAMES

    q = Words(method="matching", max_length=LONGEST_QUERY, validators=[storable])
    topic = KnownValues(method="about")
    year = YearFilter(method="from_year", max_length=20)
    month = MonthFilter(method="from_month", max_length=20)
    length = BandFilter(method="as_long_as", max_length=20)
    person = FilterChoice(method="with_person", choices=lambda: slugs(Person.objects.all()))
    source = FilterChoice(method="told_by", choices=lambda: slugs(Source.objects.all()))
    link_kind = FilterChoice(method="linking_to", choices=list(KINDS.items()))
    min_minutes = Minutes(method="at_least", min_value=0, max_value=100_000)
    max_minutes = Minutes(method="at_most", min_value=0, max_value=100_000)
    podcast = FilterChoice(method="of_show", choices=lambda: slugs(Podcast.objects.all()))
    sort = FilterChoice(method="in_order", choices=list(SORTS.items()))

    def __init__(self, data: QueryDict, queryset: EpisodeQuerySet, topics: Mapping[str, Topic]) -> None:
        super().__init__(with_current_topics(data, topics), queryset=queryset)
        cast(KnownField, self.form.fields["topic"]).choices = [(slug, slug) for slug in topics]

    def _complaints(self) -> Iterator[str]:
        yield from super()._complaints()
        if parse_query(self.selection.one("q")).cut:
            yield TOO_MANY_TERMS

    def narrowed(self, *but: str) -> EpisodeQuerySet:
        """The episodes that pass every filter, those named in `but` aside; in no order."""
        found: EpisodeQuerySet = self.queryset.order_by()
        for name, value in self.cleaned.items():
            if name not in but and name != "sort":
                found = self.filters[name].filter(found, value)
        return found

    def without(self, chip_names: Sequence[str], value: str) -> EpisodeQuerySet:
        """The episodes that pass every filter but one: the one with these parameters, or one of several topics."""
        kept = [slug for slug in self.selection.all("topic") if slug != value]
        found = self.narrowed(*chip_names)
        return found.about_all(kept) if "topic" in chip_names else found

    @property
    def order(self) -> str:
        """The order in force: what was asked for, else the best match for words and the newest first without."""
        asked = str(self.cleaned.get("sort") or "")
        query = self.cleaned.get("q")
        return ("match" if query else "newest") if asked in ("", "match") else asked

    @cached_property
    def words(self) -> AskedFor | str:
        """What is searched for, made ready once for all the questions of a page; "" for nothing."""
        query = str(self.cleaned.get("q") or "")
        return relaxed(prepare(query, self.queryset.db)) if query else ""

    def sorted(self, of_site: Site) -> EpisodeQuerySet:
        one_show = not of_site.several or bool(self.selection.one("podcast"))
        return self.narrowed().sorted_by(self.order, self.words, one_show=one_show)

    # What django-filter calls, with a value that was read.

    def matching(self, found: EpisodeQuerySet, name: str, value: str) -> EpisodeQuerySet:
        return found.search(self.words)

    def about(self, found: EpisodeQuerySet, name: str, value: list[str]) -> EpisodeQuerySet:
        return found.about_all(value)

    def from_year(self, found: EpisodeQuerySet, name: str, value: str) -> EpisodeQuerySet:
        return found.undated() if value == UNKNOWN_YEAR else found.published_in(int(value))

    def from_month(self, found: EpisodeQuerySet, name: str, value: str) -> EpisodeQuerySet:
        year, month = value.split("-")
        return found.published_in(int(year), int(month))

    def as_long_as(self, found: EpisodeQuerySet, name: str, value: str) -> EpisodeQuerySet:
        return found.filter(band(value))

    def with_person(self, found: EpisodeQuerySet, name: str, value: str) -> EpisodeQuerySet:
        return found.with_person(value)

    def told_by(self, found: EpisodeQuerySet, name: str, value: str) -> EpisodeQuerySet:
        return found.told_by(value)

    def linking_to(self, found: EpisodeQuerySet, name: str, value: str) -> EpisodeQuerySet:
        return found.linking_to(value)

    def at_least(self, found: EpisodeQuerySet, name: str, value: int) -> EpisodeQuerySet:
        return found.filter(duration_seconds__gte=value * 60)

    def at_most(self, found: EpisodeQuerySet, name: str, value: int) -> EpisodeQuerySet:
        return found.filter(duration_seconds__lte=value * 60)

    def of_show(self, found: EpisodeQuerySet, name: str, value: str) -> EpisodeQuerySet:
        return found.filter(podcast__slug=value)

    def in_order(self, found: EpisodeQuerySet, name: str, value: str) -> EpisodeQuerySet:
        return found


def with_current_topics(data: QueryDict, topics: Mapping[str, Topic]) -> QueryDict:
    """What is asked, with the topics that were renamed or merged under the names they have now."""
    asked = [slug.strip() for slug in data.getlist("topic")]
    unknown = [slug for slug in asked if slug not in topics and SLUG.fullmatch(slug)][:MOST_NOTES]
    if not unknown:
        return data
    former = dict(FormerTopic.objects.filter(slug__in=unknown, topic__gt=0).values_list("slug", "topic__slug"))
    current = data.copy()
    current.setlist("topic", [former.get(slug, slug) for slug in asked])
    return current


def quoted(text: str) -> str:
    """What somebody typed, short and printable."""
    shown = "".join(c if c.isprintable() else "�" for c in text.strip())
    return shown if len(shown) <= LONGEST_QUOTE else f"{shown[: LONGEST_QUOTE - 1]}…"
