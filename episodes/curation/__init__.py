"""Curators' changes: every decision and every edit of shows, sources, topics and paths is written here, with its history."""

from ..resolve import term_trouble
from .addresses import holder_of, led_to, trouble_with_address
from .by_hand import add_episode
from .conflicts import close_conflict, close_conflicts, reopen_conflict
from .entries import anchor, entries, episode_of, episode_of_ref, in_force, token, tokens
from .history import (
    CONFIGURE,
    CURATE,
    Batch,
    Conflict,
    Impossible,
    Stale,
    about_episode,
    changes_of,
    require,
    rolled_back,
    state,
    together,
    undo,
    undo_all,
)
from .inbox import RowKey, assign, assignees, note_of, set_aside, take_up
from .lists import add, bring_back, person_key, remove
from .proposals import accept_topic, join_topic, namesake, refuse_topic
from .repeats import judge_repeat
from .shows import add_show, feed_at, follow_move, show_preview
from .spreadsheet import LARGEST_SHEET, Cell, SheetRow, Unreadable, apply_rows, read_sheet, write_sheet
from .trying import preview_source
from .verbs import clean, ignore, judge, keep, make_episode, merge, move, override, release, split, take_address
from .vocabulary import TERMS, delete_path, delete_topic, merge_topics, save_configuration, save_path, save_topic
from .withdrawals import REPLACED, put_back, take_out

__all__ = [
    "CONFIGURE",
    "CURATE",
    "LARGEST_SHEET",
    "REPLACED",
    "TERMS",
    "Batch",
    "Cell",
    "Conflict",
    "Impossible",
    "RowKey",
    "SheetRow",
    "Stale",
    "Unreadable",
    "about_episode",
    "accept_topic",
    "add",
    "add_episode",
    "add_show",
    "anchor",
    "apply_rows",
    "assign",
    "assignees",
    "bring_back",
    "changes_of",
    "clean",
    "close_conflict",
    "close_conflicts",
    "delete_path",
    "delete_topic",
    "entries",
    "episode_of",
    "episode_of_ref",
    "feed_at",
    "follow_move",
    "holder_of",
    "ignore",
    "in_force",
    "join_topic",
    "judge",
    "judge_repeat",
    "keep",
    "led_to",
    "make_episode",
    "merge",
    "merge_topics",
    "move",
    "namesake",
    "note_of",
    "override",
    "person_key",
    "preview_source",
    "put_back",
    "read_sheet",
    "refuse_topic",
    "release",
    "remove",
    "reopen_conflict",
    "require",
    "rolled_back",
    "save_configuration",
    "save_path",
    "save_topic",
    "set_aside",
    "show_preview",
    "split",
    "state",
    "take_address",
    "take_out",
    "take_up",
    "term_trouble",
    "together",
    "token",
    "tokens",
    "trouble_with_address",
    "undo",
    "undo_all",
    "write_sheet",
]
