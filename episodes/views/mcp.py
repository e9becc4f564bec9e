"""The catalog for assistants: a server of the Model Context Protocol over HTTP
(https://modelcontextprotocol.io/specification/2026-07-28), read-only and without sessions, and its
tools, which give the site's own search, lists and exports as data."""

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import unquote, urlencode, urlsplit

import fastjsonschema
from django.conf import settings
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseNotAllowed,
    JsonResponse,
    QueryDict,
)
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt

from ..fields import FACTS
from ..models import Episode, Topic, counts_of, episodes_at
from ..outputs import catalog_json
from ..search import excerpts, parse_query
from ..site import site
from ..text.link_labels import KINDS
from .filters import LONGEST_QUERY, SORTS, TOO_MANY_TERMS, EpisodeFilter
from .lists import not_on_cards
from .moments import address, said
from .page import NUMBER, episode_of_number, on_cards
from .things import topics_of

# -- the protocol: calls, their headers, and what tools take ---------------------------------------

NEWEST = "2026-07-28"  # each call says its version, and there is no handshake
HANDSHAKES = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")  # newest first
VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"

NOT_JSON, NO_CALL, UNKNOWN_METHOD, BAD_PARAMS = -32700, -32600, -32601, -32602
HEADERS_DIFFER, UNKNOWN_VERSION = -32020, -32022
# Of HTTP. Older clients take 404 for a session that has ended, and read errors in an answer with
# 200.
STATUS = {NOT_JSON: 400, NO_CALL: 400, HEADERS_DIFFER: 400, UNKNOWN_VERSION: 400}
NEWEST_STATUS = STATUS | {BAD_PARAMS: 400, UNKNOWN_METHOD: 404}


class RefusedCall(Exception):
    """A call that gets no result: the code of JSON-RPC, the reason in words, data for programs."""

    def __init__(self, code: int, reason: str, **data: Any) -> None:
        super().__init__(reason)
        self.code = code
        self.error = {"code": code, "message": reason} | ({"data": data} if data else {})


CALL = fastjsonschema.compile(
    {
        "type": "object",
        "properties": {
            "jsonrpc": {"const": "2.0"},
            "id": {"type": ["string", "integer"]},
            "method": {"type": "string"},
            "params": {"type": "object"},
        },
        "required": ["jsonrpc", "method"],
    }
)


def read_call(body: bytes) -> dict[str, Any]:
    """The one call, or notification, of a request.

    Raises:
        RefusedCall: it is none.
    """
    try:
        call: dict[str, Any] = CALL(json.loads(body), name_prefix="call")
        # JSON can name halves of characters, which no database and no answer takes.
        json.dumps(call, ensure_ascii=False).encode()
        return call
    except fastjsonschema.JsonSchemaValueException as wrong:
        reason = f"The body has to be one JSON-RPC 2.0 call, no batch: {wrong}."
        raise RefusedCall(NO_CALL, reason) from None
    # Python's reader gives up on very deep nesting with a RecursionError.
    except (ValueError, RecursionError):
        raise RefusedCall(NOT_JSON, "The body is not JSON in UTF-8.") from None


def check_headers(headers: Mapping[str, str], method: str, params: dict[str, Any]) -> None:
    """Hold the version of a call, and the headers that repeat its content, to the specification.

    Raises:
        RefusedCall: it has another version, or the headers say something else.
    """
    version, meta = headers.get("MCP-Protocol-Version"), params.get("_meta", {})
    if not isinstance(meta, dict):
        raise RefusedCall(BAD_PARAMS, "“_meta” has to be an object.")
    if VERSION not in meta and version != NEWEST:
        stated = version or HANDSHAKES[-1]  # the first versions had no such header
    elif missing := [name for name in (VERSION, CAPABILITIES) if name not in meta]:
        raise RefusedCall(BAD_PARAMS, f"“_meta” lacks {' and '.join(missing)}.")
    else:
        stated = meta[VERSION]
        said = version, headers.get("Mcp-Method"), headers.get("Mcp-Name")
        if said != (stated, method, params.get("name")):
            raise RefusedCall(
                HEADERS_DIFFER,
                "MCP-Protocol-Version, Mcp-Method and Mcp-Name have to be what the call says.",
            )
    if stated not in (NEWEST, *HANDSHAKES):
        raise RefusedCall(
            UNKNOWN_VERSION,
            "This version is not supported.",
            supported=[NEWEST, *HANDSHAKES],
            requested=stated,
        )


