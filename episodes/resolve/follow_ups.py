"""Brings catalogs up to date after curators' changes: the episodes that decisions name at once, all
else by a process.

A change of one episode may move others in the order, in references, in what is related. That takes
the whole show, so it is followed up after the commit. What is read and computed for it locks
nothing; only writing what differs does.
"""

import logging
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from threading import Lock, Thread

from django.conf import settings
from django.core.files import locks
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from ..models import CatalogState, Podcast, one_moment, raise_version
from .apply import apply, prepared
from .core import EntryKey, TakesTheShow, place_items, update_episodes

MOST = 500  # entries that decisions name; more are the show
MOST_PLACED = 50  # items of a version; each is compared with many others
COMMAND: Sequence[str] = ("rebuild", "--pending")
NEXT = Lock()  # of the one thread that waits until no process runs

log = logging.getLogger(__name__)


def renew(
    podcasts: Sequence[Podcast], entries: Collection[EntryKey] = (), *, regrouped: bool = False
) -> None:
    """Show what decisions about these entries change in their episodes, and let the rest of their
    shows follow; the whole show at once where entries may belong to other episodes now."""
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
        CatalogState.change(podcast, timezone.now())
        soon(podcast)
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


def soon(podcast: Podcast) -> None:
    """Let a show follow after the commit, with all else that waits, once no process does so
    already. If none can be started, the schedule does it, or the next change."""
    transaction.on_commit(Thread(target=_run, name="follow-up", daemon=True).start)


def _run() -> None:
    manage = settings.BASE_DIR / "manage.py"
    try:
        # The process has the lock as well: it holds until both have ended, however they end.
        with manage.open() as lock:
            if not NEXT.acquire(blocking=False):
                return  # the process of that thread follows up this change as well
            try:
                locks.lock(lock, locks.LOCK_EX)
            finally:
                NEXT.release()
            with closing(connection):
                if not waiting():
                    return
            # Not in this thread, which would share the interpreter with readers' pages; and the
            # site comes first.
            command = ["nice", "-n", "5", sys.executable, str(manage), *COMMAND]
            code = subprocess.call(command, stdin=lock, stdout=subprocess.DEVNULL)
            if code:
                log.warning("manage.py %s ended with %s", " ".join(COMMAND), code)
    except (OSError, DatabaseError) as error:
        log.warning("Changes wait for the schedule: %s", error)


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
