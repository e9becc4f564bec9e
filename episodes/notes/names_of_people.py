"""Tells names of people from other words with capitals, in every script."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from ..text.vocabulary import load, phrase_pattern, word_set

MOST_WORDS = 5  # of a name

_DATA = load(__file__, "people")
_NAMES = {name: word_set(words) for name, words in _DATA["names"].items()}
_ORGANISATIONS = _NAMES["organisations"]
_NO_NAMES = _NAMES["no_names"] | _ORGANISATIONS
_SMALL_WORDS = "|".join(_DATA["words"]["small_words"].split())
_SMALL = rf"(?:(?!(?:{_SMALL_WORDS})\b)[a-z][\w-]*,? )"

_INTRODUCTION = re.compile(
    rf"(?:{phrase_pattern(_DATA['words']['introduction'])}[\s,:;-]*"
    rf"|(?-i:(?:[Tt]he|an?|[Oo]ur|[Mm]y|[Hh]is|[Hh]er|[Tt]heir) {_SMALL}{{1,4}}))(?=[^\W\d_])",
    re.IGNORECASE,
)
_TRADE = re.compile(rf"{_SMALL}{{1,3}}(?=[^\W\d_])")  # "Guests: composer Jane Roe"
_NAME_WORD = re.compile(r"[^\W\d_]+(?:['’\-‐‑·][^\W\d_]+)*\.?")
_PARTS = re.compile(r"['’\-‐‑·]")
_SPACE = re.compile(r"[ \t\u00a0]{1,3}|\n(?!\n)")
_FAMILY = re.compile(r"\A(?:Mc|Mac|De|Di|Da|Du|La|Le|Van|Von|Fitz|O)(?=[A-Z])")
# Where somebody comes from, or what they are, between two names.
_ASIDE = re.compile(
    r"\s+(?:from|of|at)\s+(?:the\s+)?[A-Z0-9][\w.&'’-]*(?:\s+[A-Z0-9][\w.&'’-]*){0,3}(?=,?\s+and\s)"
    r"|\s*,\s+[a-z][^,.;:()\n]{2,60}(?=,\s+and\s)"
)
_JOINT = re.compile(
    r"\s*(?:,\s*(?:and\s+|&\s*)?|(?:and|und|et|y|e|и|en|i)\s+|&\s*|\+\s*|as well as\s+)(?=\S)", re.IGNORECASE
)
_BESIDE = re.compile(r"\s*(?:\((?P<in>[^()\n]{1,80})\)|(?P<at>@[A-Za-z0-9_][\w-]{1,38})(?![\w.-]))")
_HANDLE = re.compile(
    r"(?:(?:github|twitter|gh|x|mastodon|bluesky)(?:\.com)?[:/ ]\s*@?|@)(?P<sure>[A-Za-z0-9_][\w-]{1,38})(?:\s+on\s+\w+)?"
    r"|(?P<bare>(?-i:[a-z])[a-z0-9]+(?:[-_]?[a-zA-Z0-9]+){0,9})(?:\s+on\s+(?:github|twitter|x))?",
    re.IGNORECASE,
)


class PersonName(NamedTuple):
    """A name where it stands, with the handle beside it, or ""."""

    name: str
    handle: str
    start: int
    end: int

    @property
    def is_full(self) -> bool:
        """True for a first and a last name, and for names in scripts that put nothing between the two."""
        return " " in self.name or _has_no_case(self.name)


def tidy(name: str) -> str:
    return " ".join(unicodedata.normalize("NFC", name).split())[:200]


def is_organisation(name: str) -> bool:
    return any(word.casefold() in _ORGANISATIONS for word in _NAME_WORD.findall(name))


def starts(text: str, start: int, end: int) -> list[int]:
    """Where the last words begin that may be of names."""
    return [word.start() for word in _NAME_WORD.finditer(text, start, end)][-2 * MOST_WORDS :]


def names_from(text: str, start: int, end: int, trade: bool = False) -> Iterator[PersonName]:
    """The names that begin at a place and are joined by commas and "and", each perhaps with a word of who that is."""
    place = _skip(text, start, end, trade)
    listed = False
    while found := name_at(text, place, end):
        if listed and not found.is_full:
            return  # "Siobhán Reilly, Shopify"
        yield found
        after = found.end
        while aside := _ASIDE.match(text, after, end):
            after = aside.end()
        joint = _JOINT.match(text, after, end)
        if joint is None:
            return
        listed = joint[0].strip() == ","
        place = _skip(text, joint.end(), end, True)


def name_at(text: str, place: int, end: int) -> PersonName | None:
    """The person's name that begins at a place; None where none does."""
    trade = _NAME_WORD.match(text, place, end)
    if trade and trade[0].casefold() in _NAMES["trades"]:
        place = trade.end() + 1
    words = _words_at(text, place, end)
    if not words:
        return None
    stop = words[-1][1] + len(words[-1][0])
    name = tidy(text[words[0][1] : stop])
    beside = _BESIDE.match(text, stop, end)
    if beside is None:
        return PersonName(name, "", words[0][1], stop)
    return PersonName(name, _handle((beside["in"] or beside["at"]).strip()), words[0][1], beside.end())


