"""The links of an episode: where they lead, and what they are called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode

from ...models import Episode
from ...text.link_labels import LinkName, followable, named


@dataclass(frozen=True)
class LinkMention:
    """A link: its kind, where it leads, the address and words the notes give, its name, and whether that is one of code."""

    key: str
    kind: str
    leads_to: str
    published: str
    text: str
    details: dict[str, Any]
    name: LinkName
    is_titled: bool
    is_code: bool
    elsewhere: int  # in how many other episodes it is mentioned
    own_page: str
    is_labelled: bool = False  # by a curator
    is_replaced: bool = False


def mentioned(found: Iterable[Any], here: Mapping[str, Episode]) -> list[LinkMention]:
    """The links of an episode, each with `n`, the number of episodes that mention it. A link to one of the catalog, `here`,
    leads to its page."""
    mentions = []
    for m in found:
        key = m.link.key
        target = here.get(key)
        title = target.heading if target else m.link.title
        name = named(key)
        if title:
            name = LinkName(title, name.place, title)
        leads_to = target.get_absolute_url() if target else followable(m.link.replacement or m.url)
        is_code = key.startswith("gh:") and not title
        words = (key, m.link.kind, leads_to, m.url, m.text, m.details)
        own = (own_page(key), m.link.labelled and not target, bool(m.link.replacement) and not target)
        mentions.append(LinkMention(*words, name, bool(title), is_code, m.n - 1, *own))
    return mentions


def episodes_here(keys: Iterable[str]) -> dict[str, Episode]:
    """The episodes of the catalog that links lead to, by the keys of these."""
    slugs = [key.removeprefix("episode:") for key in keys if key.startswith("episode:")]
    if not slugs:
        return {}
    rows = Episode.objects.filter(slug__in=slugs).named().order_by()
    return {f"episode:{row.slug}": row for row in rows}


def own_page(key: str) -> str:
    """The address of a link's page. The key stands in the query: in a path its `#` and `?` would end it."""
    return f"{reverse('link')}?{urlencode({'key': key})}"
