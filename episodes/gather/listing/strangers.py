"""Finds entries that are not known: rows that stand exactly as the titles of known entries do."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from .lines import RANK, Line, rest
from .starts import NEAR, Shape, Start, fielded, shape_of, shared

TRIM = " -–—:：|｜·・•,/("  # what may stand between a title and what is beside it
RANKED = re.compile(r"^\s*[#№(]?\s?\d{1,5}|[#№]\s?\d{1,5}\W{0,3}$|^\s*\(?[^\W\d_]{1,5}[.)]\s")
LONGEST = 200  # characters of a title
# Words that may stand between a title and the show's name.
JOINTS = frozenset(("in", "from", "aus", "von", "dans", "de", "en", "i", "z", "w", "из", "в", "у"))


def strangers(starts: Sequence[Start], lines: Sequence[Line], blocked: set[int]) -> list[Start]:
    """Entries that are not known, by standing exactly as known ones around them do in the same list."""
    by_shape: dict[Shape, list[Start]] = defaultdict(list)
    for start in starts:
        if start.title and lines[start.place].row.path:
            by_shape[shape_of(lines[start.place])].append(start)
    taken = {place for start in starts for place in start.rows}
    found: list[Start] = []
    for shape, own in by_shape.items():
        if len({s.episode.name for s in own if s.episode}) >= 2:
            found.extend(_of_shape(shape, own, lines, taken | blocked))
    return sorted(found, key=lambda s: s.place)


def _of_shape(shape: Shape, own: Sequence[Start], lines: Sequence[Line], taken: set[int]) -> Iterator[Start]:
    paths = [lines[s.place].row.path for s in own]
    depth = Counter(shared(a, b) for a, b in pairwise(paths)).most_common(1)[0][0]
    lists = Counter(path[:depth] for path in paths if len(path) > depth)
    parents = {path for path, count in lists.items() if count >= 2}
    known = {path[: depth + 1] for path in paths}
    linked = sum(bool(lines[s.place].row.links) for s in own) * 2 > len(own)
    by_card: dict[tuple[int, ...], list[Line]] = defaultdict(list)
    for line in lines:
        path = line.row.path
        if shape_of(line) == shape and len(path) > depth and path[:depth] in parents:
            by_card[path[: depth + 1]].append(line)
    # Where a card has several rows of the shape, the title is the same one of them in all.
    place_in = Counter(
        by_card[lines[s.place].row.path[: depth + 1]].index(lines[s.place])
        for s in own
        if lines[s.place] in by_card[lines[s.place].row.path[: depth + 1]]
    )
    index = place_in.most_common(1)[0][0] if place_in else 0
    part = _part_of(own, lines)
    if part is None and any((s.told and s.opening is None) or (s.opening and s.opening.place == s.place) for s in own):
        return  # title and text stand in one row with nothing between that tells one from the other
    ranked, joints = _ranked(own, lines), _joints(own, lines)
    for card, rows in by_card.items():
        if card in known or len(rows) <= index:
            continue
        line = rows[index]
        if line.place in taken or not (line.row.links or not linked):
            continue
        if part is not None and len(line.row.pieces) <= part:
            continue
        within = (line.row.pieces[part].start, line.row.pieces[part].end) if part is not None else (0, len(line.text))
        start, end = _bare(line, within, ranked, joints)
        if _is_cut(line, end):
            continue
        if (
            rest(line.text[start:end])
            and end - start <= LONGEST
            and (part is not None or len(line.text) <= 2 * LONGEST)
        ):
            yield Start(line.place, unknown=(start, end))


def _part_of(own: Sequence[Start], lines: Sequence[Line]) -> int | None:
    """Which part of its row each title is, where all are the same one of several."""
    found: set[int | None] = set()
    for start in own:
        pieces = lines[start.place].row.pieces
        title = start.title
        exact = [n for n, p in enumerate(pieces) if title and p.start <= title.start and title.end <= p.end]
        found.add(exact[0] if exact and len(pieces) > 1 else None)
    return next(iter(found)) if len(found) == 1 else None


def _ranked(own: Sequence[Start], lines: Sequence[Line]) -> bool:
    """Whether most titles have a rank before them."""
    ranks = [s for s in own if s.title and RANKED.search(lines[s.place].text[: s.title.start])]
    return len(ranks) * 2 > len(own)


def joined(starts: Sequence[Start], unknown: Sequence[Start], lines: Sequence[Line]) -> list[Start]:
    """All starts in their order; a title that is not known right above a text that is belongs to it.

    Where the text's own title is known, the other is that one in other words, and only told by the text.
    """
    found: list[Start] = []
    ordered = sorted([*starts, *unknown], key=lambda start: start.place)
    for n, start in enumerate(ordered):
        above = found[-1] if found else None
        if above and above.unknown and not above.opening and start.opening and not start.title and not start.unknown:
            before = ordered[n - 2] if n > 1 else None
            behind = ordered[n + 1] if n + 1 < len(ordered) else None
            if _together(above, start, [one for one in (before, behind) if one], lines):
                if start.opening.episode.title:
                    found[-1] = replace(start, also=sorted({*start.also, above.place}))
                else:
                    also = sorted({*start.also, start.place})
                    found[-1] = replace(start, place=above.place, unknown=above.unknown, also=also)
                continue
        found.append(start)
    return found


def _together(title: Start, text: Start, others: Sequence[Start], lines: Sequence[Line]) -> bool:
    """Whether a title and a text are nearer to each other than to the entries around them."""
    if not lines[title.place].row.path:
        return text.place - title.place <= NEAR
    depth = shared(lines[title.place].row.path, lines[text.place].row.path)
    one, two = (others[0], title), (text, others[-1])
    return all(shared(lines[a.place].row.path, lines[b.place].row.path) < depth for a, b in (one, two) if a is not b)


def strangers_in_text(
    starts: Sequence[Start], fields: Sequence[tuple[Start, str, int]], lines: Sequence[Line], blocked: set[int]
) -> list[Start]:
    """Entries of saved text that are not known: rows that stand to a date, a length or the show's name as titles do.

    `fields` are the kinds and rows of what belongs to the known entries.
    """
    titled = [s for s in starts if s.title and not lines[s.place].row.path]
    if len(titled) < 3:
        return []
    taken = {place for start in starts for place in start.rows} | {place for _, _, place in fields} | blocked
    steps = Counter((kind, place - start.place) for start, kind, place in fields if start.title)
    steps.update(("name", 0) for s in titled if s.title and _after_name(lines[s.place], s.title.start))
    (kind, step), count = max(steps.items(), key=_steadiest, default=(("", 0), 0))
    if count * 5 < len(titled) * 3 or abs(step) > NEAR:
        return []
    often = Counter(line.text for line in lines)
    times = 2 if sum(len(s.rows) > 1 for s in titled) * 2 > len(titled) else 1  # that a title stands there
    gaps = {lines[s.place].row.gap for s in titled[1:]}
    period = max(b.place - a.place for a, b in pairwise(titled))
    low, high = titled[0].place - period, titled[-1].place + period
    ranked, joints, ending = _ranked(titled, lines), _joints(titled, lines), _ending(titled, lines)
    found = []
    for line in lines[max(0, low) :]:
        if line.place > high:
            break
        place = line.place + step
        if line.place in taken or (place in taken and step) or not 0 <= place < len(lines) or often[line.text] > times:
            continue
        if line.row.gap not in gaps and len(gaps) == 1:
            continue
        start, end = _bare(line, (0, len(line.text)), ranked, joints)
        if ending and ending in line.text[start:end]:
            end = line.text.index(ending, start)
        words = line.text[start:end].split()
        if not 0 < len(words) <= 20 or not rest(line.text[start:end]) or line.text.endswith((".", "…", "?!")):
            continue
        if _is_cut(line, end):
            continue
        outside = any(mark.end <= start or mark.start >= end for mark in line.marks)
        if step and (outside or not fielded(lines[place])):
            continue
        if _has(lines[place], kind, start):
            found.append(Start(line.place, unknown=(start, end)))
            high = max(high, line.place + period)
    return found


def _ending(own: Sequence[Start], lines: Sequence[Line]) -> str:
    """The sign between titles and texts that stand in one row with them: " -- "."""
    found = Counter[str]()
    for start in own:
        if start.title and start.title.text >= 0:
            found[lines[start.place].text[start.title.end : start.title.text]] += 1
    sign, count = max(found.items(), key=lambda pair: pair[1], default=("", 0))
    return sign if count * 2 > len(own) and sign.strip() and not any(char.isalnum() for char in sign) else ""


def _steadiest(found: tuple[tuple[str, int], int]) -> tuple[int, int, str]:
    """What stands most often at one distance from titles, in their own rows for choice."""
    (kind, step), count = found
    return count, -abs(step), kind


def _has(line: Line, kind: str, title: int) -> bool:
    return _after_name(line, title) if kind == "name" else any(mark.kind == kind for mark in line.marks)


def _after_name(line: Line, title: int) -> bool:
    """Whether the show's name and a sign stand right before a title."""
    return any(
        not start and line.text[end:title].strip() in ("-", "–", "—", ":", "|", "·") for start, end in line.shows
    )


