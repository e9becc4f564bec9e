"""The catalog for assistants: a server of the Model Context Protocol over HTTP, read-only and without
sessions (https://modelcontextprotocol.io/specification/2026-07-28)."""

import json
from collections.abc import Mapping
from enum import Enum
from typing import Any

import fastjsonschema
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from ..site import Site, load_shows_and_sections
from .mcp_arguments import BadArguments
from .mcp_tools import TOOLS

NEWEST_VERSION = "2026-07-28"  # each call states its version, and there is no handshake
HANDSHAKE_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26")  # newest first
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"


class CallError(Enum):
    """The errors of calls: the code, the HTTP status for older clients, and the one for newest clients."""

    NOT_JSON = (-32700, 400, 400)
    INVALID_CALL = (-32600, 400, 400)
    HEADERS_DIFFER = (-32020, 400, 400)
    UNKNOWN_VERSION = (-32022, 400, 400)
    # Older clients take 404 for a session that has ended, and read errors in an answer with 200.
    UNKNOWN_METHOD = (-32601, 200, 404)
    INVALID_PARAMS = (-32602, 200, 400)


@csrf_exempt  # nothing can be changed here, and cookies are ignored
def mcp_server(request: HttpRequest) -> HttpResponse:
    if not settings.MCP:
        raise Http404("This site has no server for assistants.")
    if request.method != "POST":
        # The protocol wants 405 for a GET from a server that has no stream.
        return HttpResponseNotAllowed(["POST"])
    site_origin = f"{request.scheme}://{request.get_host()}"
    # A browser sends the origin of the page that asks. A page of another site must not ask through a
    # browser that reaches a private server. Other clients send none.
    if request.headers.get("Origin", site_origin) != site_origin:
        return HttpResponse("This origin may not ask.\n", status=403, content_type="text/plain")
    max_call_bytes = 64_000
    if len(request.body) > max_call_bytes:
        return HttpResponse("The call is too long.\n", status=413, content_type="text/plain")
    return _answer_call(request)


def _answer_call(request: HttpRequest) -> HttpResponse:
    # JSON-RPC wants null as the id if the id of the call could not be read.
    answer: dict[str, Any] = {"jsonrpc": "2.0", "id": None}
    status = 200
    try:
        call = _parse_call_or_refuse(request.body)
        if "id" not in call:
            # A notification, such as `notifications/initialized`. The protocol wants 202 without a body.
            return HttpResponse(status=202)
        answer["id"] = call["id"]
        result = _call_method(request, call["method"], call.get("params", {}))
        # The newest version demands the type. It also has results that ask the client for more.
        answer["result"] = {**result, "resultType": "complete"}
    except RefusedCall as refused:
        answer["error"] = refused.error
        is_newest = request.headers.get("MCP-Protocol-Version") == NEWEST_VERSION
        status = refused.newest_status if is_newest else refused.older_status
    return JsonResponse(answer, status=status)


class RefusedCall(Exception):
    """A call that gets no result: the error, the reason in words, data for programs."""

    def __init__(self, error: CallError, reason: str, **data: Any) -> None:
        super().__init__(reason)
        # The HTTP status depends on the version of the protocol that the client speaks.
        code, self.older_status, self.newest_status = error.value
        self.error: dict[str, Any] = {"code": code, "message": reason}
        if data:
            self.error["data"] = data


_check_call_schema = fastjsonschema.compile(
    {
        "type": "object",
        "properties": {
            "jsonrpc": {"const": "2.0"},
            "id": {"type": ["string", "integer"]},
            "method": {"type": "string"},
            "params": {
                "type": "object",
                "properties": {"_meta": {"type": "object"}, "name": {"type": "string"}},
            },
        },
        "required": ["jsonrpc", "method"],
    }
)


def _parse_call_or_refuse(body: bytes) -> dict[str, Any]:
    """Parse the body of a request, which is one call or notification.

    Raises:
        RefusedCall: the body is not JSON, or not one call.
    """
    try:
        call: dict[str, Any] = _check_call_schema(json.loads(body), name_prefix="call")
        # JSON can name halves of characters, which no database and no answer takes.
        json.dumps(call, ensure_ascii=False).encode()
        return call
    except fastjsonschema.JsonSchemaValueException as wrong:
        reason = f"The body has to be one JSON-RPC 2.0 call, no batch: {wrong}."
        raise RefusedCall(CallError.INVALID_CALL, reason) from None
    # Python's reader gives up on very deep nesting with a RecursionError.
    except (ValueError, RecursionError):
        raise RefusedCall(CallError.NOT_JSON, "The body is not JSON in UTF-8.") from None


