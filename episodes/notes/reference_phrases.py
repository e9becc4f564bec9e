"""The phrases of data/references.toml as patterns, and what stands between them and the name of an episode."""

from __future__ import annotations

from collections.abc import Iterable

from ..text.vocabulary import Phrases, lists_of, load, word_set

# A kind says what the target is to the episode that speaks: something to hear before it, after it, or beside it.
PREREQUISITE, FOLLOW_UP, SEE_ALSO = "prerequisite", "follow-up", "see-also"
STRENGTH = (PREREQUISITE, FOLLOW_UP, SEE_ALSO)  # the strongest first

_DATA = load(__file__, "references")
_LISTS = lists_of(_DATA["lists"])
# What may introduce a title, and items of a list before it.
OPENS = r"(?:(?:the|our|my)\s+)?[\"“'‘«(\[]?\s*(?:#\d{1,4}[:.)]?\s*)?"
_ITEMS = r"(?:[^.;:!?\n]{1,60}, (?:and )?)?"
CLOSES = r"[\"”'’»)\]]?"


def _kinds(tables: dict[str, list[str]], before: str = "") -> tuple[tuple[str, Phrases], ...]:
    return tuple((kind, Phrases([written], _LISTS, before=before)) for kind, said in tables.items() for written in said)


def _led(written: Iterable[str], items: str = "") -> Phrases:
    return Phrases(written, _LISTS, after=items + OPENS + r"\Z")


BEFORE = _kinds(_DATA["before"])
AFTER = _kinds(_DATA["after"], before=r"[\s\W]*")
FIRST = Phrases(_DATA["said"]["first"], after=rf"(?!{'|'.join(_DATA['said']['no_first'][0].split('/'))})")
TOLD = Phrases(_DATA["said"]["told"], _LISTS)
_CLAUSE_BEGINS = r"(?:\A|(?<=[.,;:!?\n])|(?<=[.,;:!?\n] )|(?<=so )|(?<=please )|(?<=and ))"
POINTS_BACK = Phrases(_DATA["said"]["points_back"], _LISTS, before=_CLAUSE_BEGINS)
HEADINGS = word_set(_DATA["said"]["headings"])

# Phrases right before a title: how it must be written there for its episode to be meant.
_NAMES = _DATA["names"]
ANY = _led(_NAMES["any"], _ITEMS)
LEADS = (
    ("exact", _led(_NAMES["exact"], _ITEMS)),
    ("several", _led(_NAMES["several"], _ITEMS)),
    ("exact several", _led(_NAMES["exact_several"], _ITEMS)),
)

EPISODE = Phrases(_DATA["behind"]["episode"], _LISTS)
LISTS_EPISODES = Phrases(["<episode>", "listen/listening"], _LISTS)
EPISODE_BEHIND = Phrases(_DATA["behind"]["episode"], _LISTS, before=rf"{CLOSES}\s+")
IN_ANOTHER = Phrases(_DATA["behind"]["in_another"], _LISTS, before=rf"{CLOSES},?\s*(?:which)?\s*")
SUBJECT = _led(_DATA["behind"]["subject"])
GOES_ON = word_set(_DATA["behind"]["goes_on"])

_OTHERS = _DATA["others"]
SELF = Phrases(_OTHERS["self"], after=r"(?:(?!(?:after|before|is|was|and|to|in|on|with)\b)\w+\s+){0,2}\Z")
DENIED = Phrases(_OTHERS["denied"], after=r"(?:\w+\s+){0,4}\Z")
NOT_DENIED = Phrases(_OTHERS["not_denied"])
THEIRS = Phrases(_OTHERS["theirs"], before=r"([\w.&+'’-]+)\s+", after=r"(?:\w+\s+){0,2}\Z")
OURS = Phrases(_DATA["initials"]["ours"], after=r"\Z")
PLAIN = word_set(_OTHERS["plain"])
KNOWN_INITIALS = word_set(_DATA["initials"]["known"])
