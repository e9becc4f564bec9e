"""Gathers what belongs to each entry of a page: which date, length, text and address, by where all entries have theirs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from ..dates import seconds
from ..local_dates import Calendar, Mark, marks
from .entries import PROSE_WORDS, FieldHit, PageEntry, agrees, is_prose
from .known import common, squashed
from .lines import RANK, Line, rest, unquoted, worded
from .starts import Start, cards, fielded, shared

BEHIND, ABOVE = 12, 5  # rows behind the last entry and above the first that may be theirs
LINK_ROWS = 12  # rows below a title in which the entry's address stands
FIELD_WORDS = 6  # words beside a date in a row that is a field
LABEL = re.compile(
    r"\s*\(?(?:read more|show more|see more|more|continue reading|show less|mehr lesen|"
    r"mehr anzeigen|weiterlesen|mehr|lire la suite|"
    r"voir plus|afficher plus|en savoir plus|leer más|ver más|mostrar más|seguir leyendo|ler mais|"
    r"ver mais|mostrar mais|leggi tutto|"
    r"leggi di più|mostra altro|altro|lees meer|meer lezen|meer|läs mer|visa mer|les mer|vis mer|læs mere|vis mere|lue lisää|"
    r"czytaj więcej|pokaż więcej|czytaj dalej|číst více|zobrazit více|čítať viac|tovább|bővebben|citește mai mult|виж още|"
    r"διαβάστε περισσότερα|devamını oku|daha fazla|читать дальше|читать далее|читать полностью|подробнее|показать ещё|ещё|"
    r"читати далі|детальніше|続きを読む|もっと見る|さらに表示|더 보기|더보기|阅读更多|閱讀更多|查看更多|展开|"
    r"展開|全文|קרא עוד|اقرأ المزيد|और पढ़ें|"
    r"selengkapnya|baca selengkapnya|xem thêm|อ่านเพิ่มเติม)\)?\s*(?:\.\.\.|…|[»›→>+])?\s*$",
    re.I,
)
DOTS = re.compile(r"\s*(?:\.\s?\.\s?\.|…|\[…\]|\[\.\.\.\]|\(…\)|\(\.\.\.\))$")
MORE = re.compile(r"\s*(?P<more>[\[(][^\[\]()\d]{1,30}[\])])$")  # "[devamı]": a label that ends many texts
CUT = re.compile(r"\s*[\[(]?\s?(?:\.\s?\.\s?\.|…)")
SENTENCE = re.compile(r"[.!?。！？:)\]\"'’”»/]$|https?://\S+$")
KINDS = ("date", "length", "clock", "ago")


class Gatherer:
    def __init__(self, starts: Sequence[Start], lines: Sequence[Line], blocked: set[int]) -> None:
        self.lines, self.blocked = lines, blocked
        self.starts = starts
        spans = cards(starts, lines) if len(starts) > 1 else [_alone(s, lines) for s in starts]
        self.entries = [
            PageEntry(start, [row for row in range(*span) if row not in blocked], span != (start.first, start.last + 1))
            for start, span in zip(starts, spans, strict=True)
        ]
        self._numbers = {id(entry): n for n, entry in enumerate(self.entries)}
        repeated = Counter(line.text for line in lines)
        self.noise = {text for text, count in repeated.items() if count > 2 and count * 4 >= len(starts)}
        ends = Counter(match["more"] for line in lines if (match := MORE.search(line.text)))
        self.more = {label for label, count in ends.items() if count > 2}
        behind = [_behind_date(line, mark) for line in lines for mark in line.marks if mark.kind == "clock"]
        # "5. 5. 2021 15:00 … (18:49)": one says when, the other how long.
        self.timed = behind.count(True) > 2 and behind.count(False) * 2 > behind.count(True)
        # Where entries have blocks of their own, nothing outside of them is theirs.
        self.blocks = sum(entry.block for entry in self.entries) * 2 > len(self.entries)
        self.owned = {row: n for n, entry in enumerate(self.entries) for row in entry.rows}
        for entry in self.entries:
            self._own_text(entry)
        self._sides()
        for entry in self.entries:
            if not entry.text:
                self._other_text(entry)
        self._drop_strays()

    def number(self, entry: PageEntry) -> int:
        """Which of the entries it is."""
        return self._numbers[id(entry)]

    # -- rows around the blocks ---------------------------------------------------------------------------------------

    def before(self, n: int) -> list[int]:
        """Free rows above an entry, the nearest first."""
        start = self.entries[n].start.first
        low = max(self._last(n - 1) + 1, 0) if n else max(0, min(self.entries[n].rows, default=start) - ABOVE)
        return self._free(range(min([start, *self.entries[n].rows]) - 1, low - 1, -1), n)

    def behind(self, n: int) -> list[int]:
        """Free rows below an entry, the nearest first."""
        last = self._last(n)
        high = self.entries[n + 1].start.first if n + 1 < len(self.entries) else min(len(self.lines), last + 1 + BEHIND)
        return self._free(range(last + 1, high), n)

    def _last(self, n: int) -> int:
        return max([self.entries[n].start.last, *self.entries[n].rows])

    def _free(self, places: Iterable[int], n: int) -> list[int]:
        found = []
        own = self.lines[self.entries[n].start.place].row
        for place in places:
            row = self.lines[place].row
            if place in self.owned:
                break
            if own.heading and row.heading and row.heading <= own.heading:
                break
            # What stands outside of the list that holds the entries is none of theirs.
            if own.path and len(self.entries) > 1 and self._depth(n) > len(row.path):
                break
            if own.path and len(self.entries) > 1 and row.path[: self._depth(n)] != own.path[: self._depth(n)]:
                break
            if place not in self.blocked:
                found.append(place)
        return found

    def _depth(self, n: int) -> int:
        path = self.lines[self.entries[n].start.place].row.path
        others = [
            self.lines[self.entries[m].start.place].row.path for m in (n - 1, n + 1) if 0 <= m < len(self.entries)
        ]
        return max((shared(path, other) for other in others), default=0)

    # -- dates and lengths --------------------------------------------------------------------------------------------

    def items(self, place: int, kind: str, entry: PageEntry) -> list[FieldHit]:
        """What a row says of a kind, where it is a field and not a sentence."""
        line = self.lines[place]
        text = next((tail for row, tail in entry.tails if row == place), -1)
        in_text = place in entry.text_rows
        found = []
        if kind != "clock":
            found += [item for stamp in line.row.stamps for item in _stamped(place, stamp, kind)]
        plain = not in_text and worded(line.left(0, len(line.text))) <= FIELD_WORDS
        title = entry.start.title
        for mark in line.marks:
            if mark.kind != kind or (kind == "clock" and self.timed and _behind_date(line, mark)):
                continue
            exact = any(_within(line, mark, piece.start, piece.end) for piece in line.row.pieces)
            begin = title.text if title and title.place == place and title.text >= 0 else len(line.text)
            if entry.start.opening and entry.start.opening.place == place:
                begin = min(begin, entry.start.opening.start)
            if in_text:
                fits = mark.start >= text >= 0 or mark.end <= begin < len(line.text)
            else:
                fits = (
                    plain
                    or exact
                    or (title is not None and title.place == place and _beside(title.start, title.end, mark))
                )
            if title and title.place == place and title.start < mark.end and mark.start < title.end:
                fits = False
            if fits:
                found.append(FieldHit(place, mark, line.text[mark.start : mark.end]))
        return found

    def _sides(self) -> None:
        """Give every entry its date and length: its own row's or block's, else those on the side where all have theirs."""
        for kind in KINDS:
            own = {n: self._inside(entry, kind) for n, entry in enumerate(self.entries)}
            missing = [n for n, items in own.items() if not items]
            side: Callable[[int], list[int]] | None = None
            if missing and not self.blocks:
                side = self._same_side(own)
                side = self._side(kind, missing) if side is None and len(missing) * 2 > len(own) else side
            beside = {n: self._nearest(n, kind, side(n)) for n in missing} if side else {}
            far = sorted(self._distance(n, items) for n, items in beside.items() if items)
            for n, entry in enumerate(self.entries):
                items = own[n] or beside.get(n, [])
                # Below the last entry stands what is no entry's.
                edge = n in (0, len(self.entries) - 1)
                if edge and n in beside and items and len(far) > 2 and self._distance(n, items) > far[-2]:
                    continue
                if items:
                    entry.found[kind], entry.raw[kind], entry.places[kind] = items[0].mark, items[0].raw, items[0].place

    def places(self) -> Iterator[tuple[Start, str, int]]:
        """Which row each entry's date and length stands in."""
        for entry in self.entries:
            for kind, place in entry.places.items():
                yield entry.start, kind, place

    def _same_side(self, own: dict[int, list[FieldHit]]) -> Callable[[int], list[int]] | None:
        """The side on which most entries have what stands within their rows."""
        steps = [items[0].place - self.entries[n].start.place for n, items in own.items() if items]
        behind, before = sum(step > 0 for step in steps), sum(step < 0 for step in steps)
        if max(behind, before) * 2 <= sum(bool(items or self.entries[n].start.episode) for n, items in own.items()):
            return None
        rows, reach = (self.behind, max(steps)) if behind > before else (self.before, -min(steps))
        return lambda n: [place for place in rows(n) if abs(place - self.entries[n].start.place) <= reach]

    def _distance(self, n: int, items: Sequence[FieldHit]) -> int:
        start = self.entries[n].start
        return min(abs(items[0].place - start.first), abs(items[0].place - start.last))

    def _inside(self, entry: PageEntry, kind: str) -> list[FieldHit]:
        start = entry.start
        near = sorted(
            {*entry.rows, *start.rows},
            key=lambda place: (place != start.place, place not in start.rows, abs(place - start.place), place),
        )
        found = [item for place in near for item in self.items(place, kind, entry)]
        days = {(item.mark.day, item.mark.numbers) for item in found if kind == "date"}
        if len(days) > 1 and start.place not in {item.place for item in found}:
            stamped = [item for item in found if self.lines[item.place].row.stamps]
            found = stamped or found
        return found

    def _nearest(self, n: int, kind: str, places: Sequence[int]) -> list[FieldHit]:
        for place in places:
            if items := self.items(place, kind, self.entries[n]):
                return items
            if self._strange(place, n):
                return []
        return []

    def _strange(self, place: int, n: int) -> bool:
        """A short row that says something of its own, perhaps the title of an entry that is not known."""
        line = self.lines[place]
        if place in self.entries[n].text_rows or line.text in self.noise or line.shows or is_prose(line):
            return False
        return bool(rest(line.left(0, len(line.text)))) and not fielded(line)

    def _side(self, kind: str, missing: Sequence[int]) -> Callable[[int], list[int]] | None:
        """The side of the titles on which a kind of field stands, by what is known, else by how the list begins and ends."""
        votes = Counter[str]()
        seen = Counter[str]()
        for name, rows in (("behind", self.behind), ("before", self.before)):
            for n in missing:
                items = self._nearest(n, kind, rows(n))
                seen[name] += bool(items)
                episode = self.entries[n].start.episode
                if items and episode:
                    votes[name] += agrees(items[0].mark, episode)
        sides = {"behind": self.behind, "before": self.before}
        if max(seen.values(), default=0) * 2 < len(missing):
            return None
        if votes["behind"] != votes["before"] and abs(votes["behind"] - votes["before"]) > 0:
            return sides[max(votes, key=lambda name: votes[name])]
        if seen["behind"] != seen["before"]:
            return sides[max(seen, key=lambda name: seen[name])]
        first, last = missing[0], missing[-1]
        head, tail = self._nearest(first, kind, self.before(first)), self._nearest(last, kind, self.behind(last))
        if bool(head) != bool(tail):
            return self.before if head else self.behind
        return None

    def signed(self, n: int, usual: frozenset[tuple[str, ...]] = frozenset()) -> bool:
        """Whether a short row of an entry says something that is no field, as the name of another show would.

        `usual` are words that may stand beside fields.
        """
        entry = self.entries[n]
        free = [place for place in entry.rows if place not in entry.start.rows] if entry.block else self._beside(n)
        free = [place for place in free if place not in entry.text_rows and place not in entry.places.values()]
        found = [self.lines[place] for place in free if not LABEL.fullmatch(self.lines[place].text)]
        found = [line for line in found if not line.heads]
        said = [(line, rest(line.left(0, len(line.text), line.addresses))) for line in found]
        return any(words and words not in usual and not is_prose(line) for line, words in said)

    def usual(self) -> frozenset[tuple[str, ...]]:
        """Words that stand beside the fields of most entries: "First aired … Listen"."""
        often = Counter(
            rest(line.left(0, len(line.text), line.addresses))
            for entry in self.entries
            for line in (self.lines[place] for place in {*entry.rows, *entry.places.values()})
            if line.marks
        )
        return frozenset(words for words, count in often.items() if count * 2 > len(self.entries))

    def signed_within(self, n: int) -> bool:
        """Whether such a row stands between an entry's title and its fields."""
        entry = self.entries[n]
        last = max(entry.places.values(), default=0)
        rows = [self.lines[place] for place in range(entry.start.last + 1, last)]
        rows = [line for line in rows if line.place not in entry.text_rows and not is_prose(line) and not line.shows]
        return any(rest(line.left(0, len(line.text))) and line.text not in self.noise for line in rows)

    def has_prose(self, n: int) -> bool:
        """Whether sentences stand in an entry that are not the episode's known text."""
        entry = self.entries[n]
        rows = [place for place in entry.rows if place not in entry.start.rows] if entry.block else self._beside(n)
        title = entry.start.title
        weak = title is not None and title.weak and not self.lines[title.place].marked(title.end)
        return weak or any(is_prose(self.lines[place]) for place in rows)

    def _beside(self, n: int) -> list[int]:
        """Rows below an entry that has no block: in saved text no further than three, nor past a stranger."""
        return self.behind(n)[: self._most]

    @cached_property
    def _most(self) -> int:
        """How many rows below entries are theirs: in lists without rows between, what stands there is a heading."""
        counts = sorted(len(self.behind(n)) for n in range(len(self.entries) - 1))
        return min(counts[len(counts) // 2], 3) if len(counts) > 2 else 3

    def links(self, entry: PageEntry) -> list[str]:
        """The addresses that stand alone in rows of an entry's paragraph in saved text."""
        if entry.block:
            return []
        n = self.number(entry)
        found = []
        for place in self.behind(n)[:LINK_ROWS]:
            row = self.lines[place].row
            if row.gap:
                break
            if len(row.links) == 1 and row.text.strip("<>()[] ") == row.links[0]:
                found.append(row.links[0])
        return found

    # -- text ---------------------------------------------------------------------------------------------------------

    def _own_text(self, entry: PageEntry) -> None:
        """The known text of the episode, as much of it as the page has."""
        start, episode = entry.start, entry.start.episode
        if start.title and start.title.text >= 0:
            place, begin = start.title.place, start.title.text
        elif start.opening:
            place, begin = start.opening.place, start.opening.start
        else:
            return
        if episode is None:
            return
        parts: list[str] = []
        known_left: str | None = None
        line = self.lines[place]
        while True:
            printed, at = line.flat.squashed, line.flat.at(begin)
            if known_left is None:
                length, known = max((common(printed, at, text), text) for text in episode.texts)
            else:
                known = known_left
                length = common(printed, at, known)
            if parts and length < min(8, len(printed) - at, len(known)):
                break
            end = line.flat.back(at + length)
            left = known[length:]
            if left and length < len(printed) - at:
                end = _own_end(line, end)
            parts.append(line.text[begin:end].strip())
            entry.text_rows.add(place)
            entry.tails.append((place, end))
            if not left or end < len(line.text.rstrip()) or place + 1 >= len(self.lines) or place + 1 in self.blocked:
                break
            if place + 1 in self.owned and self.entries[self.owned[place + 1]] is not entry:
                break
            place, begin, known_left = place + 1, 0, left
            line = self.lines[place]
            if not line.text:
                break
        self._cut(entry, "\n".join(part for part in parts if part), place)

    def _cut(self, entry: PageEntry, text: str, place: int) -> None:
        """Store the text without what marks a cut, and whether there is one."""
        tail = next((end for row, end in entry.tails if row == place), 0)
        behind = self.lines[place].text[tail:]
        following = self.lines[place + 1].text if place + 1 < len(self.lines) else ""
        bare = self._without_label(text)
        more = bare != text or LABEL.match(behind) is not None or bool(LABEL.fullmatch(following))
        dots = DOTS.search(bare) is not None or CUT.match(behind) is not None
        bare = DOTS.sub("", bare)
        entry.text = bare
        episode = entry.start.episode
        if episode and episode.texts:
            printed, longest = squashed(bare), episode.texts[0]
            if len(printed) >= len(longest):
                entry.cut = False
                return
            if longest.startswith(printed):
                entry.cut = True if dots or more or not SENTENCE.search(bare) else None
                return
        entry.cut = True if dots or more else None if not bare else False

    def _drop_strays(self) -> None:
        """In saved text sentences that stand under a few entries only are none of theirs."""
        free = [entry for entry in self.entries if not entry.block and not entry.start.told]
        texts = [entry for entry in free if entry.text and not (entry.start.title and entry.start.title.weak)]
        if len(free) > 4 and len(texts) * 4 < len(free):
            for entry in texts:
                entry.text, entry.cut = "", None

    def _without_label(self, text: str) -> str:
        """A text without the button at its end that shows the rest."""
        match = MORE.search(text)
        return text[: match.start()] if match and match["more"] in self.more else LABEL.sub("", text)

    def _other_text(self, entry: PageEntry) -> None:
        """A text that is not known: the sentences in the entry's block, else right below its title."""
        title = entry.start.title
        if title and title.weak and title.text < 0:
            line = self.lines[title.place]
            begin = max([title.end, *(m.end for m in line.marks if m.start - title.end < 4 and m.start >= title.end)])
            text = line.text[begin:].strip(" -–—:|·•")
            entry.tails.append((title.place, len(line.text)))
            if len(text.split()) >= PROSE_WORDS:
                self._cut(entry, unquoted(text), title.place)
            return
        n = self.number(entry)
        places = [place for place in entry.rows if place not in entry.start.rows] if entry.block else self._below(n)
        prose = [place for place in places if is_prose(self.lines[place]) and self.lines[place].text not in self.noise]
        if not prose:
            return
        run = [prose[0]]
        for place in prose[1:]:
            if place - run[-1] == 1 and entry.block:
                run.append(place)
        entry.text_rows.update(run)
        entry.tails.append((run[-1], len(self.lines[run[-1]].text)))
        self._cut(entry, unquoted("\n".join(self.lines[place].text for place in run)), run[-1])

    def _below(self, n: int) -> list[int]:
        found = []
        title = self.lines[self.entries[n].start.place]
        for place in self.behind(n):
            # Where entries are counted, what is counted is another.
            if self._strange(place, n) or (RANK.match(title.text) and RANK.match(self.lines[place].text)):
                break
            found.append(place)
        return found


def _alone(start: Start, lines: Sequence[Line]) -> tuple[int, int]:
    """The rows around the only entry of a page: up to the next heading, and the block that has others like it beside it."""
    heading = lines[start.place].row.heading
    low = start.first
    while low and start.first - low < ABOVE and not lines[low - 1].row.heading:
        low -= 1
    high = start.last + 1
    while high < len(lines) and high - start.last < 40 and not (lines[high].row.heading and heading):
        high += 1
    return low, high


def _own_end(line: Line, end: int) -> int:
    """Where a text ends that goes on otherwise than known: before the fields and buttons at the end of its line."""
    behind = line.text[end:]
    if CUT.match(behind) or LABEL.match(behind):
        return end
    if not rest(line.left(end, len(line.text))):
        return end
    stop = len(line.text)
    for mark in reversed(line.marks):
        if mark.start > end and not rest(line.left(mark.end, stop)):
            stop = mark.start
    return stop


def _behind_date(line: Line, clock: Mark) -> bool:
    """Whether a clock stands right behind a date, as a time of day does."""
    return any(mark.kind == "date" and 0 <= clock.start - mark.end <= 2 for mark in line.marks)


def _within(line: Line, mark: Mark, start: int, end: int) -> bool:
    """Whether a part of a row is nothing but the mark."""
    return start <= mark.start and mark.end <= end and not rest(line.left(start, end))


def _beside(start: int, end: int, mark: Mark) -> bool:
    return mark.end <= start or mark.start >= end


def _stamped(place: int, stamp: str, kind: str) -> Iterator[FieldHit]:
    if kind == "length" and stamp.upper().startswith("P"):
        if span := seconds(stamp):
            yield FieldHit(place, Mark(0, 0, "length", span=span), stamp)
    elif kind == "date":
        for mark in marks(stamp):
            if mark.kind == "date" and mark.day:
                yield FieldHit(place, mark, stamp)


def calendar(lines: Sequence[Line], blocked: set[int]) -> Calendar:
    """How the page writes numeric dates."""
    fields = [line for line in lines if line.place not in blocked]
    found = [mark for line in fields for mark in line.marks if mark.kind == "date"]
    return Calendar(found)
