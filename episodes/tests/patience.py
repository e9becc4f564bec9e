"""Limits of time that end a hanging test, far above what a test needs on a busy machine.

Speed is measured by `make bench`, and growth with the input by growth.py.
"""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 600  # seconds that a test waits for a thread or another process


def until(condition: Callable[[], object]) -> None:
    """Wait until a condition is true. Fail after PATIENCE."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never became true"
        time.sleep(0.02)


@contextmanager
def cpu_limit(seconds: float = PATIENCE) -> Iterator[None]:
    """Fail if the block takes more CPU time of this process."""

    def stop(*_: object) -> None:
        import pytest  # a tenth of the start of a command in a process of its own, which needs none

        pytest.fail(f"it takes more than {seconds} s of CPU time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
