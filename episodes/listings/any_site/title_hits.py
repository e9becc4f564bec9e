"""Finds the known episodes that a row names: by title, or by the beginning of the text."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from .episode_index import CREDIT, GRAM, EpisodeIndex, KnownEpisode
from .page_rows import CALLED, PageRow

SEPARATORS = re.compile(
    r"\s[-–—|·•/:]+\s|[|｜·•»›:：／\t…]|\.\.\.|\s{2,}|[“”„«»「」『』\"()\[\]<>{}]|^\W*(?:\d{1,5}(?:[.)]\s|[-_]))?|\.(?!\d)\w{2,4}$|\s[#№]\s?\d{1,5}\W*$|[▶►\u2600-\u27bf\U0001f300-\U0001faff]"
)
WORD = re.compile(r"[^\W\d_]{2,}")
COUNTED = re.compile(
    r"^\W*(?:(?:[^\W\d_]{1,10}\W{0,2})?\d{1,5}\W*){1,2}\s|\s\W*[^\W\d_]{1,10}\W{0,2}\d{1,5}\W*$"
)
CUT = re.compile(r"\s?(?:…|\.{3})")  # behind a title that a site cuts, or in its middle
CUT_SIGNS = 4  # characters of it
FEW_EDGES = 12
MANY_EDGES = 60
FEW_TITLES = 8  # of a row that names each of them
SIGNS = "signs"  # the kind of what stands where a title would
FARTHEST = 400  # characters of a row before which its text has begun


@dataclass(frozen=True, slots=True)
class Hit:
    """Episodes that a stretch of a row may name; `rest` counts the other words of the row."""

    row: int
    start: int
    end: int
    episodes: tuple[int, ...]
    kind: str  # title | text | signs | unknown
    rest: int = 0
    words: int = 0


def hits(row: PageRow, index: EpisodeIndex) -> list[Hit]:
    """The titles that the row may name, no two of them overlapping, in their order."""
    texts = list(_texts(row, index))
    titles = list(_titles(row, index, texts))
    # Of equal names the one with the fewest signs around it, of names within names the longest.
    ranked = sorted(
        titles,
        key=lambda hit: (-len(row.keyed.between(hit.start, hit.end)), hit.end - hit.start),
    )
    kept: list[Hit] = []
    for hit in (*texts, *ranked):
        if not any(hit.start < other.end and other.start < hit.end for other in kept):
            kept.append(hit)
    kept.sort(key=lambda hit: hit.start)
    titled = [hit.words for hit in kept if hit.kind == "title"]
    words = sum(titled) if len(titled) < FEW_TITLES else 0
    return [replace(hit, rest=hit.rest - max(0, words - hit.words)) for hit in kept]


def _texts(row: PageRow, index: EpisodeIndex) -> Iterator[Hit]:
    """The first place of the row at which the text of a known episode begins."""
    key = row.keyed.key
    for start in range(max(0, min(len(key) - GRAM, FARTHEST) + 1)):
        if key[start : start + GRAM] in index.by_gram and (found := index.opening_at(key, start)):
            episode, length = found
            low, high = row.keyed.place(start), row.keyed.place(start + length - 1) + 1
            yield Hit(
                row.place, low, high, (episode.name,), "text", rest_of(row, low, len(row.text)), 99
            )
            return


def _titles(row: PageRow, index: EpisodeIndex, texts: Sequence[Hit]) -> Iterator[Hit]:
    for start, end in _stretches(row, texts, index.longest):
        key = row.keyed.between(start, end)
        found = _named(row, start, end, index)
        own = index.dropped.get(key, frozenset())
        # Other numbers alone beside a title whose own were left out are another episode's.
        beside = (
            {*row.numbers(0, start, CALLED), *row.numbers(end, len(row.text), CALLED)}
            if own
            else own
        )
        if found and (not beside or not own.isdisjoint(beside)):
            names = tuple(sorted(episode.name for episode in found))
            behind = min((hit.start for hit in texts if hit.start >= end), default=len(row.text))
            words = len(WORD.findall(row.text[start:end]))
            rest = rest_of(row, start, end, behind)
            yield Hit(row.place, start, end, names, "title", rest, words)


def _named(row: PageRow, start: int, end: int, index: EpisodeIndex) -> Sequence[KnownEpisode]:
    """The episodes that a stretch is the title of, whole or cut."""
    key = row.keyed.between(start, end)
    cut = CUT.search(row.text, start, end + CUT_SIGNS)
    if cut is None:
        return index.titled(key)
    low, high = min(cut.start(), end), min(cut.end(), end)
    found = index.begun(row.keyed.between(start, low), row.keyed.between(high, end))
    return found or index.titled(key if low < end else "")


def _stretches(row: PageRow, texts: Sequence[Hit], longest: int) -> Iterator[tuple[int, int]]:
    """The places where a title of at most so many letters can stand."""
    edges = _edges(row, texts)
    most = FEW_EDGES if len(edges) > FEW_EDGES * 2 else len(edges)
    for low, start in enumerate(edges):
        for end in edges[low + 1 : low + 1 + most]:
            if len(row.keyed.between(start, end)) > longest:
                break
            yield start, end


def rest_of(row: PageRow, start: int, end: int, limit: int = 1000) -> int:
    """Words of the row, up to `limit`, beside the stretch, dates, lengths, addresses, the show's
    name, and elements of their own that a site names."""
    chars = list(row.text[: min(limit, 1000)])
    named = (piece for piece in row.row.pieces if piece.names and not piece.href)
    spans = [
        (start, end),
        *((piece.start, piece.end) for piece in named if 0 < end <= piece.start),
        *((mark.start, mark.end) for mark in row.marks),
        *row.show_names,
        *row.addresses,
    ]
    for low, high in spans:
        chars[low:high] = " " * (min(high, len(chars)) - low)
    return len(WORD.findall("".join(chars)))


def _edges(row: PageRow, texts: Sequence[Hit]) -> list[int]:
    """The places where a title can begin or end: at signs, at fields, at links and names; at signs only while
    they are few."""
    text = row.keyed.text
    spans = [
        *((piece.start, piece.end) for piece in row.row.pieces),
        *((m.start, m.end) for m in row.marks),
    ]
    spans += [*row.show_names, *row.addresses, *((hit.start, hit.start) for hit in texts)]
    found = {0, len(text), *(place for span in spans for place in span)}
    found |= {match.start() for match in CREDIT.finditer(text)}
    found |= {place for match in COUNTED.finditer(text) for place in match.span()}
    signs = {place for match in SEPARATORS.finditer(text) for place in match.span()}
    found |= signs if len(found) + len(signs) < MANY_EDGES else set()
    return sorted({min(place, len(text)) for place in found})
