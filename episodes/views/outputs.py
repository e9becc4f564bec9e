"""What is no page: lists of episodes in every other format, episodes as Markdown, and the index of
these for language models (llms.txt); files that search engines, browsers, podcast apps and monitors
ask a site for."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.files.storage import default_storage
from django.core.paginator import Page
from django.db import Error, connection
from django.db.models import Exists, OuterRef
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_list_or_404, get_object_or_404, redirect
from django.templatetags.static import static
from django.urls import reverse
from django.utils.encoding import iri_to_uri
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from ..models import (
    Episode,
    EpisodeTopic,
    Image,
    LearningPath,
    Person,
    Podcast,
    Topic,
    add_shows_and_topics,
    in_order,
    routes,
)
from ..outputs import (
    FORMATS,
    Listing,
    add_credits,
    catalog_json,
    chapters_json,
    document,
    draw_card,
    draw_site_card,
    markdown,
    picture,
    transcript_vtt,
)
from ..site import Site, site
from ..text.formatting import isolated
from .facets import names
from .filters import EpisodeFilter, filters_in_words
from .page import conditional, file_of_episode, former_owner, paged
from .transcript import asked_time, quote_of, speech_of

# The most that a feed or table carries at once; a link leads to the rest.
PER_PAGE = 500
COVER = "img/cover.png"


@require_safe
@conditional
def episodes_as(
    request: HttpRequest, form: str, kind: str = "episodes", slug: str = ""
) -> HttpResponse:
    """The episodes that the address asks for, as on the page of the list; all of its pages. Of a
    topic or person it is the list with that filter."""
    written, about, whole = FORMATS[form], site(), addresses_of(request)
    data, args = request.GET.copy(), (slug,) if slug else ()
    if slug:
        # So the feed of a topic or person has the filters, order and pages of the list.
        data.appendlist(kind, slug)
    listed = EpisodeFilter(data).corrected()
    page: Page[Any] = paged(request, listed.ids(about), PER_PAGE, listed.total)
    rows = in_order(page, written.rows(Episode.objects.all()))
    add_shows_and_topics(rows, [*about.shows, *listed.topics.values()])
    if written.is_feed:
        add_credits(rows)
    asked = listed.selection
    # The path of the feed's address names the topic or person, so its query need not.
    further = asked.toggled(kind, slug) if slug else asked
    own, show = reverse(f"{kind}-as", args=(*args, form)), about.of(asked.one("podcast"))
    is_whole = not further.pairs()
    listing = Listing(
        title=_title(about, show, listed),
        description=getattr(show, "description", ""),
        episodes=rows,
        address=lambda e: whole(e.get_absolute_url()),
        page=whole(reverse(kind, args=args) if is_whole else reverse("episodes") + asked.query()),
        own=whole(own + further.query(page.number)),
        next=whole(own + further.query(page.number + 1)) if page.has_next() else "",
        image=whole(_cover(show)),
        show=show,
        absolute=whole,
    )
    return answer(written.write(listing), written.content_type, listing.next)


def topic_as(request: HttpRequest, slug: str, form: str) -> HttpResponseBase:
    """A topic's episodes, newest first; the filters of the list narrow them further."""
    if Topic.objects.filter(slug=slug).exists():
        return episodes_as(request, form, "topic", slug)
    current = get_object_or_404(Topic, former__slug=slug)
    query = request.META.get("QUERY_STRING", "")
    address = reverse("topic-as", args=(current.slug, form)) + "?" * bool(query) + query
    return redirect(address, permanent=True)


def person_as(request: HttpRequest, slug: str, form: str) -> HttpResponseBase:
    """The episodes in which somebody is heard, newest first; the filters of the list narrow them
    further."""
    if Person.objects.filter(slug=slug).exists():
        return episodes_as(request, form, "person", slug)
    person = former_owner(slug).person
    if person is None:
        raise Http404("Nobody is at this address any more.")
    return redirect("person-as", person.slug, form, permanent=True)


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


