"""The base class of the commands, and settings of arguments that several share."""

import logging
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError

from ._progress_bar import ProgressBar

Arguments = Mapping[str, Mapping[str, Any]]


# argparse prints the name: "invalid text value".
def text(argument: str) -> str:
    """Return an argument of a command that is a text.

    Raises:
        ValueError: it has bytes that are no text, which no database takes.
    """
    argument.encode()
    return argument


# The settings of an argument that names something.
NAME_OPTION: Mapping[str, Any] = {"default": "", "type": text}
DRY_RUN: Arguments = {
    "--dry-run": {"action": "store_true", "help": "show what would happen, save nothing"}
}
QUIET: Arguments = {
    "-q --quiet": {"action": "store_true", "help": "print only what failed; so does -v 0"}
}


class CatalogCommand(BaseCommand):
    """A command that declares its arguments as values: `arguments`, some of them `exclusive_arguments`.

    It starts at once. Configuration is checked by `manage.py check`: that imports the admin and every page,
    which takes longer than most imports.
    """

    requires_system_checks = ()
    quiet = False  # with -q or -v 0 a command prints failures only
    line_ending = ""  # of each line of a report
    exit_code = 0
    arguments: ClassVar[Arguments] = {}  # settings for argparse by the names of each argument
    exclusive_arguments: tuple[str, ...] = ()  # at most one can be given
    requires_exclusive = False  # one must be given
    # Errors that end the command in one line, and its exit code then.
    expected_error_and_exit_code: tuple[type[Exception] | tuple[()], int] = (), 1

    def add_arguments(self, parser: ArgumentParser) -> None:
        group: Any = parser
        # argparse cannot print an empty group.
        if self.exclusive_arguments:
            group = parser.add_mutually_exclusive_group(required=self.requires_exclusive)
        for names, settings in self.arguments.items():
            owner = group if names in self.exclusive_arguments else parser
            # An argument may have two names, as `-q --quiet` has.
            owner.add_argument(*names.split(), **settings)

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run the command, turn its expected error into CommandError, and exit with the highest code."""
        self.quiet = options.get("quiet", False) or options["verbosity"] == 0
        self.bar = ProgressBar(is_shown=sys.stderr.isatty() and not self.quiet)
        expected_error, exit_code_of_error = self.expected_error_and_exit_code
        # A command that prints its imports need not log them, too.
        log_context: AbstractContextManager[None] = nullcontext()
        if self.prints_imports(options):
            log_context = silenced_import_log()
        try:
            with log_context:
                output = super().execute(*args, **options)
        except expected_error as error:
            raise CommandError(str(error), returncode=exit_code_of_error) from None
        finally:
            self.bar.close()
        # `print_line_and_update_exit_code` has set it to the highest code of a line.
        if self.exit_code:
            sys.exit(self.exit_code)
        return output

    def prints_imports(self, options: Mapping[str, Any]) -> bool:
        """Return whether the command prints imports, so that the log need not have them."""
        return False

    def print_line_and_update_exit_code(
        self, line: str, *, note: str = "", note_subject: str = "", exit_code: int = 0
    ) -> None:
        """Print a line of the report, and a note on standard error.

        An exit code above 0 is a failure: the line goes to standard error, and the command ends with the
        highest code.
        """
        self.exit_code = max(self.exit_code, exit_code)
        is_failure = exit_code > 0
        if self.quiet and not is_failure:
            return
        stream = self.stderr if is_failure else self.stdout
        # tqdm clears the bar for the time of the output, so that no line ends up in the bar.
        with ProgressBar.external_write_mode():
            stream.write(line + self.line_ending)
            if note:
                self.stderr.write(f"{note_subject}: {note}")
            # Python buffers what it writes into a pipe, and each import is reported as soon as it is done.
            self.stdout.flush()

    def show_progress(self, message: str) -> None:
        """Print a message to a person at a terminal, unless counts are shown. Logs get none."""
        if not (self.bar.disable or self.bar.total):
            # `str` in place of the style of errors, which is red.
            self.stderr.write(message, str)

    def show_count(self, done: int, total: int, unit: str) -> None:
        """Show "12 of 61 shows, about 2 min" to a person at a terminal. Logs get nothing."""
        self.bar.show(done, total, unit)


@contextmanager
def silenced_import_log() -> Iterator[None]:
    log = logging.getLogger("episodes.imports")
    was_disabled = log.disabled
    log.disabled = True
    try:
        yield
    finally:
        log.disabled = was_disabled


def whole_number_parser(minimum: int, maximum: int) -> Callable[[str], int]:
    """Return a type for argparse: a whole number from `minimum` to `maximum`."""

    def parse(argument: str) -> int:
        # Python refuses to convert thousands of digits.
        is_convertible = argument.isdecimal() and len(argument) <= 10
        if not (is_convertible and minimum <= int(argument) <= maximum):
            raise ArgumentTypeError(
                f"{argument!r} is not a whole number from {minimum} to {maximum}"
            )
        return int(argument)

    return parse
