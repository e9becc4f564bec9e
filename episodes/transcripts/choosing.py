"""Chooses among the files that feeds offer beside the audio of an episode: which transcript to
read, and where its chapters come from; pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain
from typing import ClassVar, NamedTuple, TypeVar

from ..records import ResolvedEpisode, SourceEntry
from ..text.normalize import words
from ..text.timecodes import LONGEST as MOST_SECONDS
from ..text.urls import enclosure_key
from .chapters import ParsedChapter, from_notes, from_psc, parse_chapters
from .formats import FORMATS, TIMED_FORMATS, cues, format_of
from .transcript_cues import Cue, paragraphs

TRANSCRIPT, CHAPTERS, CHAPTER = "transcript", "chapters", "chapter"
# Extras of an imported transcript: the name of its file without endings, its first words, and
# whether they have times.
FILE, WORDS, TIMES = "file", "words", "times"
HAS_TIMES = {"yes": True, "no": False}
MACHINE_MADE = "machine-made"  # in the place of `rel`
Rows = Iterable[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class OfferedTranscript:
    """A transcript that a feed names, or that somebody brings: its address and what is said of it
    ("" where nothing); whether it is of another audio than what is heard, and the rank of the
    source that offers it.

    `has_times` is None if the format alone tells.
    """

    role: ClassVar = TRANSCRIPT
    address: str
    content_type: str = ""
    language: str = ""
    rel: str = ""
    rank: tuple[bool, int] = field(default=(False, 0), kw_only=True)
    has_times: bool | None = field(default=None, kw_only=True)

    @property
    def is_machine_made(self) -> bool:
        return self.rel == MACHINE_MADE

    @property
    def is_timed(self) -> bool:
        if self.has_times is not None:
            return self.has_times
        return format_of(self.content_type, self.address) in TIMED_FORMATS


@dataclass(frozen=True, slots=True)
class OfferedChapters:
    """A file of chapters that a feed names, and its type."""

    role: ClassVar = CHAPTERS
    address: str
    content_type: str = ""


class OfferedChapter(NamedTuple):
    """A chapter that stands in the feed itself."""

    start: str
    title: str = ""
    address: str = ""
    image: str = ""


Offered = TypeVar("Offered", OfferedTranscript, OfferedChapters, OfferedChapter)
# The names of the kinds, and how many values a row of each has.
_KINDS = {
    OfferedTranscript: (TRANSCRIPT, 4),
    OfferedChapters: (CHAPTERS, 2),
    OfferedChapter: (CHAPTER, 4),
}


def offered(rows: Rows, kind: type[Offered]) -> list[Offered]:
    """The values of the rows of one kind, such as ("chapters", address, type)."""
    wanted, most = _KINDS[kind]
    return [kind(*rest[:most]) for name, *rest in rows if name == wanted and rest]


AFTER_THE_END = 60  # seconds
FINE = 8  # seconds of which one time is kept: speech is even within them
# Fewer, without any time, are no transcript but what a server says in place of one.
FEW_WORDS = 40


@dataclass(frozen=True, slots=True)
class Offer:
    """The files that are offered beside an episode: its transcripts, the best first, and its
    chapters."""

    transcripts: tuple[OfferedTranscript, ...] = ()
    chapters: tuple[OfferedChapters, ...] = ()


def offer(rows: Rows, language: str = "") -> Offer:
    """Files that `EntryData.extras` offers, transcripts in the show's language first."""
    every = list(rows)
    transcripts = best(offered(every, OfferedTranscript), language)
    return Offer(tuple(transcripts), tuple(offered(every, OfferedChapters)))


def extras_of(episode: ResolvedEpisode) -> Rows:
    """All that the feeds of an episode offer, each once, the best-ranked source first."""
    return dict.fromkeys(chain.from_iterable(entry.said.extras for entry in episode.trusted))


def offered_by(episode: ResolvedEpisode, language: str = "") -> Offer:
    """Files that are offered beside an episode, and behind them what was named before in their
    place. Of transcripts those of the audio that is heard come first, then the source's rank
    decides, then the format.

    The former file counts until the new one has been read; without a new one it is withdrawn.
    """
    entries = (*episode.trusted, *(one for one in episode.entries if one.is_transcript))
    heard = getattr(episode.merged.values.get("audio_url"), "url", "")
    now = _transcripts([(one, one.said.extras) for one in entries], heard, language)
    before = _transcripts([(one, one.before) for one in entries], heard, language)
    chapters = tuple(offered(extras_of(episode), OfferedChapters))
    former = chain.from_iterable(entry.before for entry in episode.trusted)
    return Offer(
        now and tuple(dict.fromkeys(now + before)),
        chapters and tuple(dict.fromkeys((*chapters, *offered(former, OfferedChapters)))),
    )


def offered_addresses(entries: Iterable[SourceEntry]) -> tuple[str, ...]:
    """Return the addresses of all transcripts and chapters that entries offer or offered."""
    addresses = []
    for entry in entries:
        rows = (*entry.said.extras, *entry.before)
        addresses += [file.address or entry.document for file in offered(rows, OfferedTranscript)]
        addresses += [file.address for file in offered(rows, OfferedChapters)]
    return tuple(dict.fromkeys(addresses))


