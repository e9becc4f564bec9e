"""Requests to one host keep their distance, and a host that asks for it is left alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from episodes.gather.turns import LeftAlone, Turns, spread
from episodes.text.urls import host_of

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


def test_the_pause_counts_from_the_end_of_a_request(time: Time) -> None:
    turns = time.turns()
    turns.take("a")
    time.go_on(30)
    turns.done()
    time.go_on(0.5)
    turns.take("a")
    assert time.slept == [1.5]


def test_a_redirect_to_the_same_host_waits_as_well(time: Time) -> None:
    turns = time.turns()
    turns.take("a")
    turns.take("a")
    assert time.slept == [2.0]


def test_another_host_is_asked_at_once(time: Time) -> None:
    turns = time.turns()
    turns.take("a")
    turns.done()
    turns.take("b")
    turns.done()
    time.go_on(2)
    turns.take("a")
    assert sum(time.slept) == 0


def test_a_host_that_asks_for_it_is_left_alone_until_then(time: Time) -> None:
    turns = time.turns(b=time.now + timedelta(seconds=5))
    turns.take("a")
    assert turns.done(60) == time.now + timedelta(seconds=60)
    for host in "ab":
        with pytest.raises(LeftAlone, match=host):
            turns.take(host)
    time.go_on(60)
    turns.take("a")
    turns.take("b")


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


@pytest.mark.parametrize(
    "address, host",
    [("https://Example.org:8000/a", "example.org"), ("http://[::1]/", "::1"), ("http://[", ""), ("mailto:a", "")],
)
def test_a_host_is_named_in_lower_case(address: str, host: str) -> None:
    assert host_of(address) == host
