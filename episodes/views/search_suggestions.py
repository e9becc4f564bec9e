"""The suggestions of the search box, and pages with the searched name."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from ..models import Episode, Link, Podcast, load_in_order, load_or_count_facets
from ..search import (
    PreparedQuery,
    complete_with_or_operator,
    find_name_matches,
    find_queries_with_completed_exclusion,
    prepare_query,
    search_episodes,
)
from ..site import Site, load_shows_and_sections
from ..text import link_labels
from ..text.search_letters import fold_for_search
from .filters import MAX_QUERY_LENGTH


@dataclass(frozen=True)
class DirectHit:
    """A page with the searched name."""

    name: str
    kind: str
    address: str


@require_safe
@cache_control(max_age=60)
def search_suggestions_html(request: HttpRequest) -> HttpResponse:
    # The text in the box while somebody types. A space at its end completes a word.
    typed = request.GET.get("q", "")[:MAX_QUERY_LENGTH]
    words = typed.strip()
    current_site = load_shows_and_sections()
    hits = []
    exclusions = []
    # One letter begins too many names.
    if len(words) >= 2:
        prepared_query = prepare_query(words)
        hits += _best_episode_hits(prepared_query, current_site)
        hits += find_direct_hits(prepared_query, current_site)
        # `autograd -vmap` and others, after `autograd -vma`.
        exclusions = find_queries_with_completed_exclusion(typed, prepared_query)
    context = {
        "hits": hits,
        "words": words,
        "exclusions": exclusions,
        # `autograd OR `, after `autograd ` with its space.
        "alternative": complete_with_or_operator(typed),
    }
    response = render(request, "episodes/includes/_suggestions.html", context)
    # Search engines should not list a part of a page.
    response["X-Robots-Tag"] = "noindex"
    return response


def _best_episode_hits(prepared_query: PreparedQuery, current_site: Site) -> list[DirectHit]:
    catalog_size = load_or_count_facets(Episode.objects.listed())["matches"]
    best_ids = search_episodes(prepared_query, catalog_size).ids[:5]
    rows = Episode.objects.with_name_columns().prefetch_related("podcast")
    hits = []
    for episode in load_in_order(best_ids, rows):
        kind = f"Episode {episode.numbering}".strip()
        # On a site of several shows the title of the show says more than a number.
        if current_site.several:
            kind = episode.podcast.title
        hits.append(DirectHit(episode.heading, kind, episode.get_absolute_url()))
    return hits


def find_direct_hits(prepared_query: PreparedQuery, current_site: Site) -> list[DirectHit]:
    """Find shows with the query in their titles, and topics, symbols, people and links with all words.

    Return at most three of each kind, and shows only if the site has several.
    """
    words = prepared_query.query.typed
    hits = []
    # A query of characters that no database takes has the words "", and every title contains "".
    if words and current_site.several:
        for show in _find_shows_with_letters(words, current_site)[:3]:
            hits.append(DirectHit(show.title, "Show", show.get_absolute_url()))
    labels = {"topic": "Topic", "name": "Symbol", "person": "Person"}
    for match in find_name_matches(prepared_query, max_per_kind=3):
        if match.kind == "link":
            hits.append(direct_hit_of_link(match.key, match.name, match.link_kind))
        else:
            # The views of their pages have the names of these kinds, and the key is a slug.
            address = reverse(match.kind, args=[match.key])
            hits.append(DirectHit(match.name, labels[match.kind], address))
    return hits


def _find_shows_with_letters(
    words: str, current_site: Site
) -> Sequence[Podcast] | QuerySet[Podcast]:
    """Return the shows with the letters of some words in their titles, in the order of their ranks."""
    if not current_site.has_all_shows:
        return Podcast.objects.listed().filter(title__has_letters=words)
    letters = fold_for_search(words).strip()
    shows = [show for show in current_site.shows if letters in fold_for_search(show.title)]
    return sorted(shows, key=lambda show: (show.rank, show.slug))


def direct_hit_of_link(link_key: str, title: str, link_kind: str) -> DirectHit:
    name = link_labels.title_or_name_of_link(title, link_key)
    kind = link_labels.LINK_KIND_NAMES.get(link_kind, "Link")
    return DirectHit(name, kind, Link(key=link_key).get_absolute_url())
