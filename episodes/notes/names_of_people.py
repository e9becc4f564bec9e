"""Names of people among other words with capitals, in every script, and the handles beside them."""

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..text.normalize import plain_letters
from ..text.sentences import WORD
from ..text.vocabulary import alternatives, load, phrase_pattern, word_set

MOST_WORDS = 5  # of a name

_DATA = load(__file__, "people")
_NAMES = {name: word_set(words) for name, words in _DATA["names"].items()}
_ORGANISATIONS = _NAMES["organisations"]
_NO_NAMES = _NAMES["no_names"] | _ORGANISATIONS
_VERBS = word_set(_DATA["words"]["speaks"])
_NO_LAST_NAMES = ((_NO_NAMES | _VERBS) - _NAMES["surnames"]) | _NAMES["degrees"]

# First names of some 90 countries, in small letters without accents: those of the packages Faker (Python and
# JavaScript) and Mimesis.
_GIVEN_NAMES = word_set((Path(__file__).parent / "data" / "given_names.txt").read_text("utf-8"))

_LETTERS = [chr(code) for code in range(0x2000)]
UPPER = "[" + "".join(filter(str.isupper, _LETTERS)) + "]"
_LOWER = "[" + "".join(filter(str.islower, _LETTERS)) + "]"
_LETTER = r"[^\W\d_]"
# Chinese characters, kana and Hangul; then letters of other scripts without capitals, with the
# signs above and below them. Without を, which marks an object and is part of no name.
_CJK = r"[\u3040-\u3091\u3093-\u30fa\u30fc-\u30ff\u3005\u3400-\u9fff\uac00-\ud7a3]"
_HANGUL = r"[\uac00-\ud7a3]"
_KOREAN_NAME = rf"[{_DATA['words']['korean_surnames']}]{_HANGUL}{{2}}(?!{_HANGUL})"
_PARTICLE = "[이가은는과와을를]"  # Korean, behind a name
_UNCASED = rf"(?:(?!{UPPER}|{_LOWER}|{_CJK}){_LETTER}[\u0591-\u05c7\u064b-\u0652\u0900-\u0dff\u0e00-\u0e7f]*)"
_PAUSE = r"[ \t]*(?:[,،、，;:(（)）\n.।。|/–—-]|\Z)"
_ENDS = r"(?!\w|['’-]\w)"


def _any_of(words: frozenset[str]) -> str:
    """Any of these words, in any case."""
    return rf"(?i:{alternatives(words)})"


def _word(no_names: frozenset[str]) -> str:
    """A word of a name: Reilly, O'Brien, Jean-Luc, McDonald, al-Rashid, J.; not CUDA, AOTAutograd
    or Episode."""
    return rf"""
        (?!{_any_of(no_names)}\.?(?:['’]s)?{_ENDS})
        (?:
            (?:{_any_of(_NAMES["prefixes"])}-)?(?:(?:Mc|Mac|De|Di|Da|Du|La|Le|Van|Von|Fitz|O)(?={UPPER}))?
            {UPPER}{_LOWER}*(?:[\-‐‑·]{UPPER}?{_LOWER}+|['’]{UPPER}{_LOWER}+|(?<!\w\w)(?!['’]s\b)['’]{_LOWER}+|['’]h(?!\w))*(?:(?<!\w\w)(?<!['’]h)\.)?(?!\w)
            | {UPPER}{{2}}(?!\w)
        )"""


_SPACE = r"(?:[ \t\u00a0]{1,3}|\n(?!\n))"
# What is written behind these without a space: particles.
_HONORIFIC = rf"[ ]?{_any_of(_NAMES['honorifics'])}(?![^\W{_DATA['words']['behind_honorifics']}])"
_KANJI = r"[\u3400-\u9fff]"
# 三条はるか, マリア・ロペス, 三条 はるか, 도기훈
_CJK_NAME = rf"""(?:
        [\u30a0-\u30ff]{{2,20}}(?={_HONORIFIC}|(?!\w))
    |   {_CJK}{{2,3}}(?=[和与與及](?!{_CJK}(?:さん|氏|様)){_CJK}{{2,3}}(?!\w))  # not 堀内和也さん
    |   [\u3040-\u9fff]{{1,4}}[ \u3000][\u3040-\u9fff]{{1,5}}?(?={_HONORIFIC})
    |   (?:(?!(?<={_KANJI})の{_KANJI}){_CJK}){{2,8}}?(?={_HONORIFIC})
    |   {_HANGUL}{{3}}(?={_PARTICLE}?(?!\w)) | {_HANGUL}{{2,4}}(?!\w)
        # not the potter in "陶芸家、三条はるかさん"
    |   (?!{_HANGUL}){_CJK}{{2,6}}(?!\w)(?![・、][^、。\n]{{1,12}}{_HONORIFIC})
    )(?![ \u3000]+(?!{_HONORIFIC})[\u3040-\u9fff])"""