def addresses_of(request: HttpRequest) -> Callable[[str], str]:
    """A function that makes addresses of the site whole. Others only get their characters escaped:
    a source may give one that cannot be taken apart."""
    home = request.build_absolute_uri("/")[:-1]
    return lambda address: f"{home}{address}" if address.startswith("/") else iri_to_uri(address)


def answer(text: str, content_type: str, following: str = "") -> HttpResponse:
    """An answer that any site and program may read, asked for anew each time but sent anew only
    when it changed."""
    headers = {"Cache-Control": "no-cache", "Access-Control-Allow-Origin": "*"}
    # CSV has no place for the address of its next part, so a header has it (RFC 8288).
    links = {"Link": f'<{following}>; rel="next"'} if following else {}
    return HttpResponse(text, content_type=content_type, headers=headers | links)


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
    return answer(markdown.episode(found, request.build_absolute_uri), markdown.KIND)


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
    absolute = request.build_absolute_uri
    whole = [(name, absolute(reverse(view)), text) for name, view, text in more]
    return answer(markdown.index(about, shows, absolute, whole), PLAIN)


# -- files that other programs ask a site for ----------------------------------------------------

PAPER, ACCENT = "#fcf9f3", "#b23a12"


@require_safe
@conditional
def shows_opml(request: HttpRequest) -> HttpResponse:
    """The feeds of all shows, of every topic that has episodes, and of the paths."""
    about = site()
    used = Exists(EpisodeTopic.objects.filter(topic=OuterRef("pk")))
    topics = Topic.objects.filter(used).order_by("position", "slug")
    text = document(
        "opml",
        site=about,
        topics=topics,
        paths=list(LearningPath.objects.shown()),
        absolute=request.build_absolute_uri,
    )
    # No media type of OPML is registered; this is the usual one.
    return answer(text, "text/x-opml; charset=utf-8")


@require_safe
def robots_txt(request: HttpRequest) -> HttpResponse:
    """Everything may be read but what asks for a password."""
    lines = (
        "User-agent: *",
        f"Disallow: {reverse('home')}admin/",  # asked for by its name, the admin would be imported
        f"Disallow: {reverse('suggest-correction')}",
        "",
        f"Sitemap: {request.build_absolute_uri(reverse('sitemap'))}",
    )
    return HttpResponse("\n".join((*lines, "")), content_type="text/plain; charset=utf-8")


@require_safe
def manifest(request: HttpRequest) -> HttpResponse:
    """The site as an app on a phone's home screen."""
    about = site()
    icons = [
        {
            "src": static(f"img/icon-{size}.png"),
            "sizes": f"{size}x{size}",
            "type": "image/png",
            "purpose": "any maskable",
        }
        for size in (192, 512)
    ]
    icons.append({"src": static("img/favicon.svg"), "sizes": "any", "type": "image/svg+xml"})
    text = {
        "id": "/",
        "name": str(about),
        # Below an icon there is no room for the name of the site.
        "short_name": "Podcasts",
        "start_url": reverse("episodes"),
        "scope": "/",
        "display": "minimal-ui",
        "background_color": PAPER,
        # A manifest has no second colour for the dark scheme.
        "theme_color": PAPER,
        "icons": icons,
        "description": about.sentence,
    }
    return JsonResponse(text, content_type="application/manifest+json; charset=utf-8")


@require_safe
def opensearch(request: HttpRequest) -> HttpResponse:
    """The site's search for the browser's address bar."""
    text = document("opensearch", name=str(site()), absolute=request.build_absolute_uri)
    return answer(text, "application/opensearchdescription+xml; charset=utf-8")


@require_safe
def export_schema(request: HttpRequest) -> HttpResponse:
    """The JSON Schema of what `manage.py export` writes."""
    return answer(catalog_json.SCHEMA.read_text(), "application/schema+json; charset=utf-8")


