"""Episodes as indexes name them, a line each: an index has hundreds, and rows of the model would take ten times as long."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from ..text.numbering import numbering
from .catalog import Episode
from .page_addresses import address
from .statements import Statement


class EpisodeLine(NamedTuple):
    """The columns of an episode that a line about it shows."""

    pk: int
    slug: str
    title: str
    number: int | None
    season: int | None
    podcast_id: int
    order: int

    @property
    def heading(self) -> str:
        return self.title or Episode(number=self.number, season=self.season).heading

    @property
    def numbering(self) -> str:
        return numbering(self.season, self.number)

    def get_absolute_url(self) -> str:
        return address("episode", self.slug)


LINES = Statement(
    lambda ids: (
        Episode.objects.filter(pk__in=ids)
        .order_by()
        .values_list("pk", "slug", "title", "number", "season", "podcast_id", "order")
    )
)


def episode_lines(ids: Collection[int]) -> dict[int, EpisodeLine]:
    """The lines of these episodes by their ids."""
    return {row[0]: EpisodeLine(*row) for row in LINES(ids)} if ids else {}
