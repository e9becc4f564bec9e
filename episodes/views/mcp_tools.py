"""The tools for assistants: the site's own search, lists and exports as data."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

import fastjsonschema
from django.http import HttpRequest, QueryDict
from django.urls import reverse

from ..models import (
    CARD_COLUMNS,
    Episode,
    Source,
    Topic,
    attach_shows_and_topics_to_episodes,
    load_in_order,
    load_or_count_facets,
)
from ..outputs import catalog_json
from ..search import Query, excerpts, parse_query
from ..site import load_shows_and_sections
from ..text.link_labels import LINK_KIND_PLURALS
from .episode_filter import SORT_ORDERS, EpisodeFilter
from .filters import MAX_QUERY_LENGTH
from .mcp_arguments import RequestedPage, check_filters_and_return_notes, get_episode_or_raise
from .mcp_links import EPISODES_PER_LINK, LINKS_PER_ANSWER, answer_find_link
from .mcp_people import EPISODES_OF_PERSON, answer_get_person
from .mcp_transcripts import answer_get_transcript
from .mcp_values import (
    JsonObject,
    distinct_sources_as_json,
    episode_as_json,
    provenance_as_json,
    transcript_as_json,
)
from .moments import find_best_moments_per_transcript, moment_address
from .search_reasons import term_numbers_missing_from_cards_by_episode
from .topics import used_topics_with_counts


@dataclass(frozen=True)
class Tool:
    """A tool: its description for assistants, the schemas of its arguments, and the function that answers."""

    title: str
    description: str
    function: Callable[[HttpRequest, JsonObject], JsonObject]
    argument_schemas: JsonObject
    required: tuple[str, ...] = ()

    @property
    def arguments_schema(self) -> JsonObject:
        return {
            "type": "object",
            "properties": self.argument_schemas,
            "required": self.required,
            "additionalProperties": False,
        }

    @cached_property
    def check(self) -> Callable[..., JsonObject]:
        """Return the function that checks arguments against the schema. Compile it at its first use."""
        check: Callable[..., JsonObject] = fastjsonschema.compile(self.arguments_schema)
        return check

    def call(self, request: HttpRequest, arguments: object) -> JsonObject:
        """Return the answer to a call.

        Raises:
            JsonSchemaValueException: the arguments do not fit the schema.
            BadArguments: the tool cannot use them.
        """
        return self.function(request, self.check(arguments, name_prefix="arguments"))


_EPISODES_PER_PAGE = 10


def _answer_search(request: HttpRequest, arguments: JsonObject) -> JsonObject:
    parameters = _episode_list_parameters(arguments)
    # "newest episodes about tape" becomes the words "tape" and an order. "autogard" becomes "autograd".
    filters = EpisodeFilter(parameters).with_order_or_corrected_words()
    notes = _notes_about_results(filters)
    current_site = load_shows_and_sections()
    page = RequestedPage(arguments, _EPISODES_PER_PAGE)
    # The episodes of a single show, which may be the only one of the site, are in the order of the show.
    ids_of_page = filters.ordered_ids(current_site)[page.rows]
    # With the sources of each value, for `distinct_sources_as_json`.
    rows = Episode.objects.only(*CARD_COLUMNS, "provenance")
    episodes = load_in_order(ids_of_page, rows)
    attach_shows_and_topics_to_episodes(episodes, current_site.shows)
    return {
        **page.position_among(filters.total),
        "address": request.build_absolute_uri(reverse("episodes") + filters.selection.query()),
        "notes": notes,
        "episodes": _episodes_with_moments_as_json(request, filters, episodes),
        "sources": distinct_sources_as_json(episodes),
    }


def _episode_list_parameters(arguments: JsonObject) -> QueryDict:
    # {"query": "vmap", "topic": ["cuda"], "page": 2} becomes `q=vmap&topic=cuda`. The other arguments
    # have the names and values of the parameters of the episode list.
    parameters = dict(arguments)
    parameters.pop("page", None)  # `RequestedPage` reads it
    parameters["q"] = parameters.pop("query", "")
    for name, value in parameters.items():
        if isinstance(value, float):
            parameters[name] = int(value)  # JSON may write 2023.0
    return QueryDict(urlencode(parameters, doseq=True))


def _notes_about_results(filters: EpisodeFilter) -> list[str]:
    """Return notes about the results for the assistant.

    Raises:
        BadArguments: an argument could not be read.
    """
    notes = check_filters_and_return_notes(filters)
    if filters.typed_words:  # they were corrected, or “newest” was read as an order
        notes.append(f"These are the results for “{filters.selection.first('q')}”.")
    if filters.result_count_and_relation().has_more:
        notes.append("More episodes match than are listed.")
    if filters.is_nearest:
        notes.append("No episode has all words. These come closest.")
    return notes


def _episodes_with_moments_as_json(
    request: HttpRequest, filters: EpisodeFilter, episodes: list[Episode]
) -> list[JsonObject]:
    query = parse_query(filters.selection.first("q"))
    moments_by_episode: dict[int, list[JsonObject]] = {}
    if filters.is_search:
        moments_by_episode = _moments_as_json_by_episode(request, episodes, query)
    results = []
    for episode in episodes:
        # The text around the words in the notes, in parts. Without words it is the summary.
        excerpt = excerpts.best_excerpt_split_around_terms(
            episode.description_text, query.typed, episode.summary
        )
        results.append(
            {
                **episode_as_json(request, episode),
                "topics": [topic.slug for topic in episode.topics_in_order],
                "excerpt": "".join(excerpt),
                "moments": moments_by_episode.get(episode.pk, []),
            }
        )
    return results


def _moments_as_json_by_episode(
    request: HttpRequest, episodes: list[Episode], query: Query
) -> dict[int, list[JsonObject]]:
    moments_by_episode = {}
    # If no moment says all words, the best with a word that title and notes lack is better than none.
    missing_terms_by_episode = term_numbers_missing_from_cards_by_episode(episodes, query)
    for episode_moments in find_best_moments_per_transcript(
        episodes, query, missing_terms_by_episode
    ):
        episode = episode_moments.episode
        transcript = transcript_as_json(episode, episode_moments.transcript)
        moments = []
        for moment in episode_moments.best:
            address = moment_address(episode, moment, query.typed)
            moments.append(
                {
                    "second": moment.second,
                    "words": "".join(moment.text),  # its parts are marked and other words in turn
                    "address": request.build_absolute_uri(address),
                    "transcript": transcript,
                }
            )
        moments_by_episode[episode.pk] = moments
    return moments_by_episode


def _answer_get_episode(request: HttpRequest, arguments: JsonObject) -> JsonObject:
    """Answer `get_episode`: the export of one episode, and the addresses of its page and files.

    Raises:
        BadArguments: there is no such episode.
    """
    rows = catalog_json.prefetch_export_relations(Episode.objects.all())
    episode = get_episode_or_raise(request, arguments["episode"], rows)
    absolute = request.build_absolute_uri
    exported = catalog_json.export_episode(episode)
    exported["address"] = absolute(episode.get_absolute_url())
    exported["markdown"] = absolute(reverse("episode-markdown", args=(episode.slug,)))
    exported["provenance"] = provenance_as_json(episode)
    sources = Source.objects.filter(podcast=episode.podcast)
    title_by_slug = dict(sources.values_list("slug", "title"))
    for row in exported["sources"]:
        row["title"] = title_by_slug[row["source"]]
    if hasattr(episode, "transcript"):
        exported["captions"] = absolute(reverse("transcript", args=(episode.slug,)))
    return exported


def _answer_list_topics(request: HttpRequest, arguments: JsonObject) -> JsonObject:
    counts = load_or_count_facets(Episode.objects.listed())
    topics = []
    for topic, episode_count in used_topics_with_counts(counts, Topic.objects.all()):
        topics.append(
            {
                "slug": topic.slug,
                "name": topic.name,
                "also_called": topic.aliases,
                "group": topic.group,
                "description": topic.description,
                "episodes": episode_count,
                "address": request.build_absolute_uri(topic.get_absolute_url()),
                "provenance": "feed keywords" if topic.declared else "curator",
            }
        )
    return {"topics": topics}


def _answer_list_learning_paths(request: HttpRequest, arguments: JsonObject) -> JsonObject:
    absolute = request.build_absolute_uri
    paths = catalog_json.export_learning_paths(load_shows_and_sections().shows)
    for path in paths:
        path["address"] = absolute(reverse("path", args=(path["slug"],)))
        path["provenance"] = "curator"
        for step in path["steps"]:
            step["address"] = absolute(reverse("episode", args=(step["episode"],)))
    return {"paths": paths}


def _text_schema(description: str, **more: Any) -> JsonObject:
    schema = {"type": "string", "maxLength": MAX_QUERY_LENGTH, "description": description}
    return {**schema, **more}


def _texts_schema(description: str) -> JsonObject:
    text = {"type": "string", "maxLength": MAX_QUERY_LENGTH}
    return {"type": "array", "items": text, "maxItems": 10, "description": description}


def _number_schema(description: str, least: int, most: int) -> JsonObject:
    return {"type": "integer", "minimum": least, "maximum": most, "description": description}


def _time_schema(description: str) -> JsonObject:
    about = f"{description}: seconds such as 754, or 12:34."
    return {"type": ["integer", "string"], "maxLength": 20, "description": about}


# An address may be that of a moment, with the words that were searched.
_EPISODE_SCHEMA = _text_schema("The slug or the address of the episode.", maxLength=4_000)

TOOLS = {
    "search": Tool(
        "Search episodes",
        "Find episodes by words of their titles, notes, links, people or transcripts, and by "
        "filters; without words the newest. Each comes with its address and with the moments "
        "at which a transcript says the words: their second, words, address and transcript file.",
        _answer_search,
        {
            "query": _text_schema("A few words or names; “quotes” for a phrase."),
            "topic": _texts_schema(
                "Slugs of topics, all of which an episode must have (list_topics)."
            ),
            "year": _number_schema("The year of publication.", 1_900, 9_999),
            "month": _text_schema("The month of publication, such as 2021-03."),
            "person": _text_schema("The slug of somebody who is heard."),
            "podcast": _text_schema("The slug of a show."),
            "source": _text_schema("The slug of a source that lists the episode."),
            "link_kind": _text_schema(
                "A kind of link in the show notes.", enum=[*LINK_KIND_PLURALS]
            ),
            "min_minutes": _number_schema("The shortest length.", 0, 100_000),
            "max_minutes": _number_schema("The longest length.", 0, 100_000),
            "sort": _text_schema(
                "The order; best match, or newest without words.", enum=[*SORT_ORDERS]
            ),
            "page": _number_schema(f"The page, of {_EPISODES_PER_PAGE} episodes each.", 1, 500),
        },
    ),
    "get_episode": Tool(
        "Get an episode",
        "All that is known of one episode: show notes, links, people, topics, references to other "
        "episodes, and the sources of each value.",
        _answer_get_episode,
        {"episode": _EPISODE_SCHEMA},
        required=("episode",),
    ),
    "get_transcript": Tool(
        "Get a transcript",
        "The words of an episode, between two times or all: paragraphs with second, speaker, and the "
        "address that plays them. `machine_made` tells whether a program wrote the words down. Of a "
        "long transcript it gives the first part, and a note with the paragraph to go on with.",
        answer_get_transcript,
        {
            "episode": _EPISODE_SCHEMA,
            "from": _time_schema("Begin with the words at this time"),
            "to": _time_schema("End with the words at this time"),
            "paragraph": _number_schema(
                "Begin with this paragraph, as a note of an answer says.", 1, 1_000_000
            ),
        },
        required=("episode",),
    ),
    "get_person": Tool(
        "Get a person",
        "Somebody who is heard: name, web sites, roles, and the episodes with the words of the notes "
        "that name the role (`evidence`), newest first.",
        answer_get_person,
        {
            "person": _text_schema("A name, a slug, or the address of the person’s page."),
            "page": _number_schema(f"The page, of {EPISODES_OF_PERSON} episodes each.", 1, 500),
        },
        required=("person",),
    ),
    "find_link": Tool(
        "Find a link",
        "Issues, pull requests, papers, talks and pages that show notes link to: title, kind, and the "
        f"first {EPISODES_PER_LINK} episodes that mention the link, each with the sentence around it.",
        answer_find_link,
        {
            "link": _text_schema(
                "The address of a page, or words of its title or address.", maxLength=4_000
            ),
            "page": _number_schema(f"The page, of {LINKS_PER_ANSWER} links each.", 1, 500),
        },
        required=("link",),
    ),
    "list_topics": Tool(
        "List topics", "All topics with the number of episodes.", _answer_list_topics, {}
    ),
    "list_paths": Tool(
        "List learning paths",
        "Episodes in the order to hear them, each with the reason for its place.",
        _answer_list_learning_paths,
        {},
    ),
}
