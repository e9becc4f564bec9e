"""`manage.py backup`: write all that cannot be rebuilt to a file, or check such a file."""

from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import CommandError
from django.utils import timezone
from django.utils.translation import ngettext

from ...backup import BadBackup, Contents, check, save
from ._command import Arguments, CatalogCommand

TOLD = (
    ("episodes.podcast", "show", "shows"),
    ("episodes.item", "entry", "entries"),
    ("episodes.change", "change", "changes"),
    ("auth.user", "account", "accounts"),
)


class Command(CatalogCommand):
    refusal = (BadBackup, 1)
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
        # An older backup may be the only good one.
        if path.exists() and not (options["check"] or options["overwrite"]):
            raise CommandError(
                f"{path} exists already; choose another name, or pass --overwrite", returncode=2
            )
        contents = check(path) if options["check"] else save(path, timezone.now())
        size = path.stat().st_size / 1_000_000
        self.stdout.write(f"{path}: {told(contents)}; {size:,.1f} MB, whole")


def told(contents: Contents) -> str:
    """The content of a backup in a few words."""
    rows = contents.rows
    some = (f"{rows[table]:,} {ngettext(one, many, rows[table])}" for table, one, many in TOLD)
    made_at = contents.made_at[:16].replace("T", " ")
    return f"{', '.join(some)}, {contents.total:,} rows in all, made {made_at} UTC"
