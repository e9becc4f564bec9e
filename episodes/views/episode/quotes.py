"""Quotes: the sentences that are said between two positions of an episode's audio.

A transcript says when each paragraph begins. When a sentence inside one begins is estimated by its
share of the characters, as if people spoke at one speed.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil
from typing import NamedTuple

from ...models import Episode
from ...outputs import TimedParagraphs, timed_paragraphs
from ...text.formatting import clock
from ...text.sentences import sentences
from .listening import LONGEST, AskedTime, asked_time
from .rows import cues_of

SLOWEST = 5  # characters a second of speech in any script; the rest of the time is music or silence


class SpokenSentence(NamedTuple):
    """A sentence: its first second and the one after its last, the number of its paragraph, who
    says it, and its words."""

    start: int
    end: int
    paragraph: int
    speaker: str
    words: str


@dataclass(frozen=True)
class Quote:
    """Sentences in a row, and the seconds of the first and after the last; false without any."""

    start: int = 0
    end: int = 0
    sentences: Sequence[SpokenSentence] = ()

    def __bool__(self) -> bool:
        return bool(self.sentences)

    @property
    def span(self) -> str:
        """`324-341`: as an address has it; "" without any sentence."""
        return f"{self.start}-{self.end}" if self else ""

    @property
    def clock(self) -> str:
        """`5:24`."""
        return clock(self.start)

    @property
    def words(self) -> str:
        return " ".join(sentence.words for sentence in self.sentences)

    @property
    def turns(self) -> list[tuple[str, str]]:
        """Speakers in turn, and their words."""
        turns = groupby(self.sentences, key=lambda sentence: sentence.speaker)
        return [(speaker, Quote(sentences=[*own]).words) for speaker, own in turns]


def asked_quote(text: str, episode: Episode) -> Quote:
    """The quote that `?t=` asks for."""
    return quote_of(episode, asked_time(text, episode)[0])


def quote_of(episode: Episode, asked: AskedTime) -> Quote:
    """The sentences from the one that is said at the time asked for, or before it, to the one at its
    end, or after it; none where nothing tells which, or they last too long."""
    if not asked.end:
        return Quote()
    timed = timed_paragraphs(cues_of(episode), episode.duration_seconds)
    paragraphs = [paragraph.start for paragraph in timed]
    near = slice(
        max(0, bisect_right(paragraphs, asked.start) - 1), bisect_right(paragraphs, asked.end) + 1
    )
    said = [sentence for paragraph in timed[near] for sentence in _sentences(paragraph)]
    starts, ends = [one.start for one in said], [one.end for one in said]
    if not said:
        return Quote()
    start = starts[max(0, bisect_right(starts, asked.start) - 1)]
    end = ends[min(bisect_left(ends, asked.end), len(ends) - 1)]
    # Of sentences that begin, or end, within one second, all are quoted.
    quoted = said[bisect_left(starts, start) : bisect_right(ends, end)]
    is_said = start <= asked.start < end <= start + LONGEST
    return Quote(start, end, quoted) if is_said else Quote()


def _sentences(timed: TimedParagraphs) -> Iterator[SpokenSentence]:
    """The sentences of paragraphs that share a time, each until the next begins."""
    characters = sum(len(said) for _, _, said in timed.paragraphs)
    seconds = min(timed.end - timed.start, characters / SLOWEST) / characters
    before = 0
    for number, speaker, said in timed.paragraphs:
        spans = list(sentences(said))
        ends = [*(first for first, _ in spans[1:]), len(said)]
        for (first, last), end in zip(spans, ends, strict=True):
            begins = timed.start + seconds * (before + first)
            until = timed.start + seconds * (before + end)
            yield SpokenSentence(int(begins), ceil(until), number, speaker, said[first:last])
        before += len(said)
