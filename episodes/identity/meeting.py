"""Tells by a few values of entries that matching could see no sign for their being of one episode,
so that a new one is placed without all others; pure.

In doubt they meet. What a document lists side by side is never compared (matching.py): there only
an identifier counts, which names nobody where two entries carry it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import NamedTuple

from rapidfuzz import fuzz

from ..fields import DAYS_AGREE
from ..records import SourceEntry
from ..text.release import digest
from .identifiers import NAMES
from .match_keys import OPENING, WHOLE_OPENING, MatchKeys
from .signals import NEAR_TITLE, shared_opening, spaceless

LONGEST_BEGINNING = spaceless(OPENING)  # an equal beginning counts from here on
BEGINNING = spaceless(WHOLE_OPENING)  # that of a whole text from here on


class Compared(NamedTuple):
    """The values of an entry that others of its show can meet."""

    guid: str = ""
    audio: str = ""
    page: str = ""
    title: str = ""
    opening: str = ""  # its first characters; all of it where there are fewer
    day: date | None = None
    digest: str = ""  # of all that matching looks at

    @property
    def days_around(self) -> Iterator[date]:
        """The days that agree with its own."""
        if self.day:
            for days in range(-DAYS_AGREE, DAYS_AGREE + 1):
                yield self.day + timedelta(days)


def compared(entry: SourceEntry, facts: MatchKeys) -> Compared:
    """The values of an entry; equal digests tell that matching would treat it as before."""
    said = entry.said
    length = said.seconds_low, said.seconds_high
    counted = said.number, said.season, said.episode_type
    listed = said.show, entry.gone_version
    seen = said.title, facts.opening, said.published, length, counted, listed
    opening = facts.opening[:LONGEST_BEGINNING]
    return Compared(
        facts.guid, facts.audio, facts.page, facts.title, opening, facts.day, digest(seen)
    )


def is_named_as(one: Compared, other: Compared) -> bool:
    """True for two that carry one identifier."""
    return any(getattr(one, name) == getattr(other, name) != "" for name in NAMES)


def is_like(one: Compared, other: Compared) -> bool:
    """True for an equal or near title, and for a beginning that counts."""
    is_near = fuzz.ratio(one.title, other.title) >= NEAR_TITLE and "" not in (
        one.title,
        other.title,
    )
    return is_near or any(shared_opening([one.opening], [other.opening]))
