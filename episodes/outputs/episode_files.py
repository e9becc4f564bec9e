"""An episode's chapters and transcript in the formats that players read."""

import json
from collections.abc import Iterable

from ..models import Chapter
from ..text.link_labels import safe_href
from ..text.spoken_time import CHARACTERS_PER_SECOND, Speech
from .listing import drop_unknown


def render_chapters_json(chapters: Iterable[Chapter]) -> str:
    """Return chapters as Podcasting 2.0 has them:
    `{"version": "1.2.0", "chapters": [{"startTime", "title", "url"}]}`."""
    rows = []
    for chapter in chapters:
        rows.append(
            drop_unknown(
                {
                    "startTime": chapter.start,
                    "title": chapter.title,
                    "url": safe_href(chapter.url),
                }
            )
        )
    return json.dumps({"version": "1.2.0", "chapters": rows}, ensure_ascii=False, indent=1) + "\n"


def render_vtt(speech: Speech) -> str:
    """Return a transcript as WebVTT, a caption for each paragraph; "" if no time is known."""
    # WebVTT has no captions without times.
    if speech.second(0) is None:
        return ""
    shortest_caption = 0.5  # seconds, because players drop a caption that ends when it begins
    blocks = ["WEBVTT\n"]
    for number, (_, speaker, text) in enumerate(speech.cues, 1):
        start, end = speech.span(speech.places[number - 1], speech.places[number] - 1)
        if end - start < shortest_caption:
            # Two people may begin in one second.
            end = max(end, start + len(str(text)) / CHARACTERS_PER_SECOND)
        words = _escape_caption(str(text))
        if speaker:
            words = f"<v {_escape_caption(str(speaker))}>{words}</v>"
        blocks.append(f"{_format_clock(start)} --> {_format_clock(end)}\n{words}\n")
    return "\n".join(blocks)


def _escape_caption(text: str) -> str:
    """Return one line without markup: an empty line would end a caption, and none may hold `-->`."""
    return " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _format_clock(seconds: float) -> str:
    """Return `01:02:03.450`."""
    minutes, milliseconds = divmod(round(seconds * 1000), 60_000)
    whole_seconds, thousandths = divmod(milliseconds, 1000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{whole_seconds:02}.{thousandths:03}"
