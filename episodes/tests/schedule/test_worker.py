"""The jobs by a clock that the test moves: what is read when, what is left alone, who may store, and how it ends."""

import shutil
import signal
from collections.abc import Callable
from datetime import timedelta
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from django.conf import LazySettings
from django.core.management import call_command
from django.db import OperationalError

from episodes import queue
from episodes.gather import LimitExceeded
from episodes.gather.sources import feed
from episodes.ingest import ImportReport, LostClaim, fetch_and_import_source
from episodes.models import (
    Capture,
    CatalogState,
    IngestRun,
    Item,
    Podcast,
    ScheduleMark,
    Source,
    SourceSchedule,
    Status,
)
from episodes.publish import Published
from episodes.records import FetchedDocument, ParsedPage, Show
from episodes.resolve import waiting_states
from episodes.schedule import (
    HOST_PAUSE,
    JOBS,
    AlreadyRunning,
    Job,
    JobContext,
    begin_attempt_and_return_token,
    due_or_unfinished_plans,
    host_slot,
    iterate_due_jobs_with_keys,
    last_attempt_at_host_slot,
    links,
    plan_new_and_moved_sources,
    plan_new_sources_and_return_due_slots,
    publish,
    read_host,
    repeat_despite_errors_until_stopped,
    try_to_begin_next_period,
)
from episodes.tests.ingest.conftest import command
from episodes.tests.loopback import Loopback

from .conftest import FEED, START, Clock, Runner, add_source, worker

HOUR = timedelta(hours=1)


def test_source_is_read_when_new_due_or_moved(web: Loopback, clock: Clock, runner: Runner) -> None:
    source = add_source(web)
    assert runner.read() == ["taken"]
    clock.passes(minutes=20)
    assert runner.read() == []
    clock.passes(minutes=15)
    assert runner.read() == ["unchanged"]
    web.routes["/moved"] = web.routes["/looms"]
    Source.objects.filter(pk=source.pk).update(address=web.address("/moved"))
    assert runner.read() in (["taken"], ["unchanged"])
    assert web.requests[-1].path == "/moved"


def test_sources_of_one_host_are_read_with_pauses(web: Loopback, clock: Clock, runner: Runner) -> None:
    for name in ("looms", "reeds", "heddles"):
        add_source(web, name)
    assert runner.read() == ["taken"] * 3
    assert clock.slept == [2.0, 2.0]


def test_paused_shows_and_saved_copies_are_left_alone(web: Loopback, clock: Clock) -> None:
    add_source(web)
    saved = add_source(web, "saved")
    Source.objects.filter(pk=saved.pk).update(address="")
    Podcast.objects.filter(slug="looms").update(status=Status.PAUSED)
    assert worker(web, clock).read() == []
    Podcast.objects.filter(slug="looms").update(status=Status.ACTIVE)
    assert worker(web, clock).read() == ["taken"]


def test_host_has_slots_as_set(web: Loopback, clock: Clock, settings: LazySettings) -> None:
    numbers = [add_source(web, name).pk for name in ("looms", "reeds", "heddles")]
    plan_new_and_moved_sources(clock())
    host = SourceSchedule.objects.all()[0].host
    assert plan_new_sources_and_return_due_slots(clock()) == [f"{host}/0"]
    settings.HOST_SLOTS = {host: 2}
    assert sorted(plan_new_sources_and_return_due_slots(clock())) == [f"{host}/0", f"{host}/1"]
    parts = [[row.source_id for row in due_or_unfinished_plans(f"{host}/{part}", clock())] for part in (0, 1)]
    assert sorted(parts[0] + parts[1]) == sorted(numbers)
    assert all(number % 2 == part for part in (0, 1) for number in parts[part])
    longer = max((0, 1), key=lambda part: len(parts[part]))
    for hours, number in zip((3, 1), parts[longer], strict=True):
        SourceSchedule.objects.filter(source=number).update(attempted_at=START + hours * HOUR)
    attempts = [last_attempt_at_host_slot(f"{host}/{longer}"), last_attempt_at_host_slot(f"{host}/{1 - longer}")]
    assert attempts == [START + 3 * HOUR, None]
    assert last_attempt_at_host_slot("b.example/0") is None


