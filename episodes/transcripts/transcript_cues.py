"""What a transcript is made of: a stretch of speech with its times and speaker, and how names of speakers are found."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

SENTENCE_ENDS = (".", "!", "?", "…", "。", "！", "？")
CLOSING = "\"'”’»)]"

# Words that open a sentence with a colon behind them and are nobody's name.
NO_NAMES = frozenset(
    "answer also and anyway aside because besides but caution chapter clearly conclusion context correction definition"
    " disclaimer"
    " e.g eg edit etc example examples fact finally first firstly footnote for form from goal here hint however http https"
    " i.e idea"
    " ie important in instead introduction it it's last lastly lesson like links list meaning meanwhile more namely next nb no"
    " note notes now obviously ok okay or otherwise part plus point problem ps question reason recap remember reminder result"
    " right"
    " rule say second secondly see so solution source step still summary that that's then there therefore third thus tip title"
    " todo topic update verse warning well what which why yes yet".split()
)
_PARTICLES = frozenset("al bin da de del della den der di dos du el la le of the ten ter van von y".split())
_ROLES = frozenset("speaker host guest interviewer interviewee moderator narrator voice participant".split())
_NAME = re.compile(
    r"(?:>{1,3} ?|[-–—] ?)?[\[(]?([^\W_][\w.'’&#-]{0,30}(?: (?:[\w.'’&#-]{1,30}|\([\w .]{1,20}\))){0,4})[\])]? ?:(?: |\Z)"
)
SOMEBODY = "\0"  # another speaker, whom nobody names
CHANGES = (">>> ", ">> ", ">>>", ">>")  # the mark of closed captions for another, unnamed, voice
_SOUND = re.compile(r"[\[(♪♫*][^\[\]()]*[\])♪♫*]")
# Scripts that put nothing between words.
_UNSPACED = "\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff00-\uffef\u0e00-\u0eff"
_NO_SPACE = re.compile(
    rf"[{_UNSPACED}]\x00[{_UNSPACED}]|\x00[,.;:!?…%)\]”»]|[(\[“«]\x00|\x00(?:n't|['’](?:s|re|ve|ll|d|m|t)\b)", re.I
)


@dataclass(frozen=True, slots=True)
class Cue:
    """A stretch of speech: start and end in seconds from the beginning of the audio, None where nothing says it.

    `speaker` is "" where not named; `text` is plain, on one line, white space folded, never empty.
    """

    start: float | None
    end: float | None
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class CueLines:
    """What a file holds at one time, before it is known which beginnings of lines are names."""

    start: float | None
    end: float | None
    lines: tuple[str, ...]
    speaker: str = ""


Timed = TypeVar("Timed", Cue, CueLines)


def folded(text: str) -> str:
    return " ".join(text.replace("\u200b", "").replace("\ufeff", "").split())


def joined(one: str, other: str) -> str:
    """Two stretches of speech as one, with a space between them where their script and their marks have one."""
    if not one or not other:
        return one or other
    return (
        one + other
        if _NO_SPACE.match(f"{one[-1]}\0{other[:4]}") or _NO_SPACE.match(f"\0{other[:4]}")
        else f"{one} {other}"
    )


def ends_sentence(text: str) -> bool:
    return text[-8:].rstrip(CLOSING).endswith(SENTENCE_ENDS)


def spoken(found: Sequence[CueLines]) -> list[Cue]:
    """The cues of a file that names a speaker where the speaker changes, be it with marks of its own or as "Name: text"."""
    found = _by_start(found)
    if any(part.speaker for part in found):
        return list(carried(Cue(p.start, p.end, folded(p.speaker), _text(p.lines)) for p in found))
    names = _names(found)
    return list(carried(cue for part in found for cue in _split(part, names)))


def in_order(cues: Iterable[Cue]) -> tuple[Cue, ...]:
    """The cues that say something, by their start; one without a time stays behind the one it followed."""
    found = []
    for cue in cues:
        if cue.text:
            backwards = cue.end is not None and (cue.start is None or cue.end < cue.start)
            found.append(replace(cue, end=None) if backwards else cue)
    return tuple(_by_start(found))


def _by_start(found: Sequence[Timed]) -> list[Timed]:
    keys, last = [], 0.0
    for part in found:
        last = part.start if part.start is not None else last
        keys.append(last)
    return [found[place] for place in sorted(range(len(found)), key=keys.__getitem__)]


def _text(lines: Iterable[str]) -> str:
    text = ""
    for line in lines:
        text = joined(text, folded(line))
    return text


def carried(cues: Iterable[Cue]) -> Iterator[Cue]:
    """The cues with the speaker of each, where a file names one only when the speaker changes."""
    speaker = ""
    for cue in cues:
        if cue.speaker:
            speaker = cue.speaker.removeprefix(SOMEBODY)
            yield replace(cue, speaker=speaker)
        else:
            yield cue if _SOUND.fullmatch(cue.text) else replace(cue, speaker=speaker)


def _named(line: str) -> str:
    """The name that a line begins with; "" where it begins with none."""
    found = _NAME.match(line[:200])
    if found is None:
        return ""
    words = found[1].split()
    if words[0].casefold() in NO_NAMES or words[0].isdecimal():
        return ""
    if words[0][0].islower() and words[0] not in _ROLES:
        return ""
    fits = (w.casefold() in _PARTICLES or not w[0].islower() for w in words[1:])
    return found[1] if all(fits) else ""


def _names(found: Sequence[CueLines]) -> frozenset[str]:
    """Who is named at the beginning of lines: where the first line has a name, one comes again, or many lines have one."""
    lines = (folded(line) for part in found for line in part.lines)
    names = [_named(line) for line in lines if line and not _SOUND.fullmatch(line)]
    counts = Counter(filter(None, names))
    many, total = counts.total(), len(names)
    again = max(counts.values(), default=0) > 1 and many * 50 >= total
    is_usual = many > 1 and many * 5 >= total
    return frozenset(counts) if any(names[:1]) or again or is_usual else frozenset()


def _split(part: CueLines, names: frozenset[str]) -> Iterator[Cue]:
    speaker = part.speaker
    said: list[str] = []
    for line in map(folded, part.lines):
        name = _named(line) if names else ""
        changes = next((mark for mark in CHANGES if line.startswith(mark)), "")
        if name in names:
            yield Cue(part.start, part.end, speaker, _text(said))
            speaker, said = name, [_NAME.sub("", line, count=1)]
        elif changes:
            yield Cue(part.start, part.end, speaker, _text(said))
            speaker, said = SOMEBODY, [line.removeprefix(changes)]
        else:
            said.append(line)
    yield Cue(part.start, part.end, speaker, _text(said))
