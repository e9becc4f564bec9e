"""The rhythm in which a source is read, over simulated weeks: by what it publishes, what its server says, and how it fails."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine

from episodes.gather import FetchRun, LimitExceeded, fetch
from episodes.ingest import ImportOptions, fetch_and_import_source, load_document, polling
from episodes.ingest.polling import PollInterval, poll_delay, poll_interval, source_backoff, usual_gap
from episodes.models import CatalogVersion, Document, IngestRun, Podcast, Source, SourceSchedule
from episodes.records import FetchedDocument
from episodes.tests.loopback import Loopback, Request

from .conftest import run

START = datetime(2026, 1, 5, tzinfo=UTC)
HOUR, DAY, WEEK = timedelta(hours=1), timedelta(days=1), timedelta(days=7)
FEEDS = poll_interval("feed")


def feed(episodes: int, more: str = "") -> bytes:
    items = "".join(f"<item><title>Loom {n}</title><guid>{n}</guid></item>" for n in range(episodes, 0, -1))
    return f'<rss version="2.0"><channel><title>Looms</title>{more}{items}</channel></rss>'.replace(
        "</guid>", "</guid><description>Cards and heddles.</description>"
    ).encode()


def due(row: SourceSchedule) -> datetime:
    assert row.next_at is not None
    return row.next_at


class Simulation:
    """A feed on the loopback that publishes one episode each `period`, and its readings when they are due."""

    def __init__(self, web: Loopback, clock: time_machine.Traveller, period: timedelta | None) -> None:
        self.web, self.clock, self.period = web, clock, period
        self.asked: list[datetime] = []
        web.routes["/feed"] = self.answer
        self.source = Podcast.objects.create(slug="looms", title="Looms").sources.create(
            slug="feed", reader="feed", address=web.address("/feed"), may_create=True, complete=True
        )

    def now(self) -> datetime:
        return datetime.now(UTC)

    def answer(self, request: Request) -> tuple[int, dict[str, str], bytes]:
        self.asked.append(self.now())
        if self.period is None:
            return 404, {}, b""
        number = 3 + (self.now() - START) // self.period
        if request.headers.get("if-none-match") == f'"{number}"':
            return 304, {}, b""
        return 200, {"ETag": f'"{number}"'}, feed(number)

    def read(self) -> SourceSchedule:
        fetch_and_import_source(self.source, ImportOptions(allowed_private_hosts=self.web.allow), self.now)
        return SourceSchedule.objects.get()

    def read_until(self, end: datetime) -> None:
        at = self.now()
        while at < end:
            self.clock.move_to(at)
            at = due(self.read())
        self.clock.move_to(end)

    def times_between(self, start: datetime, end: datetime) -> int:
        return sum(start <= at < end for at in self.asked)


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(START, tick=False) as traveller:
        yield traveller


@pytest.fixture
def even(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polling, "JITTER", 0)


def test_weekly_show_is_polled_twenty_times_weekly(web: Loopback, clock: time_machine.Traveller) -> None:
    show = Simulation(web, clock, WEEK)
    show.read_until(START + 4 * WEEK)
    assert show.times_between(START, START + WEEK) < 110  # nobody knows its rhythm yet
    assert 18 <= show.times_between(START + 3 * WEEK, START + 4 * WEEK) <= 25
    taken = IngestRun.objects.filter(outcome="taken").values_list("started_at", flat=True)
    assert max((at - START) % WEEK for at in taken) < 10 * HOUR


def test_hourly_show_is_polled_half_hourly(web: Loopback, clock: time_machine.Traveller) -> None:
    show = Simulation(web, clock, HOUR)
    show.read_until(START + 8 * HOUR)
    assert 14 <= show.times_between(START, START + 8 * HOUR) <= 18


def test_ended_show_is_polled_daily(web: Loopback, clock: time_machine.Traveller, even: None) -> None:
    show = Simulation(web, clock, 1000 * WEEK)
    show.read_until(START + 5 * WEEK)
    assert show.times_between(START + 4 * WEEK, START + 5 * WEEK) == 7


def test_dead_source_backs_off(web: Loopback, clock: time_machine.Traveller, even: None) -> None:
    show = Simulation(web, clock, None)
    show.read_until(START + 20 * WEEK)
    waits = [later - earlier for earlier, later in zip(show.asked, show.asked[1:], strict=False)]
    assert waits[:4] == [HOUR / 2, HOUR, 2 * HOUR, 4 * HOUR]
    assert waits[8:10] == [128 * HOUR, WEEK]
    assert waits[-1] == WEEK
    show.period = WEEK
    row = show.read()
    assert (row.failures, row.failing_since) == (0, None)
    assert due(row) <= show.now() + HOUR


@pytest.fixture
def mill(db: None) -> Source:
    podcast = Podcast.objects.create(slug="mill", title="Mill")
    return podcast.sources.create(slug="feed", reader="feed", address="https://a.example/feed")


def test_early_change_keeps_the_rhythm() -> None:
    gap = usual_gap(None, WEEK)
    assert gap == WEEK
    assert (usual_gap(gap, 10 * HOUR / 60) or HOUR) > 4 * DAY
    assert usual_gap(10 * HOUR, 20 * HOUR) == 13 * HOUR


def test_refused_document_is_polled_daily() -> None:
    waits = [source_backoff(FEEDS, n * DAY, is_refused=True).wait(n) for n in (1, 5, 9, 20)]
    assert waits == [HOUR / 2, 8 * HOUR, DAY, DAY]


def test_document_that_exceeds_a_limit_waits_a_day(mill: Source, even: None) -> None:
    trouble = LimitExceeded("reading it takes more than 60 s of CPU time")
    polling.plan_next_poll(mill, polling.PollResult("refused", trouble=trouble), START)
    assert due(SourceSchedule.objects.get()) == START + DAY


def test_run_of_many_files_ends_after_a_minute(db: None) -> None:
    now = START

    def clock() -> datetime:
        return now

    run_of_files = FetchRun("feed", HOUR, clock, lambda message: None)
    fetched = []
    documents = (Document(address=f"https://{n}.example/words.vtt") for n in range(9))
    for document in run_of_files.iterate_rows_to_fetch_and_count_attempts(documents):
        fetched.append(document.address[8])
        now += timedelta(seconds=25)
    assert fetched == ["0", "1", "2"]


def test_bounds_are_settings(web: Loopback, clock: time_machine.Traveller, settings: Any) -> None:
    settings.FEEDS_EVERY = [5, 6]
    Simulation(web, clock, WEEK)
    run("feed")
    left = due(SourceSchedule.objects.get()) - START
    assert timedelta(minutes=4) < left < timedelta(minutes=6)
    assert poll_delay(PollInterval(HOUR, DAY), None, timedelta()) == HOUR


def test_retry_after_lasts_at_most_a_week(web: Loopback, clock: time_machine.Traveller) -> None:
    show = Simulation(web, clock, WEEK)
    show.read()
    web.routes["/feed"] = (503, {"Retry-After": "999999999"}, b"")
    assert due(show.read()) == START + WEEK
    asked = len(web.requests)
    for _ in range(3):
        ran = run("feed")
        assert "asked us to wait until 2026-01-12 00:00 UTC; pass --now to ask anyway" in ran.err
    assert (len(web.requests), SourceSchedule.objects.get().failures) == (asked, 1)
    web.routes["/feed"] = show.answer
    assert run("feed", "--now").code == 0
    assert due(SourceSchedule.objects.get()) < START + HOUR


def test_busy_host_pauses_all_its_feeds(web: Loopback, clock: time_machine.Traveller) -> None:
    show = Simulation(web, clock, WEEK)
    web.routes["/other"] = (200, {}, feed(2))
    other = show.source.podcast.sources.create(slug="other", reader="feed", address=web.address("/other"))
    fetch_and_import_source(other, ImportOptions(allowed_private_hosts=web.allow), show.now)
    web.routes["/feed"] = (429, {"Retry-After": "7200"}, b"")
    show.source.refresh_from_db()
    fetch_and_import_source(show.source, ImportOptions(allowed_private_hosts=web.allow), show.now)
    assert SourceSchedule.objects.get(source=other).next_at == START + 2 * HOUR


def test_import_by_hand_leaves_host_after_429(web: Loopback, clock: time_machine.Traveller) -> None:
    show = Simulation(web, clock, WEEK)
    web.routes |= {"/feed": (429, {}, b""), "/other": (200, {}, feed(2))}
    Source.objects.create(podcast=show.source.podcast, slug="other", reader="feed", address=web.address("/other"))
    ran = run("feed", "other")
    assert ran.code == 1
    assert "other: failed: the server asked us to wait until 2026-01-05 00:30 UTC" in ran.err
    assert [request.path for request in web.requests] == ["/feed"]
    assert run("other", "--now").code == 0


def test_import_counts_as_poll_unless_dry(web: Loopback, clock: time_machine.Traveller) -> None:
    Simulation(web, clock, WEEK)
    run("feed", "--dry-run")
    assert not SourceSchedule.objects.exists()
    run("feed")
    assert SourceSchedule.objects.get().attempted_at == START
    run(web.address("/feed"))
    assert IngestRun.objects.count() == 2


def test_unchanged_poll_keeps_pages(web: Loopback, clock: time_machine.Traveller) -> None:
    show = Simulation(web, clock, WEEK)
    show.read()
    show.read()
    before = CatalogVersion.latest()[0]
    assert show.read().attempted_at == START
    assert CatalogVersion.latest()[0] == before


def test_internal_fault_is_failed_and_logged_poll(
    web: Loopback, clock: time_machine.Traveller, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    show = Simulation(web, clock, WEEK)

    def broken(*_: object, **__: object) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr("episodes.ingest.plausibility.parse_version", broken)
    row = show.read()
    assert (row.failures, due(row) > START) == (1, True)
    assert IngestRun.objects.get().reason == "internal error (RecursionError); the log says more"
    assert "too deep" in caplog.text


def test_edit_during_fetch_stays(web: Loopback, clock: time_machine.Traveller, monkeypatch: pytest.MonkeyPatch) -> None:
    show = Simulation(web, clock, WEEK)
    show.read()

    def edited_meanwhile(*given: Any, **more: Any) -> FetchedDocument | None:
        Podcast.objects.update(title="Handlooms")
        return fetch(*given, **more)

    monkeypatch.setattr(load_document, "fetch", edited_meanwhile)
    web.routes["/feed"] = (200, {}, feed(4).replace(b"<title>Looms", b"<title>Power looms"))
    show.source = Source.objects.select_related("podcast").get()
    show.read()
    assert IngestRun.objects.latest("pk").outcome == "taken"
    assert Podcast.objects.get().title == "Handlooms"
