"""Names of people in a text: two to five words with capitals, and names in scripts without capitals
if the caller knows that a name must follow."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from ..text.normalize import plain_letters
from ..text.vocabulary import load_vocabulary, pattern_of_words

_DATA = load_vocabulary(__file__, "credits")
_AND: dict[str, str] = _DATA["and"]
_WORDS: dict[str, str] = _DATA["names"]

# --- A name with capitals --------------------------------------------------------------------------

_LETTERS = [chr(code) for code in range(0x2000)]
UPPER = "[" + "".join(filter(str.isupper, _LETTERS)) + "]"
_LOWER = "[" + "".join(filter(str.islower, _LETTERS)) + "]"
_SPACE = r"[ \u00a0]{1,3}"
_STOP = rf"(?!(?i:{pattern_of_words(_WORDS['stops'])})(?![\w'’]))"
_NOT_FIRST = rf"(?!(?i:{pattern_of_words(_WORDS['not_first'])})(?!\w))"
# Reilly, McDonald, N'dea, D'Souza
_PART = rf"{UPPER}(?:{_LOWER}+|['’]{UPPER}?{_LOWER}+)(?:{UPPER}{_LOWER}+)*"
# Jean-Luc, Guivarc'h; not Ada's, Don't
_PARTS = rf"{_PART}(?:[-‐‑]{UPPER}?{_LOWER}+|['’](?![st]\b){_LOWER}+)*(?!\w|['’](?!s\b)\w)"
_INITIALS = rf"{UPPER}\.(?:{UPPER}\.)*"
_WORD = rf"{_STOP}(?:{_PARTS}|{_INITIALS})"
_NEXT_WORD = rf"(?:{_WORD}|{UPPER}(?![\w.'’]))"
_NICKNAME = r"(?:[\"“„«‘'](?:\w+ ?){1,3}[\"”“»’'][ \u00a0])"
_PARTICLES = rf"(?:(?i:{pattern_of_words(_WORDS['particles'])})[ \u00a0])*"
# "Jan von der Roe", but "Jan Roe von Elastic" is from there.
_SECOND_WORD = rf"{_SPACE}{_NICKNAME}?(?:von )?{_PARTICLES}{_NEXT_WORD}"
_OTHER_WORDS = rf"(?:{_SPACE}{_NICKNAME}?{_PARTICLES}{_NEXT_WORD}){{0,3}}"
_CASED_NAME = rf"{_NOT_FIRST}{_WORD}(?:{_SECOND_WORD}{_OTHER_WORDS})?"
# "Ada Roe (Loom)", "Ada Roe (@adaroe)", "Ada Roe @adaroe"
_HANDLE_OR_BRACKETS = r"(?:\s?[(\[（](?P<in_brackets>[^()\[\]（）\n]{1,80})[)\]）]|\s(?P<handle>@[\w-]{2,39})(?![\w.]))?"
_TITLES = rf"(?:(?i:{pattern_of_words(_WORDS['titles'])})\.?(?!\w),?{_SPACE}){{0,4}}"
# "the great historian Ada Roe", "comic Ada Roe"
_INTRODUCTION = rf"(?:(?!{pattern_of_words(_WORDS['not_introduction'])} ){_LOWER}[\w'’-]{{0,30}},?{_SPACE}){{0,5}}"


# Compiled at their first use: these take longer than all other patterns of a command together.


@cache
def _name_pattern() -> re.Pattern[str]:
    return re.compile(rf"{_TITLES}(?P<name>{_CASED_NAME}){_HANDLE_OR_BRACKETS}")


@cache
def _introduced_name_pattern() -> re.Pattern[str]:
    return re.compile(
        rf"{_TITLES}{_INTRODUCTION}{_TITLES}(?<!\b[Tt]he )(?P<name>{_CASED_NAME}){_HANDLE_OR_BRACKETS}"
    )


@cache
def _company_pattern() -> re.Pattern[str]:
    companies = pattern_of_words(_WORDS["companies"])
    uncased_companies = pattern_of_words(_WORDS["uncased_companies"])
    return re.compile(rf"(?<!\w)(?i:{companies})(?!\w)|{uncased_companies}")


# --- A name in a script without capitals -----------------------------------------------------------

_CJK = r"[\u3005\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]"
_OTHER_SCRIPTS = r"[\u0590-\u08ff\u0900-\u0eff'’-]"
_UNCASED_SCRIPT = re.compile(rf"{_CJK}|[\u0590-\u08ff\u0900-\u0eff]")
_UNCASED_NAMES = {
    "zh": rf"{_CJK}{{1,6}}·{_CJK}{{1,6}}|{_CJK}{{2,3}}?",
    "ko": rf"{_CJK}{{2,4}}?",
    "ja": rf"{_CJK}{{1,5}}[ \u3000・]{_CJK}{{1,5}}?|{_CJK}{{2,6}}?",
}
_OTHER_UNCASED_NAME = (
    rf"{_CJK}{{2,4}}|{_OTHER_SCRIPTS}{{2,20}}(?:[ ]{_OTHER_SCRIPTS}{{2,20}}){{0,3}}"
)
_END_OF_WORDS = r"(?=\s*(?:[.。!！?？:：–—]|\Z))"
_BEHIND_NAME = {"zh": r"(?=\s|[.。!！?？:：–—]|\Z)"}  # "王小明 产品经理"
_ATTACHED_AND = {"ar": r"|\sو(?=\w+\s\w)"}  # written at the next word
_HONORIFIC = rf"(?:[ ]?{pattern_of_words(_WORDS['honorifics'])})?"

# --- Lists of names --------------------------------------------------------------------------------

_COMMA = r"[,;،、，]"
_FIRM = (
    rf"\s(?:{pattern_of_words(_WORDS['firm_follows'])})\s(?:the\s)?[A-Z0-9][\w.&'’-]{{0,40}}"
    r"(?:\s[A-Z0-9][\w.&'’-]{0,40}){0,3}"
)
# "Ada Roe, a weaver of wool, and Bo Ek"
_ROLE = rf",\s{_LOWER}[^,.;:()\n]{{2,80}}"


class PersonName(NamedTuple):
    """A name in a text, with the handle beside it or "", and the end of both."""

    name: str
    handle: str
    end: int

    @property
    def is_full(self) -> bool:
        """Return True for a first and a last name, and in scripts without capitals."""
        return " " in self.name or is_uncased(self.name)


def tidy_name(name: str) -> str:
    """Return a name in one spelling: composed letters, single spaces, at most 200 characters."""
    return " ".join(unicodedata.normalize("NFC", name).split())[:200]


def is_uncased(name: str) -> bool:
    return _UNCASED_SCRIPT.search(name) is not None


def read_names_beginning_at(
    text: str,
    start: int,
    language: str,
    *,
    may_continue_behind_comma: bool = False,
    is_labelled: bool = False,
    may_be_introduced: bool = True,
) -> list[PersonName]:
    """Return the names that begin at text[start], joined by commas and "and", up to the line's end.

    Behind a comma alone there may be somebody's job or firm, so the list goes on there only with `may_continue_behind_comma`. If
    the list is labelled, single names ("Ada") and names in scripts without capitals count as well.
    """
    max_list_length = 400  # characters; no list of names is longer
    line = text[start : start + max_list_length].partition("\n")[0]
    if is_labelled and is_uncased(line):
        return _names_in_uncased_list(line, start, language)
    pattern = _introduced_name_pattern() if may_be_introduced else _name_pattern()
    names: list[PersonName] = []
    # In "Ada Roe, Loom Hour" only the first name is certain to be a person's. An "and" makes the names up to it and
    # the name behind it certain: three in "Ada Roe, Bo Ek and Cy Orr, Loom Hour".
    certain_count = 1
    has_full_name = False
    for name, is_before_and in _iterate_names_and_following_ands(
        line, pattern, _separator_pattern(language)
    ):
        # "Guests: Ada, Bo", but in "Guests: Ada Roe, Acme" the single word is a firm.
        may_be_single = is_labelled and not has_full_name
        if not name.is_full and not may_be_single:
            break
        has_full_name = has_full_name or name.is_full
        end_in_text = start + name.end
        names.append(name._replace(end=end_in_text))
        if is_before_and:
            # The name behind "and" counts, too, if there is one.
            certain_count = len(names) + 1
    return names if may_continue_behind_comma else names[:certain_count]


def _iterate_names_and_following_ands(
    line: str, name_pattern: re.Pattern[str], separator_pattern: re.Pattern[str]
) -> Iterator[tuple[PersonName, bool]]:
    """Yield each name of a list, with its end in the line, and whether an "and" is behind it."""
    position = 0
    while name := _find_person_name_at(name_pattern, line, position):
        separator = separator_pattern.match(line, name.end)
        if separator is None:
            yield name, False
            return
        yield name, separator["and"] is not None
        position = separator.end()


def name_of_author(author: str, language: str) -> str:
    """Return an author's name without titles, or "" if the author is no person's name as a whole."""
    author = tidy_name(author)
    names = read_names_beginning_at(
        author, 0, language, is_labelled=is_uncased(author), may_be_introduced=False
    )
    is_complete = len(names) == 1 and names[0].end == len(author)
    return names[0].name if is_complete else ""


def pattern_of_word_and(language: str) -> str:
    return pattern_of_words(f"{_AND.get(language, '')} and")


@lru_cache(maxsize=256)
def _separator_pattern(language: str) -> re.Pattern[str]:
    """Return a pattern for the text between two names: perhaps a job or firm of the first, then a
    comma, "and", or both."""
    word = rf"(?:{pattern_of_word_and(language)}|[&+])\s"
    firm_or_role = rf"(?:{_FIRM}|{_ROLE})?"
    # At least one of comma and word. Without this the pattern would match nothing everywhere.
    comma_or_word_follows = rf"(?=\s?{_COMMA}|\s{word})"
    return re.compile(
        rf"{firm_or_role}{comma_or_word_follows}\s?{_COMMA}?\s{{0,2}}(?P<and>{word})?"
    )


def _find_person_name_at(pattern: re.Pattern[str], line: str, position: int) -> PersonName | None:
    match = pattern.match(line, position)
    if match is None or _company_pattern().search(match["name"]):
        return None
    # 'Ada "Shuttle" Roe' is Ada Roe.
    name = tidy_name(re.sub(_NICKNAME, "", match["name"]))
    # "@adaroe" of "Ada Roe @adaroe", "Loom" of "Ada Roe (Loom)"
    parts = match.groupdict("")
    words_behind = parts["handle"] or parts["in_brackets"]
    return PersonName(name, _handle_beside_name_or_blank(name, words_behind), match.end())


def _handle_beside_name_or_blank(name: str, words_behind: str) -> str:
    """Return the handle in the words behind a name, without "@", or "". A word without "@" counts
    if it has a part of the name in small letters."""
    # "@adaroe", "adaroe", "Twitter: @adaroe". On GitHub it has up to 39 characters.
    match = re.fullmatch(
        r"(?:[A-Za-z]+:?\s)?(?P<at>@?)(?P<handle>[A-Za-z0-9_][\w-]{1,38})", words_behind.strip()
    )
    if match is None:
        return ""
    handle = match["handle"]
    # "Ada Roe (adaroe)", but not "Ada Roe (Acme)". The parts are in small letters, so "(RoeMills)" has none.
    has_part_of_name = any(part in handle for part in plain_letters(name).split())
    return handle if match["at"] or has_part_of_name else ""


def _names_in_uncased_list(line: str, line_position: int, language: str) -> list[PersonName]:
    """Return the names of a labelled list that has names in a script without capitals, up to the first
    other words. `line_position` is the position of the line in its text."""
    end_of_line = line_position + len(line)
    names: list[PersonName] = []
    # "王小明 (Acme)" becomes "王小明 ".
    line_without_brackets = re.sub(r"[(（\[【][^)）\]】\n]{0,80}[)）\]】]", "", line)
    for piece in _uncased_separator(language).split(line_without_brackets):
        match = _uncased_pattern(language).match(piece.strip())
        if match is None or _company_pattern().search(match["name"]):
            break
        # Without the brackets the end of each name is unknown, so the line's end stands for it.
        names.append(PersonName(tidy_name(match["name"]), handle="", end=end_of_line))
    return names


@lru_cache(maxsize=64)
def _uncased_pattern(language: str) -> re.Pattern[str]:
    name = _UNCASED_NAMES.get(language, _OTHER_UNCASED_NAME)
    behind = _BEHIND_NAME.get(language, _END_OF_WORDS)
    return re.compile(rf"(?P<name>{name}|{_CASED_NAME}){_HONORIFIC}{behind}")


@lru_cache(maxsize=64)
def _uncased_separator(language: str) -> re.Pattern[str]:
    word = pattern_of_words(_AND.get(language, "") or "&")
    # Chinese and Japanese write "and" without spaces: "王小明和李大文".
    between_characters = rf"(?<={_CJK}{{2}}){word}\s?(?={_CJK}{{2}})"
    attached = _ATTACHED_AND.get(language, "")
    return re.compile(rf"{_COMMA}|[/|&＆]|\s{word}\s|{between_characters}{attached}")
