"""What feeds offer beside the audio of an episode: which transcript to read, and where its chapters come from; pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..records import ResolvedEpisode
from .chapters import Chapter, from_json, from_notes, from_psc
from .transcripts import best, cues, paragraphs


@dataclass(frozen=True, slots=True)
class Offer:
    """The addresses an episode's feeds name: its transcripts, the best first, and its chapters; each with its type."""

    transcripts: tuple[tuple[str, str], ...] = ()
    chapters: tuple[tuple[str, str], ...] = ()


def offer(extras: Iterable[tuple[str, ...]], language: str = "") -> Offer:
    """What `Said.extras` offers, transcripts in the show's language first."""
    rows = list(extras)
    return Offer(
        tuple((t.address, t.content_type) for t in best(rows, language)),
        tuple((row[1], row[2] if len(row) > 2 else "") for row in rows if row[0] == "chapters"),
    )


def extras_of(episode: ResolvedEpisode) -> tuple[tuple[str, ...], ...]:
    """All that the feeds of an episode offer, each once, the best-ranked source first."""
    return tuple(dict.fromkeys(extra for entry in episode.entries for extra in entry.said.extras))


def transcript(body: bytes, content_type: str, address: str) -> list[list[object]]:
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


def chapters(files: Sequence[bytes], episode: ResolvedEpisode) -> tuple[Chapter, ...]:
    """The chapters of an episode: of the first of these files that has some, else of the feed, else of its notes."""
    for body in files:
        try:
            found = from_json(body)
        except ValueError:
            continue
        if found:
            return found
    merged = episode.merged
    return from_psc(extras_of(episode)) or from_notes(merged.text, merged.seconds if merged.seconds_exact else None)
