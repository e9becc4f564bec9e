"""Turns a page, saved as text or as HTML, into lines of text with their links, which is all that a reader of listings sees."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ..records import DocumentRejected, FetchedDocument
from .decoding import decode, is_html

BLOCKS = re.compile(
    "address|article|aside|blockquote|body|br|button|caption|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form|"
    "h[1-6]|header|hr|html|legend|li|main|menu|ol|option|p|pre|section|summary|table|tbody|td|tfoot|th|thead|title|tr|ul"
)
HEADINGS = {f"h{level}": level for level in range(1, 7)}
# Never part of a list's entries, whatever they say.
SILENT = re.compile(
    "aside|audio|dialog|head|iframe|math|nav|noscript|object|script|select|style|svg|template|textarea|video"
)
LABELS = re.compile(r"(?:continue reading|read more|show (?:more|less))\W*", re.I)  # buttons that end a text
OPENING = re.compile(r"<(/?)(?:div|section|article|main|blockquote|ul|ol|h[1-6]|table|form)\b", re.I)
DEEPEST = 50_000
LONG_TAG = re.compile(r"<[a-z][^<>]{20000,}", re.I)
ADDRESS = re.compile(r"https?://\S")


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line of a page as a person sees it, white space folded.

    `links` are the addresses that it leads to, `heading` its level (0: none), `glued` whether nothing but a `<br>`
    stands between it and the line before.
    """

    text: str
    links: tuple[str, ...] = ()
    heading: int = 0
    glued: bool = False

    @property
    def is_prose(self) -> bool:
        """Whether it can be a text, as a heading, a menu entry, a caption or a copyright line cannot."""
        if self.heading or self.text.startswith(("©", "Copyright ", "(c) ")):
            return False
        return (
            len(self.text.split(None, 4)) >= 4
            or self.text.endswith((".", "!", "?", "…"))
            or bool(ADDRESS.search(self.text))
        )


def lines(page: FetchedDocument) -> tuple[TextLine, ...]:
    """The page's lines that hold text, in reading order.

    Raises:
        DocumentRejected: it is empty, is no text, or is made to hold up who reads it.
    """
    text = decode(page)
    if is_html(text):
        return _parsed(text, page.address)[1]
    return tuple(TextLine(folded) for raw in text.splitlines() if (folded := " ".join(raw.split())))


def title_of(page: FetchedDocument) -> str:
    """What an HTML page calls itself (`<title>`); "" for other documents."""
    text = decode(page)
    return _parsed(text, page.address)[0] if is_html(text) else ""


def address_of(page: FetchedDocument) -> str:
    """The address that a saved HTML page says is its own (`rel=canonical`, `og:url`); "" where it says none."""
    text = decode(page)
    if not is_html(text):
        return ""
    _check(text)
    tree = LexborHTMLParser(text)
    for selector, name in (('link[rel="canonical"]', "href"), ('meta[property="og:url"]', "content")):
        node = tree.css_first(selector)
        if node is not None and (address := absolute(node.attributes.get(name) or "", "")):
            return address
    return ""


@lru_cache(maxsize=2)  # every reader looks at a page before one reads it
def _parsed(text: str, address: str) -> tuple[str, tuple[TextLine, ...]]:
    """Title and lines of an HTML page."""
    tree = tree_of(text)
    title = tree.css_first("head > title")
    return " ".join(title.text().split()) if title else "", tuple(_html_lines(tree, address))


def tree_of(text: str) -> LexborHTMLParser:
    """An HTML page's tree.

    Raises:
        DocumentRejected: it is made to hold up who reads it.
    """
    _check(text)
    return LexborHTMLParser(text)


def _check(text: str) -> None:
    """The parser takes the square of the depth, and of the attributes of one tag: pages have hundreds, not thousands."""
    depth = 0
    for tag in OPENING.finditer(text):
        depth = max(0, depth - 1) if tag[1] else depth + 1
        if depth > DEEPEST:
            raise DocumentRejected("its markup is nested too deep")
    for tag in LONG_TAG.finditer(text):
        if len(re.sub(r"\"[^\"]*\"|'[^']*'", "", tag[0]).split()) > 5000:
            raise DocumentRejected("its markup has a tag with thousands of attributes")


