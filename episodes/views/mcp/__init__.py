"""The catalog for assistants: a server of the Model Context Protocol, read-only and without
sessions."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from ...site import site
from .protocol import (
    HANDSHAKES,
    NEWEST,
    UNKNOWN_METHOD,
    RefusedCall,
    check_headers,
    read_call,
    status_of,
)
from .tools import described_tools, tool_answer

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
        answer["error"], status = refused.error, status_of(refused, request.headers)
    return JsonResponse(answer, status=status)


def initialize(request: HttpRequest, params: dict[str, Any]) -> dict[str, Any]:
    """The handshake of older clients: the version that they ask for, else the newest of these."""
    asked = params.get("protocolVersion")
    return {
        "protocolVersion": asked if asked in HANDSHAKES else HANDSHAKES[0],
        "serverInfo": _server(),
        "instructions": _instructions(),
    } | OFFERED


def discover(request: HttpRequest, params: dict[str, Any]) -> dict[str, Any]:
    """The same for clients that need no handshake."""
    return {
        "supportedVersions": [NEWEST, *HANDSHAKES],
        "instructions": _instructions(),
        "_meta": {"io.modelcontextprotocol/serverInfo": _server()},
    } | (OFFERED | KEPT)


def ping(request: HttpRequest, params: dict[str, Any]) -> dict[str, Any]:
    return {}


def list_tools(request: HttpRequest, params: dict[str, Any]) -> dict[str, Any]:
    return {"tools": described_tools()} | KEPT


METHODS: dict[str, Answer] = {
    "initialize": initialize,
    "ping": ping,
    "server/discover": discover,
    "tools/list": list_tools,
    "tools/call": tool_answer,
}


def _server() -> dict[str, str]:
    return {"name": "podcast-catalog", "title": str(site()), "version": "1"}


def _instructions() -> str:
    return (
        f"{site()}: {site().sentence}\nSearch for episodes, then get one by its slug. Cite the "
        "address of an episode, or of a moment in it, which plays from that second."
    )
