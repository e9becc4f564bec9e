"""An episode's transcript as its page shows it: by chapter and paragraph, with the passages that
hold what was searched for, and with links on names of code; and quotes, the sentences that are said
between two times."""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, groupby, pairwise
from math import ceil
from typing import NamedTuple

from django.db.models import Exists, OuterRef

from ..models import (
    LONGEST_MOMENT,
    Chapter,
    CodeMention,
    CodeName,
    Episode,
    Transcript,
    batches,
)
from ..search import excerpts, parse_query, terms_in
from ..text.formatting import clock, minutes, position
from ..text.markup import storable
from ..text.sentences import sentences
from ..text.speech import Speech


def speech_of(episode: Episode) -> Speech:
    """The speech of an episode; an empty one where it has no transcript."""
    transcript: Transcript = getattr(episode, "transcript", Transcript())
    return transcript.speech(episode.duration_seconds)


LONGEST_QUERY = 200  # characters
NO_NAME = "\0"  # which no text has
PUNCTUATION = ".,;:!?…()[]\"'“”‘’`"
# In a name of code, and in no word of a sentence; `backward` alone may be one.
IN_CODE = re.compile(r"_|\w\.\w|[a-z\d][A-Z]|[A-Z]{2}[a-z]")

Part = str | tuple[str, str]  # words, or words with the address that they lead to


class Paragraph(NamedTuple):
    """A paragraph: its number, when it begins, who speaks, and its words in parts. Every second
    part is marked, if it holds a passage that was searched for, or linked.

    `next_passage` is the number of the paragraph of the next passage, 0 for none. `moment_part` is
    the index of the part at which the page opens, or None.
    """

    number: int
    at: float | None
    speaker: str
    parts: Sequence[Part]
    is_marked: bool
    next_passage: int
    moment_part: int | None = None


class TranscriptSection(NamedTuple):
    """The paragraphs of one chapter, or of chapters that begin together."""

    chapters: Sequence[Chapter]
    paragraphs: Sequence[Paragraph]


@dataclass(frozen=True)
class TranscriptText:
    """A transcript in sections, and the number of the paragraph of each passage that was searched
    for."""

    sections: Sequence[TranscriptSection]
    words: str
    passages: Sequence[int]
    is_partial: bool  # no passage holds all that was searched for
    machine_made: bool | None  # None where nothing says so
    times: str  # the seconds that are known of places in its text, for scripts: `0:0.0 61:6.0`


def transcript_text(
    episode: Episode,
    speech: Speech,
    chapters: Sequence[Chapter],
    words: str,
    opens_at: int | None = None,
) -> TranscriptText | None:
    """Return the transcript of an episode, or None if it has none.

    The passages that hold `words` are marked, and the one nearest to the second at which the page
    opens.
    """
    if not speech.cues:
        return None
    words = " ".join(words[:LONGEST_QUERY].replace("\0", "").split())
    query = parse_query(words)
    found = excerpts.passages(speech.text, query)
    together = excerpts.together(found, query)
    most = max((len(passage.terms) for passage in found), default=0)
    shown = together or [passage for passage in found if len(passage.terms) == most]
    moments = [] if opens_at is None else excerpts.nearest(found, speech, opens_at)[:1]
    marked_numbers = set[int]()
    for passage in (*shown, *moments):
        first, last = speech.paragraph(passage.start), speech.paragraph(passage.end)
        marked_numbers.update(range(first, last + 1))
    passages = sorted(speech.paragraph(passage.start) for passage in shown)
    following = dict(pairwise(dict.fromkeys(passages)))
    pages = _symbols(episode, speech.text)
    # The longest first: an expression takes the first name that fits, `torch` before `torch.nn`.
    any_name = "|".join(map(re.escape, sorted(pages or [NO_NAME], key=len, reverse=True)))
    # A dot or a dash goes on with another name.
    names, paragraphs = re.compile(rf"(?<![\w.:/-])({any_name})(?![\w/-]|[.:]+\w)"), []
    for number, (at, speaker, said) in enumerate(speech.cues, 1):
        holds_most = len(terms_in(said, query)) >= most > 0
        is_marked = holds_most or number in marked_numbers
        parts: Sequence[Part]
        if is_marked:
            parts = excerpts.marked(said, query)
        else:
            # Every second part is a name of code with its address.
            parts = [(one, pages[one]) if n % 2 else one for n, one in enumerate(names.split(said))]
        next_passage = following.get(number, 0)
        paragraphs.append(Paragraph(number, at, speaker, parts, is_marked, next_passage))
    for passage in moments:
        index = speech.paragraph(passage.start) - 1
        part = _marked_part(paragraphs[index], passage.start - speech.places[index])
        paragraphs[index] = paragraphs[index]._replace(moment_part=part)
    sections, machine_made = _in_chapters(paragraphs, chapters), episode.transcript.machine_made
    times = " ".join([f"{place}:{second:.1f}" for place, second in speech.known])
    return TranscriptText(sections, words, passages, not together, machine_made, times)


def _marked_part(paragraph: Paragraph, offset: int) -> int:
    """Return the index of the first marked part that ends behind an offset."""
    ends = list(accumulate(map(len, paragraph.parts)))
    return bisect_right(ends, offset) | 1  # the marked parts have the odd numbers


