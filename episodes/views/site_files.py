"""Files of an episode, and files that search engines, browsers, podcast apps and monitors ask a site for."""

from collections.abc import Sequence

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import Error, connection
from django.db.models import Exists, OuterRef
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_list_or_404, get_object_or_404, redirect
from django.templatetags.static import static
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from ..models import Episode, EpisodeTopic, Image, LearningPath, Podcast, Topic
from ..outputs import (
    catalog_json,
    cover_key,
    draw_cover_png,
    draw_cover_svg,
    draw_episode_card_png_or_none,
    draw_site_card_png_or_none,
    markdown,
    picture_of,
    render_chapters_json,
    render_vtt,
    render_xml,
)
from ..site import load_shows_and_sections
from .former_addresses import answer_gone, decorate_episode_file_view
from .quotes import find_whole_sentence_quote_or_empty, load_speech, time_range_and_complaints
from .responses import conditional_get, shared_answer

# -- files of an episode ---------------------------------------------------------------------------


@require_safe
@conditional_get
@decorate_episode_file_view(".md", markdown.prefetch_markdown_relations(Episode.objects.all()))
def episode_markdown(request: HttpRequest, episode: Episode) -> HttpResponse:
    text = markdown.render_episode_markdown(episode, request.build_absolute_uri)
    return shared_answer(text, markdown.CONTENT_TYPE)


@require_safe
@conditional_get
@decorate_episode_file_view("/chapters.json", Episode.objects.all())
def chapters_file(request: HttpRequest, episode: Episode) -> HttpResponse:
    chapters = get_list_or_404(episode.chapters.order_by("start"))
    # The media type that Podcasting 2.0 gives to chapters.
    return shared_answer(render_chapters_json(chapters), "application/json+chapters; charset=utf-8")


@require_safe
@conditional_get
@decorate_episode_file_view("/transcript.vtt", Episode.objects.select_related("transcript"))
def captions_file(request: HttpRequest, episode: Episode) -> HttpResponse:
    text = render_vtt(load_speech(episode))
    if not text:
        raise Http404("The transcript has no times.")
    return shared_answer(text, "text/vtt; charset=utf-8")


@require_safe
@conditional_get
# Inside `conditional`: a client that has the card already costs no drawing.
@decorate_episode_file_view("/card.png", Episode.objects.for_list())
def episode_or_quote_card(request: HttpRequest, episode: Episode) -> HttpResponse:
    """Answer with the picture beside a shared link to an episode, or to a quote from it.

    If none can be drawn, redirect to the picture of the episode.
    """
    time_text = request.GET.get("t", "")  # `324-341` for a quote, "" for the card of the episode
    time_range, _ = time_range_and_complaints(time_text, episode)
    quote = find_whole_sentence_quote_or_empty(load_speech(episode), time_range)
    # Drawing takes a while, and strangers could ask for any time. So other times lead to the card of the
    # sentences around them. Without sentences the quote is empty and its span "".
    if time_text != quote.span:
        return redirect(request.path + quote.query)
    card = draw_episode_card_png_or_none(episode, quote.words, quote.clock)
    if card is None:
        return redirect(picture_of(episode).bitmap)
    return HttpResponse(card, content_type="image/png")


# -- the site --------------------------------------------------------------------------------------

MAX_EPISODES_IN_LLMS_TXT = 500


@require_safe
@conditional_get
def llms_txt(request: HttpRequest) -> HttpResponse:
    """Answer with an index for language models, one line an episode (llmstxt.org).

    Of many episodes it has the newest of each show.
    """
    current_site = load_shows_and_sections()
    # Every show gets an equal part. A new catalog has no shows.
    max_episodes_per_show = MAX_EPISODES_IN_LLMS_TXT // max(1, len(current_site.shows))
    newest_first = Episode.objects.listed().newest_first(is_single_show=True)
    shows_and_episodes = []
    for show in current_site.shows:
        newest_of_show = newest_first.filter(podcast=show)[:max_episodes_per_show]
        shows_and_episodes.append((show, newest_of_show))
    absolute = request.build_absolute_uri
    further_pages = [
        markdown.FurtherPage(
            "Links",
            absolute(reverse("links")),
            "every page, paper, issue and source file that show notes mention",
        ),
        markdown.FurtherPage(
            "Topics", absolute(reverse("topics")), "the topics with their episodes"
        ),
        markdown.FurtherPage("Data", absolute(reverse("data")), "every data format, with examples"),
    ]
    text = markdown.render_llms_txt(current_site, shows_and_episodes, absolute, further_pages)
    return shared_answer(text, "text/plain; charset=utf-8")


@require_safe
def llms_full_txt(request: HttpRequest) -> HttpResponse:
    reason = "This file is no longer provided. llms.txt links to each episode as Markdown."
    return answer_gone(request, reason)


@require_safe
@conditional_get
def shows_opml(request: HttpRequest) -> HttpResponse:
    has_episodes = Exists(EpisodeTopic.objects.filter(topic=OuterRef("pk")))
    text = render_xml(
        "opml",
        site=load_shows_and_sections(),
        topics=Topic.objects.filter(has_episodes).order_by("position", "slug"),
        paths=list(LearningPath.objects.published()),
        absolute=request.build_absolute_uri,
    )
    # No media type of OPML is registered. This is the usual one.
    return shared_answer(text, "text/x-opml; charset=utf-8")


