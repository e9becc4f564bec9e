"""Finds where a page names known episodes: titles that stand by themselves or beside fields, and openings of texts."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from ..local_dates import marks
from .known import SHORT, STARTS, EpisodeIndex, KnownEpisode, own_text
from .lines import NAMES, Line, rest
from .rows import Piece, Row

LONG = 600  # characters of what can stand between a title and its text, or before it
BESIDE = 200  # the same of words that say nothing
MANY = 1_000_000  # titles times texts in one line, beyond which it is no list
FEW_DECLARED = 3  # rows of a list that name show, title and number among other words
WRAPPED = 8  # characters of a text at the end of a row
PROSE = 6  # words behind a title that make a text
QUOTES = ("“", "„", "‟", "«", "»", "‹", '"', "「", "『", "‘")  # what opens a quotation
SITE = re.compile(r"\)?\s?[-–—|·•]\s[^-–—|·•]{2,40}")  # behind the show's name
ELLIPSIS = re.compile(r"\s?(?:\.\.\.|…)")
CUT_SHORTEST, CUT_LONGEST = 8, 150  # characters of a title that dots cut off


@dataclass(frozen=True, slots=True)
class Title:
    """A known title in a line: its span, and where the episode's own text begins behind it (-1: it does not)."""

    place: int
    start: int
    end: int
    episode: KnownEpisode
    text: int = -1
    weak: bool = False  # prose that is not known stands behind it
    cut: bool = False  # it is only the beginning of the known title, and dots behind it say so


@dataclass(frozen=True, slots=True)
class Opening:
    """The beginning of a known text in a line, and how many of its squashed characters stand there."""

    place: int
    start: int
    episode: KnownEpisode
    length: int


@dataclass(frozen=True, slots=True)
class Hit:
    start: int
    end: int
    episode: KnownEpisode
    hard: bool  # it ends at a blank, a sign, or the end of an element
    cut: tuple[KnownEpisode, ...] = ()  # of which it may be the title, where dots cut it off


NONE: tuple[list[Hit], list[Opening]] = ([], [])


class Scanner:
    """Looks up each line once; pages repeat many."""

    def __init__(self, known: EpisodeIndex) -> None:
        self.known = known
        self.seen: dict[tuple[str, tuple[Piece, ...]], tuple[list[Hit], list[Opening]]] = {}

    def hits(self, line: Line) -> tuple[list[Hit], list[Opening]]:
        key = (line.text, line.row.pieces)
        if key not in self.seen:
            self.seen[key] = _hits(line, self.known)
        titles, openings = self.seen[key]
        return titles, [replace(opening, place=line.place) for opening in openings]


def _hits(line: Line, known: EpisodeIndex) -> tuple[list[Hit], list[Opening]]:
    """All known titles and openings that stand in a line where words begin."""
    row = line.flat
    edges = {*line.parts, *line.ends}
    starts = {match.start() for match in STARTS.finditer(row.kinds)} | edges
    titles: list[Hit] = []
    openings: list[Opening] = []
    before = -1
    for start in sorted(starts):
        place = row.at(start) if start < len(row.text) else -1
        if place < 0 or place == before:
            continue
        before = place
        if row.squashed[place : place + 3] in known.heads.heads and (found := known.opening(row.squashed, place)):
            openings.append(Opening(line.place, start, *found))
        for title in known.titles.at(row.squashed, place):
            if hit := _hit(line, start, place + len(title), known.by_title[title], edges):
                titles.append(hit)
                break
    cuts = _cut_hits(line, sorted(starts), known)
    dotted = {(hit.start, hit.end) for hit in cuts}
    return [*(hit for hit in titles if (hit.start, hit.end) not in dotted), *cuts], openings


def _cut_hits(line: Line, starts: Sequence[int], known: EpisodeIndex) -> list[Hit]:
    """Beginnings of known titles that dots cut off."""
    row, found = line.flat, []
    for dots in islice(ELLIPSIS.finditer(line.text), 20):
        end = dots.start()
        for start in starts[bisect_left(starts, end - CUT_LONGEST) : bisect_left(starts, end)]:
            beginning = row.squashed[row.at(start) : row.at(end)]
            if len(beginning) >= CUT_SHORTEST and (episodes := known.cut_titles(beginning)):
                found.append(Hit(start, end, episodes[0], True, tuple(episodes)))
    return found


