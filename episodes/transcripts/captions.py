"""Reads caption files, WebVTT and SubRip, as leniently as players do."""

from __future__ import annotations

import html as entities
import re
from collections.abc import Iterator

from ..text.timecodes import position
from .transcript_cues import CueLines

_TIME = r"(?:[0-9]{1,4}:)?[0-9]{1,4}:[0-9]{1,2}(?:[.,][0-9]{0,9})?"
TIMING = re.compile(rf"[ \t]*({_TIME})[ \t]*(?:-{{1,2}}|[–—])(?:>|&gt;)[ \t]*({_TIME})?(?:[ \t][^\n]*)?")
HAS_TIMING = re.compile(rf"^{TIMING.pattern}$", re.MULTILINE)
HEADER = "WEBVTT"

_VOICE = re.compile(r"<v(?:\.[\w.-]{0,60})?[ \t]+([^<>\n]{1,200})>")
# Other things in angle brackets, "<inaudible>" or "vector<T>", are words.
_TAG = re.compile(
    r"</?(?:b|i|u|c|v|lang|ruby|rt|font)(?:[. \t][^<>\n]{0,200})?/?>|<[0-9:.]{1,20}>|\{\\[^{}\n]{1,20}\}", re.IGNORECASE
)
_BLOCKS = ("NOTE", "STYLE", "REGION")


def captions(text: str, vtt: bool) -> Iterator[CueLines]:
    """The cues of a file in its order; a cue of several voices gives one for each.

    In WebVTT (https://www.w3.org/TR/webvtt1/) an empty line ends a cue. SubRip has no rules: there the next timing does.
    """
    reader = _Captions(vtt)
    for line in text.split("\n"):
        yield from reader.line(line)
    yield from reader.cue()


class _Captions:
    """Reads captions line by line: a timing begins a cue, whose lines follow."""

    def __init__(self, vtt: bool) -> None:
        self.vtt = vtt
        self.start: float | None = None
        self.end: float | None = None
        self.held: list[str] = []
        self.timings = 0
        self.is_open, self.is_skipped, self.after_blank = False, False, True

    def line(self, line: str) -> Iterator[CueLines]:
        if self.vtt and self.after_blank and line.replace("\t", " ").partition(" ")[0] in _BLOCKS:
            self.is_skipped = True
        self.after_blank = not line.strip()
        timing = None if self.is_skipped else _timing(line)
        if timing:
            yield from self._begin(timing)
        elif self.after_blank:
            yield from self._blank()
        elif self.is_open and not self.is_skipped:
            self.held.append(line)

    def cue(self) -> Iterator[CueLines]:
        yield from _cue(self.start, self.end, self.held)

    def _begin(self, timing: re.Match[str]) -> Iterator[CueLines]:
        self.timings += 1
        if not self.vtt:
            self.held = _without_counter(self.held, self.timings)
        yield from self.cue()
        self.start, self.end = position(timing[1]), position(timing[2])
        self.held, self.is_open = [], True

    def _blank(self) -> Iterator[CueLines]:
        self.is_skipped = False
        if self.vtt and self.held:
            yield from self.cue()
            self.held, self.is_open = [], False
        elif self.held and self.held[-1]:
            self.held.append("")


def _timing(line: str) -> re.Match[str] | None:
    return TIMING.fullmatch(line) if ">" in line or "&gt;" in line else None


def _without_counter(held: list[str], number: int) -> list[str]:
    """The lines before the timing of this number without the counter of its cue, which an empty line need not precede."""
    last = held[-1].strip() if held else ""
    counts = last.isdecimal() and len(last) < 10
    return held[:-1] if counts and (len(held) == 1 or not held[-2] or int(last) in (number, number - 1)) else held


def _cue(start: float | None, end: float | None, held: list[str]) -> Iterator[CueLines]:
    if not held:
        return
    text = "\n".join(held)
    voices = _VOICE.split(text) if "<v" in text else [text]
    # What stands between marks of voices: text, then name and text by turns.
    for name, said in zip(["", *voices[1::2]], voices[::2], strict=True):
        lines = tuple(entities.unescape(_TAG.sub("", said)).split("\n"))
        if any(line.strip() for line in lines):
            yield CueLines(start, end, lines, entities.unescape(name))
