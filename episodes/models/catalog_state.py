"""The state of each show's catalog: what it was made from, and whether it waits to be made."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import uuid4

from django.db import models
from django.db.models import Q

from .configuration import Podcast


class CatalogState(models.Model):
    """The inputs that the catalog of a show was made from, and since when changes wait to be
    followed up.

    A row of its own and no column of the show: forms and the history copy rows of shows whole.
    """

    podcast = models.OneToOneField(
        Podcast, models.CASCADE, primary_key=True, related_name="catalog_state"
    )
    digest = models.CharField(
        max_length=32, blank=True, help_text="The hash of all that it was made from."
    )
    token = models.CharField(
        max_length=40, blank=True, help_text="Random: a new one at each change."
    )
    waiting_since = models.DateTimeField(null=True, blank=True)
    sources = models.JSONField(
        default=dict,
        help_text="By source: the counts of what its entries hold, the names of the fields of it that are "
        "not used (refuted), and how its titles count the episodes.",
    )

    class Meta:
        indexes = (
            models.Index(
                fields=("waiting_since",),
                condition=Q(waiting_since__isnull=False),
                name="catalog_waits",
            ),
        )

    def __str__(self) -> str:
        since = f"{self.waiting_since:%Y-%m-%d %H:%M}" if self.waiting_since else "up to date"
        return f"{self.podcast}: {since}"

    @classmethod
    def change(cls, podcast: Podcast, now: datetime) -> datetime | None:
        """Note that the catalog has to follow a change; since when it waits already, None if it did
        not."""
        state, _ = cls.objects.get_or_create(podcast=podcast)
        waiting = state.waiting_since
        state.token, state.waiting_since = uuid4().hex, waiting or now
        state.save(update_fields=("token", "waiting_since"))
        return waiting

    @classmethod
    def made(cls, podcast: Podcast, digest: str, sources: dict[str, Any]) -> None:
        """Note that the catalog was made from these inputs, and what its sources have."""
        done = {
            "digest": digest,
            "token": uuid4().hex,
            "waiting_since": None,
            "sources": sources,
        }
        cls.objects.update_or_create(podcast=podcast, defaults=done)