Schema = dict[str, Any]

MOST_VALUES = 10
LONGEST_ADDRESS = 4_000  # characters: of a moment with the words that were searched for


class BadArguments(ValueError):
    """Arguments that a tool cannot use; the reason is for the assistant, which can ask again."""


def text(about: str, **more: Any) -> Schema:
    return {"type": "string", "maxLength": LONGEST_QUERY, "description": about} | more


def texts(about: str) -> Schema:
    each = {"type": "string", "maxLength": LONGEST_QUERY}
    return {"type": "array", "items": each, "maxItems": MOST_VALUES, "description": about}


def whole_number(about: str, least: int, most: int) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": most, "description": about}


def takes(*required: str, **arguments: Schema) -> Schema:
    """The JSON Schema of the arguments of a tool."""
    return {
        "type": "object",
        "properties": arguments,
        "required": required,
        "additionalProperties": False,
    }


# -- the tools -------------------------------------------------------------------------------------

PER_ANSWER = 10  # episodes
MOST_PAGES = 500


class Tool(NamedTuple):
    """A tool: how it is described to assistants, what it takes, and what answers."""

    title: str
    about: str
    answer: Callable[[HttpRequest, dict[str, Any]], dict[str, Any]]
    arguments: Schema = takes()


def search(request: HttpRequest, asked: dict[str, Any]) -> dict[str, Any]:
    """A page of the episode list with these filters, each episode with the moments at which a
    transcript says the words."""
    # A whole number in JSON may be written 2.0.
    asked |= {name: int(value) for name, value in asked.items() if isinstance(value, float)}
    page = asked.pop("page", 1)
    parameters = urlencode({"q": asked.pop("query", ""), **asked}, doseq=True)
    listed, of_site = EpisodeFilter(QueryDict(parameters)).corrected(), site()
    notes, first = _notes(listed), (page - 1) * PER_ANSWER
    shown = on_cards(listed.ids(of_site)[first : first + PER_ANSWER], of_site)
    query, whole = parse_query(listed.selection.one("q")), request.build_absolute_uri
    moments = said(shown, query, not_on_cards(shown, query)) if listed.is_search else {}
    episodes = []
    for episode in shown:
        spoken = moments.get(episode.pk)
        excerpt = excerpts.around(episode.description_text, query.typed, episode.summary)
        episodes.append(
            {
                "slug": episode.slug,
                "show": episode.podcast.title,
                **catalog_json.exported(episode, FACTS),
                "topics": [topic.slug for topic in episode.topics_in_order],
                "excerpt": "".join(excerpt),
                "moments": [
                    {
                        "second": moment.second,
                        "words": "".join(moment.text),
                        "address": whole(address(episode, moment, query.typed)),
                    }
                    for moment in getattr(spoken, "moments", ())
                ],
                "address": whole(episode.get_absolute_url()),
            }
        )
    return {
        "total": listed.total,
        "page": page,
        "is_last_page": first + PER_ANSWER >= listed.total,
        "address": whole(reverse("episodes") + listed.selection.query()),
        "notes": notes,
        "episodes": episodes,
    }


def _notes(listed: EpisodeFilter) -> list[str]:
    """What an assistant has to know of the results.

    Raises:
        BadArguments: an argument could not be read.
    """
    notes = listed.complaints()
    if ignored := [note for note in notes if note != TOO_MANY_TERMS]:
        # A page shows what it left out above the list; an assistant is to ask again instead.
        raise BadArguments(f"Not searched: {'; '.join(ignored)}.")
    if listed.typed:
        notes.append(f"These are the results for “{listed.selection.one('q')}”.")
    if listed.is_search and listed.results().cut:
        notes.append("More episodes match than are listed.")
    if listed.is_near:
        notes.append("No episode holds all words; these are the nearest.")
    return notes


def get_episode(request: HttpRequest, asked: dict[str, Any]) -> dict[str, Any]:
    """All that the export has of an episode, with the addresses of its page, Markdown and
    transcript here."""
    slug = slug_of_episode(request, asked["episode"])
    found = episodes_at([slug], catalog_json.with_all(Episode.objects.all())).get(slug)
    if found is None:
        raise BadArguments("No episode has this slug or address. Search for it.")
    whole = request.build_absolute_uri
    here = {
        "address": whole(found.get_absolute_url()),
        "markdown": whole(reverse("episode-markdown", args=(found.slug,))),
    }
    if hasattr(found, "transcript"):
        here["captions"] = whole(reverse("transcript", args=(found.slug,)))
    return catalog_json.episode(found) | here


