"""`manage.py backup`: write all that cannot be rebuilt to a file, or check such a file."""

from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import CommandError
from django.utils import timezone
from django.utils.translation import ngettext

from ...backup import BackupContents, InvalidBackup, verify_backup, write_backup_and_return_contents
from ._command import Arguments, CatalogCommand


class Command(CatalogCommand):
    expected_error_and_exit_code = (InvalidBackup, 1)
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
        path = options["file"]
        if options["check"]:
            require_file(path)
            contents = verify_backup(path)
        else:
            require_writable(path, overwrites=options["overwrite"])
            contents = write_backup_and_return_contents(path, timezone.now())
        megabytes = path.stat().st_size / 1_000_000
        description = describe_backup_contents(contents)
        self.print_line_and_update_exit_code(f"{path}: {description}; {megabytes:,.1f} MB, whole")


def require_writable(path: Path, *, overwrites: bool) -> None:
    # A device such as /dev/null is never replaced.
    may_replace = overwrites and path.is_file()
    # An older backup may be the only good one.
    if path.exists() and not may_replace:
        raise CommandError(
            f"{path} exists already; choose another name, or pass --overwrite", returncode=2
        )


def require_file(path: Path) -> None:
    if not path.is_file():
        raise CommandError(f"There is no file {path}.", returncode=2)


def describe_backup_contents(contents: BackupContents) -> str:
    row_counts = contents.rows
    words_by_table = {
        "episodes.podcast": ("show", "shows"),
        "episodes.item": ("entry", "entries"),
        "episodes.change": ("change", "changes"),
        "auth.user": ("account", "accounts"),
    }
    parts = []  # "3 shows", "1,204 entries" …
    for table, words in words_by_table.items():
        count = row_counts[table]
        parts.append(f"{count:,} {ngettext(*words, count)}")
    parts.append(f"{sum(row_counts.values()):,} rows in all")
    # `2026-01-31 04:00` of `2026-01-31T04:00:00+00:00`.
    made_at = contents.made_at[:16].replace("T", " ")
    return f"{', '.join(parts)}, made {made_at} UTC"
