"""Takes the labels off rows that are the fields of a form: "Title: vmap", "Datum: 18. 8. 2021"."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from .known import squashed
from .rows import Piece, Row

LABEL = re.compile(r"(?P<name>[^\W\d_][^\W\d_'’.-]*(?:[ .'’-]{1,2}[^\W\d_]+){0,2}\.?)\s?[:：]\s?(?=\S)")
LONGEST = 30
TIMES = 3  # records of a form, and labels of a record, at least


def unlabelled(rows: Sequence[Row], names: Sequence[str]) -> list[Row]:
    """The rows without labels that follow each other in the same order record after record; `names` are no labels."""
    found = {n: match for n, row in enumerate(rows) if (match := LABEL.match(row.text)) and match.end() <= LONGEST}
    labels = {n: match["name"].casefold() for n, match in found.items() if squashed(match["name"]) not in names}
    form = _form(labels)
    return [_bare(row, found[n].end()) if labels.get(n) in form else row for n, row in enumerate(rows)]


def _form(labels: dict[int, str]) -> frozenset[str]:
    """The labels of a form: each stands several times, mostly right before the same other one, or behind it."""
    often = Counter(labels.values())
    behind: dict[str, Counter[str]] = defaultdict(Counter)
    for (one, label), (two, other) in pairwise(sorted(labels.items())):
        if two == one + 1 and label != other:
            behind[label][other] += 1
    chained = set()
    for label, others in behind.items():
        other, count = others.most_common(1)[0]
        if count >= TIMES and count * 5 >= often[label] * 3:
            chained |= {label, other}
    return frozenset(chained) if len(chained) >= TIMES else frozenset()


def _bare(row: Row, start: int) -> Row:
    pieces = [
        Piece(max(piece.start - start, 0), piece.end - start, piece.href) for piece in row.pieces if piece.end > start
    ]
    return replace(row, text=row.text[start:], pieces=tuple(pieces))
