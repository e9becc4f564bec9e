"""Decisions: what curators decided, hung on evidence by source and item key; written by the admin, ended, never deleted."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from .configuration import Podcast


class Decision(models.Model):
    """What every decision has: which entry it is about, who made it, when, why, and whether it still holds."""

    podcast = models.ForeignKey(Podcast, models.PROTECT, related_name="+")
    source = models.SlugField(max_length=200)
    item_key = models.CharField(max_length=600)
    reason = models.TextField(blank=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    made_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True
        ordering = ("-made_at", "-id")


class Override(Decision):
    """A curator's own value of one field; the field is locked until the row is ended (rules.md 16)."""

    FIELDS = tuple((f, f) for f in ("title", "number", "published", "duration_seconds", "description_text", "slug"))

    field = models.CharField(max_length=30, choices=FIELDS)
    value = models.TextField(blank=True, help_text="Dates as 2021-08-18 or 2021-08-18T13:00:00Z; empty: unknown.")

    class Meta(Decision.Meta):
        constraints = (
            models.UniqueConstraint(
                fields=("podcast", "source", "item_key", "field"),
                condition=Q(ended_at__isnull=True),
                name="override_one_in_force_a_field",
            ),
        )

    def __str__(self) -> str:
        return f"{self.item_key}: {self.field}"


class Judgement(Decision):
    """Two entries are the same episode, or are not, whatever the rules say (rules.md 17)."""

    VERDICTS = (("same", "the same episode"), ("different", "different episodes"))

    other_source = models.SlugField(max_length=200)
    other_key = models.CharField(max_length=600)
    verdict = models.CharField(max_length=10, choices=VERDICTS)

    class Meta(Decision.Meta):
        constraints = (
            models.UniqueConstraint(
                fields=("podcast", "source", "item_key", "other_source", "other_key"),
                condition=Q(ended_at__isnull=True),
                name="judgement_one_in_force_a_pair",
            ),
        )

    def __str__(self) -> str:
        return f"{self.item_key} and {self.other_key}: {self.verdict}"


class Removal(Decision):
    """A topic, link, person or reference that stays away although a source or rule proposes it (rules.md 18)."""

    KINDS = tuple((k, k) for k in ("topic", "link", "person", "reference"))

    kind = models.CharField(max_length=10, choices=KINDS)
    key = models.CharField(max_length=2000)

    class Meta(Decision.Meta):
        constraints = (
            models.UniqueConstraint(
                fields=("podcast", "source", "item_key", "kind", "key"),
                condition=Q(ended_at__isnull=True),
                name="removal_one_in_force_an_entry",
            ),
        )

    def __str__(self) -> str:
        return f"{self.item_key}: no {self.kind} {self.key}"
