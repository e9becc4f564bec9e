"""The addresses under which notes publish a link."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Count

from ...models import Link
from ...text.link_labels import followable


@dataclass(frozen=True)
class Published:
    """An address under which notes publish a link, and in how many episodes."""

    address: str
    leads_to: str
    count: int


def published(link: Link) -> list[Published]:
    """The addresses of a link, the most used first."""
    counts = link.mentions.order_by().values_list("url").annotate(n=Count("episode"))
    ordered: Iterator[tuple[str, int]] = iter(sorted(counts, key=lambda row: (-row[1], row[0])))
    return [Published(url, followable(url), count) for url, count in ordered]
