"""The file of a backup: lines of JSON, compressed, on request encrypted; written whole or not at all."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from .encryption import MAGIC, Damaged, Opening, Sealing, WrongKey

GZIP = b"\x1f\x8b"
Ask = Callable[[], str]  # for the passphrase; only where the file is encrypted


class BadBackup(Exception):
    """The file cannot be used, or the database cannot take it: why and what to do, in one line."""


@contextmanager
def writing(path: Path, passphrase: str, verify: Callable[[Path], None]) -> Iterator[IO[bytes]]:
    """A file for the lines, which gets its name when `verify` raises nothing; only its owner may read it.

    Others may not, because it holds accounts.
    """
    part = path.with_name(f"{path.name}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            with _sealed(file, passphrase) as target, gzip.GzipFile("", "wb", fileobj=target, mtime=0) as zipped:
                yield cast(IO[bytes], zipped)
            file.flush()
            os.fsync(file.fileno())
        verify(part)
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def _sealed(file: IO[bytes], passphrase: str) -> Iterator[IO[bytes]]:
    """The file, or one before it that encrypts; it stays open."""
    if not passphrase:
        yield file
        return
    with io.BufferedWriter(Sealing(file, passphrase)) as sealing:
        yield sealing


def lines(path: Path, ask: Ask) -> Iterator[bytes]:
    """The lines of a backup.

    Raises:
        BadBackup: it is none, is cut off or damaged, or the passphrase is another.
    """
    with open(path, "rb") as file:
        try:
            yield from gzip.GzipFile(fileobj=_opened(file, path, ask))
        except WrongKey:
            raise BadBackup(f"Wrong passphrase for {path}.") from None
        except (Damaged, EOFError, gzip.BadGzipFile, zlib.error):
            raise BadBackup(f"{path} is cut off or damaged; use another backup.") from None


def _opened(file: IO[bytes], path: Path, ask: Ask) -> IO[bytes]:
    beginning = file.read(len(MAGIC))
    if beginning == MAGIC:
        return io.BufferedReader(Opening(file, ask()))
    if not beginning.startswith(GZIP):
        raise BadBackup(f"{path} is not a backup made by `manage.py backup`.")
    file.seek(0)
    return file
