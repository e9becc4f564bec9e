"""A clock that tests move, sources on the loopback interface, and a worker that imports them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.conf import LazySettings

from episodes import queue
from episodes.ingest import ImportOptions, ImportReport
from episodes.models import Podcast, Source
from episodes.schedule import JobContext, run_jobs
from episodes.tests.loopback import Loopback

START = datetime(2026, 1, 5, tzinfo=UTC)
FEED = b"""<rss version="2.0"><channel><title>Looms</title>
<item><title>Jacquard</title><guid>1</guid><description>Cards.</description></item></channel></rss>"""


@dataclass
class Clock:
    """A clock that moves only when `sleep` or `passes` is called."""

    now: datetime = START
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> datetime:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += timedelta(seconds=seconds)

    def passes(self, **time: float) -> None:
        self.now += timedelta(**time)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def web(db: None) -> Iterator[Loopback]:
    with Loopback({}) as server:
        yield server


def add_source(web: Loopback, name: str = "looms") -> Source:
    web.routes.setdefault(f"/{name}", (200, {}, FEED))
    podcast = Podcast.objects.create(slug=name, title=name.title())
    return Source.objects.create(
        podcast=podcast, slug="feed", reader="feed", address=web.address(f"/{name}"), may_create=True, complete=True
    )


@dataclass
class Runner:
    """A worker's context and the reports of its imports."""

    work: JobContext
    reports: list[ImportReport]

    def read(self) -> list[str]:
        """Run the due jobs. Return the outcomes of the imports."""
        self.reports.clear()
        run_jobs(self.work, once=True)
        return [report.outcome for report in self.reports]


@pytest.fixture
def runner(web: Loopback, clock: Clock) -> Runner:
    return worker(web, clock)


def worker(web: Loopback, clock: Clock) -> Runner:
    reports: list[ImportReport] = []
    work = JobContext(
        ImportOptions(allowed_private_hosts=web.allow), on_report=reports.append, clock=clock, sleep=clock.sleep
    )
    return Runner(work, reports)


@pytest.fixture(autouse=True)
def _own_jobs(settings: LazySettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check no links, queue nothing, and use a lock file of the test."""
    settings.CHECK_LINKS = False
    monkeypatch.setattr("episodes.schedule.lock_file", lambda: tmp_path / "lock")
    monkeypatch.setattr(queue, "is_queued", lambda: False)
