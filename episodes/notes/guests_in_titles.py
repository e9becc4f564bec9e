"""Names in titles: by the words beside a name, by what the notes say they do, and the place where a
show's titles put them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..text.sentences import WORD
from ..text.vocabulary import Phrases, load
from .names_of_people import PersonName, names_from

MOST_TITLE = 400  # characters of a title in which names are looked for
LONGEST_ENDING = 2  # letters by which the cases of a name differ
SHORTEST_STEM = 3

_WORDS = load(__file__, "people")["words"]
# "Working with", "getting started with" lead to things.
_OF_THINGS = (
    r"(?<!ing )(?<!start )(?<!started )(?<!fun )(?<!trouble )(?<!problem )(?<!deal )(?<!life )"
)
_END = r"/?\s*(?:\w{2,5}\.\s)*\Z"
_LEADS = Phrases(_WORDS["in_title"], after=_END)
_IN_TITLE = Phrases(_WORDS["in_title"], before=_OF_THINGS, after=_END)
_SPEAKS = Phrases(_WORDS["speaks"], before=r"(?<!\w)(\w+)\s+")
# "Loom Talk with Ada Roe: Clouds" is an episode of her show, "Clouds with Ada Roe – Ep 7" is not.
_IS_SHOW = re.compile(r":|\s[–—-]\s(?!\W*(?:\w+\W*)?\d)")
# All dashes are one, and numbers are left out: "Episode 79 –" is the same place as "Episode 103 -".
_ALIKE = str.maketrans("–—−|", "----", "0123456789")


def _full_names(title: str) -> Iterator[list[PersonName]]:
    """The names in a title, those that are joined together."""
    end = 0
    for word in WORD.finditer(title):
        names = list(names_from(title, word.start(), len(title))) if word.start() >= end else []
        if names and all(name.is_full for name in names):
            end = names[-1].end
            yield names


def names_in_title(title: str, text: str) -> Iterator[tuple[PersonName, str]]:
    """The first and last names in a title, each with its place: the last word before it and the
    first behind it, or "" where it is a guest's by itself.

    So is one behind "with" where the notes have it too ("Clouds with Ada Roe – Ep
    103"), and one of whom the notes say that they speak ("Cloud Days: Ada Roe" where "Ada explains
    how …"). What the notes write small as well is a subject ("Machine Learning"). The place behind
    "with" is none: titles name guests there, and things as well ("Getting Started with Cast
    Iron").
    """
    title = WORD.sub(lambda word: _capitalised(word[0], text), title[:MOST_TITLE])
    for word in _WORDS["joined"]:  # "Ada Roe And Bo Ek"
        title = title.replace(f" {word.capitalize()} ", f" {word} ")
    speakers = {said[1] for said in _SPEAKS.finditer(text)}
    for names in _full_names(title):
        first, end = names[0].begin, names[-1].end
        speaks = not speakers.isdisjoint(title[first:end].split())
        before, behind = title[:first], title[end:]
        is_led = not _IS_SHOW.match(behind) and _IN_TITLE.search(before)
        for name in names:
            noted = _as_noted(name.name, text, before)
            one = name._replace(name=noted or name.name)
            if noted and not _LEADS.search(before):
                yield one, place_of(before, behind)
            if speaks or (noted and is_led):
                yield one, ""


def _capitalised(word: str, text: str) -> str:
    """A word of a title in capitals as the notes write it."""
    plain = word.capitalize()
    return plain if word.isupper() and len(word) > 2 and plain in text else word


def _as_noted(name: str, text: str, before: str) -> str:
    """A title's name as the notes have it, perhaps in another case: "Марией" is "Мария"; "" where
    they do not, or write it small as well. A small word before it, in the title, governs a case."""
    if name in text:
        return "" if name.lower() in text.replace(name, "") else name
    stems = (part[: max(SHORTEST_STEM, len(part) - LONGEST_ENDING)] for part in name.split())
    ending = rf"\w{{0,{LONGEST_ENDING + 1}}}"
    noted = re.search(r"\s".join(rf"\b{re.escape(stem)}{ending}\b" for stem in stems), text)
    is_governed = before[-2:-1].islower() and before.split()[-1].islower()
    return (noted[0] if is_governed else name) if noted else ""


def place_of(before: str, behind: str) -> str:
    """The last word before a name in a title and the first one behind it."""
    words = (text.casefold().translate(_ALIKE).split() for text in (before, behind))
    return " … ".join((" ".join(next(words)[-1:]), " ".join(next(words)[:1])))
