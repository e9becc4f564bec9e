"""The pages about the site: what it is, what can be done with its data, and what a browser keeps of
it."""

from typing import Any

from django.conf import settings
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from ..fields import CSV
from ..models import Episode, Podcast, Source, Topic
from ..outputs import FORMATS
from ..site import site
from ..text.formatting import counted
from .links import COLUMNS as LINK_COLUMNS
from .outputs import MOST_LISTED
from .page import show_page
from .shows import counted_shows

MOST_SAVED = 100  # shows


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    """In plain words, with the sources of all shows and how many episodes and posts each lists."""
    sources = Source.objects.filter(podcast__in=Podcast.objects.shown()).order_by(
        "podcast", "rank", "slug"
    )
    # An episode that several documents of a source list counts once.
    known = Count("documents__items__attachment__episode", distinct=True)
    posts = Count("documents__items", filter=Q(documents__items__is_post=True))
    source: Any
    listed = []
    for source in sources.select_related("podcast").annotate(known=known, posts=posts):
        counts = ((source.known, "episode", "episodes"), (source.posts, "post", "posts"))
        listed.append((source, ", ".join(counted(*words) for words in counts if words[0])))
    context = {
        "section": "about",
        "site": site(),
        "sources": listed,
        "shows": list(counted_shows()),
        "canonical": request.build_absolute_uri(reverse("about")),
    }
    return show_page(request, "episodes/about.html", context)


@require_safe
def offline(request: HttpRequest) -> HttpResponse:
    """The page for want of a network; its script lists what the browser keeps."""
    context = {
        "section": "about",
        "site": site(),
        "shows": counted_shows()[:MOST_SAVED],
        "canonical": request.build_absolute_uri(reverse("offline")),
    }
    return show_page(request, "episodes/offline.html", context)


@require_safe
def data(request: HttpRequest) -> HttpResponse:
    """Every format that the catalog can be had in, with examples from it."""
    example = Episode.objects.listed().exclude(title="").newest_first(one_show=True).first()
    topic = Topic.objects.filter(uses__isnull=False).order_by("position", "slug").first()
    context = {
        "section": "about",
        "site": site(),
        "example": example,
        "topic": topic,
        "lists": [(form.name, ending) for ending, form in FORMATS.items()],
        "most_listed": MOST_LISTED,
        "columns": CSV,
        "link_columns": LINK_COLUMNS,
        "assistants": settings.MCP,
        "canonical": request.build_absolute_uri(reverse("data")),
    }
    return show_page(request, "episodes/data.html", context)
