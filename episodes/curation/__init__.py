"""What people change: every decision and every edit of shows, sources and topics is written here, with its history."""

from .addresses import led_to, trouble_with_address
from .by_hand import give_own
from .history import (
    Conflict,
    Lot,
    Recorder,
    about_episode,
    changes_of,
    changing,
    rehearsed,
    state,
    together,
    undo,
    undo_all,
)
from .lists import add, bring_back, person_key, remove
from .many import each, entries, tokens
from .repeats import judge_repeat
from .trying import PreviewRow, SourcePreview, preview_source
from .verbs import Impossible, Stale, clean, ignore, judge, make_episode, merge, override, release, split, token
from .vocabulary import TERMS, delete_topic, merge_topics, save_configuration, save_topic, term_trouble, unlike_others

__all__ = [
    "TERMS",
    "Conflict",
    "Impossible",
    "Lot",
    "PreviewRow",
    "Recorder",
    "SourcePreview",
    "Stale",
    "about_episode",
    "add",
    "bring_back",
    "changes_of",
    "changing",
    "clean",
    "delete_topic",
    "each",
    "entries",
    "give_own",
    "ignore",
    "judge",
    "judge_repeat",
    "led_to",
    "make_episode",
    "merge",
    "merge_topics",
    "override",
    "person_key",
    "preview_source",
    "rehearsed",
    "release",
    "remove",
    "save_configuration",
    "save_topic",
    "split",
    "state",
    "term_trouble",
    "together",
    "token",
    "tokens",
    "trouble_with_address",
    "undo",
    "undo_all",
    "unlike_others",
]
