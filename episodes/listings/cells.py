"""Lays out a table of comma-separated values as saved text with a tab between its cells."""

from __future__ import annotations

import csv

LEAST = 3  # rows and columns of a table


def as_cells(text: str) -> str:
    """The text, with tabs between the cells where all its lines have as many cells as the first."""
    first, *others = lines = text.strip().split("\n")
    for delimiter in ";,":
        if min(len(others), first.count(delimiter)) + 1 >= LEAST:
            rows = _rows(lines, delimiter)
            if len({len(row) for row in rows}) == 1:
                return "\n".join(map("\t".join, rows))
    return text


def _rows(lines: list[str], delimiter: str) -> list[list[str]]:
    """The cells of each line; none where a line is no row, or a cell is longer than the csv module
    reads."""
    try:
        return list(csv.reader(lines, delimiter=delimiter))
    except csv.Error:
        return []
