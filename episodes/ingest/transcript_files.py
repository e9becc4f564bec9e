"""Finds transcript files in a folder or zip file, and parses them. Nothing is unpacked to disk, and no
more than the maximum size of a transcript is read."""

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
from zipfile import BadZipFile, ZipFile, ZipInfo

from ..gather import within_limits
from ..records import DocumentRejected, EntryData
from ..text.normalize import DIRECTION_OVERRIDES
from ..transcripts import (
    AUDIO_ENDING,
    MAX_TRANSCRIPT_BYTES,
    TYPES_BY_EXTENSION,
    file_extension,
    parse_transcript_file_as_entry,
)
from .load_document import UsageError, replace_surrogates

# Bytes of a file: one more than allowed shows that it is too large.
MAX_READ = MAX_TRANSCRIPT_BYTES + 1
MAX_UNPACKED = 4_000_000_000  # bytes of the files of an archive
MAX_PATH = 480  # characters of the key of an entry
UNPRINTABLE = re.compile(rf"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff{DIRECTION_OVERRIDES}]")
FILE_FORMATS = f"none of the formats that are read ({', '.join(TYPES_BY_EXTENSION)})"
UNREADABLE = (
    BadZipFile,
    NotImplementedError,
    RuntimeError,
    OSError,
    EOFError,
    ValueError,
    zlib.error,
)
FileId = TypeVar("FileId")
Opener: TypeAlias = Callable[[], AbstractContextManager[Any]]


@dataclass(frozen=True, slots=True)
class TranscriptFile:
    """A file by its path, which begins with its folder or archive. `opens` opens it. `trouble` is the
    reason why it cannot be a transcript, or ""."""

    path: str
    opens: Opener = BytesIO
    trouble: str = ""


def find_transcript_files(folder_or_file: str) -> list[TranscriptFile]:
    """Return the files of a folder and its folders, the files of a zip file, or one file, in the order
    of their names. Links, hidden files and documentation are left out.

    Raises:
        UsageError: the path does not exist, or cannot be opened.
        DocumentRejected: the archive is broken or too large.
    """
    # An empty name, as of an unset variable, would be the current folder. "\0" is no path.
    path = Path(folder_or_file or "\0")
    try:
        if path.is_file():
            single_file = path.resolve(strict=True)
            # Without the right to read it, this raises an error now, not in the middle of the import.
            single_file.open("rb").close()
            return _transcript_files_of_file_or_archive(single_file.name, single_file)
        paths = _display_path_by_file(path)
    except (OSError, ValueError):  # no such path, a name too long, or no right to read it
        raise UsageError(
            f"{replace_surrogates(folder_or_file)[:200]!r} is not a folder or file that can be read"
        ) from None
    return [
        build_transcript_file_or_trouble(relative_path, partial(file.open, "rb"))
        for file, relative_path in select_transcript_files_and_paths(paths)
    ]


def _display_path_by_file(path: Path) -> dict[Path, str]:
    folder = path.resolve(strict=True)  # so that `.` has a name, too
    next(folder.iterdir(), None)  # raises an error for a pipe or a device
    paths = {}
    for file in folder.rglob("*"):
        if file.is_file() and not file.is_symlink():
            paths[file] = file.relative_to(folder.parent).as_posix()
    return paths


def files_of_upload(file: IO[bytes]) -> list[TranscriptFile]:
    """Return the uploaded file, or the files in an uploaded zip file. Nothing is parsed yet.

    Raises:
        DocumentRejected: the archive is broken or too large.
    """
    name = file.name.rpartition("/")[2]
    return _transcript_files_of_file_or_archive(name, file)


def _transcript_files_of_file_or_archive(name: str, file: Path | IO[bytes]) -> list[TranscriptFile]:
    if file_extension(name) != "zip":
        # An upload is open already, and stays so.
        open_file = (
            partial(file.open, "rb") if isinstance(file, Path) else partial(nullcontext, file)
        )
        return [build_transcript_file_or_trouble(name, open_file)]
    archive = Archive(name, file)
    indexed_paths = within_limits(archive.list_transcript_indexes_and_paths)
    return [
        build_transcript_file_or_trouble(path, partial(archive.open, index))
        for index, path in indexed_paths
    ]


