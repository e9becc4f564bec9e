"""Sentences of a text, words in it, and excerpts of it."""

import re
from bisect import bisect_right
from collections.abc import Iterator

from .vocabulary import load_vocabulary, pattern_of_words

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*[+#]*|&")

_BREAK = re.compile(r"[.!?…][\"”’')\]]{0,2}\s+|\n+")
_ENDS_IN_ABBREVIATION = re.compile(
    rf"(?:^|[\s(])(?:{pattern_of_words(load_vocabulary(__file__, 'sentences')['abbreviations'])}|[^\W\d_])\.\Z",
    re.IGNORECASE,
)


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each sentence or line with words, without the space behind it: (0, 14) and
    (15, 20) for "Dr. Roe spins.\\nLinks"."""
    start = 0
    for boundary in _BREAK.finditer(text):
        is_line_break = "\n" in boundary[0]
        if not is_line_break and _ends_in_abbreviation(text, start, boundary.start()):
            continue  # "Dr. "
        # The point belongs to the sentence, the space behind it does not.
        point = boundary[0].rstrip()
        end = boundary.start() + len(point)
        if end > start:  # no empty line
            yield start, end
        start = boundary.end()
    # No boundary is behind the last sentence, unless the text ends in a space.
    if start < len(text):
        yield start, len(text)


def _ends_in_abbreviation(text: str, sentence_start: int, point: int) -> bool:
    # No abbreviation is longer than eight letters. The pattern looks at the character before it.
    start = max(0, sentence_start - 1, point - 8)
    return _ENDS_IN_ABBREVIATION.search(text, start, point + 1) is not None


class Sentences:
    """The sentences of a text by position."""

    def __init__(self, text: str) -> None:
        self.spans = list(sentence_spans(text)) or [(0, len(text))]
        self.starts = [start for start, _ in self.spans]

    def span_containing(self, position: int) -> tuple[int, int]:
        return self.spans[max(0, bisect_right(self.starts, position) - 1)]


def shorten_sentence_around_match(
    text: str,
    sentence_span: tuple[int, int],
    match_start: int,
    match_end: int,
    cut_mark: str = "",
    max_length: int = 240,
) -> str:
    """Return a sentence, which has text[match_start:match_end] in it. Shorten a long one between words,
    with `cut_mark` at the cuts."""
    sentence_start, sentence_end = sentence_span
    if sentence_end - sentence_start <= max_length:
        return " ".join(text[sentence_start:sentence_end].split())
    # 80 characters behind the match, more if it is near the start of the sentence. The other characters
    # are before them.
    usual_end = max(match_end + 80, sentence_start + max_length)
    cut_end = min(sentence_end, usual_end)
    cut_start = max(sentence_start, cut_end - max_length)
    before = text[cut_start:match_start]
    after = text[match_end:cut_end]
    # A cut may split a word, so the first word behind it and the last before it go: "oom spins a" becomes "… spins a".
    if cut_start > sentence_start:
        _, _, whole_words = before.partition(" ")
        before = f"{cut_mark} {whole_words}"
    if cut_end < sentence_end:
        whole_words, _, _ = after.rpartition(" ")
        after = f"{whole_words} {cut_mark}"
    excerpt = before + text[match_start:match_end] + after
    return " ".join(excerpt.split())
