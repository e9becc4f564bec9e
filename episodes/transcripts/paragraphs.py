"""Makes paragraphs that read well of the short, overlapping and repeated lines of captions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from .transcript_cues import Cue, ends_sentence, joined

PAUSE = 2.0  # seconds of silence after which a paragraph begins
LONG = 30.0  # seconds after which one begins where no end is known
ENOUGH = 400  # characters after which the end of a sentence ends the paragraph
TOO_MUCH = 1200  # characters after which it ends anywhere: captions made by machines may lack every full stop

# Rolling captions show a line again while the next one comes up; what is said twice in other files was said twice.
ROLLING = 0.3  # share of cues that begin with the end of the one before
TAIL = 40  # words in which a repetition is looked for


def paragraphs(cues: Sequence[Cue]) -> tuple[Cue, ...]:
    """The cues, in their order, joined while one speaker goes on; each has the start of its first and the latest end.

    Cues without a start are paragraphs already, their author's, and stay as they are.
    """
    result: list[Cue] = []
    for cue in without_repetitions(cues):
        if result and _goes_on(result[-1], cue):
            last = result[-1]
            result[-1] = replace(last, end=_later(last.end, cue.end), text=joined(last.text, cue.text))
        else:
            result.append(cue)
    return tuple(result)


def without_repetitions(cues: Sequence[Cue]) -> Iterator[Cue]:
    """The cues without those that stand there twice, and without what rolling captions show again."""
    single = list(_single(cues))
    if not _rolls(single):
        yield from single
        return
    tail: list[str] = []
    before: Cue | None = None
    for cue in single:
        words = cue.text.split()
        again = _overlap(tail, words) if before and _touches(before, cue) else 0
        tail = (tail + words[again:])[-TAIL:] if before and before.speaker == cue.speaker else words[-TAIL:]
        before = cue
        if again < len(words):
            yield replace(cue, text=" ".join(words[again:]))


def _single(cues: Iterable[Cue]) -> Iterator[Cue]:
    last: Cue | None = None
    for cue in cues:
        same = last is not None and (last.text, last.speaker) == (cue.text, cue.speaker) and cue.start is not None
        if not (same and last is not None and (last.start == cue.start or _overlaps(last, cue))):
            yield cue
        last = cue


def _overlaps(one: Cue, other: Cue) -> bool:
    return one.end is not None and other.start is not None and other.start < one.end


def _touches(one: Cue, other: Cue) -> bool:
    if one.start is None or other.start is None or one.speaker != other.speaker:
        return False
    return one.end is None or other.start - one.end <= 1


def _rolls(cues: Sequence[Cue]) -> bool:
    pairs = [(a.text.split(), b.text.split()) for a, b in pairwise(cues) if _touches(a, b)]
    # "No." thrice is said thrice; a single word shows nothing where it is all there is.
    again = sum(
        1
        for a, b in pairs
        if (many := _overlap(a, b)) and (many > 1 or (many in (len(a), len(b)) and len(a) != len(b)))
    )
    return len(pairs) > 1 and again >= ROLLING * len(pairs)


def _overlap(words: list[str], following: list[str]) -> int:
    """How many words the second begins with that end the first."""
    most = min(len(words), len(following), TAIL)
    return next((many for many in range(most, 0, -1) if words[-many:] == following[:many]), 0)


def _goes_on(last: Cue, cue: Cue) -> bool:
    if last.speaker != cue.speaker or last.start is None or cue.start is None:
        return False
    pause = cue.start - last.end > PAUSE if last.end is not None else cue.start - last.start > LONG
    if pause:
        return False
    return len(last.text) < ENOUGH or (len(last.text) < TOO_MUCH and not ends_sentence(last.text))


def _later(one: float | None, other: float | None) -> float | None:
    return max((end for end in (one, other) if end is not None), default=None)
