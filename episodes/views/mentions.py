"""The links of an episode, each with its name and where it leads, shown once: in the running text
of its notes, or in the list below it, which takes the place of lists of nothing but links."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ..models import Episode, EpisodeLink, Link
from ..text.link_labels import (
    KEPT,
    KINDS,
    ONE,
    LinkName,
    followable,
    named,
    telling,
    title_of_address,
)
from ..text.timecodes import timestamps
from ..text.vocabulary import Phrases, load


@dataclass(frozen=True)
class LinkMention:
    """A link as the notes publish it, and the episode of the catalog that it leads to, if any."""

    link: Link
    published: str
    text: str
    target: Episode | None = None

    @property
    def title(self) -> str:
        return self.target.heading if self.target else self.link.title

    @property
    def telling_title(self) -> str:
        """Its title, else what its words or its address tell; "" for what has no name but its
        number or path."""
        if self.title or self.link.kind in KEPT:
            return self.title
        return telling(self.text) or title_of_address(self.link.key, self.link.kind, self.published)

    def place_beside(self, title: str) -> str:
        """What to say of its place where it has that title."""
        if title not in ("", self.name.name):
            return self.name.whole
        # The title of its page says neither its number nor its site.
        return self.name.place or (self.link.title and named(self.link.key).whole)

    @cached_property
    def name(self) -> LinkName:
        name, title = named(self.link.key), self.title
        return LinkName(title, name.place, title) if title else name

    @property
    def leads_to(self) -> str:
        """The episode's page, else the address that replaces the published one, else that; "" for
        what nobody should follow."""
        if self.target:
            return self.target.get_absolute_url()
        return followable(self.link.replacement or self.published)


def mentioned(rows: Iterable[EpisodeLink]) -> list[LinkMention]:
    """The links of an episode."""
    rows = list(rows)
    here = episodes_here(row.link.key for row in rows)
    return [LinkMention(row.link, row.url, row.text, here.get(row.link.key)) for row in rows]


def episodes_here(keys: Iterable[str]) -> dict[str, Episode]:
    """The episodes of the catalog that links lead to, by the keys of these."""
    slugs = [key.removeprefix("episode:") for key in keys if key.startswith("episode:")]
    rows = Episode.objects.filter(slug__in=slugs).named().order_by()
    return {f"episode:{row.slug}": row for row in rows}


ORDER = [*KINDS]


@dataclass(frozen=True)
class ListedLink:
    """A link under a title that a person would give it, and beside this its kind and place."""

    title: str
    leads_to: str
    about: str
    is_code: bool
    elsewhere: int  # in how many other episodes it is mentioned
    own_page: str


def notes_and_links(
    html: str, mentions: Sequence[LinkMention], shown: Collection[str]
) -> tuple[str, list[ListedLink]]:
    """The notes without their lists of links, and the links that are nowhere in these, by kind;
    `shown` are the addresses to which other parts of the page lead."""
    addresses = {address for m in mentions for address in (m.published, m.leads_to)}
    notes, titles = without_lists(html, addresses)
    in_text = {str(anchor.attributes["href"]) for anchor in LexborHTMLParser(notes).css("a[href]")}
    elsewhere = in_text | {*shown}
    rest = [m for m in mentions if m.published not in in_text and m.leads_to not in elsewhere]
    rest.sort(key=lambda mention: ORDER.index(mention.link.kind))
    return notes, [_listed(mention, titles) for mention in rest]


def _listed(mention: LinkMention, titles: Mapping[str, str]) -> ListedLink:
    link, name, published = mention.link, mention.name, mention.published
    listed = titles.get(published) or titles.get(mention.leads_to)
    # A curator's label, else what a list of the notes calls it, else the words it is linked from.
    given = mention.title if link.labelled else listed or telling(mention.text)
    title = given or mention.title or title_of_address(link.key, link.kind, published) or name.name
    where = mention.place_beside(given)
    instead = f"instead of {published}" if link.replacement else ""
    return ListedLink(
        title,
        mention.leads_to,
        " · ".join(dict.fromkeys(filter(None, (ONE[link.kind], where, instead)))),
        link.key.startswith("gh:") and title == name.name,
        link.episode_count - 1,
        link.get_absolute_url(),
    )


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
        # A list with an address that the page would not show below stays where it is.
        if found and found.keys() <= set(known) and _take_lead_off(block):
            titles |= found
            block.decompose()
    # Notes without such a list keep their very bytes: the parser writes markup in its own way.
    return str(body.inner_html) if titles else html, titles


def _titles(block: LexborNode) -> dict[str, str]:
    """Address and title of each item of a list; nothing for a list in which an item says more than
    that."""
    found = {}
    for item in block.iter():
        links, text = item.css("a"), _plain(item)
        says_more = len(links) != 1 or not text.endswith(_plain(links[0]))
        # A time in the notes plays the episode from there, so a list of times stays.
        if says_more or timestamps(text, None):
            return {}
        words = [
            word for word in text.split() if not word.startswith(("http://", "https://", "www."))
        ]
        found[str(links[0].attributes["href"])] = " ".join(words).strip(SEPARATORS)
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
        # The paragraph goes on before the words that announce the list.
        above.last_child.replace_with(_LEAD.pattern.sub(lambda _: "", above.last_child.text()))
    return bool(lead) or text.endswith(SENTENCE_ENDS)
