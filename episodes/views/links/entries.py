"""Links as the index shows them: their names, where they lead, and the episodes that mention them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.db.models import Prefetch, QuerySet

from ...models import NAMED, Episode, EpisodeLink, Link, oldest
from ...site import Site
from ...text import link_labels
from ...text.link_labels import LinkName, followable, named, telling, title_of_address
from .mentions import episodes_here, own_page

# Of these a repository keeps so many that they are listed under its name.
KEPT = ("github-issue", "github-pr", "github-commit", "github-code")
MOST_EPISODES = 8


@dataclass(frozen=True)
class LinkEntry:
    """A link with the first episodes that mention it and the number of all."""

    key: str
    kind: str
    leads_to: str
    count: int
    own_page: str
    episodes: list[Episode]
    label: str = ""  # its name where nothing around it says its place
    before: str = ""  # the part of the name that the heading above says already
    name: str = ""
    note: str = ""  # the site; where a title of its own is the name, the typed name
    look: str = ""  # "titled" or "code"; "" for a name that is neither


def entries(counts: Mapping[int, int], site: Site, most: int = MOST_EPISODES) -> dict[int, LinkEntry]:
    """Links by their row, given with the number of their mentions, each with its first episodes."""
    fields = ("link", "url", "text", *(f"episode__{field}" for field in NAMED))
    first = EpisodeLink.objects.select_related("episode").only(*fields)
    first = first.order_by(*oldest(not site.several, of="episode__"))[:most]
    links = Link.objects.prefetch_related(Prefetch("mentions", first, to_attr="first")).defer("summary").in_bulk(counts)
    here = episodes_here(link.key for link in links.values())
    return {pk: _entry(link, counts[pk], here.get(link.key)) for pk, link in links.items()}


def _entry(link: Link, count: int, target: Episode | None) -> LinkEntry:
    mentions: list[EpisodeLink] = link.first  # type: ignore[attr-defined]
    entry = LinkEntry(
        link.key,
        link.kind,
        leads_to=followable(link.replacement or mentions[0].url) if mentions else "",
        count=count,
        own_page=own_page(link.key) if count > 1 else "",
        episodes=[mention.episode for mention in mentions],
        look="titled",
    )
    if target:
        return replace(entry, leads_to=target.get_absolute_url(), label=target.heading, name=target.heading)
    name, title = named(link.key), title_of(link, mentions)
    return _titled(entry, name, title) if title else _typed(entry, name)


def _titled(entry: LinkEntry, name: LinkName, title: str) -> LinkEntry:
    # One word, such as "autograd" or "notes", is the title of many pages of a site.
    note = name.place if " " in title and name.place else name.whole
    return replace(entry, label=title, name=title, note=note)


def _typed(entry: LinkEntry, name: LinkName) -> LinkEntry:
    """What the headings above it say is small or left out: the repository of a number, the directory of a file."""
    entry = replace(entry, label=name.whole, look="code" if entry.key.startswith("gh:") else "")
    if entry.kind not in KEPT:
        return replace(entry, name=name.name, note=name.place)
    if directory := link_labels.directory(entry.key):
        return replace(entry, name=name.whole.removeprefix(f"{directory}/"))
    repository = link_labels.repository(entry.key)
    before = repository if name.name.startswith((f"{repository}#", f"{repository}@")) else ""
    return replace(entry, before=before, name=name.name.removeprefix(before))


def title_of(link: Link, mentions: Sequence[EpisodeLink] | QuerySet[EpisodeLink]) -> str:
    """The post's own title, else what the notes call it, else the words of its address; numbers and files keep their name."""
    if link.title or link.kind in KEPT:
        return link.title
    given = next(filter(None, (telling(mention.text) for mention in mentions)), "")
    return given or (title_of_address(link.key, link.kind, mentions[0].url) if mentions else "")
