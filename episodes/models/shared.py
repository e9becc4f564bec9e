"""Abstract models of what episodes have in common: topics, people, links and symbols."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from .page_addresses import address

USED = models.Q(episode_count__gt=0)  # counted things that an episode has


class SharedThing(models.Model):
    """Something that episodes have in common, with a page of its own that lists them."""

    view: ClassVar[str]  # the name of its page's address
    name: str
    slug: str

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return address(self.view, self.slug)


class CountedThing(SharedThing):
    """A shared thing that is found in the episodes; `resolve` makes its row, and counts its
    episodes there."""

    episode_count = models.PositiveIntegerField("episodes", default=0, editable=False)

    class Meta:
        abstract = True
