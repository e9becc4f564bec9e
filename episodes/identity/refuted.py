"""Finds the fields in which a source contradicts better ones too often to fill gaps; pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from ..fields import REFUTABLE, Field
from ..records import RankedEntry

FEWEST = 5  # episodes that can refute a source


def refuted_sources(episodes: Sequence[Sequence[RankedEntry]]) -> dict[str, frozenset[str]]:
    """By field the sources whose values are not used.

    Over all episodes these contradict better-ranked sources more often than they agree. The entries
    of an episode come in the order of rank; each is compared with the best value.
    """
    return {field.name: _refuted(field, episodes) for field in REFUTABLE}


def _refuted(field: Field[Any], episodes: Sequence[Sequence[RankedEntry]]) -> frozenset[str]:
    votes: dict[str, Counter[bool]] = defaultdict(Counter)
    for voices in episodes:
        stated = [voice for voice in voices if field.value_in(voice.said) is not None]
        first_of_each = {voice.source: voice for voice in reversed(stated)}
        for source, voice in first_of_each.items():
            if voice.entry.rank > stated[0].entry.rank:
                votes[source][field.contradicts(stated[0], voice)] += 1
    return frozenset(
        source for source, own in votes.items() if own.total() >= FEWEST and own[True] > own[False]
    )