def _hit(line: Line, start: int, stop: int, episode: KnownEpisode, edges: set[int]) -> Hit | None:
    row = line.flat
    end = row.back(stop)
    if row.at(end) != stop:
        return None
    while end < len(row.text) and row.text[end] in "_*`" and row.at(end + 1) == stop:
        end += 1
    while row.text[start] in "'’‘ʼ´" or row.text[start].isspace():
        start += 1
    hard = end == len(row.text) or row.kinds[end] in "sp" or end in edges
    if hard or row.begins(end):
        return Hit(start, end, episode, hard)
    # "THWhat is TH?", "PyTorch 2.04 December 2022": what is glued to it tells where it ends.
    own = own_text(episode, row.squashed, stop) >= SHORT
    date = (
        end < len(row.kinds)
        and row.kinds[end - 1 : end + 1] == "dd"
        and _dated(row.text[end : end + 40], line.language)
    )
    return Hit(start, end, episode, False) if own or date else None


def _end(line: Line, opening: Opening) -> int:
    """Where so much of a text ends in its line."""
    return line.flat.back(line.flat.at(opening.start) + opening.length)


def _dated(text: str, language: str) -> bool:
    return any(mark.kind == "date" and not mark.start for mark in marks(text, language))


class Finder:
    """Looks at a page's lines one by one, and learns from all what stands beside titles and says nothing."""

    def __init__(self, lines: Sequence[Line], scanner: Scanner) -> None:
        self.lines = lines
        self.hits = {line.place: found for line in lines if (found := scanner.hits(line)) != ([], [])}
        self.idle = self._idle()
        declared = {place for place, (titles, _) in self.hits.items() if self._declares(lines[place], titles)}
        self.declared = declared if len(declared) >= FEW_DECLARED else set()

    def _idle(self) -> frozenset[tuple[str, ...]]:
        """Words that stand beside many titles, as buttons do; names that a sign parts from the title are others' names."""
        beside: dict[tuple[str, ...], set[int]] = defaultdict(set)
        episodes: Counter[int] = Counter()
        for place, (titles, _) in self.hits.items():
            line = self.lines[place]
            for hit in titles:
                if not hit.hard:
                    continue
                episodes[hit.episode.name] += 1
                front = line.left(0, hit.start, line.addresses) if hit.start <= BESIDE else ""
                behind = (
                    line.left(hit.end, len(line.text), line.addresses) if len(line.text) - hit.end <= BESIDE else ""
                )
                if (words := rest(front)) and not NAMES.search(front.rstrip("\n")[-3:]):
                    beside[words].add(hit.episode.name)
                if (words := rest(behind)) and not NAMES.match(behind.lstrip()):
                    beside[words].add(hit.episode.name)
        return frozenset(
            w for w, own in beside.items() if len(w) <= 6 and len(own) >= 3 and len(own) * 4 >= len(episodes)
        )

    def explained(self, line: Line, start: int, end: int, episode: KnownEpisode) -> bool:
        """Whether nothing stands there but fields, the episode's title once more, and words that say nothing."""
        if start >= end:
            return True
        if end - start > LONG:
            return False
        again = line.every(episode.title, start, end) if episode.title else ()
        words = rest(line.left(start, end, (*again, *line.addresses)))
        return not words or words in self.idle

    def titles(self) -> Iterator[Title]:
        """At most one title a line: the longest that the rest of its line allows."""
        for place, (found, openings) in self.hits.items():
            line = self.lines[place]
            passed = [title for hit in found if (title := self._title(line, hit, openings))]
            if passed:
                yield max(
                    passed, key=lambda title: (not title.weak, title.text >= 0, title.end - title.start, -title.start)
                )

    def _title(self, line: Line, hit: Hit, openings: Sequence[Opening]) -> Title | None:
        if hit.cut:
            near = [*openings, *(o for p in range(line.place - 4, line.place + 9) for o in self.hits.get(p, NONE)[1])]
            told = {o.episode.name for o in near}
            episodes = [e for e in hit.cut if e.name in told] if len(hit.cut) > 1 else hit.cut
            title = (
                self._title(line, Hit(hit.start, hit.end, episodes[0], True), openings) if len(episodes) == 1 else None
            )
            return replace(title, cut=True) if title and not title.weak else None
        if any(
            m.kind == "date" and m.start <= hit.start and hit.end <= m.end and m.end - m.start > hit.end - hit.start
            for m in line.marks_in(hit.start, hit.end)
        ):
            return None  # a title like "March"
        for opening in openings:
            end = _end(line, opening)
            if opening.start <= hit.start < end:
                return None
            if opening.episode is hit.episode and self._text_ahead(line, opening, end, hit):
                return Title(line.place, hit.start, hit.end, hit.episode, opening.start)
        declared = hit.start in line.parts and hit.end in line.ends and line.place in self.declared
        if not declared and not self.explained(line, 0, hit.start, hit.episode):
            return None
        own = self.own_text(line, hit)
        if own >= 0:
            return Title(line.place, hit.start, hit.end, hit.episode, own)
        # "vmap - PyTorch Developer Podcast - Castpages"
        sited = [end for start, end in line.shows if start >= hit.end and SITE.fullmatch(line.text, end)]
        if declared or self.explained(line, hit.end, min(sited, default=len(line.text)), hit.episode):
            return Title(line.place, hit.start, hit.end, hit.episode)
        return self._with_prose(line, hit)

    def _text_ahead(self, line: Line, opening: Opening, end: int, hit: Hit) -> bool:
        """Whether the line is the episode's text, cut or whole, and then its title and fields."""
        if any(low <= hit.start < high for low, high in line.addresses):
            return False
        behind = line.text[end : hit.start]
        cut = re.match(r"\s*(?:\.\s?\.\s?\.|…)", behind)
        return (
            end <= hit.start
            and self.explained(line, 0, opening.start, hit.episode)
            and self.explained(line, end + (cut.end() if cut else 0), hit.start, hit.episode)
            and self.explained(line, hit.end, len(line.text), hit.episode)
        )

    def own_text(self, line: Line, hit: Hit) -> int:
        """Where the episode's own text begins behind its title, past fields and words that say nothing."""
        row, places = line.flat, {hit.end}
        places |= {mark.end for mark in line.marks_in(hit.end, hit.end + LONG) if mark.start >= hit.end}
        parts = line.parts[bisect_left(line.parts, hit.end) : bisect_left(line.parts, hit.end + LONG)]
        places |= {*parts, *(match.start() for match in STARTS.finditer(row.kinds, hit.end, hit.end + 160))}
        for place in sorted(places)[:120]:
            own = own_text(hit.episode, row.squashed, row.at(place)) if place < len(row.text) else 0
            if own >= SHORT or (own >= WRAPPED and self._wraps(line, row.at(place), hit.episode)):
                said = self.explained(line, hit.end, place, hit.episode)
                return place if said and not is_quoted(line, place) else -1
        return -1

    def _wraps(self, line: Line, place: int, episode: KnownEpisode) -> bool:
        """Whether an episode's text begins there, breaks off at the end of the row, and goes on in the next."""
        first = line.flat.squashed[place:]
        if line.row.path or line.place + 1 >= len(self.lines):
            return False
        both = first + self.lines[line.place + 1].flat.squashed
        return own_text(episode, both, 0) >= min(len(first) + SHORT, len(both))

    def _declares(self, line: Line, titles: Sequence[Hit]) -> bool:
        """Whether a short row names the show, one title in an element of its own, and that episode's own number."""
        exact = [hit for hit in titles if hit.start in line.parts and hit.end in line.ends]
        own = len(exact) == 1 and any(n.number in exact[0].episode.numbers for n in line.numbers)
        return own and bool(line.shows) and len(line.text) < BESIDE

    def _with_prose(self, line: Line, hit: Hit) -> Title | None:
        """A title before a text that is not known, where an element, a sign or glue parts them."""
        behind = line.text[hit.end : hit.end + LONG].lstrip(" -–—:|·•")
        words = behind.split()
        parted = hit.end in line.ends
        signed = re.match(r"\s?[-–—:|·•]{1,3}\s", line.text[hit.end : hit.end + 5]) is not None or not hit.hard
        marked = line.marked(hit.end)
        if len(words) < PROSE or not (parted or signed or marked):
            return None
        if not (parted or marked or words[0][:1].isupper()):
            return None
        return Title(line.place, hit.start, hit.end, hit.episode, weak=True)

    def openings(self) -> Iterator[Opening]:
        """The first opening of a line that nothing but fields stands before."""
        for place, (_, openings) in self.hits.items():
            line = self.lines[place]
            for opening in openings:
                if self.explained(line, 0, opening.start, opening.episode):
                    yield opening
                    break


