"""Layouts of HTML pages by CSS selectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from selectolax.lexbor import LexborNode, SelectolaxError

from ..dates import printed_length, read_date
from ..records import DocumentRejected, Show
from .document import PageDocument
from .html import base_of
from .layout import LONGEST, MOST, FoundEntry, Layout, entry_of
from .patterns import SignedLine, pattern_of
from .rows import Row, rows_in

WIDE = 40  # elements that stand beside the one that begins an entry and belong to it
DEEP = 50  # elements up to the entry that another stands in


@dataclass(frozen=True, slots=True, kw_only=True)
class Selectors(Layout):
    """Where things stand in HTML, as CSS selectors: `entry` in the page, the others in an entry, "" for what is not there.

    `spread`: an entry is the element of `entry` and those beside it, up to the next. `title_form`: the pattern of what the
    title's element says.
    """

    entry: str
    spread: bool = False
    title: str = ""
    title_form: str = "{title}"
    date: str = ""
    length: str = ""
    text: str = ""
    link: str = ""
    show: str = ""

    def find(self, document: PageDocument, show: Show) -> tuple[list[FoundEntry], Sequence[Row]]:
        tree = document.tree
        if not tree or not tree.root:
            raise DocumentRejected("not an HTML page")
        nodes = _select(tree.root, self.entry)[:MOST]
        tops = {node.mem_id for node in nodes}
        root = base_of(tree, document.address)
        nodes = [node for node in nodes if not _within(node, tops)]
        whole = ([node, *_beside(node, tops)] if self.spread else [node] for node in nodes)
        entries = [self._entry(entry, show, root, document.head.language) for entry in whole]
        first = rows_in(nodes[0], root)[:1] if nodes else []
        return [one for one in entries if one], _above(document.rows.rows, first)

    def _entry(self, nodes: Sequence[LexborNode], show: Show, root: str, language: str) -> FoundEntry | None:
        def said(selector: str, between: str = " ") -> str:
            return between.join(row.text for row in _rows(nodes, selector, root))

        title = SignedLine(said(self.title)[:LONGEST], language).match(pattern_of(self.title_form, show))
        text, cut = self.text_of(said(self.text, "\n"), show)
        if not (title or text) or (self.title and not title):
            return None
        printed = {
            "date": _printed(_rows(nodes, self.date, root), language, "date", read_date),
            "length": _printed(_rows(nodes, self.length, root), language, "length", printed_length),
            "show": said(self.show),
        }
        fields = (title or {}) | {name: value for name, value in printed.items() if value}
        links = [link for row in _rows(nodes, self.link, root) for link in row.links]
        return entry_of(fields, language, "".join(links[:1]), text, cut)


def _above(rows: Sequence[Row], first: Sequence[Row]) -> Sequence[Row]:
    """The rows of a page above the first entry."""
    text = first[0].text if first else ""
    return rows[: next((place for place, row in enumerate(rows) if row.text == text), 0)]


def _within(node: LexborNode, tops: set[int]) -> bool:
    """True for an entry's element in another's: each would be read again with all that is below it."""
    above = node.parent
    for _ in range(DEEP):
        if above is None or above.mem_id in tops:
            return above is not None
        above = above.parent
    return False


def _beside(node: LexborNode, tops: set[int]) -> Iterator[LexborNode]:
    """The elements behind one that begins an entry, up to the next that does."""
    following = node.next
    for _ in range(WIDE):
        if following is None or following.mem_id in tops:
            return
        if not (following.tag or "-").startswith("-"):
            yield following
        following = following.next


def _select(node: LexborNode, selector: str) -> list[LexborNode]:
    """The elements of a selector.

    Raises:
        DocumentRejected: it is no selector.
    """
    try:
        return node.css(selector)
    except SelectolaxError:
        raise DocumentRejected(f"{selector!r} in its reader is not a CSS selector") from None


def _rows(nodes: Sequence[LexborNode], selector: str, root: str) -> list[Row]:
    """The rows of the first element of a selector in an entry's elements."""
    found = (one for node in nodes for one in _select(node, selector)) if selector else iter(())
    node = next(found, None)
    return rows_in(node, root) if node else []


def _printed(rows: Sequence[Row], language: str, name: str, read: Callable[[str], object]) -> str:
    """The date or the length of an element: the one for machines, else the one for people."""
    stamps = (stamp for row in rows for stamp in row.stamps if read(stamp))
    text = " ".join(row.text for row in rows)[:LONGEST]
    return next(stamps, "") or SignedLine(text, language).fields().get(name, "")
