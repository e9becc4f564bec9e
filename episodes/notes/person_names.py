"""Names of people in a text: two to five words with capitals, and names in scripts without capitals
if the caller knows that a name must follow."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ..text.normalize import plain_letters
from ..text.vocabulary import alternatives, load, word_set

MAX_WORDS_OF_NAME = 5
MAX_UNCASED_LENGTH = {"zh": 5, "ko": 5, "ja": 8}  # characters of a name without spaces
MAX_WORDS_OF_UNCASED_NAME = 4
MAX_LIST_LENGTH = 400  # characters that may hold a list of names

_DATA = load(__file__, "credits")
_AND: dict[str, str] = _DATA["and"]
_WORDS = {kind: word_set(words) for kind, words in _DATA["names"].items()}

_LETTERS = [chr(code) for code in range(0x2000)]
UPPER = "[" + "".join(filter(str.isupper, _LETTERS)) + "]"
_LOWER = "[" + "".join(filter(str.islower, _LETTERS)) + "]"
_CJK = r"[\u3005\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]"

# Reilly, McDonald, N'dea, D'Souza, Jean-Luc
_PART = rf"{UPPER}(?:{_LOWER}+|['’]{UPPER}?{_LOWER}+)(?:{UPPER}{_LOWER}+)*"
_TAIL = rf"(?:[-‐‑]{UPPER}?{_LOWER}+|['’](?![st]\b){_LOWER}+)*"
_STOP = rf"(?!(?i:{alternatives(_WORDS['stops'])})(?![\w'’]))"
_WORD = rf"{_STOP}(?:{_PART}{_TAIL}(?!\w|['’](?!s\b)\w)|{UPPER}\.(?:{UPPER}\.)*)"
_NEXT_WORD = rf"(?:{_WORD}|{UPPER}(?![\w.'’]))"
_PARTICLES = rf"(?:(?i:{alternatives(_WORDS['particles'])})[ \u00a0])*"
_NICKNAME = re.compile(r"[\"“„«‘'](?:\w+ ?){1,3}[\"”“»’'][ \u00a0]")
_SPACE = r"[ \u00a0]{1,3}"
_NAME = re.compile(
    rf"(?!(?i:{alternatives(_WORDS['not_first'])})(?!\w)){_WORD}"
    rf"(?:{_SPACE}(?:{_NICKNAME.pattern})?{_PARTICLES}{_NEXT_WORD}){{0,{MAX_WORDS_OF_NAME - 1}}}"
)
_TITLES = re.compile(rf"(?:(?i:{alternatives(_WORDS['titles'])})\.?(?!\w),?{_SPACE})*")
# "the great historian Ada Roe", "comic Ada Roe"
_INTRODUCTION = re.compile(
    rf"(?:(?!{alternatives(_WORDS['not_introduction'])} ){_LOWER}[\w'’-]*,?{_SPACE}){{0,5}}"
)
_HANDLE = re.compile(r"\s?[(（]?@(?P<handle>[A-Za-z0-9_][\w-]{1,38})[)）]?(?![\w.])")
_BRACKETS = re.compile(r"\s?(?:\((?P<inside>[^()\n]{1,80})\)|（[^（）\n]{1,80}）|\[[^\[\]\n]{1,80}\])")
_FIRM = re.compile(
    rf"\s(?:{alternatives(_WORDS['firm_follows'])})\s(?:the\s)?[A-Z0-9][\w.&'’-]{{0,40}}(?:\s[A-Z0-9][\w.&'’-]{{0,40}}){{0,3}}"
)
# "Ada Roe, a weaver of wool, and Bo Ek"
_ROLE = re.compile(rf",\s(?:the\s)?{_LOWER}[^,.;:()\n]{{2,80}}")
# "Jan Roe von Elastic" is from there, "Jan von der Roe" is his name.
_VON = re.compile(r"(\S+ \S+) (?:von|van het) .*")
_COMMA = r"[,;،、，]"
_UNCASED = r"\u0590-\u0eff\u3005\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_UNCASED_SCRIPT = re.compile(rf"[{_UNCASED}]")
_UNCASED_NAME = re.compile(rf"[{_UNCASED}][{_UNCASED} ·・'’-]+")
_ANY_BRACKETS = re.compile(r"[(（\[【][^)）\]】\n]{0,80}[)）\]】]")
_SENTENCE_END = re.compile(r"[。.!?！？:：–—]")


class PersonName(NamedTuple):
    """A name in a text, with the handle beside it or "", and the place where the text goes on."""

    name: str
    handle: str
    end: int

    @property
    def is_full(self) -> bool:
        """True for a first and a last name, and in scripts without capitals."""
        return " " in self.name or not is_cased(self.name)


def tidy_name(name: str) -> str:
    """Return a name in one spelling: composed letters, single spaces, at most 200 characters."""
    return " ".join(unicodedata.normalize("NFC", name).split())[:200]


def is_cased(name: str) -> bool:
    """Return whether a name is in a script with capitals."""
    return name[:1].lower() != name[:1].upper()


def is_company(name: str) -> bool:
    """Return whether a name has a word that companies, teams and shows have."""
    words = set(re.findall(r"\w+", name.casefold()))
    if not words.isdisjoint(_WORDS["companies"]):
        return True
    return any(word in name for word in _WORDS["companies"] if not is_cased(word))


def read_names(
    text: str,
    start: int,
    language: str,
    *,
    is_plural: bool = False,
    is_labelled: bool = False,
    may_have_introduction: bool = True,
) -> list[PersonName]:
    """Return the names that begin at text[start], joined by commas and "and", up to the line's end.

    Behind a comma alone there may be somebody's job or firm, so only a plural list goes on there. If
    the list is labelled, single names ("Ada") and names in scripts without capitals count as well.
    """
    line = text[start : start + MAX_LIST_LENGTH].partition("\n")[0]
    if is_labelled and _UNCASED_SCRIPT.search(line):
        return list(_read_uncased_list(line, start, language))
    names: list[PersonName] = []
    certain_count = 1  # names up to the last "and"
    joint = _joint_pattern(language)
    position = 0
    while name := _match_name(line, position, may_have_introduction):
        is_single_behind_comma = len(names) >= certain_count and not name.is_full
        if is_single_behind_comma and any(other.is_full for other in names):
            break
        names.append(name._replace(end=start + name.end))
        separator = joint.match(line, _skip_description(line, name.end, joint))
        if separator is None:
            break
        if separator["and"]:
            certain_count = len(names) + 1
        position = separator.end()
    if not is_plural:
        names = names[:certain_count]
    return [name for name in names if is_labelled or name.is_full]


def name_of_author(author: str, language: str) -> str:
    """Return an author's name without titles, or "" if the author is no person's name as a whole."""
    author = tidy_name(author)
    if _UNCASED_SCRIPT.search(author):
        is_short = len(author) <= MAX_UNCASED_LENGTH.get(language, 20)
        return _uncased_name(author, language) if is_short and not is_company(author) else ""
    name = _match_name(author, 0, may_have_introduction=False)
    is_whole = name is not None and name.end == len(author)
    return name.name if name and is_whole and name.is_full else ""


@lru_cache(maxsize=256)
def _joint_pattern(language: str) -> re.Pattern[str]:
    """Return a pattern for what joins two names: a comma, "and" in a language or in English, or both."""
    words = alternatives(f"{_AND.get(language, '')} and & +")
    return re.compile(rf"\s{{0,2}}(?:{_COMMA}\s{{0,2}})?(?P<and>{words}\s)?(?:(?<=\s)|(?<=[、，,،]))")


def and_words(language: str) -> str:
    """Return a pattern for "and" between two names in a language, and in English."""
    return alternatives(f"{_AND.get(language, '')} and")


def _match_name(line: str, position: int, may_have_introduction: bool) -> PersonName | None:
    """Return the name that begins at a place, perhaps behind titles ("Dr.") or what somebody is."""
    begin = _TITLES.match(line, position)
    if may_have_introduction:
        begin = _INTRODUCTION.match(line, begin.end()) if begin else begin
        begin = _TITLES.match(line, begin.end()) if begin else begin
    match = _NAME.match(line, begin.end() if begin else position)
    if match is None:
        return None
    words, end = match[0], match.end()
    if firm := _VON.fullmatch(words):
        words, end = firm[1], match.start() + len(firm[1])
    name = tidy_name(_NICKNAME.sub("", words))
    if is_company(name) or len(name) < 2:
        return None
    handle = _HANDLE.match(line, end)
    if handle:
        return PersonName(name, handle["handle"], handle.end())
    brackets = _BRACKETS.match(line, end)
    if brackets is None:
        return PersonName(name, "", end)
    return PersonName(name, _handle_in(brackets["inside"] or "", name), brackets.end())


def _handle_in(inside: str, name: str) -> str:
    """Return the handle in brackets beside a name: "@adaroe", or a word that has part of the name."""
    handle = re.fullmatch(r"\s*(?:[A-Za-z]+:?\s)?(@?)([A-Za-z0-9_][\w-]{1,38})\s*", inside)
    if handle is None:
        return ""
    has_part = any(part in handle[2] for part in plain_letters(name).split() if len(part) > 1)
    return handle[2] if handle[1] or has_part else ""


def _skip_description(line: str, position: int, joint: re.Pattern[str]) -> int:
    """Return the place behind the firm or the role of a person, if another name may follow there."""
    for description in (_FIRM, _ROLE):
        match = description.match(line, position)
        if match and joint.match(line, match.end()):
            return match.end()
    return position


def _read_uncased_list(line: str, start: int, language: str) -> Iterator[PersonName]:
    """Yield the names of a labelled list that has names in a script without capitals, up to the first
    other words."""
    without_brackets = _ANY_BRACKETS.sub("", line)
    words = alternatives(_AND.get(language, "") or "&")
    # Arabic writes "and" at the next word.
    attached = r"|\sو(?=\w+\s\w)" if language == "ar" else ""
    separator = rf"{_COMMA}|[/|&＆]|\s{words}\s|(?<={_CJK}{{2}}){words}\s?(?={_CJK}{{2}}){attached}"
    for piece in re.split(separator, without_brackets):
        words_of_piece = _SENTENCE_END.split(piece)[0].strip()
        cased_name = _match_name(words_of_piece, 0, may_have_introduction=False)
        name = cased_name.name if cased_name else _uncased_name(words_of_piece, language)
        if not name or is_company(name):
            return
        yield PersonName(name, "", start + len(line))


def _uncased_name(piece: str, language: str) -> str:
    """Return a name in a script without capitals, without what is polite behind it; "" for others."""
    name = tidy_name(piece)
    if language == "zh":
        name = name.partition(" ")[0]
    for honorific in sorted(_WORDS["honorifics"], key=len, reverse=True):
        if name.endswith(honorific) and len(name) > len(honorific) + 1:
            name = name.removesuffix(honorific).strip()
            break
    if not _UNCASED_NAME.fullmatch(name):
        return ""
    if re.search(_CJK, name):
        return name if len(name) <= MAX_UNCASED_LENGTH.get(language, 8) else ""
    return name if len(name.split()) <= MAX_WORDS_OF_UNCASED_NAME else ""
