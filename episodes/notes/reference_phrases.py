"""The phrases of data/references.toml as patterns, and how other shows are named beside the word "episode"."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..text.vocabulary import Phrases, lists_of, load, word_set

# Kinds of references: something to hear before the episode that refers to it, after it, or beside it.
PREREQUISITE, FOLLOW_UP, SEE_ALSO = "prerequisite", "follow-up", "see-also"
STRENGTH = (PREREQUISITE, FOLLOW_UP, SEE_ALSO)  # the strongest first

_DATA = load(__file__, "references")
_LISTS = lists_of(_DATA["lists"])
# Words that may introduce a title, and items of a list before it.
OPENS = r"(?:(?:the|our|my)\s+)?[\"“'‘«(\[]?\s*(?:#\d{1,4}[:.)]?\s*)?"
_ITEMS = r"(?:[^.;:!?\n]{1,60}, (?:and )?)?"
CLOSES = r"[\"”'’»)\]]?"


def _kinds(tables: dict[str, list[str]], before: str = "", after: str = "") -> tuple[tuple[str, Phrases], ...]:
    return tuple(
        (kind, Phrases([written], _LISTS, before=before, after=after))
        for kind, table in tables.items()
        for written in table
    )


def _led(written: Iterable[str], items: str = _ITEMS) -> Phrases:
    return Phrases(written, _LISTS, after=items + OPENS + r"\Z")


BEFORE = _kinds(_DATA["before"])
AFTER = (
    *_kinds(_DATA["after"], before=r"[\s\W]*"),
    *_kinds(_DATA["after_not_time"], before=r"[\s\W]*", after=rf"(?!{'|'.join(_DATA['times'])})"),
)

# Phrases right before a name, by how the name is written there.
_NAMES = _DATA["names"]
_ANY, _EXACT, _SEVERAL = (_led(_NAMES[level]) for level in ("any", "exact", "exact_several"))
LEADS = {
    "title": (_ANY,),
    "exact title": (_ANY, _EXACT),
    "exact title several": (_ANY, _EXACT, _SEVERAL),
    "exact initials": (_led(_NAMES["initials"]),),
    "exact number": (
        Phrases(_NAMES["number"], _LISTS, before=r"(?!\A\w+\b(?<!s))", after=rf"{OPENS}\Z"),
    ),  # not its own heading
}

EPISODE_BEHIND = Phrases(_DATA["behind"]["episode"], _LISTS, before=rf"{CLOSES}\s+")
IN_ANOTHER = Phrases(_DATA["behind"]["in_another"], _LISTS, before=rf"{CLOSES},?\s*(?:which)?\s*")
SUBJECT = _led(_DATA["behind"]["subject"], items="")
GOES_ON = word_set(_DATA["behind"]["goes_on"])

_OTHERS = _DATA["others"]
SELF = Phrases(_OTHERS["self"], after=r"(?:(?!(?:after|before|is|was|and|to|in|on|with)\b)\w+\s+){0,2}\Z")
DENIED = Phrases(_OTHERS["denied"], after=r"(?:\w+\s+){0,4}\Z")
PLAIN = word_set(_OTHERS["plain"])
KNOWN_INITIALS = word_set(_DATA["known_initials"])

# Another show: "the Lex Fridman podcast about", "Talk Python have an episode", "the Signal Path podcast has an", "on
# CoRecursive, in the"; behind the name: "episode 4 of Silicon Valley".
_SHOW = r"((?:[A-Z][\w.&+'’-]*\s+){1,6})"
OTHER_SHOW = re.compile(
    rf"{_SHOW}\Z|{_SHOW}(?:[Pp]odcast|[Ss]how)\b(?:,|\s+(?:has|have|had|did|made|with|called|and|is|where))"
    r"|([\w.&+'’-]+)\s+(?:has|have|had|did|made|released|recorded|published) (?:an?|another|this|one) (?:\w+\s+){0,2}\Z"
    r"|\b(?:[Oo]n|[Ff]or|[Aa]t)\s+(?:the\s+)?([A-Z][\w&.'’-]*(?:\s+[A-Z][\w&.'’-]*){0,4}),?\s+(?:in|has|had|the)\b[^.;:!?\n]{0,40}\Z"
)
OF_ANOTHER = re.compile(rf"\A{CLOSES}\s+(?:of|from|on|in|by|at)\s+(?:the\s+)?((?:[A-Z][\w&.'’-]*\s?){{1,5}})")
