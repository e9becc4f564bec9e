"""Reads a row: which dates, lengths, numbers, names and button words stand in it, and what is left beside them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from ...records import Show
from ..local_dates import SIGNS, Mark, day_in, day_of, marks
from ..local_words import plain_digits
from .known import SquashedText, flat, squashed
from .rows import BARE_LINK, Row

NUMBER = re.compile(
    r"(?:(?<![^\W_])|(?<=\d))(?:(?:s|t|season|staffel|saison|temporada|stagione|сезон|sezon|seizoen|säsong|sæson|kausi)\.?\s?(?P<season>\d{1,3})"
    r"\s*[,:·.|-]?\s*)?(?:(?:e|ep|eps|episode|folge|épisode|episodio|episódio|puntata|odcinek|odc|aflevering|afl|avsnitt|"
    r"выпуск|эпизод|серия|епізод|bölüm|afsnit|jakso|díl|epizoda|epizód|επεισόδιο|حلقة|الحلقة|פרק|tập|에피소드|capítulo|"
    r"episoode|osa|rész)\.?\s?[#№]?\s?(?P<number>\d{1,5})|第\s?(?P<east>\d{1,5})\s?[回話话集期]|(?P<korean>\d{1,5})[화회])(?!\d)",
    re.I,
)
RANK = re.compile(
    r"\s*(?:[#№]\s?\d{1,5}|\(?\d{1,5}\s?[.):]|(?:no|nr|n[º°])\.?\s?\d{1,5}|\d{1,5}\b|"
    r"\((?:[^\W\d_]|[ivxlc]{2,7})\)|(?:[^\W\d_]|[ivxlc]{2,7})[.)](?=\s))(?!\d)",
    re.I,
)
NOTE = re.compile(r"\[\d{1,3}\]")  # the mark of a footnote
NOISE = frozenset(
    "play pause listen download share save queue new neu nouveau nuevo novo nuovo nowy explicit clean e ep episode episodes full "
    "trailer bonus audio video mp3 published released date duration length time title on at the by of from le el la il du am um "
    "den vom il y del de a à абспиелен abspielen anhören hören écouter escuchar reproducir ouvir ascolta riproduci luister "
    "beluister lyssna lyt spill odtwórz słuchaj слушать прослушать воспроизвести oynat dinle 再生 播放 재생 聴く 収聽 puntata "
    "episodio episódio épisode folge odcinek aflevering avsnitt выпуск эпизод more mehr plus más mais altro meer подробнее "
    "mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday г год года min hosted with".split()
)
# "Reading time: 5 min" and "5 min read" in the languages of the pages that say so.
READING_BEFORE = re.compile(
    r"\b(?:read(?:ing)? time|lesezeit|lesedauer|temps de lecture|tempo de leitura|tiempo de lectura|tempo di lettura|"
    r"leestijd|lästid|læsetid|lesetid|время чтения|czas czytania)\s?:?\s?$",
    re.I,
)
READING_BEHIND = re.compile(
    r"\s?(?:read|reading|to read|lesezeit|de lecture|de leitura|de lectura|di lettura|leestijd|чтения|czytania)\b", re.I
)
HEADED = "headed"  # the style of dates that a heading completes
BARE_DAY = re.compile(r"(?P<day>\d{1,2})\.?\s(?:[-–—:·|]\s)?(?=\D)")
WIDE = 300  # characters that a date or a name is long at most
WORDS = re.compile(r"[^\W_]+")
QUOTED = ("“”", "„“", "„”", "«»", "»«", "「」", "『』", "‹›", '""')
LETTERS = re.compile(r"[^\W\d_]{2,}")
CUT_NAME = re.compile(r"\s[-–—:|·•]\s(?P<name>[^-–—:|·•]{2,80}?)\s?(?:\.\.\.|…)$")
NAMES = re.compile(r"[-–—:|·•>/(]")


@dataclass(frozen=True, slots=True)
class Number:
    """A declared number of an episode: "Ep. 12", "S1 E12"."""

    start: int
    end: int
    number: int
    season: int | None


@dataclass(frozen=True)
class Line:
    """A row with what can be read off it, each found when it is asked for."""

    place: int
    row: Row
    names: tuple[str, ...]  # of the show and its makers, squashed
    language: str = ""
    under: tuple[int, int] = (0, 0)  # the year and month that the heading above names, 0 for none
    heads: bool = False  # whether it is that heading

    @property
    def text(self) -> str:
        return self.row.text

    @cached_property
    def flat(self) -> SquashedText:
        return flat(self.row.text)

    @cached_property
    def marks(self) -> tuple[Mark, ...]:
        """Dates and lengths; a date without a year is completed by the heading above."""
        found = [mark for mark in (*self._marks, *self._days()) if not self._is_reading_time(mark)]
        return tuple(sorted((completed(mark, self.under) for mark in found), key=lambda mark: mark.start))

    def _is_reading_time(self, mark: Mark) -> bool:
        """True for "5 min read": a length that has such a word right before or behind it."""
        if mark.kind != "length":
            return False
        before, behind = self.text[max(0, mark.start - 20) : mark.start], self.text[mark.end : mark.end + 20]
        return bool(READING_BEFORE.search(before) or READING_BEHIND.match(behind))

    def _days(self) -> Iterator[Mark]:
        """Days without a year that are parts of the row by themselves, or begin it below the name of a month."""
        dated = any(mark.kind in ("date", "ago") for mark in self._marks)
        first = BARE_DAY.match(self.text) if self.under[1] and not dated else None
        if first and 0 < int(first["day"]) < 32:
            yield Mark(first.start("day"), first.end("day"), "ago", partial=(0, int(first["day"])))
        for piece in self.row.pieces if len(self.row.pieces) > 1 else ():
            said = self.text[piece.start : piece.end]
            partial = day_of(plain_digits(said.strip(SIGNS)), self.language) if len(said) < 30 else None
            if partial and not any(mark.start < piece.end and piece.start < mark.end for mark in self._marks):
                yield Mark(piece.start, piece.end, "ago", partial=partial)

    @cached_property
    def _marks(self) -> tuple[Mark, ...]:
        """Dates and lengths, none across the seam of two elements that touch: `0:16:56` and `3 years ago`."""
        cuts = self._seams()
        if not cuts:
            return marks(self.text, self.language)
        parts = [self.text[a:b] for a, b in pairwise((0, *cuts, len(self.text)))]
        found = marks("\n".join(parts), self.language)
        seams = [cut + n for n, cut in enumerate(cuts)]
        moved = ((m, bisect_left(seams, m.start), bisect_left(seams, m.end)) for m in found)
        return tuple(replace(m, start=m.start - low, end=m.end - high) for m, low, high in moved)

    def _seams(self) -> list[int]:
        """Where elements touch without a blank between them."""
        pieces = self.row.pieces
        return [p.start for p in pieces if 0 < p.start < len(self.text) and not self.text[p.start - 1].isspace()]

    @cached_property
    def addresses(self) -> tuple[tuple[int, int], ...]:
        """Where addresses are written out."""
        return tuple(m.span() for m in BARE_LINK.finditer(self.text)) if "://" in self.text else ()

    @cached_property
    def numbers(self) -> tuple[Number, ...]:
        found = []
        chars = list(plain_digits(self.text[:400]))
        # A number may be glued to a date: "11 mai 2021Episode 6".
        for mark in self.marks_in(0, len(chars)):
            chars[mark.start : mark.end] = "\n" * (min(mark.end, len(chars)) - mark.start)
        plain = "".join(chars)
        for low, high in pairwise(sorted({0, *self._seams(), len(plain)})):
            for match in NUMBER.finditer(plain[low:high]):
                number = match["number"] or match["east"] or match["korean"]
                season = int(match["season"]) if match["season"] else None
                found.append(Number(low + match.start(), low + match.end(), int(number), season))
        return tuple(found)

    @cached_property
    def shows(self) -> tuple[tuple[int, int], ...]:
        """Where the name of the show, or of who makes it, stands; behind a sign it may be cut off by dots."""
        whole = tuple(span for name in self.names for span in self.every(name))
        cut = CUT_NAME.search(self.text)
        if cut and any(
            name.startswith(squashed(cut["name"])) and len(squashed(cut["name"])) > 1 for name in self.names
        ):
            return (*whole, cut.span("name"))
        return whole

    @cached_property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """All dates, lengths, numbers and names, in their order."""
        fields = [(mark.start, mark.end) for mark in self.marks]
        fields += [(number.start, number.end) for number in self.numbers]
        return tuple(sorted({*fields, *self.shows}))

    @cached_property
    def starts(self) -> tuple[int, ...]:
        return tuple(start for start, _ in self.spans)

    @cached_property
    def parts(self) -> tuple[int, ...]:
        """Where the row's parts begin."""
        return tuple(piece.start for piece in self.row.pieces)

    @cached_property
    def ends(self) -> frozenset[int]:
        """Where the row's parts end."""
        return frozenset(piece.end for piece in self.row.pieces)

    def marks_in(self, start: int, end: int) -> Iterator[Mark]:
        """The dates and lengths that overlap a stretch."""
        place = bisect_left(self.marks, start - WIDE, key=lambda mark: mark.start)
        while place < len(self.marks) and self.marks[place].start < end:
            if self.marks[place].end > start:
                yield self.marks[place]
            place += 1

    def marked(self, place: int) -> bool:
        """Whether a date or length stands right behind a place."""
        return any(mark.start >= place for mark in self.marks_in(place, place + 4))

    def every(self, name: str, low: int = 0, high: int | None = None) -> Iterator[tuple[int, int]]:
        """Where a squashed name stands by itself."""
        line = self.flat
        stop = line.at(len(self.text) if high is None else high)
        place = line.at(low) - 1
        while name and (place := line.squashed.find(name, place + 1, stop)) >= 0:
            start, end = line.back(place + 1) - 1, line.back(place + len(name))
            if line.begins(start) and line.begins(end):
                yield start, end

    def left(self, start: int, end: int, also: Iterable[tuple[int, int]] = ()) -> str:
        """What stands there beside dates, lengths, numbers and names."""
        chars = list(self.text[start:end])
        place = bisect_left(self.starts, start - WIDE)
        spans = self.spans[place : bisect_left(self.starts, end)]
        for low, high in (*spans, *also):
            for place in range(max(low, start), min(high, end)):
                chars[place - start] = "\n"
        return "".join(chars)


