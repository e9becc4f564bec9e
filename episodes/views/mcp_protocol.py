"""The rules of JSON-RPC 2.0 and of the Model Context Protocol over HTTP
(https://modelcontextprotocol.io/specification/2026-07-28), and the JSON Schema of arguments."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from .filters import LONGEST_QUERY, quoted

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


def read_call(body: bytes) -> dict[str, Any]:
    """The one call, or notification, of a request.

    Raises:
        RefusedCall: it is none.
    """
    try:
        call = json.loads(body)
    # Python's reader gives up on very deep nesting with a RecursionError.
    except (ValueError, RecursionError):
        raise RefusedCall(NOT_JSON, "The body is not JSON.") from None
    if not isinstance(call, dict) or call.get("jsonrpc") != "2.0":
        raise RefusedCall(NO_CALL, "The body has to be one JSON-RPC 2.0 call; send no batches.")
    parts: dict[str, tuple[Any, Any]] = {  # each with its type, and what stands for none
        "method": (str, None),
        "id": ((str, int), 0),
        "params": (dict, {}),
    }
    for name, (kind, usual) in parts.items():
        if not isinstance(call.get(name, usual), kind):
            raise RefusedCall(NO_CALL, f"“{name}” is missing, or of the wrong type.")
    return call


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


Schema = Mapping[str, Any]

MOST_VALUES = 10
KINDS = {"string": str, "integer": int, "array": list}
NO_TEXT = re.compile("[\0\ud800-\udfff]")  # what no database takes


class BadArguments(ValueError):
    """Arguments that a tool does not take; the reason is for the assistant, which can ask again."""


def text(about: str, **more: Any) -> Schema:
    return {"type": "string", "maxLength": LONGEST_QUERY, "description": about} | more


def texts(about: str) -> Schema:
    each = {"type": "string", "maxLength": LONGEST_QUERY}
    return {"type": "array", "items": each, "maxItems": MOST_VALUES, "description": about}


def whole_number(about: str, least: int, most: int) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": most, "description": about}


def check(
    arguments: object, known: Mapping[str, Schema], required: Iterable[str]
) -> dict[str, Any]:
    """The arguments, if the tool takes all of them.

    Raises:
        BadArguments: it does not, or the required one is missing.
    """
    if not isinstance(arguments, dict):
        raise BadArguments("The arguments have to be an object.")
    for name in required:
        if name not in arguments:
            raise BadArguments(f"“{name}” is missing: {known[name]['description']}")
    for name, value in arguments.items():
        if name not in known:
            takes = ", ".join(known) or "no arguments"
            raise BadArguments(f"“{quoted(name)}” is no argument of this tool. It takes {takes}.")
        if not _is_taken(value, known[name]):
            raise BadArguments(f"“{name}” does not fit its schema: {json.dumps(known[name])}")
    return arguments


def _is_taken(value: object, rule: Schema) -> bool:
    if type(value) is not KINDS[rule["type"]]:  # True is no number
        return False
    if isinstance(value, int):
        return bool(rule["minimum"] <= value <= rule["maximum"])
    if isinstance(value, list):
        return len(value) <= MOST_VALUES and all(_is_taken(one, rule["items"]) for one in value)
    is_text = len(str(value)) <= rule["maxLength"] and not NO_TEXT.search(str(value))
    return is_text and value in rule.get("enum", [value])
