"""Turns a page, saved as text or as HTML, into lines of text with their links, which is all that a reader of listings sees."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ..records import Page, Refused

BLOCKS = frozenset(
    "address article aside blockquote body br caption dd details dialog div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hr html legend li main menu ol option p pre section summary table tbody td tfoot th thead "
    "title tr ul".split()
)
HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
SILENT = frozenset("script style noscript template svg math head iframe object select textarea".split())
WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Anchor:
    text: str
    href: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a page as a reader of it sees it, white space folded; `heading` where the markup calls it one."""

    text: str
    links: tuple[Anchor, ...] = ()
    heading: bool = False


def decode(page: Page) -> str:
    """The page's text.

    Raises:
        Refused: it is empty, or is no text.
    """
    body = page.body
    if not body.strip():
        raise Refused("the document is empty")
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return body.decode("utf-16", "replace")
    if b"\0" in body[:8192]:
        raise Refused("the document is not text")
    declared = re.search(r"charset=[\"']?([\w-]+)", page.content_type) or re.search(
        rb"charset=[\"']?([\w-]+)", body[:2048]
    )
    name = declared.group(1) if declared else "utf-8"
    encoding = name.decode() if isinstance(name, bytes) else name
    for attempt in (encoding, "utf-8", "cp1252"):
        try:
            return body.decode("utf-8-sig" if attempt.lower() in ("utf-8", "utf8") else attempt).replace("\0", "")
        except (UnicodeDecodeError, LookupError):
            continue
    return body.decode("utf-8", "replace").replace("\0", "")


def is_html(text: str) -> bool:
    """Whether a document is markup, judged by its beginning: saved text mentions tags at most in passing."""
    return re.match(r"\s*(?:<!--.*?-->\s*)?<(?:!doctype html|html|head|body)\b", text, re.I | re.S) is not None or (
        text.lstrip().startswith("<") and re.search(r"<(?:div|p|a|li|h\d|article|section|main)\b", text[:4096], re.I) is not None
    )


def lines(page: Page) -> tuple[Line, ...]:
    """The page's lines that hold text, in reading order.

    Raises:
        Refused: it is empty, or is no text.
    """
    text = decode(page)
    if is_html(text):
        return tuple(_html_lines(text, page.address))
    return tuple(Line(folded) for raw in text.splitlines() if (folded := " ".join(raw.split())))


def title_of(page: Page) -> str:
    """What an HTML page calls itself (`<title>`), for messages; "" for other documents."""
    text = decode(page)
    if not is_html(text):
        return ""
    node = LexborHTMLParser(text).css_first("title")
    return " ".join(node.text().split()) if node else ""


class _Collector:
    """Gathers inline text until a block begins or ends."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.links: list[Anchor] = []
        self.heading = False

    def flush(self) -> Iterator[Line]:
        text = " ".join("".join(self.words).split())
        if text:
            yield Line(text, tuple(self.links), self.heading)
        self.words, self.links, self.heading = [], [], False


def _html_lines(text: str, address: str) -> Iterator[Line]:
    tree = LexborHTMLParser(text)
    base = tree.css_first("base[href]")
    root = urljoin(address, (base.attributes.get("href") or "") if base else "")
    line = _Collector()
    # An explicit stack: hostile pages nest deeper than Python recurses.
    stack: list[tuple[LexborNode | None, str]] = [(tree.body, "open")]
    while stack:
        node, step = stack.pop()
        if node is None:
            continue
        tag = node.tag or ""
        if step == "close":
            yield from line.flush()
            continue
        if tag == "-text":
            line.words.append(node.text_content or "")
            line.heading = line.heading or _in_heading(node)
            continue
        if tag in SILENT or tag.startswith("-"):
            continue
        if tag == "a":
            href = absolute(node.attributes.get("href") or "", root)
            if href:
                line.links.append(Anchor(" ".join(node.text().split()), href))
        if tag in ("audio", "source") and (src := absolute(node.attributes.get("src") or "", root)):
            line.links.append(Anchor("", src))
        if tag in BLOCKS:
            yield from line.flush()
            stack.append((node, "close"))
        children = []
        child = node.first_child
        while child is not None:
            children.append((child, "open"))
            child = child.next
        stack.extend(reversed(children))
    yield from line.flush()


def _in_heading(node: LexborNode) -> bool:
    parent = node.parent
    while parent is not None and parent.tag not in BLOCKS:
        parent = parent.parent
    return parent is not None and parent.tag in HEADINGS


def absolute(href: str, base: str) -> str:
    """`href` as a whole http(s) address seen from the page at `base`; "" where that is not possible."""
    try:
        whole = urljoin(base, href.strip())
        parts = urlsplit(whole)
    except ValueError:
        return ""
    return whole if parts.scheme in ("http", "https") and parts.netloc else ""
