"""`/metrics` for Prometheus: requests as they were answered, and the state of the catalog at the
moment of asking."""

import os
import secrets
import time
from collections.abc import Iterator

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

PATH = "/metrics"
METHODS = frozenset(("GET", "HEAD", "POST", "OPTIONS"))
SECONDS = (0.001, 0.005, 0.02, 0.1, 0.5, 2, 10)
COUNTED = CollectorRegistry()
ANSWERS = Counter(
    "catalog_requests", "Requests by what answered.", ("view", "method", "status"), registry=COUNTED
)
TIMES = Histogram(
    "catalog_request_seconds", "Time to an answer.", ("view",), registry=COUNTED, buckets=SECONDS
)


def count_requests(get_response: GetResponse) -> GetResponse:
    """Count every answer, and give the figures to whoever has the token (`METRICS_TOKEN`).

    Comes before what looks at host and HTTPS: Prometheus asks each process by the address of its
    machine.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.path == PATH:
            return metrics_response(request)
        began = time.perf_counter()
        response = get_response(request)
        # Kept pages, static files and refusals reach no view.
        view = getattr(request.resolver_match, "view_name", "none")
        # A client can invent methods, each of which would be a series of its own.
        method = request.method if request.method in METHODS else "other"
        ANSWERS.labels(view, method, response.status_code).inc()
        TIMES.labels(view).observe(time.perf_counter() - began)
        return response

    return middleware


def metrics_response(request: HttpRequest) -> HttpResponse:
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if not secrets.compare_digest(given.encode(), settings.METRICS_TOKEN.encode()):
        needed = "Metrics need the header Authorization: Bearer METRICS_TOKEN.\n"
        headers = {"Content-Type": "text/plain", "WWW-Authenticate": "Bearer"}
        return HttpResponse(needed, status=401, headers=headers)
    # In this folder all processes count together.
    together = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
    counted = MultiProcessCollector(None) if together else COUNTED  # type: ignore[no-untyped-call]
    text = generate_latest(counted) + generate_latest(CatalogCollector())
    return HttpResponse(
        text, content_type=CONTENT_TYPE_LATEST, headers={"Cache-Control": "no-store"}
    )


class CatalogCollector(Collector):
    """Gauges of the catalog, read from the database."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """All gauges, or none but `catalog_database_up` where the database does not answer."""
        try:
            gauges = list(self.gauges())
        except Error:
            gauges = []
        yield GaugeMetricFamily("catalog_database_up", "1 if the database answers.", bool(gauges))
        yield from gauges

    def gauges(self) -> Iterator[GaugeMetricFamily]:
        episodes = GaugeMetricFamily("catalog_episodes", "Episodes.", labels=["show"])
        for show, count in (
            Podcast.objects.shown().annotate(n=Count("episodes")).values_list("slug", "n")
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
        # Sources that fail, what is due and how late, and on PostgreSQL the queue.
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
            for labels, count in queue.counts().items():
                jobs.add_metric(labels, count)
            yield jobs
