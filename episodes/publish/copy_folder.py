"""The folder of a copy: it lists its own files, and changes no other."""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from typing import Any, TextIO

import fastjsonschema

from ..text.fingerprints import fingerprint

_FILE_LIST = ".published.json"
_NEW_FILE_LIST = ".published.new"
_UNFINISHED = ".published.begun"  # files of a run that has not ended. The run locks it


class FolderRefused(Exception):
    """A folder, or a file in it, that is not ours."""


@contextmanager
def open_copy_folder(path: Path) -> Iterator["CopyFolder"]:
    """Open the folder of a copy, and lock it for other runs. Create it if it does not exist.

    Raises:
        FolderRefused: it cannot be created, or has files and none of them is ours, or another run
            writes to it.
        OSError: it cannot be read or written.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FolderRefused(f"{path} cannot be made a folder: {error.strerror}.") from None
    # A folder for GitHub Pages may have these before.
    names = {file.name for file in path.iterdir()} - {".git", ".nojekyll", "CNAME"}
    is_ours_or_empty = not names or not names.isdisjoint((_FILE_LIST, _UNFINISHED))
    if not is_ours_or_empty:
        raise FolderRefused(f"{path} has files that publish did not write. Choose an empty folder.")
    # Line by line (`buffering=1`), because after a crash the list has to name every file that was begun.
    with (path / _UNFINISHED).open("a+", buffering=1) as unfinished_list:
        # Another run may also have ended, and deleted the list, after this one had opened it.
        if not _try_to_lock(unfinished_list) or _is_deleted(unfinished_list):
            raise FolderRefused(
                f"Another publish is writing to {path}. Run it again when that one has ended."
            )
        yield CopyFolder(path, unfinished_list)


def _try_to_lock(file: TextIO) -> bool:
    try:
        flock(file, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_deleted(file: TextIO) -> bool:
    link_count = os.fstat(file.fileno()).st_nlink
    return link_count == 0


class CopyFolder:
    """A folder with the files that earlier runs wrote: their paths with their fingerprints."""

    def __init__(self, path: Path, unfinished_list: TextIO) -> None:
        """Load the fingerprints of the files that earlier runs wrote.

        `unfinished_list` is the open list of files of a run that has not ended. Their fingerprint is "", so
        they are written again.
        """
        self.path = path
        self.unfinished_list = unfinished_list
        self.written = 0
        self.deleted = 0
        self.last_list = _load_state_of_last_run_or_empty(path / _FILE_LIST)
        self.files: dict[str, str] = dict(self.last_list.get("files", {}))
        # A file opened to append is at its end.
        unfinished_list.seek(0)
        for name in unfinished_list.read().splitlines():
            self.files[name] = ""

    def has_finished_file(self, file_name: str) -> bool:
        return bool(self.files.get(file_name)) and (self.path / file_name).exists()

    def write_if_changed(self, file_name: str, body: bytes) -> None:
        """Write a file if its bytes have changed.

        Raises:
            FolderRefused: another program put a file there, or a link that leads out of the folder.
        """
        path = self.path / file_name
        body_fingerprint = fingerprint(body)
        if self.files.get(file_name) == body_fingerprint and path.exists():
            return
        # A file with these very bytes may stay, whoever wrote it.
        is_foreign = file_name not in self.files and path.exists() and path.read_bytes() != body
        if is_foreign or not self._is_inside(path):
            raise FolderRefused(f"{path} is not ours: publish did not write it. Move it away.")
        # Listed before the file is written, so that after a crash the next run knows it as ours.
        self.unfinished_list.write(f"{file_name}\n")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
        self.files[file_name] = body_fingerprint
        self.written += 1

    def delete_other_files_and_save_list(
        self, current_names: Iterable[str], state: dict[str, Any]
    ) -> None:
        """Delete files that no longer belong to the copy, and write the list of its files with `state`."""
        for name in self.files.keys() - set(current_names):
            path = self.path / name
            # A person may have edited the list, and named a file outside.
            if self._is_inside(path) and path.is_file():
                path.unlink()
                self.deleted += 1
            del self.files[name]
        self._replace_file_list({**state, "files": self.files})
        # The run has ended, and lists no further files.
        (self.path / _UNFINISHED).unlink(missing_ok=True)

    def _replace_file_list(self, file_list: dict[str, Any]) -> None:
        text = json.dumps(file_list, ensure_ascii=False, separators=(",", ":"))
        # Renaming replaces the list at once: a crash leaves the old or the new one, never a half.
        new_list_path = self.path / _NEW_FILE_LIST
        new_list_path.write_text(text)
        new_list_path.replace(self.path / _FILE_LIST)

    def _is_inside(self, path: Path) -> bool:
        return path.resolve().is_relative_to(self.path.resolve())


_validated_file_list = fastjsonschema.compile(
    {
        "type": "object",
        "required": ["files", "pages"],
        "properties": {
            "files": {
                "type": "object",
                # No file has half a character in its name.
                "propertyNames": {"pattern": "^[^\0\ud800-\udfff]*$"},
                "additionalProperties": {"type": "string"},
            },
            # A fingerprint, then addresses.
            "pages": {
                "type": "object",
                "additionalProperties": {
                    "type": "array",
                    "items": [{}],
                    "additionalItems": {"type": "string"},
                },
            },
        },
    }
)


def _load_state_of_last_run_or_empty(path: Path) -> dict[str, Any]:
    """Return the list that the last run wrote: its files and pages; {} before the first run.

    Raises:
        FolderRefused: a person edited it wrongly.
    """
    try:
        file_list: dict[str, Any] = _validated_file_list(json.loads(path.read_text()))
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError):
        raise FolderRefused(f"{path} is damaged. Delete it with the files of the copy.") from None
    return file_list
