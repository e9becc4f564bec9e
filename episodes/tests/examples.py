"""Sizes of slow tests: small in CI, whole in `make test-all`."""

import os

LONG = os.environ.get("LONG") == "true"
SECOND = os.environ.get("SECOND_DATABASE") == "true" and not LONG


def examples(few: int, whole: int) -> int:
    """Return the size of a test: `whole` in `make test-all`, else `few`."""
    return whole if LONG else few


def tries(few: int, whole: int) -> int:
    """Return the size of a test of decisions: half of `few` on the second database, which adds little to it."""
    return examples(few // 2 if SECOND else few, whole)
