"""The links that join episodes, as a figure: episodes on the left in their order, links on the right, lines between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...models import EpisodeLine
from .entries import MOST_EPISODES, LinkEntry
from .table import LinkRow, LinkRows

LEAST = 2  # links, and mentions of each
MOST_LINES = 40
SIZE = 100  # of the square in which the lines are drawn; the page stretches it


@dataclass(frozen=True)
class JoinedLink:
    """A link of the figure with a path for each of its lines."""

    entry: LinkEntry
    lines: list[str]


@dataclass(frozen=True)
class JoinedEpisodes:
    episodes: list[EpisodeLine]
    links: list[JoinedLink]


def joining(rows: LinkRows) -> list[LinkRow]:
    """The most mentioned links whose lines a figure can hold. One that very many episodes mention joins none of them."""
    chosen, lines = [], 0
    for row in rows.most_mentioned(LEAST, MOST_EPISODES):
        lines += row.mentions
        if lines > MOST_LINES:
            break
        chosen.append(row)
    return chosen if len(chosen) >= LEAST else []


def joined(chosen: Sequence[LinkRow], shown: Mapping[int, LinkEntry]) -> JoinedEpisodes:
    """The figure of the links chosen; of several shows the episodes of the first come first.

    A link that was deleted meanwhile, or whose mentions were, is left out.
    """
    drawn = [entry for row in chosen if (entry := shown.get(row.pk)) and entry.episodes]
    mentioning = {episode.pk: episode for entry in drawn for episode in entry.episodes}
    episodes = sorted(mentioning.values(), key=lambda episode: (episode.podcast_id, episode.order))
    heights = {episode.pk: _height(place, len(episodes)) for place, episode in enumerate(episodes)}

    def middle(entry: LinkEntry) -> float:
        """The mean height of its episodes: in this order fewer lines cross."""
        return sum(heights[episode.pk] for episode in entry.episodes) / len(entry.episodes)

    ordered = sorted(drawn, key=middle)
    links = [
        JoinedLink(entry, [_line(heights[e.pk], _height(place, len(ordered))) for e in entry.episodes])
        for place, entry in enumerate(ordered)
    ]
    return JoinedEpisodes(episodes, links)


def _height(place: int, count: int) -> float:
    return round((place + 0.5) * SIZE / count, 2)


def _line(left: float, right: float) -> str:
    half = SIZE // 2
    return f"M0 {left}C{half} {left} {half} {right} {SIZE} {right}"
