"""Links as the index shows them: their names, where they lead, and the first episodes that mention
them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import QuerySet, Window
from django.db.models.functions import RowNumber

from ...models import NAMED, Episode, EpisodeLink, Link
from ...text.filing import KEPT
from ...text.link_labels import followable, named, telling, title_of_address
from .mentions import episodes_here

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


class LinkLabel(NamedTuple):
    """The name of a link in the index."""

    label: str  # its name where nothing around it says its place
    before: str  # the part of the name that the heading above says already
    name: str
    note: str  # the site; where a title of its own is the name, the typed name
    look: str  # "titled" or "code"; "" for a name that is neither


@dataclass(frozen=True)
class LinkEntry:
    """A link with the first episodes that mention it."""

    link: Link
    leads_to: str
    title: str  # "" for what has no name but its number or path
    shown: LinkLabel
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
    link = mentions[0].link
    title = _title(link, mentions)
    shown, leads_to = _label(link, title), followable(link.replacement or mentions[0].url)
    if target := here.get(link.key):
        shown, leads_to = (
            LinkLabel(target.heading, "", target.heading, "", "titled"),
            target.get_absolute_url(),
        )
    return LinkEntry(link, leads_to, title, shown, [mention.episode for mention in mentions])


def _title(link: Link, mentions: Sequence[EpisodeLink]) -> str:
    """The post's own title, else what the first show that mentions it calls it, else the words of
    its address; numbers and files keep their name. A later show renames nothing."""
    if link.title or link.kind in KEPT:
        return link.title
    show = mentions[0].episode.podcast_id
    names = [telling(mention.text) for mention in mentions if mention.episode.podcast_id == show]
    return next(filter(None, names), "") or title_of_address(link.key, link.kind, mentions[0].url)


def _label(link: Link, title: str) -> LinkLabel:
    """The name of a link in the index; the part that the heading above it says is small."""
    name = named(link.key)
    look = "code" if link.key.startswith("gh:") else ""
    if title:
        # One word, such as "autograd" or "notes", is the title of many pages of a site.
        note = name.place if " " in title and name.place else name.whole
        return LinkLabel(title, "", title, note, "titled")
    if link.kind not in KEPT:
        return LinkLabel(name.whole, "", name.name, name.place, look)
    number = name.whole.removeprefix(link.repository)
    return LinkLabel(name.whole, name.whole.removesuffix(number), number, "", look)
