"""The episode list with its filters."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from ..models import Episode, Podcast, Topic
from ..outputs import json_ld
from ..search import prepare_query, search_episodes
from ..site import Site, load_shows_and_sections
from ..text.formatting import format_total_length
from . import facets
from .episode_filter import SORT_ORDERS, EpisodeFilter
from .moments import playable_context
from .month_bars import build_years_of_month_bars
from .rendering import (
    CARDS_PER_PAGE,
    feeds_and_formats_context,
    load_cards,
    load_page_of_episodes,
    pagination_context,
    render_page,
)
from .search_reasons import (
    first_playable_moments,
    missing_words_reasons_by_episode,
    result_reasons_by_episode,
)
from .search_suggestions import find_direct_hits
from .selection import QueryChoice, Selection, list_headline


@require_safe
def episode_list(request: HttpRequest) -> HttpResponse:
    """Show a page of the episodes that the filters of the address choose, or what to do without any."""
    # A misspelled search may have been corrected.
    filters = EpisodeFilter(request.GET).with_order_or_corrected_words()
    selection = filters.selection
    current_site = load_shows_and_sections()
    show = current_site.find_show_with_slug_or_only_show(selection.first("podcast"))
    page = load_page_of_episodes(
        request,
        current_site,
        filters.ordered_ids(current_site),
        per_page=CARDS_PER_PAGE,
        row_count=filters.total,
        topics=filters.topics.values(),
    )
    page_episodes = list(page)
    context = {
        **pagination_context(request, page, reverse("episodes"), selection),
        **list_sidebar_context(filters, current_site, facets.facet_of_shows(filters, current_site)),
        **feeds_and_formats_context(request, "episodes", query=selection.query()),
        **explanations_and_direct_hits_context(
            filters, current_site, is_first_page=page.number == 1
        ),
        **_filters_in_force_context(filters, current_site, show),
        "section": "episodes",
        "searches_here": True,
        "words": selection.first("q"),
        # Without a script the search form has to carry the other filters.
        "hidden": selection.without("q").narrowing_pairs(),
        "total_length": format_total_length(filters.facet_counts()),
        "site": current_site,
        "names_shows": show is None,
        "structured": json_ld.shows_json_ld(
            current_site, request.build_absolute_uri, selection.first("podcast")
        ),
    }
    if page_episodes:
        context |= _context_of_results(filters, page_episodes, is_first_page=page.number == 1)
    else:
        context |= _context_of_nearest_results(filters, current_site)
    return render_page(request, "episodes/list.html", context)


def _context_of_results(
    filters: EpisodeFilter, page_episodes: Sequence[Episode], *, is_first_page: bool
) -> dict[str, object]:
    reasons = result_reasons_by_episode(filters, page_episodes)
    # The first page links to the page that plays its moments. That page plays none of later pages.
    playable = first_playable_moments(page_episodes, reasons) if is_first_page else []
    return {
        "reasons": reasons,
        "sorts": choices_of_sort_order(filters),
        # The best results are near to the query. Later ones may be about anything.
        "near_topics": _four_most_frequent_topics(page_episodes[:3]),
        **playable_context(playable),
    }


def _filters_in_force_context(
    filters: EpisodeFilter, current_site: Site, show: Podcast | None
) -> dict[str, object]:
    selection = filters.selection
    labels = facets.labels_by_parameter_value_pair(selection, filters.topics, show)
    return {
        "title": list_headline(
            filters.result_count_and_relation(), selection, labels, current_site
        ),
        "chips": facets.active_filters(selection, labels),
        "complaints": filters.complaints(),
    }


class SingleWord(NamedTuple):
    """A word of a query that has results of its own."""

    text: str
    result_count: int
    query: str  # the query string that searches for it


def _context_of_nearest_results(filters: EpisodeFilter, current_site: Site) -> dict[str, object]:
    # If only the other filters leave no result, the page advises to remove a filter.
    if not filters.is_search or filters.unfiltered_results.ids:
        return {"nearest": [], "near_topics": [], "single_words": []}
    results = filters.unfiltered_results
    nearest = load_cards(results.nearest_ids, current_site)
    return {
        "nearest": nearest,
        "reasons": missing_words_reasons_by_episode(results, nearest),
        "near_topics": _four_most_frequent_topics(nearest),
        "single_words": _single_words_with_results(filters),
    }


def _four_most_frequent_topics(episodes: Iterable[Episode]) -> list[Topic]:
    topics = {}
    counts: Counter[str] = Counter()
    for episode in episodes:
        for topic in episode.topics_in_order:
            topics[topic.slug] = topic
            counts[topic.slug] += 1
    return [topics[slug] for slug, _ in counts.most_common(4)]


def _single_words_with_results(filters: EpisodeFilter) -> list[SingleWord]:
    """Return the words of a query without results that have results on their own."""
    terms = filters.unfiltered_results.prepared_query.query.terms
    # The only word is the query itself.
    if len(terms) < 2:
        return []
    max_words = 5  # each takes a search
    words = []
    for term in terms[:max_words]:
        results = search_episodes(prepare_query(term.typed), filters.catalog_size)
        count = len(results.ids)
        if count:
            # The count is without other filters, so the link is, too.
            query = Selection({"q": (term.typed,)}).query()
            words.append(SingleWord(term.typed, count, query))
    return words


def list_sidebar_context(
    filters: EpisodeFilter, current_site: Site, *first_facets: facets.Facet
) -> dict[str, object]:
    """Return the facets, of these `first_facets` first, the topics by group, and bars of the months."""
    # The bar of a month has the height of all its episodes, and is filled to those that pass the filters.
    # The selected year or month is ignored, so that a reader can choose another.
    counts_of_any_month = filters.facet_counts(ignoring={"year", "month"})
    filtered_counts_by_month = counts_of_any_month.counts_of_facet_by_value("month")
    counts_of_show = filters.facet_counts(ignoring=filters.active.keys() - {"podcast"})
    all_counts_by_month = counts_of_show.counts_of_facet_by_value("month")
    first_topics, topic_groups = facets.first_topics_and_other_topics_by_group(
        filters, current_site
    )
    languages = facets.Facet("Language", facets.language_choices(filters, current_site))
    years = facets.Facet("Year", facets.year_choices(filters))
    lengths = facets.Facet("Length", facets.length_choices(filters))
    topics = facets.Facet("Topics", first_topics)
    return {
        "facets": facets.with_alternatives(*first_facets, languages, years, lengths, topics),
        "topic_groups": topic_groups,
        "years": build_years_of_month_bars(
            all_counts_by_month, filtered_counts_by_month, filters.selection
        ),
    }


def explanations_and_direct_hits_context(
    filters: EpisodeFilter, current_site: Site, *, is_first_page: bool
) -> dict[str, object]:
    """Return the lines above the results for the template: how the words were read, and pages of that name."""
    explanations = []
    direct_hits = []
    if filters.is_search:
        prepared_query = filters.unfiltered_results.prepared_query
        terms = prepared_query.query.terms
        # “tape” or “reel”, for the query `tape OR reel`.
        explanations = [term.explanation for term in terms if term.explanation]
        # The words are one pair. With a filter or an order a reader looks for episodes, not for a page of that
        # name.
        has_other_filters = len(filters.selection.pairs()) > 1
        if is_first_page and not has_other_filters:
            direct_hits = find_direct_hits(prepared_query, current_site)
    return {"filters": filters, "facts": explanations, "direct_hits": direct_hits}


def choices_of_sort_order(filters: EpisodeFilter) -> list[QueryChoice]:
    names = list(SORT_ORDERS)
    if not filters.selection.first("q"):
        names.remove("match")
    default = names[0]  # the best match of a search, else the newest first
    choices = []
    for name in names:
        # The default order is not named in an address, so that each list has one address.
        sort = "" if name == default else name
        query = filters.selection.replaced(sort=sort).query()
        choices.append(QueryChoice(SORT_ORDERS[name], query, name == filters.order))
    return choices
