"""Cells of a CSV file that no spreadsheet runs as formulas."""

import re

# The beginning of a formula, in plain and in full-width form, also behind apostrophes and spaces.
_FORMULA = re.compile(r"['\s\ufeff\0]*[=+\-@＝＋－＠]|'*[\t\r\n]")


def escape_formula(value: str) -> str:
    """Return a cell that no spreadsheet runs. `unescape_formula` returns the value again."""
    return f"'{value}" if _FORMULA.match(value) else value


def unescape_formula(cell: str) -> str:
    return cell.removeprefix("'") if _FORMULA.match(cell) else cell
