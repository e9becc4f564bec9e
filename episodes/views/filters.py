"""The values that an address asks of a list, read as far as they can be, in words, and the addresses
one step away from them; the filters of the episode list, and its results."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, cast
from urllib.parse import urlencode

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import EMPTY_VALUES
from django.db.models import Model, QuerySet
from django.db.models.functions import Substr, Upper
from django.http import QueryDict
from django.utils.text import Truncator, get_text_list
from django_filters import Filter, FilterSet

from ..models import (
    MOST_TERMS,
    UNKNOWN,
    Counts,
    Episode,
    EpisodeQuerySet,
    Person,
    Podcast,
    Redirect,
    Source,
    Topic,
    count,
    counted,
    counts_of,
)
from ..search import (
    Results,
    corrected_queries,
    newest_results,
    parse_query,
    prepare,
    results,
)
from ..site import Site
from ..text.formatting import episodes, isolated, lengths
from ..text.link_labels import KINDS
from ..text.urls import is_campaign

# The parameters of the episode list, in the order in which they are in an address: one choice has
# one spelling.
NAMES = (
    "q",
    "topic",
    "year",
    "month",
    "person",
    "source",
    "link_kind",
    "length",
    "min_minutes",
    "max_minutes",
    "podcast",
    "sort",
    "as_typed",
)
NOT_NARROWING = ("sort", "as_typed")


@dataclass(frozen=True)
class Selection:
    """The values of each filter in force; never a page, for another choice is another list."""

    values: Mapping[str, tuple[str, ...]]
    names: tuple[str, ...] = NAMES

    def all(self, name: str) -> tuple[str, ...]:
        return self.values.get(name, ())

    def one(self, name: str) -> str:
        return next(iter(self.all(name)), "")

    def pairs(self) -> list[tuple[str, str]]:
        return [(name, value) for name in self.names for value in self.values.get(name, ())]

    def narrows(self) -> bool:
        """True if it leaves anything out: an order does not."""
        return not {*NOT_NARROWING}.issuperset(name for name, _ in self.pairs())

    def replaced(self, **changes: str) -> Selection:
        """With these values in place of what was chosen; "" takes a filter off."""
        return self._with({name: (value,) * bool(value) for name, value in changes.items()})

    def toggled(self, name: str, value: str) -> Selection:
        """With the value added to those of the filter, or taken from them."""
        chosen = dict.fromkeys(self.all(name))
        if value in chosen:
            del chosen[value]
        else:
            chosen[value] = None
        return self._with({name: tuple(chosen)})

    def switched(self, name: str, value: str) -> Selection:
        """With the value as the only one of the filter, or without it where it is chosen."""
        return self.replaced(**{name: "" if value == self.one(name) else value})

    def _with(self, changes: Mapping[str, tuple[str, ...]]) -> Selection:
        # Other words are corrected again.
        as_typed = {"as_typed": ()} if "q" in changes else {}
        return Selection({**self.values, **as_typed, **changes}, self.names)

    def query(self, page: int = 1) -> str:
        """The part of an address that stands for it, with its question mark; "" for the whole
        list."""
        pairs = self.pairs() + ([("page", str(page))] if page > 1 else [])
        return f"?{urlencode(pairs, errors='replace')}" if pairs else ""


Names = Mapping[tuple[str, str], str]  # of values of filters


def heading(
    count: int,
    selection: Selection,
    names: Names,
    of_site: Site,
    *,
    relation: str,
    related: int,
    more: bool,
) -> str:
    """The headline of a list: `PyTorch Developer Podcast: 82 episodes` for a whole show, else
    `12 episodes about Autograd and CUDA, 2021, up to 15 min`; `5,000+ episodes …` where there are
    `more`. `names` are those of values; `relation` as for `filters_in_words`. What is only about a
    topic with these words (`related`) is counted apart."""
    if not selection.replaced(podcast="").narrows():
        show = of_site.of(selection.one("podcast")) or of_site
        return f"{isolated(str(show))}: {episodes(count)}"
    apart = 0 if relation or more else related
    counted = f"{count:,}+ episodes" if more else episodes(count - apart)
    further = f", {apart:,} more on related topics" if apart else ""
    return f"{counted}{filters_in_words(selection, names, relation=relation)}{further}"


def filters_in_words(selection: Selection, names: Names, *, relation: str = "") -> str:
    """The selection in words, to be said after the word: ` about Autograd and CUDA, 2021`; ""
    where nothing is. `relation` is what the episodes are to words that they do not have."""

    def named(name: str) -> list[str]:
        return [isolated(names.get((name, value), value)) for value in selection.all(name)]

    parts = [
        f" {words} {get_text_list(values, 'and')}"
        for words, name in (
            ("about", "topic"),
            (relation or "matching", "q"),
            ("with", "person"),
            ("linking to", "link_kind"),
            ("listed by", "source"),
            ("from", "podcast"),
        )
        if (values := named(name))
    ]
    limits = (*map(str.lower, named("year")), *named("month"), length(selection))
    return "".join([*parts, *(f", {part}" for part in limits if part)])


def length(selection: Selection) -> str:
    """The lengths that are asked for: `15 to 20 min`; "" where none are."""
    limits = lengths(selection.one("min_minutes"), selection.one("max_minutes"))
    return ", ".join([*map(band, selection.all("length")), *filter(None, [limits])])


def band(name: str) -> str:
    """A band of lengths: `under 15 min`, `15 to 20 min`, `60 min or longer`, `length unknown`."""
    least, _, most = name.partition("-")
    if name == UNKNOWN:
        return "length unknown"
    return f"under {most} min" if most and not int(least) else lengths(least, most)


LONGEST_QUERY = 200
LONGEST_QUOTE = 40
MOST_NOTES = 5

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
    "letter": "“{}” is not one letter",
    "kind": "“{}” is not a kind of link",
    "repository": "no link leads to a repository “{}”",
    "sort": "“{}” is not a sort option",
    "as_typed": "“{}” is not 1",
}


class KnownSlugs(forms.MultipleChoiceField):
    """Several addresses of which the unknown ones are dropped, each once."""

    known: Container[str] = ()

    def clean(self, value: Iterable[str]) -> list[str]:
        return [slug for slug in dict.fromkeys(value) if slug in self.known]


class KnownValue(forms.CharField):
    """A value that some row of the catalog has in a column: most often the address of something."""

    def __init__(self, *, model: type[Model], column: str = "slug", **kwargs: Any) -> None:
        super().__init__(strip=False, max_length=255, **kwargs)
        self.rows, self.column = model._default_manager, column

    def clean(self, value: str | None) -> str:
        known: str = super().clean(value)
        if known and not self.rows.filter(**{self.column: known}).exists():
            raise ValidationError("unknown")
        return known


class ListFilter(Filter):  # type: ignore[misc]
    """A parameter of the address: the field that reads it, and the verb of the queryset that
    narrows by its value; without one the column of its name."""

    def __init__(self, field_class: type[forms.Field], verb: str = "", **options: Any) -> None:
        super().__init__(**options)
        self.field_class, self.verb = field_class, verb

    def __deepcopy__(self, memo: object) -> ListFilter:
        """Itself: it holds nothing of one page, and to copy all of them takes as long as a
        query."""
        return self

    def filter(self, found: QuerySet[Any], value: Any) -> QuerySet[Any]:
        narrowed: QuerySet[Any] = (
            getattr(found, self.verb)(value) if self.verb else super().filter(found, value)
        )
        return narrowed


class InShow(ListFilter):
    """The parameter for a show: keeps what its episodes have, by the rows that join the two."""

    def __init__(self, joined: type[Model], column: str) -> None:
        super().__init__(KnownValue, model=Podcast)
        self.joined, self.column = joined._default_manager, column

    def filter(self, found: QuerySet[Any], value: str) -> QuerySet[Any]:
        rows = self.joined.filter(episode__podcast__slug=value).order_by()
        return found.filter(pk__in=rows.values(self.column))


class AppliedFilters(FilterSet):  # type: ignore[misc]
    """The filters that an address asks for: its values as far as they can be read, and complaints
    about the others."""

    @classmethod
    @cache
    def get_form_class(cls) -> type[forms.Form]:
        """The form that reads the parameters. django-filter would make its class for every page."""
        fields = {name: declared.field for name, declared in cls.base_filters.items()}
        return type(f"{cls.__name__}Form", (forms.Form,), fields)

    @cached_property
    def cleaned(self) -> dict[str, Any]:
        self.form.full_clean()
        found: dict[str, Any] = self.form.cleaned_data
        return found

    @cached_property
    def selection(self) -> Selection:
        chosen = {}
        for name, value in self.cleaned.items():
            values = value if isinstance(value, list) else [value]
            chosen[name] = tuple(str(v) for v in values if v not in EMPTY_VALUES)
        return Selection(chosen, tuple(self.base_filters))

    def complaints(self) -> list[str]:
        """The values of the address that were ignored and why, in words, no more than a reader
        wants to read."""
        return list(dict.fromkeys(self._complaints()))[:MOST_NOTES]

    def _complaints(self) -> Iterator[str]:
        for name in self.form.errors:
            yield COMPLAINTS[name].format(quoted(self.data[name]))
        for name, value in self.data.items():
            # Parameters of campaigns come with links from elsewhere; no reader chose them.
            is_known = name in (*self.base_filters, "page") or is_campaign(name)
            if value.strip() and not is_known:
                yield f"unknown filter “{quoted(name)}”"

    @cached_property
    def asked(self) -> dict[str, Any]:
        """The filters in force."""
        return {
            name: self.cleaned[name]
            for name, _ in self.selection.pairs()
            if name not in NOT_NARROWING
        }

    def narrowed(self, *but: str) -> Any:
        """The rows that pass every filter except those named in `but`, in no order."""
        found = self.queryset.order_by()
        for name in sorted({*self.asked} - {*but}):
            found = self.filters[name].filter(found, self.asked[name])
        return found


def quoted(text: str) -> str:
    """The words that somebody typed, short and printable."""
    # Signs that turn the direction of a line are not printable either.
    shown = "".join(c if c.isprintable() else "�" for c in text.strip())
    return Truncator(shown).chars(LONGEST_QUOTE)


def letters(listed: AppliedFilters, column: str) -> list[tuple[str, str, bool]]:
    """The first letters of what an index lists, were none chosen: each with its address, and
    whether it is chosen."""
    asked, first = listed.selection, Upper(Substr(column, 1, 1))
    found = listed.narrowed("letter").annotate(first=first).order_by("first")
    return [
        (letter, asked.switched("letter", letter).query(), letter == asked.one("letter"))
        for letter in found.values_list("first", flat=True).distinct()
    ]


# -- the episode list ------------------------------------------------------------------------------

SORTS = {
    "match": "Best match",
    "newest": "Newest",
    "oldest": "Oldest",
    "shortest": "Shortest",
    "longest": "Longest",
}
LENGTHS = ("length", "min_minutes", "max_minutes")
# “newest”, “the latest episodes about tape”, “first episode”
ORDERED = re.compile(
    r"(?:the\s+)?(?:(?P<newest>newest|latest|most\s+recent)|(?P<oldest>first|oldest))"
    r"(?:\s+episodes?(?!\w)|\Z)\s*(?:(?:about|on|with)\s+)?",
    re.IGNORECASE,
)
SLUG = re.compile(r"[-a-zA-Z0-9_]{1,100}")


TOO_MANY_TERMS = f"only the first {MOST_TERMS} words were searched"


class EpisodeFilters(AppliedFilters):
    """Filters of listed episodes."""

    def __init__(self, data: QueryDict) -> None:
        # All topics by their slugs.
        self.topics = {topic.slug: topic for topic in Topic.objects.defer("rules")}
        asked = data.getlist("topic")
        # Strangers write addresses, so what is looked up has a shape and a limit.
        unknown = list(filter(SLUG.fullmatch, {*asked} - self.topics.keys()))[:MOST_NOTES]
        if unknown:
            # Topics that were renamed or merged are looked for under the names they have now; a
            # deleted one leaves its addresses in the ledger, where they lead to none.
            former = dict(
                Redirect.objects.filter(kind="topic")
                .filter(slug__in=unknown, topic__gt=0)
                .values_list("slug", "topic__slug")
            )
            data = data.copy()
            data.setlist("topic", [former.get(slug, slug) for slug in asked])
        super().__init__(data, Episode.objects.listed())

    def is_of_one_show(self, of_site: Site) -> bool:
        return bool(self.selection.one("podcast")) or not of_site.several


class EpisodeFilter(EpisodeFilters):
    """The filters of the episode list; a value that cannot be read narrows nothing and is reported
    to the reader.

    `q` is narrowed by search results, `topic` by ids, and `sort` orders.
    """

    q = ListFilter(forms.CharField, max_length=LONGEST_QUERY)
    topic = ListFilter(KnownSlugs)
    year = ListFilter(
        forms.RegexField, "in_year", regex=rf"^(?:{UNKNOWN}|(?!1000)[1-9][0-9]{{3}})\Z", strip=True
    )
    month = ListFilter(
        forms.RegexField, "in_month", regex=r"^[1-9][0-9]{3}-(?:0[1-9]|1[0-2])\Z", strip=True
    )
    person = ListFilter(KnownValue, "with_person", model=Person)
    source = ListFilter(KnownValue, "told_by", model=Source)
    link_kind = ListFilter(forms.ChoiceField, "linking_to", choices=list(KINDS.items()))
    length = ListFilter(
        forms.RegexField,
        "in_band",
        regex=rf"^(?:{UNKNOWN}|[0-9]{{1,4}}-[0-9]{{0,4}})\Z",
        strip=True,
    )
    min_minutes = ListFilter(forms.IntegerField, "lasting_at_least", min_value=0, max_value=100_000)
    max_minutes = ListFilter(forms.IntegerField, "lasting_at_most", min_value=0, max_value=100_000)
    podcast = ListFilter(KnownValue, field_name="podcast__slug", model=Podcast)
    sort = ListFilter(forms.ChoiceField, choices=list(SORTS.items()))
    as_typed = ListFilter(forms.ChoiceField, choices=[("1", "Without corrections")])

    typed = typed_query = (
        ""  # the words that were asked for, where others are shown, and their list
    )

    def __init__(self, data: QueryDict) -> None:
        super().__init__(data)
        cast(KnownSlugs, self.form.fields["topic"]).known = self.topics
        # Several facets leave out the same filters, and each count is a query.
        self._counts: dict[frozenset[str], Counts] = {}

    def _complaints(self) -> Iterator[str]:
        yield from super()._complaints()
        unknown = filter(str.strip, sorted({*self.data.getlist("topic")} - self.topics.keys()))
        yield from (COMPLAINTS["topic"].format(quoted(slug)) for slug in unknown)
        if parse_query(self.selection.one("q")).cut:
            yield TOO_MANY_TERMS

    def narrowed(self, *but: str) -> EpisodeQuerySet:
        if self.is_search and "q" not in but:
            return Episode.objects.among(self.results(*but).ids)
        found: EpisodeQuerySet = super().narrowed("q", "topic", *but)
        return found if "topic" in but else found.about_all(self.topic_ids())

    def topic_ids(self, but: str = "") -> list[int]:
        """The ids of the chosen topics except one."""
        return [self.topics[slug].pk for slug in self.selection.all("topic") if slug != but]

    @cached_property
    def search(self) -> Results:
        """The results of the query in force, whatever the other filters."""
        return results(prepare(str(self.asked["q"])), size=self.counts(*self.asked)["matches"])

    @property
    def is_search(self) -> bool:
        return "q" in self.asked

    def counts(self, *but: str) -> Counts:
        """The counts of the episodes that pass every filter except those named in `but`."""
        names = frozenset(self.asked) - {*but}
        if names not in self._counts:
            self._counts[names] = self._counted(names, *but)
        return self._counts[names]

    def _counted(self, names: Set[str], *but: str) -> Counts:
        if "q" in names:
            return counted(Episode.objects.among(self.results(*but).ids).order_by())
        chosen = self.selection.replaced(**dict.fromkeys(but, ""))
        # As the stored counts are called.
        about = [f"topic:{self.topics[slug].pk}" for slug in chosen.all("topic")]
        about += [f"year:{year}" for year in chosen.all("year")]
        # Stored are the counts of everything, of one topic and of one year, in one show or all.
        if len(about) < 2 and names <= {"topic", "year", "podcast"}:
            return counts_of(self.narrowed(*but), "".join(about), chosen.one("podcast"))
        return count(self.narrowed(*but))

    def results(self, *but: str) -> Results:
        """The search results that pass every other filter except those named in `but`."""
        if self.asked.keys() <= {"q", *but}:
            return self.search
        others = self.narrowed("q", *but)
        if self.search.cut:
            # The best of all may leave out what passes.
            return newest_results(self.search.asked, others, self.counts("q", *but)["matches"])
        passing = {*others.among(self.search.ids).values_list("pk", flat=True)}
        return replace(self.search, ids=[pk for pk in self.search.ids if pk in passing])

    @property
    def total(self) -> int:
        """The number of episodes that pass every filter."""
        return self.counts()["matches"]

    def without(self, chip_names: Sequence[str], value: str) -> EpisodeQuerySet:
        """The episodes that pass every filter but one: the one with these parameters, or one of
        several topics."""
        return self.narrowed(*chip_names).about_all(self.topic_ids(value))

    @property
    def order(self) -> str:
        """The order in force: the one asked for, else the best match for words and the newest first
        without."""
        asked = self.cleaned.get("sort") or "match"
        return "newest" if asked == "match" and not self.is_search else str(asked)

    @property
    def is_near(self) -> bool:
        """True if no episode holds all the words, and the nearest are listed."""
        return self.is_search and self.search.near

    @property
    def has_all_words(self) -> bool:
        """True if some episode holds all the words."""
        return self.total > 0 and not self.is_near

    @property
    def related(self) -> int:
        """The number of episodes that only a topic of theirs says what was searched for."""
        return self.results().related if self.is_search else 0

    @property
    def relation(self) -> str:
        """The words between “5 episodes” and what was searched for, where none holds it; "" where
        some do."""
        if self.is_near:
            return "close to"
        return "on topics related to" if 0 < self.related == self.total else ""

    def corrected(self) -> EpisodeFilter:
        """The list of what was probably meant, where words are misspelled or ask for an order, and
        nobody insists on them; else this one."""
        if not self.is_search or self.selection.one("as_typed"):
            return self
        typed = self.selection.one("q")
        if ordered := ORDERED.match(typed):
            return self._instead(q=typed[ordered.end() :], sort=str(ordered.lastgroup))
        if self.has_all_words:
            return self
        meant = (self._instead(q=words) for words in corrected_queries(self.search.asked))
        # As long as a word is missing, a correction is no better than what was typed: it turns
        # invented words, and words that the notes do not use, into others by chance.
        return next((other for other in meant if other.has_all_words), self)

    def _instead(self, **changes: str) -> EpisodeFilter:
        data = self.data.copy()
        for name, value in changes.items():
            data[name] = value
        other = EpisodeFilter(data)
        other.typed = self.selection.one("q")
        other.typed_query = self.selection.replaced(as_typed="1").query()
        return other

    def ids(self, of_site: Site) -> Sequence[int] | QuerySet[Any, int]:
        """The ids of the episodes in their order."""
        if self.order == "match":
            return self.results().ids
        ordered = self.narrowed().sorted_by(self.order, one_show=self.is_of_one_show(of_site))
        return ordered.values_list("pk", flat=True)