@require_safe
def opensearch(request: HttpRequest) -> HttpResponse:
    text = render_xml(
        "opensearch", name=str(load_shows_and_sections()), absolute=request.build_absolute_uri
    )
    return shared_answer(text, "application/opensearchdescription+xml; charset=utf-8")


@require_safe
def export_schema(request: HttpRequest) -> HttpResponse:
    schema = catalog_json.SCHEMA_FILE.read_text()
    return shared_answer(schema, "application/schema+json; charset=utf-8")


@require_safe
def robots_txt(request: HttpRequest) -> HttpResponse:
    lines = (
        "User-agent: *",
        f"Disallow: {reverse('home')}admin/",  # reversing its name would import the admin
        f"Disallow: {reverse('suggest-correction')}",
        "",
        f"Sitemap: {request.build_absolute_uri(reverse('sitemap'))}",
        "",
    )
    return HttpResponse("\n".join(lines), content_type="text/plain; charset=utf-8")


@require_safe
def web_manifest(request: HttpRequest) -> HttpResponse:
    current_site = load_shows_and_sections()
    icons = []
    for size in (192, 512):
        icons.append(
            {
                "src": static(f"img/icon-{size}.png"),
                "sizes": f"{size}x{size}",
                "type": "image/png",
                "purpose": "any maskable",
            }
        )
    icons.append({"src": static("img/favicon.svg"), "sizes": "any", "type": "image/svg+xml"})
    paper = "#fcf9f3"
    manifest = {
        "id": "/",
        "name": str(current_site),
        # Below an icon there is no room for the name of the site.
        "short_name": "Podcasts",
        "start_url": reverse("episodes"),
        "scope": "/",
        "display": "minimal-ui",
        "background_color": paper,
        # A manifest has no second colour for the dark scheme.
        "theme_color": paper,
        "icons": icons,
        "description": current_site.sentence,
    }
    return JsonResponse(manifest, content_type="application/manifest+json; charset=utf-8")


@require_safe
@conditional_get
def site_card(request: HttpRequest) -> HttpResponse:
    current_site = load_shows_and_sections()
    return _card_answer(str(current_site), current_site.sentence, current_site.shows)


@require_safe
@conditional_get
def show_card(request: HttpRequest, slug: str) -> HttpResponse:
    show = get_object_or_404(Podcast.objects.listed(), slug=slug)
    return _card_answer(show.title, show.description, [show])


def _card_answer(name: str, sentence: str, shows: Sequence[Podcast]) -> HttpResponse:
    """Answer with a card, or redirect to the shipped one if none can be drawn."""
    card = draw_site_card_png_or_none(name, sentence, shows)
    if card is None:
        return redirect(static("img/card.png"))
    return HttpResponse(card, content_type="image/png")


@require_safe
def theme_css(request: HttpRequest) -> HttpResponse:
    """Answer with the accent colour of the site as CSS, or 404 if the settings have no colour."""
    if not settings.ACCENT:
        raise Http404("The site has its usual colour.")
    light = f"#{settings.ACCENT}"
    # On dark paper the same hue has to be lighter to be read.
    dark = f"oklch(from {light} 75% c h)"
    # A file of its own, because the policy of the pages allows no style in a page.
    text = f":root {{ --accent: light-dark({light}, {dark}); }}\n"
    return HttpResponse(text, content_type="text/css; charset=utf-8")


@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    return redirect(static("img/icon-192.png"))


@require_safe
@cache_control(public=True, max_age=365 * 24 * 3600, immutable=True)
def resized_image_file(request: HttpRequest, name: str) -> HttpResponse:
    # `ab12-600.webp` is a file of the image `ab12`.
    image_name, _, _ = name.rpartition("-")
    # The storage may have files of no image, which are not for visitors.
    if settings.IMAGES != "keep" or not Image.objects.filter(name=image_name).exists():
        raise Http404("Image not found.")
    try:
        # Files are a cache: one that was lost is missing until it is fetched again.
        with default_storage.open(name) as file:
            return HttpResponse(file.read(), content_type="image/webp")
    except OSError as error:
        raise Http404("The file is missing.") from error


@require_safe
@cache_control(public=True, max_age=365 * 24 * 3600, immutable=True)
def drawn_cover_file(request: HttpRequest, cover: str) -> HttpResponse:
    key, _, ending = cover.partition(".")
    # Strangers could ask for any number of covers, and drawing a PNG takes a while.
    titles = Podcast.objects.values_list("title", flat=True)
    if key not in map(cover_key, titles):
        raise Http404("No show has this cover.")
    if ending == "svg":
        return HttpResponse(draw_cover_svg(key), content_type="image/svg+xml")
    return HttpResponse(draw_cover_png(key), content_type="image/png")


# -- monitoring ------------------------------------------------------------------------------------


@require_safe
@cache_control(no_store=True)
def livez(request: HttpRequest) -> HttpResponse:
    """Answer 200 `ok` for as long as the process answers at all. Without an answer a restart helps."""
    return HttpResponse("ok", content_type="text/plain")


@require_safe
@cache_control(no_store=True)
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer 200 `ok` if the database answers, else 503: send no visitors then."""
    try:
        with connection.cursor() as cursor:
            # An open connection proves nothing: the server at its other end may be gone.
            cursor.execute("SELECT 1")
            cursor.fetchone()
    except Error:
        return HttpResponse("database not available\n", status=503, content_type="text/plain")
    return HttpResponse("ok", content_type="text/plain")
