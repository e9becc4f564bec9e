"""Reads what an address asks of a list, narrows the episode list by it, and says what it could not read."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, reduce
from operator import and_
from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError
from django.core.paginator import Page
from django.core.validators import EMPTY_VALUES
from django.http import QueryDict
from django_filters import Filter, FilterSet

from ...models import ON_CARDS, Episode, EpisodeQuerySet, FormerTopic, Person, Shown, Snapshot, Source, Topic
from ...search import MOST_TERMS, did_you_mean, parse_query, prepare, relaxed
from ...search import PreparedQuery as AskedFor
from ...site import Site
from ...text.formatting import is_month
from ...text.link_labels import KINDS
from .length_bands import band, is_band, of_band
from .ranking import Ranking, ranking
from .selection import NAMES, NOT_NARROWING, Selection

# Of what is asked, a list and the value of a filter, as its field read it, to the narrowed list.
Narrow = Callable[[Any, EpisodeQuerySet, Any], EpisodeQuerySet]

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


class ListFilter(Filter):  # type: ignore[misc]
    """A parameter of the address: the field that reads it, and how it narrows a list in SQL."""

    def __init__(self, field_class: type[forms.Field], narrow: Narrow | None = None, **options: Any) -> None:
        super().__init__(required=False, **options)
        self.field_class, self.narrow = field_class, narrow


class ListFilters(FilterSet):  # type: ignore[misc]
    """What a list of episodes can be asked."""

    q = ListFilter(
        forms.CharField,
        lambda listed, found, words: found.search(listed.words),
        max_length=LONGEST_QUERY,
        validators=[storable],
    )
    topic = ListFilter(KnownField, lambda listed, found, slugs: found.about_all(slugs))
    year = ListFilter(
        YearField,
        lambda listed, found, year: found.undated() if year == UNKNOWN_YEAR else found.published_in(int(year)),
        max_length=20,
    )
    month = ListFilter(
        MonthField, lambda listed, found, month: found.published_in(*map(int, month.split("-"))), max_length=20
    )
    length = ListFilter(BandField, lambda listed, found, length: found.filter(band(length)), max_length=20)
    person = ListFilter(
        KnownSlug,
        lambda listed, found, slug: found.with_person(slug),
        known=lambda slug: Person.objects.filter(slug=slug).exists(),
    )
    source = ListFilter(
        KnownSlug,
        lambda listed, found, slug: found.told_by(slug),
        known=lambda slug: Source.objects.filter(slug=slug).exists(),
    )
    link_kind = ListFilter(
        forms.ChoiceField, lambda listed, found, kind: found.linking_to(kind), choices=list(KINDS.items())
    )
    min_minutes = ListFilter(
        forms.IntegerField,
        lambda listed, found, minutes: found.filter(duration_seconds__gte=minutes * 60),
        min_value=0,
        max_value=100_000,
    )
    max_minutes = ListFilter(
        forms.IntegerField,
        lambda listed, found, minutes: found.filter(duration_seconds__lte=minutes * 60),
        min_value=0,
        max_value=100_000,
    )
    # What is known is given with what is asked.
    podcast = ListFilter(KnownSlug, lambda listed, found, slug: found.filter(podcast__slug=slug), known=bool)
    sort = ListFilter(forms.ChoiceField, choices=list(SORTS.items()))
    as_typed = ListFilter(forms.ChoiceField, choices=[("1", "Without corrections")])


# Made once: a filter set makes its own for each request, which takes as long as the page.
FILTERS: dict[str, ListFilter] = dict(ListFilters.base_filters)


@lru_cache(maxsize=200)
def form_of(names: frozenset[str]) -> type[forms.Form]:
    """The form of these filters: each request copies its fields, and most ask for one or two."""
    return type("ListForm", (forms.Form,), {name: FILTERS[name].field for name in NAMES if name in names})


class EpisodeFilter(AppliedFilters):
    """The filters of the contract; a value that cannot be read narrows nothing and is complained of."""

    names = NAMES
    typed = ""  # the words that were asked for, where others are shown

    def __init__(self, data: QueryDict, queryset: EpisodeQuerySet, now: Snapshot, within: int | None = None) -> None:
        """`within` is the queryset as a set of listed episodes, where it is not all of them."""
        self.data, self.queryset, self.snapshot = with_current_topics(data, now.topics), queryset, now
        self.within = now.index.all if within is None else within
        self._sets: dict[str, int] = {}

    @cached_property
    def form(self) -> forms.Form:  # type: ignore[override]
        form: forms.Form = form_of(frozenset(self.data).intersection(NAMES))(self.data)
        if "topic" in form.fields:
            cast(KnownField, form.fields["topic"]).known = self.snapshot.topics
        if "podcast" in form.fields:
            cast(KnownSlug, form.fields["podcast"]).known = self.snapshot.show_ids.__contains__
        return form

    def _complaints(self) -> Iterator[str]:
        yield from super()._complaints()
        if parse_query(self.selection.one("q")).cut:
            yield TOO_MANY_TERMS

    @property
    def asked(self) -> dict[str, Any]:
        """The filters in force."""
        given = {name: value for name, value in self.cleaned.items() if name not in NOT_NARROWING}
        return {name: value for name, value in given.items() if value not in EMPTY_VALUES}

    def narrowed(self, *but: str) -> EpisodeQuerySet:
        """The episodes that pass every filter, those named in `but` aside; in no order."""
        found: EpisodeQuerySet = self.queryset.order_by()
        for name, value in self.asked.items():
            if name not in but:
                found = _narrow(name)(self, found, value)
        return found

    def among(self, *but: str) -> int:
        """The set of listed episodes that pass every filter, those named in `but` aside."""
        found = self.within
        for name, value in self.asked.items():
            if name not in but:
                found &= self._set(name, value)
        return found

    def _set(self, name: str, value: Any) -> int:
        if name not in self._sets:
            if name == "q" and self._ranked:
                self._sets[name] = self._of_words(self._ranked)
            elif name in SETS:
                self._sets[name] = SETS[name](self.snapshot, value)
            else:
                found = _narrow(name)(self, Episode.objects.order_by(), value).values_list("pk", flat=True)
                (self._sets[name],) = self.snapshot.index.answers([(name, str(value))], lambda _: [found])
        return self._sets[name]

    def _of_words(self, found: Ranking) -> int:
        """The episodes that hold what is searched for, else the nearest."""
        words = self.words
        nearest = None if isinstance(words, str) else words.nearest
        return found.held if nearest is None else self.snapshot.index.of_ids(nearest)

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
        asked, found = self._prepared, self._ranked
        if not asked or self.ranking:
            return asked or ""
        return self.snapshot.remembered(("near", asked.query), lambda: relaxed(asked, found.counts if found else None))

    @cached_property
    def _prepared(self) -> AskedFor | None:
        query = str(self.cleaned.get("q") or "")
        return self._prepare(query) if query else None

    def _prepare(self, words: str) -> AskedFor:
        return self.snapshot.remembered(("query", words), lambda: prepare(words, self.queryset.db))

    @cached_property
    def ranking(self) -> Ranking | None:
        """The episodes that hold what is searched for; None where there are none, or sets cannot tell them."""
        return self._ranked if self._ranked and self._ranked.held else None

    @cached_property
    def _ranked(self) -> Ranking | None:
        return ranking(self.snapshot.index, self._prepared) if self._prepared else None

    @property
    def is_told_by_sets(self) -> bool:
        """False for a query without words, which the database alone compares with titles."""
        return self._ranked is not None

    def nearest(self) -> list[int]:
        """The ids of the nearest episodes that pass every filter, the best first."""
        words, index = self.words, self.snapshot.index
        if isinstance(words, str) or words.nearest is None:
            return []
        passing = {index.ids[place] for place in index.members(self.among())}
        return [pk for pk in words.nearest if pk in passing]

    @cached_property
    def meant(self) -> str | None:
        """What was probably meant, where words that are searched for occur nowhere."""
        words = self.words
        return self.snapshot.remembered(("meant", self.selection.query(), self.within), self._meant) if words else None

    def _meant(self) -> str | None:
        return did_you_mean(self.words, self.narrowed("q"), self.snapshot.vocabulary, self._finds)

    def _finds(self, words: str) -> bool:
        """Whether the other filters leave an episode that holds these words."""
        asked = self._prepare(words)
        found = ranking(self.snapshot.index, asked)
        return bool(found.held & self.among("q")) if found else self.narrowed("q").search(asked).exists()

    @property
    def is_near(self) -> bool:
        """True if no episode holds all the words, and the nearest are listed."""
        return not isinstance(self.words, str) and self.words.nearest is not None

    def corrected(self) -> EpisodeFilter:
        """The list of what was probably meant, where words are misspelled and nobody insists on them; else this one."""
        finds_all = not self.is_near and self.among()
        if finds_all or self.selection.one("as_typed") or not self.meant:
            return self
        data = self.data.copy()
        data["q"] = self.meant
        other = EpisodeFilter(data, self.queryset, self.snapshot, self.within)
        other.typed = self.selection.one("q")
        return other

    def is_of_one_show(self, of_site: Site) -> bool:
        return not of_site.several or bool(self.selection.one("podcast"))

    def sorted(self, of_site: Site) -> EpisodeQuerySet:
        return self.narrowed().sorted_by(self.order, self.words, one_show=self.is_of_one_show(of_site))

    def ids(self, of_site: Site) -> Sequence[int]:
        """The ids of the episodes in their order."""
        return Ids(self, of_site)


# How a filter narrows a list by the sets that are in memory; of the others the database is asked for the ids.
SETS: dict[str, Callable[[Snapshot, Any], int]] = {
    "topic": lambda now, slugs: reduce(and_, (now.index.set("topic", now.topics[slug].pk) for slug in slugs)),
    "year": lambda now, year: now.index.set("month") if year == UNKNOWN_YEAR else now.index.in_year(int(year)),
    "month": lambda now, month: now.index.set("month", month),
    "length": lambda now, length: of_band(now.index, length),
    "min_minutes": lambda now, minutes: now.index.within(minutes * 60, None),
    "max_minutes": lambda now, minutes: now.index.within(0, minutes * 60 + 1),
    "podcast": lambda now, slug: now.index.set("show", now.show_ids[slug]),
}


def _narrow(name: str) -> Narrow:
    narrow = FILTERS[name].narrow
    assert narrow is not None, "the order is no filter"
    return narrow


class Ids(Sequence[int]):
    """The ids of a list as a paginator takes them: only those of a page are looked up."""

    def __init__(self, listed: EpisodeFilter, of_site: Site) -> None:
        self.listed, self.of_site = listed, of_site

    def __len__(self) -> int:
        return self.listed.among().bit_count()

    def __getitem__(self, part: Any) -> Any:
        listed, index = self.listed, self.listed.snapshot.index
        by_match, one_show = listed.order == "match", listed.is_of_one_show(self.of_site)
        if not by_match:
            order = index.order(listed.order, one_show=one_show)
            shown = index.places(listed.among(), order, part.start, part.stop)
        elif listed.ranking:
            shown = listed.ranking.best(listed.among(), part.start, part.stop, one_show=one_show)
        elif listed.is_told_by_sets:
            return listed.nearest()[part]
        else:
            # The ids alone: a database that sorts whole rows moves all their texts.
            return list(listed.sorted(self.of_site).values_list("pk", flat=True)[part])
        return [index.ids[place] for place in shown]


class Cards(Sequence[Episode]):
    """The episodes of these ids as a paginator takes them: a page of them is looked up when it is asked for."""

    def __init__(self, now: Snapshot, ids: Sequence[int], fields: Sequence[str] = ON_CARDS) -> None:
        self.now, self.ids, self.fields = now, ids, fields

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, part: Any) -> Any:
        return Shown(self.now, list(self.ids[part]), self.fields)


def shown_on(page: Page[Episode]) -> Shown:
    """The episodes of a page of `Cards`."""
    return cast(Shown, page.object_list)


def for_cards(now: Snapshot, ids: Iterable[int]) -> list[Episode]:
    """These episodes in this order, with what a card shows."""
    return Shown(now, list(ids)).rows


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
