"""Backups: all that cannot be rebuilt, in one file that either database takes (docs/operating.md)."""

from .restoring import restore
from .saving import KEPT, BadBackup, Contents, check, save

__all__ = ["KEPT", "BadBackup", "Contents", "check", "restore", "save"]
