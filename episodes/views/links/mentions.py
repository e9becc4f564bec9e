"""The links of an episode as its page shows them: named, and under the kinds of thing they lead to."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Count
from django.urls import reverse
from django.utils.http import urlencode

from ...models import Episode, EpisodeLink
from ...text.link_labels import KINDS, LinkName, followable, named


@dataclass(frozen=True)
class LinkMention:
    """A link: its kind, where it leads, the address the notes give, its name, and whether that is a name of code."""

    kind: str
    leads_to: str
    published: str
    name: LinkName
    is_code: bool
    elsewhere: int  # in how many other episodes it is mentioned
    own_page: str


def mentioned(episode: Episode) -> list[LinkMention]:
    """The links of an episode in the order of its notes. A link to an episode of the catalog leads to its page here."""
    counted = EpisodeLink.objects.filter(episode=episode).annotate(n=Count("link__mentions"))
    found = list(counted.select_related("link").order_by("position"))
    here = episodes_here(m.link.key for m in found)
    mentions = []
    for m in found:
        key = m.link.key
        target = here.get(key)
        title = target.heading if target else m.link.title
        name = named(key)
        if title:
            name = LinkName(title, name.place, title)
        leads_to = target.get_absolute_url() if target else followable(m.url)
        is_code = key.startswith("gh:") and not title
        mentions.append(LinkMention(m.link.kind, leads_to, m.url, name, is_code, m.n - 1, own_page(key)))
    return mentions


def episodes_here(keys: Iterable[str]) -> dict[str, Episode]:
    """The episodes of the catalog that links lead to, by the keys of these."""
    slugs = [key.removeprefix("episode:") for key in keys if key.startswith("episode:")]
    if not slugs:
        return {}
    rows = Episode.objects.filter(slug__in=slugs).named()
    return {f"episode:{e.slug}": e for e in rows}


def grouped(mentions: Sequence[LinkMention], but: Collection[str] = ()) -> list[tuple[str, str, list[LinkMention]]]:
    """Kind, heading and links, in the order of the kinds; without those that lead to an address of `but`."""
    shown = [m for m in mentions if m.leads_to not in but]
    kinds = [*KINDS, *sorted({m.kind for m in shown} - KINDS.keys())]
    groups = [(kind, KINDS.get(kind, kind), [m for m in shown if m.kind == kind]) for kind in kinds]
    return [group for group in groups if group[2]]


def own_page(key: str) -> str:
    """The address of a link's page. The key stands in the query: in a path its `#` and `?` would end it."""
    return f"{reverse('link')}?{urlencode({'key': key})}"
