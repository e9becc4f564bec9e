"""How the work of a function grows with its input: counted, and compared with itself, never held to seconds."""

import sys
import time
from collections.abc import Callable
from types import FrameType

from .examples import examples
from .patience import cpu_limit

MAX_CALLS_FOR_TWICE = 2.3  # times the calls
MAX_COST_FOR_EIGHTFOLD = 24  # times the cost; even growth gives 8, a square 64
ATTEMPTS = 6
# Characters of the shortest of the texts that are compared. The longest is eight times as long.
SHORTEST_TEXT = examples(2_500, 25_000)


def assert_even_growth(work: Callable[[int], object], size: int) -> None:
    """Fail if `work` grows with the square of its input. `work` takes the size of an input, makes the input and uses it.

    Calls are the same on every machine. Regular expressions and slices work in C, where nothing counts, so the cost of
    eight times the input is compared with the cost of the input, on the same machine in the same moment. One good
    comparison is enough: noise makes single comparisons worse, but does not hide a square in all of them.
    """
    with cpu_limit():
        work(size // 2)  # fills the caches of what is the same for every input
        calls, calls_for_twice = count_calls(work, size), count_calls(work, 2 * size)
        assert calls_for_twice <= MAX_CALLS_FOR_TWICE * calls
        ratios: list[float] = []
        while not ratios or ratios[-1] > MAX_COST_FOR_EIGHTFOLD:
            assert len(ratios) < ATTEMPTS, f"eight times the input costs so many times as much: {ratios}"
            other_size = size + (len(ratios) + 1) * size // 8  # results are cached, so no size may come twice
            cost = cost_of(work, other_size)
            ratios.append(cost_of(work, 8 * other_size) / cost)


def assert_even_growth_for_text(read: Callable[[str], object], piece: str) -> None:
    """Fail if `read` grows with the square of the length of a text that repeats a piece."""
    assert_even_growth(lambda length: read(piece * (length // len(piece))), SHORTEST_TEXT)


def count_calls(work: Callable[[int], object], size: int) -> int:
    """Return how many functions are called, those in C too."""
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        if event in ("call", "c_call"):
            calls += 1

    profiler = sys.getprofile()
    sys.setprofile(count)
    try:
        work(size)
    finally:
        sys.setprofile(profiler)
    return calls


def cost_of(work: Callable[[int], object], size: int) -> float:
    """Return the CPU time of this thread: waiting for a busy machine costs nothing."""
    before = time.thread_time()
    work(size)
    return time.thread_time() - before
