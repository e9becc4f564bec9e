"""Requests to one host keep their distance, and a host that asks for it is left alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from episodes.gather.turns import Turns, spread

PAUSE = timedelta(seconds=2)


class Time:
    """A clock that goes on by sleeping alone."""

    def __init__(self) -> None:
        self.now = datetime(2021, 5, 1, tzinfo=UTC)
        self.slept: list[float] = []

    def clock(self) -> datetime:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.go_on(seconds)

    def go_on(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def turns(self, **waiting: datetime) -> Turns:
        return Turns(PAUSE, waiting, self.clock, self.sleep)


@pytest.fixture
def time() -> Time:
    return Time()


def test_a_redirect_to_the_same_host_waits_as_well(time: Time) -> None:
    turns = time.turns()
    turns.take("a")
    turns.take("a")
    assert time.slept == [2.0]


def test_a_clock_that_is_set_back_makes_nobody_wait_for_long(time: Time) -> None:
    turns = time.turns()
    turns.take("a")
    turns.done()
    time.go_on(-86_400)
    turns.take("a")
    assert time.slept == [2.0]


def test_addresses_are_spread_over_hosts_and_else_keep_their_order() -> None:
    rows = ["a1", "a2", "a3", "b1", "c1", "b2"]
    assert spread(rows, lambda row: row[0]) == ["a1", "b1", "c1", "a2", "b2", "a3"]
