"""The filters of the episode list, and its results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from functools import cached_property
from typing import Any, cast

from django import forms
from django.db.models import QuerySet
from django.http import QueryDict

from ..models import (
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
    MOST_TERMS,
    Results,
    corrected_queries,
    is_one_slip,
    newest_results,
    parse_query,
    prepare,
    results,
)
from ..site import Site
from ..text.link_labels import KINDS
from .selection import (
    COMPLAINTS,
    LONGEST_QUERY,
    MOST_NOTES,
    AppliedFilters,
    KnownSlugs,
    KnownValue,
    ListFilter,
    quoted,
)

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
        likely = []
        for words in corrected_queries(self.search.asked):
            other = self._instead(q=words)
            if other.has_all_words:
                return other
            # Of a query in other words than the notes, many corrections make nonsense.
            if other.total and (not self.total or is_one_slip(typed, words)):
                likely.append(other)
        return next(iter(likely), self)

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
