"""`/metrics` for Prometheus: the answered requests, and the present state of the catalog."""

import os
import secrets
import time
from collections.abc import Iterator
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


def count_requests(get_response: GetResponse) -> GetResponse:
    """Return a middleware that counts and times requests, and answers `/metrics`.

    It comes before host and HTTPS are checked: Prometheus uses the address of each machine.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.path == "/metrics":
            return metrics_response(request)
        began = time.perf_counter()
        response = get_response(request)
        # Cached pages, static files and refused requests have no view.
        view = getattr(request.resolver_match, "view_name", "none")
        # Clients can invent methods, and each would become a time series.
        methods = ("GET", "HEAD", "POST", "OPTIONS")
        method = request.method if request.method in methods else "other"
        REQUEST_COUNTER.labels(view, method, response.status_code).inc()
        REQUEST_TIMES.labels(view).observe(time.perf_counter() - began)
        return response

    return middleware


def metrics_response(request: HttpRequest) -> HttpResponse:
    """Return all metrics for a request with the token (`METRICS_TOKEN`), else 401."""
    token = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if not secrets.compare_digest(token.encode(), settings.METRICS_TOKEN.encode()):
        message = "Metrics need the header Authorization: Bearer METRICS_TOKEN.\n"
        headers = {"Content-Type": "text/plain", "WWW-Authenticate": "Bearer"}
        return HttpResponse(message, status=401, headers=headers)
    requests: Any = REQUESTS
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
        try:
            gauges = list(self.gauges())
        except Error:
            gauges = []
        yield GaugeMetricFamily("catalog_database_up", "1 if the database answers.", bool(gauges))
        yield from gauges

    def gauges(self) -> Iterator[GaugeMetricFamily]:
        """Yield the gauges of the catalog: episodes, open reviews and conflicts, sources, and jobs of the queue."""
        episodes = GaugeMetricFamily("catalog_episodes", "Episodes.", labels=["show"])
        for show, count in (
            Podcast.objects.listed().annotate(n=Count("episodes")).values_list("slug", "n")
        ):
            episodes.add_metric([show], count)
        yield episodes
        yield GaugeMetricFamily(
            "catalog_review_entries", "Entries that wait for a curator.", Held.objects.count()
        )
        yield GaugeMetricFamily(
            "catalog_conflicting_episodes",
            "Episodes whose sources contradict each other.",
            Episode.objects.exclude(conflicts=[]).count(),
        )
        # The sources that fail or are due, and on PostgreSQL the jobs in the queue.
        now = timezone.now()
        plans = SourceSchedule.objects.filter(source__in=Source.objects.active().fetchable())
        due = plans.filter(next_at__lte=now).aggregate(count=Count("pk"), oldest=Min("next_at"))
        good = IngestRun.objects.filter(outcome__in=IngestRun.GOOD)
        last = good.aggregate(at=Max("finished_at"))["at"]
        failing = plans.filter(failures__gt=0).count()
        yield GaugeMetricFamily(
            "catalog_sources_failing", "Sources whose last reading failed.", failing
        )
        yield GaugeMetricFamily("catalog_sources_due", "Sources that are due.", due["count"])
        yield GaugeMetricFamily(
            "catalog_sources_late_seconds",
            "Time for which the latest of them is due.",
            (now - (due["oldest"] or now)).total_seconds(),
        )
        if last:
            age = (now - last).total_seconds()
            yield GaugeMetricFamily(
                "catalog_last_success_age_seconds", "Time since the last good reading.", age
            )
        if queue.is_queued():
            jobs = GaugeMetricFamily(
                "catalog_jobs", "Jobs that wait, run, stand still.", labels=["job", "state"]
            )
            for labels, count in queue.count_jobs_by_queue_and_status().items():
                jobs.add_metric(labels, count)
            yield jobs
