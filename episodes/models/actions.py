"""The actions of the history in words."""

from __future__ import annotations

# Actions whose stored name says little to a person.
IN_WORDS = {
    "release": "unlocked",
    "keep": "kept own value",
    "judge same": "matched entry",
    "judge different": "ruled out match",
    "judge replaces": "marked as replacement",
    "judge repeats": "marked as rebroadcast",
    "judge unrelated": "marked as unrelated",
    "new episode": "made new episode of entry",
    "ignore": "marked as not an episode",
    "remove conflict": "closed conflict",
    "bring back conflict": "reopened conflict",
    "take address": "took over address",
    "dismiss": "dismissed in inbox",
    "set aside": "set aside in inbox",
    "bring back row": "brought back to inbox",
    "assign": "assigned in inbox",
    "unassign": "unassigned in inbox",
    "accept topic": "accepted proposed topic",
    "join topic": "joined proposed topic with another",
    "refuse topic": "refused proposed topic",
    "accept suggestion": "accepted reader’s suggestion",
    "refuse suggestion": "refused reader’s suggestion",
    "spreadsheet": "changed by spreadsheet",
    "failed login": "failed to log in",
}
PAST = {
    "accept": "accepted",
    "add": "added",
    "archive": "archived",
    "bring": "brought",
    "change": "changed",
    "close": "closed",
    "confirm": "confirmed",
    "correct": "corrected",
    "delete": "deleted",
    "edit": "edited",
    "end": "ended",
    "hide": "hid",
    "import": "imported",
    "log": "logged",
    "merge": "merged",
    "move": "moved",
    "pause": "paused",
    "remove": "removed",
    "reopen": "reopened",
    "resume": "resumed",
    "show": "showed",
    "split": "split",
    "take": "took",
    "turn": "turned",
    "undo": "undid",
    "unlock": "unlocked",
}


def in_words(verb: str) -> str:
    """The action in the past tense: `judge same` → `matched entry`, `add topic` → `added topic`."""
    if verb in IN_WORDS:
        return IN_WORDS[verb]
    first, space, rest = verb.partition(" ")
    return PAST.get(first, first) + space + rest.replace("reference", "other episode")
