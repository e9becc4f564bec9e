"""Compares two results: `python -m bench.compare BEFORE.json AFTER.json` prints what changed by more than noise.

Pages are compared by their ratio to Django hello and imports by theirs to feedparser, each of the same run, so that a busier
machine is no change. A change counts where the middle halves of both runs lie apart, and by at least a tenth.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from .results import Line, Result, percentile

LEAST = 0.1


def changes(before: Result, after: Result) -> Iterator[tuple[Line, Line, float, bool]]:
    """Every line that both have, with the quotient of after and before, and whether that is more than noise."""
    known = {line.key: line for line in before.lines}
    for line in after.lines:
        old = known.get(line.key)
        if old and _measure(old, 50) > 0:
            quotient = _measure(line, 50) / _measure(old, 50)
            apart = _measure(line, 25) > _measure(old, 75) or _measure(line, 75) < _measure(old, 25)
            yield old, line, quotient, apart and abs(quotient - 1) >= LEAST


def _measure(line: Line, share: int) -> float:
    """A percentile in units of the yardstick, where the line has one."""
    return percentile(line.ratios or line.values, share)


def main(names: list[str]) -> int:
    if len(names) != 2:
        print(__doc__)
        return 2
    before, after = (Result.load(Path(name)) for name in names)
    found = sorted(changes(before, after), key=lambda row: row[2])
    for old, new, quotient, real in found:
        if real:
            ratios = f"{old.ratio:.2f} → {new.ratio:.2f} ×" if old.ratio and new.ratio else ""
            print(f"{quotient:6.2f}  {new.key}: {old.median:.3f} → {new.median:.3f} {new.unit}  {ratios}")
    same = sum(not real for *_, real in found)
    gone = {line.key for line in before.lines} ^ {line.key for line in after.lines}
    print(f"{len(found) - same} lines changed, {same} are as before within noise, {len(gone)} are in one result alone.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
