"""Columns by which the indexes of links and symbols are sorted and grouped."""

from __future__ import annotations

import re
from typing import Any

from .link_labels import KINDS, directory, repository

# Of these a repository keeps so many that they are listed under its name.
KEPT = ("github-issue", "github-pr", "github-commit", "github-code")
LONGEST_SORT_KEY = 120  # with the columns before it no more than an index of PostgreSQL takes
KIND_ORDER = {kind: place for place, kind in enumerate(KINDS)}


def of_link(key: str, kind: str) -> dict[str, Any]:
    """The columns of a link that place it in the index of links."""
    return {
        "kind_order": KIND_ORDER.get(kind, len(KINDS)),
        "repository": repository(key),
        "heading": repository(key) if kind in KEPT else "",
        "directory": directory(key),
        "sort_key": natural(key)[:LONGEST_SORT_KEY],
    }


def of_symbol(name: str) -> dict[str, str]:
    """The columns of a symbol that place it in the index of symbols."""
    bare = sort_name(name)
    first = bare[:1].upper()
    return {"letter": first if first.isalpha() else "", "sort_name": bare}


def natural(name: str) -> str:
    """Sorts #260 before #13246, and any case alike: a number has as many digits as the longest,
    behind what sorts first."""
    return re.sub("[0-9]{1,18}", lambda number: f"\1{number[0]:0>18}", name.lower())


def sort_name(name: str) -> str:
    """The name without case and the signs before it: `__torch_function__` sorts as
    `torch_function__`."""
    return (re.sub(r"^[\W_]+", "", name) or name).casefold()
