"""Pages as readers see them."""

import re
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from selectolax.lexbor import LexborHTMLParser, LexborNode

from episodes.models import Episode
from episodes.search import prepare_query, search_episodes


@dataclass(frozen=True)
class Seen:
    """A page that a client got."""

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
        """Return the number of episodes in the heading, with episodes on related topics."""
        words = self.one("h1").text().replace(",", "")
        count = re.search(r"^\s*(\d+)|\b(\d+) episode", words)
        related = re.search(r"(\d+) more on related topics", words)
        return int(count[1] or count[2]) + int(related[1] if related else 0) if count else 0

    @property
    def notes(self) -> str:
        complaints = self.tree.css_first(".complaints")
        return " ".join(complaints.text().split()) if complaints else ""

    @property
    def choices(self) -> list[tuple[str, int, bool]]:
        """Return (address, count, whether it is selected) of every facet value."""
        return [
            (_link(row), int(row.text().split()[-1]), "aria-current" in first(row, "a").attributes)
            for row in self.tree.css(".facets li")
        ]


def first(node: LexborHTMLParser | LexborNode, selector: str) -> LexborNode:
    match = node.css_first(selector)
    assert match is not None, selector
    return match


def _link(node: LexborNode) -> str:
    return first(node, "a").attributes["href"] or ""


def see(client: Client, address: str, **query: str | int) -> Seen:
    """Request a page."""
    answer = client.get(address, query) if query else client.get(address)
    return Seen(answer.status_code, answer.content.decode())


def found(text: str) -> list[str]:
    """Return the slugs of the episodes that a query finds, best first."""
    slugs = dict(Episode.objects.values_list("pk", "slug"))
    return [slugs[pk] for pk in search_episodes(prepare_query(text)).ids]


def asked(address: str) -> dict[str, list[str]]:
    """Return the parameters in the query of an address."""
    return parse_qs(urlsplit(address).query)


def questions(client: Client, address: str) -> int:
    """Return the number of queries of a page, without those that all pages share."""
    client.get(address)  # what many pages share is read once for each version of the catalog
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)
