"""Lists of episodes in every format that is not a page; episodes as Markdown, and the index of
these for language models (llms.txt)."""

from collections.abc import Callable
from typing import Any

from django.core.paginator import Page
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.templatetags.static import static
from django.urls import reverse
from django.utils.encoding import iri_to_uri
from django.views.decorators.http import require_safe

from ..models import (
    Episode,
    LearningPath,
    Person,
    Podcast,
    Topic,
    add_shows_and_topics,
    in_order,
    routes,
)
from ..outputs import FORMATS, Listing, add_credits, markdown, picture
from ..site import Site, site
from ..text.formatting import isolated
from .elsewhere import file_of_episode, gone, now_at
from .facets import names
from .filters import EpisodeFilter
from .page import conditional, paged
from .selection import asked as filters_in_words

# The most that a feed or table carries at once; a link leads to the rest.
PER_PAGE = 500
COVER = "img/cover.png"


@require_safe
@conditional
def episodes_as(request: HttpRequest, form: str) -> HttpResponse:
    """The episodes that the address asks for, as on the page of the list; all of its pages."""
    return _answer(request, form)


@require_safe
@conditional
def topic_as(request: HttpRequest, slug: str, form: str) -> HttpResponseBase:
    """A topic's episodes, newest first; the filters of the list narrow them further."""
    if Topic.objects.filter(slug=slug).exists():
        return _answer(request, form, "topic", slug)
    current = get_object_or_404(Topic, former__slug=slug)
    query = request.META.get("QUERY_STRING", "")
    address = reverse("topic-as", args=(current.slug, form)) + "?" * bool(query) + query
    return redirect(address, permanent=True)


@require_safe
@conditional
def person_as(request: HttpRequest, slug: str, form: str) -> HttpResponseBase:
    """The episodes in which somebody is heard, newest first; the filters of the list narrow them
    further."""
    if Person.objects.filter(slug=slug).exists():
        return _answer(request, form, "person", slug)
    elsewhere = now_at(slug)
    # The way may lead to a search for the name, which is no list of one person.
    if not elsewhere.startswith(reverse("people")):
        raise Http404("Nobody is at this address any more.")
    return redirect(f"{elsewhere.rstrip('/')}.{form}", permanent=True)


@require_safe
@conditional
def path_as(request: HttpRequest, slug: str, form: str) -> HttpResponseBase:
    """A path's episodes in its order, all at once."""
    path = LearningPath.objects.shown().filter(slug=slug).select_related("podcast").first()
    if path is None:
        current = get_object_or_404(LearningPath, former__slug=slug)
        return redirect("path-as", current.slug, form, permanent=True)
    about, kind, whole = site(), FORMATS[form], addresses_of(request)
    (route,) = routes([path], kind.rows(Episode.objects.for_list()))
    add_credits(route.episodes)
    show = path.podcast or about.show
    listing = Listing(
        title=f"{show.title if show else about}: {path.title}",
        description=path.description,
        episodes=route.episodes,
        address=lambda e: whole(e.get_absolute_url()),
        page=whole(path.get_absolute_url()),
        own=whole(reverse("path-as", args=(slug, form))),
        image=whole(_cover(show)),
        show=show,
        absolute=whole,
    )
    return answer(kind.write(listing), kind.content_type)


def _cover(show: Podcast | None) -> str:
    """The address of a show's cover, else of the site's own."""
    cover = picture(show) if show else None
    return cover.address if cover else static(COVER)


def _answer(
    request: HttpRequest, ending: str, kind: str = "episodes", slug: str = ""
) -> HttpResponse:
    """A list in a format; of a topic or person it is the list with that filter."""
    form, about, whole = FORMATS[ending], site(), addresses_of(request)
    data, args = request.GET.copy(), (slug,) if slug else ()
    if slug:
        # So the feed of a topic or person has the filters, order and pages of the list.
        data.appendlist(kind, slug)
    listed = EpisodeFilter(data).corrected()
    page: Page[Any] = paged(request, listed.ids(about), PER_PAGE, listed.total)
    rows = in_order(page, form.rows(Episode.objects.all()))
    add_shows_and_topics(rows, [*about.shows, *listed.topics.values()])
    if form.is_feed:
        add_credits(rows)
    asked = listed.selection
    # The path of the feed's address names the topic or person, so its query need not.
    further = asked.toggled(kind, slug) if slug else asked
    own, show = reverse(f"{kind}-as", args=(*args, ending)), about.of(asked.one("podcast"))
    is_whole = not further.pairs()
    listing = Listing(
        title=_title(about, show, listed),
        description=show.description if show else "",
        episodes=rows,
        address=lambda e: whole(e.get_absolute_url()),
        page=whole(reverse(kind, args=args) if is_whole else reverse("episodes") + asked.query()),
        own=whole(own + further.query(page.number)),
        next=whole(own + further.query(page.number + 1)) if page.has_next() else "",
        image=whole(_cover(show)),
        show=show,
        absolute=whole,
    )
    return answer(form.write(listing), form.content_type, listing.next)


def addresses_of(request: HttpRequest) -> Callable[[str], str]:
    """A function that makes addresses of the site whole. Others only get their characters escaped:
    a source may give one that cannot be taken apart."""
    home = request.build_absolute_uri("/")[:-1]
    return lambda address: f"{home}{address}" if address.startswith("/") else iri_to_uri(address)


def answer(text: str, content_type: str, following: str = "") -> HttpResponse:
    """An answer that any site and program may read, asked for anew each time but sent anew only
    when it changed."""
    response = HttpResponse(text, content_type=content_type)
    response["Cache-Control"] = "no-cache"
    response["Access-Control-Allow-Origin"] = "*"
    if following:
        # CSV has no place for the address of its next part, so a header has it (RFC 8288).
        response["Link"] = f'<{following}>; rel="next"'
    return response


def _title(about: Site, show: Podcast | None, listed: EpisodeFilter) -> str:
    # A show is named before the colon already.
    asked = listed.selection
    name, chosen = (show.title, asked.replaced(podcast="")) if show else (str(about), asked)
    words = filters_in_words(chosen, names(asked, listed.topics), relation=listed.relation)
    typed = f" (instead of “{isolated(listed.typed)}”)" if listed.typed else ""
    return f"{name}{f': episodes{words}' if words else ''}{typed}"


MOST_LISTED = 500
PLAIN = "text/plain; charset=utf-8"


@require_safe
@conditional
@file_of_episode(".md", markdown.whole_episodes(Episode.objects.all()))
def episode_markdown(request: HttpRequest, found: Episode) -> HttpResponse:
    """An episode as Markdown; an address it once had leads to the one it has."""
    return answer(markdown.episode(found, _addresses(request)), markdown.KIND)


@require_safe
@conditional
def llms_txt(request: HttpRequest) -> HttpResponse:
    """An index of what there is to read here, one line an episode (llmstxt.org); of many episodes
    the newest of each show."""
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
