"""The tool `find_link`: links by address or words, with the sentences of the notes that have them."""

from urllib.parse import urlencode, urlsplit

from django.db.models import QuerySet
from django.http import HttpRequest, QueryDict
from django.urls import reverse

from ..models import EpisodeLink, Link
from ..search import find_links_of_address
from ..text.addresses import find_spans_of_web_addresses
from ..text.markup import plain_text_of_markup
from ..text.sentences import Sentences, shorten_sentence_around_match
from .link_index import LinkEntry, LinkIndex, load_link_entries
from .mcp_arguments import RequestedPage, check_filters_and_return_notes, clean_text
from .mcp_values import JsonObject, distinct_sources_as_json, episode_as_json

LINKS_PER_ANSWER = 10
EPISODES_PER_LINK = 20


def answer_find_link(request: HttpRequest, arguments: JsonObject) -> JsonObject:
    """Answer `find_link`: the link with an address, else a page of links with all words.

    Raises:
        BadArguments: the words cannot be searched.
    """
    address_or_words = _key_of_link_page_or_text(request, clean_text(arguments["link"]))
    links, notes = _find_links_with_notes(address_or_words)
    page = RequestedPage(arguments, LINKS_PER_ANSWER)
    most_mentioned_first = links.order_by("-episode_count", "key").values_list("pk", flat=True)
    link_ids = most_mentioned_first[page.rows]
    rows = []
    episodes = []
    for entry in load_link_entries(link_ids, EPISODES_PER_LINK):
        mentions = _load_mentions(entry)
        rows.append(_link_as_json(request, entry, mentions))
        for mention in mentions:
            episodes.append(mention.episode)
    return {
        **page.position_among(links.count()),
        "notes": notes,
        "links": rows,
        "sources": distinct_sources_as_json(episodes),
    }


def _find_links_with_notes(address_or_words: str) -> tuple[QuerySet[Link], list[str]]:
    links = find_links_of_address(address_or_words)
    if links.exists():
        return links, []
    # Words are searched as in the index of links. A note tells the assistant if only some were searched.
    index = LinkIndex(QueryDict(urlencode({"q": address_or_words})))
    notes = check_filters_and_return_notes(index)
    return index.filtered_rows(), notes


def _key_of_link_page_or_text(request: HttpRequest, text: str) -> str:
    """Return the key in the address of a link's page on this site. Return any other text as it is."""
    link_page = request.build_absolute_uri(reverse("link"))
    if not text.startswith(link_page):
        return text
    return QueryDict(urlsplit(text).query).get("key", "")


def _load_mentions(entry: LinkEntry) -> list[EpisodeLink]:
    mentions = entry.link.mentions.filter(episode__in=entry.episodes)
    oldest_first = mentions.order_by("episode__podcast__rank", "episode__order")
    return list(oldest_first.select_related("episode__podcast"))


def _link_as_json(
    request: HttpRequest, entry: LinkEntry, mentions: list[EpisodeLink]
) -> JsonObject:
    link = entry.link
    rows = []
    for mention in mentions:
        rows.append(
            {
                **episode_as_json(request, mention.episode),
                "url": mention.url,
                "sentence": _shortened_sentence_with_link_or_none(mention),
            }
        )
    return {
        "title": entry.label,
        "kind": link.kind,
        "key": link.key,
        "url": request.build_absolute_uri(entry.leads_to),  # the linked page
        "address": request.build_absolute_uri(link.get_absolute_url()),  # its page on this site
        "episode_count": link.episode_count,
        "episodes": rows,
    }


def _shortened_sentence_with_link_or_none(mention: EpisodeLink) -> str | None:
    """Return the sentence of the notes with a link.

    Return None if only the notes of another source have the link, or a curator added it.
    """
    notes = plain_text_of_markup(mention.episode.description_html)
    # An address that is cut off at the end of the notes need not be left out: it equals no other address.
    for span in find_spans_of_web_addresses(notes, is_cut=False):
        # The notes have the address that replaces a dead one.
        if span.address in (mention.url, mention.link.replacement):
            sentence = Sentences(notes.text).span_containing(span.start)
            return shorten_sentence_around_match(notes.text, sentence, span.start, span.end, "…")
    return None
