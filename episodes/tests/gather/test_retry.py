"""When a failed attempt is made again."""

from datetime import UTC, datetime, timedelta

import pytest

from episodes.gather import Backoff, Unreachable, is_paused
from episodes.gather.retry import read_retry_after

HOUR = timedelta(hours=1)
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def test_waits_double_up_to_the_longest() -> None:
    backoff = Backoff(HOUR, 10 * HOUR)
    assert [backoff.wait(failures) for failures in (1, 2, 3, 4, 5, 999)] == [
        HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 10 * HOUR, 10 * HOUR,
    ]  # fmt: skip


@pytest.mark.parametrize("seconds, minutes", [(None, 120), (60, 120), (9000, 150)])
def test_server_may_ask_for_a_longer_wait(seconds: int | None, minutes: int) -> None:
    trouble = Unreachable("busy", retry_after=seconds)
    assert Backoff(HOUR, 10 * HOUR).next_attempt(NOON, 2, trouble) == NOON + timedelta(minutes=minutes)


@pytest.mark.parametrize(
    "header, seconds", [("", None), ("soon", None), ("90", 90), ("99999999", 604_800), ("1e999", None)]
)
def test_retry_after_is_a_week_at_most(header: str, seconds: int | None) -> None:
    assert read_retry_after(header) == seconds


@pytest.mark.parametrize("hours, expected", [(-1, False), (0, False), (1, True), (168, True), (169, False)])
def test_pause_lasts_a_week_at_most(hours: int, expected: bool) -> None:
    assert is_paused(NOON + hours * HOUR, NOON) is expected
