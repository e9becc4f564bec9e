"""Titles of web pages, for links that no notes name."""

from __future__ import annotations

import re
from textwrap import shorten

from selectolax.lexbor import LexborHTMLParser

from ..listings import clean, decode, tree_of
from ..records import DocumentRejected, FetchedDocument
from ..text.link_labels import LONGEST_TITLE
from ..text.urls import host_of

LONGEST_AUTHOR = 50
SEPARATOR = re.compile(r"(\s+[-–—|·•:]+\s+)")


def title_of(page: FetchedDocument, key: str) -> str:
    """The title that a page gives itself, without parts at its end that name the site or repeat
    the number or place in the link's key, and for a paper with its first author; "" where it has
    none, for files of code, and for what is made to hold up who reads it."""
    if key.startswith("gh:") and "#" not in key:
        return ""  # their paths tell more
    try:
        tree = tree_of(decode(page))
    except DocumentRejected:
        return ""
    title, *_ = [*_contents(tree, "og:title"), *(n.text() for n in tree.css("head > title")), ""]
    site = " ".join(_contents(tree, "og:site_name"))
    known = f"{site} {host_of(page.address)} {'' if '://' in key else key}".lower()
    parts = SEPARATOR.split(" ".join(clean(title).split()))
    while len(parts) > 1 and parts[-1].lower().split()[-1] in known:
        del parts[-2:]
    whole = "".join(parts)
    if whole.lower() in known:
        return ""
    first, *others = *_contents(tree, "citation_author"), ""
    author = clean(first.partition(",")[0] + " et al." * (len(others) > 1))  # "Vaswani, Ashish"
    title = shorten(whole, LONGEST_TITLE, placeholder="…")
    return f"{title} ({shorten(author, LONGEST_AUTHOR, placeholder='…')})" if first else title


def _contents(tree: LexborHTMLParser, name: str) -> list[str]:
    nodes = tree.css(f"meta[property='{name}'], meta[name='{name}']")
    return [text for node in nodes if (text := (node.attributes.get("content") or "").strip())]
