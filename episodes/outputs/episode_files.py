"""An episode's chapters and transcript in the formats that players read."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import pairwise
from typing import NamedTuple

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
        values = {
            "startTime": chapter.start,
            "title": chapter.title,
            "url": safe_href(chapter.url),
        }
        rows.append(drop_unknown(values))
    document = {"version": "1.2.0", "chapters": rows}
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def render_vtt(speech: Speech) -> str:
    """Return a transcript as WebVTT, with a speaker in each caption if one is known; "" if no time is
    known. A caption is a sentence, or a part of one."""
    # WebVTT has no captions without times.
    if speech.second(0) is None:
        return ""
    blocks = ["WEBVTT\n"]
    paragraph_bounds = pairwise(speech.paragraph_starts)
    # A cue is a paragraph of the transcript. Its speaker is "" if unknown.
    for cue, (paragraph_start, next_start) in zip(speech.cues, paragraph_bounds, strict=True):
        _, speaker, _ = cue
        paragraph_end = next_start - 1  # there is a line break between two paragraphs
        for caption in _iterate_caption_spans(speech, paragraph_start, paragraph_end):
            blocks.append(_caption_block(speech, caption, speaker))
    return "\n".join(blocks)


class TextSpan(NamedTuple):
    """The offsets at which a word or a caption begins and ends in the text of a speech."""

    start: int
    end: int


def _caption_block(speech: Speech, caption: TextSpan, speaker: str) -> str:
    """Return `00:00:01.000 --> 00:00:03.500`, and below it `<v Ada>We talk about looms.</v>`."""
    words = _escape_caption(speech.text[caption.start : caption.end])
    if speaker:
        words = f"<v {_escape_caption(speaker)}>{words}</v>"
    first_second, last_second = _first_and_last_second_of_caption(speech, caption)
    return f"{_format_clock(first_second)} --> {_format_clock(last_second)}\n{words}\n"


def _iterate_caption_spans(
    speech: Speech, paragraph_start: int, paragraph_end: int
) -> Iterator[TextSpan]:
    """Yield the span of each caption of a paragraph.

    A sentence that is too long is cut where its source gives a time, else between words.
    """
    timed_positions = {position for position, _ in speech.known_times}
    paragraph = speech.text[paragraph_start:paragraph_end]
    for sentence_start, sentence_end in sentence_spans(paragraph):
        word_spans = _word_spans(
            speech.text, paragraph_start + sentence_start, paragraph_start + sentence_end
        )
        captioned_count = 0  # words of the sentence that are in captions
        while captioned_count < len(word_spans):
            # Each word has a character at least, so no more words can fit into the next caption.
            next_words = word_spans[captioned_count : captioned_count + MAX_CAPTION_LENGTH]
            count = _caption_word_count(speech, next_words, timed_positions)
            yield TextSpan(next_words[0].start, next_words[count - 1].end)
            captioned_count += count


def _word_spans(text: str, start: int, end: int) -> list[TextSpan]:
    # Scripts without spaces are cut after 40 characters.
    words = re.compile(r"\S{1,40}").finditer(text, start, end)
    return [TextSpan(*word.span()) for word in words]


def _caption_word_count(
    speech: Speech, next_words: Sequence[TextSpan], timed_positions: Set[int]
) -> int:
    """Return how many of the next words the caption has. If not all fit, the caption after it begins with a word
    with a known time, if there is any."""
    max_count = _word_count_within_limits(speech, next_words)
    if max_count == len(next_words):
        return max_count
    for count in range(max_count, 0, -1):
        word_after_caption = next_words[count]
        if word_after_caption.start in timed_positions:
            return count
    return max_count


def _word_count_within_limits(speech: Speech, word_spans: Sequence[TextSpan]) -> int:
    """Return how many of these words fit into a caption, by its length and time; at least one."""
    start = word_spans[0].start
    for count_before, word in enumerate(word_spans):
        first_second, last_second = speech.second_range(start, word.end)
        is_too_long = word.end - start > MAX_CAPTION_LENGTH
        is_too_slow = last_second - first_second > MAX_CAPTION_SECONDS
        if count_before > 0 and (is_too_long or is_too_slow):
            return count_before
    return len(word_spans)


def _first_and_last_second_of_caption(speech: Speech, caption: TextSpan) -> tuple[float, float]:
    min_seconds = 0.5  # players drop a caption that ends when it begins
    first_second, last_second = speech.second_range(*caption)
    # Sources with whole seconds let two people begin in one second.
    if last_second - first_second < min_seconds:
        speaking_seconds = (caption.end - caption.start) / CHARACTERS_PER_SECOND
        last_second = max(last_second, first_second + speaking_seconds)
    return first_second, min(last_second, first_second + MAX_CAPTION_SECONDS)


def _escape_caption(text: str) -> str:
    """Return one line without markup. An empty line, or `-->`, would end a caption."""
    return " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _format_clock(seconds: float) -> str:
    """Return `01:02:03.450`."""
    total_seconds, milliseconds = divmod(round(seconds * 1000), 1000)
    total_minutes, second = divmod(total_seconds, 60)
    hour, minute = divmod(total_minutes, 60)
    return f"{hour:02}:{minute:02}:{second:02}.{milliseconds:03}"
