"""One episode, and the way from its former addresses."""

from urllib.parse import quote

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from ...fields import by_kind
from ...models import CodeName, Episode
from ...outputs import add_credits, json_ld, markdown, people
from ...site import site
from ...text.formatting import day
from ...text.link_labels import followable
from ...text.normalize import words
from ..links.entries import mentioned
from ..page import share_image, show_page
from ..paths import places
from ..people.index import credited
from .elsewhere import elsewhere, file_of_episode, numbered
from .links import notes_and_links
from .listening import asked_time, listening
from .nearby import nearby
from .provenance import field_sources
from .quotes import asked_quote, quote_of
from .rows import entries_of, episode_at, speech_of
from .transcript import transcript_text

__all__ = ["asked_quote", "elsewhere", "episode", "file_of_episode", "numbered", "speech_of"]


@require_safe
def episode(request: HttpRequest, slug: str) -> HttpResponse:
    """All that is known of an episode; an address it once had leads to the one it has."""
    found = episode_at(slug)
    if found is None:
        return elsewhere(request, slug)
    links = found.mentions.select_related("link").defer("link__summary").order_by("position")
    mentions = mentioned(links)
    asked, complaints = asked_time(request.GET.get("t", ""), found)
    speech = speech_of(found)
    quoted = quote_of(speech, asked)
    # One address for each quote: that of whole sentences.
    if quoted.span not in ("", request.GET.get("t")):
        return redirect(f"{found.get_absolute_url()}?t={quoted.span}")
    of_site, entries, around = site(), entries_of(found), nearby(found)
    notes, links_below = notes_and_links(found.description_html, mentions, around.addresses)
    add_credits([found])
    audible = bool(followable(found.audio_url))
    details = by_kind(found.details)
    details.pop("season", None)  # the line of facts has it
    chapters = list(found.chapters.order_by("start"))
    page = request.build_absolute_uri(found.get_absolute_url())
    address = f"{page}?t={asked}" if str(asked) else page
    structured = json_ld.episode(found, request.build_absolute_uri, of_site)
    if quoted:
        structured |= json_ld.clip(quoted.words, quoted.start, quoted.end, address)
    context = {
        "section": "episodes",
        "episode": found,
        "shared_title": shared_title(found),
        "description": description(found),
        "og_type": "article",
        "share_image": share_image(request, found, quoted.span),
        "structured": structured,
        "audible": audible,
        "is_played": audible and not found.is_document,
        "transcript": transcript_text(found, speech, chapters, request.GET.get("q", "")),
        "is_editorial": bool(found.provenance.get("description_text", {}).get("editorial")),
        "start": asked.start,
        "end": asked.end,
        "quote": quoted,
        "passage": quoted or quote_of(speech, asked.opening),
        "complaints": complaints,
        "listening": listening(found, entries),
        "nearby": around,
        "paths": places(found) if "paths" in of_site.filled else [],
        "site": of_site,
        "details": details,
        "notes": notes,
        "links": links_below,
        "labels": {mention.published: mention.name.whole for mention in mentions},
        "credits": people(found),
        "chapters": chapters,
        "entries": entries,
        "people": credited(people(found)),
        "names": CodeName.objects.filter(mentions__episode=found)
        .order_by("sort_name", "name")
        .distinct(),
        "told": field_sources(found, entries),
        "address": address,
        "markdown": markdown.citation(found, address),
        "report": settings.ISSUES_URL.replace("{slug}", quote(found.slug)),
        # Without time or words: for search engines it is one page whatever passage a link names.
        "canonical": page,
    }
    return show_page(request, "episodes/episode.html", context)


def shared_title(episode: Episode) -> str:
    """`34. vmap`; the title alone where it has the number."""
    has_number = episode.number is None or str(episode.number) in words(episode.heading)
    return episode.heading if has_number else f"{episode.numbering}. {episode.heading}"


def description(episode: Episode) -> str:
    """Its summary; where it has none, what it is."""
    published = f", {day(episode.published_at)}" if episode.published_at else ""
    return (
        episode.summary or f"{episode.heading}: an episode of {episode.podcast.title}{published}."
    )
