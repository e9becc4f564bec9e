"""Files and chapters that feeds offer beside the audio of an episode, by kind: `EntryData.extras`,
which is stored as rows, as values."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeVar

TRANSCRIPT, CHAPTERS, CHAPTER = "transcript", "chapters", "chapter"
# Of a transcript that somebody brings: another name that it has, its file's without endings, a
# title of which no word is said, and its first words.
NAME, FILE, UNSAID, WORDS = "name", "file", "unsaid", "words"
MACHINE_MADE = "machine-made"  # in the place of `rel`
Rows = Iterable[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class OfferedTranscript:
    """A transcript that a feed names, or that somebody brings: its address and what is said of it
    ("" where nothing); whether it is of another audio than what is heard, and the rank of the
    source that offers it."""

    address: str
    content_type: str = ""
    language: str = ""
    rel: str = ""
    rank: tuple[bool, int] = field(default=(False, 0), kw_only=True)

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
