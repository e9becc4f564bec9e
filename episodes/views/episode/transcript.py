"""An episode's transcript as its page shows it: by chapter and paragraph, with the passages that hold
what was searched for, and with links on names of code."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef

from ...models import Chapter, CodeMention, CodeName, Episode, batches
from ...search import excerpts, parse_query, terms_in
from ...text.speech import Speech

LONGEST_QUERY = 200  # characters
NO_NAME = "\0"  # which no text has
PUNCTUATION = ".,;:!?…()[]\"'“”‘’`"
# In a name of code, and in no word of a sentence; `backward` alone may be one.
IN_CODE = re.compile(r"_|\w\.\w|[a-z\d][A-Z]|[A-Z]{2}[a-z]")

Part = str | tuple[str, str]  # words, or words with the address that they lead to


class Paragraph(NamedTuple):
    """A paragraph: its number, when it begins, who speaks, and its words in parts, of which every
    second is marked, if it is a passage that was searched for, or linked.

    `next_passage` is the number of the passage after it; 0 for none, None where this is no passage.
    """

    number: int
    at: float | None
    speaker: str
    parts: Sequence[Part]
    next_passage: int | None


class TranscriptSection(NamedTuple):
    """The paragraphs of one chapter, or of chapters that begin together."""

    chapters: Sequence[Chapter]
    paragraphs: Sequence[Paragraph]


@dataclass(frozen=True)
class TranscriptText:
    """A transcript in sections, and the numbers of the paragraphs that hold most of the words that
    were searched for."""

    sections: Sequence[TranscriptSection]
    words: str
    passages: Sequence[int]
    is_partial: bool  # no paragraph holds all that was searched for
    machine_made: bool | None  # None where nothing says so
    times: str  # the seconds that are known of places in its text, for scripts: `0:0.0 61:6.0`


def transcript_text(
    episode: Episode, speech: Speech, chapters: Sequence[Chapter], words: str
) -> TranscriptText | None:
    """The transcript of an episode; None where it has none."""
    if not speech.cues:
        return None
    words = " ".join(words[:LONGEST_QUERY].replace("\0", "").split())
    passages, is_partial = _passages(speech.cues, words)
    following = dict(zip(passages, [*passages[1:], 0], strict=False))
    pages = _symbols(episode, speech.text)
    names, paragraphs = _pattern(pages or [NO_NAME]), []
    for number, (at, speaker, said) in enumerate(speech.cues, 1):
        is_passage = number in following
        # Every second part is marked, or a name of code with its address.
        linked = [(one, pages[one]) if n % 2 else one for n, one in enumerate(names.split(said))]
        parts: Sequence[Part] = excerpts.marked(said, words) if is_passage else linked
        paragraphs.append(Paragraph(number, at, speaker, parts, following.get(number)))
    sections, machine_made = _in_chapters(paragraphs, chapters), episode.transcript.machine_made
    times = " ".join([f"{place}:{second:.1f}" for place, second in speech.known])
    return TranscriptText(sections, words, passages, is_partial, machine_made, times)


def _passages(cues: Sequence[Sequence[Any]], words: str) -> tuple[list[int], bool]:
    """The numbers of the paragraphs that hold as many terms as any, and True where none holds
    all."""
    query = parse_query(words)
    held = [len(terms_in(said, query)) for _, _, said in cues] if query.terms else []
    most = max(held, default=0)
    passages = [number for number, count in enumerate(held, 1) if count == most > 0]
    return passages, most < len(query.terms)


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


def _pattern(names: Iterable[str]) -> re.Pattern[str]:
    """Any of these names: a dot or a dash goes on with another."""
    # The longest first: an expression takes the first name that fits, `torch` before `torch.nn`.
    whole = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.compile(rf"(?<![\w.:/-])({whole})(?![\w/-]|[.:]+\w)")
