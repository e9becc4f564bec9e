"""Names in titles: by the words beside a name, by what the notes say they do, and the place where a
show's titles put them."""

from __future__ import annotations

from collections.abc import Iterator

from ..text.sentences import WORD
from ..text.vocabulary import Phrases, load
from .names_of_people import PersonName, names_from

MOST_TITLE = 400  # characters of a title in which names are looked for

_WORDS = load(__file__, "people")["words"]
# "Working with", "getting started with" lead to things.
_OF_THINGS = (
    r"(?<!ing )(?<!start )(?<!started )(?<!fun )(?<!trouble )(?<!problem )(?<!deal )(?<!life )"
)
_END = r"/?\s*(?:\w{2,5}\.\s)*\Z"
_LEADS = Phrases(_WORDS["in_title"], after=_END)
_IN_TITLE = Phrases(_WORDS["in_title"], before=_OF_THINGS, after=_END)
_SPEAKS = Phrases(_WORDS["speaks"], before=r"(?<!\w)(\w+)\s+")
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

    So it is behind "with" where the notes have it too ("Clouds with Ada Roe – Ep 103"), and where
    the notes say that somebody speaks: "Cloud Days: Ada Roe" where "Ada explains how …". What the
    notes write small as well is a subject ("Machine Learning"). The place behind "with" is none:
    titles name guests there, and things as well ("Getting Started with Cast Iron").
    """
    title = title[:MOST_TITLE]
    for word in _WORDS["joined"]:  # "Ada Roe And Bo Ek"
        title = title.replace(f" {word.capitalize()} ", f" {word} ")
    speakers = {said[1] for said in _SPEAKS.finditer(text)}
    for names in _full_names(title):
        first, end = names[0].begin, names[-1].end
        speaks = not speakers.isdisjoint(title[first:end].split())
        # "Loom Talk with Ada Roe: Clouds" is an episode of her show.
        before, behind = title[:first], title[end:]
        is_led = behind[:1] != ":" and _IN_TITLE.search(before)
        for name in names:
            is_named = _is_named(name.name, text)
            if is_named and not _LEADS.search(before):
                yield name, place_of(before, behind)
            if speaks or (is_led and is_named):
                yield name, ""


def _is_named(name: str, text: str) -> bool:
    return name in text and name.lower() not in text.replace(name, "")


def place_of(before: str, behind: str) -> str:
    """The last word before a name in a title and the first one behind it."""
    words = (text.casefold().translate(_ALIKE).split() for text in (before, behind))
    return " … ".join((" ".join(next(words)[-1:]), " ".join(next(words)[:1])))
