"""Opens what transcripts come in: a folder, a zip file, or single files. Nothing is unpacked to
disk, and no more is read than a transcript can have."""

from __future__ import annotations

import re
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import IO, Any, TypeVar
from zipfile import BadZipFile, ZipFile

from ..records import DocumentRejected
from ..transcripts import AUDIO_ENDING, MOST_BYTES, TYPES, ending_of
from .shapes import Unknown, printable

ENOUGH = MOST_BYTES + 1  # bytes: they tell that a file is too large
MOST_UNPACKED = 4_000_000_000  # bytes of an archive, which are stored in one transaction
LONGEST_PATH = 480  # characters: what the key of an entry can have
# Hidden files, those that macOS makes, and those that are beside transcripts.
BESIDE = re.compile(
    r"(?:\A|/)(?:\.[^./]|__MACOSX/|(?:readme|license|changelog|contributing)\.[^/]*\Z)", re.I
)
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
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
One = TypeVar("One")


@dataclass(frozen=True, slots=True)
class BroughtFile:
    """A file by its path, which begins with the folder or archive that it came in, and its bytes,
    or why it is not read."""

    path: str
    body: bytes = b""
    trouble: str = ""

    @property
    def is_one(self) -> bool:
        """True for a file that should be a transcript."""
        return self.trouble != FORMATS


def files_at(name: str) -> Iterator[BroughtFile]:
    """The files of a folder and of the folders in it, of a zip file, or one file, in the order of
    their names; without links, and without those that are only beside transcripts.

    Raises:
        Unknown: nothing is there, or it cannot be opened.
        DocumentRejected: it is an archive that must not be opened.
    """
    path = Path(name)
    try:
        if not path.is_dir():
            return uploaded([path.resolve(strict=True).open("rb")])
        folder = path.resolve()  # so that `.` has a name, too
        paths = {
            one: one.relative_to(folder.parent).as_posix()
            for one in folder.rglob("*")
            if one.is_file() and not one.is_symlink()
        }
    except (OSError, ValueError):  # nothing there, a name too long, or no right to read it
        raise Unknown(
            f"{printable(name)[:200]!r} is not a folder or file that can be read"
        ) from None
    return (read_file(shown, partial(one.open, "rb")) for one, shown in meant(paths))


def uploaded(files: Iterable[IO[bytes]]) -> Iterator[BroughtFile]:
    """The files that were opened, and those of the zip files among them.

    Raises:
        DocumentRejected: one is an archive that must not be opened.
    """
    for file in files:
        name = file.name.rpartition("/")[2]
        with file:
            if ending_of(name) == "zip":
                yield from files_in(file, name)
            else:
                yield read_file(name, partial(nullcontext, file))


def files_in(archive: IO[bytes], name: str) -> Iterator[BroughtFile]:
    """The files of a zip file, below its name as below that of a folder; one that was made of the
    folder of its name is like that folder.

    Raises:
        DocumentRejected: it is none, or too large.
    """
    try:
        opened = ZipFile(archive)
    except UNREADABLE as error:
        raise DocumentRejected(f"{name} is not a zip file that can be read: {error}") from None
    folder = f"{name.rpartition('.')[0]}/"
    paths = {
        one: folder + one.filename.replace("\\", "/").removeprefix(folder)
        for one in opened.infolist()
        if not (one.is_dir() or stat.S_ISLNK(one.external_attr >> 16))
    }
    members = meant(paths)
    if sum(one.file_size for one, _ in members) > MOST_UNPACKED:
        most = f"{MOST_UNPACKED // 1_000_000_000} GB"
        raise DocumentRejected(f"{name} unpacks to more than {most}; bring its parts one by one")
    return (read_file(shown, partial(opened.open, one)) for one, shown in members)


def read_file(name: str, opens: Callable[[], AbstractContextManager[Any]]) -> BroughtFile:
    path = UNPRINTABLE.sub("?", name)[:LONGEST_PATH]
    if ending_of(name) not in TYPES:
        return BroughtFile(path, trouble=FORMATS)
    try:
        with opens() as file:
            return BroughtFile(path, file.read(ENOUGH))
    except UNREADABLE as error:
        return BroughtFile(path, trouble=f"cannot be read: {error}")


def meant(paths: Mapping[One, str]) -> list[tuple[One, str]]:
    """Files in the order of their paths, without audio and without those that nobody takes for
    transcripts."""
    ordered = sorted(paths.items(), key=itemgetter(1))
    return [
        (one, path)
        for one, path in ordered
        if not (AUDIO_ENDING.search(path) or BESIDE.search(path))
    ]
