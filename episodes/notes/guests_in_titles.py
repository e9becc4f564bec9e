"""Guests whom titles name: by the words beside a name, by what the notes say they do, by where a
show's titles put guests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ..text.normalize import fold
from ..text.sentences import WORD
from ..text.vocabulary import Phrases, load
from .names_of_people import PersonName, names_from

ENOUGH = 3  # episodes in which notes agree that a place of the titles is the guests'
SHARE = 2  # one in so many of the names at that place has to be a guest by the notes as well
MOST_TITLE = 400  # characters of a title in which names are looked for

_WORDS = load(__file__, "people")["words"]
# "Working with", "getting started with" lead to things.
_OF_THINGS = (
    r"(?<!ing )(?<!start )(?<!started )(?<!fun )(?<!trouble )(?<!problem )(?<!deal )(?<!life )"
)
_IN_TITLE = Phrases(_WORDS["in_title"], before=_OF_THINGS, after=r"/?\s*(?:\w{2,5}\.\s)*\Z")
_SPEAKS = Phrases(_WORDS["speaks"], before=r"(?<!\w)(\w+)\s+")
# All dashes are one, and numbers are left out: "Episode 79 –" is the same place as "Episode 103 -".
_ALIKE = str.maketrans("–—−|", "----", "0123456789")

NAMES = "…"
Place = tuple[str, ...]  # words and signs before the names and behind them
Run = list[PersonName]


def named(title: str, text: str) -> Iterator[PersonName]:
    """The names behind "with" that the notes have too ("Clouds with Ada Roe – Ep 103"), and those
    of whom the notes say that they speak: "Cloud Days: Ada Roe" where "Ada explains how …"."""
    title = _plain(title)
    speakers = {said[1] for said in _SPEAKS.finditer(text)}
    for run in _runs(title):
        if speakers & set(" ".join(name.name for name in run).split()):
            yield from run
        elif _IN_TITLE.search(title[: run[0].start]) and title[run[-1].end :][:1] != ":":
            # "Loom Talk with Ada Roe: Clouds" is an episode of her show.
            yield from (name for name in run if name.name in text)


def at_the_guests_place(
    titles: Sequence[str],
    named: Sequence[Sequence[Run]],
    texts: Sequence[str],
    guests: Sequence[frozenset[str]],
) -> list[list[PersonName]]:
    """The names in each title that stand where other titles of the show name people who are guests
    by the notes; `named` are all names in each title (`names_in`).

    So the show itself says whether "Ada Roe: Clouds" is about its guest or about the subject of a
    biography. The notes have to have the name as well.
    """
    placed = [
        [(_place(title, run), run) for run in runs]
        for title, runs in zip(map(_plain, titles), named, strict=True)
    ]
    places = _places_of_guests(placed, guests)
    return [
        [name for place, run in own if place in places for name in run if name.name in text]
        for own, text in zip(placed, texts, strict=True)
    ]


def _places_of_guests(
    placed: Sequence[Sequence[tuple[Place, Run]]], guests: Sequence[frozenset[str]]
) -> set[Place]:
    """The places where enough of the names are those of guests."""
    every: Counter[Place] = Counter()
    agreed: Counter[Place] = Counter()
    for own, known in zip(placed, guests, strict=True):
        for place, run in own:
            every[place] += 1
            agreed[place] += not known.isdisjoint(fold(name.name) for name in run)
    return {place for place, count in agreed.items() if count >= max(ENOUGH, every[place] / SHARE)}


def _plain(title: str) -> str:
    """The beginning of a title with small joining words, which titles write with capitals: "Ada Roe
    And Bo Ek"."""
    title = title[:MOST_TITLE]
    for word in _WORDS["joined"]:
        title = title.replace(f" {word.capitalize()} ", f" {word} ")
    return title


def names_in(title: str) -> list[Run]:
    """The first and last names in a title, those that are joined by commas and "and" together."""
    return list(_runs(_plain(title)))


def _runs(title: str) -> Iterator[Run]:
    end = 0
    for word in WORD.finditer(title):
        names = list(names_from(title, word.start(), len(title))) if word.start() >= end else []
        if names and all(name.is_full for name in names):
            end = names[-1].end
            yield names


def _place(title: str, run: Run) -> Place:
    """The words or signs beside the names: the last before them, and the first behind them."""
    before = title[: run[0].start].casefold().translate(_ALIKE).split()
    behind = title[run[-1].end :].casefold().translate(_ALIKE).split()
    return (*before[-1:], NAMES, *behind[:1])
