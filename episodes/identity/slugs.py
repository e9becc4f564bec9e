"""Gives episodes their addresses; pure."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import count

LONGEST = 200
AT_ONCE = 50


def slug_of(title: str) -> str:
    """The words of a title with "-" between them, letters of every script kept; "" for a title
    without any."""
    return _known_slug(title) if len(title) <= LONGEST else _slug(title)


@lru_cache(maxsize=32_768)  # a resolve asks for that of a title a dozen times
def _known_slug(title: str) -> str:
    return _slug(title)


def _slug(title: str) -> str:
    text = unicodedata.normalize("NFKC", title).casefold().replace(".", "-").replace("_", "-")
    text = re.sub(r"[^\w\s-]", "", text)
    slug = "-".join(text.replace("-", " ").split())
    return slug[:LONGEST].rstrip("-")


def short_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def nobodys(slugs: Collection[str]) -> Collection[str]:
    """No slugs: none is another show's."""
    return ()


def assign(
    wanted: Sequence[tuple[str, int | None, str]],
    taken: Callable[[Collection[str]], Collection[str]] = nobodys,
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
    used = _Used(taken)
    theirs = used.ask(bases)
    bases = [f"{base}-{short_hash(show)}" if base in theirs else base for base in bases]
    often = Counter(bases)
    rows = list(zip(bases, wanted, strict=True))
    used.ask(bases)
    used.ask(
        slug
        for base, (_, number, mark) in rows
        if often[base] > 1
        for slug in _alternatives(base, number, mark)
    )
    return [used.take(base, number, identity) for base, (_, number, identity) in rows]


class _Used:
    """The slugs that are in use, by this show or another. Those of others are looked up many at a
    time."""

    def __init__(self, taken: Callable[[Collection[str]], Collection[str]]) -> None:
        self.taken = taken
        self.slugs: set[str] = set()
        self.last: dict[tuple[str, str], int] = {}  # the number behind the last of equals
        self.asked: set[str] = set()

    def ask(self, slugs: Iterable[str]) -> set[str]:
        """Look the slugs up, and give those that are in use."""
        slugs = set(slugs)
        if unknown := slugs - self.asked:
            self.slugs |= set(self.taken(unknown))
            self.asked |= unknown
        return slugs & self.slugs

    def is_free(self, slug: str) -> bool:
        return slug not in self.slugs and not self.ask([slug])

    def take(self, base: str, number: int | None, identity: str) -> str:
        """The first free slug, which is then in use."""
        slug = next(
            filter(self.is_free, (base, *_alternatives(base, number, identity))), ""
        ) or self._numbered(base, identity)
        self.slugs.add(slug)
        return slug

    def _numbered(self, base: str, identity: str) -> str:
        """The plain slug with eight hex digits and the next free number: 2, 3 and so on."""
        stem, last = f"{base}-{short_hash(identity)}", self.last.get((base, identity), 1)
        self.last[base, identity] = next(
            place for place in count(last + 1) if self._is_free_among(stem, place)
        )
        return f"{stem}-{self.last[base, identity]}"

    def _is_free_among(self, stem: str, place: int) -> bool:
        """Those that come next are looked up together."""
        if (slug := f"{stem}-{place}") not in self.asked:
            self.ask(f"{stem}-{number}" for number in range(place, place + AT_ONCE))
        return slug not in self.slugs


def _alternatives(base: str, number: int | None, identity: str) -> Iterator[str]:
    if number is not None:
        yield f"{base}-{number}"
    yield f"{base}-{short_hash(identity)}"


def candidates(base: str, number: int | None, identity: str) -> Iterator[str]:
    """The slugs to try, in this order: the plain one, with the number, with eight hex digits of
    what tells it apart, and these with 2, 3 and so on."""
    yield base
    yield from _alternatives(base, number, identity)
    yield from (f"{base}-{short_hash(identity)}-{place}" for place in count(2))


def _untitled(number: int | None, identity: str) -> str:
    return f"episode-{number}" if number is not None else f"untitled-{short_hash(identity)}"