def is_quoted(line: Line, place: int) -> bool:
    """Whether a quotation begins there: somebody speaks of it."""
    return line.text[:place].rstrip().endswith(QUOTES)


def split(rows: Sequence[Row], scanner: Scanner, names: tuple[str, ...], language: str) -> list[Row]:
    """The rows, with those that hold several entries cut where the next begins."""
    found: list[Row] = []
    for row in rows:
        cuts = _cuts(Line(0, row, names, language), scanner) if len(row.text) > 30 else []
        found.extend(_parts(row, cuts) if cuts else [row])
    return found


def _cuts(line: Line, scanner: Scanner) -> list[int]:
    """Where entries begin in a line of several: at titles that their own text follows, or that are a part with a date
    or length before or behind."""
    titles, openings = scanner.hits(line)
    if len({hit.episode.name for hit in titles}) < 2 or len(titles) * (len(openings) + 1) > MANY:
        return []
    finder = Finder([], scanner)
    starts = {piece.start: piece for piece in line.row.pieces}
    sure, parts = [], []
    for hit in titles:
        if any(o.start <= hit.start < _end(line, o) for o in openings):
            continue
        if finder.own_text(line, hit) >= 0:
            sure.append(hit)
        if hit.start in starts and hit.end in line.ends:
            parts.append(hit)
    between = pairwise(parts)
    if len(parts) >= 2 and all(any(line.marks_in(a.end, b.start)) for a, b in between):
        return _block_starts(line, [hit.start for hit in parts])
    return _with_fields(line, [hit.start for hit in sure]) if len({hit.episode.name for hit in sure}) > 1 else []


