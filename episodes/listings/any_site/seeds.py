"""Finds where entries stand on a page: rows that name one known episode each, and rows that stand
like these."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...identity import marked
from .page_rows import PageRow
from .title_hits import Hit

BESIDE = 16  # characters on either side of a title
REST = 7  # other words of a row that still is a title
QUOTED = 10  # words before a text in whose row it is not quoted
SEVERAL = 3  # parts of titles that stand in the same kind of row
NEAR = 12  # rows between title and text of an entry in saved text
TWICE = 2  # rows between a title and the same title again


@dataclass(frozen=True, slots=True)
class Seed:
    """An entry by the rows that name it; no episodes where it only stands like one that is
    known."""

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
    good = [
        hit
        for hit in hits
        if _is_named(hit, rows[hit.row]) and rows[hit.row].row.region != "remarks"
    ]
    outside = [hit for hit in good if not rows[hit.row].row.region]
    found = list(_joined(_without_stray_parts(outside or good, rows), markup=markup))
    others = {
        seed for seed in found if seed.title and _is_marked(seed.title, rows[seed.title.row].text)
    }
    # A word beside most titles is a button.
    return found if len(others) * 2 > len(found) else [seed for seed in found if seed not in others]


def _is_marked(hit: Hit, text: str) -> bool:
    """True for a title beside a word that makes it another episode than the one of that title:
    "Replay:", "(trailer)"."""
    return bool(
        marked(text[max(0, hit.start - BESIDE) : hit.start])
        | marked(text[hit.end : hit.end + BESIDE])
    )


def _without_stray_parts(hits: Sequence[Hit], rows: Sequence[PageRow]) -> Iterator[Hit]:
    """Parts of titles count in kinds of rows in which several stand: one alone is a name in a menu,
    or a subject."""
    parts: dict[object, set[tuple[int, ...]]] = defaultdict(set)
    for hit in hits:
        if hit.kind == "part":
            parts[rows[hit.row].slot].add(hit.episodes)
    yield from (
        hit for hit in hits if hit.kind != "part" or len(parts[rows[hit.row].slot]) >= SEVERAL
    )


def _is_named(hit: Hit, row: PageRow) -> bool:
    """True for a hit that is what its row is about, not a word in a sentence."""
    if hit.kind == "text":
        return hit.rest <= QUOTED
    part = any(abs(p.start - hit.start) < 2 and abs(p.end - hit.end) < 2 for p in row.row.pieces)
    return hit.rest <= max(REST, hit.words) or (part and len(row.row.pieces) > 1 and hit.rest < 25)


def _joined(hits: Iterable[Hit], *, markup: bool) -> Iterator[Seed]:
    """Hits of one episode that follow each other are one entry: a title twice, or a title and its
    text.

    On an HTML page they stand in one row: elements tell what else belongs together.
    """
    group: list[Hit] = []
    episodes: frozenset[int] = frozenset()
    for hit in sorted(hits, key=lambda hit: (hit.row, hit.start)):
        if group and episodes & set(hit.episodes) and _belongs(hit, group, markup=markup):
            group.append(hit)
            episodes &= set(hit.episodes)
            continue
        if group:
            yield _seed(group, episodes)
        group, episodes = [hit], frozenset(hit.episodes)
    if group:
        yield _seed(group, episodes)


def _belongs(hit: Hit, group: Sequence[Hit], *, markup: bool) -> bool:
    same = any(other.kind == hit.kind and other.row != hit.row for other in group)
    return hit.row - group[-1].row <= (0 if markup else TWICE if same else NEAR)


def _seed(group: Sequence[Hit], episodes: frozenset[int]) -> Seed:
    titles = [hit for hit in group if hit.kind != "text"]
    title = min(titles, key=lambda hit: (hit.kind != "title", hit.rest, hit.row), default=None)
    return Seed(group[0].row, group[-1].row, title, tuple(sorted(episodes)), tuple(group))