# A slug by itself, the page of an episode, one of its files, or its number behind the host.
OF_EPISODE = re.compile(r"/?(?:episodes/|(?![-\w]+/.))([-\w]{1,255})(?:\.md|/[-\w.]*)?")


def slug_of_episode(request: HttpRequest, asked: str) -> str:
    """Return the slug, or former slug, that is asked for by itself or in any address of the episode
    on this site. Return "" for any other address."""
    host = request.get_host()
    try:
        address = urlsplit(asked.replace("\0", "").strip().removeprefix(f"{host}/"))
    except ValueError:
        return ""
    is_here = address.hostname in (None, urlsplit(f"//{host}").hostname)
    match = OF_EPISODE.fullmatch(unquote(address.path))
    if not (is_here and match):
        return ""
    slug = match[1]
    # After the slugs: an episode whose title is a number has the number as its slug.
    if NUMBER.fullmatch(slug) and not episodes_at([slug]):
        with suppress(Http404):
            slug = getattr(episode_of_number(slug), "slug", "")
    return slug


def list_topics(request: HttpRequest, asked: dict[str, Any]) -> dict[str, Any]:
    """The topics of the site, those of most episodes first."""
    counts = counts_of(Episode.objects.listed())
    return {
        "topics": [
            {
                "slug": topic.slug,
                "name": topic.name,
                "also_called": topic.aliases,
                "group": topic.group,
                "description": topic.description,
                "episodes": number,
                "address": request.build_absolute_uri(topic.get_absolute_url()),
            }
            for topic, number in topics_of(counts, Topic.objects.all())
        ]
    }


def list_paths(request: HttpRequest, asked: dict[str, Any]) -> dict[str, Any]:
    """The learning paths with their episodes, each with the reason for its place."""
    whole = request.build_absolute_uri
    paths = catalog_json.paths(site().shows)
    for path in paths:
        path["address"] = whole(reverse("path", args=(path["slug"],)))
        for step in path["steps"]:
            step["address"] = whole(reverse("episode", args=(step["episode"],)))
    return {"paths": paths}


TOOLS = {
    "search": Tool(
        "Search episodes",
        "Find episodes by words of their titles, notes, links, people or transcripts, and by "
        "filters; without words the newest. Each comes with its address and with the moments "
        "at which a transcript says the words: their second, words and address.",
        search,
        takes(
            query=text("A few words or names; “quotes” for a phrase."),
            topic=texts("Slugs of topics, all of which an episode must have (list_topics)."),
            year=whole_number("The year of publication.", 1_900, 9_999),
            month=text("The month of publication, such as 2021-03."),
            person=text("The slug of somebody who is heard."),
            podcast=text("The slug of a show."),
            source=text("The slug of a source that lists the episode."),
            link_kind=text("A kind of link in the show notes.", enum=[*KINDS]),
            min_minutes=whole_number("The shortest length.", 0, 100_000),
            max_minutes=whole_number("The longest length.", 0, 100_000),
            sort=text("The order; best match, or newest without words.", enum=[*SORTS]),
            page=whole_number(f"The page, of {PER_ANSWER} episodes each.", 1, MOST_PAGES),
        ),
    ),
    "get_episode": Tool(
        "Get an episode",
        "All that is known of one episode: show notes, links, people, topics, references to other "
        "episodes, and the sources of each value.",
        get_episode,
        takes(
            "episode",
            episode=text("The slug or the address of the episode.", maxLength=LONGEST_ADDRESS),
        ),
    ),
    "list_topics": Tool("List topics", "All topics with the number of episodes.", list_topics),
    "list_paths": Tool(
        "List learning paths",
        "Episodes in the order in which to hear them, each with the reason for its place.",
        list_paths,
    ),
}
CHECKS = {name: fastjsonschema.compile(tool.arguments) for name, tool in TOOLS.items()}


