"""The documents of tests of readers: pairs of a page and its expected entries."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from episodes.gather.sources import readers
from episodes.records import DocumentRejected, FetchedDocument, ParsedPage, Show

ROOT = Path(__file__).parents[3]
DATA = ROOT / "episodes" / "tests" / "data"
FIXTURES = ROOT / "fixtures"
SHOW = Show(
    "pytorch-developer-podcast",
    "PyTorch Developer Podcast",
    "https://feeds.simplecast.com/OB5FkIl8",
    "https://pytorch-dev-podcast.simplecast.com",
)
SAVED = {
    "feed": "feed.xml",
    "player-fm": "pages/player-fm-pytorch.txt",
    "numbered-list": "pages/numbered-top-10.txt",
    "pod-casts-io": "pages/pod-casts-io-pytorch-page-2.txt",
    "ezyang-blog": "pages/ezyang-blog-pytorch.txt",
}


@dataclass(frozen=True)
class Pair:
    """A document, and the result that is expected of its reader."""

    reader: str
    name: str
    page: FetchedDocument
    expected: dict[str, Any]
    show: Show = SHOW

    def __str__(self) -> str:
        return f"{self.reader}/{self.name}"


def pairs() -> Iterator[Pair]:
    """Yield every pair below `data/`. A document without an expectation is an error, and the reverse."""
    for reader in readers():
        folder = DATA / reader
        documents = {path.stem: path for path in folder.iterdir() if path.suffix in (".txt", ".html", ".xml")}
        expected = {path.name.removesuffix(".expected.json"): path for path in folder.glob("*.expected.json")}
        for name in sorted(documents.keys() | expected.keys()):
            result = json.loads(expected[name].read_text("utf-8"))
            options = result.pop("page", {})
            path = FIXTURES / options["fixture"] if "fixture" in options else documents[name]
            page = FetchedDocument(
                path.read_bytes(), options.get("address", ""), options.get("content_type", ""), path.name
            )
            show = Show(options["show"], options["show"]) if "show" in options else SHOW
            yield Pair(reader, name, page, result, show)


def saved(reader: str) -> FetchedDocument:
    path = FIXTURES / SAVED[reader]
    return FetchedDocument(path.read_bytes(), name=path.name)


def read(reader: str, page: FetchedDocument | bytes | str, address: str = "", show: Show = SHOW) -> ParsedPage:
    body = page.encode() if isinstance(page, str) else page
    return readers()[reader].read(body if isinstance(body, FetchedDocument) else FetchedDocument(body, address), show)


def entries(reading: ParsedPage) -> list[dict[str, Any]]:
    payloads = [entry.payload() for entry in reading.entries]
    return json.loads(json.dumps([{key: payload[key] for key in payload if key != "raw"} for payload in payloads]))  # type: ignore[no-any-return]


def outcome(reader: str, page: FetchedDocument, show: Show = SHOW) -> dict[str, Any]:
    try:
        parsed = read(reader, page, show=show)
    except DocumentRejected as refusal:
        return {"refused": str(refusal)}
    result = {"show": parsed.show, "foreign": parsed.foreign, "posts": parsed.posts, "entries": entries(parsed)}
    return {**result, "channel": parsed.channel.payload()} if parsed.channel else result
