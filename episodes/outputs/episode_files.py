"""An episode's chapters and transcript in the formats that players read."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence, Set

from ..models import Chapter
from ..text.link_labels import safe_href
from ..text.sentences import sentence_spans
from ..text.spoken_time import CHARACTERS_PER_SECOND, Speech
from .listing import drop_unknown

MAX_CAPTION_LENGTH = 84  # characters: two lines on a screen
MAX_CAPTION_SECONDS = 7


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
    """Return a transcript as WebVTT, with a speaker in each caption if one is known; "" if no time is
    known. A caption is a sentence, or a part of one."""
    # WebVTT has no captions without times.
    if speech.second(0) is None:
        return ""
    blocks = ["WEBVTT\n"]
    for number, (_, speaker, _) in enumerate(speech.cues):
        paragraph_start, paragraph_end = (
            speech.paragraph_starts[number],
            speech.paragraph_starts[number + 1] - 1,
        )
        for start, end in _caption_spans(speech, paragraph_start, paragraph_end):
            words = _escape_caption(speech.text[start:end])
            if speaker:
                words = f"<v {_escape_caption(str(speaker))}>{words}</v>"
            first_second, last_second = _caption_seconds(speech, start, end)
            times = f"{_format_clock(first_second)} --> {_format_clock(last_second)}"
            blocks.append(f"{times}\n{words}\n")
    return "\n".join(blocks)


def _caption_spans(
    speech: Speech, paragraph_start: int, paragraph_end: int
) -> Iterator[tuple[int, int]]:
    """Yield the start and end offset of each caption of a paragraph.

    A sentence that is too long is cut where its source gives a time, else between words.
    """
    timed_positions = {position for position, _ in speech.known_times}
    paragraph = speech.text[paragraph_start:paragraph_end]
    for sentence_start, sentence_end in sentence_spans(paragraph):
        # Scripts without spaces are cut anywhere.
        matches = re.finditer(r"\S{1,40}", paragraph[sentence_start:sentence_end])
        offset = paragraph_start + sentence_start
        words = [(offset + match.start(), offset + match.end()) for match in matches]
        first = 0
        while first < len(words):
            last = _last_fitting_word_index(speech, words, first)
            if last + 1 < len(words):
                last = _last_word_index_before_time(words, first, last, timed_positions)
            yield words[first][0], words[last][1]
            first = last + 1


def _last_fitting_word_index(speech: Speech, words: Sequence[tuple[int, int]], first: int) -> int:
    """Return the index of the last word that fits into a caption with the first one."""
    start, _ = words[first]
    last = first
    for index in range(first + 1, len(words)):
        _, end = words[index]
        first_second, last_second = speech.span(start, end)
        is_too_long = end - start > MAX_CAPTION_LENGTH
        if is_too_long or last_second - first_second > MAX_CAPTION_SECONDS:
            break
        last = index
    return last


def _last_word_index_before_time(
    words: Sequence[tuple[int, int]], first: int, last: int, timed_positions: Set[int]
) -> int:
    """Return the index of the last word that is followed by a word with a known time; else `last`."""
    for index in range(last + 1, first, -1):
        word_start, _ = words[index]
        if word_start in timed_positions:
            return index - 1
    return last


def _caption_seconds(speech: Speech, start: int, end: int) -> tuple[float, float]:
    """Return the seconds at which a caption appears and disappears."""
    shortest_caption = 0.5  # players drop a caption that ends when it begins
    first_second, last_second = speech.span(start, end)
    if last_second - first_second < shortest_caption:
        # Two people may begin in one second.
        last_second = max(last_second, first_second + (end - start) / CHARACTERS_PER_SECOND)
    return first_second, min(last_second, first_second + MAX_CAPTION_SECONDS)


def _escape_caption(text: str) -> str:
    """Return one line without markup. An empty line, or `-->`, would end a caption."""
    return " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _format_clock(seconds: float) -> str:
    """Return `01:02:03.450`."""
    minutes, milliseconds = divmod(round(seconds * 1000), 60_000)
    whole_seconds, thousandths = divmod(milliseconds, 1000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{whole_seconds:02}.{thousandths:03}"
