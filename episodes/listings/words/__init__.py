"""Words that pages use, kept as data: a line of words that belong together, or a table."""

from __future__ import annotations

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent


@cache
def words(name: str) -> frozenset[str]:
    """The words of a file; lines that begin with # explain them."""
    lines = (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())
