"""The tools for assistants: the site's own search, lists and exports as data."""

import re
from collections.abc import Callable
from functools import cached_property
from typing import Any
from urllib.parse import unquote, urlencode, urlsplit

import fastjsonschema
from django.http import Http404, HttpRequest, QueryDict
from django.urls import reverse

from ..fields import FACT_FIELDS
from ..models import Episode, Topic, episodes_by_slug, load_facet_counts
from ..outputs import catalog_json
from ..search import Query, excerpts, parse_query
from ..site import load_site
from ..text.link_labels import LINK_KIND_PLURALS
from .episode_filter import SORT_ORDERS, EpisodeFilter
from .filters import MAX_QUERY_LENGTH, TOO_MANY_TERMS
from .former_addresses import episode_of_number
from .moments import find_moments_of_episodes, moment_address
from .rendering import NUMBER_IN_ADDRESS, load_cards
from .search_reasons import unshown_term_numbers_by_episode
from .topics import used_topics_with_counts

JsonObject = dict[str, Any]


class BadArguments(ValueError):
    """Arguments that a tool cannot use. The reason is for the assistant, which can ask again."""


class Tool:
    """A tool: its description for assistants, the schema of its arguments, and the function that answers."""

    def __init__(
        self,
        title: str,
        description: str,
        function: Callable[[HttpRequest, JsonObject], JsonObject],
        arguments: JsonObject | None = None,
        required: tuple[str, ...] = (),
    ) -> None:
        """Describe a tool. `arguments` are the schemas of its arguments by name."""
        self.title = title
        self.description = description
        self.function = function
        self.arguments_schema = {
            "type": "object",
            "properties": arguments or {},
            "required": required,
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
    """Answer `search`: a page of episodes, their number, and notes about how the words were read."""
    # The other arguments have the names and values of the parameters of the episode list.
    parameters = dict(arguments)
    page = int(parameters.pop("page", 1))  # JSON may write 2.0
    parameters["q"] = parameters.pop("query", "")
    query_string = urlencode(parameters, doseq=True)
    filters = EpisodeFilter(QueryDict(query_string)).corrected_or_self()
    notes = _notes_about_results(filters)
    current_site = load_site()
    first = (page - 1) * _EPISODES_PER_PAGE
    end = first + _EPISODES_PER_PAGE
    ids_of_page = filters.ordered_ids(current_site)[first:end]
    episodes = load_cards(ids_of_page, current_site)
    return {
        "total": filters.total,
        "page": page,
        "is_last_page": end >= filters.total,
        "address": request.build_absolute_uri(reverse("episodes") + filters.selection.query()),
        "notes": notes,
        "episodes": _results_as_json(request, filters, episodes),
    }


def _notes_about_results(filters: EpisodeFilter) -> list[str]:
    """Return notes about the results for the assistant.

    Raises:
        BadArguments: an argument could not be read.
    """
    notes = filters.complaints()
    unread = [note for note in notes if note != TOO_MANY_TERMS]
    if unread:
        # A page shows its complaints above the list. An assistant should ask again instead.
        raise BadArguments(f"Not searched: {'; '.join(unread)}.")
    if filters.typed_words:
        notes.append(f"These are the results for “{filters.selection.first('q')}”.")
    if filters.result_count().has_more:
        notes.append("More episodes match than are listed.")
    if filters.is_nearest:
        notes.append("No episode has all words. These come closest.")
    return notes


def _results_as_json(
    request: HttpRequest, filters: EpisodeFilter, episodes: list[Episode]
) -> list[JsonObject]:
    """Return the facts, an excerpt and the moments of each episode, with absolute addresses."""
    absolute = request.build_absolute_uri
    query = parse_query(filters.selection.first("q"))
    moments_by_episode: dict[int, list[JsonObject]] = {}
    if filters.is_search:
        moments_by_episode = _moments_as_json(request, episodes, query)
    results = []
    for episode in episodes:
        excerpt = excerpts.excerpt_parts(episode.description_text, query.typed, episode.summary)
        results.append(
            {
                "slug": episode.slug,
                "show": episode.podcast.title,
                **catalog_json.export_fields(episode, FACT_FIELDS),
                "topics": [topic.slug for topic in episode.topics_in_order],
                "excerpt": "".join(excerpt),
                "moments": moments_by_episode.get(episode.pk, []),
                "address": absolute(episode.get_absolute_url()),
            }
        )
    return results


def _moments_as_json(
    request: HttpRequest, episodes: list[Episode], query: Query
) -> dict[int, list[JsonObject]]:
    """Return the moments that say the words of a query, by the episode's id."""
    moments_by_episode = {}
    missing_terms = unshown_term_numbers_by_episode(episodes, query)
    for episode_moments in find_moments_of_episodes(episodes, query, missing_terms):
        moments = []
        for moment in episode_moments.best:
            address = moment_address(episode_moments.episode, moment, query.typed)
            moments.append(
                {
                    "second": moment.second,
                    "words": "".join(moment.text),
                    "address": request.build_absolute_uri(address),
                }
            )
        moments_by_episode[episode_moments.episode.pk] = moments
    return moments_by_episode


def _answer_get_episode(request: HttpRequest, arguments: JsonObject) -> JsonObject:
    """Answer `get_episode`: the export of one episode, and the addresses of its page and files.

    Raises:
        BadArguments: there is no such episode.
    """
    slug = _parse_episode_slug(request, arguments["episode"])
    rows = catalog_json.with_export_rows(Episode.objects.all())
    episode = episodes_by_slug([slug], rows).get(slug)
    if episode is None:
        raise BadArguments("No episode has this slug or address. Search for it.")
    absolute = request.build_absolute_uri
    exported = catalog_json.export_episode(episode)
    exported["address"] = absolute(episode.get_absolute_url())
    exported["markdown"] = absolute(reverse("episode-markdown", args=(episode.slug,)))
    if hasattr(episode, "transcript"):
        exported["captions"] = absolute(reverse("transcript", args=(episode.slug,)))
    return exported


# A slug (`vmap`), the page of an episode (`/episodes/vmap/`), one of its files (`/episodes/vmap.md`,
# `/episodes/vmap/chapters.json`), or its number behind the host (`/34`).
_EPISODE_PATH = re.compile(
    r"""
    /?
    (?: episodes/ | (?! [-\w]+/. ) )  # without `episodes/` no path of two parts, such as `topics/cuda`
    (?P<slug> [-\w]{1,255} )
    (?: \.md | /[-\w.]* )?
    """,
    re.VERBOSE,
)


def _parse_episode_slug(request: HttpRequest, slug_or_address: str) -> str:
    """Return the slug, or former slug, in a text: a slug, a number, or any address of an episode here.

    Return "" for any other address.
    """
    host = request.get_host()
    text = slug_or_address.replace("\0", "").strip()
    try:
        # People leave the scheme out: `example.org/episodes/vmap`.
        address = urlsplit(text.removeprefix(f"{host}/"))
    except ValueError:
        return ""
    host_without_port = urlsplit(f"//{host}").hostname
    if address.hostname not in (None, host_without_port):
        return ""
    match = _EPISODE_PATH.fullmatch(unquote(address.path))
    if match is None:
        return ""
    slug = match["slug"]
    # Slugs come first: the slug of an episode may be a number, like its title.
    if NUMBER_IN_ADDRESS.fullmatch(slug) and not episodes_by_slug([slug]):
        return _slug_of_number(slug)
    return slug


def _slug_of_number(number: str) -> str:
    """Return the slug of the episode with a number; "" if it was withdrawn, the number if it is unknown."""
    try:
        episode = episode_of_number(number)
    except Http404:
        return number
    return episode.slug if episode else ""


def _answer_list_topics(request: HttpRequest, arguments: JsonObject) -> JsonObject:
    """Answer `list_topics`: the topics with an episode, the most common first."""
    counts = load_facet_counts(Episode.objects.listed())
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
            }
        )
    return {"topics": topics}


