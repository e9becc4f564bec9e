"""Decides which entries are one episode, and what it is: identifiers, matching, merging, order,
addresses; pure."""

from .item_keys import item_keys, keep_former_keys, without_repeats
from .match_keys import (
    MIN_WHOLE_TITLE,
    MatchKeys,
    bare_title,
    marked,
)
from .match_transcripts import match_transcripts
from .matching import match
from .merging import merge
from .numbers import printed_number, rank_entry
from .order import Sortable, instants, is_ahead, newest_first
from .reruns import find_reruns, unlisted
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
    "MIN_WHOLE_TITLE",
    "EntryKeysData",
    "MatchKeys",
    "Sortable",
    "Taken",
    "assign",
    "bare_title",
    "candidates",
    "days_around",
    "entry_keys",
    "find_reruns",
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
    "printed_number",
    "rank_entry",
    "shares_identifier",
    "short_hash",
    "slug_of",
    "unlisted",
    "without_repeats",
]
