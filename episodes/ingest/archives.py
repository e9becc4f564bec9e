"""Opens what transcripts come in: a folder, a zip file, or single files. Nothing is unpacked to
disk, and no more is read than a transcript can have."""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from zipfile import BadZipFile, ZipFile, ZipInfo

from ..records import DocumentRejected
from ..transcripts import MOST_BYTES, TYPES, ending_of
from .shapes import Unknown, printable

MOST_FILES = 100_000  # of an archive
MOST_UNPACKED = 4_000_000_000  # bytes of an archive
TIGHTEST = 200  # to one: speech packs to a third, words with their times to a twentieth
LONGEST_PATH = 480  # bytes: what the key of an entry can have
ENCRYPTED = 0x1  # flag of a member
NO_TRANSCRIPTS = ("readme", "license", "changelog", "contributing")
TOO_LARGE = f"larger than {MOST_BYTES // 1_000_000} MB"


@dataclass(frozen=True, slots=True)
class BroughtFile:
    """A file by its path in the folder or archive that it came in, and its bytes, or why it is not
    read; `is_refused`: it should be a transcript."""

    path: str
    body: bytes = b""
    trouble: str = ""
    is_refused: bool = False


def files_at(name: str) -> Iterator[BroughtFile]:
    """The files of a folder and of the folders in it, of a zip file, or one file, in the order of
    their names.

    Raises:
        Unknown: nothing is there, or it cannot be opened.
        DocumentRejected: it is an archive that must not be opened.
    """
    path = Path(name)
    with suppress(OSError):  # a name too long, or a folder that may not be read
        if path.is_dir():
            found = (Path(at) / one for at, _, names in os.walk(path) for one in names)
            paths = sorted(found, key=lambda one: one.relative_to(path).as_posix())
            return (in_folder(one, one.relative_to(path).as_posix()) for one in paths)
        if path.is_file() and ending_of(path.name) == "zip":
            return files_in(path.open("rb"), path.name)
        if path.is_file():
            return iter([in_folder(path.resolve(), path.name)])
    raise Unknown(f"{printable(name)[:200]!r} is not a folder or a file that can be read")


def files_in(archive: IO[bytes], name: str) -> Iterator[BroughtFile]:
    """The files of a zip file, without the one folder that they all are in.

    Raises:
        DocumentRejected: it is none, or far too large.
    """
    try:
        opened = ZipFile(archive)
    except (BadZipFile, NotImplementedError, OSError, ValueError) as error:
        raise DocumentRejected(f"{name} is not a zip file that can be read: {error}") from None
    members = sorted((one for one in opened.infolist() if not one.is_dir()), key=_name)
    if len(members) > MOST_FILES:
        raise DocumentRejected(f"{name} holds more than {MOST_FILES:,} files")
    if sum(member.file_size for member in members) > MOST_UNPACKED:
        size = f"{MOST_UNPACKED // 1_000_000_000} GB"
        raise DocumentRejected(f"{name} unpacks to more than {size}: bring its parts one by one")
    tops = {_name(member).partition("/")[::2] for member in members}
    outer = {top for top, _ in tops}
    top = f"{outer.pop()}/" if len(outer) == 1 and all(rest for _, rest in tops) else ""
    return (in_archive(opened, member, _name(member).removeprefix(top)) for member in members)


def in_folder(path: Path, name: str) -> BroughtFile:
    try:
        if path.is_symlink():
            return BroughtFile(printable(name), trouble="a symbolic link")
        return _checked(name, path.stat().st_size) or uploaded(name, path.read_bytes())
    except OSError as error:
        return BroughtFile(
            printable(name), trouble=f"cannot be read: {error.strerror}", is_refused=True
        )


def in_archive(opened: ZipFile, member: ZipInfo, name: str) -> BroughtFile:
    trouble = ""
    if member.flag_bits & ENCRYPTED:
        trouble = "encrypted"
    elif name.startswith("/") or ".." in name.split("/"):
        trouble = "its path leads out of the archive"
    elif stat.S_ISLNK(member.external_attr >> 16):
        trouble = "a symbolic link"
    elif member.file_size > TIGHTEST * max(member.compress_size, 1):
        trouble = "packed more tightly than a transcript can be"
    if trouble:
        return BroughtFile(printable(name), trouble=trouble, is_refused=True)
    if found := _checked(name, member.file_size):
        return found
    try:
        with opened.open(member) as file:
            return uploaded(name, file.read(MOST_BYTES + 1))
    except (BadZipFile, NotImplementedError, OSError, EOFError, ValueError, zlib.error) as error:
        return BroughtFile(printable(name), trouble=f"cannot be unpacked: {error}", is_refused=True)


def uploaded(name: str, body: bytes) -> BroughtFile:
    """A file that is there as a whole."""
    return _checked(name, len(body)) or BroughtFile(printable(name), body)


def _checked(name: str, size: int) -> BroughtFile | None:
    """The file unread, where its name or size says that it is not to be read."""
    ending, stem = ending_of(name), name.rpartition("/")[2].partition(".")[0].lower()
    if ending not in TYPES or stem in NO_TRANSCRIPTS or not stem:
        what = "a zip file in another one; unpack it" if ending == "zip" else "not a transcript"
        return BroughtFile(printable(name), trouble=what)
    if size > MOST_BYTES:
        return BroughtFile(printable(name), trouble=TOO_LARGE, is_refused=True)
    if len(name.encode("utf-8", "replace")) > LONGEST_PATH:
        why = f"its path has more than {LONGEST_PATH} bytes"
        return BroughtFile(printable(name)[:LONGEST_PATH], trouble=why, is_refused=True)
    return None


def _name(member: ZipInfo) -> str:
    return member.filename.replace("\\", "/")
