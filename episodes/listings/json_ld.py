"""Names the series that an HTML page describes in JSON-LD (schema.org PodcastSeries)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .document import PageDocument

EPISODES = ("PodcastEpisode", "RadioEpisode")
SERIES = ("PodcastSeries", "CreativeWorkSeries", "RadioSeries")
NAMED = 500  # characters of a series' name


def series(document: PageDocument) -> tuple[str, ...]:
    """Names of the series that the page describes, each once; of what an episode says, the series
    that it is part of."""
    return tuple(dict.fromkeys(name for data in document.data for name in _named_in(data)))


def _named_in(data: Any) -> Iterator[str]:
    stack = [data]
    while stack:
        value = stack.pop()
        if isinstance(value, list):
            stack.extend(reversed(value))
        elif isinstance(value, dict):
            if _is_a(value, SERIES) and isinstance(name := value.get("name"), str):
                yield " ".join(name.split())[:NAMED]
            inner = [value.get("partOfSeries")] if _is_a(value, EPISODES) else value.values()
            stack.extend(reversed([*inner]))


def _is_a(value: dict[str, Any], kinds: tuple[str, ...]) -> bool:
    own = value.get("@type")
    return any(kind in kinds for kind in (own if isinstance(own, list) else [own]))
