"""What feeds offer beside the audio of an episode: which transcript to read, and where its chapters come from; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..records import ResolvedEpisode
from ..text.vocabulary import Phrases
from .chapters import ParsedChapter, from_json, from_notes, from_psc
from .formats import best, cues, paragraphs
from .offered import CHAPTERS, OfferedChapter, OfferedChapters, OfferedTranscript, Rows, offered

AFTER_THE_END = 60  # seconds
# What a server says in place of a text, in few words.
FEW_WORDS = 40
EXCUSE = Phrases(
    [
        "error/errors/denied/forbidden/unauthorized/unauthorised/unavailable/expired/oops/login/timeout", "not found",
        "too many requests", "bad gateway", "timed out", "log/sign in", "try again", "no longer", "does not exist", "is gone",
        "400/401/403/404/405/406/408/410/418/421/423/425/428/429/451/500/501/502/503/504/508/511",
    ]
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Offer:
    """The addresses an episode's feeds name: its transcripts, the best first, and its chapters; each with its type."""

    transcripts: tuple[tuple[str, str], ...] = ()
    chapters: tuple[tuple[str, str], ...] = ()


def offer(rows: Rows, language: str = "") -> Offer:
    """Files that `EntryData.extras` offers, transcripts in the show's language first."""
    found = offered(rows)
    transcripts = best([one for one in found if isinstance(one, OfferedTranscript)], language)
    return Offer(
        tuple((one.address, one.content_type) for one in transcripts),
        tuple((one.address, one.content_type) for one in found if isinstance(one, OfferedChapters)),
    )


def extras_of(episode: ResolvedEpisode) -> tuple[tuple[str, ...], ...]:
    """All that the feeds of an episode offer, each once, the best-ranked source first."""
    return tuple(dict.fromkeys(extra for entry in episode.trusted for extra in entry.said.extras))


def offered_by(episode: ResolvedEpisode, language: str = "") -> Offer:
    """What is offered beside an episode; behind what a feed names now what it named before in its place, which counts
    until the new file has been read. What a feed names no more at all is withdrawn."""
    now = offer(extras_of(episode), language)
    before = offer(dict.fromkeys(extra for entry in episode.trusted for extra in entry.before), language)
    return Offer(
        (*now.transcripts, *(one for one in before.transcripts if now.transcripts and one not in now.transcripts)),
        (*now.chapters, *(one for one in before.chapters if now.chapters and one not in now.chapters)),
    )


def read_transcript(body: bytes, content_type: str, address: str) -> list[list[object]]:
    """A transcript as paragraphs: [start in seconds or None, speaker, text].

    Raises:
        ValueError: it cannot be read, or says nothing.
    """
    found: list[list[object]] = [
        [cue.start, cue.speaker, cue.text] for cue in paragraphs(cues(body, content_type, address))
    ]
    if not found:
        raise ValueError("nothing is said in it")
    return found


def read_chapters(files: Sequence[bytes], episode: ResolvedEpisode) -> tuple[ParsedChapter, ...]:
    """The chapters of an episode: of the first of these files that has some, else of the feed, else of its notes. One
    that begins well after the end is none: what was put into the audio or cut from it moves the last a little."""
    merged = episode.merged
    length = merged.length.low if merged.length and merged.length.exact else None

    def within(found: tuple[ParsedChapter, ...]) -> tuple[ParsedChapter, ...]:
        return tuple(chapter for chapter in found if length is None or chapter.start < length + AFTER_THE_END)

    for body in files:
        try:
            found = within(from_json(body))
        except ValueError:
            continue
        if found:
            return found
    in_feed = [one for one in offered(extras_of(episode)) if isinstance(one, OfferedChapter)]
    return within(from_psc(in_feed)) or from_notes(merged.text, length)


def check_file(role: str, body: bytes, declared: str, content_type: str, address: str) -> None:
    """True if a file is what the feed calls it: a transcript of the type it declares, or chapters.

    Raises:
        ValueError: it is not; the message says why.
    """
    if role == CHAPTERS:
        from_json(body)
        return
    said = read_transcript(body, declared or content_type, address)
    text = " ".join(str(words) for _, _, words in said)
    if len(text.split()) < FEW_WORDS and all(start is None for start, *_ in said) and EXCUSE.search(text):
        raise ValueError(f"the server's words in place of it: {text[:80]}")
