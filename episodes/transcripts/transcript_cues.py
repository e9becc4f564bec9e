"""The parts of a transcript, and how names of speakers are found in it."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from math import inf
from typing import TypeVar

from ..text.sentences import sentences

SENTENCE_ENDS = (".", "!", "?", "…", "。", "！", "？")
CLOSING = "\"'”’»)]"
OFTEN = 20  # one line in so many names a speaker
# A name of one to five words with capitals, or the part that somebody has, before a colon.
_PART = r"(?:speaker|host|guest|interviewer|interviewee|moderator|narrator|voice|participant)\b"
_CAPITAL = r"(?=[^\W_a-zà-öø-ÿ])[\w.'’&#-]{1,30}"
_NAME = re.compile(
    rf"(?:>{{1,3}} ?|[-–—] ?)?[\[(]?(?!\d+:)((?:{_PART}|{_CAPITAL})"
    rf"(?: (?:{_CAPITAL}|\([\w .]{{1,20}}\)|(?:de|del|der|di|da|la|of|the|van|von))){{0,4}})"
    r"[\])]? ?:(?: |\Z)"
)
SOMEBODY = "\0"  # another speaker, whom nobody names
_CHANGE = re.compile(r">{2,3} ?()")  # the mark of closed captions for another, unnamed, voice
_SOUND = re.compile(r"[\[(♪♫*][^\[\]()]*[\])♪♫*]")
# Scripts that put nothing between words.
UNSPACED = "\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff00-\uffef\u0e00-\u0eff"
_NO_SPACE = re.compile(
    rf"[{UNSPACED}]\x00[{UNSPACED}]|.?\x00[,.;:!?…%)\]”»]|[(\[“«]\x00|.?\x00(?:n't|['’](?:s|re|ve|ll|d|m|t)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Cue:
    """A stretch of speech: start and end in seconds of the audio, None where nothing says it.

    `speaker` is "" where not named; `text` is plain, on one line, white space folded, never empty.
    `times` are places in it, each with the second at which what begins there is said.
    """

    start: float | None
    end: float | None
    speaker: str
    text: str
    times: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, slots=True)
class CueLines:
    """The lines that a file holds at one time, before it is known which of them begin with a
    name."""

    start: float | None
    end: float | None
    lines: tuple[str, ...]
    speaker: str = ""


Timed = TypeVar("Timed", Cue, CueLines)


def folded(text: str) -> str:
    return " ".join(text.replace("\u200b", "").replace("\ufeff", "").split())


def joined(stretches: Iterable[str]) -> str:
    """Stretches of speech as one, with a space where their script and their marks have one."""
    said = [words for words in stretches if words]
    spaced = said[:1]
    for one, other in pairwise(said):
        is_close = _NO_SPACE.match(f"{one[-1]}\0{other[:4]}")
        spaced.append(other if is_close else f" {other}")
    return "".join(spaced)


def spoken(found: Iterable[CueLines]) -> list[Cue]:
    """The cues of a file that names a speaker where the speaker changes.

    It does so with marks of its own, or as "Name: text".
    """
    parts = _by_start(list(found))
    names = _names(parts)
    return list(carried(cue for part in parts for cue in _split(part, names)))


def in_order(cues: Iterable[Cue]) -> tuple[Cue, ...]:
    """The cues that say something, by start; one without a time stays behind the one before it."""
    told = [cue for cue in cues if cue.text]
    return tuple(
        cue if cue.start is not None and (cue.end or 0.0) >= cue.start else replace(cue, end=None)
        for cue in _by_start(told)
    )


def _by_start(parts: Sequence[Timed]) -> list[Timed]:
    keys, last = [], 0.0
    for part in parts:
        last = last if part.start is None else part.start
        keys.append(last)
    return [parts[place] for place in sorted(range(len(parts)), key=keys.__getitem__)]


def carried(cues: Iterable[Cue]) -> Iterator[Cue]:
    """The cues with the speaker of each, where a file names one only when the speaker changes."""
    speaker = ""
    for cue in cues:
        own = cue.speaker.removeprefix(SOMEBODY)
        speaker = own if cue.speaker else speaker
        yield replace(cue, speaker=own if _SOUND.fullmatch(cue.text) else speaker)


def _names(parts: Sequence[CueLines]) -> frozenset[str]:
    """The speakers named at the beginning of lines, of the first one, or of many; none where the
    file marks them."""
    if {part.speaker for part in parts} != {""}:
        return frozenset()
    lines = filter(None, map(folded, chain.from_iterable(part.lines for part in parts)))
    named = [_NAME.match(line[:200]) for line in lines if not _SOUND.fullmatch(line)]
    counts = Counter(match[1] for match in named if match)
    is_dialogue = any(named[:1]) or counts.total() > max(1, len(named) / OFTEN)
    return frozenset(counts if is_dialogue else ())


def _split(part: CueLines, names: frozenset[str]) -> Iterator[Cue]:
    speaker, said = folded(part.speaker), list[str]()
    for line in map(folded, part.lines):
        mark = _NAME.match(line[:200])
        if mark is None or mark[1] not in names:
            mark = _CHANGE.match(line)
        if mark:
            yield Cue(part.start, part.end, speaker, joined(said))
            speaker, said, line = mark[1] or SOMEBODY, [], line[mark.end() :]
        said.append(line)
    yield Cue(part.start, part.end, speaker, joined(said))


# --- Paragraphs that read well of short, overlapping and repeated lines --------------------------

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
        before = last.text.split() if cue.speaker == last.speaker else []
        # The number of words, several at least, with which it begins and the one before it ends.
        lengths = range(min(len(before), len(words), TAIL), SAID_TWICE, -1)
        again = next((n for n in lengths if before[-n:] == words[:n]), 0)
        if words[again:]:
            last = replace(cue, text=" ".join(words[again:]))
            yield last


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
    ends_sentence = last.text[-8:].rstrip(CLOSING).endswith(SENTENCE_ENDS)
    most, longest = (ENOUGH, LONG) if ends_sentence else (TOO_MUCH, inf)
    return start <= until and len(last.text) < most and start - last.start < longest
