"""The files of a folder or zip file that may be transcripts. Nothing is unpacked to disk, and no more is
read of a file than a transcript can have."""

import re
import stat
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property, partial
from io import BytesIO
from operator import itemgetter
from pathlib import Path
from typing import IO, Any, TypeAlias, TypeVar
from zipfile import BadZipFile, ZipFile

from ..gather import within_limits
from ..records import DocumentRejected, EntryData
from ..text.normalize import TURNING
from ..transcripts import AUDIO_ENDING, MOST_BYTES, TYPES, ending_of, parse_transcript
from .load_document import Unknown, printable

ENOUGH = MOST_BYTES + 1  # bytes: they tell that a file is too large
MOST_UNPACKED = 4_000_000_000  # bytes of an archive, which are stored in one transaction
LONGEST_PATH = 480  # characters: what the key of an entry can have
# Hidden files, those that macOS makes, and those that are beside transcripts.
BESIDE = re.compile(
    r"(?:\A|/)(?:\.[^./]|__MACOSX/|(?:readme|license|changelog|contributing)\.[^/]*\Z)", re.I
)
UNPRINTABLE = re.compile(rf"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff{TURNING}]")
FORMATS = f"none of the formats that are read ({', '.join(TYPES)})"
UNREADABLE = (
    BadZipFile,
    NotImplementedError,
    RuntimeError,
    OSError,
    EOFError,
    ValueError,
    zlib.error,
)
Place = TypeVar("Place")
Opener: TypeAlias = Callable[[], AbstractContextManager[Any]]


@dataclass(frozen=True, slots=True)
class TranscriptFile:
    """A file by its path, which begins with the folder or archive that it came in; `opens` opens it.
    `trouble` says why it is not read."""

    path: str
    opens: Opener = BytesIO
    trouble: str = ""


def files_at(name: str) -> list[TranscriptFile]:
    """Return the files of a folder and of the folders in it, of a zip file, or one file, in the order
    of their names; without links, and without those that are only beside transcripts.

    Raises:
        Unknown: nothing is there, or it cannot be opened.
        DocumentRejected: it is an archive that must not be opened.
    """
    # An empty name, as of a variable that is not set, would be the folder where we are.
    path = Path(name or "\0")
    try:
        if path.is_file():
            path = path.resolve(strict=True)
            path.open("rb").close()
            return _files_of(path.name, path, partial(path.open, "rb"))
        folder = path.resolve(strict=True)  # so that `.` has a name, too
        next(folder.iterdir(), None)  # an error for a pipe or a device: they are not read
        paths = {
            one: one.relative_to(folder.parent).as_posix()
            for one in folder.rglob("*")
            if one.is_file() and not one.is_symlink()
        }
    except (OSError, ValueError):  # nothing there, a name too long, or no right to read it
        raise Unknown(
            f"{printable(name)[:200]!r} is not a folder or file that can be read"
        ) from None
    return [
        transcript_file(shown, partial(one.open, "rb")) for one, shown in only_transcripts(paths)
    ]


def uploaded_files(file: IO[bytes]) -> list[TranscriptFile]:
    """Return a file that was opened, or the files of a zip file.

    Raises:
        DocumentRejected: it is an archive that must not be opened.
    """
    name = file.name.rpartition("/")[2]
    return _files_of(name, file, partial(nullcontext, file))


def _files_of(name: str, file: Path | IO[bytes], opens: Opener) -> list[TranscriptFile]:
    """Return a file, or the files of a zip file, below its name as below that of a folder. An archive
    that was made of the folder of its name is like that folder."""
    if ending_of(name) != "zip":
        return [transcript_file(name, opens)]
    archive = Archive(name, file)
    paths = within_limits(archive.members)
    return [transcript_file(shown, partial(archive.open, index)) for index, shown in paths]


class Archive:
    """A zip file. It is opened where it is parsed, and never written to disk."""

    def __init__(self, name: str, file: Path | IO[bytes]) -> None:
        self.name, self._file = name, file

    @cached_property
    def _zip(self) -> ZipFile:
        return ZipFile(self._file)

    def members(self) -> list[tuple[int, str]]:
        """Return the indexes and paths of the files that may be transcripts.

        Raises:
            DocumentRejected: it cannot be read, or is too large.
        """
        try:
            infos = self._zip.infolist()
        except UNREADABLE as error:
            raise DocumentRejected(
                f"{self.name} is not a zip file that can be read: {error}"
            ) from None
        folder = f"{self.name.rpartition('.')[0]}/"
        paths = {}
        for index, info in enumerate(infos):
            if not (info.is_dir() or stat.S_ISLNK(info.external_attr >> 16)):
                paths[index] = folder + info.filename.replace("\\", "/").removeprefix(folder)
        members = only_transcripts(paths)
        # The sizes that the archive declares; no more is read of any file than is allowed.
        if sum(infos[index].file_size for index, _ in members) > MOST_UNPACKED:
            most = f"{MOST_UNPACKED // 1_000_000_000} GB"
            raise DocumentRejected(
                f"{self.name} unpacks to more than {most}; bring its parts one by one"
            )
        return members

    def open(self, index: int) -> IO[bytes]:
        return self._zip.open(self._zip.infolist()[index])


def transcript_file(name: str, opens: Opener) -> TranscriptFile:
    path = UNPRINTABLE.sub("?", name)
    if ending_of(name) not in TYPES:
        return TranscriptFile(path[:LONGEST_PATH], trouble=FORMATS)
    if len(path) > LONGEST_PATH:
        trouble = f"its path is longer than {LONGEST_PATH} characters"
        return TranscriptFile(path[:LONGEST_PATH], trouble=trouble)
    return TranscriptFile(path, opens)


def parse_file(
    files: Sequence[TranscriptFile], machine_made: bool, index: int
) -> tuple[bytes, EntryData]:
    """Return the bytes of a file and the entry that its words make.

    Raises:
        DocumentRejected: it cannot be read.
    """
    file = files[index]
    # One that is damaged says so, and the others are brought.
    try:
        with file.opens() as opened:
            body = opened.read(ENOUGH)
    except UNREADABLE as error:
        raise DocumentRejected(f"cannot be read: {error}") from None
    try:
        return body, parse_transcript(file.path, body, machine_made=machine_made)
    except ValueError as reason:
        raise DocumentRejected(str(reason)) from None


def only_transcripts(paths: Mapping[Place, str]) -> list[tuple[Place, str]]:
    """Files in the order of their paths, without audio and without those that nobody takes for
    transcripts."""
    ordered = sorted(paths.items(), key=itemgetter(1))
    return [
        (one, path)
        for one, path in ordered
        if not (AUDIO_ENDING.search(path) or BESIDE.search(path))
    ]
