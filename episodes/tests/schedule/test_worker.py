"""One worker by a clock that the test moves: what it reads when, what it leaves alone, and how it ends."""

from __future__ import annotations

import signal
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import OperationalError

from episodes.models import IngestRun, Link, LinkCheck, Podcast, Source, SourceSchedule, Status
from episodes.schedule import claims, marks
from episodes.schedule import worker as worker_module
from episodes.tests.ingest.conftest import command
from episodes.tests.loopback import Loopback

from .conftest import FEED, START, Clock, add_source, worker

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


def test_a_new_source_is_read_at_once_and_then_when_it_is_due(web: Loopback, clock: Clock) -> None:
    add_source(web)
    runner = worker(web, clock)
    assert runner.read() == ["taken"]
    clock.passes(minutes=20)
    assert runner.read() == []
    clock.passes(minutes=15)
    assert runner.read() == ["unchanged"]


def test_sources_of_one_host_are_read_one_after_the_other_with_a_pause(web: Loopback, clock: Clock) -> None:
    for name in ("looms", "reeds", "heddles"):
        add_source(web, name)
    assert worker(web, clock).read() == ["taken"] * 3
    assert clock.now - START >= timedelta(seconds=4)


def test_paused_shows_and_saved_copies_are_left_alone(web: Loopback, clock: Clock) -> None:
    add_source(web)
    saved = add_source(web, "saved")
    Source.objects.filter(pk=saved.pk).update(address="")
    Podcast.objects.filter(slug="looms").update(status=Status.PAUSED)
    assert worker(web, clock).read() == []
    Podcast.objects.filter(slug="looms").update(status=Status.ACTIVE)
    clock.passes(minutes=2)
    assert worker(web, clock).read() == ["taken"]


def test_a_source_with_another_address_is_due_at_once(web: Loopback, clock: Clock) -> None:
    source = add_source(web)
    runner = worker(web, clock)
    runner.read()
    web.routes["/moved"] = web.routes["/looms"]
    Source.objects.filter(pk=source.pk).update(address=web.address("/moved"))
    clock.passes(minutes=2)
    assert runner.read() in (["taken"], ["unchanged"])
    assert web.requests[-1].path == "/moved"


def test_a_source_that_is_claimed_is_nobody_elses_until_the_claim_runs_out(web: Loopback, clock: Clock) -> None:
    add_source(web)
    claims.add_missing(clock())
    row = claims.claim("one", clock(), 10 * MINUTE)
    assert row is not None
    assert claims.claim("two", clock(), 10 * MINUTE) is None
    claims.extend(row, "one", clock() + 20 * MINUTE)
    assert claims.claim("two", clock() + 15 * MINUTE, 10 * MINUTE) is None
    assert claims.claim("two", clock() + 21 * MINUTE, 10 * MINUTE) == row
    claims.release(row, "one", clock())  # it comes back to life, and ends nothing of the other's
    assert SourceSchedule.objects.get().worker == "two"


def test_a_host_is_held_by_one_worker_even_where_two_claim_at_one_moment(web: Loopback, clock: Clock) -> None:
    for name in ("looms", "reeds"):
        add_source(web, name)
    claims.add_missing(clock())
    first = SourceSchedule.objects.all()[0]
    SourceSchedule.objects.filter(pk=first.pk).update(worker="one", held_until=clock() - MINUTE)
    assert claims.claim("two", clock(), MINUTE) is not None
    assert SourceSchedule.objects.exclude(worker="").get().worker == "two"
    assert claims.claim("three", clock(), MINUTE) is None


def test_a_claim_is_for_ten_minutes_at_first(web: Loopback, clock: Clock) -> None:
    add_source(web)
    runner = worker(web, clock)
    claimed = []

    def slow(request: object) -> tuple[int, dict[str, str], bytes]:
        clock.passes(minutes=6)
        return 200, {}, b"<rss><channel><title>Looms</title></channel></rss>"

    web.routes["/looms"] = slow
    runner.worker.watch = lambda message: claimed.append(SourceSchedule.objects.get().held_until)
    runner.read()
    assert claimed[0] == START + 10 * MINUTE
    assert SourceSchedule.objects.get().worker == ""


def test_a_claim_is_extended_while_steps_go_on(web: Loopback, clock: Clock) -> None:
    add_source(web)
    runner = worker(web, clock)
    claims.add_missing(clock())
    row = claims.claim(runner.worker.name, clock(), 10 * MINUTE)
    assert row is not None
    step = runner.worker._holding(row)
    for _ in range(4):
        clock.passes(minutes=6)
        step("fetching")
    assert SourceSchedule.objects.get().held_until == clock() + 10 * MINUTE


