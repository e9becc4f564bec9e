"""The server for assistants at /mcp: the protocol, its tools, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.http import HttpResponse
from django.test import Client

from episodes.views.mcp import VERSION_KEY

from ..curation.conftest import curator
from ..tables import cases
from .pages import see
from .test_moments import transcribed

CASES = cases("read_mcp")

__all__ = ["curator"]

pytestmark = pytest.mark.usefixtures("catalog")

NEWEST = "2026-07-28"
OLDER = ["2025-11-25", "2025-06-18", "2025-03-26"]
LONGEST = 200
QUESTIONS = json.loads((Path(__file__).parent.parent / "data" / "questions.json").read_text())


def post(client: Client, body: object, **headers: str) -> HttpResponse:
    sent = body if isinstance(body, str | bytes) else json.dumps(body)
    return client.post("/mcp", sent, content_type="application/json", headers=headers)  # type: ignore[return-value]


def call(client: Client, method: str, params: Any = None, **headers: str) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params or {}}
    answer: dict[str, Any] = json.loads(post(client, message, **headers).content)
    assert (answer["jsonrpc"], answer["id"]) == ("2.0", 7)
    return answer


def tool(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    """The data that a tool answers with, which its text repeats."""
    result = call(client, "tools/call", {"name": name, "arguments": arguments})["result"]
    assert not result.get("isError"), result["content"]
    data: dict[str, Any] = result["structuredContent"]
    assert json.loads(result["content"][0]["text"]) == data
    return data


def complaint(client: Client, name: str, arguments: object) -> str:
    result = call(client, "tools/call", {"name": name, "arguments": arguments})["result"]
    assert result["isError"]
    assert "structuredContent" not in result
    return str(result["content"][0]["text"])


@pytest.mark.parametrize("asked", [*OLDER, NEWEST, "1999-01-01", None])
def test_older_clients_agree_on_a_version(client: Client, asked: str | None) -> None:
    result = call(client, "initialize", {"protocolVersion": asked})["result"]
    assert result["protocolVersion"] == (asked if asked in OLDER else "2025-11-25")
    assert result["capabilities"] == {"tools": {}}
    assert result["serverInfo"]["title"] == "PyTorch Developer Podcast"
    assert result["instructions"].startswith("PyTorch Developer Podcast\n")


def test_newer_clients_discover_and_call_without_a_handshake(client: Client) -> None:
    def ask(method: str, *, version: str = NEWEST, **params: Any) -> tuple[int, dict[str, Any]]:
        meta = {VERSION_KEY: version, "io.modelcontextprotocol/clientCapabilities": {}}
        message = {"jsonrpc": "2.0", "id": "a", "method": method, "params": {**params, "_meta": meta}}
        name = {"mcp-name": params["name"]} if "name" in params else {}
        headers = {"mcp-protocol-version": version, "mcp-method": method}
        answer = post(client, message, **headers, **name)
        return answer.status_code, json.loads(answer.content)

    status, found = ask("server/discover")
    assert (status, found["result"]["supportedVersions"]) == (200, [NEWEST, *OLDER])
    assert found["result"]["resultType"] == "complete"
    assert ask("tools/list")[1]["result"]["cacheScope"] == "public"
    assert ask("tools/call", name="search", arguments={})[1]["result"]["structuredContent"]["total"] == 82
    assert ask("nope")[0] == 404
    assert ask("tools/call", name="nope")[0] == 400
    assert call(client, "tools/call", {"name": "nope"})["error"]["code"] == -32602
    status, found = ask("tools/list", version="2030-01-01")
    assert (status, found["error"]["code"]) == (400, -32022)
    assert found["error"]["data"] == {"supported": [NEWEST, *OLDER], "requested": "2030-01-01"}


@pytest.mark.parametrize("meta, headers, code", CASES["headers_have_to_say_what_the_call_says"])
def test_headers_must_agree_with_call(client: Client, meta: Any, headers: dict[str, str], code: int) -> None:
    answer = post(client, {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"_meta": meta}}, **headers)
    assert (answer.status_code, json.loads(answer.content)["error"]["code"]) == (400, code)


@pytest.mark.parametrize("version", [*OLDER, ""])
def test_any_older_version_is_answered(client: Client, version: str) -> None:
    headers = {"mcp-protocol-version": version} if version else {}
    assert call(client, "ping", **headers)["result"] == {"resultType": "complete"}
    message = {"jsonrpc": "2.0", "id": 1, "method": "resources/list"}
    answer = post(client, message, **headers)
    assert (answer.status_code, json.loads(answer.content)["error"]["code"]) == (200, -32601)


@pytest.mark.parametrize(
    "body, code",
    [
        ("", -32700), (b"\xff\xfe", -32700), ("[" * 20_000, -32700), ("nope", -32700),
        ({"jsonrpc": "2.0", "id": "\ud800", "method": "ping"}, -32700),
        ([{"jsonrpc": "2.0", "id": 1, "method": "ping"}], -32600), ("5", -32600), ({"id": 1, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": 1}, -32600), ({"jsonrpc": "2.0", "id": None, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, -32600), ({"jsonrpc": "2.0", "id": 1, "method": 2}, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": ["search"]}}, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": None}}, -32600),
    ],
)  # fmt: skip
def test_malformed_call_is_refused(client: Client, body: Any, code: int) -> None:
    answer = post(client, body)
    told = json.loads(answer.content)
    assert (answer.status_code, told["id"], told["error"]["code"]) == (400, None, code)


def test_only_bounded_local_posts_are_read(client: Client, settings: LazySettings) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    refused = client.get("/mcp")
    assert (refused.status_code, refused.headers["Allow"]) == (405, "POST")
    assert post(Client(enforce_csrf_checks=True), ping, origin="http://testserver").status_code == 200
    assert post(client, ping, origin="http://elsewhere.example").status_code == 403
    assert post(client, ping, origin="https://testserver").status_code == 403
    blank = json.dumps(ping)
    assert post(client, blank.ljust(64_000)).status_code == 200
    assert post(client, blank.ljust(64_001)).status_code == 413
    notification = post(client, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (notification.status_code, notification.content) == (202, b"")
    assert "/mcp" in see(client, "/data/").text
    settings.MCP = False
    assert "/mcp" not in see(client, "/data/").text
    assert post(client, ping).status_code == client.get("/mcp").status_code == 404


def test_every_tool_is_described(client: Client) -> None:
    tools = {each["name"]: each for each in call(client, "tools/list")["result"]["tools"]}
    assert [*tools] == [
        "search", "get_episode", "get_transcript", "get_person", "find_link", "list_topics", "list_paths",
    ]  # fmt: skip
    for each in tools.values():
        assert each["description"]
        assert each["inputSchema"]["additionalProperties"] is False
        assert each["annotations"]["readOnlyHint"]
        for rule in each["inputSchema"]["properties"].values():
            assert rule["description"]
    assert tools["get_episode"]["inputSchema"]["required"] == ["episode"]


def test_search_takes_filters_of_list_and_notes_changes(client: Client) -> None:
    every = tool(client, "search")
    assert (every["total"], every["page"], every["is_last_page"], len(every["episodes"])) == (82, 1, False, 10)
    last = tool(client, "search", page=9)
    assert (last["is_last_page"], len(last["episodes"])) == (True, 2)
    assert tool(client, "search", page=10)["episodes"] == []
    found = tool(client, "search", query="backward", year=2021, max_minutes=20, topic=["autograd"], sort="oldest")
    page = "http://testserver/episodes/?q=backward&topic=autograd&year=2021&max_minutes=20&sort=oldest"
    assert found["address"] == page
    assert found["episodes"]
    decimals = {"year": 2021.0, "max_minutes": 20.0}  # integers to JSON Schema
    assert tool(client, "search", query="backward", topic=["autograd"], sort="oldest", **decimals) == found
    for each in found["episodes"]:
        assert each["published"].startswith("2021")
        assert each["duration_seconds"] < 21 * 60
        assert "autograd" in each["topics"]
    assert [each["published"] for each in found["episodes"]] == sorted(each["published"] for each in found["episodes"])
    assert tool(client, "search", query="the latest episodes about dynamo")["notes"]
    assert "functionalization" in tool(client, "search", query="functionalisaton")["notes"][0]
    assert "closest" in tool(client, "search", query="vmap zebra")["notes"][-1]
    many_words = "vmap jax random numbers issues " + " ".join("bcdefghjklmn")
    assert "first 16 words" in tool(client, "search", query=many_words)["notes"][0]
    assert tool(client, "search", query="vmap")["notes"] == []


def test_moments_have_second_and_playing_address(client: Client) -> None:
    transcribed("vmap", (0.0, "Welcome."), (61.0, "The zebra crosses the street."), (90.0, "Goodbye."))
    (found,) = tool(client, "search", query="zebra street")["episodes"]
    (moment,) = found["moments"]
    assert (moment["second"], moment["words"]) == (61, "The zebra crosses the street.")
    assert moment["address"] == "http://testserver/episodes/vmap/?t=61&q=zebra+street#moment"
    got = tool(client, "get_episode", episode="vmap")
    assert got["captions"] == "http://testserver/episodes/vmap/transcript.vtt"
    assert client.get(got["captions"]).status_code == 200


@pytest.mark.parametrize("asked", CASES["an_episode_is_what_the_export_has_of_it"])
def test_episode_equals_its_export(client: Client, asked: str) -> None:
    found = tool(client, "get_episode", episode=asked)
    assert (found["slug"], found["number"], found["provenance"]["title"]) == ("vmap", 34, "snapshot")
    assert "implemented" in found["description_text"]
    assert found["address"] == "http://testserver/episodes/vmap/"
    assert found["markdown"] == "http://testserver/episodes/vmap.md"
    assert {"source": "player-fm"}.items() <= next(s for s in found["sources"] if s["source"] == "player-fm").items()
    assert "captions" not in found


def test_moment_address_of_search_gets_its_episode(client: Client) -> None:
    words = "zebra " * 30
    transcribed("vmap", (0.0, "Welcome."), (61.0, f"The {words}crosses."))
    (found,) = tool(client, "search", query=words.strip())["episodes"]
    assert tool(client, "get_episode", episode=found["moments"][0]["address"])["slug"] == "vmap"


@pytest.mark.parametrize("asked", CASES["other_addresses_name_no_episode"])
def test_other_addresses_name_no_episode(client: Client, asked: str) -> None:
    assert "No episode" in complaint(client, "get_episode", {"episode": asked})


def test_topics_and_paths_lead_to_their_pages(client: Client) -> None:
    topics = tool(client, "list_topics")["topics"]
    counts = [each["episodes"] for each in topics]
    assert counts == sorted(counts, reverse=True)
    assert len(topics) > 20
    first = topics[0]
    assert tool(client, "search", topic=[first["slug"]])["total"] == first["episodes"]
    assert tool(client, "search", topic=[])["total"] == tool(client, "search")["total"]
    assert client.get(first["address"]).status_code == 200
    for path in tool(client, "list_paths")["paths"]:
        assert client.get(path["address"]).status_code == 200
        assert all(step["why"] and client.get(step["address"]).status_code == 200 for step in path["steps"])


@pytest.mark.parametrize(
    "name, arguments, words",
    [
        *CASES["invalid_arguments_are_explained"],
        ("search", {"query": None}, "arguments.query "),
        ("search", {"query": "a" * (LONGEST + 1)}, "arguments.query "),
        ("search", {"topic": ["vmap"] * 11}, "arguments.topic"),
        ("search", {"year": 10**400}, "arguments.year "),
    ],
)
def test_invalid_arguments_are_explained(client: Client, name: str, arguments: Any, words: str) -> None:
    assert words in complaint(client, name, arguments)


def test_extreme_arguments_are_accepted(client: Client) -> None:
    for arguments in (
        {"query": "a" * LONGEST}, {"year": 1900}, {"year": 9999}, {"page": 500}, {"page": 2.0, "min_minutes": 5.0},
        {"topic": ["autograd"] * 10},
    ):  # fmt: skip
        tool(client, "search", **arguments)


def test_forty_questions_find_their_episode(client: Client) -> None:
    missed = [
        question
        for questions in QUESTIONS.values()
        for question, meant in questions.items()
        if not {each["slug"] for each in tool(client, "search", query=question)["episodes"][:3]} & {*meant}
    ]
    assert sum(map(len, QUESTIONS.values())) == 40
    assert missed == []
