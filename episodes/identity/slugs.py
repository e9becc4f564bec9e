"""Gives episodes their addresses (rules.md 20); pure."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection, Sequence

LONGEST = 200


def slug_of(title: str) -> str:
    """The words of a title with "-" between them, letters of every script kept; "" for a title without any."""
    text = unicodedata.normalize("NFKC", title).casefold().replace(".", "-").replace("_", "-")
    text = re.sub(r"[^\w\s-]", "", text)
    slug = re.sub(r"[-\s]+", "-", text).strip("-")
    return slug[:LONGEST].rstrip("-")


def short_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def assign(wanted: Sequence[tuple[str, int | None, str]], taken: Collection[str] = (), show: str = "") -> list[str]:
    """One slug an episode, in the order given, oldest first: (title or pinned slug, number, what tells it apart).

    The first of equals keeps the plain slug, so that a later re-run does not take an old address; the others add their
    number, else eight hex digits. A slug that is another show's (`taken`) gets eight hex digits of the show's own slug:
    those never change, whatever becomes of the episode's number and notes.
    """
    used = set(taken)
    slugs = []
    for title, number, identity in wanted:
        base = slug_of(title) or _untitled(number, identity)
        slug = _free(f"{base}-{short_hash(show)}" if base in taken else base, number, identity, used)
        used.add(slug)
        slugs.append(slug)
    return slugs


def _untitled(number: int | None, identity: str) -> str:
    return f"episode-{number}" if number is not None else f"untitled-{short_hash(identity)}"


def _free(base: str, number: int | None, identity: str, used: Collection[str]) -> str:
    mark = short_hash(identity)
    for slug in (base, f"{base}-{number}" if number is not None else base, f"{base}-{mark}"):
        if slug not in used:
            return slug
    count = 2
    while f"{base}-{mark}-{count}" in used:
        count += 1
    return f"{base}-{mark}-{count}"