def test_one_source_that_breaks_the_reader_does_not_stop_the_others(
    web: Loopback, clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("looms", "reeds"):
        add_source(web, name)
    real: Callable[..., object] = worker_module.read_source  # type: ignore[attr-defined]

    def broken(source: Source, *rest: object) -> object:
        if source.podcast.slug == "looms":
            monkeypatch.setattr("episodes.gather.reading.feed.read", lambda *a, **k: iter([][0]))
        try:
            return real(source, *rest)
        finally:
            monkeypatch.undo()
            monkeypatch.setattr(worker_module, "read_source", broken)

    monkeypatch.setattr(worker_module, "read_source", broken)
    assert worker(web, clock).read() == ["failed", "taken"]
    assert "IndexError" in caplog.text


def test_a_database_that_does_not_answer_is_waited_for(
    web: Loopback, clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    runner = worker(web, clock)
    calls = []

    def down() -> bool:
        calls.append(clock())
        runner.worker.stopped = len(calls) == 3
        if len(calls) < 3:
            raise OperationalError("server closed the connection")
        return True

    monkeypatch.setattr(runner.worker, "read_next", down)
    monkeypatch.setattr(worker_module, "connection", type("Closed", (), {"close": lambda: None}))
    runner.worker.run()
    assert len(calls) == 3
    assert caplog.text.count("The database does not answer") == 1


def test_it_sleeps_until_something_is_due_and_no_longer_than_a_minute(web: Loopback, clock: Clock) -> None:
    add_source(web)
    runner = worker(web, clock)
    runner.read()
    SourceSchedule.objects.update(next_at=clock() + timedelta(seconds=20), held_until=None)
    clock.slept.clear()
    runner.worker.rest()
    SourceSchedule.objects.update(next_at=clock() + HOUR)
    runner.worker.rest()
    assert clock.slept == [20, 60]


def test_looking_for_the_next_event_loads_no_plan(web: Loopback, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    add_source(web)
    claims.add_missing(clock())
    assert claims.next_event(clock()) is None  # due and free: nothing to wait for
    SourceSchedule.objects.update(held_until=clock() + 3 * MINUTE)
    loaded: list[object] = []
    monkeypatch.setattr(SourceSchedule, "from_db", lambda *row: loaded.append(row))
    assert claims.next_event(clock()) == START + 3 * MINUTE
    assert loaded == []


def test_links_are_checked_a_share_each_hour(web: Loopback, clock: Clock, catalog: None) -> None:
    runner = worker(web, clock)
    checked = []
    runner.worker._check_links = lambda: checked.append(clock())  # type: ignore[method-assign]
    object.__setattr__(runner.worker.schedule, "check_links", True)
    Source.objects.update(address="")
    for _ in range(5):
        runner.worker.look_around()
        clock.passes(minutes=30)
    assert checked == [START + HOUR, START + 2 * HOUR]
    assert Link.objects.exists()
    assert not LinkCheck.objects.exists()


# --- The command -----------------------------------------------------------------------------------------------------


def test_once_reads_what_is_due_and_prints_troubles_alone(web: Loopback, settings: object) -> None:
    settings.FETCH_ALLOW = web.allow  # type: ignore[attr-defined]
    add_source(web)
    quiet = command("run_schedule", "--once")
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")
    assert IngestRun.objects.get().outcome == "taken"
    SourceSchedule.objects.update(next_at=START, held_until=None)
    assert command("run_schedule", "--once", verbosity=2).out.startswith("feed: 1 items: 0 new")
    web.routes["/looms"] = (404, {}, b"")
    SourceSchedule.objects.update(next_at=START, held_until=None)
    failed = command("run_schedule", "--once")
    assert (failed.code, failed.out) == (1, "")
    assert failed.err.startswith(f"feed: failed: {web.address('/looms')} answered 404 Not Found")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_runs_until_it_is_told_to_stop_and_ends_the_source_in_hand(
    web: Loopback, settings: object, number: signal.Signals
) -> None:
    settings.FETCH_ALLOW = web.allow  # type: ignore[attr-defined]
    before = signal.getsignal(number)
    for name in ("looms", "reeds"):
        add_source(web, name)

    def told_to_stop(request: object) -> tuple[int, dict[str, str], bytes]:
        signal.raise_signal(number)
        return 200, {}, FEED

    web.routes["/looms"] = told_to_stop
    ran = command("run_schedule")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("looms · feed: 1 items: 1 new")
    assert ran.out.count("\n") == 1
    assert (signal.getsignal(number), SourceSchedule.objects.get(source__podcast__slug="looms").worker) == (before, "")


def test_checks_of_links_end_between_two_of_them(
    web: Loopback, clock: Clock, catalog: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = worker(web, clock)
    asked = []

    def checked(limit: int, lately: timedelta, *, watch: Callable[[str], None], **_: object) -> None:
        for number in range(10):
            watch(f"{number}")
            asked.append(number)
            runner.worker.stopped = number == 3

    monkeypatch.setattr(worker_module, "check_links", checked)
    runner.worker._check_links()
    assert asked == [0, 1, 2, 3]


def test_what_all_workers_do_once_is_done_once(db: None, clock: Clock) -> None:
    assert [marks.begin("fire", clock()) for _ in range(2)] == [True, False]
    assert [marks.end("fire") for _ in range(2)] == [True, False]
    assert not marks.is_turn("digest", HOUR, clock())
    clock.passes(hours=1)
    assert [marks.is_turn("digest", HOUR, clock()) for _ in range(2)] == [True, False]
