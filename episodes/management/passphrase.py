"""The passphrase of a backup: from BACKUP_PASSPHRASE, else typed; never from the command line, which others can see."""

from __future__ import annotations

import sys
from getpass import getpass

from django.conf import settings
from django.core.management.base import CommandError

LEAST = 8  # characters


def ask() -> str:
    """The passphrase of a file that is encrypted."""
    return settings.BACKUP_PASSPHRASE or _typed("Passphrase: ")


def ask_twice() -> str:
    """The passphrase for a new file: a typing error would lock it for ever."""
    found = ask()
    if len(found) < LEAST:
        raise CommandError(f"the passphrase needs at least {LEAST} characters", returncode=2)
    if not settings.BACKUP_PASSPHRASE and _typed("Again: ") != found:
        raise CommandError("the two passphrases differ", returncode=2)
    return found


def _typed(prompt: str) -> str:
    if not sys.stdin.isatty():
        raise CommandError("the passphrase is missing: set BACKUP_PASSPHRASE, or run this in a terminal", returncode=2)
    return getpass(prompt)
