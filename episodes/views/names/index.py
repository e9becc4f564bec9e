"""The names of code: in an index by letter, and each with the sentences that use it."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from django.db.models import Count

from ...models import CodeMention, CodeName, Episode

SIGNS = "0–9"


class SymbolRow(NamedTuple):
    """A name in the index, and in how many episodes it stands."""

    name: str
    slug: str
    uses: int


class Symbols(Sequence[SymbolRow]):
    """The names that episodes use, as they are filed, as a paginator takes them."""

    def __init__(self) -> None:
        self.filed = _Filed()

    def __len__(self) -> int:
        return len(self.filed.ids)

    def __getitem__(self, part: Any) -> Any:
        ids, uses = self.filed.ids[part], self.filed.uses[part]
        rows = CodeName.objects.filter(pk__in=ids.tolist()).order_by().values_list("pk", "name", "slug")
        names = {pk: (name, slug) for pk, name, slug in rows}
        return [SymbolRow(*names[pk], n) for pk, n in zip(ids, uses, strict=True) if pk in names]


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

    episode: Episode
    sentences: list[str]


def uses(episodes: Sequence[Episode], mentions: Iterable[CodeMention]) -> list[SymbolSentence]:
    """These episodes with their sentences that mention a name, each once."""
    sentences: dict[int, dict[str, None]] = {episode.pk: {} for episode in episodes}
    for mention in mentions:
        if mention.sentence:
            sentences[mention.episode_id][mention.sentence] = None
    return [SymbolSentence(episode, list(sentences[episode.pk])) for episode in episodes]


def in_order(names: Iterable[CodeName]) -> list[CodeName]:
    """Names as they are filed."""
    return sorted(names, key=lambda name: (filed(name.name), name.name))
