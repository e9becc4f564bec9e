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
    "header, seconds",
    [("", None), ("soon", None), ("-5", None), ("²", None), ("1e999", None), ("Wed, 99 Xxx 2021 99:99:99 GMT", None), ("90", 90),
     ("Wed, 18 Aug 2021 13:00:00 GMT", 0), ("99999999999999999999", 604_800), ("Fri, 31 Dec 9999 23:59:59 GMT", 604_800)],
)  # fmt: skip
def test_retry_after_is_a_week_at_most(header: str, seconds: int | None) -> None:
    assert read_retry_after(header) == seconds


@pytest.mark.parametrize("hours, expected", [(-1, False), (0, False), (1, True), (168, True), (169, False)])
def test_pause_lasts_a_week_at_most(hours: int, expected: bool) -> None:
    assert is_paused(NOON + hours * HOUR, NOON) is expected
