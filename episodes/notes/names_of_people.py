"""Names of people among other words with capitals, in every script, and the handles beside them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from ..text.sentences import WORD
from ..text.vocabulary import alternatives, load, phrase_pattern, word_set

MOST_WORDS = 5  # of a name

_DATA = load(__file__, "people")
_NAMES = {name: word_set(words) for name, words in _DATA["names"].items()}
_ORGANISATIONS = _NAMES["organisations"]
_NO_NAMES = _NAMES["no_names"] | _ORGANISATIONS
_NO_FIRST_NAMES = _NO_NAMES | _NAMES["trades"]
_NO_LAST_NAMES = _NO_FIRST_NAMES - _NAMES["surnames"]

_LETTERS = [chr(code) for code in range(0x2000)]
UPPER = "[" + "".join(filter(str.isupper, _LETTERS)) + "]"
_LOWER = "[" + "".join(filter(str.islower, _LETTERS)) + "]"
_LETTER = r"[^\W\d_]"
_ENDS = r"(?!\w|['’-]\w)"


def _any_of(words: frozenset[str]) -> str:
    """Any of these words, in any case."""
    return rf"(?i:{alternatives(words)})"


def _word(no_names: frozenset[str]) -> str:
    """A word of a name: Reilly, O'Brien, Jean-Luc, McDonald, al-Rashid, J., 李沐; not CUDA,
    AOTAutograd or Episode."""
    return rf"""
        (?!{_any_of(no_names)}\.?(?:['’]s)?{_ENDS})
        (?:
            (?:{_any_of(_NAMES["prefixes"])}-)?(?:(?:Mc|Mac|De|Di|Da|Du|La|Le|Van|Von|Fitz|O)(?={UPPER}))?
            {UPPER}{_LOWER}*(?:(?!['’]s\b)['’\-‐‑·]{UPPER}?{_LOWER}+)*(?:(?<!\w\w)\.)?(?!\w)
            | {UPPER}{{2}}(?!\w)
            | (?:(?!{UPPER}|{_LOWER}){_LETTER}){{1,12}}(?!\w)
        )"""


_SPACE = r"(?:[ \t\u00a0]{1,3}|\n(?!\n))"
_NAME = re.compile(
    rf"""
    (?:{_any_of(_NAMES["trades"])}[ ])?
    (?:{_any_of(_NAMES["titles"])}\.?{_SPACE})*
    (?P<name>(?>
        {_word(_NO_FIRST_NAMES)}
        (?:{_SPACE}(?:(?:{alternatives(_NAMES["particles"])}){_SPACE})*{_word(_NO_LAST_NAMES)}
        |  {_SPACE}{_any_of(_NAMES["suffixes"])}\b\.?){{0,{MOST_WORDS - 1}}}
    ))
    (?!{_SPACE}(?={UPPER}){_any_of(_ORGANISATIONS)}\b)  # "Lex Fridman Podcast"
    (?P<beside>\s*\((?:
            \s*(?:(?:(?i:github|twitter|gh|x|mastodon|bluesky)(?:\.com)?[:/ ]\s*@?|@)(?P<sure>[A-Za-z0-9_][\w-]{{1,38}})
            |     (?!{_any_of(_NAMES["not_handles"])}\b)(?P<bare>[a-z][a-z0-9](?:[-_]?[a-zA-Z0-9]){{1,37}})
            )(?:\s+on\s+\w+)?\s*
        | (?!{phrase_pattern(_DATA["words"]["in_title"])})[^()\n]{{1,80}}
        )\)
    | \s*@(?P<at>[A-Za-z0-9_][\w-]{{1,38}})(?![\w.-])
    )?""",
    re.VERBOSE,
)
_SMALL = rf"(?:(?!(?:{alternatives(_DATA['words']['small_words'])})\b){_LOWER}[\w-]*,? )"
# Words before a name: "the historian", "today", and in lists a trade: "composer Jane Roe".
_INTRODUCED = (
    rf"[\s\"“'‘(*_–—:,-]|(?:(?i:{phrase_pattern(_DATA['words']['introduction'])})[\s,:;-]*"
    rf"|(?:[Tt]he|an?|[Oo]ur|[Mm]y|[Hh]is|[Hh]er|[Tt]heir) {_SMALL}{{1,4}}"
    # "der Landwirt Jan Roe": nouns have capitals.
    rf"|(?:[Tt]he|de[rmn]|die) {_SMALL}{{0,4}}{UPPER}\w+ (?={UPPER}\w+ {UPPER})"
    rf"|(?:{alternatives(_DATA['words']['articles'])}) {_SMALL}{{0,4}})(?={_LETTER})"
)
_INTRODUCTION = re.compile(rf"(?>(?:{_INTRODUCED}){{0,20}})")
# Between two names, perhaps behind what the first one is: "Ada Roe of Petrel, and her colleague …".
_JOINT = re.compile(
    r"(?:(?P<of>\s+(?:from|of|at)\s)\s*(?:the\s+)?[A-Z0-9][\w.&'’-]*(?:\s+[A-Z0-9][\w.&'’-]*){0,3}(?=,?\s+and\s)"
    r"|\s*,\s+[a-z][^,.;:()\n]{2,60}(?=,\s+and\s))*"
    r"\s*(?P<and>,?\s*(?i:and|und|et|y|e|и|en|i|och|og|as well as)\s+|,?\s*[&+]\s*)?(?P<comma>(?(and)|,\s*))(?=\S)"
)


class PersonName(NamedTuple):
    """A name in a text, with the handle beside it, or ""."""

    name: str
    handle: str
    start: int
    end: int
    begin: int  # the start of the title or trade before the name ("Dr.", "historian"), if any

    @property
    def is_full(self) -> bool:
        """True for a first and a last name, and for names in scripts that put nothing between the
        two."""
        return " " in self.name or self.name[0].upper() == self.name[0].lower()


def tidy(name: str) -> str:
    return " ".join(unicodedata.normalize("NFC", name).split())[:200]


def names_from(text: str, start: int, end: int) -> Iterator[PersonName]:
    """The names that begin at a place and are joined by commas and "and", each perhaps with a word
    of who that is."""
    place, behind_comma = _introduced(text, start, end), False
    while found := name_at(text, place, end):
        if behind_comma and not found.is_full:
            return  # "Siobhán Reilly, Shopify"
        yield found
        joint = _JOINT.match(text, found.end, end)
        if joint is None or (joint["of"] and not found.is_full):
            return
        behind_comma = not joint["and"]
        place = _introduced(text, joint.end(), end)


def name_at(text: str, place: int, end: int) -> PersonName | None:
    """The person's name that begins at a place; None where none does."""
    found = _NAME.match(text, place, end)
    if found is None or len(found["name"].rstrip(".")) < 2:
        return None
    handle = next(filter(None, found.group("sure", "bare", "at")), "")
    name, start = tidy(found["name"]), found.start("name")
    return PersonName(name, handle, start, found.end(), found.start())


def names_before(text: str, start: int, end: int, between: re.Pattern[str]) -> list[PersonName]:
    """The names that end right before a place, with no more than `between` before it."""
    for word in [*WORD.finditer(text, start, end)][-2 * MOST_WORDS :]:
        names = list(names_from(text, word.start(), end))
        if names and between.fullmatch(text, names[-1].end, end):
            return names
    return []


def _introduced(text: str, place: int, end: int) -> int:
    """The place where a name may begin, behind what introduces it."""
    return _INTRODUCTION.match(text, place, end).end()  # type: ignore[union-attr]  # or nothing
