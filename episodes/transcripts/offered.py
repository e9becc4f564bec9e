"""What feeds offer beside the audio of an episode, by kind: `EntryData.extras`, which is stored as
rows, as values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import TypeVar

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


Offered = TypeVar("Offered", OfferedTranscript, OfferedChapters, OfferedChapter)
_NAMES = {OfferedTranscript: TRANSCRIPT, OfferedChapters: CHAPTERS, OfferedChapter: CHAPTER}


def offered(rows: Rows, kind: type[Offered]) -> list[Offered]:
    """The values of the rows of one kind, such as ("chapters", address, type)."""
    most = len(fields(kind))
    return [
        kind(*rest[:most]) for name, *rest in filter(None, rows) if name == _NAMES[kind] and rest
    ]
