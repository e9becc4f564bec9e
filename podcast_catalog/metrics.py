"""`/metrics` for Prometheus: the answered requests, and the present state of the catalog."""

import os
import secrets
import time
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import Error
from django.db.models import Count, Max, Min
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Histogram,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from episodes import queue
from episodes.models import Episode, Held, IngestRun, Podcast, Source, SourceSchedule

from .middleware import GetResponse

REQUESTS = CollectorRegistry()
REQUEST_COUNTER = Counter(
    "catalog_requests",
    "Requests by what answered.",
    ("view", "method", "status"),
    registry=REQUESTS,
)
REQUEST_TIMES = Histogram(
    "catalog_request_seconds",
    "Time to an answer.",
    ("view",),
    registry=REQUESTS,
    buckets=(0.001, 0.005, 0.02, 0.1, 0.5, 2, 10),
)


def count_requests_and_serve_metrics(get_response: GetResponse) -> GetResponse:
    """Return a middleware that counts and times requests, and answers `/metrics`.

    It comes before host and HTTPS are checked: Prometheus uses the address of each machine.
    """

    def serve_metrics_or_answer_and_count(request: HttpRequest) -> HttpResponse:
        if request.path == "/metrics":
            return metrics_response(request)
        began_at = time.perf_counter()
        response = get_response(request)
        # Cached pages, static files and refused requests have no view.
        view = getattr(request.resolver_match, "view_name", "none")
        # Clients can invent methods, and each would become a time series.
        is_usual = request.method in ("GET", "HEAD", "POST", "OPTIONS")
        method = request.method if is_usual else "other"
        seconds = time.perf_counter() - began_at
        REQUEST_COUNTER.labels(view, method, response.status_code).inc()
        REQUEST_TIMES.labels(view).observe(seconds)
        return response

    return serve_metrics_or_answer_and_count


def metrics_response(request: HttpRequest) -> HttpResponse:
    """Return all metrics for a request with the token (`METRICS_TOKEN`), else 401."""
    token = request.headers.get("Authorization", "").removeprefix("Bearer ")
    # This comparison takes the same time for any wrong token, so nobody can guess it letter by letter.
    is_allowed = secrets.compare_digest(token.encode(), settings.METRICS_TOKEN.encode())
    if not is_allowed:
        message = "Metrics need the header Authorization: Bearer METRICS_TOKEN.\n"
        headers = {"Content-Type": "text/plain", "WWW-Authenticate": "Bearer"}
        return HttpResponse(message, status=401, headers=headers)
    requests: Any = REQUESTS  # the counts of this process
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        # All processes of the server write their counts into this folder.
        requests = MultiProcessCollector(None)  # type: ignore[no-untyped-call]
    text = generate_latest(requests) + generate_latest(CatalogCollector())
    return HttpResponse(
        text, content_type=CONTENT_TYPE_LATEST, headers={"Cache-Control": "no-store"}
    )


class CatalogCollector(Collector):
    """Gauges of the catalog, read from the database."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield all gauges. If the database does not answer, yield `catalog_database_up` alone."""
        # Read whole, so that an error in the middle leaves no half of them.
        try:
            gauges = [
                *self.iterate_catalog_gauges(),
                *self.iterate_totals_over_sources(timezone.now()),
                *self.iterate_job_gauges(),
            ]
        except Error:
            gauges = []
        yield GaugeMetricFamily("catalog_database_up", "1 if the database answers.", bool(gauges))
        yield from gauges

    def iterate_catalog_gauges(self) -> Iterator[GaugeMetricFamily]:
        episodes = GaugeMetricFamily("catalog_episodes", "Episodes.", labels=["show"])
        counted_shows = Podcast.objects.listed().annotate(n=Count("episodes"))
        for show_slug, count in counted_shows.values_list("slug", "n"):
            episodes.add_metric([show_slug], count)
        yield episodes
        yield GaugeMetricFamily(
            "catalog_review_entries", "Entries that wait for a curator.", Held.objects.count()
        )
        yield GaugeMetricFamily(
            "catalog_conflicting_episodes",
            "Episodes whose sources contradict each other.",
            Episode.objects.exclude(conflicts=[]).count(),
        )

    def iterate_totals_over_sources(self, now: datetime) -> Iterator[GaugeMetricFamily]:
        # A row for each source that is polled, with the time of its next poll.
        schedule_rows = SourceSchedule.objects.filter(
            source__in=Source.objects.active().fetchable()
        )
        due_rows = schedule_rows.filter(next_at__lte=now)
        due = due_rows.aggregate(count=Count("pk"), oldest=Min("next_at"))
        oldest = due["oldest"] or now  # without a due source nothing is late
        failing_count = schedule_rows.filter(failures__gt=0).count()
        yield GaugeMetricFamily(
            "catalog_sources_failing", "Sources whose last reading failed.", failing_count
        )
        yield GaugeMetricFamily("catalog_sources_due", "Sources that are due.", due["count"])
        yield GaugeMetricFamily(
            "catalog_sources_late_seconds",
            "Time for which the most overdue of them is due.",
            (now - oldest).total_seconds(),
        )
        good_runs = IngestRun.objects.filter(outcome__in=IngestRun.GOOD)
        last_success = good_runs.aggregate(at=Max("finished_at"))["at"]
        # Before the first success the gauge is missing.
        if last_success:
            age = (now - last_success).total_seconds()
            yield GaugeMetricFamily(
                "catalog_last_success_age_seconds", "Time since the last good reading.", age
            )

    def iterate_job_gauges(self) -> Iterator[GaugeMetricFamily]:
        """Yield the number of jobs by name and state. On SQLite nothing is queued, so yield nothing."""
        if not queue.is_queued():
            return
        jobs = GaugeMetricFamily(
            "catalog_jobs", "Jobs that wait, run, stand still.", labels=["job", "state"]
        )
        for name_and_state, count in queue.count_jobs_by_name_and_state().items():
            jobs.add_metric(name_and_state, count)
        yield jobs