def tool_answer(request: HttpRequest, params: dict[str, Any]) -> dict[str, Any]:
    """The answer of a tool, or what is wrong with the arguments.

    Raises:
        RefusedCall: there is no such tool.
    """
    name, arguments = params.get("name"), params.get("arguments", {})
    if name not in [*TOOLS]:
        raise RefusedCall(BAD_PARAMS, f"There is no such tool. There are {', '.join(TOOLS)}.")
    try:
        answer = TOOLS[name].answer(request, CHECKS[name](arguments, name_prefix="arguments"))
    except (fastjsonschema.JsonSchemaValueException, BadArguments) as wrong:
        return {"content": [{"type": "text", "text": str(wrong)}], "isError": True}
    # Older clients know text alone, so the protocol wants structured content as text, too.
    whole = json.dumps(answer, ensure_ascii=False)
    return {"content": [{"type": "text", "text": whole}], "structuredContent": answer}


MOST_BYTES = 64_000  # of a call
KEPT = {"ttlMs": 3_600_000, "cacheScope": "public"}  # how long clients may keep what we offer
OFFERED: dict[str, Any] = {"capabilities": {"tools": {}}}

Answer = Callable[[HttpRequest, dict[str, Any]], dict[str, Any]]


@csrf_exempt  # nothing can be changed here, and no cookie is looked at
def mcp(request: HttpRequest) -> HttpResponse:
    """Answers one call, in JSON; a notification is only acknowledged."""
    if not settings.MCP:
        raise Http404("This site has no server for assistants.")
    if request.method != "POST":
        # The protocol wants 405 for a GET from a server that has no stream.
        return HttpResponseNotAllowed(["POST"])
    own = f"{request.scheme}://{request.get_host()}"
    # A page of another site must not ask through a browser that reaches a private server.
    if request.headers.get("Origin", own) != own:
        return HttpResponse("This origin may not ask.\n", status=403, content_type="text/plain")
    if len(request.body) > MOST_BYTES:
        return HttpResponse("The call is too long.\n", status=413, content_type="text/plain")
    # JSON-RPC wants null as the id where the call's own could not be read.
    answer: dict[str, Any] = {"jsonrpc": "2.0", "id": None}
    status = 200
    try:
        call = read_call(request.body)
        if "id" not in call:
            # The protocol wants 202 without a body for a notification.
            return HttpResponse(status=202)
        answer["id"], method, params = call["id"], call["method"], call.get("params", {})
        check_headers(request.headers, method, params)
        if method not in METHODS:
            raise RefusedCall(UNKNOWN_METHOD, "There is no such method.")
        answer["result"] = METHODS[method](request, params) | {"resultType": "complete"}
    except RefusedCall as refused:
        is_newest = request.headers.get("MCP-Protocol-Version") == NEWEST
        answer["error"] = refused.error
        status = (NEWEST_STATUS if is_newest else STATUS).get(refused.code, 200)
    return JsonResponse(answer, status=status)


def initialize(request: HttpRequest, params: dict[str, Any]) -> dict[str, Any]:
    """The handshake of older clients: the version that they ask for, else the newest of these."""
    asked, (server, instructions) = params.get("protocolVersion"), _introduction()
    return {
        "protocolVersion": asked if asked in HANDSHAKES else HANDSHAKES[0],
        "serverInfo": server,
        "instructions": instructions,
    } | OFFERED


def discover(request: HttpRequest, params: dict[str, Any]) -> dict[str, Any]:
    """The same for clients that need no handshake."""
    server, instructions = _introduction()
    return {
        "supportedVersions": [NEWEST, *HANDSHAKES],
        "instructions": instructions,
        "_meta": {"io.modelcontextprotocol/serverInfo": server},
    } | (OFFERED | KEPT)


def list_tools(request: HttpRequest, params: dict[str, Any]) -> dict[str, Any]:
    """The tools as clients list them."""
    tools = [
        {
            "name": name,
            "title": tool.title,
            "description": tool.about,
            "inputSchema": tool.arguments,
            # Clients may let a tool that only reads run without asking a person first.
            "annotations": {"readOnlyHint": True, "openWorldHint": False},
        }
        for name, tool in TOOLS.items()
    ]
    return {"tools": tools} | KEPT


METHODS: dict[str, Answer] = {
    "initialize": initialize,
    "ping": lambda request, params: {},
    "server/discover": discover,
    "tools/list": list_tools,
    "tools/call": tool_answer,
}


def _introduction() -> tuple[dict[str, str], str]:
    """The server as it names itself, and how to use it."""
    of_site = site()
    return {"name": "podcast-catalog", "title": str(of_site), "version": "1"}, (
        f"{of_site}\n{of_site.sentence}\nSearch for episodes, then get one by its slug. Cite the "
        "address of an episode, or of a moment in it, which plays from that second."
    )
