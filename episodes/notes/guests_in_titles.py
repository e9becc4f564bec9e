"""Names in titles: by the words beside a name, by what the notes say they do, and the place where a
show's titles put them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..text.sentences import WORD
from ..text.vocabulary import Phrases, alternatives, load
from .names_of_people import PersonName, names_from
from .people_named import GUEST, Told

PLACE = "place"  # of a name in a title, which may be the guests'
SPEAKER = "speaker"  # the place before what somebody speaks about: "#12: Ada Roe on clouds"
MOST_TITLE = 400  # characters of a title in which names are looked for

_WORDS = load(__file__, "people")["words"]
# "Working with", "getting started with" lead to things.
_OF_THINGS = (
    r"(?<!ing )(?<!start )(?<!started )(?<!fun )(?<!trouble )(?<!problem )(?<!deal )(?<!life )"
)
_END = r"/?\s*(?:\w{2,5}\.\s)*\Z"
_LEADS = Phrases(_WORDS["in_title"], after=_END)
_IN_TITLE = Phrases(_WORDS["in_title"], before=_OF_THINGS, after=_END)
# "Ada Roe And Bo Ek"
_JOINED = re.compile(rf"(?<= )(?i:{alternatives(_WORDS['joined'])})(?= )")
_ABOUT = re.compile(rf"\s(?i:{alternatives(_WORDS['about'])})\s")
_OPENS = re.compile(
    r"(?:.*[^\w\s'’])?[\d\s]*"
)  # what is before it in the title, or in a part of it
_WITH = re.compile(rf"\s(?i:{alternatives(_WORDS['with_behind'])})(?!\w)")
_SPEAKS = Phrases(_WORDS["speaks"], before=r"(?<!\w)(\w+)\s+")
# "Loom Talk with Ada Roe: Clouds" is an episode of her show, "Clouds with Ada Roe – Ep 7" is not.
_IS_SHOW = re.compile(r":|\s[–—-]\s(?!\W*(?:\w+\W*)?\d)")
# All dashes are one, and numbers are left out: "Episode 79 –" is the same place as "Episode 103 -".
_ALIKE = str.maketrans("–—−|", "----", "0123456789")


def names_in_title(title: str, text: str) -> Iterator[tuple[Told, str]]:
    """The first and last names in a title, each as "title" where it is a guest's by itself, else
    as "place", with the last word before it and the first behind it.

    A guest's is one behind "with" where the notes have it too ("Clouds with Ada Roe – Ep
    103"), and one of whom the notes say that they speak ("Cloud Days: Ada Roe" where "Ada explains
    how …"). What the notes write small as well is a subject ("Machine Learning"). The place behind
    "with" is one, whatever follows: titles name guests there, and things as well ("Getting Started
    with Cast Iron").
    """
    title = _JOINED.sub(lambda word: word[0].lower(), title[:MOST_TITLE])
    for names in _full_names(title):
        before, behind = title[: names[0].begin], title[names[-1].end :]
        speakers = {said[1] for said in _SPEAKS.pattern.finditer(text)}
        speaks = not speakers.isdisjoint(title[names[0].begin : names[-1].end].split())
        is_led = not _IS_SHOW.match(behind) and bool(
            _IN_TITLE.pattern.search(before) or _WITH.match(behind)
        )
        place = place_of(before, "" if is_led else behind)
        is_speaker = _ABOUT.match(behind) and _OPENS.fullmatch(before)
        for one in names:
            name = one.name
            is_noted = name in text and name.lower() not in text.replace(name, "")
            if is_led or (is_noted and not _LEADS.pattern.search(before)):
                yield Told(one, GUEST, place, False, title), PLACE
            if is_noted and is_speaker:
                yield Told(one, GUEST, SPEAKER, False, title), PLACE
            if speaks or (is_noted and is_led):
                yield Told(one, GUEST, "", True, title), "title"


def _full_names(title: str) -> Iterator[list[PersonName]]:
    """The names in a title, those that are joined together."""
    end = 0
    for word in WORD.finditer(title):
        names = (
            names_from(title, word.start(), len(title))
            if word.start() >= end and not word[0][0].islower()
            else []
        )
        if names and all(name.is_full for name in names):
            end = names[-1].end
            yield names


def place_of(before: str, behind: str) -> str:
    """The last word before a name in a title and the first one behind it."""
    words = (text.casefold().translate(_ALIKE).split() for text in (before, behind))
    return " … ".join((" ".join(next(words)[-1:]), " ".join(next(words)[:1])))
