"""`manage.py restore`: fill an empty database from a backup, and rebuild the catalog."""

from pathlib import Path
from typing import Any, ClassVar

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Q

from ...backup import (
    InvalidBackup,
    fill_empty_database_from_backup,
    require_empty_and_fitting_database,
    verify_backup,
)
from ...curation import add_shipped_aliases_and_resolve, add_shipped_credits_unless_decided
from ...resolve import write_missing_meanings
from ._command import Arguments, CatalogCommand
from .backup import describe_backup_contents, require_file
from .migrate import require_upgradable


class Command(CatalogCommand):
    expected_error_and_exit_code = (InvalidBackup, 1)
    help = (
        "Fill an empty database of either kind from a backup, and rebuild the catalog. "
        "Exit 0: all of it was restored; 1: nothing was; 2: wrong usage; 3: the machine, the database or a setting is at fault."
    )
    arguments: ClassVar[Arguments] = {
        "file": {"metavar": "FILE", "type": Path},
    }

    def handle(self, *args: Any, **options: Any) -> None:
        path = options["file"]
        require_file(path)
        contents = verify_backup(path)
        require_upgradable(connection)
        require_empty_and_fitting_database(contents)
        fill_empty_database_from_backup(path, contents, self.show_count)
        # Before the steps that take minutes and can be interrupted, as the accounts are there from now on.
        self.print_administrators()
        # An older release may have had other aliases, and found other credits in texts.
        add_shipped_aliases_and_resolve()
        add_shipped_credits_unless_decided()
        # A backup has no vectors of episodes, which the search by meaning needs.
        write_missing_meanings()
        self.print_line_and_update_exit_code(f"restored {describe_backup_contents(contents)}")

    def print_administrators(self) -> None:
        # The backup may be somebody else's, so the operator is warned of accounts with all rights.
        is_administrator = Q(is_superuser=True) | Q(groups__name="administrator")
        administrators = User.objects.filter(is_administrator).order_by("pk").distinct()
        names = ", ".join(map(repr, administrators.values_list("username", flat=True)))
        if names:
            self.print_line_and_update_exit_code(
                f"These accounts of the backup may manage accounts: {names}"
            )
