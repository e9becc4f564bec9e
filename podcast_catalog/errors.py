"""One line in place of a traceback: faults at the command line, and requests that are refused."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.exceptions import ImproperlyConfigured

from episodes.text.faults import fault_of

EXIT_CODE = 3  # the machine, the database or a setting; 1 and 2 are the commands' own


@contextmanager
def errors_in_one_line() -> Iterator[None]:
    """End the process with the fault in words; `--traceback` shows where it came from."""
    try:
        yield
    # Ctrl-C, or who reads the output has read enough: `| head`.
    except (KeyboardInterrupt, BrokenPipeError):
        sys.stdout = None  # else its last lines fail once more
        sys.stderr.write("Stopped. What was not finished was not saved.\n")
        sys.exit(130)
    except Exception as error:
        words = describe_error(error)
        if not words or "--traceback" in sys.argv:
            raise
        sys.stderr.write(f"{words}\n")
        sys.exit(EXIT_CODE)


def refusals_as_warnings(record: logging.LogRecord) -> bool:
    """Filter of the log: a foreign host or too many parameters are a warning, not a traceback."""
    if record.name.startswith("django.security."):
        record.levelno, record.levelname, record.exc_info = logging.WARNING, "WARNING", None
    return True


def describe_error(error: Exception) -> str:
    """An error and the way out of it, in one line; "" for an error of this program."""
    if isinstance(error, ImproperlyConfigured):
        return f"A setting is wrong: {' '.join(str(error).split())}"
    fault = fault_of(error)
    if fault:
        return str(fault)
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}."
    return ""
