"""Reads caption files, WebVTT, SubRip and SBV, as leniently as players do."""

from __future__ import annotations

import html as entities
import re
from collections.abc import Iterator

from ..text.timecodes import position
from .transcript_cues import SOMEBODY, CueLines

_TIME = r"(?:[0-9]{1,4}:)?[0-9]{1,4}:[0-9]{1,2}(?:[.,][0-9]{0,9})?"
TIMING = re.compile(
    rf"^[ \t]*({_TIME})[ \t]*(?:(?:-{{1,2}}|[–—])(?:>|&gt;)|,(?=[0-9]+:))[ \t]*({_TIME})?(?:[ \t][^\n]*)?$",
    re.MULTILINE,
)
HEADER = "WEBVTT"
_EMPTY_LINE = re.compile(r"\n[ \t]*(?:\n|\Z)")
_COUNTER = re.compile(r"(?:\A|\n)[ \t]*[0-9]{1,9}[ \t]*\n?\Z")
_ASIDE = re.compile(r"^(?:NOTE|STYLE|REGION)\b.*?(?:\n[ \t]*\n|\Z)", re.MULTILINE | re.DOTALL)
_VOICE = re.compile(r"<v(?:\.[\w.-]{0,60})?[ \t]+([^<>\n]{1,200})>")
# Other things in angle brackets, "<inaudible>" or "vector<T>", are words.
_TAG = re.compile(
    r"</?(?:b|i|u|c|v|lang|ruby|rt|font)(?:[. \t][^<>\n]{0,200})?/?>|<[0-9:.]{1,20}>|\{\\[^{}\n]{1,20}\}",
    re.IGNORECASE,
)


def captions(text: str, vtt: bool) -> Iterator[CueLines]:
    """The cues of a file in its order; a cue of several voices gives one for each.

    In WebVTT (https://www.w3.org/TR/webvtt1/) an empty line ends a cue, and a cue without a voice
    has none. SubRip has no rules: there the next timing ends it, with its counter.
    """
    unnamed = SOMEBODY if vtt and _VOICE.search(text) else ""
    timings = list(TIMING.finditer(_ASIDE.sub("\n", text) if vtt else text))
    ends = [*(timing.start() for timing in timings[1:]), None]
    for timing, end in zip(timings, ends, strict=False):
        body = timing.string[timing.end() : end].lstrip()
        body = _EMPTY_LINE.split(body, maxsplit=1)[0] if vtt else _COUNTER.sub("", body)
        voices = _VOICE.split(body)
        # What stands between marks of voices: text, then name and text by turns.
        for name, said in zip(["", *voices[1::2]], voices[::2], strict=True):
            lines = tuple(entities.unescape(_TAG.sub("", said)).split("\n"))
            start, until = position(timing[1]), position(timing[2])
            yield CueLines(start, until, lines, entities.unescape(name) or unnamed)
