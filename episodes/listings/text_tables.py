"""Reads saved text that is a table: rows between bars, or cells that semicolons or commas part."""

from __future__ import annotations

import csv
import re
from collections import Counter
from html import escape
from itertools import repeat

SIGNS = "\t|;,"
FEWEST = 4  # rows of a table
LONGEST = 5_000  # lines of a table
RULE = re.compile(r"[\s|:+=-]+")  # the line below the heads of a table of bars


def as_html(text: str) -> str:
    """The text with its table as one of HTML, other lines as paragraphs; "" where most lines are no rows of a table."""
    lines = [line for line in text.splitlines() if line.strip() and not (RULE.fullmatch(line) and "-" in line)]
    if not FEWEST <= len(lines) <= LONGEST:
        return ""
    for sign in SIGNS:
        rows = [_cells(line, sign) for line in lines]
        if width := _width(rows):
            return f"<html><table>{''.join(map(_html, rows, lines, repeat(width)))}</table></html>"
    return ""


def _width(rows: list[list[str]]) -> int:
    """The number of cells that most rows have, which stand together; 0 where the lines are no table."""
    width, count = Counter(len(row) for row in rows).most_common(1)[0]
    places = [n for n, row in enumerate(rows) if len(row) == width]
    together = places[-1] - places[0] < len(places) * 5 // 4
    return width if width > 2 and count >= FEWEST and count * 3 > len(rows) * 2 and together else 0


def _cells(line: str, sign: str) -> list[str]:
    if sign == "|":
        line = line.strip()
        return [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else [line]
    try:
        return [cell.strip() for cell in next(csv.reader([line.strip("\r\n")], delimiter=sign))]
    except (csv.Error, StopIteration):
        return [line]


def _html(row: list[str], line: str, width: int) -> str:
    if len(row) != width:
        return f"</table><p>{escape(line)}</p><table>"
    return "<tr>" + "".join(f"<td>{_linked(cell)}</td>" for cell in row) + "</tr>"


def _linked(cell: str) -> str:
    address = re.fullmatch(r"https?://\S+", cell)
    return f'<a href="{escape(cell)}">{escape(cell)}</a>' if address else escape(cell)
