"""What feeds offer beside the audio of an episode, by kind: `EntryData.extras`, which is stored as
rows, as values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import TypeVar

TRANSCRIPT, CHAPTERS, CHAPTER = "transcript", "chapters", "chapter"
# Of a transcript that somebody brings: another name that it has, its file's without endings, and a
# title of which no word is said.
NAME, FILE, UNSAID = "name", "file", "unsaid"
MACHINE_MADE = "machine-made"  # in the place of `rel`
Rows = Iterable[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class OfferedTranscript:
    """A transcript that a feed names, or that somebody brings: its address and what is said of it
    ("" where nothing); the rank of the source that offers it."""

    address: str
    content_type: str = ""
    language: str = ""
    rel: str = ""
    rank: int = field(default=0, kw_only=True)

    @property
    def is_machine_made(self) -> bool:
        return self.rel == MACHINE_MADE


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
    most = sum(not own.kw_only for own in fields(kind))
    return [
        kind(*rest[:most]) for name, *rest in filter(None, rows) if name == _NAMES[kind] and rest
    ]