def _block_starts(line: Line, starts: Sequence[int]) -> list[int]:
    """The starts, each moved to the first of the parts that one link of the title's own holds, or the fields before it."""
    pieces = line.row.pieces
    hrefs = {start: pieces[bisect_left(line.parts, start)].href for start in starts}
    if not all(hrefs.values()) or len(set(hrefs.values())) < len(starts):
        return _with_fields(line, starts)
    found = []
    for start, href in hrefs.items():
        place = bisect_left(line.parts, start)
        while place and pieces[place - 1].href == href:
            place -= 1
        found.append(pieces[place].start)
    # Other entries, whose titles are not known, have links of their own.
    first = {piece.start for before, piece in pairwise(pieces) if piece.href != before.href}
    return sorted({*found, *(place for place in first if place >= min(found))})


def _with_fields(line: Line, starts: Sequence[int]) -> list[int]:
    """The starts, each moved before as many dates and lengths as stand before the first."""
    ahead = sum(mark.end <= starts[0] for mark in line.marks)
    found = []
    for start in starts:
        for _ in range(ahead):
            mark = next((m for m in reversed(list(line.marks_in(start - LONG, start))) if m.end <= start), None)
            if mark and not rest(line.left(mark.end, start)):
                start = mark.start
        found.append(start)
    return found


def _parts(row: Row, cuts: Sequence[int]) -> Iterator[Row]:
    starts = sorted({0, *cuts})
    begins = [piece.start for piece in row.pieces]
    for start, end in zip(starts, [*starts[1:], len(row.text)], strict=True):
        text = row.text[start:end].rstrip()
        pieces = tuple(
            Piece(max(piece.start - start, 0), min(piece.end, end) - start, piece.href)
            for piece in row.pieces[max(0, bisect_left(begins, start) - 1) : bisect_left(begins, end)]
            if piece.end > start
        )
        yield replace(row, text=text, pieces=pieces, stamps=row.stamps if not start else ())
