"""The links of the catalog in their order, in memory, and any part of them as a paginator takes it."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import Count, QuerySet

from ...models import Link
from ...text import link_labels
from ...text.link_labels import KINDS
from .entries import KEPT


class LinkPlace(NamedTuple):
    """Where links are filed: their kind, the repository that keeps them, of a source file its directory there."""

    kind: str
    repository: str
    directory: str

    def is_in(self, directory: str) -> bool:
        return f"{self.repository}:{self.directory}/".startswith(f"{directory}/")


Segments = Mapping[LinkPlace, Sequence[int]]  # ranks


def heading(kind: str, repository: str) -> str:
    """The repository under whose name a link is listed; "" where it is listed under its kind."""
    return repository if kind in KEPT else ""


def natural(name: str) -> str:
    """Sorts #260 before #13246, and any case alike: a number has as many digits as the longest, behind what sorts first."""
    return re.sub("[0-9]{1,18}", lambda number: f"\0{number[0]:0>18}", name.lower())


class LinkRow(NamedTuple):
    """A link before its page is fetched."""

    pk: int
    kind: str
    repository: str
    directory: str
    mentions: int

    @property
    def heading(self) -> str:
        return heading(self.kind, self.repository)


class LinkTable:
    """Links in a fixed order, with as little of each as counts and orders need.

    A rank is a place in this order: under a heading and in a directory the most mentioned come first, then by key.
    """

    def __init__(self, links: QuerySet[Link]) -> None:
        rows = links.filter(mentions__isnull=False).order_by().values_list("pk", "kind", "key")
        named = [
            (LinkPlace(kind, link_labels.repository(key), link_labels.directory(key)), -n, (natural(key), key), pk)
            for pk, kind, key, n in rows.annotate(n=Count("mentions__episode"))
        ]
        named.sort(key=lambda row: (row[0].kind, heading(row[0].kind, row[0].repository), row[0].directory, *row[1:]))
        self.ids, self.mentions = array("q", (row[3] for row in named)), array("q", (-row[1] for row in named))
        segments: dict[LinkPlace, array[int]] = {}
        for rank, (place, *_) in enumerate(named):
            segments.setdefault(place, array("q")).append(rank)
        self.segments: Segments = segments


class LinkRows(Sequence[LinkRow]):
    """Links by kind, repository and directory, the largest repository first; then as the table has them."""

    def __init__(self, table: LinkTable, segments: Segments) -> None:
        self.table, self.segments = table, segments
        groups: dict[tuple[str, str, str], list[LinkPlace]] = {}
        for place in segments:
            groups.setdefault((place.kind, heading(*place[:2]), place.directory), []).append(place)
        sizes: Counter[tuple[str, str]] = Counter()
        for group, places in groups.items():
            sizes[group[:2]] += sum(len(segments[place]) for place in places)
        order = {kind: n for n, kind in enumerate(KINDS)}
        self.groups = sorted(
            groups.items(),
            key=lambda row: (order.get(row[0][0], len(order)), row[0][0], -sizes[row[0][:2]], *row[0][1:]),
        )

    def __len__(self) -> int:
        return sum(map(len, self.segments.values()))

    def __getitem__(self, part: Any) -> Any:
        found: list[LinkRow] = []
        before = 0
        for _, places in self.groups:
            count = sum(len(self.segments[place]) for place in places)
            if part.start < before + count and before < part.stop:
                ranked = sorted((rank, place) for place in places for rank in self.segments[place])
                found += self._rows(ranked[max(0, part.start - before) : part.stop - before])
            before += count
        return found

    def _rows(self, ranked: Iterable[tuple[int, LinkPlace]]) -> Iterator[LinkRow]:
        for rank, place in ranked:
            yield LinkRow(self.table.ids[rank], *place, self.table.mentions[rank])
