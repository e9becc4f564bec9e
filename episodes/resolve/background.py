"""Bring catalogs up to date after curators' changes: in the request, or later if a show is large.

Waiting shows are resolved in the background: on SQLite by the loop of the schedule, on PostgreSQL by a
worker. If neither runs, the next page does it, unless the show is large. Only writing locks the show.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta

from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone

from .. import queue
from ..models import CatalogState, Podcast, ScheduleMark, consistent_snapshot, start_new_version
from .write import compute_catalog, update_catalog

# Episodes of the shows that a request resolves. Beyond it their readers and the curator would wait.
MAX_EPISODES_IN_REQUEST = 10_000

logger = logging.getLogger(__name__)


def resolve_small_shows_queue_others(podcasts: Sequence[Podcast], *, at_once: bool = True) -> None:
    """Resolve the shows that a decision changed, until they have MAX_EPISODES_IN_REQUEST episodes
    together. Queue the other shows, or all unless `at_once` is set. Call it inside a transaction."""
    # Loaded again, because the change may have given the shows other titles, or deleted one.
    changed_shows = Podcast.objects.filter(pk__in=[podcast.pk for podcast in podcasts])
    # With a savepoint for each show: a failure rolls back the catalog of its own show only.
    resolve_in_savepoint = transaction.atomic(update_catalog)
    episodes_left_in_request = MAX_EPISODES_IN_REQUEST if at_once else 0
    for podcast in changed_shows:
        episode_count = podcast.episodes.count()
        is_small_enough = episode_count <= episodes_left_in_request
        if is_small_enough and _try_to_resolve(resolve_in_savepoint, podcast):
            episodes_left_in_request -= episode_count
        else:
            # After a failure, too: the background tries again.
            queue_resolve(podcast)
    # Cached pages are of a version of the catalog. They may show the decision, even if no episode changes.
    start_new_version()


def queue_resolve(podcast: Podcast) -> None:
    """Note that a show waits to be resolved, and wake a worker after the commit. If the process ends
    between both, a worker's next sweep finds the show."""
    CatalogState.mark_changed(podcast, timezone.now())
    if queue.is_queued():
        transaction.on_commit(
            lambda: queue.enqueue_unless_waiting("follow_ups", str(podcast.pk), priority=1),
            robust=True,  # the request succeeds, even if this fails
        )


def waiting_states() -> list[CatalogState]:
    rows = CatalogState.objects.filter(waiting_since__isnull=False).select_related("podcast")
    return list(rows.order_by("waiting_since", "podcast"))


def shows_to_resolve(now: datetime) -> list[Podcast]:
    failed = failed_show_ids(now)
    return [state.podcast for state in waiting_states() if state.podcast_id not in failed]


def failed_show_ids(now: datetime) -> set[int]:
    # After five minutes a show is tried again.
    marks = ScheduleMark.objects.filter(
        key__startswith=ScheduleMark.UNRESOLVED, at__gt=now - timedelta(minutes=5)
    )
    keys = marks.values_list("key", flat=True)
    return {int(key.removeprefix(ScheduleMark.UNRESOLVED)) for key in keys}


def resolve_all_waiting() -> Iterator[Podcast]:
    """Resolve the shows that wait, and yield each. Any number of processes may do it."""
    for podcast in shows_to_resolve(timezone.now()):
        if resolve_waiting_show(podcast):
            yield podcast


def resolve_longest_waiting_show() -> bool:
    """Resolve, in a request, the show that has waited longest of all that are not too large for one.
    Do nothing if a process in the background resolves shows. Return whether a show was resolved."""
    now = timezone.now()
    # Such a process stores a heartbeat, the time at that moment, every few seconds.
    recently = now - timedelta(seconds=15)
    recent_heartbeats = ScheduleMark.objects.filter(key=ScheduleMark.BEAT, at__gt=recently)
    if recent_heartbeats.exists():
        return False
    for podcast in shows_to_resolve(now):
        if podcast.episodes.count() <= MAX_EPISODES_IN_REQUEST:
            return resolve_waiting_show(podcast)
    return False


def resolve_waiting_show(podcast: Podcast) -> bool:
    """Resolve a show that waits. Return whether that succeeded; if not, it goes on waiting."""
    return _try_to_resolve(_update_catalog_with_short_lock, podcast)


def _update_catalog_with_short_lock(podcast: Podcast) -> None:
    """Compute the catalog of a show while others may change the show. Lock the show only to write it.
    If the show has changed in between, compute it again."""
    max_tries_without_lock = 3
    for _ in range(max_tries_without_lock):
        with consistent_snapshot():
            unlocked_podcast = Podcast.objects.get(pk=podcast.pk)
            token_before = _change_token(unlocked_podcast)
            computed = compute_catalog(unlocked_podcast)
        with transaction.atomic():
            locked_podcast = Podcast.objects.select_for_update().get(pk=podcast.pk)
            if _change_token(locked_podcast) == token_before:
                update_catalog(locked_podcast, computed)
                return
    # A show that changes all the time is computed under its lock, so changes wait.
    with transaction.atomic():
        update_catalog(Podcast.objects.select_for_update().get(pk=podcast.pk))


def _change_token(podcast: Podcast) -> str | None:
    # Each change of a show stores another random token.
    return CatalogState.objects.filter(podcast=podcast).values_list("token", flat=True).first()


def _try_to_resolve(resolve: Callable[[Podcast], object], podcast: Podcast) -> bool:
    """Call `resolve` on a show. Log and note a failure, so that the show is not tried again at
    once. Return whether it succeeded."""
    try:
        resolve(podcast)
    except (OperationalError, InterfaceError):
        raise  # The database does not answer, which is no fault of the show.
    except Exception:
        logger.exception("%s cannot be resolved", podcast, extra={"show": podcast.slug})
        key = f"{ScheduleMark.UNRESOLVED}{podcast.pk}"
        ScheduleMark.objects.update_or_create(key=key, defaults={"at": timezone.now()})
        return False
    return True
