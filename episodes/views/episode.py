"""The page of an episode."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote as quote_address

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from ..fields import details_by_kind
from ..models import Attachment, CodeName, Episode, Topic
from ..outputs import credits_of, join_known, json_ld, load_credits_into_episodes, markdown
from ..site import Site, load_shows_and_sections
from ..text.formatting import format_day
from ..text.link_labels import safe_href
from ..text.summaries import shorten_prose
from ..text.urls import site_of
from ..text.vocabulary import load_vocabulary
from .episode_links import load_mentions_with_targets, notes_without_lists_and_remaining_links
from .field_sources import describe_field_sources, load_entries_of_episode
from .former_addresses import redirect_former_episode
from .nearby import find_nearby_episodes_by_section
from .paths import find_learning_path_positions
from .people import people_with_role_texts
from .quotes import (
    Quote,
    find_whole_sentence_quote_or_empty,
    load_speech,
    time_range_and_complaints,
)
from .rendering import render_page, share_image_of_episode
from .transcript import build_transcript_or_none


@require_safe
def episode_page(request: HttpRequest, slug: str) -> HttpResponse:
    episode = load_episode_with_topics_or_none(slug)
    if episode is None:
        return redirect_former_episode(request, slug)
    # `?t=324-341` asks for the words between two seconds, and `?t=324` to play from a second.
    time_text = request.GET.get("t", "")
    time_range, complaints = time_range_and_complaints(time_text, episode)
    # The words of the transcript with their times. Without a transcript it is empty.
    speech = load_speech(episode)
    # The quote is empty if the time has no end.
    quote = find_whole_sentence_quote_or_empty(speech, time_range)
    # Each quote has one address, whose times are the edges of whole sentences: `?t=326-330` within a
    # sentence leads to `?t=324-341`.
    if quote.span not in ("", time_text):
        return redirect(episode.get_absolute_url() + quote.query)
    current_site = load_shows_and_sections()
    attachments = load_entries_of_episode(episode)
    nearby = find_nearby_episodes_by_section(episode)
    load_credits_into_episodes([episode])
    chapters = list(episode.chapters.order_by("start"))
    address_with_time = request.build_absolute_uri(episode.get_absolute_url()) + time_range.query
    # `?t=0` asks for the first second, which is not the same as no time.
    opening_second = None
    media_fragment = ""
    if time_text:
        opening_second = time_range.start
        # `#t=324,341` behind the address of the audio file makes a player play this part.
        media_fragment = time_range.media_fragment
    searched_words = request.GET.get("q", "")  # which the transcript marks
    context = {
        "section": "episodes",
        "site": current_site,
        "episode": episode,
        "address": address_with_time,
        "complaints": complaints,
        "start": time_range.start,
        "media_fragment": media_fragment,
        "quote": quote,
        # For a time without an end the page quotes the sentences of the next 30 seconds.
        "passage": quote or find_whole_sentence_quote_or_empty(speech, time_range.opening),
        "chapters": chapters,
        "transcript": build_transcript_or_none(
            episode, speech, chapters, searched_words, opening_second
        ),
        "nearby": nearby,
        "path_positions": find_learning_path_positions(episode),
        **_page_head_and_sharing_context(request, episode, current_site, quote, address_with_time),
        **_audio_context(episode, attachments),
        **_notes_context(episode, nearby.addresses()),
        **_people_and_details(episode),
        **_record_context(episode, attachments, address_with_time),
    }
    return render_page(request, "episodes/episode.html", context)


def _page_head_and_sharing_context(
    request: HttpRequest, episode: Episode, current_site: Site, quote: Quote, address: str
) -> dict[str, Any]:
    # JSON-LD: the values of the episode for search engines.
    structured = json_ld.episode_json_ld(episode, request.build_absolute_uri, current_site)
    numbered_title = _numbered_title(episode)
    show_title = episode.podcast.title
    # The title and text that a messenger prints beside a link to this page.
    share_title = f"{numbered_title} – {show_title}"
    description = _meta_description(episode)
    # A link to a quote is shared with its words: “We can just …”, and `The Show: 34. vmap, at 5:24`.
    if quote:
        structured |= json_ld.clip_json_ld(quote.words, quote.start, quote.end, address)
        words_in_one_line = " ".join(quote.words.split())
        share_title = f"“{shorten_prose(words_in_one_line, max_length=200)}”"
        description = f"{show_title}: {numbered_title}, at {quote.clock}"
    return {
        "numbered_title": numbered_title,
        "share_title": share_title,
        "description": description,
        "og_type": "article",
        "share_image": share_image_of_episode(request, episode, quote.query),
        "structured": structured,
    }


def _audio_context(episode: Episode, attachments: Sequence[Attachment]) -> dict[str, Any]:
    is_audible = bool(safe_href(episode.audio_url))
    return {
        "audible": is_audible,
        # A document, such as a handout in PDF, is opened and not played.
        "is_played": is_audible and not episode.is_document,
        "listening": build_listening_sites(episode, attachments),
    }


def _notes_context(
    episode: Episode, addresses_in_other_sections: Collection[str]
) -> dict[str, Any]:
    links = episode.mentions.select_related("link").defer("link__summary").order_by("position")
    mentions = load_mentions_with_targets(links)
    notes, other_links = notes_without_lists_and_remaining_links(
        episode.description_html, mentions, addresses_in_other_sections
    )
    # Notes show a bare address as the name of its page: `pytorch#1234`.
    names_by_address = {mention.published: mention.name.full_name for mention in mentions}
    return {
        "notes": notes,
        "notes_remarks": _remarks_about_notes(episode),
        "labels": names_by_address,
        "links": other_links,
    }


def _remarks_about_notes(episode: Episode) -> list[str]:
    remarks = []
    # The notes may be a summary that was written for the catalog.
    if episode.provenance.get("description_text", {}).get("editorial"):
        remarks.append("Our summary, not the show’s.")
    # Some sources have only the beginning of the notes.
    if episode.description_truncated:
        remarks.append("Notes are cut off.")
    return remarks


def _people_and_details(episode: Episode) -> dict[str, Any]:
    details = details_by_kind(episode.details)
    details.pop("season", None)  # the line of facts has it
    symbols = CodeName.objects.filter(mentions__episode=episode).order_by("sort_name", "name")
    return {
        "details": details,
        "credits": credits_of(episode),
        "people": people_with_role_texts(episode),
        "symbols": symbols.distinct(),
    }


def _record_context(
    episode: Episode, attachments: Sequence[Attachment], address: str
) -> dict[str, Any]:
    return {
        "entries": attachments,
        "field_sources": describe_field_sources(episode, attachments),
        "markdown": markdown.format_markdown_citation(episode, address),
        "suggest_address": f"{reverse('suggest-correction')}?episode={quote_address(episode.slug)}",
        "report": settings.ISSUES_URL.replace("{slug}", quote_address(episode.slug)),
    }


def load_episode_with_topics_or_none(slug: str) -> Episode | None:
    # The plain text is for search alone. The page is made of the cues.
    rows = Episode.objects.select_related("podcast", "transcript").defer("transcript__text")
    episode: Episode | None = rows.filter(slug=slug).first()
    if episode:
        topics = Topic.objects.defer("rules").filter(uses__episode=episode)
        episode.topics_in_order = list(topics.order_by("position", "slug"))
    return episode


def _numbered_title(episode: Episode) -> str:
    """Return `34. vmap`, or the title alone if it has the number already."""
    number = episode.separate_numbering
    return f"{number}. {episode.heading}" if number else episode.heading


def _meta_description(episode: Episode) -> str:
    show_and_day = join_known(", ", episode.podcast.title, format_day(episode.published_at))
    return episode.summary or f"{episode.heading}: an episode of {show_and_day}."


# -- where to listen -------------------------------------------------------------------------------


_LISTENING = load_vocabulary(__file__, "places")


@dataclass(frozen=True)
class ListeningSite:
    """A page to listen at, or the search of a directory."""

    name: str
    address: str


@dataclass(frozen=True)
class ListeningSites:
    """The pages to listen to an episode at."""

    page: ListeningSite | None  # the episode's own page
    site: ListeningSite | None  # its own page, else the show's site
    directories: list[ListeningSite]  # directories that list the episode
    searches: list[ListeningSite]  # if the episode has no page


def build_listening_sites(episode: Episode, attachments: Iterable[Attachment]) -> ListeningSites:
    """Return the pages to listen to an episode at, at most one page of each site."""
    page = _listening_site_unless_unsafe(episode.url)
    publisher_site = page or _listening_site_unless_unsafe(episode.podcast.site_url)
    directories = _directories_listing_episode_by_name(attachments)
    if publisher_site:
        # Some shows have their pages at a directory, such as Spotify.
        directories.pop(publisher_site.name, None)
    # The site of a show has no address for one episode, so a reader has to search for it.
    searches = _directory_searches_for_episode(episode) if page is None else []
    return ListeningSites(
        page=page,
        site=publisher_site,
        directories=list(directories.values()),
        searches=searches,
    )


def _directory_searches_for_episode(episode: Episode) -> list[ListeningSite]:
    """Return the search of each directory for an episode: `https://open.spotify.com/search/The%20Show%20vmap`."""
    words = f"{episode.podcast.title} {episode.title}".strip()
    encoded_words = quote_address(words, safe="")
    searches = []
    for name, pattern in _LISTENING["searches"].items():
        searches.append(ListeningSite(name, pattern.format(encoded_words)))
    return searches


def _directories_listing_episode_by_name(
    attachments: Iterable[Attachment],
) -> dict[str, ListeningSite]:
    """Return, by the name of a directory such as Spotify, its page about the episode, else its page of the show."""
    directories = {}
    for attachment in attachments:
        entry = attachment.item
        # `gone_version` is the first version of the document without the entry.
        is_listed = entry.gone_version is None
        # The feed and the site of the show are no directories.
        is_of_publisher = entry.document.source.own
        if not is_listed or is_of_publisher:
            continue
        page_of_episode = _listening_site_unless_unsafe(entry.values.url)
        # Some directories have no page for each episode.
        page_of_show = _listening_site_unless_unsafe(entry.document.public_url)
        if page_of_episode:
            directories[page_of_episode.name] = page_of_episode
        elif page_of_show:
            # Another document of the directory may have had the page of the episode.
            directories.setdefault(page_of_show.name, page_of_show)
    return directories


def _listening_site_unless_unsafe(address: str) -> ListeningSite | None:
    """Return a page under the usual name of its site; None for an address that is not safe to follow."""
    if not safe_href(address):
        return None
    host = site_of(address)
    for domain, name in _LISTENING["places"].items():
        # The dots let `open.spotify.com` pass for `spotify.com`, but not `notspotify.com`.
        if f".{host}".endswith(f".{domain}"):
            return ListeningSite(name, address)
    return ListeningSite(host, address)
