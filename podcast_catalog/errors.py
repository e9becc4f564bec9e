"""One line in place of a traceback: errors at the command line, and refused requests."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.core.management import CommandError

from episodes.text.database_errors import find_fault


@contextmanager
def exit_with_one_line_errors() -> Iterator[None]:
    """Turn an expected error of the block into one line on standard error, and end the process.

    With `--traceback`, and for unexpected errors, leave the error as it is.
    """
    try:
        yield
    # Ctrl-C, or the reader of our output has ended, as in `| head`.
    except (KeyboardInterrupt, BrokenPipeError):
        # Otherwise Python fails once more when it flushes the last lines.
        sys.stdout = None
        sys.stderr.write("Stopped. What was not finished was not saved.\n")
        sys.exit(130)  # as shells do after Ctrl-C
    except Exception as error:
        description = describe_expected_error_or_empty(error)
        if not description or "--traceback" in sys.argv:
            raise
        sys.stderr.write(f"{description}\n")
        # The machine, the database or a setting is at fault. 1 and 2 are the commands' own codes.
        sys.exit(3)


def describe_expected_error_or_empty(error: Exception) -> str:
    """Return an expected error and its remedy in one line, or "" for another error, which is a bug."""
    if isinstance(error, ImproperlyConfigured):
        return f"A setting is wrong: {' '.join(str(error).split())}"
    if isinstance(error, CommandError):  # of a command that a program calls
        return str(error)
    fault = find_fault(error)
    if fault:
        return str(fault)
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}."
    return ""


def lower_refusals_to_warnings(record: logging.LogRecord) -> bool:
    """Log a foreign host, too many parameters or a lacking permission as a warning without a traceback. A filter
    of the log."""
    _, error, _ = record.exc_info or (None, None, None)
    is_denied = isinstance(error, PermissionDenied)
    if is_denied or record.name.startswith("django.security."):
        record.levelno = logging.WARNING
        record.levelname = "WARNING"
        record.exc_info = None
    # A filter that returns True keeps the record.
    return True
