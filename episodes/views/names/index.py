"""The names of code: in an index by letter, and each with the sentences that use it."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from django.db.models import Count

from ...models import CodeName, EpisodeLine, Snapshot, Statement

SIGNS = "0–9"


class SymbolRow(NamedTuple):
    """A name in the index, and in how many episodes it stands."""

    name: str
    slug: str
    uses: int


class Symbols(Sequence[SymbolRow]):
    """The names that episodes use, as they are filed, as a paginator takes them."""

    def __init__(self, now: Snapshot) -> None:
        self.filed = now.kept("symbols", _Filed)

    def __len__(self) -> int:
        return len(self.filed.ids)

    def __getitem__(self, part: Any) -> Any:
        ids, uses = self.filed.ids[part], self.filed.uses[part]
        names = {pk: (name, slug) for pk, name, slug in NAMES(ids.tolist() or [0])}
        return [SymbolRow(*names[pk], n) for pk, n in zip(ids, uses, strict=True) if pk in names]


NAMES = Statement(lambda ids: CodeName.objects.filter(pk__in=ids).order_by().values_list("pk", "name", "slug"))


class _Filed:
    """For every name that episodes use, in the order of the index: its id, and in how many episodes it stands; and where
    each letter begins.

    All are read, for no database files them so: signs before a name and case do not count.
    """

    def __init__(self) -> None:
        names = CodeName.objects.filter(mentions__isnull=False).order_by().values_list("name", "pk")
        rows = list(names.annotate(n=Count("mentions__episode", distinct=True)))
        rows.sort(key=lambda row: (letter(row[0]) != SIGNS, filed(row[0]), row[0]))
        self.ids, self.uses = array("q", (pk for _, pk, _ in rows)), array("i", (n for *_, n in rows))
        self.most = max(self.uses, default=1)
        self.letters: dict[str, int] = {}
        for place, (name, *_) in enumerate(rows):
            self.letters.setdefault(letter(name), place)


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
