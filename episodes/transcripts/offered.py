"""What feeds offer beside the audio of an episode, by kind: `EntryData.extras`, which is stored as
rows, as values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

TRANSCRIPT, CHAPTERS, CHAPTER = "transcript", "chapters", "chapter"
Rows = Iterable[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class OfferedTranscript:
    """A transcript that a feed names: its address and what the feed says of it ("" where
    nothing)."""

    address: str
    content_type: str = ""
    language: str = ""
    rel: str = ""


@dataclass(frozen=True, slots=True)
class OfferedChapters:
    """A file of chapters that a feed names, and its type."""

    address: str
    content_type: str = ""


@dataclass(frozen=True, slots=True)
class OfferedChapter:
    """A chapter that stands in the feed itself."""

    start: str
    title: str = ""
    address: str = ""
    image: str = ""


Offered = OfferedTranscript | OfferedChapters | OfferedChapter
_KINDS: dict[str, tuple[type[Offered], int]] = {
    TRANSCRIPT: (OfferedTranscript, 4),
    CHAPTERS: (OfferedChapters, 2),
    CHAPTER: (OfferedChapter, 4),
}


def offered(rows: Rows) -> list[Offered]:
    """The values of rows such as ("chapters", address, type); what is of no kind known is left
    out."""
    known = ((_KINDS[kind], rest) for kind, *rest in filter(None, rows) if kind in _KINDS and rest)
    return [of_kind(*rest[:most]) for (of_kind, most), rest in known]
