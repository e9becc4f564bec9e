"""An episode's chapters and transcript in the formats that players read."""

import json
from collections.abc import Iterable

from ..models import Chapter
from ..text.link_labels import followable
from ..text.speech import PER_SECOND, Speech
from .lists import known

SHORTEST = 0.5  # seconds in which a caption can be read


def chapters_json(chapters: Iterable[Chapter]) -> str:
    """Chapters as Podcasting 2.0 has them: `{"version": "1.2.0", "chapters": [{"startTime",
    "title", "url"}]}`."""
    listed = [
        known({"startTime": c.start, "title": c.title, "url": followable(c.url)}) for c in chapters
    ]
    return json.dumps({"version": "1.2.0", "chapters": listed}, ensure_ascii=False, indent=1) + "\n"


def transcript_vtt(speech: Speech) -> str:
    """A transcript as WebVTT, a caption for each paragraph; "" where nothing says when it
    begins."""
    # WebVTT has no captions without times.
    if speech.second(0) is None:
        return ""
    blocks = ["WEBVTT\n"]
    for number, (_, speaker, text) in enumerate(speech.cues, 1):
        start, end = speech.span(speech.places[number - 1], speech.places[number] - 1)
        # Players drop a caption that ends when it begins, as where two people begin in one second.
        if end - start < SHORTEST:
            end = max(end, start + len(str(text)) / PER_SECOND)
        said = _escaped(str(text))
        if speaker:
            said = f"<v {_escaped(str(speaker))}>{said}</v>"
        blocks.append(f"{_clock(start)} --> {_clock(end)}\n{said}\n")
    return "\n".join(blocks)


def _escaped(text: str) -> str:
    """One line in which nothing is markup."""
    # In WebVTT an empty line ends a caption, and no caption may hold `-->`.
    return " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _clock(seconds: float) -> str:
    """`01:02:03.450`."""
    minutes, milliseconds = divmod(round(seconds * 1000), 60_000)
    return (
        f"{minutes // 60:02}:{minutes % 60:02}:{milliseconds // 1000:02}.{milliseconds % 1000:03}"
    )