def _answer_list_paths(request: HttpRequest, arguments: JsonObject) -> JsonObject:
    """Answer `list_paths`: the export of learning paths, with absolute addresses."""
    absolute = request.build_absolute_uri
    paths = catalog_json.export_paths(load_site().shows)
    for path in paths:
        path["address"] = absolute(reverse("path", args=(path["slug"],)))
        for step in path["steps"]:
            step["address"] = absolute(reverse("episode", args=(step["episode"],)))
    return {"paths": paths}


def _text_schema(description: str, **more: Any) -> JsonObject:
    """Return the schema of a text argument. `more` are further keywords of JSON Schema."""
    schema = {"type": "string", "maxLength": MAX_QUERY_LENGTH, "description": description}
    return {**schema, **more}


def _texts_schema(description: str) -> JsonObject:
    """Return the schema of an argument that is a list of texts."""
    text = {"type": "string", "maxLength": MAX_QUERY_LENGTH}
    return {"type": "array", "items": text, "maxItems": 10, "description": description}


def _number_schema(description: str, least: int, most: int) -> JsonObject:
    """Return the schema of a whole number between two limits."""
    return {"type": "integer", "minimum": least, "maximum": most, "description": description}


TOOLS = {
    "search": Tool(
        "Search episodes",
        "Find episodes by words of their titles, notes, links, people or transcripts, and by "
        "filters; without words the newest. Each comes with its address and with the moments "
        "at which a transcript says the words: their second, words and address.",
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
        # An address may be that of a moment, with the words that were searched.
        {"episode": _text_schema("The slug or the address of the episode.", maxLength=4_000)},
        required=("episode",),
    ),
    "list_topics": Tool(
        "List topics", "All topics with the number of episodes.", _answer_list_topics
    ),
    "list_paths": Tool(
        "List learning paths",
        "Episodes in the order in which to hear them, each with the reason for its place.",
        _answer_list_paths,
    ),
}
