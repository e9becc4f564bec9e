"""Predicates for two entries that could be of one episode, so that a new entry that meets no other
is placed without matching the whole show; pure.

Two entries *meet* if they could be of one episode; in doubt they do. Entries that a document lists
side by side are never compared (matching.py): between these only an identifier counts, as one that
two entries carry identifies neither.
"""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from rapidfuzz import fuzz

from ..records import SourceEntry
from ..text.release import digest
from .identifiers import NAMES
from .match_keys import OPENING, WHOLE_OPENING, MatchKeys
from .signals import NEAR_TITLE, shared_opening, spaceless

LONGEST_BEGINNING = spaceless(OPENING)  # an equal beginning counts from here on
BEGINNING = spaceless(WHOLE_OPENING)  # that of a whole text from here on


class EntryKeysData(NamedTuple):
    """The values of an entry that others of its show can meet."""

    guid: str = ""
    audio: str = ""
    page: str = ""
    title: str = ""
    opening: str = ""  # its first characters; all of it where there are fewer
    day: date | None = None
    digest: str = ""  # of all that matching looks at

    @property
    def beginning(self) -> str:
        """The least that two texts have to share."""
        return self.opening[:BEGINNING]


def entry_keys(entry: SourceEntry, read: MatchKeys) -> EntryKeysData:
    """The values of an entry; equal digests tell that matching would treat it as before."""
    said = entry.said
    length = said.seconds_low, said.seconds_high
    counted = said.number, said.season, said.episode_type
    listed = said.show, entry.gone_version
    seen = said.title, read.opening, said.published, length, counted, listed
    opening = read.opening[:LONGEST_BEGINNING]
    return EntryKeysData(
        read.guid, read.audio, read.page, read.title, opening, read.day, digest(seen)
    )


def shares_identifier(one: EntryKeysData, other: EntryKeysData) -> bool:
    """True for two entries that carry one identifier."""
    return any(getattr(one, name) == getattr(other, name) != "" for name in NAMES)


def may_be_the_same(one: EntryKeysData, other: EntryKeysData) -> bool:
    """True for an equal or near title, and for an equal beginning of the text that counts."""
    is_near = fuzz.ratio(one.title, other.title) >= NEAR_TITLE and "" not in (
        one.title,
        other.title,
    )
    return is_near or any(shared_opening([one.opening], [other.opening]))
