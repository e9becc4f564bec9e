"""Files that search engines, browsers, podcast apps and monitors ask a site for besides its
pages."""

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import Error, connection
from django.db.models import Exists, OuterRef
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_list_or_404, redirect
from django.templatetags.static import static
from django.urls import reverse
from django.views.decorators.http import require_safe

from ..models import Episode, EpisodeTopic, Image, LearningPath, Topic
from ..outputs import (
    catalog_json,
    chapters_json,
    document,
    picture,
    transcript_vtt,
)
from ..outputs import share_card as draw_card
from ..outputs import site_card as draw_site_card
from ..site import site
from .elsewhere import file_of_episode
from .outputs import answer
from .page import conditional
from .transcript import asked_time, quote_of, speech_of

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
def media(request: HttpRequest, name: str) -> HttpResponse:
    """A file of an image; its name changes with its bytes, so browsers may keep it."""
    # The storage may have other files in it, and none of those is for visitors.
    kept = settings.IMAGES == "keep" and Image.objects.filter(name=name.rpartition("-")[0]).exists()
    if not kept:
        raise Http404("Image not found.")
    try:
        # Files are a cache: one that was lost is missing until it is fetched again.
        with default_storage.open(name) as file:
            response = HttpResponse(file.read(), content_type="image/webp")
    except OSError as error:
        raise Http404("The file is missing.") from error
    response["Cache-Control"] = f"public, max-age={YEAR}, immutable"
    return response


@require_safe
def livez(request: HttpRequest) -> HttpResponse:
    """200 `ok` for as long as the process answers at all: where it does not, a restart helps."""
    answer = HttpResponse("ok", content_type="text/plain")
    answer["Cache-Control"] = "no-store"
    return answer


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 `ok` when the database answers, else 503: send no visitors then."""
    try:
        with connection.cursor() as cursor:
            # An open connection proves nothing: the server at its other end may be gone.
            cursor.execute("SELECT 1")
            cursor.fetchone()
    except Error:
        answer = HttpResponse("database not available\n", status=503, content_type="text/plain")
    else:
        answer = HttpResponse("ok", content_type="text/plain")
    answer["Cache-Control"] = "no-store"
    return answer
