"""An episode's chapters and transcript in the formats that players read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..models import Chapter
from ..text.link_labels import followable

# How long the last words stay where nothing says when they, or the audio, end.
LAST = 30.0

Cue = tuple[float | None, str, str]


def chapters_json(chapters: Iterable[Chapter]) -> str:
    """Chapters as Podcasting 2.0 has them: `{"version": "1.2.0", "chapters": [{"startTime",
    "title", "url"}]}`."""
    listed = [
        {"startTime": c.start, "title": c.title} | ({"url": c.url} if followable(c.url) else {})
        for c in chapters
    ]
    return json.dumps({"version": "1.2.0", "chapters": listed}, ensure_ascii=False, indent=1) + "\n"


class TimedParagraphs(NamedTuple):
    """What is said from one second to another: number (from 1), speaker and words of each
    paragraph."""

    start: float
    end: float
    paragraphs: list[tuple[int, str, str]]


def timed_paragraphs(cues: Sequence[Cue], length: int | None) -> list[TimedParagraphs]:
    """Cues by their time, each until the next begins; words without a time go with those before
    them.

    None where the first has no time: nothing says when anything is said.
    """
    if not cues or cues[0][0] is None:
        return []
    timed: list[tuple[float, list[tuple[int, str, str]]]] = [(cues[0][0], [])]
    for number, (start, speaker, text) in enumerate(cues, 1):
        if start is not None and start > timed[-1][0]:
            timed.append((start, []))
        timed[-1][1].append((number, speaker, text))
    last = timed[-1][0]
    ends = [start for start, _ in timed[1:]] + [
        float(length) if length and length > last else last + LAST
    ]
    return [
        TimedParagraphs(start, end, paragraphs)
        for (start, paragraphs), end in zip(timed, ends, strict=True)
    ]


def transcript_vtt(cues: Sequence[Cue], length: int | None) -> str:
    """Cues as WebVTT; "" where nothing says when anything is said."""
    blocks = [
        f"{_clock(start)} --> {_clock(end)}\n"
        + "\n".join(_spoken(speaker, text) for _, speaker, text in paragraphs)
        + "\n"
        for start, end, paragraphs in timed_paragraphs(cues, length)
    ]
    return "WEBVTT\n\n" + "\n".join(blocks) if blocks else ""


def _spoken(speaker: str, text: str) -> str:
    said = _escaped(text)
    return f"<v {_escaped(speaker)}>{said}</v>" if speaker else said


def _escaped(text: str) -> str:
    """One line in which nothing is markup."""
    return " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _clock(seconds: float) -> str:
    """`01:02:03.450`."""
    minutes, milliseconds = divmod(round(seconds * 1000), 60_000)
    return (
        f"{minutes // 60:02}:{minutes % 60:02}:{milliseconds // 1000:02}.{milliseconds % 1000:03}"
    )
