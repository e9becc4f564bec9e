"""Cells of a CSV file that no spreadsheet runs as formulas."""

import re

# The beginning of a formula, in plain and in full-width form, also behind apostrophes and spaces.
_FORMULA = re.compile(r"['\s\ufeff\0]*[=+\-@＝＋－＠]|'*[\t\r\n]")


def escape_formula(cell_value: str) -> str:
    """Return a cell that no spreadsheet runs. `unescape_formula` returns the value again."""
    return f"'{cell_value}" if _FORMULA.match(cell_value) else cell_value


def unescape_formula(cell: str) -> str:
    return cell.removeprefix("'") if _FORMULA.match(cell) else cell
