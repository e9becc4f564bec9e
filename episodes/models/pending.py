"""Shows whose catalog does not yet show all that curators decided."""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.db.models import Q
from django.utils import timezone

from .configuration import Podcast


class PendingUpdateQuerySet(models.QuerySet["PendingUpdate"]):
    """The shows that wait, and who works on them."""

    def free(self, now: datetime) -> PendingUpdateQuerySet:
        """The shows that no process works on; the hold of one that was killed runs out."""
        return self.filter(Q(held_until=None) | Q(held_until__lt=now))


class PendingUpdate(models.Model):
    """A large show with changes that are kept, and not in the catalog yet (resolve/pending.py).

    `asked` counts them, so that one that comes while the catalog is being made is noticed.
    """

    podcast = models.OneToOneField(Podcast, models.CASCADE, related_name="pending_update")
    since = models.DateTimeField(default=timezone.now)
    asked = models.PositiveIntegerField(default=0)
    worker = models.CharField(max_length=40, blank=True)
    held_until = models.DateTimeField(null=True, blank=True)

    objects = PendingUpdateQuerySet.as_manager()

    class Meta:
        ordering = ("since", "pk")

    def __str__(self) -> str:
        return f"{self.podcast}: {self.asked} since {self.since:%Y-%m-%d %H:%M}"
