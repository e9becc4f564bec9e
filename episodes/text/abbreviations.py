"""Names that say what an abbreviation is short for: `automatic mixed precision (AMP)`."""

from __future__ import annotations


def long_and_short(name: str) -> tuple[str, ...]:
    """The long form and the abbreviation; nothing where a name is no such pair."""
    long, _, short = name.removesuffix(")").rpartition(" (")
    return (long, short) if long and name.endswith(")") else ()
