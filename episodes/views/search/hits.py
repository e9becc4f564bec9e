"""Direct hits: the topics, symbols, people and links whose names hold what is searched for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, Exists, F, OuterRef, QuerySet, Value, When
from django.db.models.expressions import RawSQL
from django.db.models.functions import Length
from django.urls import reverse
from django.utils.http import urlencode

from ...models import CodeMention, CodeName, Credit, EpisodeLink, EpisodeQuerySet, Link, Person, Topic
from ...search import PreparedQuery, rows_holding
from ...site import Site
from ...text.link_labels import ONE, named
from ..links.mentions import own_page

MOST = 3  # of a kind
MOST_EPISODES = 5


@dataclass(frozen=True)
class DirectHit:
    """Something that a query names: its name, the kind of thing it is, and the address of its page."""

    name: str
    kind: str
    address: str


def episode_hits(found: EpisodeQuerySet, asked: PreparedQuery, of_site: Site) -> list[DirectHit]:
    """The best episodes."""
    best = found.search(asked).sorted_by("match", asked, one_show=not of_site.several).named()
    rows = best.select_related("podcast").only(
        *(f"podcast__{name}" for name in ("slug", "title")), "slug", "title", "number", "season"
    )
    return [
        DirectHit(
            e.heading, e.podcast.title if of_site.several else f"Episode {e.numbering}".strip(), e.get_absolute_url()
        )
        for e in rows[:MOST_EPISODES]
    ]


def direct_hits(asked: PreparedQuery) -> list[DirectHit]:
    """Topics, symbols, people and links that hold every word of a query, a few of each."""
    if not asked.query.words:
        return []
    topics = _named(Topic.objects.all(), asked, "topic")
    symbols = _named(CodeName.objects.filter(Exists(CodeMention.objects.filter(name=OuterRef("pk")))), asked, "name")
    people = _named(Person.objects.filter(Exists(Credit.objects.filter(person=OuterRef("pk")))), asked, "person")
    return [
        *(DirectHit(topic.name, "Topic", topic.get_absolute_url()) for topic in topics),
        *(DirectHit(symbol.name, "Symbol", symbol.get_absolute_url()) for symbol in symbols),
        *(DirectHit(person.name, "Person", person.get_absolute_url()) for person in people),
        *_links(asked),
    ]


def _named(rows: QuerySet[Any], asked: PreparedQuery, kind: str, name: str = "name") -> list[Any]:
    """Those of which a text of this kind holds every word: that with the very name first, then the shorter names."""
    found = rows.filter(pk__in=RawSQL(*rows_holding(asked, kind)))
    same = Case(When(**{f"{name}__iexact": asked.query.typed}, then=Value(0)), default=Value(1))
    return list(found.order_by(same, Length(F(name)), name)[:MOST])


def _links(asked: PreparedQuery) -> Iterator[DirectHit]:
    """A few links, or one line that leads to all of them."""
    mentioned = Exists(EpisodeLink.objects.filter(link=OuterRef("pk")))
    rows = Link.objects.filter(mentioned, pk__in=RawSQL(*rows_holding(asked, "link")))
    found = list(rows.only("key", "kind", "title").order_by("key")[: MOST + 1])
    if len(found) > MOST:
        typed = asked.query.typed
        yield DirectHit(f"Links that match “{typed}”", "Links", f"{reverse('links')}?{urlencode({'q': typed})}")
        return
    for link in found:
        yield DirectHit(link.title or named(link.key).whole, ONE.get(link.kind, "Link"), own_page(link.key))