def test_host_with_many_sources_leaves_others_a_turn(web: Loopback, clock: Clock, runner: Runner) -> None:
    for name in ("looms", "reeds"):
        add_source(web, name)

    def slow(request: object) -> tuple[int, dict[str, str], bytes]:
        clock.passes(seconds=61)
        return 200, {}, FEED

    web.routes["/looms"] = slow
    (slot,) = plan_new_sources_and_return_due_slots(clock())
    read_host.run(runner.work, slot)
    assert len(runner.reports) == 1
    assert plan_new_sources_and_return_due_slots(clock()) == [slot]


@pytest.mark.parametrize("headers, pause", [({"Retry-After": "600"}, 600), ({}, 1800)])
def test_no_address_of_host_is_asked_after_429(
    web: Loopback, clock: Clock, headers: dict[str, str], pause: int, runner: Runner
) -> None:
    for name in ("looms", "reeds", "heddles", "pirns"):
        add_source(web, name)
    web.routes["/reeds"] = (429, headers, b"")
    assert runner.read() == ["taken", "failed"]
    add_source(web, "shuttles")
    clock.passes(seconds=pause - 60)
    assert runner.read() == []
    clock.passes(seconds=60)
    runner.read()
    paths = [request.path for request in web.requests]
    assert paths[:2] == ["/looms", "/reeds"]
    assert {"/heddles", "/pirns", "/shuttles"} < set(paths)


def test_slots_of_a_host_share_its_pause(web: Loopback, clock: Clock, settings: LazySettings, runner: Runner) -> None:
    settings.HOST_SLOTS = {"127.0.0.1": 2}
    first, second = add_source(web, "looms"), add_source(web, "reeds")
    assert len(plan_new_sources_and_return_due_slots(clock())) == 2
    web.routes["/looms"] = (429, {"Retry-After": "600"}, b"")
    read_host.run(runner.work, host_slot("127.0.0.1", first.pk))
    read_host.run(runner.work, host_slot("127.0.0.1", second.pk))
    assert [request.path for request in web.requests] == ["/looms"]


@pytest.mark.on_both
def test_worker_without_its_claim_stores_nothing(web: Loopback, clock: Clock, runner: Runner) -> None:
    source = add_source(web)
    (slot,) = plan_new_sources_and_return_due_slots(clock())

    # It stands still as it is about to fetch, and another takes over.
    runner.work.on_progress = lambda message: (
        begin_attempt_and_return_token(SourceSchedule.objects.get(), clock()),
        None,
    )[1]
    read_host.run(runner.work, slot)
    assert runner.reports == []
    assert [rows.exists() for rows in (Item.objects, Capture.objects, IngestRun.objects)] == [False] * 3
    assert SourceSchedule.objects.get().token
    with pytest.raises(LostClaim):
        fetch_and_import_source(source, runner.work.options, clock, token="older")
    web.routes["/looms"] = (404, {}, b"")  # nor does it note a failure
    with pytest.raises(LostClaim):
        fetch_and_import_source(source, runner.work.options, clock, token="older")
    assert not IngestRun.objects.exists()


@pytest.mark.on_both
def test_import_by_hand_takes_source_from_worker(web: Loopback, clock: Clock, runner: Runner) -> None:
    source = add_source(web)
    plan_new_and_moved_sources(clock())
    token = begin_attempt_and_return_token(SourceSchedule.objects.get(), clock())
    options = runner.work.options
    assert fetch_and_import_source(source, options, clock).outcome == "taken"
    with pytest.raises(LostClaim):
        fetch_and_import_source(source, options, clock, token=token)


