"""The links of an episode: each is shown once, with its name, in the text of the notes or in a list below them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ..models import Episode, EpisodeLink, Link
from ..outputs import join_known
from ..text.link_labels import (
    KIND_ORDER,
    LINK_KIND_NAMES,
    REPOSITORY_KINDS,
    LinkName,
    descriptive_link_text,
    link_name_of_key,
    safe_href,
    title_from_address_or_empty,
)
from ..text.timecodes import find_timecodes_at_line_edges
from ..text.vocabulary import Phrases, load_vocabulary


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
    def descriptive_title(self) -> str:
        """Return its title, else a title made of its text or address.

        Return "" if it has no name but its number or path.
        """
        # A number or a path is the usual name of something in a repository: `pytorch#1234`.
        if self.title or self.link.kind in REPOSITORY_KINDS:
            return self.title
        text_title = descriptive_link_text(self.text)
        return text_title or title_from_address_or_empty(
            self.link.key, self.link.kind, self.published
        )

    @cached_property
    def name(self) -> LinkName:
        """Return the names of the link: the title with the site of its key, else the names in its key."""
        key_name = link_name_of_key(self.link.key)
        if not self.title:
            return key_name
        return LinkName(self.title, key_name.location, self.title)

    @property
    def site_or_number_beside_name(self) -> str:
        """Return the text to print beside the title or name of the page; "" if nothing is missing."""
        # The site: "example.org".
        if self.name.location:
            return self.name.location
        # The title of its page, such as "Fix vmap", does not say its number: "pytorch/pytorch#123".
        if self.link.title:
            return link_name_of_key(self.link.key).full_name
        # A name that is made of its key says all.
        return ""

    @property
    def addresses(self) -> tuple[str, str]:
        """Return the addresses at which the page may link it: as published, and as it should lead now."""
        return self.published, self.leads_to

    @property
    def leads_to(self) -> str:
        """Return the episode's page, else the replaced or published address; "" if it is not safe to follow."""
        if self.target:
            return self.target.get_absolute_url()
        return safe_href(self.link.replacement or self.published)


def load_mentions_with_targets(rows: Iterable[EpisodeLink]) -> list[LinkMention]:
    rows = list(rows)
    targets = episodes_by_link_key(row.link.key for row in rows)
    return [LinkMention(row.link, row.url, row.text, targets.get(row.link.key)) for row in rows]


def episodes_by_link_key(keys: Iterable[str]) -> dict[str, Episode]:
    prefix = "episode:"  # the key of a link to an episode of the catalog is `episode:vmap`
    slugs = [key.removeprefix(prefix) for key in keys if key.startswith(prefix)]
    targets = Episode.objects.filter(slug__in=slugs).with_name_columns().order_by()
    return {f"{prefix}{target.slug}": target for target in targets}


@dataclass(frozen=True)
class ListedLink:
    """A link in the list below the notes."""

    title: str
    leads_to: str
    details: str  # its kind and its site
    is_code: bool
    other_episodes: int  # in how many other episodes it is mentioned
    link_page: str


def notes_without_lists_and_remaining_links(
    html: str, mentions: Sequence[LinkMention], addresses_in_other_sections: Collection[str]
) -> tuple[str, list[ListedLink]]:
    """Return the notes without their lists of links, and the links that the notes lack, by kind.

    `addresses_in_other_sections` are addresses that other parts of the page lead to.
    """
    mentioned_addresses = set[str]()
    for mention in mentions:
        mentioned_addresses.update(mention.addresses)
    # A list with another address stays in the notes.
    notes, titles_by_address = remove_link_lists_collecting_titles(html, mentioned_addresses)
    linked_addresses = {*addresses_in_other_sections, *_linked_addresses(notes)}
    listed_links = []
    for mention in sorted(mentions, key=lambda mention: KIND_ORDER[mention.link.kind]):
        # Another part of the page has it already: the text of the notes, or a related episode.
        is_linked = not linked_addresses.isdisjoint(mention.addresses)
        if not is_linked:
            listed_links.append(_build_listed_link(mention, titles_by_address))
    return notes, listed_links


def _linked_addresses(html: str) -> list[str | None]:
    return [anchor.attributes["href"] for anchor in LexborHTMLParser(html).css("a[href]")]


def _build_listed_link(mention: LinkMention, titles_by_address: Mapping[str, str]) -> ListedLink:
    """Return a link for the list: `Tape machines`, with the details `Blog post · example.org`."""
    link = mention.link
    kind = LINK_KIND_NAMES[link.kind]
    # "Our paper", written by a curator or in the notes; "" if they only have the address.
    written_title = _title_by_curator_or_notes(mention, titles_by_address)
    title = written_title or _title_of_page_or_name(mention)
    page_name = mention.site_or_number_beside_name
    # "Our paper" does not name the page: beside it is "arXiv 2101.00001", or the title of the page.
    has_other_title = written_title not in ("", mention.name.name)
    if has_other_title:
        page_name = mention.name.full_name
    # Kind and site may be the same words. A dictionary has each text once, in this order.
    details = dict.fromkeys((kind, page_name))
    # The title of a link without a better name is its site, which need not follow it again.
    details.pop(title, None)
    # Names such as `torch/csrc/autograd.cpp` or `pytorch#1234` are printed as code. Titles are not.
    is_name_in_github = link.key.startswith("gh:") and title == mention.name.name
    return ListedLink(
        title=title,
        leads_to=mention.leads_to,
        details=join_known(" · ", *details),
        is_code=is_name_in_github,
        other_episodes=link.episode_count - 1,
        link_page=link.get_absolute_url(),
    )


