"""The plan of the schedule: when each source is due, and the jobs that were done. Also the states of
sources, which the database computes, so that lists can be sorted and paged by them.

The plan follows from the imports: if it is lost, the schedule makes it again. It does not change the
catalog's version.
"""

from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Case, F, OuterRef, Q, QuerySet, Subquery, TextField, Value, When
from django.db.models.functions import Coalesce

from .configuration import Podcast, Source
from .evidence import IngestRun


class SourceSchedule(models.Model):
    """The next import of a source, and the results of the last ones."""

    source = models.OneToOneField(Source, models.CASCADE, related_name="schedule")
    address = models.CharField(
        max_length=2000, blank=True, help_text="The source's address when the plan was made."
    )
    host = models.CharField(max_length=255, blank=True, db_index=True)
    next_at = models.DateTimeField("next attempt", null=True, blank=True, db_index=True)
    # A worker that was too slow and counts as dead must not store its import.
    token = models.CharField(
        max_length=32, blank=True, help_text="The reading in hand, whose import alone is stored."
    )
    attempts = models.PositiveSmallIntegerField(
        default=0, help_text="Readings that began since one ended."
    )
    attempted_at = models.DateTimeField("last attempt", null=True, blank=True)
    changed_at = models.DateTimeField(
        "last change", null=True, blank=True, help_text="When it last had something new."
    )
    gap = models.DurationField(null=True, blank=True, help_text="Usual time between two changes.")
    failures = models.PositiveIntegerField(
        default=0, help_text="Failures in a row, refused documents included."
    )
    failing_since = models.DateTimeField(null=True, blank=True)
    status = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="HTTP status of the last failure."
    )
    stored_bytes = models.PositiveBigIntegerField(
        default=0, help_text="Size of its entry versions and copies at the last tidy."
    )
    is_told = models.BooleanField(default=False, help_text="People were told that it fails.")

    class Meta:
        ordering = ("next_at", "pk")


class ScheduleMark(models.Model):
    """A time that all workers share: of the last run of a job, or of the end of a host's pause."""

    # The key of the heartbeat of the process that resolves waiting shows in the background.
    BEAT = "beat"
    # The beginning of the key of a show that could not be resolved. Its id follows.
    UNRESOLVED = "unresolved "

    key = models.CharField(max_length=100, unique=True)
    at = models.DateTimeField()


class UnsentNotice(models.Model):
    """A notice that could not be sent by a channel, and that is sent again."""

    channel = models.CharField(max_length=10)
    notice = models.JSONField()
    failures = models.PositiveSmallIntegerField(default=1)
    not_before = models.DateTimeField()

    class Meta:
        ordering = ("not_before", "pk")


def large_sources() -> QuerySet[SourceSchedule]:
    """Return the plans of the sources with more evidence than SOURCE_MB, the largest first."""
    ceiling = settings.SOURCE_MB * 1_000_000
    rows = SourceSchedule.objects.filter(stored_bytes__gt=ceiling)
    return rows.select_related("source__podcast").order_by("-stored_bytes")


# The states with their meanings, the worst first.
SOURCE_STATES = {
    "gone": "the server says it is gone, or it has failed for 30 days",
    "refused": "it answers, but what it sends cannot be imported",
    "failing": "it could not be reached",
    "late": "its next attempt is more than a day overdue: is the schedule running?",
    "new": "not read yet",
    "ok": "the last import worked",
    "paused": "not imported by itself",
}
PROBLEM_STATES = ("gone", "refused", "failing", "late")
DEAD_AFTER = timedelta(days=30)


def annotate_source_states(sources: QuerySet[Source], now: datetime) -> QuerySet[Any]:
    """Return the sources with `outcome` and `reason` of their last import, their `state`, and its
    `severity`: the position in SOURCE_STATES."""
    # Of the last import. A source that was never imported has neither, so its outcome is None.
    newest_first = IngestRun.objects.filter(source=OuterRef("pk")).order_by("-started_at", "-id")
    outcome = Subquery(newest_first.values("outcome")[:1])
    last_reason = Subquery(newest_first.values("reason")[:1])
    reason = Coalesce(last_reason, Value(""), output_field=TextField())
    is_active = Q(pk__in=Source.objects.active().order_by().values("pk"))
    is_dead = Q(schedule__status=HTTPStatus.GONE) | Q(schedule__failing_since__lte=now - DEAD_AFTER)
    # The first condition that is met decides.
    state = Case(
        # A paused source has no problem, whatever the result of its last import.
        When(~is_active, then=Value("paused")),
        When(is_dead, outcome="failed", then=Value("gone")),
        When(outcome="refused", then=Value("refused")),
        When(outcome="failed", then=Value("failing")),
        When(schedule__next_at__lt=now - timedelta(days=1), then=Value("late")),
        When(outcome=None, then=Value("new")),
        default=Value("ok"),
        output_field=TextField(),
    )
    positions_of_states = []
    for position, name in enumerate(SOURCE_STATES):
        positions_of_states.append(When(state=name, then=Value(position)))
    severity = Case(*positions_of_states)
    # Each annotation uses the ones before it.
    with_last_import = sources.annotate(outcome=outcome, reason=reason)
    return with_last_import.annotate(state=state).annotate(severity=severity)


def sources_with_states_worst_first(sources: QuerySet[Source], now: datetime) -> QuerySet[Any]:
    """Return the sources with their states, the worst first, without sources of removed shows. Of equal
    states the source that has failed for longest comes first, then the order of shows decides."""
    sources_of_listed_shows = sources.filter(
        podcast__in=Podcast.objects.listed().order_by().values("pk")
    )
    rows = annotate_source_states(sources_of_listed_shows, now).select_related(
        "podcast", "schedule"
    )
    # Databases differ in where they sort NULL by themselves.
    failing_longest = F("schedule__failing_since").asc(nulls_last=True)
    worst_first: QuerySet[Any] = rows.order_by(
        "severity", failing_longest, "podcast__rank", "rank", "slug"
    )
    return worst_first