def test_unfinished_source_is_read_by_next_of_slot(web: Loopback, clock: Clock, runner: Runner) -> None:
    add_source(web)
    (slot,) = plan_new_sources_and_return_due_slots(clock())
    begin_attempt_and_return_token(SourceSchedule.objects.get(), clock())
    assert plan_new_sources_and_return_due_slots(clock()) == []  # in hand: nobody puts it in a second time
    assert [row.source.podcast.slug for row in due_or_unfinished_plans(slot, clock())] == ["looms"]
    other = add_source(web, "reeds")  # the unfinished one comes last: it may end the process again
    plan_new_and_moved_sources(clock())
    assert [row.source.podcast.slug for row in due_or_unfinished_plans(slot, clock())] == ["reeds", "looms"]
    other.delete()
    clock.passes(seconds=599)
    assert plan_new_sources_and_return_due_slots(clock()) == []
    clock.passes(seconds=1)
    assert plan_new_sources_and_return_due_slots(clock()) == [slot]  # whatever became of the job
    SourceSchedule.objects.update(next_at=clock() + HOUR)
    assert runner.read() == ["taken"]  # the one process of SQLite begins with it
    row = SourceSchedule.objects.get()
    assert (row.token, row.attempts) == ("", 0)


def test_source_that_ends_its_process_has_failed(web: Loopback, clock: Clock, runner: Runner) -> None:
    add_source(web)
    with mock.patch.object(runner.work, "on_progress", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        runner.read()
    row = SourceSchedule.objects.get()
    assert (row.attempts, row.attempted_at) == (1, START), "stored before the reading"
    for attempts, outcome in ((1, "taken"), (3, "failed")):
        SourceSchedule.objects.update(next_at=clock())
        for _ in range(attempts):
            begin_attempt_and_return_token(SourceSchedule.objects.get(), clock())
        assert runner.read() == [outcome]
    row = SourceSchedule.objects.get()
    assert (row.failures, row.attempts, len(web.requests)) == (1, 0, 1)
    assert row.next_at is not None
    assert row.next_at > clock() + timedelta(minutes=20)


@pytest.fixture
def hostile(web: Loopback, clock: Clock, settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The shows of ten hosts, whose feeds take a minute and are refused."""

    def read(page: FetchedDocument, show: Show) -> ParsedPage:
        if b"hostile" in page.body:
            clock.passes(minutes=1)
            raise LimitExceeded("reading it takes more than 60 s of CPU time")
        return whole(page, show)

    whole = feed.read
    monkeypatch.setattr(feed, "read", read)
    names = [f"hostile-{number}" for number in range(10)]
    for name in names:
        web.routes[f"/{name}"] = (200, {}, FEED.replace(b"Cards", f"{name} cards".encode()))
        add_source(web, name)
    plan_new_and_moved_sources(clock())
    settings.HOST_SLOTS = {SourceSchedule.objects.all()[0].host: 99}
    return names


def test_others_come_before_ten_hostile_sources(
    web: Loopback, clock: Clock, hostile: list[str], runner: Runner
) -> None:
    add_source(web, "looms")
    assert runner.read() == ["refused"] * 10 + ["taken"]
    clock.passes(minutes=35)
    SourceSchedule.objects.update(next_at=clock() - HOUR)
    SourceSchedule.objects.filter(source__podcast__slug="looms").update(next_at=clock())
    assert runner.read() == ["unchanged"] + ["refused"] * 10


def test_due_source_waits_for_one_host_only(web: Loopback, clock: Clock, hostile: list[str], runner: Runner) -> None:
    looms = add_source(web, "looms")
    plan_new_and_moved_sources(clock())
    SourceSchedule.objects.filter(source=looms).update(next_at=clock() + timedelta(seconds=90))
    SourceSchedule.objects.exclude(source=looms).update(failures=1)
    assert runner.read() == ["refused"] * 2 + ["taken"] + ["refused"] * 8


@pytest.mark.on_both
def test_failed_step_does_not_end_the_loop(
    runner: Runner, clock: Clock, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("episodes.schedule.connection", type("Closed", (), {"close": lambda: None}))
    away = OperationalError("server closed the connection")
    errors = iter([away, away, ZeroDivisionError(), None])

    def step() -> None:
        if error := next(errors):
            raise error
        runner.work.stopped = True

    repeat_despite_errors_until_stopped(runner.work, step)
    assert clock.slept == [10, 10, 10]
    assert caplog.text.count("The database does not answer") == 1
    assert caplog.text.count("Work in the background failed; going on") == 1


def test_links_are_checked_a_share_each_hour(
    web: Loopback, clock: Clock, catalog: None, settings: LazySettings, monkeypatch: pytest.MonkeyPatch, runner: Runner
) -> None:
    settings.CHECK_LINKS = True
    checked = []

    def check(share: int, period: timedelta, *, must_stop: Callable[[], bool], **_: object) -> None:
        checked.append((clock() - START, share, must_stop(), period))

    monkeypatch.setattr("episodes.schedule.check_and_title_links", check)
    Source.objects.update(address="")
    for _ in range(5):
        runner.read()
        clock.passes(minutes=30)
    assert [row[0] for row in checked] == [HOUR, 2 * HOUR]
    assert checked[0][1:] == (1, False, timedelta(days=30))


def test_daily_backup_is_written_and_fourteen_kept(
    web: Loopback,
    clock: Clock,
    settings: LazySettings,
    tmp_path: Path,
    runner: Runner,
    capfd: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "backups"
    assert [job.name for job, _ in iterate_due_jobs_with_keys(JobContext(clock=clock))] == []
    settings.BACKUP_FOLDER = str(folder)
    settings.BACKUP_PASSPHRASE = ""
    runner.read()
    folder.mkdir()
    for day in range(1, 17):
        (folder / f"2025-12-{day:02}.catalog").touch()
    (folder / "mine.catalog").touch()
    (folder / "2026-01-06.catalog").touch()  # of a run that was stopped
    clock.passes(hours=24)
    runner.read()
    names = sorted(path.name for path in folder.iterdir())
    assert names == [*(f"2025-12-{day:02}.catalog" for day in range(4, 17)), "2026-01-06.catalog", "mine.catalog"]
    call_command("backup", str(folder / "2026-01-06.catalog"), check=True, verbosity=0)
    shutil.rmtree(folder)
    clock.passes(hours=24)
    runner.read()
    assert [path.name for path in folder.iterdir()] == ["2026-01-07.catalog"], "the folder is made anew"
    assert capfd.readouterr() == ("", ""), "cron would mail it"


def test_unwritable_folder_stops_no_reading(
    web: Loopback, clock: Clock, settings: LazySettings, tmp_path: Path, runner: Runner
) -> None:
    (tmp_path / "file").write_text("")
    settings.BACKUP_FOLDER = str(tmp_path / "file" / "below")
    settings.PUBLISH_FOLDER = str(tmp_path / "file")
    settings.PUBLISH_ADDRESS = "https://copy.example"
    runner.read()
    clock.passes(hours=24)
    assert runner.read() == ["failed", "failed"]
    add_source(web)
    clock.passes(hours=24)
    assert runner.read() == ["taken", "failed", "failed"]


def test_copy_is_published_daily_into_set_folder(
    web: Loopback, clock: Clock, settings: LazySettings, monkeypatch: pytest.MonkeyPatch, runner: Runner
) -> None:
    called: list[tuple[object, ...]] = []
    settings.PUBLISH_FOLDER = "/srv/copy"
    monkeypatch.setattr("episodes.schedule.call_command", lambda *words, **_: called.append(words))
    for hours in (0, 23, 1):
        clock.passes(hours=hours)
        runner.read()
    assert [words for words in called if words[0] == "publish"] == [("publish", "/srv/copy")]


def change_show() -> None:
    CatalogState.mark_changed(Podcast.objects.get(slug="waits"), START)


@pytest.fixture
def waiting_at(db: None) -> Callable[[], list[str]]:
    Podcast.objects.create(slug="waits", title="Waits")
    return lambda: [state.podcast.slug for state in waiting_states()]


def test_waiting_show_is_resolved_between_two_sources(
    web: Loopback, clock: Clock, waiting_at: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch, runner: Runner
) -> None:
    seen = []

    def read(source: Source, *_: object, **__: object) -> ImportReport:
        plan = SourceSchedule.objects.get(source=source)
        seen.append((waiting_at(), plan.attempts, plan.attempted_at))
        change_show()
        return ImportReport(source.slug, "unchanged")

    monkeypatch.setattr("episodes.schedule.fetch_and_import_source", read)
    for name in ("looms", "reeds"):
        add_source(web, name)
    change_show()
    runner.read()
    assert seen == [([], 1, START), ([], 1, START + HOST_PAUSE)]
    assert waiting_at() == []


@pytest.mark.parametrize("job", [links, publish])
def test_waiting_show_is_resolved_between_links_and_pages(
    job: Job,
    waiting_at: Callable[[], list[str]],
    settings: LazySettings,
    monkeypatch: pytest.MonkeyPatch,
    runner: Runner,
) -> None:
    def check(*_: object, must_stop: Callable[[], bool], **__: object) -> None:
        change_show()
        assert not must_stop()
        assert waiting_at() == []

    def make(folder: Path, home: str, watch: Callable[[str], None]) -> Published:
        change_show()
        watch("1 page made")
        assert waiting_at() == []
        return Published(1, 1, 0, 1)

    monkeypatch.setattr("episodes.schedule.check_and_title_links", check)
    monkeypatch.setattr("episodes.management.commands.publish.publish_site", make)
    settings.PUBLISH_FOLDER, settings.PUBLISH_ADDRESS = "/srv/copy", "https://copy.example"
    runner.read()
    job.run(runner.work, "")


def test_loop_shows_every_few_seconds_that_it_lives(web: Loopback, clock: Clock, runner: Runner) -> None:
    beats = []
    for seconds in (0, 3, 1, 10):
        clock.passes(seconds=seconds)
        runner.read()
        beats.append((ScheduleMark.objects.get(key=ScheduleMark.BEAT).at - START).total_seconds())
    assert beats == [0, 0, 4, 14]


@pytest.fixture
def queued_runs(db: None, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """How workers on PostgreSQL ran, whose engine is left out. One job is due."""
    runs: list[dict[str, object]] = []
    due = iter([1, 0, 0])

    def work(tasks: object, sweep: Callable[[], object], on_stop_signal: Callable[[], None], **how: object) -> None:
        runs.append(how)
        sweep()
        on_stop_signal()

    monkeypatch.setattr(queue, "is_queued", lambda: True)
    monkeypatch.setattr(queue, "enqueue_due_and_count_waiting", lambda *_: next(due))
    monkeypatch.setattr(queue, "run_worker", work)
    return runs


@pytest.mark.parametrize("queues, beats", [("follow_ups,links", 1), ("links", 0)])
def test_sweep_of_resolving_worker_is_a_beat(queued_runs: object, queues: str, beats: int) -> None:
    command("work", "--queues", queues)
    assert ScheduleMark.objects.filter(key=ScheduleMark.BEAT).count() == beats


@pytest.mark.on_both
def test_claims_of_a_period_give_one_job(db: None, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not try_to_begin_next_period("digest", HOUR, clock())
    clock.passes(hours=1)
    assert [try_to_begin_next_period("digest", HOUR, clock()) for _ in range(2)] == [True, False]
    clock.passes(hours=1)
    find = ScheduleMark.objects.get_or_create
    claims: list[bool] = []

    def find_while_another_claims(**values: Any) -> tuple[ScheduleMark, bool]:
        found = find(**values)
        if not claims:
            claims.append(False)
            claims[0] = try_to_begin_next_period("digest", HOUR, clock())
        return found

    monkeypatch.setattr(ScheduleMark.objects, "get_or_create", find_while_another_claims)
    claims.append(try_to_begin_next_period("digest", HOUR, clock()))
    assert claims == [True, False]


@pytest.mark.on_both
def test_two_workers_queue_a_periodic_job_once(web: Loopback, clock: Clock, settings: LazySettings) -> None:
    settings.PING_URL = web.address("/alive")
    settings.BACKUP_FOLDER = "/srv/backups"
    workers = [worker(web, clock).work, worker(web, clock).work]
    assert [list(iterate_due_jobs_with_keys(work)) for work in workers] == [[], []]
    clock.passes(hours=24)
    first, second = workers
    for job, _ in iterate_due_jobs_with_keys(first):
        assert job.name == "send_notices"
        first.stopped = True  # so it claims no further job
    queued = [sorted(job.name for job, _ in iterate_due_jobs_with_keys(work)) for work in (second, second)]
    assert queued == [["backup", "ping", "proposals", "tidy"], []]


@pytest.mark.parametrize("words, once", [(["--once"], True), ([], False)])
def test_queued_schedule_works_one_job_at_a_time(
    queued_runs: list[dict[str, object]], words: list[str], once: bool
) -> None:
    command("run_schedule", *words)
    assert [(run["max_parallel_jobs"], run["once"]) for run in queued_runs] == [(1, once)]


def test_once_reads_due_sources_and_prints_only_troubles(web: Loopback, settings: LazySettings) -> None:
    settings.FETCH_ALLOW = web.allow
    add_source(web)
    quiet = command("run_schedule", "--once")
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")
    assert IngestRun.objects.get().outcome == "taken"
    SourceSchedule.objects.update(next_at=START)
    assert command("run_schedule", "--once", verbosity=2).out.startswith("feed: 1 items: 0 new")
    web.routes["/looms"] = (404, {}, b"")
    SourceSchedule.objects.update(next_at=START)
    failed = command("run_schedule", "--once")
    assert (failed.code, failed.out) == (1, "")
    assert failed.err.startswith(f"feed: failed: {web.address('/looms')} answered 404 Not Found")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_stops_after_the_source_in_hand(web: Loopback, settings: LazySettings, number: signal.Signals) -> None:
    settings.FETCH_ALLOW = web.allow
    before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    for name in ("looms", "reeds"):
        add_source(web, name)

    def told_to_stop(request: object) -> tuple[int, dict[str, str], bytes]:
        signal.raise_signal(number)
        return 200, {}, FEED

    web.routes["/looms"] = told_to_stop
    try:
        ran = command("run_schedule")
    finally:
        signal.signal(signal.SIGTERM, before[0])
        signal.signal(signal.SIGINT, before[1])
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("looms · feed: 1 items: 1 new")
    assert ran.out.count("\n") == 1
    assert SourceSchedule.objects.get(source__podcast__slug="looms").token == ""


def test_second_process_is_kept_out_by_lock(web: Loopback, clock: Clock, tmp_path: Path) -> None:
    with (tmp_path / "lock").open("a") as held:
        flock(held, LOCK_EX)
        with pytest.raises(AlreadyRunning):
            worker(web, clock).read()
        held.write("4711")
        held.flush()
        words = "Another run_schedule is working on this database (process 4711)."
        refused = command("run_schedule")
        assert (refused.code, words in refused.err) == (3, True)
        quiet = command("run_schedule", "--once")
        assert (quiet.code, quiet.out, quiet.err) == (0, "", "")
        assert command("run_schedule", "--once", verbosity=2).out == f"{words} Nothing to do.\n"
    assert worker(web, clock).read() == []


def test_workers_need_postgresql_and_the_names_of_jobs(db: None) -> None:
    refused = command("work")
    assert (refused.code, "run_schedule" in refused.err) == (2, True)
    unknown = command("work", "--queues", "read_host,knit")
    assert (unknown.code, "knit" in unknown.err) == (2, True)
    jobs = "backup follow_ups links meanings ping proposals publish read_host send_notices tidy"
    assert sorted(JOBS) == jobs.split()


def test_watcher_is_pinged_every_five_minutes(
    web: Loopback, clock: Clock, settings: LazySettings, runner: Runner
) -> None:
    settings.PING_URL = web.address("/alive")
    web.routes["/alive"] = (200, {}, b"")
    for _ in range(12):
        runner.read()
        clock.passes(minutes=1)
    assert [request.path for request in web.requests] == ["/alive"] * 2


def test_a_watcher_that_does_not_answer_stops_nothing(
    web: Loopback, clock: Clock, settings: LazySettings, caplog: pytest.LogCaptureFixture, runner: Runner
) -> None:
    settings.PING_URL = web.address("/nowhere/secret")
    JOBS["ping"].run(runner.work, "")
    assert "PING_URL cannot be reached (404)" in caplog.text
    assert "secret" not in caplog.text