def _title_by_curator_or_notes(mention: LinkMention, titles_by_address: Mapping[str, str]) -> str:
    """Return the title from a curator, a removed list of the notes, or the text of the link; "" without any."""
    # `labelled` says that the title is a curator's.
    if mention.link.labelled:
        return mention.title
    published_title = titles_by_address.get(mention.published)
    title_in_notes = published_title or titles_by_address.get(mention.leads_to)
    return title_in_notes or descriptive_link_text(mention.text)


def _title_of_page_or_name(mention: LinkMention) -> str:
    """Return the title of the linked page, else a title made of its address, else its name: `pytorch#1234`."""
    link = mention.link
    address_title = title_from_address_or_empty(link.key, link.kind, mention.published)
    return mention.title or address_title or mention.name.name


def remove_link_lists_collecting_titles(
    html: str, addresses: Collection[str]
) -> tuple[str, dict[str, str]]:
    """Remove lists from sanitised notes if all their items are links to `addresses`.

    Return the notes, and the title of each address in the removed lists.
    """
    (body,) = LexborHTMLParser(html).css("body")  # the parser puts notes into a page
    titles_by_address: dict[str, str] = {}
    # Lists inside of other elements, such as quotes, stay.
    for html_list in body.css("body > ul, body > ol"):
        list_titles = _titles_by_address_if_only_links(html_list)
        # A list with an address that the page would not show below stays.
        is_covered = list_titles.keys() <= set(addresses)
        if list_titles and is_covered and not _has_heading_above(html_list):
            titles_by_address.update(list_titles)
            _remove_announcement_above(html_list)
            html_list.decompose()
    # Notes without such a list keep their very bytes: the parser writes markup in its own way.
    notes = str(body.inner_html) if titles_by_address else html
    return notes, titles_by_address


_SEPARATORS = " \t\n:;,.–—-|→()"


def _titles_by_address_if_only_links(html_list: LexborNode) -> dict[str, str]:
    """Return the title of each address of a list. Return {} unless each item is one link with its title."""
    titles_by_address = {}
    for item in html_list.iter():
        links = item.css("a")
        text = _plain_text(item)
        # The title may be in the link, or before it: "Tape machines: https://example.org/tape". Words
        # behind the link are no title, so the list stays.
        is_one_link = len(links) == 1 and text.endswith(_plain_text(links[0]))
        # A time in the notes plays the episode from there, so a list of times stays.
        if not is_one_link or find_timecodes_at_line_edges(text, None):
            return {}
        address = str(links[0].attributes["href"])
        titles_by_address[address] = _text_without_addresses(text)
    return titles_by_address


def _plain_text(node: LexborNode) -> str:
    return " ".join(node.text().split()).rstrip(_SEPARATORS)


def _text_without_addresses(text: str) -> str:
    """Return "Tape" of "Tape: https://example.org/tape www.example.org"."""
    prefixes = ("http://", "https://", "www.")
    words = [word for word in text.split() if not word.startswith(prefixes)]
    return " ".join(words).strip(_SEPARATORS)


# Words that announce a list of links and say nothing without it.
_ANNOUNCEMENT = Phrases(
    load_vocabulary(__file__, "links")["leads"],
    before=r"(?:\A|(?<=[.?!…]))\s*",
    after=r"[.:]?\s*\Z",
)


def _has_heading_above(html_list: LexborNode) -> bool:
    """Return True if a list has a heading above it, such as "Papers by Ada", that needs the list below it.

    A heading is any text that is no sentence and no announcement, such as "In this episode we mention:".
    """
    above = html_list.prev
    if above is None:
        return False
    # "" of a picture or line above the list counts as a heading, too.
    text = above.text().strip()
    is_sentence = text.endswith((".", "?", "!", "…"))
    announcement = _ANNOUNCEMENT.pattern.search(text)
    return not is_sentence and announcement is None


def _remove_announcement_above(html_list: LexborNode) -> None:
    """Remove `Links:` at the end of the paragraph above a list, and the paragraph if it has nothing else."""
    above = html_list.prev
    if above is None:
        return
    announcement = _ANNOUNCEMENT.pattern.search(above.text().strip())
    if announcement is None:
        return
    is_whole_paragraph = announcement.start() == 0
    last_part = above.last_child
    if is_whole_paragraph:
        above.decompose()
    elif last_part is not None:
        # "We talk about tape. Links:" keeps its first sentence. The announcement is in the text behind
        # the last tag.
        last_part.replace_with(_ANNOUNCEMENT.pattern.sub("", last_part.text()))
