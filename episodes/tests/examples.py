"""Sizes of slow tests: small in CI, whole in `make test-all`."""

import os

LONG = os.environ.get("LONG") == "true"
SECOND = os.environ.get("SECOND_DATABASE") == "true" and not LONG


def examples(few: int, whole: int) -> int:
    return whole if LONG else few


def tries(few: int, whole: int) -> int:
    """Examples of a law about decisions: the second database is there for what it does otherwise, not for the law."""
    return examples(few // 2 if SECOND else few, whole)


# Characters of a heap that must be read in time in proportion to its length, and the seconds of CPU that it may take.
HEAP = examples(20_000, 200_000)
SECONDS = examples(6, 60)


def some(number: int) -> int:
    """A part of what a heavy document holds: with the time that reading may take it shrinks to a tenth."""
    return examples(number // 10, number)
