"""Cues of a transcript: their speakers, their order, and paragraphs of them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from ..text.sentences import sentence_spans

MAX_PARAGRAPH_LENGTH = 1200  # characters, because captions of machines may lack every full stop
LONG_PARAGRAPH = 400  # characters after which a paragraph ends with a sentence
# A name of one to five words with capitals, or a part in a conversation, before a colon.
_PART = r"(?:speaker|host|guest|interviewer|interviewee|moderator|narrator|voice|participant)\b"
_CAPITAL = r"(?=[^\W_a-zà-öø-ÿ])[\w.'’&#-]{1,30}"
_NAME_WORDS = (
    rf"(?P<name>(?:{_PART}|{_CAPITAL})"
    rf"(?: (?:{_CAPITAL}|\([\w .]{{1,20}}\)|(?:de|del|der|di|da|la|of|the|van|von))){{0,4}})"
)
_NAME = re.compile(rf"(?:>{{1,3}} ?|[-–—] ?)?[\[(]?(?!\d+:){_NAME_WORDS}[\])]? ?:(?: |\Z)")
# "[Ada] text", as programs write who speaks. "[Applause] Thank you" has no name.
_BRACKETED_NAME = re.compile(rf"\[{_NAME_WORDS}\] (?=\S)")
UNKNOWN_SPEAKER = "\0"  # another speaker, without a name
_SOUND_OR_BLANK = re.compile(r"(?:[\[(♪♫*][^\[\]()]*[\])♪♫*])?")  # "[music]", "♪ la la ♪"
# Scripts without spaces between words.
UNSPACED_RANGES = "\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff00-\uffef\u0e00-\u0eff"
# Where no space stands between two texts, with "\0" for their seam: "今\0日", "yes\0,", "(\0or", "do\0n't".
_NO_SPACE = re.compile(
    rf"[{UNSPACED_RANGES}]\x00[{UNSPACED_RANGES}]|.?\x00[,.;:!?…%)\]”»]|[(\[“«]\x00|.?\x00(?:n't|['’](?:s|re|ve|ll|d|m|t)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Cue:
    """A stretch of speech.

    `start` and `end` are seconds of the audio, or None if unknown. `speaker` may be "". `text` is plain,
    on one line, with single spaces. `times` are positions in it, each with its second.
    """

    start: float | None
    end: float | None
    speaker: str
    text: str
    times: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, slots=True)
class CueLines:
    """Lines of a file with one time, before names of speakers are split off."""

    start: float | None
    end: float | None
    lines: tuple[str, ...]
    speaker: str = ""


Timed = TypeVar("Timed", Cue, CueLines)


def split_into_cues_by_speaker(blocks: Iterable[CueLines]) -> list[Cue]:
    """Return the cues of a file that names a speaker only when the speaker changes, with marks of its
    own or as "Name: text"."""
    ordered = _sorted_by_start(list(blocks))
    names = _likely_speaker_names_at_line_starts(ordered)
    cues: list[Cue] = []
    for block in ordered:
        cues += _iterate_cues_by_speaker(block, names)
    return list(iterate_cues_with_speakers_filled_in(cues))


def _likely_speaker_names_at_line_starts(blocks: Sequence[CueLines]) -> frozenset[str]:
    """Return the names at the beginning of lines, or no names if too few lines begin with one or
    the file marks its speakers."""
    bracketed_names = []
    for block in blocks:
        if block.speaker:
            return frozenset()
        first_line = fold_spaces(block.lines[0])
        if bracketed := _BRACKETED_NAME.match(first_line):
            bracketed_names.append(bracketed["name"])
    # "[Applause] Thank you" begins like "[Ada] Thank you", but few blocks begin with a sound.
    if 2 * len(bracketed_names) > len(blocks):
        return frozenset(bracketed_names)
    return _names_before_colons_unless_rare(blocks)


def _names_before_colons_unless_rare(blocks: Iterable[CueLines]) -> frozenset[str]:
    names = []  # of each line with words: "Ada" of "Ada: Hello", or ""
    for block in blocks:
        for line in map(fold_spaces, block.lines):
            if not _SOUND_OR_BLANK.fullmatch(line):
                match = _NAME.match(line)
                names.append(match["name"] if match else "")
    name_count = len(names) - names.count("")
    # A file that names its speakers begins with a name, or with an introduction. After an introduction
    # more than one line in twenty has a name: "Note: …" now and then names nobody.
    begins_without_name = names[:1] == [""]
    has_few_names = name_count <= max(1, len(names) / 20)
    if begins_without_name and has_few_names:
        return frozenset()
    return frozenset(names) - {""}


def _iterate_cues_by_speaker(block: CueLines, names: frozenset[str]) -> Iterator[Cue]:
    """Yield a cue for each part of a block that one speaker says. `names` are the speakers that
    lines can begin with."""
    speaker = fold_spaces(block.speaker)
    texts: list[str] = []
    for line in map(fold_spaces, block.lines):
        next_speaker, words = _next_speaker_and_words(line, names)
        if next_speaker:
            # Before the first line it has no text, and `sorted_cues_with_text` drops it.
            yield Cue(block.start, block.end, speaker, join_texts_with_needed_spaces(texts))
            speaker = next_speaker
            texts = []
        texts.append(words)
    yield Cue(block.start, block.end, speaker, join_texts_with_needed_spaces(texts))


def _next_speaker_and_words(line: str, names: frozenset[str]) -> tuple[str, str]:
    """Return ("Ada", "Hello") for "Ada: Hello", and ("", line) if nobody else begins to speak."""
    name_match = _NAME.match(line) or _BRACKETED_NAME.match(line)
    if name_match and name_match["name"] in names:
        return name_match["name"], line[name_match.end() :]
    # Closed captions mark another speaker, without a name: ">> Hello".
    change_mark = re.match(r">{2,3} ?", line)
    if change_mark:
        return UNKNOWN_SPEAKER, line[change_mark.end() :]
    return "", line


def iterate_cues_with_speakers_filled_in(cues: Iterable[Cue]) -> Iterator[Cue]:
    """Yield cues with the speaker of each, if a file names one only when the speaker changes."""
    speaker = ""
    for cue in cues:
        # "" if the file declares that another speaker begins, and does not say who.
        declared_name = cue.speaker.removeprefix(UNKNOWN_SPEAKER)
        if cue.speaker:
            speaker = declared_name
        # "[music]" comes from nobody, unless the file says so.
        is_sound = _SOUND_OR_BLANK.fullmatch(cue.text)
        yield replace(cue, speaker=declared_name if is_sound else speaker)


def sorted_cues_with_text(cues: Iterable[Cue]) -> tuple[Cue, ...]:
    """Return the cues with text, by start. A cue without a start stays behind the one before it.
    Impossible ends become None."""
    with_text = [cue for cue in cues if cue.text]
    return tuple(map(_without_impossible_end, _sorted_by_start(with_text)))


def _without_impossible_end(cue: Cue) -> Cue:
    if cue.start is None or cue.end is None or cue.end < cue.start:
        return replace(cue, end=None)
    return cue


def _sorted_by_start(parts: Sequence[Timed]) -> list[Timed]:
    starts = []
    # A part without a start stays behind the one before it.
    last_start = 0.0
    for part in parts:
        if part.start is not None:
            last_start = part.start
        starts.append(last_start)
    # The sort is stable, so that parts of one start keep their order.
    order = sorted(range(len(parts)), key=lambda index: starts[index])
    return [parts[index] for index in order]


def fold_spaces(text: str) -> str:
    return " ".join(text.replace("\u200b", "").replace("\ufeff", "").split())


def join_texts_with_needed_spaces(texts: Iterable[str]) -> str:
    """Return texts as one, with spaces between them as their scripts and punctuation have them."""
    joined = ""
    for text in texts:
        # As much of both texts as the pattern needs: "o\0n't ".
        seam = f"{joined[-1:]}\0{text[:4]}"
        if joined and text and not _NO_SPACE.match(seam):
            joined += " "
        joined += text
    return joined


# --- Paragraphs of short, overlapping and repeated lines -----------------------------------------


def join_into_paragraphs(cues: Sequence[Cue]) -> tuple[Cue, ...]:
    """Return the cues, in their order, joined while one speaker goes on. Each has the start of its
    first cue, and the times of all further cues: "Hello." at 0 s and "I am Ada." at 2 s become one paragraph
    with the times ((7, 2.0),).

    Cues without a start are paragraphs of their author already, and are split only if they are far
    too long.
    """
    paragraphs: list[Cue] = []
    for unrepeated in _iterate_cues_without_repetitions(cues):
        for cue in _split_long_untimed_cue_at_sentences(unrepeated):
            longer_paragraph = None
            if paragraphs:
                longer_paragraph = _lengthened_paragraph_or_none(paragraphs[-1], cue)
            if longer_paragraph:
                paragraphs[-1] = longer_paragraph
            else:
                paragraphs.append(cue)
    return tuple(paragraphs)


def _iterate_cues_without_repetitions(cues: Iterable[Cue]) -> Iterator[Cue]:
    """Yield each cue once, without the words that rolling captions repeat while the next line comes
    up: of "one two three four" and "one two three four five" the second is "five"."""
    last = Cue(start=None, end=None, speaker="", text="")
    for cue in dict.fromkeys(cues):  # equal cues once
        words = cue.text.split()
        if cue.speaker == last.speaker:
            repeated_count = _repeated_word_count(last.text.split(), words)
            words = words[repeated_count:]
        last = cue
        if words:
            yield replace(cue, text=" ".join(words))


def _repeated_word_count(before: list[str], words: list[str]) -> int:
    """Return how many words, four at least, end the text before and begin the next. A speaker may
    repeat fewer words."""
    # Captions are shorter. Long paragraphs would take time with the square of their words.
    max_repeated_words = 40
    max_count = min(len(before), len(words), max_repeated_words)
    for count in range(max_count, 3, -1):  # the longest first
        if before[-count:] == words[:count]:
            return count
    return 0


def _split_long_untimed_cue_at_sentences(cue: Cue) -> Iterator[Cue]:
    # Cues with a start are short, as they were made to be shown or heard.
    if cue.start is not None or len(cue.text) <= MAX_PARAGRAPH_LENGTH:
        yield cue
        return
    # Each part ends with the sentence that makes it a long paragraph.
    part_start = 0
    for _, sentence_end in sentence_spans(cue.text):
        if sentence_end - part_start >= LONG_PARAGRAPH:
            yield replace(cue, text=cue.text[part_start:sentence_end].strip())
            part_start = sentence_end
    if part_start < len(cue.text):
        yield replace(cue, text=cue.text[part_start:].strip())


def _lengthened_paragraph_or_none(paragraph: Cue, cue: Cue) -> Cue | None:
    """Return a paragraph with a cue behind it, or None if the cue begins another: by another speaker,
    after a pause, or because the paragraph is long enough."""
    # A cue without a start is a paragraph of its author.
    if paragraph.speaker != cue.speaker or paragraph.start is None or cue.start is None:
        return None
    max_pause_seconds = 2
    long_seconds = 30
    if paragraph.end is None:
        # Pauses are unknown, so a long time is a reason by itself.
        is_too_late = cue.start > paragraph.start + long_seconds
    else:
        is_too_late = cue.start > paragraph.end + max_pause_seconds
    lasts_long = cue.start - paragraph.start >= long_seconds
    if is_too_late or _is_long_enough(paragraph.text, lasts_long=lasts_long):
        return None
    text = join_texts_with_needed_spaces((paragraph.text, cue.text))
    cue_position = len(text) - len(cue.text)
    times = (*paragraph.times, (cue_position, cue.start))
    return replace(paragraph, end=cue.end or paragraph.end, text=text, times=times)


def _is_long_enough(paragraph_text: str, *, lasts_long: bool) -> bool:
    # A paragraph should end with a sentence, and within one only if it gets far too long.
    if _ends_sentence(paragraph_text):
        return lasts_long or len(paragraph_text) >= LONG_PARAGRAPH
    return len(paragraph_text) >= MAX_PARAGRAPH_LENGTH


def _ends_sentence(text: str) -> bool:
    """Return True for "(He said: “Yes.”)"."""
    end_without_quotes = text[-8:].rstrip("\"'”’»)]")
    return end_without_quotes.endswith((".", "!", "?", "…", "。", "！", "？"))
