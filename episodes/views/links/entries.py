"""Links with their names and where they lead, and the first episodes that mention them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.db.models import Window
from django.db.models.functions import RowNumber

from ...models import NAMED, Episode, EpisodeLink, Link
from ...text.link_labels import KEPT, LinkName, followable, named, telling, title_of_address


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


def own_page(key: str) -> str:
    """The address of the page of the link with this key."""
    # No row is read for it: the address follows from the key.
    return Link(key=key).get_absolute_url()


MOST_EPISODES = 8
COLUMNS = (
    "url",
    "text",
    "link__key",
    "link__kind",
    "link__title",
    "link__replacement",
    "link__repository",
    "link__heading",
    "link__directory",
    "link__episode_count",
    *(f"episode__{name}" for name in NAMED),
)


@dataclass(frozen=True)
class LinkEntry:
    """A link with the first episodes that mention it."""

    link: Link
    leads_to: str
    title: str  # "" for what has no name but its number or path
    label: str
    note: str  # the site or typed name of what has a title
    look: str  # "titled" or "code"; "" for a name that is neither
    episodes: list[Episode]


def entries(ids: Iterable[int], most: int = MOST_EPISODES) -> list[LinkEntry]:
    """Links by their ids, with the first episodes that mention them, those of the first show first;
    without those that nothing mentions any more."""
    ids = list(ids)
    order = ("episode__podcast__rank", "episode__order")
    # A slice for each link would need a query for each.
    place = Window(RowNumber(), partition_by="link", order_by=order)
    rows = EpisodeLink.objects.filter(link__in=ids).select_related("link", "episode").only(*COLUMNS)
    first: dict[int, list[EpisodeLink]] = {}
    for mention in rows.annotate(place=place).filter(place__lte=most).order_by("place"):
        first.setdefault(mention.link_id, []).append(mention)
    here = episodes_here(mentions[0].link.key for mentions in first.values())
    return [_entry(first[pk], here) for pk in ids if pk in first]


def _entry(mentions: Sequence[EpisodeLink], here: Mapping[str, Episode]) -> LinkEntry:
    link, first, name = mentions[0].link, mentions[0], named(mentions[0].link.key)
    mention = LinkMention(link, first.url, first.text, here.get(link.key))
    title = mention.title
    if not title and link.kind not in KEPT:  # numbers and files keep their name
        title = telling(first.text) or title_of_address(link.key, link.kind, first.url)
    # One word, such as "autograd" or "notes", is the title of many pages of a site.
    note = (" " in title and name.place) or name.whole
    look = "titled" if title else "code" if link.key.startswith("gh:") else ""
    return LinkEntry(
        link,
        mention.leads_to,
        title,
        title or name.whole,
        note if title and not mention.target else "",
        look,
        [mention.episode for mention in mentions],
    )
