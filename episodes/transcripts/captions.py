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
_BLOCK = re.compile(r"(?:NOTE|STYLE|REGION)(?:[ \t]|\Z)")


def captions(text: str, vtt: bool) -> Iterator[CueLines]:
    """The cues of a file in its order; a cue of several voices gives one for each.

    In WebVTT (https://www.w3.org/TR/webvtt1/) an empty line ends a cue. SubRip has no rules: there the next timing does.
    """
    start: float | None = None
    end: float | None = None
    held: list[str] = []
    opened, skipped, blank, timings = False, False, True, 0
    for line in text.split("\n"):
        if blank and vtt and _BLOCK.match(line):
            skipped = True
        found = TIMING.fullmatch(line) if not skipped and (">" in line or "&gt;" in line) else None
        if found:
            timings += 1
            yield from _cue(start, end, held if vtt else _without_counter(held, timings))
            start, end, held, opened = position(found[1]), position(found[2]), [], True
        elif not line.strip():
            skipped = False
            if vtt and held:
                yield from _cue(start, end, held)
                held, opened = [], False
            elif held and held[-1]:
                held.append("")
        elif opened and not skipped:
            held.append(line)
        blank = not line.strip()
    yield from _cue(start, end, held)


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
