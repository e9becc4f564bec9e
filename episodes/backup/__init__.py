"""Backups: all that cannot be rebuilt, in one file that either database takes (docs/backup.md)."""

from .files import BadBackup
from .reading import Contents, check
from .restoring import restore
from .saving import save
from .tables import KEPT

__all__ = ["KEPT", "BadBackup", "Contents", "check", "restore", "save"]
