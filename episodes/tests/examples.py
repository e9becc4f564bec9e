"""Sizes of slow tests: small in CI, whole in `make test-all`."""

import os

LONG = os.environ.get("LONG") == "true"
SECOND = os.environ.get("SECOND_DATABASE") == "true" and not LONG


def examples(few: int, whole: int) -> int:
    return whole if LONG else few


def tries(few: int, whole: int) -> int:
    """Examples of a law about decisions: the second database is there for what it does otherwise, not for the law."""
    return examples(few // 2 if SECOND else few, whole)
