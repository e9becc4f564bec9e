"""Our commands, as Django knows them."""

import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError

Arguments = Mapping[str, Mapping[str, Any]]


def text(given: str) -> str:
    """A name as an argument. Raises ValueError for bytes that are no text: no database takes
    them."""
    given.encode()
    return given


# Of an option that names something.
TEXT: Mapping[str, Any] = {"default": "", "type": text}
DRY_RUN: Arguments = {
    "--dry-run": {"action": "store_true", "help": "show what would happen, save nothing"}
}
QUIET: Arguments = {
    "-q --quiet": {"action": "store_true", "help": "print only what failed; so does -v 0"}
}


class CatalogCommand(BaseCommand):
    """A command that starts at once. Configuration is checked by `manage.py check`: that imports
    the admin and every page, which takes longer than most imports."""

    requires_system_checks = ()
    quiet = False  # prints only what failed: with -q or -v 0
    ending = ""  # of each line of a report
    code = 0  # with which it ends
    # What can be passed, with what argparse is told of it, and those of which only one can be.
    arguments: ClassVar[Arguments] = {}
    exclusive: tuple[str, ...] = ()
    must_choose = False  # one of those
    # The error that ends it in one line, and with which exit code.
    refusal: tuple[type[Exception] | tuple[()], int] = (), 1

    def add_arguments(self, parser: ArgumentParser) -> None:
        choice: Any = parser
        if self.exclusive:  # argparse cannot print a group of none
            choice = parser.add_mutually_exclusive_group(required=self.must_choose)
        for names, told in self.arguments.items():
            (choice if names in self.exclusive else parser).add_argument(*names.split(), **told)

    def execute(self, *args: Any, **options: Any) -> str | None:
        self.quiet = options.get("quiet", False) or options["verbosity"] == 0
        kind, code = self.refusal
        try:
            printed = super().execute(*args, **options)
        except kind as error:
            raise CommandError(str(error), returncode=code) from None
        if self.code:
            sys.exit(self.code)
        return printed

    def print_result(self, name: str, line: str, note: str = "", *, code: int = 0) -> None:
        """Print the line of a report and its note, which is about `name`; `code` is the exit code
        of a failure."""
        self.code = max(self.code, code)
        if self.quiet and not code:
            return
        (self.stderr if code else self.stdout).write(line + self.ending)
        if note:
            self.stderr.write(f"{name}: {note}")
        self.stdout.flush()

    def watch(self, message: str) -> None:
        """Progress for a person at a terminal, without the colour of errors; nothing for a log."""
        if sys.stderr.isatty() and not self.quiet:
            self.stderr.write(message, str)


def whole_number_between(least: int, most: int) -> Callable[[str], int]:
    """A whole number as an argument, from `least` to `most`."""

    def read(text: str) -> int:
        if not (text.isdecimal() and least <= int(text[:10]) <= most):
            raise ArgumentTypeError(f"{text!r} is not a whole number from {least} to {most}")
        return int(text)

    return read
