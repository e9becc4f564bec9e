"""`manage.py backup`: write all that cannot be rebuilt to a file, or check such a file."""

from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import CommandError
from django.utils import timezone
from django.utils.translation import ngettext

from ...backup import BackupContents, InvalidBackup, verify_backup, write_backup
from ._command import Arguments, CatalogCommand

NAMED_TABLES = (
    ("episodes.podcast", "show", "shows"),
    ("episodes.item", "entry", "entries"),
    ("episodes.change", "change", "changes"),
    ("auth.user", "account", "accounts"),
)


class Command(CatalogCommand):
    refusal = (InvalidBackup, 1)
    help = (
        "Write sources, edits, settings, history, accounts and addresses to FILE, at one moment, while others go on. "
        "Exit 0: the file is whole; 1: it is not; 2: wrong usage; 3: the machine, the database or a setting is at fault."
    )
    arguments: ClassVar[Arguments] = {
        "file": {"metavar": "FILE", "type": Path},
        "--check": {"action": "store_true", "help": "only check that FILE is a whole backup"},
        "--overwrite": {"action": "store_true", "help": "replace FILE if it exists"},
    }
    exclusive_arguments = ("--check", "--overwrite")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write a backup, or with --check verify one, and print its contents and size."""
        path = options["file"]
        if options["check"]:
            contents = verify_backup(backup_at(path))
        # An older backup may be the only good one. A device such as /dev/null is never replaced.
        elif path.exists() and not (options["overwrite"] and path.is_file()):
            raise CommandError(
                f"{path} exists already; choose another name, or pass --overwrite", returncode=2
            )
        else:
            contents = write_backup(path, timezone.now())
        size = path.stat().st_size / 1_000_000
        self.stdout.write(f"{path}: {describe_backup_contents(contents)}; {size:,.1f} MB, whole")


def backup_at(path: Path) -> Path:
    """Return the path of a backup.

    Raises:
        CommandError: there is no such file.
    """
    if not path.is_file():
        raise CommandError(f"There is no file {path}.", returncode=2)
    return path


def describe_backup_contents(contents: BackupContents) -> str:
    """Return the counts of rows in a backup and its time in a few words."""
    row_counts = contents.rows
    parts = []
    for table, singular, plural in NAMED_TABLES:
        count = row_counts[table]
        parts.append(f"{count:,} {ngettext(singular, plural, count)}")
    parts.append(f"{sum(row_counts.values()):,} rows in all")
    made_at = contents.made_at[:16].replace("T", " ")
    return f"{', '.join(parts)}, made {made_at} UTC"