def completed(mark: Mark, under: tuple[int, int]) -> Mark:
    """A date without a year as one of the year, or year and month, that stands above."""
    if not mark.partial or not under[0]:
        return mark
    month, day = mark.partial[0] or under[1], mark.partial[1]
    if month and (not under[1] or under[1] == month) and (at := day_in(under[0], month, day)):
        return replace(mark, kind="date", day=at, style=HEADED)
    return mark


def names_of(show: Show) -> tuple[str, ...]:
    """Names that may stand beside any title of a show, squashed, the longest first."""
    found = {squashed(name) for name in (show.title, show.author, *show.author.split(",")) if len(squashed(name)) > 3}
    return tuple(sorted(found, key=lambda name: (-len(name), name)))


def rest(left: str) -> tuple[str, ...]:
    """The words of what is left, without ranks and words of buttons."""
    bare = NOTE.sub(" ", RANK.sub(" ", left, count=1) if RANK.match(left) else left)
    return tuple(word for word in WORDS.findall(bare.casefold()) if word not in NOISE)


def unquoted(text: str) -> str:
    """A text without the quotation marks around the whole of it."""
    bare = text.strip()
    for signs in QUOTED:
        if bare[:1] + bare[-1:] == signs and signs[0] not in bare[1:-1]:
            return bare[1:-1].strip()
    return text


def worded(left: str) -> int:
    """How many words of what is left are no numbers: "★ 4.9 (412 ratings) • 9.8K plays" has two."""
    return len([word for word in LETTERS.findall(left.casefold()) if word not in NOISE])
