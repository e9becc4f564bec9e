"""Decides which entries are one episode, and its values, order and address. Pure."""

from .item_keys import item_keys, keep_former_keys, without_repeats
from .match import match
from .match_keys import (
    MIN_WHOLE_TITLE,
    MatchKeys,
    bare_title,
)
from .match_transcripts import match_transcripts
from .merging import merge
from .numbers import printed_number, rank_entry
from .order import Sortable, instants, is_ahead, newest_first
from .partition import EntryRef
from .reruns import find_reruns, unlisted
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
    "MIN_WHOLE_TITLE",
    "EntryRef",
    "MatchKeys",
    "Sortable",
    "Taken",
    "assign",
    "bare_title",
    "candidates",
    "find_reruns",
    "guid_hash",
    "instants",
    "is_ahead",
    "item_keys",
    "keep_former_keys",
    "match",
    "match_transcripts",
    "merge",
    "newest_first",
    "nobodys",
    "own_guids",
    "printed_number",
    "rank_entry",
    "short_hash",
    "slug_of",
    "unlisted",
    "without_repeats",
]
