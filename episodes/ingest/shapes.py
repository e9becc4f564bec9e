"""The values that pass between the steps of an import: target, options, document, report."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings

from ..models import Document, Source
from ..records import DocumentRejected, FetchedDocument
from ..text.urls import split
from .readings import Rhythm

TROUBLES = {
    "refused": "refused",
    "failed": "failed",
    "unclear": "refused",
    "stopped": "not imported",
}
EXIT_CODES = {"taken": 0, "unchanged": 0, "refused": 1, "failed": 1, "unclear": 2, "stopped": 3}
Watch = Callable[[str], None]  # told what is being done
LONGEST_ADDRESS = 1_000  # bytes: what a database can index


def unwatched(message: str) -> None:
    """For whoever wants to hear nothing."""


class Unknown(Exception):
    """Something that was named does not exist, or the options contradict each other (exit code 2)."""


class Unclear(DocumentRejected):
    """A file that claims to be a known show's, and nobody says whose it is: wrong usage, so nothing
    is kept (exit code 2)."""

    outcome = "unclear"


@dataclass(frozen=True, slots=True)
class Target:
    """One document to take: of a configured source, at an address, or in a file."""

    name: str
    source: Source | None = None
    address: str = ""
    path: Path | None = None
    document: Document | None = None  # a stored document to read again
    token: str = ""  # of the worker's reading (readings.plan)


@dataclass(frozen=True, slots=True)
class Options:
    url: str = ""
    source: str = ""
    podcast: str = ""
    offline: bool = False
    accept: bool = False
    all_pages: bool = False  # read the older pages of a feed that is known, too
    new: bool = False  # a feed is a new show's, whatever it says
    moved: str = ""  # the slug of the show whose feed moved to where the document is
    files: bool = True  # fetch the transcripts and chapters that a live feed names
    seconds: float = 30.0  # for fetching a document
    images: bool = False  # fetch and keep the images that a live feed names
    now: bool = False  # ask even a server that wants to be left alone
    allow: frozenset[str] = frozenset()
    rhythm: Rhythm = field(default_factory=Rhythm)
    explain: bool = False  # say of each entry what became of it
    later: bool = False  # what follows in other episodes waits for its job


@dataclass(frozen=True, slots=True)
class Report:
    """The result of one document; `line` is the summary that a person reads, `note` what else there
    is to say."""

    source: str
    outcome: str  # one of EXIT_CODES
    reason: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    note: str = ""
    lines: tuple[str, ...] = ()  # of each entry what became of it
    acceptable: bool = False  # refused as implausible, which a person can overrule

    @property
    def ok(self) -> bool:
        return not self.exit_code

    @property
    def exit_code(self) -> int:
        """The exit code of an import of this document alone; 3 where the machine or the database
        failed."""
        return EXIT_CODES[self.outcome]

    @property
    def line(self) -> str:
        if not self.ok:
            return f"{self.source}: {TROUBLES[self.outcome]}: {self.reason}"
        c = self.counts
        return (
            f"{self.source}: {c['items']} items: {c['new']} new, {c['matched']} matched, {c['held']} held, "
            f"{c['ignored']} ignored; {c['unchanged']} unchanged since last time"
        )


@dataclass(frozen=True, slots=True)
class Loaded:
    """A target with its page; None where the server says that nothing changed."""

    target: Target
    page: FetchedDocument | None = None
    note: str = ""
    trouble: Exception | None = None


def largest() -> int:
    """The most bytes of a document, fetched or in a file."""
    return int(settings.DOCUMENT_MB) * 1_000_000


def is_web_address(address: str) -> bool:
    """True for a whole http(s) address that can be kept."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    # An address with half a character in it could not be stored, nor asked for again.
    short = len(address.encode("utf-8", "replace")) <= LONGEST_ADDRESS
    return (
        parts.scheme in ("http", "https") and bool(host) and short and address == printable(address)
    )


def same_address(address: str) -> str:
    """The part of an address that tells documents apart: http and https serve the same one, and
    hosts ignore case. A feed may call anything an address."""
    parts = split(address)
    return parts.place() if parts else address


def printable(text: str) -> str:
    """`text` without what no database and no terminal takes."""
    return text.encode("utf-8", "replace").decode("utf-8")
