"""What feeds offer beside the audio of an episode: which transcript to read, and where its chapters
come from; pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from ..records import ResolvedEpisode
from ..text.timecodes import LONGEST as MOST_SECONDS
from .chapters import ParsedChapter, from_json, from_notes, from_psc
from .formats import best, cues, paragraphs
from .offered import CHAPTERS, OfferedChapter, OfferedChapters, OfferedTranscript, Rows, offered

AFTER_THE_END = 60  # seconds
# Fewer, without any time, are no transcript but what a server says in place of one.
FEW_WORDS = 40


@dataclass(frozen=True, slots=True)
class Offer:
    """The addresses an episode's feeds name: its transcripts, the best first, and its chapters;
    each with its type."""

    transcripts: tuple[tuple[str, str], ...] = ()
    chapters: tuple[tuple[str, str], ...] = ()


def offer(rows: Rows, language: str = "") -> Offer:
    """Files that `EntryData.extras` offers, transcripts in the show's language first."""
    every = list(rows)
    transcripts = best(offered(every, OfferedTranscript), language)
    return Offer(_addresses(transcripts), _addresses(offered(every, OfferedChapters)))


def _addresses(
    files: Iterable[OfferedTranscript | OfferedChapters],
) -> tuple[tuple[str, str], ...]:
    return tuple((one.address, one.content_type) for one in files)


def extras_of(episode: ResolvedEpisode) -> Rows:
    """All that the feeds of an episode offer, each once, the best-ranked source first."""
    return dict.fromkeys(chain.from_iterable(entry.said.extras for entry in episode.trusted))


def offered_by(episode: ResolvedEpisode, language: str = "") -> Offer:
    """Files that are offered beside an episode, and behind them what was named before in their
    place.

    The former file counts until the new one has been read; without a new one it is withdrawn.
    """
    now = offer(extras_of(episode), language)
    before = offer(chain.from_iterable(entry.before for entry in episode.trusted), language)
    return Offer(
        now.transcripts and tuple(dict.fromkeys(now.transcripts + before.transcripts)),
        now.chapters and tuple(dict.fromkeys(now.chapters + before.chapters)),
    )


def read_transcript(body: bytes, content_type: str, address: str) -> list[list[object]]:
    """A transcript as paragraphs: [start in seconds or None, speaker, text].

    Raises:
        ValueError: it cannot be read, or says nothing.
    """
    return [
        [cue.start, cue.speaker, cue.text] for cue in paragraphs(cues(body, content_type, address))
    ]


def read_chapters(files: Sequence[bytes], episode: ResolvedEpisode) -> tuple[ParsedChapter, ...]:
    """The chapters of the first of these files that has some, else of the feed, else of the notes.

    One that begins well after the end is none: what was put into the audio or cut from it moves the
    last a little.
    """
    merged, length = episode.merged, episode.merged.length
    end = length.low + AFTER_THE_END if length and length.exact else MOST_SECONDS
    listed = from_psc(offered(extras_of(episode), OfferedChapter))
    for chapters in (*map(_listed_in, files), listed):
        if within := tuple(chapter for chapter in chapters if chapter.start < end):
            return within
    return from_notes(merged.text, end)


def _listed_in(file: bytes) -> tuple[ParsedChapter, ...]:
    try:
        return from_json(file)
    except ValueError:
        return ()


def check_file(role: str, body: bytes, declared: str, content_type: str, address: str) -> None:
    """Check that a file is what the feed calls it: a transcript of its declared type, or chapters.

    Raises:
        ValueError: it is not; the message says why.
    """
    if role == CHAPTERS:
        from_json(body)
        return
    said = cues(body, declared or content_type, address)
    words = " ".join(cue.text for cue in said)
    if said[0].start is None and len(words.split()) < FEW_WORDS:
        raise ValueError(f"a few words in place of a transcript: {words[:80]}")
