"""Links as the index shows them: their names, where they lead, and the episodes that mention them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import F, Window
from django.db.models.functions import RowNumber

from ...models import Episode, EpisodeLink, Link, in_order, oldest
from ...site import Site
from ...text import link_labels
from ...text.link_labels import LinkName, followable, named, telling, title_of_address
from .mentions import episodes_here, own_page

# Of these a repository keeps so many that they are listed under its name.
KEPT = ("github-issue", "github-pr", "github-commit", "github-code")
MOST_EPISODES = 8


class LinkLabel(NamedTuple):
    """What the index calls a link."""

    label: str = ""  # its name where nothing around it says its place
    before: str = ""  # the part of the name that the heading above says already
    name: str = ""
    note: str = ""  # the site; where a title of its own is the name, the typed name
    look: str = ""  # "titled" or "code"; "" for a name that is neither


@dataclass(frozen=True)
class LinkEntry:
    """A link with the first episodes that mention it and the number of all."""

    key: str
    kind: str
    leads_to: str
    count: int
    own_page: str
    episodes: list[Episode]
    label: str
    before: str
    name: str
    note: str
    look: str


def entries(counts: Mapping[int, int], site: Site, most: int = MOST_EPISODES) -> dict[int, LinkEntry]:
    """Links by their row, given with the number of their mentions, each with its first episodes."""
    if not counts:
        return {}
    first: dict[int, list[FirstMention]] = {}
    mentions = _first(list(counts), most, one_show=not site.several)
    episodes = {row.pk: row for row in in_order({row.episode_id for row in mentions}, Episode.objects.named())}
    for row in mentions:
        episode = episodes[row.episode_id]
        first.setdefault(row.link_id, []).append(FirstMention(row.url, row.text, episode.podcast_id, episode))
    links = Link.objects.filter(pk__in=counts).order_by().defer("summary")
    here = episodes_here(link.key for link in links)
    return {link.pk: _entry(link, counts[link.pk], first.get(link.pk, []), here.get(link.key)) for link in links}


class FirstMention(NamedTuple):
    """What the index needs of a mention of a link."""

    url: str
    text: str
    show: int
    episode: Episode | None = None


def _first(ids: Sequence[int], most: int, *, one_show: bool) -> list[EpisodeLink]:
    """The first mentions of each of these links, in order."""
    names = (*(() if one_show else ("episode__podcast__rank",)), *oldest(one_show, of="episode__"))
    order = [F(name[1:]).desc() if name[0] == "-" else F(name).asc() for name in names]
    place = Window(RowNumber(), partition_by="link", order_by=order)
    ranked = EpisodeLink.objects.filter(link__in=ids).annotate(place=place).filter(place__lte=most)
    return list(ranked.order_by("link_id", "place").defer("details"))


def _entry(link: Link, count: int, mentions: Sequence[FirstMention], target: Episode | None) -> LinkEntry:
    if target:
        leads_to, label = target.get_absolute_url(), LinkLabel(target.heading, name=target.heading, look="titled")
    else:
        leads_to = followable(link.replacement or mentions[0].url) if mentions else ""
        title = title_of(link, lambda: mentions)
        label = _titled(named(link.key), title) if title else _typed(link, named(link.key))
    episodes = [mention.episode for mention in mentions if mention.episode]
    own = own_page(link.key) if count > 1 else ""
    return LinkEntry(link.key, link.kind, leads_to, count, own, episodes, *label)


def _titled(name: LinkName, title: str) -> LinkLabel:
    # One word, such as "autograd" or "notes", is the title of many pages of a site.
    note = name.place if " " in title and name.place else name.whole
    return LinkLabel(title, name=title, note=note, look="titled")


def _typed(link: Link, name: LinkName) -> LinkLabel:
    """What the headings above it say is small or left out: the repository of a number, the directory of a file."""
    look = "code" if link.key.startswith("gh:") else ""
    if link.kind not in KEPT:
        return LinkLabel(name.whole, name=name.name, note=name.place, look=look)
    if directory := link_labels.directory(link.key):
        return LinkLabel(name.whole, name=name.whole.removeprefix(f"{directory}/"), look=look)
    repository = link_labels.repository(link.key)
    before = repository if name.name.startswith((f"{repository}#", f"{repository}@")) else ""
    return LinkLabel(name.whole, before, name.name.removeprefix(before), look=look)


def title_of(link: Link, first: Callable[[], Sequence[FirstMention]]) -> str:
    """The post's own title, else what the first mentions call it, else the words of its address; numbers and files keep
    their name. Of several shows the first one names it: a later one renames nothing."""
    if link.title or link.kind in KEPT:
        return link.title
    mentions = first()
    given = next((name for m in mentions if m.show == mentions[0].show and (name := telling(m.text))), "")
    return given or (title_of_address(link.key, link.kind, mentions[0].url) if mentions else "")
