"""Help where a list is empty: which filter to remove, and episodes whose length or date is
unknown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...models import UNKNOWN
from .facets import Chip
from .filters import LENGTHS, EpisodeFilter

MOST_REMOVALS = 5


@dataclass(frozen=True)
class Unknowns:
    """The episodes that a filter leaves out because it cannot judge them: their number and their
    address."""

    count: int
    words: str
    query: str


def way_out(listed: EpisodeFilter, chips: Sequence[Chip]) -> dict[str, object]:
    """The changes to a selection that finds nothing."""
    return {"removals": list(removals(listed, chips)), "unknowns": list(unknowns(listed))}


def removals(listed: EpisodeFilter, chips: Sequence[Chip]) -> Iterator[tuple[Chip, int]]:
    """The filters without which there are episodes, with the number of these; a single filter is
    not worth a line."""
    for chip in chips[:MOST_REMOVALS] if len(chips) > 1 else ():
        if count := listed.without(chip.names, chip.value).count():
            yield chip, count


def unknowns(listed: EpisodeFilter) -> Iterator[Unknowns]:
    """The episodes that a filter for lengths or dates ignores, where one is in force."""
    chosen = listed.selection
    for names, unknown, words in (
        (LENGTHS, f"band:{UNKNOWN}", "length"),
        (("year", "month"), "month:", "date"),
    ):
        missing = listed.counts(*names)[unknown] if listed.asked.keys() & {*names} else 0
        if missing:
            yield Unknowns(
                missing,
                words,
                chosen.replaced(**{**dict.fromkeys(names, ""), names[0]: UNKNOWN}).query(),
            )
