"""The pages about the site: its sources, its data, and pages that a browser keeps."""

from typing import Any

from django.conf import settings
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from podcast_catalog import __version__

from ..fields import CSV_COLUMNS
from ..models import Episode, Podcast, Source, Topic
from ..outputs import LIST_FORMATS
from ..text.formatting import format_count
from .link_index import LINK_COLUMNS
from .rendering import render_page
from .shows import shows_with_episode_count_and_newest
from .site_files import MAX_EPISODES_IN_LLMS_TXT


@require_safe
def about_page(request: HttpRequest) -> HttpResponse:
    context = {
        "section": "about",
        "sources": _sources_with_contents_in_words(),
        "shows": list(shows_with_episode_count_and_newest()),
        "version": __version__,
    }
    return render_page(request, "episodes/about.html", context)


def _sources_with_contents_in_words() -> list[tuple[Source, str]]:
    """Return each source of a listed show with the number of its episodes and blog posts: `46 episodes, 2 posts`."""
    sources = Source.objects.filter(podcast__in=Podcast.objects.listed()).select_related("podcast")
    counted_sources: Any = sources.order_by("podcast", "rank", "slug").annotate(
        # An episode that several documents of a source list counts once.
        episodes=Count("documents__items__attachment__episode", distinct=True),
        posts=Count("documents__items", filter=Q(documents__items__is_post=True)),
    )
    rows = []
    for source in counted_sources:
        contents = []
        if source.episodes:
            contents.append(format_count(source.episodes, "episode", "episodes"))
        if source.posts:
            contents.append(format_count(source.posts, "post", "posts"))
        rows.append((source, ", ".join(contents)))
    return rows


@require_safe
def offline_page(request: HttpRequest) -> HttpResponse:
    """Show the page for a browser without a network. Its script lists the pages that the browser keeps."""
    context = {"section": "about", "shows": shows_with_episode_count_and_newest()[:100]}
    return render_page(request, "episodes/offline.html", context)


@require_safe
def data_page(request: HttpRequest) -> HttpResponse:
    titled = Episode.objects.listed().exclude(title="")
    # The newest episode of any show is an example. This order, show by show, has an index.
    newest_first = titled.newest_first(is_single_show=True)
    used_topics = Topic.objects.filter(uses__isnull=False)
    context = {
        "section": "about",
        "example": newest_first.first(),
        "topic": used_topics.order_by("position", "slug").first(),
        "lists": [(list_format.name, ending) for ending, list_format in LIST_FORMATS.items()],
        "max_in_llms_txt": MAX_EPISODES_IN_LLMS_TXT,
        "columns": CSV_COLUMNS,
        "link_columns": LINK_COLUMNS,
        "assistants": settings.MCP,
    }
    return render_page(request, "episodes/data.html", context)
