"""Decides where entries begin on a page: which of the places that name known episodes, and which rows stand like them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from .anchors import Finder, Opening, Title, is_quoted
from .known import KnownEpisode
from .lines import Line, worded

NEAR = 3  # rows around a title in which its fields stand
AROUND = (4, 8)  # rows before and behind a title in which its own text stands
TWICE = 6  # rows within which a title stands a second time for the same entry


@dataclass(slots=True)
class Start:
    """Where an entry begins: the row of its title, or of its text where it has none; other rows that say the same."""

    place: int
    title: Title | None = None
    opening: Opening | None = None
    unknown: tuple[int, int] | None = None  # span of a title that is not known
    also: list[int] = field(default_factory=list)
    score: int = 0

    @property
    def episode(self) -> KnownEpisode | None:
        found = self.title or self.opening
        return found.episode if found else None

    @property
    def told(self) -> bool:
        """Whether the episode's own text stands at it."""
        return self.opening is not None or (self.title is not None and self.title.text >= 0)

    @property
    def first(self) -> int:
        return min([self.place, *self.also])

    @property
    def last(self) -> int:
        return max([self.place, *self.also])

    @property
    def rows(self) -> set[int]:
        return {self.place, *self.also}


Shape = tuple[tuple[str, ...], int]


def shape_of(line: Line) -> Shape:
    return (line.row.shape, line.row.heading)


def fielded(line: Line) -> bool:
    """Whether a row holds a date, a length or a number and little else."""
    return bool(line.row.stamps) or (bool(line.marks or line.numbers) and worded(line.left(0, len(line.text))) <= PLAIN)


PLAIN = 6


def found_starts(lines: Sequence[Line], finder: Finder, blocked: set[int]) -> list[Start]:
    """The entries of known episodes that a page may list, in its order, without what is only a mention."""
    openings = [o for o in finder.openings() if o.place not in blocked]
    titles = [t for t in finder.titles() if t.place not in blocked]
    near: dict[int, list[int]] = defaultdict(list)
    for opening in openings:
        near[opening.episode.name].append(opening.place)
    starts = [Start(t.place, t, score=_score(t, lines, near[t.episode.name])) for t in titles]
    starts = _merged(sorted(starts, key=lambda s: s.place), lines)
    starts = _without_menus(starts, lines)
    starts = _without_bare(starts)
    starts = _without_tags(starts, lines)
    return _with_openings(starts, sorted(openings, key=lambda o: o.place), lines)


def _score(title: Title, lines: Sequence[Line], texts: Sequence[int]) -> int:
    """How much of an entry stands at a title: its own text, a date or length in its row or near it, a heading, a link."""
    line = lines[title.place]
    own = title.text >= 0 or any(-AROUND[0] <= place - title.place <= AROUND[1] for place in texts)
    around = lines[max(0, title.place - NEAR) : title.place + NEAR + 1]
    here = bool(line.marks or line.row.stamps)
    return (
        8 * own
        + 4 * here
        + 2 * (not here and any(fielded(other) for other in around))
        + bool(line.row.heading)
        + bool(line.row.links)
        - 3 * (title.weak and not line.marked(title.end))
    )


def _merged(starts: Sequence[Start], lines: Sequence[Line]) -> list[Start]:
    """The starts, with a title that stands twice for one entry as one: a picture's label, then the title."""
    found: list[Start] = []
    for start in starts:
        before = found[-1] if found else None
        if (
            before
            and before.episode is start.episode
            and start.place - before.last <= TWICE
            and _twice(before, start, lines)
        ):
            best = start if start.score >= before.score else before
            found[-1] = replace(best, also=sorted({*before.rows, *start.rows} - {best.place}))
        else:
            found.append(start)
    return found


def _twice(one: Start, two: Start, lines: Sequence[Line]) -> bool:
    """Whether two titles of one episode are of one entry: in other elements, or with nothing of an entry between them."""
    if lines[two.place].row.path:
        return shape_of(lines[one.place]) != shape_of(lines[two.place])
    between = lines[one.last + 1 : two.first]
    if fielded(lines[one.last]) and (fielded(lines[two.first]) or between):
        return False
    return not any(fielded(line) or len(line.text.split()) > 12 for line in between)


def _without_menus(starts: list[Start], lines: Sequence[Line]) -> list[Start]:
    """Without titles in menus, and without bare titles row on row where others have more of an entry."""
    starts = [s for s in starts if lines[s.place].row.region != "menu"]
    bare = {id(s) for run in _runs(starts) for s in run}
    rest_of = [s for s in starts if id(s) not in bare and s.score >= 2]
    return [s for s in starts if id(s) not in bare] if rest_of else starts


def _without_bare(starts: list[Start]) -> list[Start]:
    """Without bare titles of episodes whose titles stand elsewhere on the page beside more of an entry."""
    best: dict[int, int] = {}
    times = Counter(start.episode.name for start in starts if start.episode)
    for start in starts:
        if start.episode:
            best[start.episode.name] = max(best.get(start.episode.name, 0), start.score)
    tags = {name for name, count in times.items() if count > 2 and best[name] < 4}  # a title in every entry is a tag
    starts = [s for s in starts if not s.episode or s.episode.name not in tags]
    return [s for s in starts if s.score >= 2 or not s.episode or best[s.episode.name] < s.score + 2]


