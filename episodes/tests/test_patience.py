"""The limits of patience.py stop what hangs, and nothing else."""

import re

from .conftest import TESTS

CLOCK = re.compile(r"(monotonic|perf_counter|process_time|thread_time|wait_for_timeout|time\.sleep)\(|timeout=[1-9]")
# Limits against what hangs; costs that are compared with each other; moments at which a process is killed, at random;
# a load of minutes; a report for people.
MAY_LOOK_AT_CLOCKS = {
    "patience.py", "growth.py", "browser/checking.py", "forks.py", "curation/test_kills.py",
    "curation/test_soak.py",
}  # fmt: skip


def test_no_test_depends_on_how_busy_the_machine_is() -> None:
    looking = {str(path.relative_to(TESTS)) for path in TESTS.rglob("*.py") if CLOCK.search(path.read_text())}
    assert looking == MAY_LOOK_AT_CLOCKS
