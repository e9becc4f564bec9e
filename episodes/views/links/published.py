"""The addresses under which notes publish a link."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ...text.link_labels import followable


@dataclass(frozen=True)
class Published:
    """An address under which notes publish a link, and in how many episodes."""

    address: str
    leads_to: str
    count: int


def published(addresses: Iterable[str]) -> list[Published]:
    """The addresses of a link, given as each episode has them, the most used first."""
    counts = sorted(Counter(addresses).items(), key=lambda row: (-row[1], row[0]))
    return [Published(url, followable(url), count) for url, count in counts]