def _skip(text: str, place: int, end: int, trade: bool) -> int:
    """Past what stands before a name: an introduction, and where it may, what somebody does."""
    for _ in range(8):
        while place < end and (text[place].isspace() or text[place] in "\"“‘'(*_-–—:,"):
            place += 1
        introduction = _INTRODUCTION.match(text, place, end) or (_TRADE.match(text, place, end) if trade else None)
        if introduction is None:
            return place
        place = introduction.end()
    return place


def _handle(beside: str) -> str:
    found = _HANDLE.fullmatch(beside)
    if found is None:
        return ""
    bare = found["bare"] or ""
    is_handle = 2 < len(bare) <= 39 and bare.casefold() not in _NAMES["not_handles"]
    return found["sure"] or (bare if is_handle else "")


def _words_at(text: str, place: int, end: int) -> list[tuple[str, int]]:
    """The words of the name that begins at a place, and where each begins; none where no name does."""
    words: list[tuple[str, int]] = []
    for word, start, kind in _run(text, place, end):
        if not kind or (kind == "title" and words):
            words = [] if _begins_company(word) else words
            break
        words += [(word, start)] * (kind != "title")
    while words and words[-1][0] in _NAMES["particles"]:
        words.pop()
    is_letter = len(words) == 1 and len(words[0][0].rstrip(".")) < 2
    return [] if is_letter else words[:MOST_WORDS]


def _begins_company(word: str) -> bool:
    """True for a word that ends a name which begins like a person's: "Lex Fridman Podcast"."""
    return word[:1].isupper() and word.casefold() in _ORGANISATIONS


def _run(text: str, place: int, end: int) -> Iterator[tuple[str, int, str]]:
    """Words with nothing but a space between them, where each begins, and what each may be in a name."""
    for count in range(MOST_WORDS + 2):
        found = _NAME_WORD.match(text, place, end)
        if found is None:
            return
        word = _bare(found[0])
        yield word, place, _kind(word, first=count == 0)
        space = _SPACE.match(text, found.end(), end)
        if space is None or word != found[0]:
            return
        place = space.end()


def _bare(word: str) -> str:
    """The word without the stop of its sentence and without "'s"; initials and titles keep their stop."""
    keeps = len(word) <= 2 or word[:-1].casefold() in _NAMES["titles"] | _NAMES["suffixes"]
    word = word if keeps else word.rstrip(".")
    return word.removesuffix("'s").removesuffix("’s")


def _kind(word: str, first: bool) -> str:
    """What a word may be in a name: "name", "title", or "" for what ends it."""
    plain = word.casefold().rstrip(".")
    if plain in _NAMES["titles"] and word[0].isupper():
        return "title"
    if plain in _NAMES["suffixes"] or (plain in _NAMES["particles"] and word.islower()):
        return "" if first else "name"
    return "name" if not _is_none(plain, first) and _has_form(word, first) else ""


def _is_none(plain: str, first: bool) -> bool:
    return plain in _NO_NAMES and (first or plain not in _NAMES["surnames"])


def _has_form(word: str, first: bool) -> bool:
    """True for the capitals of a name: Reilly, K., al-Rashid, McDonald, 李沐; not for CUDA and AOTAutograd."""
    if _has_no_case(word):
        return len(word) <= 12
    prefix, hyphen, rest = word.partition("-")
    if hyphen and not first and prefix in _NAMES["prefixes"]:
        word = rest
    if not (word[:1].isupper() or word[:1].istitle()):
        return False
    is_initial = len(word) <= 2 and word.rstrip(".").isupper()
    return is_initial or all(map(_is_name_part, _PARTS.split(word)))


def _is_name_part(part: str) -> bool:
    rest = _FAMILY.sub("", part)
    return part.islower() or not rest[1:] or rest[1:].islower()


def _has_no_case(word: str) -> bool:
    return all(unicodedata.category(character) in ("Lo", "Lm", "Mn", "Mc") for character in word)
