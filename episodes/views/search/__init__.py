"""Suggestions for the search box while somebody types."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from ...models import Episode, counts_of
from ...search import prepare, results
from ...site import site
from ..lists.filters import LONGEST_QUERY
from .hits import direct_hits, episode_hits

# One letter begins too many names.
SHORTEST = 2
MOST_EPISODES = 5


@require_safe
def suggest(request: HttpRequest) -> HttpResponse:
    """A piece of a page: the best episodes and direct hits, each an option of a list box."""
    words, of_site = request.GET.get("q", "")[:LONGEST_QUERY].strip(), site()
    hits = []
    if len(words) >= SHORTEST:
        found = results(prepare(words), counts_of(Episode.objects.listed())["episodes"])
        best = episode_hits(found.ids[:MOST_EPISODES], of_site)
        hits = [*best, *direct_hits(found.asked, of_site)]
    answer = render(request, "episodes/includes/_suggestions.html", {"hits": hits, "words": words})
    answer["Cache-Control"] = "max-age=60"
    # A piece without a frame is no page for search engines to list.
    answer["X-Robots-Tag"] = "noindex"
    return answer
