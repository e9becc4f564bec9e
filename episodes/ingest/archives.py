"""Opens what transcripts come in: a folder, a zip file, or single files. Nothing is unpacked to
disk, and no more is read than a transcript can have."""

from __future__ import annotations

import os
import re
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import IO, TypeVar
from zipfile import BadZipFile, ZipFile, ZipInfo

from ..records import DocumentRejected
from ..transcripts import AUDIO_ENDING, MOST_BYTES, TYPES, ending_of
from .shapes import Unknown, printable

ENOUGH = MOST_BYTES + 1  # bytes: they tell that a file is too large
MOST_UNPACKED = 4_000_000_000  # bytes of an archive, which are stored in one transaction
LONGEST_PATH = 480  # bytes: what the key of an entry can have
LINK = "not a file, or a link to one"
# How files are called that come with transcripts.
OTHERS = ("readme", "license", "changelog", "contributing", "")
HIDDEN = re.compile(r"(?:\A|/)(?:\.[^./]|__MACOSX/)")
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
    or why it is not read; `is_one`: it should be a transcript."""

    path: str
    body: bytes = b""
    trouble: str = ""
    is_one: bool = True


def files_at(name: str) -> Iterator[BroughtFile]:
    """The files of a folder and of the folders in it, of a zip file, or one file, in the order of
    their names; without those that are only beside transcripts.

    Raises:
        Unknown: nothing is there, or it cannot be opened.
        DocumentRejected: it is an archive that must not be opened.
    """
    path = Path(name)
    try:
        if path.is_dir():
            path = path.resolve()  # so that `.` has a name, too
            paths = {
                Path(at, one): Path(at, one).relative_to(path).as_posix()
                for at, _, names in os.walk(path)
                for one in names
            }
            return (on_disk(one, f"{path.name}/{paths[one]}") for one in meant(paths))
        return uploaded([path.resolve(strict=True).open("rb")])
    except (OSError, ValueError):  # nothing there, a name too long, or no right to read it
        raise Unknown(
            f"{printable(name)[:200]!r} is not a folder or file that can be read"
        ) from None


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
                yield taken(name, trouble_with(name), partial(file.read, ENOUGH))


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
    paths = {one: one.filename.replace("\\", "/") for one in opened.infolist() if not one.is_dir()}
    members = meant(paths)
    if sum(one.file_size for one in members) > MOST_UNPACKED:
        most = f"{MOST_UNPACKED // 1_000_000_000} GB"
        raise DocumentRejected(f"{name} unpacks to more than {most}; bring its parts one by one")
    own = f"{name.rpartition('.')[0]}/"
    top = "" if all(paths[one].startswith(own) for one in members) else own
    return (in_archive(opened, one, top + paths[one]) for one in members)


def on_disk(path: Path, name: str) -> BroughtFile:
    trouble = "" if path.is_file() and not path.is_symlink() else LINK
    return taken(name, trouble or trouble_with(name), partial(start_of, path))


def start_of(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(ENOUGH)


def in_archive(opened: ZipFile, member: ZipInfo, name: str) -> BroughtFile:
    is_link = stat.S_ISLNK(member.external_attr >> 16)
    trouble = LINK if is_link else trouble_with(name)
    return taken(name, trouble, lambda: opened.open(member).read(ENOUGH))


def taken(name: str, trouble: str, read: Callable[[], bytes]) -> BroughtFile:
    """A file that is read where nothing is wrong with it."""
    path = "".join(sign if sign.isprintable() else "?" for sign in name)[:LONGEST_PATH]
    if trouble:
        return BroughtFile(path, trouble=trouble, is_one=trouble not in NO_TRANSCRIPT)
    try:
        return BroughtFile(path, read())
    except UNREADABLE as error:
        return BroughtFile(path, trouble=f"cannot be read: {error}")


FORMATS = f"none of the formats that are read ({', '.join(TYPES)})"
NAMED_OTHERWISE = "a file of this name is no transcript"
NO_TRANSCRIPT = (FORMATS, NAMED_OTHERWISE)


def meant(paths: Mapping[One, str]) -> list[One]:
    """Files in the order of their paths, without audio, hidden files and those that macOS makes:
    nobody takes them for transcripts."""
    ordered = sorted(paths.items(), key=itemgetter(1))
    return [one for one, path in ordered if not (AUDIO_ENDING.search(path) or HIDDEN.search(path))]


def trouble_with(name: str) -> str:
    """The reason not to read a file, by its name; "" where there is none."""
    if ending_of(name) not in TYPES:
        return FORMATS
    if name.rpartition("/")[2].partition(".")[0].lower() in OTHERS:
        return NAMED_OTHERWISE
    is_long = len(name.encode("utf-8", "replace")) > LONGEST_PATH
    return f"its path has more than {LONGEST_PATH} bytes" if is_long else ""
