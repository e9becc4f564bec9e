"""Brings catalogs up to date after curators' changes: the episodes that decisions name at once, all
else by a process.

A change of one episode may move others in the order, in references, in what is related. That takes
the whole show, so it is followed up after the commit. What is read and computed for it locks
nothing; only writing what differs does.
"""

import logging
import os
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta
from threading import Thread

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from ..models import CatalogState, Podcast, one_moment, raise_version
from .apply import apply, prepared
from .core import EntryKey, TakesTheShow, place_items, update_episodes

STARTING = timedelta(
    minutes=1
)  # after which another process is started: the first may have been killed
NICENESS = 5  # the site comes first
MOST = 500  # entries that decisions name; more are the show
MOST_PLACED = 50  # items of a version; each is compared with many others
COMMAND = ("rebuild", "--pending")

log = logging.getLogger(__name__)


def renew(
    podcasts: Sequence[Podcast], entries: Collection[EntryKey] = (), *, regrouped: bool = False
) -> None:
    """Show what decisions about these entries change in their episodes, and let the rest of their
    shows follow; the whole show at once where entries may belong to other episodes now."""
    started = False  # one process follows up all shows
    # The change may have given the shows other titles, or deleted one.
    for podcast in Podcast.objects.filter(pk__in=[podcast.pk for podcast in podcasts]):
        try:
            if regrouped or len(entries) > MOST:
                raise TakesTheShow
            if entries:
                update_episodes(podcast, entries)
        except TakesTheShow:
            apply(podcast)
            continue
        now = timezone.now()
        since = CatalogState.change(podcast, now)
        soon(podcast, started=started or (since is not None and now - since < STARTING))
        started = True
    raise_version()  # for what pages show of a decision itself


def renew_items(podcast: Podcast, items: Collection[int]) -> None:
    """Show what the items that came, changed or went with a version of a document change in their
    episodes, and let the rest of the show follow; the whole show at once where these alone do not
    tell. Call it inside a transaction."""
    try:
        if not 0 < len(items) <= MOST_PLACED:
            raise TakesTheShow
        place_items(podcast, items)
    except TakesTheShow:
        apply(podcast)
        return
    CatalogState.change(podcast, timezone.now())
    raise_version()


def soon(podcast: Podcast, *, started: bool) -> None:
    """Let a show follow after the commit, unless a process was started for it already: that one
    goes on until none waits."""
    if not started:
        transaction.on_commit(start)


def start() -> None:
    """Let a process follow up. If it cannot be started, the schedule does it, or the next
    change."""
    Thread(target=_run, name="follow-up", daemon=True).start()


def _run() -> None:
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), *COMMAND]
    # Not in this thread, which would share the interpreter with readers' pages.
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)
    except OSError as error:
        log.warning("Changes wait for the schedule: %s", error)
        return
    if process.wait():
        log.warning("manage.py %s ended with %s", " ".join(COMMAND), process.returncode)


def waiting() -> list[CatalogState]:
    """The shows with changes to follow up, the longest wait first."""
    rows = CatalogState.objects.filter(waiting_since__isnull=False).select_related("podcast")
    return list(rows.order_by("waiting_since", "podcast"))


def catch_up() -> Iterator[Podcast]:
    """Follow up what waits, and give each show that is up to date. Any number of processes may do
    it."""
    while states := waiting():
        for state in states:
            if follow_up(state.podcast):
                yield state.podcast


def follow_up(podcast: Podcast) -> bool:
    """Make the whole catalog of a show that waits for it; False where it was changed meanwhile, and
    has to be followed up again."""
    if not CatalogState.objects.filter(podcast=podcast, waiting_since__isnull=False).exists():
        return True
    with one_moment():
        podcast = Podcast.objects.get(pk=podcast.pk)
        # Read first: a change while the show is being made leaves another one.
        token = _token(podcast)
        made = prepared(podcast)
    with transaction.atomic():
        # Only writing locks: an import or a curator waits for seconds, not for a whole resolve.
        podcast = Podcast.objects.select_for_update().get(pk=podcast.pk)
        is_current = token == _token(podcast)
        if is_current:
            apply(podcast, made)
    return is_current


def _token(podcast: Podcast) -> str | None:
    return CatalogState.objects.filter(podcast=podcast).values_list("token", flat=True).first()
