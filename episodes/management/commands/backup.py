"""`manage.py backup`: write all that cannot be rebuilt to a file, or check such a file."""

from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import CommandError
from django.utils import timezone
from django.utils.translation import ngettext

from ...backup import BackupContents, InvalidBackup, verify_backup, write_backup
from ._command import Arguments, CatalogCommand

TOLD = (
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
    exclusive = ("--check", "--overwrite")

    def handle(self, *args: Any, **options: Any) -> None:
        path = options["file"]
        if options["check"]:
            contents = verify_backup(backup_at(path))
        # An older backup may be the only good one, and no device is replaced by a file.
        elif path.exists() and not (options["overwrite"] and path.is_file()):
            raise CommandError(
                f"{path} exists already; choose another name, or pass --overwrite", returncode=2
            )
        else:
            contents = write_backup(path, timezone.now())
        size = path.stat().st_size / 1_000_000
        self.stdout.write(f"{path}: {describe_contents(contents)}; {size:,.1f} MB, whole")


def backup_at(path: Path) -> Path:
    """The file with a backup, which must be there."""
    if not path.is_file():
        raise CommandError(f"There is no file {path}.", returncode=2)
    return path


def describe_contents(contents: BackupContents) -> str:
    """The content of a backup in a few words."""
    rows = contents.rows
    some = (f"{rows[table]:,} {ngettext(one, many, rows[table])}" for table, one, many in TOLD)
    made_at = contents.made_at[:16].replace("T", " ")
    return f"{', '.join(some)}, {sum(rows.values()):,} rows in all, made {made_at} UTC"