_NAME = re.compile(
    rf"""
    # 陶芸家の三条はるかさん, タイプデザイナー・三条はるか
    (?:(?:(?!{_HONORIFIC}){_CJK}){{1,12}}?(?:の|から|(?<![\u30a0-\u30ff])[・、])(?=[・\u3041-\u9fff]{{2,12}}?{_HONORIFIC})
    |  {_CJK}{{1,20}}・(?=[\u3041-\u3096\u3400-\u9fff]))?
    (?:(?:{UPPER}[\w-]+[ ])?{_any_of(_NAMES["titles"])}(?:\.{_LOWER}{{2,3}})?\.?{_SPACE})*  # "Historian Dr. Ada Roe"
    (?P<name>(?>
        {_word(_NO_NAMES)}
        (?:{_SPACE}{_any_of(_NAMES["suffixes"])}\b\.?
        |  {_SPACE}(?:["“„«]\w+["”“»]{_SPACE})?(?:(?:{alternatives(_NAMES["particles"])}){_SPACE})*{_word(_NO_LAST_NAMES)}
        ){{0,{MOST_WORDS - 1}}}
        # not なし, and none that begins a sentence
        | (?!{_any_of(_NO_NAMES)}(?!\w))(?![\u3040-\u309f]+(?!\w)){_CJK_NAME}
        | (?!{_any_of(_NO_NAMES)}(?!\w)){_UNCASED}{{2,14}}(?:[ ]{_UNCASED}{{2,14}}){{1,2}}(?={_PAUSE})
    ))(?:{_HONORIFIC})?
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
# Japanese names of three signs or more, before "and", "is", "also".
NAME_BEFORE_PARTICLE = re.compile(
    rf"(?<!{_KANJI})(?:[\u3400-\u9fff々]{{3,5}}|[\u3400-\u9fff々]{{2,3}}[\u3041-\u3096]{{2,4}}?)(?=[とがはも])"
)
_NO_JOB = rf"(?!(?:{alternatives(_DATA['words']['small_words'])})\b)"
_BETWEEN = alternatives(_DATA["words"]["between"])
_SMALL = rf"(?:(?:(?:{_BETWEEN}) (?={_LOWER}))?{_NO_JOB}(?:[dl]['’])?{_LOWER}[\w-]{{0,40}}\.?(?:{_LOWER}{{1,40}})?,? )"
_ARTICLE = rf"(?:(?i:{alternatives(_DATA['words']['articles'])})(?:[ ]|(?<=['’])))"
# Words before a name: "today", and what somebody is: "the great historian", "l'ing.".
_INTRODUCED = (
    rf"[\s\"“'‘(*_–—:,-]|(?:(?i:{phrase_pattern(_DATA['words']['introduction'])})[\s,:;-]{{0,9}}"
    # "der Landwirt Jan Roe": nouns have capitals.
    rf"|(?:[Tt]he|[Dd]e[rmn]|[Dd]ie|[Ee]ine?[mnr]?) {_SMALL}{{0,4}}{UPPER}\w{{1,40}} (?={UPPER}\w{{1,40}} {UPPER})"
    rf"|{_ARTICLE}{_SMALL}{{0,4}})(?={_LETTER})"
    # "번역가 도기훈"
    rf"|(?:(?=(?:{_HANGUL}{{1,8}}(?<![과와])[ ]){{1,4}}?{_HANGUL}{{2,4}}{_HONORIFIC})|(?!{_KOREAN_NAME}))"
    rf"{_HANGUL}{{1,8}}(?<![과와이])[ ](?!{_HONORIFIC})(?={_HANGUL})"
)
_INTRODUCTION = re.compile(rf"(?>(?:{_INTRODUCED}){{0,20}})")
# And whose or what somebody is without an article: "Leeds's composer Jane Roe".
_JOB = re.compile(
    rf"{_INTRODUCTION.pattern}(?:(?:{UPPER}\w{{0,40}}['’]s )?{_SMALL}{{0,3}}"
    rf"(?={UPPER}[\w.'’-]{{0,40}}[ ](?:\w{{1,4}}[ ]){{0,2}}{UPPER}))?"
)
# Between two names, perhaps behind what the first one is: "Ada Roe of Petrel, and her colleague …".
_JOINT = re.compile(
    r"(?:(?P<of>\s{1,3}(?:from|of|at)\s)\s{0,3}(?:the\s{1,3})?[A-Z0-9][\w.&'’-]{0,40}(?:\s{1,3}[A-Z0-9][\w.&'’-]{0,40}){0,3}(?=,?\s{1,3}and\s)"
    rf"|\s{{0,3}},\s{{1,3}}{_LOWER}(?:(?!{UPPER}\w{{1,40}} {UPPER})[^,.;:()\n]){{2,60}}(?=,\s{{1,3}}(?:{_BETWEEN})\s)){{0,9}}"
    rf"\s{{0,3}}(?P<and>,?\s{{0,3}}(?i:{_BETWEEN})\s{{1,3}}(?:(?:from|{phrase_pattern(_DATA['words']['in_title'])})\s{{1,3}})?|,?\s{{0,3}}(?:[&+・、と和与與및과와]|และ)\s{{0,3}})?"
    r"(?P<comma>(?(and)|[,،，]\s{0,3}))(?=\S)"
)


# "Jan Roe von der Sternwarte" is from there, "Jan von der Roe" is his name.
_FROM = re.compile(r"\A(\S+ \S+) (?:von|van) (?:de[mnr]|het) .*")
# Where a name may begin: at a word, and behind what somebody is in Japanese.
_STARTS = re.compile(r"(?<![\w'’])(?=[^\W_の])|(?<=の)(?=[\u30a0-\u30ff\u3400-\u9fff])")


class PersonName(NamedTuple):
    """A name in a text, with the handle beside it, or ""."""

    name: str
    handle: str
    start: int
    end: int
    begin: int  # the start of the title or trade before the name ("Dr.", "historian"), if any
    sure: bool = True  # False behind a comma alone, where there may be what somebody is

    @property
    def is_full(self) -> bool:
        """True for a first and a last name, and for names in scripts that put nothing between the
        two."""
        return " " in self.name or is_uncased(self.name)


def is_uncased(name: str) -> bool:
    """True for a name in a script without capitals."""
    return name[0].upper() == name[0].lower()


def has_given_name(name: str) -> bool:
    """True for a name that begins with a known first name."""
    return plain_letters(re.split(r"[ \-‐‑·]", name, maxsplit=1)[0]) in _GIVEN_NAMES


def _is_given_name(word: str) -> bool:
    """True for a word with which a name may begin: "Le" and "Te" begin more surnames."""
    is_first = len(word) > 2 and word.casefold() not in _NAMES["particles"]
    return (is_first and has_given_name(word)) or plain_letters(word) in _NAMES["family_first"]


def may_be_person(name: str) -> bool:
    """True for a name with a known first name, and in a script without capitals."""
    return is_uncased(name) or has_given_name(name)


def tidy(name: str) -> str:
    return " ".join(unicodedata.normalize("NFC", name).split())[:200]


def names_from(text: str, start: int, end: int) -> list[PersonName]:
    """The names that begin at a place and are joined by "and", with commas before it, each perhaps
    with a word of who that is."""
    names: list[PersonName] = []
    listed, place = 1, _introduced(text, start, end, _JOB)
    while found := name_at(text, place, end):
        if len(names) == listed and not found.is_full:
            break  # "Siobhán Reilly, Shopify"
        names.append(found)
        # "Ada Roe (Loom), Bo Ek (Mill)", not "Ada Roe (she/her), New York".
        if text[names[0].end - 1] == text[found.end - 1] == ")":
            listed = len(names)
        joint = _JOINT.match(text, found.end, end)
        if joint is None or (joint["of"] and not found.is_full):
            break
        listed = len(names) + 1 if joint["and"] else listed
        place = _introduced(text, joint.end(), end, _JOB if joint["and"] else _INTRODUCTION)
    return [name._replace(sure=place < listed) for place, name in enumerate(names)]


def full_names(text: str, *, nested: bool = False) -> Iterator[list[PersonName]]:
    """The first and last names in a text, those that are joined together; `nested` also those that
    begin inside others, of whose words the first may be a trade."""
    end = 0
    for word in WORD.finditer(text):
        if (word.start() < end and not nested) or word[0][0].islower():
            continue
        names = names_from(text, word.start(), len(text))
        if names and all(name.is_full for name in names):
            end = names[-1].end
            yield names


def name_at(text: str, place: int, end: int) -> PersonName | None:
    """The person's name that begins at a place; None where none does."""
    found = _NAME.match(text, place, end)
    if found is None or len(found["name"].rstrip(".")) < 2:
        return None
    handle = next(filter(None, found.group("sure", "bare", "at")), "")
    name, start = _FROM.sub(r"\1", tidy(found["name"])), found.start("name")
    # "Harbourmaster Ada Roe" begins with what she is, "Ngô Thị Lan" with the surname.
    words = [one for one in name.split() if one.casefold().rstrip(".") not in _NAMES["suffixes"]]
    match list(map(_is_given_name, words)):
        case [False, True, _, *_]:
            name = name.partition(" ")[2]
            start = found.end("name") - len(name)
    return PersonName(name, handle, start, found.end(), found.start())


def names_before(text: str, start: int, end: int, between: re.Pattern[str]) -> list[PersonName]:
    """The names that end right before a place, with no more than `between` before it."""
    for word in [*_STARTS.finditer(text, start, end)][-2 * MOST_WORDS :]:
        names = list(names_from(text, word.start(), end))
        if names and between.fullmatch(text, names[-1].end, end):
            return names
    return []


def _introduced(text: str, place: int, end: int, words: re.Pattern[str]) -> int:
    """The place where a name may begin, behind the words that introduce it."""
    return words.match(text, place, end).end()  # type: ignore[union-attr]  # or nothing
