"""The links of an episode: where they lead, and what they are called."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from ...models import Episode, EpisodeLink, Link
from ...text.link_labels import LinkName, followable, named


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
    return Link(key=key).get_absolute_url()
