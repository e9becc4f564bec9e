"""Bring catalogs up to date after curators' changes: in the request, or later if a show is large.

What waits is resolved by the schedule. Reading and computing it lock nothing; only writing does.
"""

from collections.abc import Iterator, Sequence

from django.db import transaction
from django.utils import timezone

from .. import queue
from ..models import CatalogState, Podcast, one_moment, raise_version
from .apply import apply, prepared

# Episodes of the shows that a request resolves. Beyond it their readers and the curator would wait.
MAX_EPISODES_IN_REQUEST = 3_000
# Tries to write what was computed without a lock, before the show is locked while it is computed.
MAX_TRIES_WITHOUT_LOCK = 3


def renew(podcasts: Sequence[Podcast]) -> None:
    """Resolve the shows that a decision is about, as many as a request may; queue the others. Call it
    inside a transaction."""
    # The change may have given the shows other titles, or deleted one.
    changed = Podcast.objects.filter(pk__in=[podcast.pk for podcast in podcasts])
    episodes_left = MAX_EPISODES_IN_REQUEST
    for podcast in changed:
        episodes_left -= podcast.episodes.count()
        if episodes_left >= 0:
            apply(podcast)
        else:
            queue_resolve(podcast)
    raise_version()  # for what pages show of a decision itself


def queue_resolve(podcast: Podcast) -> None:
    """Note that a show waits to be resolved, and wake a worker after the commit."""
    CatalogState.change(podcast, timezone.now())
    if queue.is_queued():
        transaction.on_commit(lambda: queue.put("follow_ups", str(podcast.pk), priority=1))


def waiting() -> list[CatalogState]:
    """Return the states of the shows that wait to be resolved, the longest wait first."""
    rows = CatalogState.objects.filter(waiting_since__isnull=False).select_related("podcast")
    return list(rows.order_by("waiting_since", "podcast"))


def catch_up() -> Iterator[Podcast]:
    """Resolve the shows that wait, and yield each. Any number of processes may do it."""
    for state in waiting():
        follow_up(state.podcast)
        yield state.podcast


def follow_up(podcast: Podcast) -> None:
    """Resolve a show that waits. Compute its catalog without a lock, and write it if the show has
    not changed meanwhile; else try again, the last time under a lock."""
    for _ in range(MAX_TRIES_WITHOUT_LOCK):
        with one_moment():
            podcast = Podcast.objects.get(pk=podcast.pk)
            # Read first: a change meanwhile leaves another token.
            token = _token(podcast)
            made = prepared(podcast)
        with transaction.atomic():
            podcast = Podcast.objects.select_for_update().get(pk=podcast.pk)
            if token == _token(podcast):
                apply(podcast, made)
                return
    with transaction.atomic():
        apply(Podcast.objects.select_for_update().get(pk=podcast.pk))


def _token(podcast: Podcast) -> str | None:
    return CatalogState.objects.filter(podcast=podcast).values_list("token", flat=True).first()
