"""The number of examples of a slow property test: few in CI, all of them in `make test-all`."""

from __future__ import annotations

import os

LONG = os.environ.get("LONG") == "true"


def examples(few: int, whole: int) -> int:
    return whole if LONG else few
