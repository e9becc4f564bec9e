"""The names of code: in an index by letter, and each with the sentences that use it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from django.db.models import Count

from ...models import CodeName, EpisodeLine

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
    """An episode that uses a name, with its sentences."""

    episode: EpisodeLine
    sentences: list[str]


def uses(ids: Iterable[int], mentions: Iterable[Sequence[Any]]) -> list[SymbolSentence]:
    """The episodes of these ids with their sentences that use a name, each once, and never the title; a mention is its
    field, its sentence, and the line of its episode."""
    found: dict[EpisodeLine, dict[str, None]] = {}
    for field, sentence, *line in mentions:
        texts = found.setdefault(EpisodeLine(*line), {})
        if sentence and field != "title":
            texts[sentence] = None
    lines = {line.pk: line for line in found}
    return [SymbolSentence(lines[pk], list(found[lines[pk]])) for pk in ids if pk in lines]


def in_order(names: Iterable[CodeName]) -> list[CodeName]:
    """Names as they are filed."""
    return sorted(names, key=lambda name: (filed(name.name), name.name))
