"""The file of a backup: lines of JSON, compressed; written whole or not at all."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

GZIP = b"\x1f\x8b"


class BadBackup(Exception):
    """The file cannot be used, or the database cannot take it: why and what to do, in one line."""


@contextmanager
def writing(path: Path, verify: Callable[[Path], None]) -> Iterator[IO[bytes]]:
    """A file for the lines, which gets its name when `verify` raises nothing; only its owner may
    read it.

    Others may not, because it holds accounts.

    Raises:
        BadBackup: no file can be made there.
    """
    part = path.with_name(f"{path.name}.part")
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    except OSError as error:
        raise BadBackup(f"{path} cannot be written: {error.strerror}.") from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as zipped:
                yield cast(IO[bytes], zipped)
            file.flush()
            os.fsync(file.fileno())
        verify(part)
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def lines(path: Path) -> Iterator[bytes]:
    """The lines of a backup.

    Raises:
        BadBackup: it is none, or is cut off or damaged.
    """
    with open(path, "rb") as file:
        if file.read(len(GZIP)) != GZIP:
            raise BadBackup(f"{path} is not a backup made by `manage.py backup`.")
        file.seek(0)
        try:
            yield from gzip.GzipFile(fileobj=file)
        except (EOFError, gzip.BadGzipFile, zlib.error):
            raise BadBackup(f"{path} is cut off or damaged; use another backup.") from None
