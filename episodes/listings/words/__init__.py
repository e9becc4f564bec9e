"""Words of many languages that the structure of a page cannot tell, as plain lists that need no
programmer."""

from __future__ import annotations

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent


@cache
def phrases(name: str) -> tuple[str, ...]:
    """Lines of a list, without comments."""
    lines = (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()
    return tuple(line for line in lines if line and not line.startswith("#"))


@cache
def words(name: str) -> frozenset[str]:
    """Words of a list."""
    return frozenset(word for line in phrases(name) for word in line.split())
