"""Makes paragraphs that read well of the short, overlapping and repeated lines of captions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from math import inf

from ..text.sentences import sentences
from .transcript_cues import Cue, ends_sentence, joined

PAUSE = 2.0  # seconds of silence after which a paragraph begins
LONG = 30.0  # seconds after which one begins where a sentence ends, or where no end is known
ENOUGH = 400  # characters after which the end of a sentence ends the paragraph
# Characters after which it ends anywhere: captions of machines may lack every full stop.
TOO_MUCH = 1200
SAID_TWICE = 3  # words that may be the speaker's
TAIL = 40  # words in which a repetition is looked for


def paragraphs(cues: Sequence[Cue]) -> tuple[Cue, ...]:
    """The cues, in their order, joined while one speaker goes on; each has the start of its first,
    and the times of the others.

    Cues without a start are paragraphs already, their author's, and stay as they are, unless they
    are far too long for one.
    """
    result: list[Cue] = []
    for cue in chain.from_iterable(map(_cut, _without_repetitions(cues))):
        if result and cue.start is not None and _goes_on(last := result[-1], cue, cue.start):
            text = joined((last.text, cue.text))
            times = (*last.times, (len(text) - len(cue.text), cue.start))
            result[-1] = replace(last, end=cue.end or last.end, text=text, times=times)
        else:
            result.append(cue)
    return tuple(result)


def _without_repetitions(cues: Iterable[Cue]) -> Iterator[Cue]:
    """The cues without those that are there twice, and without the words that rolling captions
    show again while the next line comes up; few words may well be said twice."""
    last = Cue(None, None, "", "")
    for cue in dict.fromkeys(cues):
        words = cue.text.split()
        again = _overlap(last.text.split(), words) if cue.speaker == last.speaker else 0
        if words[again:]:
            last = replace(cue, text=" ".join(words[again:]))
            yield last


def _overlap(words: list[str], following: list[str]) -> int:
    """The number of words, several at least, with which the second begins and the first ends."""
    most = min(len(words), len(following), TAIL)
    return next((n for n in range(most, SAID_TWICE, -1) if words[-n:] == following[:n]), 0)


def _cut(cue: Cue) -> Iterator[Cue]:
    """The cue, or the paragraphs of a text that somebody wrote down in one piece."""
    start, end = 0, len(cue.text)
    if cue.start is None and end > TOO_MUCH:
        for _, last in sentences(cue.text):
            if last - start >= ENOUGH:
                yield replace(cue, text=cue.text[start:last].strip())
                start = last
    if start < end:
        yield replace(cue, text=cue.text[start:].strip())


def _goes_on(last: Cue, cue: Cue, start: float) -> bool:
    if last.speaker != cue.speaker or last.start is None:
        return False
    until = last.start + LONG if last.end is None else last.end + PAUSE
    most, longest = (ENOUGH, LONG) if ends_sentence(last.text) else (TOO_MUCH, inf)
    return start <= until and len(last.text) < most and start - last.start < longest
