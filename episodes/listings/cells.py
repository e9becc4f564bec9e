"""Lays out a table of comma-separated values as saved text with a tab between its cells."""

from __future__ import annotations

import csv

LEAST = 3  # rows and columns of a table


def as_cells(text: str) -> str:
    """The text, with tabs between the cells where all its lines have as many cells as the first."""
    first, *others = lines = text.strip().split("\n")
    for delimiter in ";,":
        if min(len(others), first.count(delimiter)) + 1 >= LEAST:
            rows = list(csv.reader(lines, delimiter=delimiter))
            if {len(row) for row in rows} == {len(rows[0])}:
                return "\n".join(map("\t".join, rows))
    return text