@dataclass(frozen=True, slots=True)
class _TreePlace:
    """Where in the tree a node stands, as far as it matters to its text."""

    heading: int = 0
    href: str = ""
    inside: bool = False  # an article or a list item, whose footer is its own


class _Collector:
    """Gathers inline text until a block begins or ends."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.links: dict[str, None] = {}
        self.heading = 0
        self.glued = False

    def add(self, text: str, place: _TreePlace) -> None:
        self.words.append(text)
        if text.strip():
            self.heading = self.heading or place.heading
            if place.href:
                self.links[place.href] = None

    def flush(self, *, broken: bool = False) -> Iterator[TextLine]:
        text = " ".join("".join(self.words).split())
        if text:
            yield TextLine(text, tuple(self.links), self.heading, self.glued)
        self.glued = broken and (bool(text) or self.glued)
        self.words, self.links, self.heading = [], {}, 0


def _html_lines(tree: LexborHTMLParser, address: str) -> Iterator[TextLine]:
    return lines_in(tree.body, base_of(tree, address)) if tree.body else iter(())


def base_of(tree: LexborHTMLParser, address: str) -> str:
    """The address that a page's links are seen from."""
    base = tree.css_first("base[href]")
    return urljoin_safe(address, (base.attributes.get("href") or "") if base else "")


def lines_in(top: LexborNode, root: str, until: LexborNode | None = None) -> Iterator[TextLine]:
    """The lines of an element, up to where `until` begins; its links are seen from `root`."""
    line = _Collector()
    # An explicit stack: hostile pages nest deeper than Python recurses. A node without a place is one that closes.
    stack: list[tuple[LexborNode, _TreePlace | None]] = [(top, _TreePlace())]
    end = until.mem_id if until else None
    while stack:
        node, place = stack.pop()
        tag = node.tag or ""
        if place is None:
            yield from line.flush()
        elif node.mem_id == end:
            break
        elif tag == "-text":
            line.add(node.text_content or "", place)
        elif not _is_silent(node, tag, place):
            if BLOCKS.fullmatch(tag):
                yield from line.flush(broken=tag == "br")
                if tag == "br":
                    continue
                stack.append((node, None))
            inner = _inner(node, tag, place, root)
            stack.extend((child, inner) for child in reversed(list(node.iter(include_text=True))))
    yield from line.flush()


def _is_silent(node: LexborNode, tag: str, place: _TreePlace) -> bool:
    if tag.startswith("-") or SILENT.fullmatch(tag) or "hidden" in node.attributes:
        return True
    if tag == "button":
        return not LABELS.fullmatch(node.text().strip()[:40])
    return tag == "footer" and not place.inside


def _inner(node: LexborNode, tag: str, place: _TreePlace, root: str) -> _TreePlace:
    href = absolute(node.attributes.get("href") or "", root) if tag == "a" else place.href
    heading = HEADINGS.get(tag, 0) if BLOCKS.fullmatch(tag) else place.heading
    return _TreePlace(heading, href, place.inside or tag in ("article", "li"))


def urljoin_safe(base: str, href: str) -> str:
    try:
        return urljoin(base, href.strip())
    except ValueError:
        return base


def host_of(address: str) -> str:
    """The name of an address's host in lower case; "" where it has none."""
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def absolute(href: str, base: str) -> str:
    """`href` as a whole http(s) address seen from the page at `base`; "" where it leads nowhere else."""
    href = href.strip()
    if not href or href.startswith("#"):
        return ""
    try:
        whole = urljoin(base, href)
        parts = urlsplit(whole)
    except ValueError:
        return ""
    return whole if parts.scheme in ("http", "https") and parts.netloc else ""