@require_safe
@conditional
# Inside `condition`: a client that has the card already costs no drawing.
@file_of_episode("/card.png", Episode.objects.for_list())
def share_card(request: HttpRequest, episode: Episode) -> HttpResponse:
    """The picture beside a shared link to an episode, or to a quote from it; where none can be
    drawn, the one that its page names. None is drawn of a time that strangers make up."""
    # Other times lead to the card of the sentences around them, so cards cannot be made without end.
    asked = request.GET.get("t", "")
    quote = quote_of(speech_of(episode), asked_time(asked, episode)[0])
    if asked != quote.span:
        return redirect(f"{request.path}?t={quote.span}".removesuffix("?t="))
    drawn = draw_card(episode, quote.words, quote.clock)
    if drawn is None:
        shown = picture(episode)
        return redirect(shown.address if shown else reverse("site-card"))
    return HttpResponse(drawn, content_type="image/png")


@require_safe
@conditional
def site_card(request: HttpRequest) -> HttpResponse:
    """The picture beside shared links to pages without one."""
    about = site()
    drawn = draw_site_card(str(about), about.sentence)
    if drawn is None:
        return redirect(static("img/card.png"))
    return HttpResponse(drawn, content_type="image/png")


@require_safe
def theme_css(request: HttpRequest) -> HttpResponse:
    """The colour of the site, where the settings give one."""
    if not settings.ACCENT:
        raise Http404("The site has its usual colour.")
    # On dark paper the same hue has to be lighter to be read.
    light, dark = f"#{settings.ACCENT}", f"oklch(from #{settings.ACCENT} 75% c h)"
    # A file of its own, because the policy of the pages allows no style in a page.
    text = f":root {{ --accent: {light}; }}\n@media (prefers-color-scheme: dark) {{ :root {{ --accent: {dark}; }} }}\n"
    return HttpResponse(text, content_type="text/css; charset=utf-8")


@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """For what looks for an icon without reading a page."""
    return redirect(static("img/icon-192.png"))


@require_safe
@conditional
@file_of_episode("/chapters.json", Episode.objects.all())
def chapters(request: HttpRequest, episode: Episode) -> HttpResponse:
    """An episode's chapters for players; not found where none are known."""
    found = get_list_or_404(episode.chapters.order_by("start"))
    # The media type that Podcasting 2.0 gives to chapters.
    return answer(chapters_json(found), "application/json+chapters; charset=utf-8")


@require_safe
@conditional
@file_of_episode("/transcript.vtt", Episode.objects.select_related("transcript"))
def transcript(request: HttpRequest, episode: Episode) -> HttpResponse:
    """An episode's transcript as captions; not found where none is known, or none that says
    when."""
    text = transcript_vtt(speech_of(episode))
    if not text:
        raise Http404("The transcript has no times.")
    return answer(text, "text/vtt; charset=utf-8")


YEAR = 365 * 24 * 3600  # seconds


@require_safe
@cache_control(public=True, max_age=YEAR, immutable=True)
def media(request: HttpRequest, name: str) -> HttpResponse:
    """A file of an image; its name changes with its bytes, so browsers may keep it."""
    # The storage may have other files in it, and none of those is for visitors.
    kept = settings.IMAGES == "keep" and Image.objects.filter(name=name.rpartition("-")[0]).exists()
    if not kept:
        raise Http404("Image not found.")
    try:
        # Files are a cache: one that was lost is missing until it is fetched again.
        with default_storage.open(name) as file:
            return HttpResponse(file.read(), content_type="image/webp")
    except OSError as error:
        raise Http404("The file is missing.") from error


@require_safe
@cache_control(no_store=True)
def livez(request: HttpRequest) -> HttpResponse:
    """200 `ok` for as long as the process answers at all: where it does not, a restart helps."""
    return HttpResponse("ok", content_type="text/plain")


@require_safe
@cache_control(no_store=True)
def healthz(request: HttpRequest) -> HttpResponse:
    """200 `ok` when the database answers, else 503: send no visitors then."""
    try:
        with connection.cursor() as cursor:
            # An open connection proves nothing: the server at its other end may be gone.
            cursor.execute("SELECT 1")
            cursor.fetchone()
    except Error:
        return HttpResponse("database not available\n", status=503, content_type="text/plain")
    return HttpResponse("ok", content_type="text/plain")
