"""Reads what an address asks of a list, narrows the episode list by it, and says what it could not read."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property, lru_cache
from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import EMPTY_VALUES
from django.db.models import QuerySet
from django.http import QueryDict
from django_filters import Filter, FilterSet

from ...models import (
    Counts,
    Episode,
    EpisodeQuerySet,
    FormerTopic,
    Person,
    Podcast,
    Source,
    Topic,
    count,
    stored_counts,
)
from ...search import MOST_TERMS, Results, did_you_mean, parse_query, prepare, results
from ...site import Site
from ...text.formatting import is_month
from ...text.link_labels import KINDS
from ...text.urls import is_campaign
from .length_bands import band, is_band
from .selection import NAMES, NOT_NARROWING, Selection

# From a list and the value of a filter, as its field read it, to the narrowed list.
Narrow = Callable[[EpisodeQuerySet, Any], EpisodeQuerySet]

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
    "as_typed": "“{}” is not 1",
}


TOO_MANY_TERMS = f"only the first {MOST_TERMS} words were searched"


def storable(value: str) -> None:
    """Refuse halves of characters, which no database takes."""
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise ValidationError("invalid character")


class YearField(forms.CharField):
    """Four digits, or the word for episodes whose date nobody knows."""

    def clean(self, value: str | None) -> str:
        year = super().clean(value) or ""
        if year in ("", UNKNOWN_YEAR):
            return year
        if not (year.isascii() and year.isdecimal() and len(year) == 4 and year > "1000"):
            raise ValidationError("not a year")
        return year


class MonthField(forms.CharField):
    """A year and a month: `2021-03`."""

    def clean(self, value: str | None) -> str:
        month = super().clean(value) or ""
        if month and not is_month(month):
            raise ValidationError("not a month")
        return month


class BandField(forms.CharField):
    """A band of lengths: `15-20`, or `unknown`."""

    def clean(self, value: str | None) -> str:
        length = super().clean(value) or ""
        if length and not is_band(length):
            raise ValidationError("not a band of lengths")
        return length


class KnownField(forms.MultipleChoiceField):
    """Several choices of which the unknown ones are dropped, each once."""

    known: Container[str] = ()

    def clean(self, value: Iterable[str] | None) -> list[str]:
        return [v for v in dict.fromkeys(value or ()) if v in self.known]


class KnownSlug(forms.CharField):
    """The address of something that the catalog has."""

    def __init__(self, *, known: Callable[[str], bool], **kwargs: Any) -> None:
        super().__init__(strip=False, max_length=200, validators=[storable], **kwargs)
        self.known = known

    def clean(self, value: str | None) -> str:
        slug = super().clean(value) or ""
        if slug and not self.known(slug):
            raise ValidationError("unknown")
        return slug


class AppliedFilters:
    """What an address asks of a list: its values as far as they can be read, and complaints about the others."""

    names: tuple[str, ...]
    data: QueryDict
    form: forms.Form

    @cached_property
    def cleaned(self) -> dict[str, object]:
        if not any(name in self.data for name in self.names):
            return {}
        self.form.full_clean()
        return self.form.cleaned_data

    @cached_property
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
            elif any(self.data.getlist(name)) and name != "page" and not is_campaign(name):
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


class ListFilter(Filter):  # type: ignore[misc]
    """A parameter of the address: the field that reads it, and how its value narrows a list."""

    def __init__(self, field_class: type[forms.Field], narrow: Narrow | None = None, **options: Any) -> None:
        super().__init__(required=False, **options)
        self.field_class, self.narrow = field_class, narrow


class ListFilters(FilterSet):  # type: ignore[misc]
    """The filters of a list of episodes; `q` is narrowed by search results, and `sort` orders."""

    q = ListFilter(forms.CharField, max_length=LONGEST_QUERY, validators=[storable])
    topic = ListFilter(KnownField, lambda found, slugs: found.about_all(slugs))
    year = ListFilter(
        YearField,
        lambda found, year: found.undated() if year == UNKNOWN_YEAR else found.published_in(int(year)),
        max_length=20,
    )
    month = ListFilter(MonthField, lambda found, month: found.published_in(*map(int, month.split("-"))), max_length=20)
    length = ListFilter(BandField, lambda found, length: found.filter(band(length)), max_length=20)
    person = ListFilter(
        KnownSlug,
        lambda found, slug: found.with_person(slug),
        known=lambda slug: Person.objects.filter(slug=slug).exists(),
    )
    source = ListFilter(
        KnownSlug,
        lambda found, slug: found.told_by(slug),
        known=lambda slug: Source.objects.filter(slug=slug).exists(),
    )
    link_kind = ListFilter(forms.ChoiceField, lambda found, kind: found.linking_to(kind), choices=list(KINDS.items()))
    min_minutes = ListFilter(
        forms.IntegerField,
        lambda found, minutes: found.filter(duration_seconds__gte=minutes * 60),
        min_value=0,
        max_value=100_000,
    )
    max_minutes = ListFilter(
        forms.IntegerField,
        lambda found, minutes: found.filter(duration_seconds__lte=minutes * 60),
        min_value=0,
        max_value=100_000,
    )
    podcast = ListFilter(
        KnownSlug,
        lambda found, slug: found.filter(podcast__slug=slug),
        known=lambda slug: Podcast.objects.filter(slug=slug).exists(),
    )
    sort = ListFilter(forms.ChoiceField, choices=list(SORTS.items()))
    as_typed = ListFilter(forms.ChoiceField, choices=[("1", "Without corrections")])


# Made once: a filter set makes its own for each request, which takes as long as the page.
FILTERS: dict[str, ListFilter] = dict(ListFilters.base_filters)


@lru_cache(maxsize=200)
def form_of(names: frozenset[str]) -> type[forms.Form]:
    """The form of these filters: each request copies its fields, and most ask for one or two."""
    return type("ListForm", (forms.Form,), {name: FILTERS[name].field for name in NAMES if name in names})


class EpisodeFilter(AppliedFilters):
    """The filters of the contract; a value that cannot be read narrows nothing and is reported to the reader."""

    names = NAMES
    typed = ""  # the words that were asked for, where others are shown

    def __init__(self, data: QueryDict, within: EpisodeQuerySet | None = None) -> None:
        """`within` is the set that is filtered, where it is not all listed episodes."""
        self.within = within
        self.data = with_current_topics(data, self.topics)
        self._counts: dict[frozenset[str], Counts] = {}

    @cached_property
    def topics(self) -> dict[str, Topic]:
        """All topics by their slugs."""
        return {topic.slug: topic for topic in Topic.objects.all()}

    @cached_property
    def form(self) -> forms.Form:  # type: ignore[override]
        form: forms.Form = form_of(frozenset(self.data).intersection(NAMES))(self.data)
        if "topic" in form.fields:
            cast(KnownField, form.fields["topic"]).known = self.topics
        return form

    def _complaints(self) -> Iterator[str]:
        yield from super()._complaints()
        if parse_query(self.selection.one("q")).cut:
            yield TOO_MANY_TERMS

    @cached_property
    def asked(self) -> dict[str, Any]:
        """The filters in force."""
        given = {name: value for name, value in self.cleaned.items() if name not in NOT_NARROWING}
        return {name: value for name, value in given.items() if value not in EMPTY_VALUES}

    def narrowed(self, *but: str) -> EpisodeQuerySet:
        """The episodes that pass every filter except those named in `but`, in no order."""
        found = (Episode.objects.listed() if self.within is None else self.within).order_by()
        for name, value in self.asked.items():
            if name == "q" and name not in but:
                found = found.among(self.search.ids)
            elif name not in but:
                found = _narrow(name)(found, value)
        return found

    @cached_property
    def search(self) -> Results:
        """The results of the query in force, whatever the other filters."""
        return results(prepare(str(self.asked["q"])))

    @property
    def is_search(self) -> bool:
        return "q" in self.asked

    def counts(self, *but: str) -> Counts:
        """The counts of the episodes that pass every filter except those named in `but`."""
        names = frozenset(self.asked) - {*but}
        if names not in self._counts:
            self._counts[names] = self._stored(names) or count(self.narrowed(*but))
        return self._counts[names]

    def _stored(self, names: Set[str]) -> Counts | None:
        """The stored counts for these filters; None where there are none."""
        if self.within is not None or not names <= {"topic", "year", "podcast"} or {"topic", "year"} <= names:
            return None
        topics = [self.topics[slug].pk for slug in (self.asked["topic"] if "topic" in names else ())]
        if len(topics) > 1:
            return None
        about = f"topic:{topics[0]}" if topics else f"year:{self.asked['year']}" if "year" in names else ""
        show = Podcast.objects.filter(slug=self.asked["podcast"]).first() if "podcast" in names else None
        return stored_counts(about, show and show.pk)

    @property
    def total(self) -> int:
        """The number of episodes that pass every filter."""
        return self.counts()["matches"]

    def without(self, chip_names: Sequence[str], value: str) -> EpisodeQuerySet:
        """The episodes that pass every filter but one: the one with these parameters, or one of several topics."""
        kept = [slug for slug in self.selection.all("topic") if slug != value]
        found = self.narrowed(*chip_names)
        return found.about_all(kept) if "topic" in chip_names else found

    @property
    def order(self) -> str:
        """The order in force: the one asked for, else the best match for words and the newest first without."""
        asked = str(self.cleaned.get("sort") or "")
        return ("match" if self.is_search else "newest") if asked in ("", "match") else asked

    @cached_property
    def meant(self) -> str | None:
        """The corrected query, where words of the query occur nowhere."""
        return did_you_mean(self.search.asked, self.narrowed("q")) if self.is_search else None

    @property
    def is_near(self) -> bool:
        """True if no episode holds all the words, and the nearest are listed."""
        return self.is_search and self.search.near

    def corrected(self) -> EpisodeFilter:
        """The list of what was probably meant, where words are misspelled and nobody insists on them; else this one."""
        finds_all = not self.is_near and self.total
        if finds_all or self.selection.one("as_typed") or not self.meant:
            return self
        data = self.data.copy()
        data["q"] = self.meant
        other = EpisodeFilter(data, self.within)
        other.typed = self.selection.one("q")
        return other

    def is_of_one_show(self, of_site: Site) -> bool:
        return not of_site.several or bool(self.selection.one("podcast"))

    def ids(self, of_site: Site) -> Sequence[int] | QuerySet[Any, int]:
        """The ids of the episodes in their order."""
        if self.order != "match":
            found = self.narrowed().sorted_by(self.order, one_show=self.is_of_one_show(of_site))
            return found.values_list("pk", flat=True)
        return [pk for pk in self.search.ids if pk in self.passing]

    @cached_property
    def passing(self) -> set[int]:
        """The ids of the search results that pass the other filters."""
        return {*self.narrowed().values_list("pk", flat=True)}


def _narrow(name: str) -> Narrow:
    narrow = FILTERS[name].narrow
    assert narrow is not None, "the query and the order are no filters"
    return narrow


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
