"""Finds where entries stand on a page: rows that name one known episode each, and rows that stand like these."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .page_rows import PageRow
from .title_hits import Hit

REST = 7  # other words of a row that still is a title
QUOTED = 10  # words before a text in whose row it is not quoted
FEW = 4  # hits of a kind of row below which their share tells nothing
REPEATED = 0.5  # share of different episodes among the hits of a kind of row: below it they are tags
SEVERAL = 3  # parts of titles that stand in the same kind of row
NEAR = 12  # rows between title and text of an entry
TWICE = 2  # rows between a title and the same title again


@dataclass(frozen=True, slots=True)
class Seed:
    """An entry by the rows that name it; no episodes where it only stands like one that is known."""

    first: int
    last: int
    title: Hit | None
    episodes: tuple[int, ...] = ()
    hits: tuple[Hit, ...] = ()

    @property
    def place(self) -> int:
        return self.title.row if self.title else self.first


def seeds(rows: Sequence[PageRow], hits: Sequence[Hit], *, markup: bool) -> list[Seed]:
    """Entries that known episodes tell, in their order on the page."""
    good = [hit for hit in hits if _is_named(hit, rows[hit.row])]
    outside = [hit for hit in good if not rows[hit.row].row.region]
    good = list(_without_stray_parts(outside or [hit for hit in good if rows[hit.row].row.region != "remarks"], rows))
    if markup:
        texts = [hit for hit in good if hit.kind == "text"]
        return list(_by_row(sorted([*texts, *_naming(good, rows)], key=lambda hit: hit.row)))
    return list(_joined(good))


def _without_stray_parts(hits: Sequence[Hit], rows: Sequence[PageRow]) -> Iterator[Hit]:
    """Parts of titles count in kinds of rows in which several stand: one alone is a name in a menu, or a subject."""
    parts: dict[object, set[tuple[int, ...]]] = defaultdict(set)
    for hit in hits:
        if hit.kind == "part":
            parts[rows[hit.row].slot].add(hit.episodes)
    yield from (hit for hit in hits if hit.kind != "part" or len(parts[rows[hit.row].slot]) >= SEVERAL)


def _is_named(hit: Hit, row: PageRow) -> bool:
    """A hit that is what its row is about, not a word in a sentence."""
    if hit.kind == "text":
        return hit.rest <= QUOTED
    part = (
        any(abs(p.start - hit.start) < 2 and abs(p.end - hit.end) < 2 for p in row.row.pieces)
        and len(row.row.pieces) > 1
    )
    return hit.rest <= max(REST, hit.words) or (part and hit.kind != "link" and hit.rest < 25)


def _naming(hits: Sequence[Hit], rows: Sequence[PageRow]) -> Iterator[Hit]:
    """Hits in kinds of rows that name episodes: many different ones, compared with how often they name any.

    Where a kind names each several times, the barest row of each counts: "Strides", not "Transcript: Strides".
    """
    by_slot: dict[object, list[Hit]] = defaultdict(list)
    for hit in hits:
        if hit.kind != "text":
            by_slot[rows[hit.row].slot].append(hit)
    for own in by_slot.values():
        yield from next((way for way in (own, _barest(own)) if _is_varied(way)), [])


def _is_varied(hits: Sequence[Hit]) -> bool:
    return len(hits) < FEW or len({hit.episodes for hit in hits}) >= REPEATED * len(hits)


def _barest(hits: Sequence[Hit]) -> list[Hit]:
    """Of the hits of each episode those with the fewest other words around them."""
    least: dict[tuple[int, ...], int] = {}
    for hit in hits:
        least[hit.episodes] = min(hit.rest, least.get(hit.episodes, hit.rest))
    return [hit for hit in hits if hit.rest == least[hit.episodes]]


def _by_row(hits: Sequence[Hit]) -> Iterator[Seed]:
    """Hits of one episode in one row are one entry: elements tell what else belongs together."""
    groups: dict[tuple[int, tuple[int, ...]], list[Hit]] = defaultdict(list)
    for hit in hits:
        same = next((key for key in groups if key[0] == hit.row and set(key[1]) & set(hit.episodes)), None)
        groups[same or (hit.row, hit.episodes)].append(hit)
    for group in groups.values():
        yield _seed(group, frozenset.intersection(*(frozenset(hit.episodes) for hit in group)))


def _joined(hits: Iterable[Hit]) -> Iterator[Seed]:
    """Hits of one episode that follow each other in saved text are one entry: a title twice, or a title and its text."""
    group: list[Hit] = []
    episodes: frozenset[int] = frozenset()
    for hit in sorted(hits, key=lambda hit: (hit.row, hit.start)):
        if group and episodes & set(hit.episodes) and _belongs(hit, group):
            group.append(hit)
            episodes &= set(hit.episodes)
            continue
        if group:
            yield _seed(group, episodes)
        group, episodes = [hit], frozenset(hit.episodes)
    if group:
        yield _seed(group, episodes)


def _belongs(hit: Hit, group: Sequence[Hit]) -> bool:
    near = hit.row - group[-1].row
    same = any(other.kind == hit.kind and other.row != hit.row for other in group)
    return near <= (TWICE if same else NEAR)


def _seed(group: Sequence[Hit], episodes: frozenset[int]) -> Seed:
    titles = [hit for hit in group if hit.kind in ("title", "cut", "part")] or [
        hit for hit in group if hit.kind == "link"
    ]
    title = min(titles, key=lambda hit: (hit.kind != "title", hit.rest, hit.row), default=None)
    return Seed(group[0].row, group[-1].row, title, tuple(sorted(episodes)), tuple(group))
