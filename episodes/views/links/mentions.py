"""The links of an episode: where they lead, and what they are called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ...models import Episode, Link
from ...text.link_labels import LinkName, followable, named


@dataclass(frozen=True)
class LinkMention:
    """A link: its kind, where it leads, the address and words the notes give, its name, and whether
    that is one of code."""

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
    """The links of an episode; one to an episode of the catalog, which is in `here`, leads to its
    page."""
    mentions = []
    for row in found:
        link, target = row.link, here.get(row.link.key)
        title, name = target.heading if target else link.title, named(link.key)
        mention = LinkMention(
            key=link.key,
            kind=link.kind,
            leads_to=target.get_absolute_url()
            if target
            else followable(link.replacement or row.url),
            published=row.url,
            text=row.text,
            details=row.details,
            name=LinkName(title, name.place, title) if title else name,
            is_titled=bool(title),
            is_code=link.key.startswith("gh:") and not title,
            elsewhere=link.episode_count - 1,
            own_page=link.get_absolute_url(),
            is_labelled=link.labelled and not target,
            is_replaced=bool(link.replacement) and not target,
        )
        mentions.append(mention)
    return mentions


def episodes_here(keys: Iterable[str]) -> dict[str, Episode]:
    """The episodes of the catalog that links lead to, by the keys of these."""
    slugs = [key.removeprefix("episode:") for key in keys if key.startswith("episode:")]
    return {
        f"episode:{row.slug}": row
        for row in Episode.objects.filter(slug__in=slugs).named().order_by()
    }


def own_page(key: str) -> str:
    """The address of the page of the link with this key."""
    return Link(key=key).get_absolute_url()
