"""The names of code: in an index by letter, and each with the sentences that use it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

from django.db.models import Count

from ...models import CodeMention, CodeName, Episode

SIGNS = "0–9"


class SymbolRow(NamedTuple):
    """A name in the index, and in how many episodes it stands."""

    name: str
    slug: str
    uses: int


def index() -> list[SymbolRow]:
    """The names that episodes use, as they are filed: signs before a name and case do not count.

    All are read, for no database files them so; each is as little as the index shows of it.
    """
    names = CodeName.objects.filter(mentions__isnull=False).order_by().values_list("name", "slug")
    rows = [SymbolRow(*row) for row in names.annotate(n=Count("mentions__episode", distinct=True))]
    return sorted(rows, key=lambda row: (letter(row.name) != SIGNS, filed(row.name), row.name))


def letters(rows: Iterable[SymbolRow]) -> dict[str, int]:
    """Each letter with the place in the index where it begins."""
    found: dict[str, int] = {}
    for place, row in enumerate(rows):
        found.setdefault(letter(row.name), place)
    return found


def filed(name: str) -> str:
    """Under which spelling a name is filed: `__torch_function__` under `torch_function__`."""
    bare = next((name[place:] for place, sign in enumerate(name) if sign.isalnum()), name)
    return bare.casefold()


def letter(name: str) -> str:
    first = filed(name)[:1].upper()
    return first if first.isalpha() else SIGNS


class SymbolSentence(NamedTuple):
    """An episode that uses a name: its sentences, each once; one that is the title is not repeated."""

    episode: Episode
    sentences: list[str]


def uses(mentions: Iterable[CodeMention]) -> list[SymbolSentence]:
    """Mentions in the order of their episodes, under these."""
    return [
        SymbolSentence(episode, [s for s in dict.fromkeys(m.sentence for m in group if m.field != "title") if s])
        for episode, group in groupby(mentions, key=lambda mention: mention.episode)
    ]


def in_order(names: Iterable[CodeName]) -> list[CodeName]:
    """Names as they are filed."""
    return sorted(names, key=lambda name: (filed(name.name), name.name))
