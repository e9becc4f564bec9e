"""Findings of earlier resolves in the same notes, by a digest of all they depend on, so that
nothing is read twice."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import astuple
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar

from ..records import UNREAD
from ..text.fingerprints import fingerprint, fingerprint_of_code

logger = logging.getLogger(__name__)

Value = TypeVar("Value")
Parts = dict[str, Any]
NOTHING: Mapping[str, Parts] = MappingProxyType({})
MOST_UNREAD = 100  # entries of a show that the health board names
CODE = ("dates", "identity", "notes", "text", "fields.py", "records.py")
# The fingerprint of the code and vocabulary that read notes: another release finds other things.
_code = partial(
    fingerprint_of_code, *CODE, libraries=("nh3", "PyStemmer", "rapidfuzz", "webencodings")
)


class Memory:
    """The findings of earlier resolves by digest, as JSON has them, and those that this one
    needed."""

    def __init__(self, known: Mapping[str, Parts] = NOTHING) -> None:
        self.known = known
        self.used: dict[str, Parts] = {}

    def of(self, *text: object, at: str = "") -> TextMemory:
        """The findings about one text, which is given with all that it takes to read it, and `at`
        the address of the entry that has it."""
        key = fingerprint(_code(), *text)
        failed = partial(self._failed, at)
        return TextMemory(self.known.get(key, {}), self.used.setdefault(key, {}), failed)

    def _failed(self, at: str, kind: str, error: Exception) -> None:
        """Log a text that could not be read, and note its entry for the health board."""
        logger.error("Could not read %s (%s)", at, kind, exc_info=error, extra={"entry": at})
        unread = self.used.setdefault(UNREAD, {})
        if len(unread) < MOST_UNREAD:
            unread[at] = type(error).__name__

    @property
    def changed(self) -> dict[str, Parts]:
        return {key: parts for key, parts in self.used.items() if self.known.get(key) != parts}

    @property
    def unused(self) -> list[str]:
        return sorted(self.known.keys() - self.used.keys())


class TextMemory:
    """The findings about one text."""

    def __init__(self, known: Parts, used: Parts, failed: Callable[[str, Exception], None]) -> None:
        self.known, self.used, self.failed = known, used, failed

    def recall(
        self,
        kind: str,
        given: object,
        find: Callable[[], Value],
        read: Callable[[Any], Value] = lambda stored: stored,
    ) -> Value:
        """The value that `find` gives for `given` beside the text; `read` restores it from the JSON
        that is kept.

        No text stops a show: where `find` fails, the value is an empty one, and the next resolve
        tries again.
        """
        key = f"{kind} {fingerprint(given)}" if given else kind
        stored = self.used.get(key, self.known.get(key))
        if stored is not None:
            self.used[key] = stored
            return read(stored)
        try:
            value = find()
            # As it comes back from JSON, data classes as lists of their values.
            self.used[key] = json.loads(json.dumps(value, default=astuple))
        except (MemoryError, OSError):
            raise  # the machine's fault, not the text's
        except Exception as error:
            self.failed(kind, error)
            return read("")
        return value


def rows(kind: Callable[..., Value]) -> Callable[[Iterable[Iterable[Any]]], tuple[Value, ...]]:
    """A function that restores a tuple of data classes from the JSON that is kept."""
    return lambda stored: tuple(kind(*row) for row in stored)
