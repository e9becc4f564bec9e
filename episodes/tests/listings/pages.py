"""The documents that readers are tested with: pairs of a page and what its reader must make of it."""

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
    reader: str
    name: str
    page: FetchedDocument
    expected: dict[str, Any]
    show: Show = SHOW

    def __str__(self) -> str:
        return f"{self.reader}/{self.name}"


def pairs() -> Iterator[Pair]:
    """Every pair below `data/`; a document without its expectation is an error, and so is the reverse."""
    for reader in readers():
        folder = DATA / reader
        documents = {path.stem: path for path in folder.iterdir() if path.suffix in (".txt", ".html", ".xml")}
        expected = {path.name.removesuffix(".expected.json"): path for path in folder.glob("*.expected.json")}
        for name in sorted(documents.keys() | expected.keys()):
            wanted = json.loads(expected[name].read_text("utf-8"))
            about = wanted.pop("page", {})
            path = FIXTURES / about["fixture"] if "fixture" in about else documents[name]
            page = FetchedDocument(
                path.read_bytes(), about.get("address", ""), about.get("content_type", ""), path.name
            )
            show = Show(about["show"], about["show"]) if "show" in about else SHOW
            yield Pair(reader, name, page, wanted, show)


def saved(reader: str) -> FetchedDocument:
    path = FIXTURES / SAVED[reader]
    return FetchedDocument(path.read_bytes(), name=path.name)


def read(reader: str, page: FetchedDocument | bytes | str, address: str = "", show: Show = SHOW) -> ParsedPage:
    body = page.encode() if isinstance(page, str) else page
    return readers()[reader].read(body if isinstance(body, FetchedDocument) else FetchedDocument(body, address), show)


def entries(reading: ParsedPage) -> list[dict[str, Any]]:
    payloads = [said.payload() for said in reading.entries]
    return json.loads(json.dumps([{key: payload[key] for key in payload if key != "raw"} for payload in payloads]))  # type: ignore[no-any-return]


def outcome(reader: str, page: FetchedDocument, show: Show = SHOW) -> dict[str, Any]:
    try:
        found = read(reader, page, show=show)
    except DocumentRejected as refusal:
        return {"refused": str(refusal)}
    said = {"show": found.show, "foreign": found.foreign, "posts": found.posts, "entries": entries(found)}
    return {**said, "channel": found.channel.payload()} if found.channel else said
