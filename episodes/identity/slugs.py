"""Gives episodes their addresses; pure."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from itertools import count, islice

LONGEST = 200  # bytes, as file systems take no more than 255 with what is added
Taken = Callable[[Collection[str]], Collection[str]]  # picks out slugs of other shows


@lru_cache(maxsize=32_768)  # a resolve asks for that of a title a dozen times
def slug_of(title: str) -> str:
    """The words of a title with "-" between them, letters of every script kept; "" for a title
    without any."""
    text = unicodedata.normalize("NFKC", title).casefold().replace(".", "-").replace("_", "-")
    text = re.sub(r"[^\w\s-]", "", text)
    slug = "-".join(text.replace("-", " ").split())
    return slug.encode("utf-8", "replace")[:LONGEST].decode(errors="ignore").rstrip("-")


def short_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def nobodys(slugs: Collection[str]) -> Collection[str]:
    """No slugs: none is another show's."""
    return ()


def assign(
    wanted: Sequence[tuple[str, int | None, str]],
    taken: Taken = nobodys,
    show: str = "",
) -> list[str]:
    """One slug an episode, in the order given, oldest first: (title or pinned slug, number, what
    tells it apart).

    The first of equals keeps the plain slug, so that a later re-run does not take an old address;
    the others add their number, else eight hex digits. A slug that is another show's (`taken` picks
    them out) gets eight hex digits of the show's own slug: those never change, whatever becomes of
    the episode's number and notes.
    """
    bases = [slug_of(title) or _untitled(number, identity) for title, number, identity in wanted]
    theirs = taken(set(bases))
    rows = [
        (f"{base}-{short_hash(show)}" if base in theirs else base, number, identity)
        for base, (_, number, identity) in zip(bases, wanted, strict=True)
    ]
    asked = {
        slug for row, times in Counter(rows).items() for slug in islice(candidates(*row), times + 2)
    }
    used, slugs = set(taken(asked)), []
    following = {row: candidates(*row) for row in rows}  # equals go on where the last one ended
    for row in rows:
        slugs.append(next(slug for slug in following[row] if slug not in used))
        used.add(slugs[-1])
    return slugs


def candidates(base: str, number: int | None, identity: str) -> Iterator[str]:
    """The slugs to try, in this order: the plain one, with the number, with eight hex digits of
    what tells it apart, and these with 2, 3 and so on."""
    yield base
    if number is not None:
        yield f"{base}-{number}"
    yield f"{base}-{short_hash(identity)}"
    yield from (f"{base}-{short_hash(identity)}-{place}" for place in count(2))


def _untitled(number: int | None, identity: str) -> str:
    return f"episode-{number}" if number is not None else f"untitled-{short_hash(identity)}"
