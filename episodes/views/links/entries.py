"""Links as the index shows them: their names, where they lead, and the first episodes that mention
them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet, Window
from django.db.models.functions import RowNumber

from ...models import NAMED, Episode, EpisodeLink, Link
from ...text.link_labels import KEPT, named, telling, title_of_address
from .mentions import LinkMention, episodes_here

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
    """Links by their ids, with their first episodes; without those that nothing mentions any
    more."""
    ids = list(ids)
    first: dict[int, list[EpisodeLink]] = {}
    for mention in _first(ids, most):
        first.setdefault(mention.link_id, []).append(mention)
    here = episodes_here(mentions[0].link.key for mentions in first.values())
    return [_entry(first[pk], here) for pk in ids if pk in first]


def _first(ids: Sequence[int], most: int) -> QuerySet[EpisodeLink]:
    """The first mentions of each of these links with their episodes, those of the first show
    first."""
    order = ("episode__podcast__rank", "episode__order")
    place = Window(RowNumber(), partition_by="link", order_by=order)
    rows = EpisodeLink.objects.filter(link__in=ids).select_related("link", "episode").only(*COLUMNS)
    return rows.annotate(place=place).filter(place__lte=most).order_by("place")


def _entry(mentions: Sequence[EpisodeLink], here: Mapping[str, Episode]) -> LinkEntry:
    link, first, name = mentions[0].link, mentions[0], named(mentions[0].link.key)
    mention = LinkMention(link, first.url, first.text, here.get(link.key))
    title = mention.title or _title(first)
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


def _title(first: EpisodeLink) -> str:
    """The words of the first show's notes, else those of its address; numbers and files keep their
    name."""
    link = first.link
    if link.kind in KEPT:
        return ""
    return telling(first.text) or title_of_address(link.key, link.kind, first.url)