def _call_method(request: HttpRequest, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a method of the protocol, such as `tools/call`.

    Raises:
        RefusedCall: its version or headers are wrong, or there is no such method or tool.
    """
    _require_version_and_headers(request.headers, method, params)
    if method not in _METHODS:
        raise RefusedCall(CallError.UNKNOWN_METHOD, "There is no such method.")
    return _METHODS[method](request, params)


def _require_version_and_headers(
    headers: Mapping[str, str], method: str, params: dict[str, Any]
) -> None:
    """Raise an error unless the version of a call is supported.

    In the newest version the headers have to repeat the content of the call.

    Raises:
        RefusedCall: the version is not supported, or the headers differ.
    """
    # The first version over HTTP without a stream had no such header.
    oldest_version = HANDSHAKE_VERSIONS[-1]
    version = headers.get("MCP-Protocol-Version", oldest_version)
    meta = params.get("_meta", {})
    # Calls of older versions name no version, and repeat nothing in headers.
    is_call_of_newest_version = version == NEWEST_VERSION or VERSION_KEY in meta
    if is_call_of_newest_version:
        # The name is that of a tool. Other methods than `tools/call` have none.
        in_call = (meta.get(VERSION_KEY), method, params.get("name"))
        in_headers = (version, headers.get("Mcp-Method"), headers.get("Mcp-Name"))
        if in_call != in_headers:
            raise RefusedCall(
                CallError.HEADERS_DIFFER,
                "MCP-Protocol-Version, Mcp-Method and Mcp-Name have to be what the call says.",
            )
    supported = [NEWEST_VERSION, *HANDSHAKE_VERSIONS]
    if version not in supported:
        raise RefusedCall(
            CallError.UNKNOWN_VERSION,
            "This version is not supported.",
            supported=supported,
            requested=version,
        )


# -- methods ---------------------------------------------------------------------------------------

_CLIENT_CACHE = {"ttlMs": 3_600_000, "cacheScope": "public"}  # how long clients may keep an answer


def _initialize(request: HttpRequest, params: dict[str, Any]) -> dict[str, Any]:
    version = params.get("protocolVersion")
    # If the version is not supported, the server offers its newest one, and the client decides.
    if version not in HANDSHAKE_VERSIONS:
        version = HANDSHAKE_VERSIONS[0]
    current_site = load_shows_and_sections()
    return {
        "protocolVersion": version,
        "serverInfo": _server_info(current_site),
        "instructions": _instructions(current_site),
        "capabilities": {"tools": {}},
    }


def _ping(request: HttpRequest, params: dict[str, Any]) -> dict[str, Any]:
    return {}


def _discover(request: HttpRequest, params: dict[str, Any]) -> dict[str, Any]:
    current_site = load_shows_and_sections()
    return {
        "supportedVersions": [NEWEST_VERSION, *HANDSHAKE_VERSIONS],
        "instructions": _instructions(current_site),
        "_meta": {"io.modelcontextprotocol/serverInfo": _server_info(current_site)},
        "capabilities": {"tools": {}},
        **_CLIENT_CACHE,
    }


def _server_info(current_site: Site) -> dict[str, str]:
    return {"name": "podcast-catalog", "title": str(current_site), "version": "1"}


def _instructions(current_site: Site) -> str:
    return (
        f"{current_site}\n{current_site.sentence}\nSearch for episodes, then get one by its slug. "
        "Cite the address of an episode, or of a moment in it, which plays from that second. "
        "`provenance` has the source of each value: the slug of one of `sources`, or `curator` for "
        "the people who keep this catalog."
    )


def _list_tools(request: HttpRequest, params: dict[str, Any]) -> dict[str, Any]:
    tools = []
    for name, tool in TOOLS.items():
        tools.append(
            {
                "name": name,
                "title": tool.title,
                "description": tool.description,
                "inputSchema": tool.arguments_schema,
                # Clients may let a tool that only reads run without asking a person first.
                "annotations": {"readOnlyHint": True, "openWorldHint": False},
            }
        )
    return {"tools": tools, **_CLIENT_CACHE}


def _call_tool(request: HttpRequest, params: dict[str, Any]) -> dict[str, Any]:
    """Return the answer of a tool, as text and as data. Faulty arguments give an answer with `isError`.

    Raises:
        RefusedCall: there is no such tool.
    """
    name = params.get("name")
    if name not in TOOLS:
        names = ", ".join(TOOLS)
        raise RefusedCall(CallError.INVALID_PARAMS, f"There is no such tool. There are {names}.")
    try:
        answer = TOOLS[name].call(request, params.get("arguments", {}))
    except (fastjsonschema.JsonSchemaValueException, BadArguments) as wrong:
        return {"content": [{"type": "text", "text": str(wrong)}], "isError": True}
    # Older clients know text alone, so the protocol wants structured content as text, too.
    text = json.dumps(answer, ensure_ascii=False)
    return {"content": [{"type": "text", "text": text}], "structuredContent": answer}


_METHODS = {
    "initialize": _initialize,
    "ping": _ping,
    "server/discover": _discover,
    "tools/list": _list_tools,
    "tools/call": _call_tool,
}
