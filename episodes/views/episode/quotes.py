"""Quotes: the sentences that are said between two positions of an episode's audio."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil
from typing import NamedTuple

from ...models import LONGEST_MOMENT, Episode
from ...text.formatting import clock
from ...text.sentences import sentences
from ...text.speech import Speech
from .listening import AskedTime, asked_time
from .rows import speech_of


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
    return quote_of(speech_of(episode), asked_time(text, episode)[0])


def quote_of(speech: Speech, asked: AskedTime) -> Quote:
    """The sentences from the one that is said at the time asked for, or before it, to the one at its
    end, or after it; none where nothing tells which, or they last too long."""
    said = []
    for number in speech.paragraphs(asked.start, asked.end) if asked.end else ():
        place, (_, speaker, words) = speech.places[number - 1], speech.cues[number - 1]
        for first, last in sentences(words):
            at, until = speech.span(place + first, place + last)
            # Addresses have whole seconds; these are rounded outwards, so that no word is cut.
            said.append(SpokenSentence(int(at), ceil(until), number, speaker, words[first:last]))
    if not said:
        return Quote()
    starts, ends = [one.start for one in said], [one.end for one in said]
    start = starts[max(0, bisect_right(starts, asked.start) - 1)]
    end = ends[min(bisect_left(ends, asked.end), len(ends) - 1)]
    # Of sentences that begin, or end, within one second, all are quoted.
    quoted = said[bisect_left(starts, start) : bisect_right(ends, end)]
    is_said = start <= asked.start < end <= start + LONGEST_MOMENT
    return Quote(start, end, quoted) if is_said else Quote()
