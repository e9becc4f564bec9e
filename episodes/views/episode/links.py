"""The links of an episode, each shown once: in the running text of its notes, or in the list below
it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ...text.link_labels import KINDS, ONE, named, telling, title_of_address
from ..links.mentions import LinkMention
from .link_lists import addresses_in, without_lists

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
    notes, titles = without_lists(html, {address for m in mentions for address in _addresses(m)})
    in_text = addresses_in(notes)
    rest = [m for m in mentions if in_text.isdisjoint(_addresses(m)) and m.leads_to not in shown]
    rest.sort(key=lambda mention: ORDER.index(mention.link.kind))
    return notes, [_listed(mention, titles) for mention in rest]


def _addresses(mention: LinkMention) -> tuple[str, str]:
    """The addresses to which notes may let a link lead: the address as published, and its replacement."""
    return mention.published, mention.leads_to


def _listed(mention: LinkMention, titles: Mapping[str, str]) -> ListedLink:
    link, name, published = mention.link, mention.name, mention.published
    given = _given(mention, titles)
    title = given or mention.title or title_of_address(link.key, link.kind, published) or name.name
    where = name.whole
    if given in ("", name.name):  # the title of its page says neither its number nor its site
        where = name.place or (link.title and named(link.key).whole)
    instead = f"instead of {published}" if link.replacement else ""
    return ListedLink(
        title,
        mention.leads_to,
        " · ".join(dict.fromkeys(filter(None, (ONE[link.kind], where, instead)))),
        link.key.startswith("gh:") and title == name.name,
        link.episode_count - 1,
        link.get_absolute_url(),
    )


def _given(mention: LinkMention, titles: Mapping[str, str]) -> str:
    """A curator's label, else what a list of the notes calls it, else the words that it is linked
    from."""
    if mention.link.labelled:
        return mention.title
    listed = titles.get(mention.published) or titles.get(mention.leads_to)
    return listed or telling(mention.text)
