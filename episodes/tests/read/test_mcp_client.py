"""The protocol's own client, which lists the tools at /mcp and calls each of them."""

import asyncio
from typing import Any, Literal

import pytest
from mcp import Client
from pytest_django.live_server_helper import LiveServer

from .test_moments import transcribed

ARGUMENTS: dict[str, dict[str, Any]] = {
    "search": {"query": "zebra"},
    "get_episode": {"episode": "vmap"},
    "get_transcript": {"episode": "vmap", "from": "0:05"},
    "get_person": {"person": "Edward Yang"},
    "find_link": {"link": "https://github.com/pytorch/pytorch/issues/78050"},
    "list_topics": {},
    "list_paths": {},
}


@pytest.mark.parametrize("mode, version", [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
def test_protocol_client_calls_every_tool(
    live_server: LiveServer, catalog: None, mode: Literal["auto", "legacy"], version: str
) -> None:
    transcribed("vmap", (5.0, "A zebra crosses."))

    async def call_all() -> dict[str, Any]:
        answers = {}
        async with Client(f"{live_server.url}/mcp", mode=mode) as client:
            assert client.protocol_version == version
            for tool in (await client.list_tools()).tools:
                answers[tool.name] = await client.call_tool(tool.name, ARGUMENTS[tool.name])
        return answers

    answers = asyncio.run(call_all())
    assert answers.keys() == ARGUMENTS.keys()
    assert [name for name, answer in answers.items() if answer.is_error or not answer.structured_content] == []
    paragraph = answers["get_transcript"].structured_content["paragraphs"][0]
    assert paragraph["address"] == f"{live_server.url}/episodes/vmap/?t=5#p1"
