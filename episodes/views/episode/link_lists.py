"""Lists in show notes that hold nothing but links: the page of an episode shows these links in a
list of its own."""

from __future__ import annotations

from collections.abc import Collection

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ...text.timecodes import timestamps
from ...text.vocabulary import Phrases, load

SENTENCE_ENDS = (".", "?", "!", "…")
SEPARATORS = " \t\n:;,.–—-|→()"

# Words that announce a list of links and say nothing without it.
_LEAD = Phrases(
    load(__file__, "links")["leads"], before=r"(?:\A|(?<=[.?!…]))\s*", after=r"[.:]?\s*\Z"
)


def without_lists(html: str, known: Collection[str]) -> tuple[str, dict[str, str]]:
    """Sanitised notes without the lists of links to `known` addresses, and what these lists call
    them."""
    (body,) = LexborHTMLParser(html).css("body")
    titles: dict[str, str] = {}
    for block in body.css("body > ul, body > ol"):
        found = _titles(block)
        if found and found.keys() <= set(known) and _take_lead_off(block):
            titles |= found
            block.decompose()
    return (body.inner_html or "") if titles else html, titles


def addresses_in(html: str) -> set[str]:
    return {link.attributes["href"] or "" for link in LexborHTMLParser(html).css("a[href]")}


def without_addresses(title: str) -> str:
    words = (word for word in title.split() if not word.startswith(("http://", "https://", "www.")))
    return " ".join(words).strip(SEPARATORS)


def _titles(block: LexborNode) -> dict[str, str]:
    """Address and title of each item of a list; nothing for a list in which an item says more than
    that."""
    found = {}
    for item in block.iter():
        links, text = item.css("a"), _plain(item)
        says_more = len(links) != 1 or not text.endswith(_plain(links[0]))
        if says_more or timestamps(text, None):
            return {}
        found[links[0].attributes["href"] or ""] = without_addresses(text)
    return found


def _plain(node: LexborNode) -> str:
    return " ".join(node.text().split()).rstrip(SEPARATORS)


def _take_lead_off(block: LexborNode) -> bool:
    """True where a list has no heading of its own; words above it that only announce it are
    removed."""
    above = block.prev
    if above is None:
        return True
    text = above.text().strip()
    lead = _LEAD.pattern.search(text)
    if lead and not lead.start():
        above.decompose()
    elif lead and above.last_child is not None:
        above.last_child.replace_with(_LEAD.pattern.sub(lambda _: "", above.last_child.text()))
    return bool(lead) or text.endswith(SENTENCE_ENDS)
