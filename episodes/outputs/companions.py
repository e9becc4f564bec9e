"""An episode's chapters and transcript in the formats that players read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from ..models import Chapter
from ..text.link_labels import followable

# How long the last words stay where nothing says when they end.
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


def transcript_vtt(cues: Sequence[Cue], length: int | None) -> str:
    """Cues as WebVTT, each until the next begins; words without a time go with those before them.

    "" where the first has no time: nothing says when anything is said.
    """
    if not cues or cues[0][0] is None:
        return ""
    timed: list[tuple[float, list[str]]] = [(cues[0][0], [])]
    for start, speaker, text in cues:
        if start is not None and start > timed[-1][0]:
            timed.append((start, []))
        timed[-1][1].append(_spoken(speaker, text))
    last = timed[-1][0]
    ends = [start for start, _ in timed[1:]] + [max(last + LAST, float(length or 0))]
    blocks = [
        f"{_clock(start)} --> {_clock(end)}\n" + "\n".join(said) + "\n"
        for (start, said), end in zip(timed, ends, strict=True)
    ]
    return "WEBVTT\n\n" + "\n".join(blocks)


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
