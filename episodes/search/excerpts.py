"""A line or two of an episode's notes: their opening, or the words around what was searched for."""

from __future__ import annotations

import re

from .terms import Span, parse_query, spans

LONGEST = 165  # fits in the two lines of a card on a wide screen
LONGEST_SENTENCE = 400
BEFORE = 60
MOST_READ = (600, 2000)  # characters: what is enough for most notes, and for all
ENOUGH = LONGEST + 100  # of prose: no address or heading that begins behind it changes what comes before

# An address, with the bracket before it or the label that only names it.
ADDRESS = re.compile(r"(?:(?:(?<=[.?!\n])|^)[^.?!\n]{1,60}:\s*|\()?https?://\S*")
# What notes put above their list of links says nothing where the links are not shown.
LEADS_TO_LINKS = re.compile(r"\s*(?:further reading|links?|references|resources)\W*$", re.IGNORECASE)


def teaser(text: str) -> str:
    """The opening of notes without addresses, cut at a word."""
    prose = ""
    for most in MOST_READ:
        some = text[:most]
        prose = " ".join((ADDRESS.sub(" ", some) if "http" in some else some).split())
        if len(prose) > ENOUGH:
            break
    return _cut(LEADS_TO_LINKS.sub("", prose), 0)


def around(text: str, query: str) -> list[str]:
    """The words around the place that holds most of what was searched for, in parts of which every second is such a place."""
    prose = " ".join(text.split())
    found = spans(prose, parse_query(query))
    if not found:
        return [teaser(text)]
    at = _fullest(prose, found)
    return marked(_cut(prose, 0 if at < LONGEST - BEFORE else max(0, prose.rfind(" ", 0, at - BEFORE) + 1)), query)


def marked(text: str, query: str) -> list[str]:
    """A text in parts, of which every second was searched for."""
    parts, done = [], 0
    for start, end, _ in spans(text, parse_query(query)):
        parts += [text[done:start], text[start:end]]
        done = end
    return [*parts, text[done:]]


def with_name(sentence: str, name: str) -> list[str]:
    """A sentence in parts, of which every second is a name of code that stands by itself; a long one is cut around it."""
    prose = " ".join(sentence.split())
    itself = re.compile(rf"(?<!\w)({re.escape(name)})(?!\w)")
    found = itself.search(prose)
    if len(prose) > LONGEST_SENTENCE:
        at = found.start() if found else 0
        prose = _cut(prose, 0 if at < LONGEST - BEFORE else max(0, prose.rfind(" ", 0, at - BEFORE) + 1))
    return itself.split(prose)


def _fullest(prose: str, found: list[Span]) -> int:
    """Where the excerpt begins to count that shows the most terms; what stands in an address counts half."""
    addresses = [(m.start(), m.end()) for m in ADDRESS.finditer(prose)] if "://" in prose else []

    def shown(at: int) -> int:
        worth: dict[int, int] = {}
        for start, end, term in found:
            if at <= start and end <= at + LONGEST - BEFORE:
                inside = any(first <= start < last for first, last in addresses)
                worth[term] = max(worth.get(term, 0), 1 if inside else 2)
        return sum(worth.values())

    return max((span.start for span in found), key=lambda at: (shown(at), -at))


def _cut(prose: str, start: int) -> str:
    piece = prose[start : start + LONGEST]
    if start + LONGEST < len(prose):
        piece = piece[: piece.rfind(" ")] if " " in piece else piece
        piece = f"{piece.rstrip(' ,;:–-(')}{' ' if piece[-1:] in '.?!' else ''}…"
    return f"…{piece}" if start else piece
