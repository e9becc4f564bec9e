"""Curators' changes: every decision and every edit of shows, sources, topics and paths is written here, with its history."""

from ..resolve import term_trouble
from .accounts import LOGINS, account_changed, differences, forget_logins, logged_in, login_failed
from .addresses import led_to, trouble_with_address
from .by_hand import add_episode
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
from .lists import add, bring_back, person_key, remove
from .proposals import accept_topic, join_topic, namesake, refuse_topic
from .repeats import judge_repeat
from .shows import add_show, feed_at, follow_move, show_preview
from .spreadsheet import LARGEST_SHEET, Cell, SheetRow, Unreadable, apply_rows, read_sheet, write_sheet
from .trying import preview_source
from .verbs import clean, ignore, judge, make_episode, merge, override, release, split
from .vocabulary import TERMS, delete_path, delete_topic, merge_topics, save_configuration, save_path, save_topic

__all__ = [
    "CONFIGURE",
    "CURATE",
    "LARGEST_SHEET",
    "LOGINS",
    "TERMS",
    "Batch",
    "Cell",
    "Conflict",
    "Impossible",
    "SheetRow",
    "Stale",
    "Unreadable",
    "about_episode",
    "accept_topic",
    "account_changed",
    "add",
    "add_episode",
    "add_show",
    "anchor",
    "apply_rows",
    "bring_back",
    "changes_of",
    "clean",
    "delete_path",
    "delete_topic",
    "differences",
    "entries",
    "episode_of",
    "episode_of_ref",
    "feed_at",
    "follow_move",
    "forget_logins",
    "ignore",
    "in_force",
    "join_topic",
    "judge",
    "judge_repeat",
    "led_to",
    "logged_in",
    "login_failed",
    "make_episode",
    "merge",
    "merge_topics",
    "namesake",
    "override",
    "person_key",
    "preview_source",
    "read_sheet",
    "refuse_topic",
    "release",
    "remove",
    "require",
    "rolled_back",
    "save_configuration",
    "save_path",
    "save_topic",
    "show_preview",
    "split",
    "state",
    "term_trouble",
    "together",
    "token",
    "tokens",
    "trouble_with_address",
    "undo",
    "undo_all",
    "write_sheet",
]
