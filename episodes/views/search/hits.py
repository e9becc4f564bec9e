"""Direct hits: the topics, symbols, people and links whose names hold what is searched for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse

from ...models import Episode, in_order
from ...search import PreparedQuery, named
from ...site import Site
from ...text import link_labels
from ...text.link_labels import ONE
from ..links.mentions import own_page

VIEWS = {"topic": ("topic", "Topic"), "name": ("name", "Symbol"), "person": ("person", "Person")}
MOST = 3  # of a kind


@dataclass(frozen=True)
class DirectHit:
    """Something that a query names: its name, the kind of thing it is, and the address of its
    page."""

    name: str
    kind: str
    address: str


def episode_hits(ids: Sequence[int], of_site: Site) -> list[DirectHit]:
    """Direct hits for these episodes, in their order."""
    rows = in_order(ids, Episode.objects.named().prefetch_related("podcast"))
    return [
        DirectHit(
            e.heading,
            e.podcast.title if of_site.several else f"Episode {e.numbering}".strip(),
            e.get_absolute_url(),
        )
        for e in rows
    ]


def direct_hits(asked: PreparedQuery) -> list[DirectHit]:
    """Topics, symbols, people and links that hold every word of a query, a few of each."""
    return [_hit(*row) for row in named(asked, MOST)]


def _hit(kind: str, name: str, slug: str, of_link: str) -> DirectHit:
    if kind == "link":
        return DirectHit(
            link_labels.named(slug).whole if name == slug else name,
            ONE.get(of_link, "Link"),
            own_page(slug),
        )
    view, what = VIEWS[kind]
    return DirectHit(name, what, reverse(view, args=[slug]))
