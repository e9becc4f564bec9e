"""The forms in which sites print a title: without what counts the episodes, and without what all
titles share."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from ...identity import bare_title
from ...text.vocabulary import alternatives, load
from ..keyed import key_of
from .page_rows import WORD

COMMON = 0.4  # share of titles that have the same first or last part: it is no part of their names
FEW = 3  # titles with different numbers in the same place, which count episodes then
ROUNDS = 2  # parts that may stand one behind the other at the ends of a title
WORDS = 4  # in front of a number that counts: "The Rope Walk, Episode 12"
LONGEST = 60  # characters of a part that counts
SEPARATOR = re.compile(r"\s+[-–—|:•]\s+|:\s+|\s+[|•]\s*|\s*[｜：]\s*")
NUMBER = re.compile(r"\d+")
# A number with what is glued to it: "12b", "12회".
COUNTER = re.compile(r"\d+(?:[\u2e80-\U0010ffff]|[^\W\d_]{1,2}(?![^\W_]))?")
# The end of a title that counts: "(#12)", "[HN-12]", "Episode 12b".
TAIL = re.compile(r"\s\W*(?:[^\W\d_]+\W{0,2})?\d+(?:[^\W\d_]{1,2})?\W*$")
# "Rope Walk (with Ada Roe)", and "Bonus: a walk on the ropes", "Bonus – a walk on the ropes" with several words behind.
ASIDE = re.compile(r"(?<=\w)\W*(?:\s|(?<=[\u2e80-\uffff]))[(\[（【][^()\[\]（）【】]+[)\]）】]\W*$")
LEAD = re.compile(r"^(?:[^:]{1,30}:|\w{1,20}\s[–—|-])\s+(?=\S+\s+\S)")
_WORDS = load(__file__, "title_words")
# "Rope Walk, with Ada Roe", "Rope Walk ft. Ada Roe": from there on a title names who is heard.
CREDIT = re.compile(
    rf"(?:(?<=[^\w\s])\s?(?:{alternatives(_WORDS['with'])})"
    rf"|\s(?:{alternatives(_WORDS['short'])}))(?:(?<!\w)|(?!\w))",
    re.I,
)
ANDS = _WORDS["and"].split()
AND = re.compile(rf"\s(?:{'|'.join(ANDS)})\s", re.I)
SIGNS = re.compile(r"^[^\w(\[（【¿¡]+|[^\w)\]）】!?]+$|^[(\[]?\W*[)\]]\W*|\W*[(\[]\W*[)\]]?$")


def forms(titles: Sequence[str], show: str) -> Iterator[tuple[int, str]]:
    """The shorter forms of each title, by its place: an end goes when the numbers in it count
    episodes, when very many titles have it, and when it stands in brackets or before a colon."""
    for place, form in _without_ends(titles, show):
        for short in (form, CREDIT.split(form, maxsplit=1)[0]):
            yield place, short
            yield place, ASIDE.sub("", short)
            yield place, LEAD.sub("", short)


def spellings(title: str) -> Iterator[str]:
    """A title with "&" and with words for it."""
    yield title
    yield AND.sub(" & ", title)
    if "&" in title:
        yield from (title.replace("&", word) for word in ANDS)


def _without_ends(titles: Sequence[str], show: str) -> Iterator[tuple[int, str]]:
    texts = dict(enumerate(titles))
    for place, title in enumerate(titles):
        yield place, bare_title(title, show)[0]
    for _ in range(ROUNDS):
        shared = _shared_ends(texts.values())
        shorter = {place: _shorter(text, shared) for place, text in texts.items()}
        yield from ((place, form) for place, own in shorter.items() for form in own)
        texts = {place: own[-1] for place, own in shorter.items() if own}


def _shorter(title: str, shared: frozenset[tuple[bool, str]]) -> list[str]:
    """The title without its first, and then without its last part that is shared."""
    found: list[str] = []
    text = title
    for behind in (False, True):
        for low, high in _ends(text, behind=behind):
            part, rest = key_of(text[low:high]), SIGNS.sub("", (text[:low] + text[high:]).strip())
            if (behind, _pattern(part)) in shared and WORD.search(rest):
                found.append(rest)
                text = rest
                break
    return found


def _shared_ends(titles: Iterable[str]) -> frozenset[tuple[bool, str]]:
    """Beginnings and ends, numbers left out, that count episodes or that very many titles have."""
    found: dict[tuple[bool, str], list[str]] = defaultdict(list)
    total = 0
    for title in titles:
        total += 1
        for behind in (False, True):
            for part in {key_of(title[low:high]) for low, high in _ends(title, behind=behind)}:
                found[behind, _pattern(part)].append(part)
    return frozenset(end for end, parts in found.items() if _is_shared(parts, total))


def _pattern(key: str) -> str:
    """A part with its numbers left out."""
    return NUMBER.sub("0", key)


def _is_shared(parts: Sequence[str], total: int) -> bool:
    return len(set(parts)) >= FEW or len(parts) > max(2, COMMON * total)


def _ends(title: str, *, behind: bool) -> list[tuple[int, int]]:
    """Places in which a part of a title can end, the longest first: up to a sign, in front up to
    a number, too."""
    cuts = list(SEPARATOR.finditer(title))
    if behind:
        tails = [*cuts[-1:], *TAIL.finditer(title, max(0, len(title) - LONGEST))]
        return sorted({(tail.start(), len(title)) for tail in tails})
    counters = [
        (0, counter.end())
        for counter in COUNTER.finditer(title[:LONGEST])
        if len(WORD.findall(title, 0, counter.start())) <= WORDS
    ]
    return sorted({*counters, *((0, cut.end()) for cut in cuts[:1])}, reverse=True)
