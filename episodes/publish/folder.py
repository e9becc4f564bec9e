"""The folder of a copy: it names its own files in a list, and touches no other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, LOCK_NB, flock
from hashlib import sha256
from pathlib import Path
from typing import Any, TextIO

LIST = ".published.json"
NEW_LIST = ".published.new"
BEGUN = ".published.begun"  # files that a run wrote which did not end; it is locked meanwhile
USUAL = {".git", ".nojekyll", "CNAME"}  # what a folder for GitHub Pages may have before


class FolderRefused(Exception):
    """A folder, or a file in it, that is not ours."""


@contextmanager
def folder_at(path: Path) -> Iterator[Folder]:
    """The folder of a copy, made where there is none, and locked for other runs.

    Raises:
        FolderRefused: it cannot be made, or has files, and none of them is ours, or another run
            writes to it.
        OSError: it cannot be read or written.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FolderRefused(f"{path} cannot be made a folder: {error.strerror}.") from None
    names = {file.name for file in path.iterdir()} - USUAL
    if names and names.isdisjoint((LIST, BEGUN)):
        raise FolderRefused(f"{path} has files that publish did not write. Choose an empty folder.")
    with (path / BEGUN).open("a+", buffering=1) as begun:
        try:
            flock(begun, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            raise FolderRefused(
                f"Another publish is writing to {path}. Run it again when that one has ended."
            ) from None
        yield Folder(path, begun)


class Folder:
    """A folder with the files that earlier runs wrote: their paths with their digests."""

    def __init__(self, path: Path, begun: TextIO) -> None:
        self.path, self.begun = path, begun
        self.known = _read(path / LIST)
        begun.seek(0)
        lines = begun.read().splitlines()
        # What a run wrote that did not end is of no known digest.
        self.files: dict[str, str] = self.known.get("files", {}) | dict.fromkeys(lines, "")
        self.written = self.deleted = 0

    def has(self, name: str) -> bool:
        """True for a file that a run wrote which ended."""
        return bool(self.files.get(name)) and (self.path / name).exists()

    def write(self, name: str, body: bytes) -> None:
        """Write a file if its bytes are others than before.

        Raises:
            FolderRefused: somebody else put a file there, or a link that leads out of the folder.
        """
        path, digest = self.path / name, sha256(body).hexdigest()[:16]
        if self.files.get(name) == digest and path.exists():
            return
        is_strange = name not in self.files and path.exists() and path.read_bytes() != body
        if is_strange or not self._is_inside(path):
            raise FolderRefused(f"{path} is not ours: publish did not write it. Move it away.")
        self.begun.write(f"{name}\n")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
        self.files[name] = digest
        self.written += 1

    def end(self, kept: Iterable[str], more: dict[str, Any]) -> None:
        """Delete what no longer belongs to the copy, and write the list of its files with `more`."""
        for name in self.files.keys() - set(kept):
            path = self.path / name
            # A list that somebody edited names no file outside.
            if self._is_inside(path) and path.is_file():
                path.unlink()
                self.deleted += 1
            del self.files[name]
        text = json.dumps(more | {"files": self.files}, ensure_ascii=False, separators=(",", ":"))
        (self.path / NEW_LIST).write_text(text)
        (self.path / NEW_LIST).replace(self.path / LIST)
        (self.path / BEGUN).unlink()

    def _is_inside(self, path: Path) -> bool:
        return path.resolve().is_relative_to(self.path.resolve())


def _read(path: Path) -> dict[str, Any]:
    """The list of the last run, which somebody may have edited."""
    try:
        found: dict[str, Any] = json.loads(path.read_text())
        names, texts = "".join(found["files"]), [*found["files"].values()]
        for page in found["pages"].values():
            texts += page[1:]
        names.encode()  # no file has half a character in its name
        if "\0" in names or not all(isinstance(text, str) for text in texts):
            raise ValueError(path)
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise FolderRefused(f"{path} is damaged. Delete it with the files of the copy.") from None
    return found
