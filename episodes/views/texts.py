"""Pages as Markdown, for people who paste them and for language models."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import condition, require_safe

from ..models import Episode
from ..outputs import markdown
from ..site import site
from .episode import file_of_episode
from .etag import changed_at, etag
from .outputs import answer
from .page import gone

MOST_LISTED = 500
PLAIN = "text/plain; charset=utf-8"


@require_safe
@condition(etag_func=etag, last_modified_func=changed_at)
@file_of_episode(".md", markdown.whole_episodes(Episode.objects.all()))
def episode_markdown(request: HttpRequest, found: Episode) -> HttpResponse:
    """An episode as Markdown; an address it once had leads to the one it has."""
    return answer(markdown.episode(found, _addresses(request)), markdown.KIND)


@require_safe
@condition(etag_func=etag, last_modified_func=changed_at)
def llms_txt(request: HttpRequest) -> HttpResponse:
    """An index of what there is to read here, one line an episode (llmstxt.org); of many episodes the newest of
    each show."""
    about = site()
    each = MOST_LISTED // max(1, len(about.shows))
    rows = Episode.objects.listed().newest_first(one_show=True)
    shows = [(show, rows.filter(podcast=show)[:each]) for show in about.shows]
    more = (
        ("Links", "links", "every page, paper, issue and source file that show notes mention"),
        ("Topics", "topics", "the topics with their episodes"),
        ("Data", "data", "every data format, with examples"),
    )
    whole = [(name, request.build_absolute_uri(reverse(view)), text) for name, view, text in more]
    return answer(markdown.index(about, shows, _addresses(request), whole), PLAIN)


@require_safe
def llms_full_txt(request: HttpRequest) -> HttpResponse:
    """410 at an address that is no longer used: each episode has Markdown of its own, which
    llms.txt names."""
    return gone(
        request, "This file is no longer provided. llms.txt links to each episode as Markdown."
    )


def _addresses(request: HttpRequest) -> markdown.Addresses:
    whole = request.build_absolute_uri
    return markdown.Addresses(
        page=lambda episode: whole(episode.get_absolute_url()),
        markdown=lambda episode: whole(reverse("episode-markdown", args=(episode.slug,))),
    )
