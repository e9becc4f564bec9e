"""Decides which entries are one episode, and what it is: identifiers, matching, merging, order,
addresses; pure."""

from .counting import Counts, TitleCount, counted, title_counts, uncounted_in
from .item_keys import item_keys, keep_former_keys, without_repeats
from .match_keys import (
    MatchKeys,
    bare_title,
    marked,
)
from .match_transcripts import match_transcripts
from .matching import match
from .merging import merge, refuted_sources
from .order import Sortable, instants, is_ahead, newest_first
from .repeats import repeats, unlisted
from .signals import (
    BEGINNING,
    EntryKeysData,
    days_around,
    entry_keys,
    judged_groups,
    may_be_the_same,
    shares_identifier,
)
from .slugs import (
    Taken,
    assign,
    candidates,
    guid_hash,
    nobodys,
    own_guids,
    short_hash,
    slug_of,
)

__all__ = [
    "BEGINNING",
    "Counts",
    "EntryKeysData",
    "MatchKeys",
    "Sortable",
    "Taken",
    "TitleCount",
    "assign",
    "bare_title",
    "candidates",
    "counted",
    "days_around",
    "entry_keys",
    "guid_hash",
    "instants",
    "is_ahead",
    "item_keys",
    "judged_groups",
    "keep_former_keys",
    "marked",
    "match",
    "match_transcripts",
    "may_be_the_same",
    "merge",
    "newest_first",
    "nobodys",
    "own_guids",
    "refuted_sources",
    "repeats",
    "shares_identifier",
    "short_hash",
    "slug_of",
    "title_counts",
    "uncounted_in",
    "unlisted",
    "without_repeats",
]
