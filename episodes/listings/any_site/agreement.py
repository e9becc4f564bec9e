"""What a date or a length on a page says about an episode that is known."""

from __future__ import annotations

from ...dates import Mark
from .episode_index import KnownEpisode


def agreement(mark: Mark, episode: KnownEpisode) -> int:
    """1 where a date or length is the episode's, -1 where it is not, 0 where it says nothing."""
    if mark.kind == "date":
        return episode.agrees_with_day(mark.days)
    return episode.agrees_with_span(*mark.span) if mark.span else 0
