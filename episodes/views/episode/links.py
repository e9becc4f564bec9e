"""The links of an episode, each shown once: in the running text of its notes, or in the list below it."""

from __future__ import annotations

import html as entities
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from ...text.formatting import clock
from ...text.link_labels import KINDS, ONE
from ...text.timestamps import timestamps
from ..links.mentions import LinkMention

LONG = 8  # links; more of them are grouped by kind
LONGEST_TITLE = 150
SHORT = 60  # characters; a paragraph of so few above a list that is no sentence is the heading of it

# Notes are sanitised, balanced markup.
LIST = re.compile(r"<([uo]l)>((?:(?!<[uo]l>).)*?)</\1>", re.DOTALL)
ITEM = re.compile(r"<li>(.*?)</li>", re.DOTALL)
LINK = re.compile(r'([^<>]*)<a href="([^"]*)"[^<>]*>([^<>]*)</a>[\s.,;)]*')
HREF = re.compile(r'<a href="([^"]*)"')
STYLING = re.compile(r"</?(?:p|b|strong|em|i|code)>|<br>")
LAST_BLOCK = re.compile(r"<(p|h3|h4)>((?:(?!<\1>).)*)</\1>\s*\Z", re.DOTALL)
ONLY_LEADS = re.compile(
    r"(?:\A|(?<=[.?!…]))\s*(?:further reading|references|resources|show notes|(?:show )?links?|mentioned)"
    r"(?:(?: mentioned)? (?:from|in|for) (?:this|the) (?:episode|show))?\s*[.:]?\s*\Z",
    re.IGNORECASE,
)
SEPARATORS = " \t\n:;,.–—-|→("
# What sites are called whose addresses say nothing of what they lead to.
OPAQUE = {
    "gdoc": "Google document",
    "youtube": "Video on YouTube",
    "vimeo": "Video on Vimeo",
    "openreview": "Paper on OpenReview",
    "gist": "Gist",
}


@dataclass(frozen=True)
class ListedLink:
    """A link under a title that a person would give it, and beside this its kind and place."""

    title: str
    leads_to: str
    about: str
    is_code: bool
    elsewhere: int
    own_page: str


class NotesAndLinks(NamedTuple):
    """The notes without their lists of links, and the links that are nowhere in these: (heading, links)."""

    notes: str
    groups: list[tuple[str, list[ListedLink]]]


def notes_and_links(html: str, mentions: Sequence[LinkMention], shown: Collection[str]) -> NotesAndLinks:
    """`shown` are the addresses to which other parts of the page lead."""
    notes, titles = _without_lists(html, {mention.published for mention in mentions})
    in_text = {entities.unescape(address) for address in HREF.findall(notes)}
    rest = [m for m in mentions if m.published not in in_text and m.leads_to not in shown]
    if len(rest) <= LONG:
        groups = [("", rest)]
    else:
        kinds = [*KINDS, *sorted({m.kind for m in rest} - KINDS.keys())]
        groups = [(KINDS.get(kind, kind), [m for m in rest if m.kind == kind]) for kind in kinds]
    return NotesAndLinks(notes, [(name, [_listed(m, titles) for m in found]) for name, found in groups if found])


def _without_lists(html: str, known: Collection[str]) -> tuple[str, dict[str, str]]:
    """Notes without the lists that hold nothing but known links, and the words that name these there."""
    titles: dict[str, str] = {}
    parts: list[str] = []
    done = 0
    for found in LIST.finditer(html):
        before = _without_lead("".join(parts) + html[done : found.start()])
        links = list(_links_of(found[2]))
        if before is None or not links or any(link is None or link[0] not in known for link in links):
            continue
        parts, done = [before], found.end()
        titles |= {address: title for address, title in filter(None, links) if title}
    return "".join(parts) + html[done:], titles


def _links_of(items: str) -> Iterator[tuple[str, str] | None]:
    """The address and title of each item of a list; None for an item that says more than a title."""
    for item in ITEM.findall(items):
        link = LINK.fullmatch(STYLING.sub("", item).strip())
        title = entities.unescape(f"{link[1]} {link[3]}").strip() if link else ""
        if link is None or len(title) > LONGEST_TITLE + len(link[3]) or timestamps(title, None):
            yield None
        else:
            yield entities.unescape(link[2]), _without_addresses(title)


def _without_addresses(title: str) -> str:
    words = (word for word in title.split() if not word.startswith(("http://", "https://", "www.")))
    return " ".join(words).strip(SEPARATORS)


def _without_lead(before: str) -> str | None:
    """Text above a list of links without the words that only announce it; None where it has a heading of its own."""
    last = LAST_BLOCK.search(before)
    if last is None:
        return before
    text = STYLING.sub("", last[2]).strip()
    if ONLY_LEADS.fullmatch(text):
        return before[: last.start()]
    if last[1] != "p" or text.endswith(":") or (len(text) <= SHORT and not text.endswith((".", "?", "!", "…"))):
        return None
    return f"{before[: last.start()]}<p>{ONLY_LEADS.sub('', last[2])}</p>"


def _listed(mention: LinkMention, titles: Mapping[str, str]) -> ListedLink:
    given = titles.get(mention.published) or _without_addresses(mention.text)
    name = mention.name
    derived = "" if given or mention.is_titled else _from_address(mention)
    title = given or derived or name.name
    is_known = title == name.name
    where = name.place if is_known or derived else name.whole
    about = [ONE.get(mention.kind, mention.kind), where, *_position(mention)]
    is_code = mention.is_code and is_known
    return ListedLink(
        title,
        mention.leads_to,
        " · ".join(dict.fromkeys(filter(None, about))),
        is_code,
        mention.elsewhere,
        mention.own_page,
    )


def _position(mention: LinkMention) -> Iterator[str]:
    """The lines of a file or the second of a video that the address points to."""
    if lines := mention.details.get("lines"):
        yield f"lines {lines[0]}–{lines[-1]}"
    if start := mention.details.get("start"):
        yield f"from {clock(int(start))}"


def _from_address(mention: LinkMention) -> str:
    """A title made of the words in an address: "TH to ATen porting guide"; "" where it has none."""
    scheme = mention.key.partition(":")[0]
    if scheme in OPAQUE:
        return OPAQUE[scheme]
    if not (scheme.startswith("http") or mention.kind == "wiki"):
        return ""
    parts = [re.sub(r"\.\w{2,5}$", "", unquote(part)) for part in urlsplit(mention.published).path.split("/")]
    named = [re.split(r"[-_+\s]+", part) for part in parts if len(part) > 2 and not part.isdigit() and part != "index"]
    words = max(reversed(named), key=len, default=[])
    title = " ".join(words)
    return title[:1].upper() + title[1:LONGEST_TITLE] if len(words) > 1 else title