def _in_chapters(
    paragraphs: Sequence[Paragraph], chapters: Sequence[Chapter]
) -> list[TranscriptSection]:
    """The paragraphs with the chapters before the one that begins next to each; a paragraph without
    a time begins when the one before it does."""
    # Starts may go back in a transcript, and `bisect` needs them in order.
    starts = list(accumulate((paragraph.at or 0.0 for paragraph in paragraphs), max))
    middles = [(one + other) / 2 for one, other in pairwise(starts)]
    heads: defaultdict[int, list[Chapter]] = defaultdict(list)
    # Where no paragraph has a time, nobody knows which one a chapter begins at.
    for chapter in chapters if starts[-1] else ():
        nearest = starts[bisect_left(middles, chapter.start)]
        heads[bisect_left(starts, nearest)].append(chapter)
    cuts = sorted({0, *heads, len(paragraphs)})
    return [TranscriptSection(heads[first], paragraphs[first:end]) for first, end in pairwise(cuts)]


def _symbols(episode: Episode, text: str) -> dict[str, str]:
    """The names of code in a text that the notes of its show have too, with their pages."""
    named = {word.strip(PUNCTUATION) for word in set(text.split()) if IN_CODE.search(word)}
    mentions = CodeMention.objects.filter(name=OuterRef("pk"), episode__podcast=episode.podcast_id)
    known = CodeName.objects.filter(Exists(mentions))
    # In batches, because databases limit the values of one statement.
    rows = (known.filter(name__in=some) for some in batches(sorted(named)))
    return {symbol.name: symbol.get_absolute_url() for symbol in chain.from_iterable(rows)}


ROUNDING = 60  # seconds by which a length may be too short
OPENING = 30  # seconds of what a page shows that begins at a time
UNKNOWN_LENGTH = 1 << 30
LONGEST = minutes(LONGEST_MOMENT)


class AskedTime(NamedTuple):
    """The second at which to begin, and the one at which to stop; 0 where not asked for."""

    start: int
    end: int = 0

    @property
    def opening(self) -> "AskedTime":
        """The time of what is said first where it begins later than at 0."""
        return AskedTime(self.start, self.start and self.start + OPENING)

    def __str__(self) -> str:
        """`324-341`, `324`, or "": as an address has it."""
        return f"{self.start}-{self.end}" if self.end else str(self.start or "")


def asked_time(text: str, episode: Episode) -> tuple[AskedTime, list[str]]:
    """The time that `?t=` asks for, and what is wrong with it."""
    text = storable(text).strip()
    first, _, last = text.partition("-")
    start, end = (position(f"0{part.strip()}") for part in (first, last))  # nothing is 0
    length = episode.duration_seconds or UNKNOWN_LENGTH
    if start is None or start >= length + ROUNDING:
        return AskedTime(0), [f"“{text[:20]}” is no time in this episode, such as 754 or 12:34"]
    if last and end not in range(start + 1, start + LONGEST_MOMENT + 1):
        return AskedTime(start), [f"“{text[:20]}” must end after it begins, within {LONGEST}"]
    return AskedTime(start, end or 0), []


class SpokenSentence(NamedTuple):
    """A sentence: its first second and the one after its last, the number of its paragraph, who
    says it, and its words."""

    start: int
    end: int
    paragraph: int
    speaker: str
    words: str


@dataclass(frozen=True)
class Quote:
    """Sentences in a row, and the seconds of the first and after the last; false without any."""

    start: int = 0
    end: int = 0
    sentences: Sequence[SpokenSentence] = ()

    def __bool__(self) -> bool:
        return bool(self.sentences)

    @property
    def span(self) -> str:
        """`324-341`: as an address has it; "" without any sentence."""
        return f"{self.start}-{self.end}" if self else ""

    @property
    def clock(self) -> str:
        """`5:24`."""
        return clock(self.start)

    @property
    def words(self) -> str:
        return " ".join(sentence.words for sentence in self.sentences)

    @property
    def turns(self) -> list[tuple[str, str]]:
        """Speakers in turn, and their words."""
        turns = groupby(self.sentences, key=lambda sentence: sentence.speaker)
        return [(speaker, Quote(sentences=[*own]).words) for speaker, own in turns]


def quote_of(speech: Speech, asked: AskedTime) -> Quote:
    """The sentences from the one that is said at the time asked for, or before it, to the one at
    its end, or after it; none where nothing tells which, or they last too long."""
    said = []
    for number in speech.paragraphs(asked.start, asked.end) if asked.end else ():
        place, (_, speaker, words) = speech.places[number - 1], speech.cues[number - 1]
        for first, last in sentences(words):
            at, until = speech.span(place + first, place + last)
            # Addresses have whole seconds; these are rounded outwards, so that no word is cut.
            said.append(SpokenSentence(int(at), ceil(until), number, speaker, words[first:last]))
    if not said:
        return Quote()
    starts, ends = [one.start for one in said], [one.end for one in said]
    start = starts[max(0, bisect_right(starts, asked.start) - 1)]
    end = ends[min(bisect_left(ends, asked.end), len(ends) - 1)]
    # Of sentences that begin, or end, within one second, all are quoted.
    quoted = said[bisect_left(starts, start) : bisect_right(ends, end)]
    is_said = start <= asked.start < end <= start + LONGEST_MOMENT
    return Quote(start, end, quoted) if is_said else Quote()
