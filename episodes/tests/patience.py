"""Limits that only stop what hangs, so that no test depends on how busy the machine is.

None of them measures speed, which is for `make bench`: whatever works needs a hundredth of them.
How work grows with its input is for growth.py.
"""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

PATIENCE = 600  # seconds that a test waits for a thread or another process


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never became true"
        time.sleep(0.02)


@contextmanager
def cpu_limit(seconds: float = PATIENCE) -> Iterator[None]:
    """Stop work that never ends.

    Only the CPU time of this process counts, so it is the same on a busy machine.
    """

    def stop(*_: object) -> None:
        pytest.fail(f"it takes more than {seconds} s of CPU time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
