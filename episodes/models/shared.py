"""Abstract models of what episodes have in common: topics, people, links and symbols; and the
addresses of pages that end with a slug."""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar
from urllib.parse import quote

from django.db import models
from django.urls import get_script_prefix, reverse

SLUG = "slug"
UNQUOTED = "!$&'()*+,;=/~:@"  # as `reverse` does
USED = models.Q(episode_count__gt=0)  # counted things that an episode has


def address(view: str, slug: str) -> str:
    """The address of the page of this view and slug."""
    # A page has a hundred of them, and `reverse` needs longer for each than to print it: the part
    # that stays is looked up once.
    before, after = _around(view, get_script_prefix())
    return f"{before}{quote(slug, safe=UNQUOTED)}{after}"


@lru_cache(maxsize=100)
def _around(view: str, script_prefix: str) -> tuple[str, str]:
    before, _, after = reverse(view, args=(SLUG,)).rpartition(SLUG)
    return before, after


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

    # A column, so that the database sorts and pages an index without counting.
    episode_count = models.PositiveIntegerField("episodes", default=0, editable=False)

    class Meta:
        abstract = True
