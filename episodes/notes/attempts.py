"""Attempts to read texts, so that a hostile text does not stop the import of a show."""

import logging
from collections.abc import Callable
from typing import TypeVar

logger = logging.getLogger(__name__)

Value = TypeVar("Value")


class Attempts:
    """Attempts to read the texts of one entry, and their failures."""

    def __init__(self, address: str) -> None:
        self.address = address  # of the entry
        self.failures: dict[str, str] = {}  # names of errors by the address of the entry

    def run_or_default(self, kind: str, read: Callable[[], Value], default: Value) -> Value:
        """Return the result of `read`, or the default if it fails. Log the failure.

        Raises:
            MemoryError, OSError: the machine's fault and not the text's.
        """
        try:
            return read()
        except (MemoryError, OSError):
            raise
        except Exception as error:
            logger.error(
                "Could not read %s (%s)",
                self.address,
                kind,
                exc_info=error,
                extra={"entry": self.address},
            )
            self.failures[self.address] = type(error).__name__
            return default
