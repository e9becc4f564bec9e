"""The links of an episode, each shown once: in the running text of its notes, or in the list below
it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...text.formatting import clock
from ...text.link_labels import KINDS, ONE, title_of_address
from ..links.mentions import LinkMention
from .link_lists import addresses_in, without_addresses, without_lists

LONG = 8  # links; more of them are grouped by kind
ORDER = dict(zip(KINDS, range(len(KINDS)), strict=True))


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
    """The notes without their lists of links, and the links that are nowhere in these: (heading,
    links)."""

    notes: str
    groups: list[tuple[str, list[ListedLink]]]


def notes_and_links(
    html: str, mentions: Sequence[LinkMention], shown: Collection[str]
) -> NotesAndLinks:
    """`shown` are the addresses to which other parts of the page lead."""
    notes, titles = without_lists(html, {address for m in mentions for address in _addresses(m)})
    in_text = addresses_in(notes)
    rest = [m for m in mentions if in_text.isdisjoint(_addresses(m)) and m.leads_to not in shown]
    are_many = len(rest) > LONG
    if are_many:
        rest.sort(key=lambda mention: ORDER.get(mention.kind, len(ORDER)))
    groups: dict[str, list[ListedLink]] = defaultdict(list)
    for mention in rest:
        groups[KINDS.get(mention.kind, mention.kind) if are_many else ""].append(
            _listed(mention, titles)
        )
    return NotesAndLinks(notes, list(groups.items()))


def _addresses(mention: LinkMention) -> tuple[str, str]:
    """Where notes may let a link lead: to the address as published, or to its replacement."""
    return mention.published, mention.leads_to


def _listed(mention: LinkMention, titles: Mapping[str, str]) -> ListedLink:
    name = mention.name
    given = _words(mention, titles)
    of_address = (
        "" if mention.is_titled else title_of_address(mention.key, mention.kind, mention.published)
    )
    title = given or of_address or name.name
    where = name.place if given in ("", name.name) else name.whole
    about = [ONE.get(mention.kind, mention.kind), where, *_position(mention)]
    return ListedLink(
        title,
        mention.leads_to,
        " · ".join(dict.fromkeys(filter(None, about))),
        mention.is_code and title == name.name,
        mention.elsewhere,
        mention.own_page,
    )


def _words(mention: LinkMention, titles: Mapping[str, str]) -> str:
    """A curator's label, else what a list of the notes calls it, else the words that it is linked
    from."""
    if mention.is_labelled:
        return mention.name.name
    listed = next((titles[address] for address in _addresses(mention) if titles.get(address)), "")
    return listed or without_addresses(mention.text)


def _position(mention: LinkMention) -> Iterator[str]:
    """The lines of a file or the second of a video that the address points to, and the address that
    is replaced."""
    if lines := mention.details.get("lines"):
        yield f"lines {lines[0]}–{lines[-1]}"
    if start := mention.details.get("start"):
        yield f"from {clock(int(start))}"
    if mention.is_replaced:
        yield f"instead of {mention.published}"
