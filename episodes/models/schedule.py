"""The plan of readings: when each source is due, and what the schedule has already done.

It follows from the imports, so it may be lost: the schedule makes it anew. No page that readers see
is made of it alone, so it does not raise the catalog's version.
"""

from __future__ import annotations

from django.db import models

from .configuration import Source


class SourceSchedule(models.Model):
    """The next reading of a source, and how the last ones went."""

    source = models.OneToOneField(Source, models.CASCADE, related_name="schedule")
    address = models.CharField(
        max_length=2000, blank=True, help_text="The source's address when the plan was made."
    )
    host = models.CharField(max_length=255, blank=True, db_index=True)
    next_at = models.DateTimeField("next attempt", null=True, blank=True, db_index=True)
    # A worker that stood still and was taken for dead must not store what it read.
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
    is_told = models.BooleanField(default=False, help_text="People were told that it fails.")

    class Meta:
        ordering = ("next_at", "pk")

    def __str__(self) -> str:
        return f"{self.source}: {self.next_at:%Y-%m-%d %H:%M}" if self.next_at else str(self.source)


class ScheduleMark(models.Model):
    """Something that all workers together do once in a while: send the digest, check some links."""

    key = models.CharField(max_length=100, unique=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return self.key
