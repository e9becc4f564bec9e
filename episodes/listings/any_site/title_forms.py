"""The forms in which sites print a title: without what counts the episodes, and without what all
titles share."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from ...identity import bare_title
from ..keyed import key_of
from .page_rows import WORD

COMMON = 0.4  # share of titles that have the same first or last part: it is no part of their names
FEW = 3  # titles with different numbers in the same place, which count episodes then
SEPARATOR = re.compile(r"\s+[-–—|:•]\s+|:\s+|\s+[|•]\s*")
NUMBER = re.compile(r"\d+")
SIGNS = re.compile(r"^[^\w(\[¿¡]+|[^\w)\]!?]+$|^[(\[]?\W*[)\]]\W*|\W*[(\[]\W*[)\]]?$")


def forms(titles: Sequence[str], show: str) -> Iterator[tuple[int, str]]:
    """The shorter forms of each title, by its place: an end goes when the numbers in it count
    episodes, or when very many titles have it."""
    shared = _shared_ends(titles)
    for place, title in enumerate(titles):
        yield place, bare_title(title, show)[0]
        for form in _shorter(title, shared):
            yield place, form


def _shorter(title: str, shared: frozenset[tuple[bool, str]]) -> list[str]:
    """The title without its first, and then without its last part that is shared."""
    found = [title]
    for behind in (False, True):
        part, rest = _parted(found[-1], behind=behind)
        bare = SIGNS.sub("", rest.strip())
        if part and (behind, _pattern(part)) in shared and WORD.search(bare):
            found.append(bare)
    return found[1:]


def _shared_ends(titles: Sequence[str]) -> frozenset[tuple[bool, str]]:
    """Beginnings and ends, numbers left out, that count episodes or that very many titles have."""
    found: dict[tuple[bool, str], list[str]] = defaultdict(list)
    for title in titles:
        for behind in (False, True):
            part, _ = _parted(title, behind=behind)
            found[behind, _pattern(part)].append(part)
    return frozenset(end for end, parts in found.items() if _is_shared(parts, len(titles)))


def _pattern(part: str) -> str:
    """A part with its numbers left out."""
    return NUMBER.sub("0", part)


def _is_shared(parts: Sequence[str], total: int) -> bool:
    return len(set(parts)) >= FEW or len(parts) > max(2, COMMON * total)


def _parted(title: str, *, behind: bool) -> tuple[str, str]:
    """The key of the part of a title before its first sign, or behind its last one, and the
    rest."""
    cuts = list(SEPARATOR.finditer(title))
    for cut in cuts[-1:] if behind else cuts[:1]:
        ends = title[: cut.start()], title[cut.end() :]
        part, rest = ends[behind], ends[not behind]
        return key_of(part), rest
    return "", title
