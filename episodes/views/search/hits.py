"""Direct hits: the shows, topics, symbols, people and links whose names hold what is searched for."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse

from ...models import Episode, Podcast, in_order
from ...search import PreparedQuery, named
from ...site import Site
from ...text import link_labels
from ...text.link_labels import ONE
from ..links.entries import own_page

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


def direct_hits(asked: PreparedQuery, of_site: Site) -> list[DirectHit]:
    """Shows, where there are several, whose titles have the query, then topics, symbols, people and
    links that hold every word of it, a few of each."""
    words = asked.query.typed if of_site.several else ""
    shows = Podcast.objects.shown().filter(title__icontains=words)[: MOST if words else 0]
    hits = [DirectHit(show.title, "Show", show.get_absolute_url()) for show in shows]
    for kind, name, slug, of_link in named(asked, MOST):
        if kind == "link":
            title = link_labels.named(slug).whole if name == slug else name
            hits.append(DirectHit(title, ONE.get(of_link, "Link"), own_page(slug)))
        else:
            view, what = VIEWS[kind]
            hits.append(DirectHit(name, what, reverse(view, args=[slug])))
    return hits
