"""Reads a backup and checks it: each line against the digest at its end, and the rows of each table
against their count."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from .files import BadBackup, lines
from .tables import FORMAT


@dataclass
class Contents:
    """The first line of a backup: when and from which schema it was made, and the rows of each
    table."""

    made_at: str
    schema: dict[str, str]  # by app the name of its last migration
    rows: dict[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(self.rows.values())


Row = tuple[str, Sequence[str], Sequence[Any]]  # table, its columns, its values


class BackupReader:
    """A backup as rows, one after another. What it says of itself is known from the beginning, its
    rows from the end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines = lines(path)
        self._digest = sha256()
        self._counted: Counter[str] = Counter()
        head = self._next()
        if not isinstance(head, dict) or "backup" not in head:
            raise BadBackup(f"{path} is not a backup made by `manage.py backup`.")
        if head["backup"] > FORMAT:
            raise BadBackup(
                f"{path} was made by a newer version of this software; upgrade first, then restore it."
            )
        self.contents = Contents(head["made_at"], head["schema"])

    def rows(self) -> Iterator[Row]:
        """All rows; raises BadBackup at the end where they are not those that were written."""
        table, columns = "", []
        before = self._digest.hexdigest()
        while not isinstance(said := self._next(), dict) or "end" not in said:
            if isinstance(said, dict):
                table, columns = said["table"], said["columns"]
                self._counted[table] = 0
            else:
                self._counted[table] += 1
                yield table, columns, said
            before = self._digest.hexdigest()
        # The end of the compressed file is read too, which holds a checksum.
        if next(self._lines, None) is not None or said["end"] != {
            "rows": dict(self._counted),
            "sha256": before,
        }:
            raise BadBackup(
                f"{self.path} is damaged: it does not hold the rows that were written. Use another backup."
            )
        self.contents.rows = dict(self._counted)

    def _next(self) -> Any:
        try:
            line = next(self._lines)
            self._digest.update(line)
            return json.loads(line)
        except (StopIteration, ValueError):
            raise BadBackup(f"{self.path} is cut off or damaged; use another backup.") from None


def check(path: Path) -> Contents:
    """Read a whole backup.

    Raises:
        BadBackup: it is not whole.
    """
    reader = BackupReader(path)
    for _ in reader.rows():
        pass
    return reader.contents
