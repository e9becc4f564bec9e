"""The limits of patience.py stop what hangs, and nothing else."""

import re

import pytest

from . import patience
from .conftest import TESTS
from .patience import cpu_limit, until

CLOCK = re.compile(r"(monotonic|perf_counter|process_time|thread_time|wait_for_timeout|time\.sleep)\(|timeout=[1-9]")
# Limits against what hangs; costs that are compared with each other; moments at which a process is killed, at random;
# a load of minutes; a report for people.
MAY_LOOK_AT_CLOCKS = {
    "patience.py", "growth.py", "browser/checking.py", "forks.py", "curation/test_kills.py",
    "curation/test_soak.py",
}  # fmt: skip


def for_ever() -> None:
    while True:
        pass


def backtrack() -> None:
    re.match("(a+)+$", "a" * 60 + "b")


@pytest.mark.parametrize("work", [for_ever, backtrack])
def test_work_without_end_is_stopped(work) -> None:
    with pytest.raises(pytest.fail.Exception, match=r"more than 0\.1 s of CPU time"), cpu_limit(0.1):
        work()


def test_what_never_becomes_true_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "PATIENCE", 0.1)
    answers = iter([False, False, True])
    until(lambda: next(answers))
    with pytest.raises(AssertionError, match="never became true"):
        until(lambda: False)


def test_no_test_depends_on_how_busy_the_machine_is() -> None:
    looking = {str(path.relative_to(TESTS)) for path in TESTS.rglob("*.py") if CLOCK.search(path.read_text())}
    assert looking == MAY_LOOK_AT_CLOCKS
