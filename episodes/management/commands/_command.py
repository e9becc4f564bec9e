"""Our commands, as Django knows them."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError


class CatalogCommand(BaseCommand):
    """A command that starts at once. Configuration is checked by `manage.py check`: that imports
    the admin and every page, which takes longer than most imports."""

    requires_system_checks = ()
    quiet = False  # prints only what failed: with -q or -v 0
    ending = ""  # of each line of a report
    # The error that ends it in one line, and with which exit code.
    refusal: tuple[type[Exception] | tuple[()], int] = (), 1

    def execute(self, *args: Any, **options: Any) -> str | None:
        self.quiet = options.get("quiet", False) or options["verbosity"] == 0
        kind, code = self.refusal
        try:
            return super().execute(*args, **options)
        except kind as error:
            raise CommandError(str(error), returncode=code) from None

    def tell(self, name: str, line: str, note: str, *, ok: bool) -> None:
        """Print the line of a report and its note, which is about `name`."""
        if ok and self.quiet:
            return
        (self.stdout if ok else self.stderr).write(line + self.ending)
        if note:
            self.stderr.write(f"{name}: {note}")
        self.stdout.flush()

    def watch(self, message: str) -> None:
        """Progress for a person at a terminal, without the colour of errors; nothing for a log."""
        if sys.stderr.isatty() and not self.quiet:
            self.stderr.write(message, str)