def _is_cut(line: Line, end: int) -> bool:
    """Whether dots say that what ends there is only the beginning of a title."""
    return (
        line.text[end - 1 : end] == "…" or re.match(r"\s?(?:…|\.\.)|(?<=\.\.)\.", line.text[max(end, 0) :]) is not None
    )


def _joints(own: Sequence[Start], lines: Sequence[Line]) -> frozenset[str]:
    """What stands between titles and the show's name: ", in ", " – a talk of "."""
    found = Counter[str]()
    for start in own:
        line, title = lines[start.place], start.title
        spans = line.shows if title else ()
        behind = min((low for low, _ in spans if title and low >= title.end), default=-1)
        ahead = max((high for _, high in spans if title and high <= title.start), default=-1)
        if title and behind >= 0:
            found[line.text[title.end : behind].strip().casefold()] += 1
        if title and ahead >= 0:
            found[line.text[ahead : title.start].strip().casefold()] += 1
    return frozenset(joint for joint, count in found.items() if rest(joint) and len(joint) < 30 and count > 1) | JOINTS


def _bare(line: Line, within: tuple[int, int], ranked: bool, joints: frozenset[str]) -> tuple[int, int]:
    """The span of a title that is not known: its row without dates, lengths, numbers, names and rank at its ends."""
    low, high = within
    left = line.left(low, high, line.addresses)
    start, end = 0, len(left)
    parts = _whole(left, list(_spans(left)), line.text[low:high])
    parts = [part for part in parts if rest(left[part[0] : part[1]])]
    if parts:
        start, end = max(parts, key=lambda part: part[1] - part[0])
    start, end = start + low, end + low
    if ranked and (rank := RANK.match(line.text, start, end)):
        start = rank.end()
    start, end = _trimmed(line.text, start, end)
    for joint in sorted(joints, key=len, reverse=True):
        said = line.text[start:end].casefold()
        if (
            any(0 <= place - end <= 2 for place, _ in line.shows)
            and said.endswith(joint)
            and not said[: -len(joint)][-1:].isalnum()
        ):
            start, end = _trimmed(line.text, start, end - len(joint))
        elif (
            any(0 <= start - place <= 2 for _, place in line.shows)
            and said.startswith(joint)
            and not said[len(joint) :][:1].isalnum()
        ):
            start, end = _trimmed(line.text, start + len(joint), end)
    # A name that ends a phrase is a part of it: "Welcome to the …".
    goes_on = (
        high
        for low, high in line.shows
        if low == end + 1 and line.text[end - 1 : end].isalnum() and end not in line.ends
    )
    return start, max(goes_on, default=end)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start] in TRIM:
        start += 1
    while end > start and text[end - 1] in TRIM:
        end -= 1
    return start, end


def _whole(left: str, parts: Sequence[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    """The parts, with those as one that a date or a length only parts as a word of a sentence: "The 90 minutes that …"."""
    found: list[tuple[int, int]] = []
    for low, high in parts:
        before = found[-1] if found else None
        worded = before is not None and left[before[0] : before[1]].rstrip()[-1:].isalpha()
        spaced = before is not None and left[before[1] - 1] == " " == left[low]
        if before and worded and spaced and text[low:high].lstrip()[:1].islower() and "\n" not in text[before[1] : low]:
            found[-1] = (before[0], high)
        else:
            found.append((low, high))
    return found


def _spans(left: str) -> Iterator[tuple[int, int]]:
    place = 0
    for part in left.split("\n"):
        if part.strip():
            yield place, place + len(part)
        place += len(part) + 1