def _runs(starts: Sequence[Start]) -> Iterator[list[Start]]:
    """Three or more titles row on row that have neither text nor date in their rows."""
    run: list[Start] = []
    for start in [*starts, None]:
        joined = start is not None and start.score < 4 and (not run or start.first - run[-1].last <= 1)
        if start is not None and joined:
            run.append(start)
            continue
        if len(run) >= 3:
            yield run
        run = [start] if start is not None and start.score < 4 else []


def _without_tags(starts: list[Start], lines: Sequence[Line]) -> list[Start]:
    """Without titles that stand inside the entry of another episode in another shape than most titles have."""
    by_shape: dict[Shape, list[Start]] = defaultdict(list)
    for start in starts:
        by_shape[shape_of(lines[start.place])].append(start)
    if len(by_shape) < 2 or not any(lines[s.place].row.path for s in starts):
        return starts
    weight = {shape: (_weight(own), shape[1] > 0) for shape, own in by_shape.items()}
    main = by_shape[max(weight, key=lambda shape: (*weight[shape], -min(o.place for o in by_shape[shape])))]
    if len({s.episode.name for s in main if s.episode}) < 2:
        return starts
    inside = {place: s for s, (low, high) in zip(main, cards(main, lines), strict=True) for place in range(low, high)}
    return [s for s in starts if any(s is m for m in main) or s.place not in inside or _twin(s, inside[s.place])]


def _weight(own: Sequence[Start]) -> int:
    """How much of entries stands at titles of one shape; a tag that stands in every entry counts once."""
    best: dict[int, int] = {}
    for start in own:
        if start.episode:
            best[start.episode.name] = max(best.get(start.episode.name, 0), start.score)
    return sum(best.values())


def _twin(start: Start, main: Start) -> bool:
    """A title once more within its own entry belongs to it."""
    if start.episode is main.episode:
        main.also = sorted({*main.also, *start.rows})
    return False


def cards(starts: Sequence[Start], lines: Sequence[Line]) -> list[tuple[int, int]]:
    """For each start the rows of the widest block that holds it and no other; its own rows where there is no such block."""
    found = []
    for n, start in enumerate(starts):
        path = lines[start.place].row.path
        depths = [shared(path, lines[o.place].row.path) for o in (*starts[max(0, n - 1) : n], *starts[n + 1 : n + 2])]
        depth = max(depths, default=-1)
        low, high = start.first, start.last + 1
        if 0 <= depth < len(path):
            node = path[depth]
            while low and len(lines[low - 1].row.path) > depth and lines[low - 1].row.path[depth] == node:
                low -= 1
            while high < len(lines) and len(lines[high].row.path) > depth and lines[high].row.path[depth] == node:
                high += 1
        found.append((low, high))
    return found


def shared(one: Sequence[int], other: Sequence[int]) -> int:
    """How many of the outermost blocks two rows have in common."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _with_openings(starts: list[Start], openings: Sequence[Opening], lines: Sequence[Line]) -> list[Start]:
    """The starts with their texts; a text whose title the page does not print begins an entry of its own."""
    by_place = sorted(starts, key=lambda s: s.place)
    alone: list[Start] = []
    taken: set[int] = set()
    for opening in openings:
        before = next((s for s in reversed(by_place) if s.place <= opening.place), None)
        behind = next((s for s in by_place if s.place > opening.place), None)
        mine = [s for s in (before, behind) if s and s.episode is opening.episode and id(s) not in taken]
        mine = [s for s in mine if abs(s.place - opening.place) <= 2 * AROUND[1]]
        if mine:
            # What is quoted behind a title in one row with it is somebody's sentence.
            if not (mine[0].place == opening.place and _quoted(opening, lines)):
                mine[0].opening = opening
                taken.add(id(mine[0]))
        elif not any(s.episode is opening.episode for s in (before, behind) if s) and not _quoted(opening, lines):
            alone.append(Start(opening.place, opening=opening, score=8))
    for start in by_place:
        if start.opening and start.opening.place not in start.rows:
            start.also = sorted({*start.also, start.opening.place})
    return sorted([*by_place, *_once(alone)], key=lambda s: s.place)


def _quoted(opening: Opening, lines: Sequence[Line]) -> bool:
    """Whether a text stands in quotation marks, or in a block of them: somebody speaks of it, nobody lists it."""
    line = lines[opening.place]
    block = any(re.match(r"(?:blockquote|q)\b", shape) for shape in line.row.shape)
    return block or is_quoted(line, opening.start) or line.text[: opening.start].rstrip().endswith(">")


def _once(alone: Iterable[Start]) -> list[Start]:
    """Untitled texts, of one episode only the fullest."""
    best: dict[int, Start] = {}
    for start in alone:
        if start.opening:
            name = start.opening.episode.name
            other = best.get(name)
            if other is None or (other.opening and other.opening.length < start.opening.length):
                best[name] = start
    return list(best.values())
