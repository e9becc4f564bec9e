"""Encryption by a passphrase, chunk by chunk: scrypt makes the key, AES-256-GCM seals each chunk with its number.

The nonce of the last chunk says that it is the last, so that a file that was cut off cannot pass for a whole one.
"""

from __future__ import annotations

import io
import os
from typing import IO, TYPE_CHECKING

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

MAGIC = b"podcast-catalog backup, encrypted 1\n"
SALT = 16
CHUNK = 65_536
SEAL = 16  # bytes that a sealed chunk is longer
MEMORY_COST = 2**16  # of scrypt: 64 MB


class WrongKey(Exception):
    """The passphrase is another one."""


class Damaged(Exception):
    """A chunk is not as it was sealed, or the last one is missing."""


def _key(passphrase: str, salt: bytes) -> AESGCM:
    return AESGCM(Scrypt(salt, length=32, n=MEMORY_COST, r=8, p=1).derive(passphrase.encode()))


def _nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([last])


class Sealing(io.RawIOBase):
    """A file to write to, of which each chunk goes sealed to `file`; closing it leaves `file` open."""

    def __init__(self, file: IO[bytes], passphrase: str) -> None:
        salt = os.urandom(SALT)
        self._file, self._cipher, self._head = file, _key(passphrase, salt), MAGIC + salt
        self._waiting, self._number = bytearray(), 0
        file.write(self._head)
        self._seal(b"", last=False)  # tells a wrong passphrase from a damaged file

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer) -> int:
        self._waiting += data
        # The last chunk is only known at the end.
        while len(self._waiting) > CHUNK:
            self._seal(bytes(self._waiting[:CHUNK]), last=False)
            del self._waiting[:CHUNK]
        return memoryview(data).nbytes

    def close(self) -> None:
        if not self.closed:
            self._seal(bytes(self._waiting), last=True)
        super().close()

    def _seal(self, chunk: bytes, *, last: bool) -> None:
        self._file.write(self._cipher.encrypt(_nonce(self._number, last=last), chunk, self._head))
        self._number += 1


class Opening(io.RawIOBase):
    """A file to read from, of which each chunk is opened as it is asked for; `file` stands behind the magic words.

    Raises `WrongKey` or `Damaged`.
    """

    def __init__(self, file: IO[bytes], passphrase: str) -> None:
        salt = file.read(SALT)
        self._file, self._cipher, self._head = file, _key(passphrase, salt), MAGIC + salt
        self._ready, self._number = b"", 0
        self._next, following = file.read(SEAL), file.read(CHUNK + SEAL)
        if not following:
            raise Damaged
        try:
            self._open(following)
        except Damaged:
            raise WrongKey from None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        if not self._ready and self._next:
            self._open(self._file.read(CHUNK + SEAL))
        size = min(len(view), len(self._ready))
        view[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _open(self, following: bytes) -> None:
        """Open the next chunk; nothing follows the last one."""
        try:
            self._ready = self._cipher.decrypt(_nonce(self._number, last=not following), self._next, self._head)
        except InvalidTag:
            raise Damaged from None
        self._number, self._next = self._number + 1, following