class Archive:
    """A zip file. It is opened in the process that parses it, and never unpacked to disk."""

    def __init__(self, name: str, file: Path | IO[bytes]) -> None:
        self.name = name
        self._file = file

    @cached_property
    def _zip(self) -> ZipFile:
        return ZipFile(self._file)

    def list_transcript_indexes_and_paths(self) -> list[tuple[int, str]]:
        """Return pairs of index and path of the files that may be transcripts, in the order of their paths.

        Raises:
            DocumentRejected: the archive is broken, or too large.
        """
        try:
            infos = self._zip.infolist()
        except UNREADABLE as error:
            raise DocumentRejected(
                f"{self.name} is not a zip file that can be read: {error}"
            ) from None
        members = select_transcript_files_and_paths(self._display_path_by_member_index(infos))
        # All files are stored in one transaction. These are the sizes that the archive declares.
        unpacked_bytes = sum(infos[index].file_size for index, _ in members)
        if unpacked_bytes > MAX_UNPACKED:
            gigabytes = MAX_UNPACKED // 1_000_000_000
            raise DocumentRejected(
                f"{self.name} unpacks to more than {gigabytes} GB; bring its parts one by one"
            )
        return members

    def _display_path_by_member_index(self, infos: Sequence[ZipInfo]) -> dict[int, str]:
        folder = f"{self.name.rpartition('.')[0]}/"  # "springs.zip" has the files of "springs/"
        path_by_index = {}
        for index, info in enumerate(infos):
            # The upper half of the attributes is the Unix mode of the file.
            is_link = stat.S_ISLNK(info.external_attr >> 16)
            if not (info.is_dir() or is_link):
                member_path = info.filename.replace("\\", "/")  # as packed on Windows
                # An archive may have its folder in it ("springs/12.vtt"), or its files alone ("12.vtt").
                path_by_index[index] = folder + member_path.removeprefix(folder)
        return path_by_index

    def open(self, index: int) -> IO[bytes]:
        return self._zip.open(self._zip.infolist()[index])


def build_transcript_file_or_trouble(name: str, open_file: Opener) -> TranscriptFile:
    path = UNPRINTABLE.sub("?", name)
    if file_extension(name) not in TYPES_BY_EXTENSION:
        return TranscriptFile(path[:MAX_PATH], trouble=FILE_FORMATS)
    if len(path) > MAX_PATH:
        trouble = f"its path is longer than {MAX_PATH} characters"
        return TranscriptFile(path[:MAX_PATH], trouble=trouble)
    return TranscriptFile(path, open_file)


def read_bytes_and_entry_of_file(
    files: Sequence[TranscriptFile], machine_made: bool, index: int
) -> tuple[bytes, EntryData]:
    """Return the bytes of the file at an index of `files`, and its entry.

    The process that parses has a copy of `files`, so only the index is sent to it.

    Raises:
        DocumentRejected: the file is no transcript.
    """
    file = files[index]
    if file.trouble:
        raise DocumentRejected(file.trouble)
    try:
        with file.opens() as opened:
            body = opened.read(MAX_READ)
    except UNREADABLE as error:
        raise DocumentRejected(f"cannot be read: {error}") from None
    try:
        return body, parse_transcript_file_as_entry(file.path, body, machine_made=machine_made)
    except ValueError as reason:
        raise DocumentRejected(str(reason)) from None


def select_transcript_files_and_paths(
    path_by_file: Mapping[FileId, str],
) -> list[tuple[FileId, str]]:
    """Return the pairs of file and path that may be transcripts, in the order of the paths.

    Audio, hidden files and documentation are left out.
    """
    transcripts = []
    for file, path in sorted(path_by_file.items(), key=itemgetter(1)):
        if _is_worth_reading(path):
            transcripts.append((file, path))
    return transcripts


def _is_worth_reading(path: str) -> bool:
    parts = path.split("/")
    # ".git" is hidden, ".." is not.
    is_hidden = any(part.startswith(".") and part.strip(".") for part in parts)
    stem, _, _ = parts[-1].lower().partition(".")
    is_documentation = stem in ("readme", "license", "changelog", "contributing")
    is_audio = AUDIO_ENDING.search(path)
    # macOS adds this folder, with attributes of files, to its zip files.
    is_macos_attribute = "__MACOSX" in parts
    return not (is_hidden or is_documentation or is_audio or is_macos_attribute)
