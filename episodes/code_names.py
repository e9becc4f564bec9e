"""The names of code: in an index by letter, and each with the sentences that use it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from django.db.models import Count

from .facets import share
from .models import CodeMention, CodeName, Episode

SIGNS = "0–9"


@dataclass(frozen=True)
class Row:
    """A name in the index: in how many episodes it stands, and its share of the most used in 1…20."""

    name: CodeName
    count: int
    share: int


def by_letter() -> list[tuple[str, list[Row]]]:
    """The names that episodes use under their first letters; signs before a name and case do not count."""
    names = CodeName.objects.filter(mentions__isnull=False).order_by()
    counted = [(name, name.n) for name in names.annotate(n=Count("mentions__episode", distinct=True))]
    most = max((count for _, count in counted), default=1)
    rows = [Row(name, count, share(count, most)) for name, count in counted]
    rows.sort(key=lambda row: (letter(row.name.name) != SIGNS, filed(row.name.name), row.name.name))
    return [(first, list(group)) for first, group in groupby(rows, key=lambda row: letter(row.name.name))]


def filed(name: str) -> str:
    """Under which spelling a name is filed: `__torch_function__` under `torch_function__`."""
    bare = next((name[place:] for place, sign in enumerate(name) if sign.isalnum()), name)
    return bare.casefold()


def letter(name: str) -> str:
    first = filed(name)[:1].upper()
    return first if first.isalpha() else SIGNS


class Use(NamedTuple):
    """An episode that uses a name: its sentences, each once; one that is the title is not repeated."""

    episode: Episode
    sentences: list[str]


def uses(mentions: Iterable[CodeMention]) -> list[Use]:
    """Mentions in the order of their episodes, under these."""
    return [
        Use(episode, [s for s in dict.fromkeys(m.sentence for m in group if m.field != "title") if s])
        for episode, group in groupby(mentions, key=lambda mention: mention.episode)
    ]


def used_in(mentions: Iterable[CodeMention]) -> list[CodeName]:
    """The names of an episode, each once, as they are filed."""
    names = {mention.name_id: mention.name for mention in mentions}
    return sorted(names.values(), key=lambda name: (filed(name.name), name.name))
