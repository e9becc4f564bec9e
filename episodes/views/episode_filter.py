"""The filters of the episode list, the episodes that pass them, and the counts of its facets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property
from typing import Any, cast

from django import forms
from django.db.models import QuerySet
from django.http import QueryDict

from ..models import (
    UNKNOWN,
    Episode,
    EpisodeQuerySet,
    FacetCounts,
    Person,
    Podcast,
    Redirect,
    Source,
    Topic,
    count_facets_of_ids,
    count_facets_of_newest_episodes,
    load_or_count_facets,
)
from ..search import (
    PreparedQuery,
    SearchResults,
    iterate_matching_corrected_queries,
    parse_query,
    prepare_query,
    search_episodes,
    search_newest,
)
from ..site import Site
from ..text.link_labels import LINK_KIND_PLURALS
from ..text.markup import storable_text
from .filters import (
    MAX_COMPLAINTS,
    MAX_QUERY_LENGTH,
    TOO_MANY_TERMS,
    AddressFilters,
    AddressParameter,
    KnownSlugsField,
    KnownValueField,
    shorten_to_printable,
)
from .selection import ResultCount

SORT_ORDERS = {
    "match": "Best match",
    "newest": "Newest",
    "oldest": "Oldest",
    "shortest": "Shortest",
    "longest": "Longest",
}
LENGTH_PARAMETERS = ("length", "min_minutes", "max_minutes")


class BaseEpisodeFilters(AddressFilters):
    """Filters of listed episodes. Former slugs of topics count as their present ones."""

    def __init__(self, data: QueryDict) -> None:
        self.topics = Topic.objects.defer("rules").in_bulk(field_name="slug")
        super().__init__(self._replace_former_topic_slugs(data), Episode.objects.listed())

    def _replace_former_topic_slugs(self, parameters: QueryDict) -> QueryDict:
        slugs = parameters.getlist("topic")
        present_slugs = self._present_slugs_by_former_slug(slugs)
        if not present_slugs:
            return parameters
        # The parameters of a request cannot be changed.
        changed = parameters.copy()
        changed.setlist("topic", [present_slugs.get(slug, slug) for slug in slugs])
        return changed

    def _present_slugs_by_former_slug(self, slugs: Sequence[str]) -> dict[str, str]:
        """Return the present slugs of renamed topics, by their former slugs. Leave out all other slugs."""
        unknown_slugs = set(slugs) - self.topics.keys()
        if not unknown_slugs:
            return {}
        # Strangers write addresses: with characters that databases refuse, or with any number of slugs.
        # Looking up as many as the page may complain about is enough.
        storable_slugs = sorted(storable_text(slug) for slug in unknown_slugs)
        looked_up_slugs = storable_slugs[:MAX_COMPLAINTS]
        # The redirect of a deleted topic has no topic: `topic__gt=0` leaves it out.
        redirects = Redirect.objects.filter(kind="topic", topic__gt=0, slug__in=looked_up_slugs)
        return dict(redirects.values_list("slug", "topic__slug"))

    def is_of_one_show(self, current_site: Site) -> bool:
        return bool(self.selection.first("podcast")) or not current_site.several


def choices_of_show_languages() -> list[tuple[str, str]]:
    """Return the codes of all languages as choices of a form, which shows no labels."""
    shows = Podcast.objects.listed()
    return [(show.primary_language, "") for show in shows]


class EpisodeFilter(BaseEpisodeFilters):
    """The filters of the episode list, and its episodes.

    `q` searches, `topic` filters by ids, and `sort` orders.
    """

    q = AddressParameter(forms.CharField, max_length=MAX_QUERY_LENGTH)
    topic = AddressParameter(KnownSlugsField)
    year = AddressParameter(
        forms.RegexField, "in_year", regex=rf"^(?:{UNKNOWN}|[1-9][0-9]{{3}})\Z", strip=True
    )
    month = AddressParameter(
        forms.RegexField, "in_month", regex=r"^[1-9][0-9]{3}-(?:0[1-9]|1[0-2])\Z", strip=True
    )
    person = AddressParameter(KnownValueField, "with_person", model=Person)
    source = AddressParameter(KnownValueField, "with_source", model=Source)
    link_kind = AddressParameter(
        forms.ChoiceField, "with_link_kind", choices=list(LINK_KIND_PLURALS.items())
    )
    length = AddressParameter(
        forms.RegexField,
        "in_length_band",
        regex=rf"^(?:{UNKNOWN}|[0-9]{{1,4}}-[0-9]{{0,4}})\Z",
        strip=True,
    )
    min_minutes = AddressParameter(
        forms.IntegerField, "lasting_at_least", min_value=0, max_value=100_000
    )
    max_minutes = AddressParameter(
        forms.IntegerField, "lasting_at_most", min_value=0, max_value=100_000
    )
    podcast = AddressParameter(KnownValueField, field_name="podcast__slug", model=Podcast)
    language = AddressParameter(forms.ChoiceField, "in_language", choices=choices_of_show_languages)
    sort = AddressParameter(forms.ChoiceField, choices=list(SORT_ORDERS.items()))
    as_typed = AddressParameter(forms.ChoiceField, choices=[("1", "Without corrections")])

    # The words in the address, and the query string that searches them as typed. "" without a
    # correction.
    typed_words = ""
    typed_query = ""

    def __init__(self, data: QueryDict) -> None:
        super().__init__(data)
        cast(KnownSlugsField, self.form.fields["topic"]).valid_slugs = self.topics
        self._counts_by_applied_filters: dict[frozenset[str], FacetCounts] = {}

    def _iterate_complaints_about_ignored_values(self) -> Iterator[str]:
        yield from super()._iterate_complaints_about_ignored_values()
        unknown_slugs = set(self.data.getlist("topic")) - self.topics.keys()
        for slug in sorted(unknown_slugs):
            if slug.strip():
                yield f"unknown topic “{shorten_to_printable(slug)}”"
        if parse_query(self.selection.first("q")).cut:
            yield TOO_MANY_TERMS

    # -- the episodes and their order --------------------------------------------------------------

    def ordered_ids(self, current_site: Site) -> Sequence[int] | QuerySet[Any, int]:
        if self.order == "match":
            return self.search_results().ids
        is_single_show = self.is_of_one_show(current_site)
        ordered = self.filtered_rows().sorted_by(self.order, is_single_show=is_single_show)
        ids = ordered.values_list("pk", flat=True)
        if not self.is_search:
            return ids
        # Episodes that lack a word are results by their meaning, so they come behind all others.
        missing_terms = self.search_results().missing_terms
        return sorted(ids, key=lambda episode_id: episode_id in missing_terms)

    @property
    def order(self) -> str:
        selected = self.values.get("sort") or "match"
        if selected == "match" and not self.is_search:
            return "newest"
        return str(selected)

    def filtered_rows(self, *, ignoring: Set[str] = frozenset()) -> EpisodeQuerySet:
        """Return the episodes that pass every filter that is not in `ignoring`, in no order.

        The words of a search are a filter, too.
        """
        if self._applies_words(ignoring):
            results = self.search_results(ignoring=ignoring)
            return Episode.objects.with_ids(results.ids)
        # The base class cannot search, nor filter by several topics. The topics are filtered below.
        episodes: EpisodeQuerySet = super().filtered_rows(ignoring={"q", "topic", *ignoring})
        topic_slugs = self.selection.without(*ignoring).all("topic")
        return episodes.with_all_topics([self.topics[slug].pk for slug in topic_slugs])

    def _applies_words(self, ignored_filters: Set[str]) -> bool:
        return self.is_search and "q" not in ignored_filters

    # -- search ------------------------------------------------------------------------------------

    @property
    def is_search(self) -> bool:
        return "q" in self.active

    @cached_property
    def prepared_query(self) -> PreparedQuery:
        return prepare_query(str(self.active["q"]))

    @cached_property
    def unfiltered_results(self) -> SearchResults:
        return search_episodes(self.prepared_query, self.catalog_size)

    def search_results(self, *, ignoring: Set[str] = frozenset()) -> SearchResults:
        """Return the results of the search that pass every other filter that is not in `ignoring`."""
        unfiltered = self.unfiltered_results
        words_and_ignored = {"q", *ignoring}
        has_other_filters = bool(self.active.keys() - words_and_ignored)
        if not has_other_filters:
            return unfiltered
        # Of the whole catalog, the episodes that pass all filters but the words.
        passing_episodes = self.filtered_rows(ignoring=words_and_ignored)
        # A cut list has the best results of the catalog. Later ones may pass the filters, too, so the
        # episodes that pass are searched again, the newest alone if there are very many.
        if unfiltered.is_cut:
            passing_count = self.facet_counts(ignoring=words_and_ignored)["matches"]
            return search_newest(unfiltered.prepared_query, passing_episodes, passing_count)
        passing_results = passing_episodes.with_ids(unfiltered.ids)
        passing_ids = set(passing_results.values_list("pk", flat=True))
        ids_best_first = [episode_id for episode_id in unfiltered.ids if episode_id in passing_ids]
        return replace(unfiltered, ids=ids_best_first)

    @property
    def is_nearest(self) -> bool:
        """Return True if no episode has all the words, and the closest are listed."""
        return (
            self.is_search
            and not self.unfiltered_results.is_complete
            and bool(self.unfiltered_results.ids)
        )

    def with_order_or_corrected_words(self) -> EpisodeFilter:
        """Return the list for corrected words, or for an order that the words ask for.

        Return this list if an episode has all words, if no correction has any, or if the reader insists on the
        words.
        """
        reader_insists_on_words = self.selection.first("as_typed") != ""
        if not self.is_search or reader_insists_on_words:
            return self
        words = self.selection.first("q")
        # "newest episodes about tape" becomes the words "tape" and the order `newest`.
        order_words = _ORDER_WORDS.match(words)
        if order_words:
            remaining_words = words[order_words.end() :]
            # The group that matched has the name of an order: `newest` or `oldest`.
            order = str(order_words.lastgroup)
            return self._copy_with_changes_and_typed_words({"q": remaining_words, "sort": order})
        return self._corrected_or_self()

    def _corrected_or_self(self) -> EpisodeFilter:
        # `autogard` is corrected to `autograd`. Words that any episode has are not corrected.
        for corrected_words in iterate_matching_corrected_queries(self.prepared_query):
            corrected = self._copy_with_changes_and_typed_words({"q": corrected_words})
            # As long as a word is missing, a correction is no better than the typed words: it turns
            # invented words, and words that the notes do not use, into others by chance.
            if corrected._has_all_words():
                return corrected
        return self

    def _has_all_words(self) -> bool:
        return self.total > 0 and not self.is_nearest

    def _copy_with_changes_and_typed_words(
        self, changed_parameters: Mapping[str, str]
    ) -> EpisodeFilter:
        """Return a copy with other parameters, such as corrected words. It remembers the typed words and
        their query string, so that its page offers to search for these instead."""
        parameters = self.data.copy()
        for name, value in changed_parameters.items():
            parameters[name] = value
        changed = EpisodeFilter(parameters)
        changed.typed_words = self.selection.first("q")
        # `as_typed` switches off corrections.
        changed.typed_query = self.selection.replaced(as_typed="1").query()
        return changed

    # -- counts ------------------------------------------------------------------------------------

    @property
    def total(self) -> int:
        return self.facet_counts()["matches"]

    @property
    def catalog_size(self) -> int:
        return self.facet_counts(ignoring=self.active.keys())["matches"]

    def result_count_and_relation(self) -> ResultCount:
        if not self.is_search:
            return ResultCount(self.total)
        results = self.search_results()
        relation = "close to" if self.is_nearest else "matching"
        return ResultCount(self.total, has_more=results.is_cut, relation=relation)

    def facet_counts(self, *, ignoring: Set[str] = frozenset()) -> FacetCounts:
        """Count the episodes that pass every filter that is not in `ignoring`, in all and for each facet."""
        applied_filters = frozenset(self.active.keys() - ignoring)
        # Several facets ignore the same filters, and each count is a query.
        if applied_filters not in self._counts_by_applied_filters:
            counts = self._load_or_compute_facet_counts(ignoring)
            self._counts_by_applied_filters[applied_filters] = counts
        return self._counts_by_applied_filters[applied_filters]

    def _load_or_compute_facet_counts(self, ignored_filters: Set[str]) -> FacetCounts:
        if self._applies_words(ignored_filters):
            return self._count_facets_of_results(ignored_filters)
        episodes = self.filtered_rows(ignoring=ignored_filters)
        selection = self.selection.without(*ignored_filters)
        # Imports store the counts of all episodes, of each topic (`topic:12`) and of each year
        # (`year:2021`), in each show and in all. Other filters, and two of these together, are counted now.
        stored_keys = [f"topic:{self.topics[slug].pk}" for slug in selection.all("topic")]
        stored_keys += [f"year:{year}" for year in selection.all("year")]
        unstored_filters = self.active.keys() - ignored_filters - {"topic", "year", "podcast"}
        if not unstored_filters and len(stored_keys) <= 1:
            stored_key = "".join(stored_keys)  # "" for all episodes
            return load_or_count_facets(episodes, stored_key, selection.first("podcast"))
        # Without a search most of a large catalog may pass, so the facets count the newest episodes.
        return count_facets_of_newest_episodes(episodes)

    def _count_facets_of_results(self, ignored_filters: Set[str]) -> FacetCounts:
        # A search has a limited number of results, so all of them are counted.
        ids = self.search_results(ignoring=ignored_filters).ids
        return count_facets_of_ids(ids, self.catalog_size)


# “newest”, “the latest episodes about tape”, “first episode”
_ORDER_WORDS = re.compile(
    r"""
    (?: the \s+ )?
    (?: (?P<newest> newest | latest | most\s+recent ) | (?P<oldest> first | oldest ) )
    (?: \s+ episodes? (?!\w) | \Z )  # not before other words, as in “first steps”
    \s* (?: (?: about | on | with ) \s+ )?
    """,
    re.IGNORECASE | re.VERBOSE,
)
