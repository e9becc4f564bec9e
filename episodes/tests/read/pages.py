"""Reads answers the way a browser does, so that tests speak of what a reader sees."""

import re
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from selectolax.lexbor import LexborHTMLParser, LexborNode


@dataclass(frozen=True)
class Seen:
    status: int
    html: str

    @property
    def tree(self) -> LexborHTMLParser:
        return LexborHTMLParser(self.html)

    def one(self, selector: str) -> LexborNode:
        return first(self.tree, selector)

    @property
    def text(self) -> str:
        unbroken = LexborHTMLParser(self.html.replace("<wbr>", ""))
        return " ".join(first(unbroken, "main").text(separator=" ").split())

    @property
    def entries(self) -> list[str]:
        return [_link(entry) for entry in self.tree.css("main article")]

    @property
    def total(self) -> int:
        """The number of episodes that the title names, with those that it counts apart."""
        words = self.one("h1").text().replace(",", "")
        found = re.search(r"^\s*(\d+)|\b(\d+) episode", words)
        apart = re.search(r"(\d+) more on related topics", words)
        return int(found[1] or found[2]) + int(apart[1] if apart else 0) if found else 0

    @property
    def notes(self) -> str:
        found = self.tree.css_first(".complaints")
        return " ".join(found.text().split()) if found else ""

    @property
    def choices(self) -> list[tuple[str, int, bool]]:
        """Address, count, and whether it is chosen, of every choice beside the list."""
        return [
            (_link(row), int(row.text().split()[-1]), "aria-current" in first(row, "a").attributes)
            for row in self.tree.css(".facets li")
        ]


def first(node: LexborHTMLParser | LexborNode, selector: str) -> LexborNode:
    found = node.css_first(selector)
    assert found is not None, selector
    return found


def _link(node: LexborNode) -> str:
    return first(node, "a").attributes["href"] or ""


def see(client: Client, address: str, **query: str | int) -> Seen:
    answer = client.get(address, query) if query else client.get(address)
    return Seen(answer.status_code, answer.content.decode())


def asked(address: str) -> dict[str, list[str]]:
    return parse_qs(urlsplit(address).query)


def questions(client: Client, address: str) -> int:
    """The number of questions that a page asks the database, without those that all pages share."""
    client.get(address)  # what many pages share is read once for each version of the catalog
    with CaptureQueriesContext(connection) as asked:
        assert client.get(address).status_code == 200
    return len(asked)
