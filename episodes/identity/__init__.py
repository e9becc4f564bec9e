"""Decides which entries are one episode, and its values, order and address. Pure."""

from .compare import are_different_episodes
from .entry_keys import (
    choose_entry_keys,
    restore_former_keys,
    split_into_unique_entries_and_repeats,
)
from .match import match_entries
from .match_keys import (
    MIN_DISTINCTIVE_TITLE,
    MatchKeys,
    bare_title_and_numbers,
)
from .match_transcripts import build_matching_with_transcripts
from .merging import merge_values
from .numbers import entry_with_plain_text_and_number, number_at_title_start
from .order import SortableEpisode, instants_for_sorting, sort_ids_newest_first, was_in_future
from .partition import EntryRef
from .reruns import list_decided_reruns, slugs_hidden_by_reruns
from .slugs import (
    ReservedSlugs,
    SlugRequest,
    guid_hash,
    make_guids_in_cluster_order,
    make_slug,
    make_unique_slugs,
    no_reserved_slugs,
    short_hash,
    slug_candidates,
)

__all__ = [
    "MIN_DISTINCTIVE_TITLE",
    "EntryRef",
    "MatchKeys",
    "ReservedSlugs",
    "SlugRequest",
    "SortableEpisode",
    "are_different_episodes",
    "bare_title_and_numbers",
    "build_matching_with_transcripts",
    "choose_entry_keys",
    "entry_with_plain_text_and_number",
    "guid_hash",
    "instants_for_sorting",
    "list_decided_reruns",
    "make_guids_in_cluster_order",
    "make_slug",
    "make_unique_slugs",
    "match_entries",
    "merge_values",
    "no_reserved_slugs",
    "number_at_title_start",
    "restore_former_keys",
    "short_hash",
    "slug_candidates",
    "slugs_hidden_by_reruns",
    "sort_ids_newest_first",
    "split_into_unique_entries_and_repeats",
    "was_in_future",
]
