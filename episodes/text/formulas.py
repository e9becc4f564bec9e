"""Keeps spreadsheets from running the cells of a CSV file as formulas; standard library only."""

import re

# What makes a spreadsheet take a cell for a formula, in plain and in full-width form, also behind
# apostrophes and spaces.
_LIVE = re.compile(r"['\s\ufeff\0]*[=+\-@＝＋－＠]|'*[\t\r\n]")


def harmless(value: str) -> str:
    """A cell that no spreadsheet runs; `as_meant` is the way back, exactly."""
    return f"'{value}" if _LIVE.match(value) else value


def as_meant(cell: str) -> str:
    return cell.removeprefix("'") if _LIVE.match(cell) else cell
