"""Who has which form of the admin open: a hint for others, which expires by itself."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from ..text.formatting import counted


class OpenForm(models.Model):
    """A form that somebody opened. It describes the present alone: no history or backup has it."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    page = models.CharField(max_length=500)
    opened_at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("page", "user"), name="open_form_once_a_user"),)

    def __str__(self) -> str:
        return f"{self.user}: {self.page}"

    @property
    def ago(self) -> str:
        minutes = int((timezone.now() - self.opened_at).total_seconds()) // 60
        return f"{counted(minutes, 'minute', 'minutes')} ago" if minutes else "just now"
