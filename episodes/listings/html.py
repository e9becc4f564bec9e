"""Parses markup of strangers without being held up by it, and makes whole addresses of what it
links to."""

import re
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ..records import DocumentRejected

OPENING = re.compile(
    r"<(/?)(?:div|section|article|main|blockquote|ul|ol|h[1-6]|table|form)\b", re.I
)
DEEPEST = 50_000
LONG_TAG = re.compile(r"<[a-z][^<>]{20000,}", re.I)
QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
MOST_ATTRIBUTES = 5_000


def tree_of(text: str) -> LexborHTMLParser:
    """An HTML page's tree.

    Raises:
        DocumentRejected: it is made to hold up who reads it.
    """
    # The parser takes the square of the depth, and of the attributes of one tag: pages have
    # hundreds, not thousands.
    depth = 0
    for tag in OPENING.finditer(text):
        depth = max(0, depth - 1) if tag[1] else depth + 1
        if depth > DEEPEST:
            raise DocumentRejected("HTML nested too deeply")
    if any(
        len(QUOTED.sub("", tag[0]).split()) > MOST_ATTRIBUTES for tag in LONG_TAG.finditer(text)
    ):
        raise DocumentRejected("HTML tag with thousands of attributes")
    return LexborHTMLParser(text)


def attribute(node: LexborNode, name: str) -> str:
    """An attribute of an element; "" where it has none, or one without a value."""
    return node.attributes.get(name) or ""


def base_of(tree: LexborHTMLParser, address: str) -> str:
    """The address that a page's links are relative to."""
    base = tree.css_first("base[href]")
    href = attribute(base, "href") if base else ""
    try:
        return urljoin(address, href.strip())
    except ValueError:
        return address


def absolute(href: str, base: str) -> str:
    """`href` as a whole http(s) address seen from the page at `base`; "" where it leads nowhere
    else."""
    href = href.strip()
    if not href or href.startswith("#"):
        return ""
    try:
        whole = urljoin(base, href)
        parts = urlsplit(whole)
    except ValueError:
        return ""
    return whole if parts.scheme in ("http", "https") and parts.netloc else ""