def _transcripts(
    offers: Iterable[tuple[SourceEntry, Rows]], heard: str, language: str
) -> tuple[OfferedTranscript, ...]:
    """The transcripts that entries offer, the best first; one that somebody brought is the document
    of its entry. Those of another audio than what is `heard` come last: their times may not fit.

    A text without times that begins like a machine-made transcript of the episode is machine-made.
    """
    transcripts: list[OfferedTranscript] = []
    openings: list[str] = []
    for entry, rows in offers:
        has_times = HAS_TIMES.get("".join(entry.said.extra(TIMES)))
        opening = _opening(" ".join(entry.said.extra(WORDS)))
        is_of_other_audio = enclosure_key(entry.said.audio_url) not in ("", enclosure_key(heard))
        for transcript in offered(rows, OfferedTranscript):
            transcripts.append(
                replace(
                    transcript,
                    rank=(is_of_other_audio, entry.rank),
                    address=transcript.address or entry.document,
                    has_times=has_times,
                )
            )
            openings.append(opening)
    by_machine = set()
    for transcript, opening in zip(transcripts, openings, strict=True):
        if transcript.is_machine_made:
            by_machine.add(opening)
    by_machine.discard("")  # of a file that nobody brought
    for index, opening in enumerate(openings):
        if opening in by_machine and not transcripts[index].is_timed:
            transcripts[index] = replace(transcripts[index], rel=MACHINE_MADE)
    return tuple(best(transcripts, language))


def _opening(first_words: str) -> str:
    """Return the folded first words of a transcript. The last one may be cut."""
    return " ".join(words(first_words)[:-1])


def best(offers: Iterable[OfferedTranscript], language: str = "") -> list[OfferedTranscript]:
    """Transcripts, the one to read first; each address once.

    First come those in the show's language, then those of the best-ranked source, then those with
    times, then what no program wrote, then the format that says most; captions, which are cut to
    fit a screen, come after what is not declared as such.
    """
    ranks = [*FORMATS, ""]

    def order(offer: OfferedTranscript) -> tuple[object, ...]:
        codes = (offer.language, language)
        tongues = {re.split("[-_]", code.strip().lower())[0] for code in codes} - {""}
        rank = ranks.index(format_of(offer.content_type, offer.address))
        is_text, is_captions = rank >= ranks.index("html"), "captions" in offer.rel.lower().split()
        return (
            len(tongues) > 1,
            offer.rank,
            not offer.is_timed,
            offer.is_machine_made,
            is_text,
            rank,
            is_captions,
        )

    by_address = {offer.address: offer for offer in sorted(offers, key=order, reverse=True)}
    return sorted(by_address.values(), key=order)


def read_transcript(
    body: bytes, content_type: str, address: str
) -> tuple[list[list[object]], list[list[float]]]:
    """A transcript as paragraphs, [start in seconds or None, speaker, text], and as times of what
    is said within them, [place in the lines of all texts, second].

    Raises:
        ValueError: it cannot be read, or says nothing.
    """
    read = paragraphs(cues(body, content_type, address))
    places = accumulate((len(cue.text) + 1 for cue in read), initial=0)
    times = {
        second // FINE: [place + at, second]
        for place, cue in zip(places, read, strict=False)
        for at, second in cue.times
    }
    return [[cue.start, cue.speaker, cue.text] for cue in read], list(times.values())


def choose_chapters(
    listed: Iterable[tuple[ParsedChapter, ...]], episode: ResolvedEpisode
) -> tuple[ParsedChapter, ...]:
    """Return the chapters of the first list that has some, else of the feed, else of the notes.

    One that begins well after the end is none: what was put into the audio or cut from it moves the
    last a little.
    """
    merged, length = episode.merged, episode.merged.length
    end = length.low + AFTER_THE_END if length and length.exact else MOST_SECONDS
    for chapters in (*listed, from_psc(offered(extras_of(episode), OfferedChapter))):
        if within := tuple(chapter for chapter in chapters if chapter.start < end):
            return within
    return from_notes(merged.text, end)


def check_file(role: str, body: bytes, declared: str, content_type: str, address: str) -> None:
    """Check that a file is what the feed calls it: a transcript of its declared type, or chapters.

    Raises:
        ValueError: it is not; the message says why.
    """
    if role == CHAPTERS:
        parse_chapters(body)
        return
    check_words(cues(body, declared or content_type, address), FEW_WORDS)


def check_words(said: Sequence[Cue], fewest: int) -> str:
    """The words of a transcript.

    Raises:
        ValueError: they have no time and are fewer: they say why there is no transcript.
    """
    spoken = " ".join(cue.text for cue in said)
    # Where no spaces part them, ten signs stand for a word.
    if said[0].start is None and max(len(spoken.split()), len(spoken) // 10) < fewest:
        raise ValueError(f"a few words in place of a transcript: {spoken[:80]}")
    return spoken
