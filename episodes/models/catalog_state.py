"""The state of the catalog of each show, and the version of the whole catalog, which changes whenever
pages for readers change."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from django.db import connection, models, transaction
from django.db.models import Exists
from django.utils import timezone

from .configuration import Podcast


class CatalogState(models.Model):
    """The state of the catalog of a show: the time since when a change waits to be resolved, and counts
    of its sources.

    It is no column of the show, because forms and the history copy rows of shows whole.
    """

    podcast = models.OneToOneField(
        Podcast, models.CASCADE, primary_key=True, related_name="catalog_state"
    )
    token = models.CharField(
        max_length=40, blank=True, help_text="Random: a new one at each change."
    )
    waiting_since = models.DateTimeField(null=True, blank=True)
    sources = models.JSONField(
        default=dict,
        help_text="By source: the counts of what its entries hold.",
    )

    class Meta:
        indexes = (
            models.Index(
                fields=("waiting_since",),
                condition=models.Q(waiting_since__isnull=False),
                name="catalog_waits",
            ),
        )

    @property
    def is_slow(self) -> bool:
        return self._has_waited(5)

    @property
    def is_late(self) -> bool:
        return self._has_waited(10)

    def _has_waited(self, seconds: int) -> bool:
        return self.waiting_since < timezone.now() - timedelta(seconds=seconds)  # type: ignore[operator]

    @classmethod
    def mark_changed(cls, podcast: Podcast, now: datetime) -> None:
        state, _ = cls.objects.get_or_create(podcast=podcast)
        state.token = uuid4().hex
        state.waiting_since = state.waiting_since or now
        state.save(update_fields=("token", "waiting_since"))

    @classmethod
    def mark_resolved_and_detect_change(
        cls, podcast: Podcast, source_counts: dict[str, Any], *, is_catalog_changed: bool
    ) -> bool:
        """Store that the catalog of a show is up to date, and the counts of its sources.

        Call it under the lock of the show. Return whether the catalog or the counts have changed.
        """
        state, is_new = cls.objects.get_or_create(podcast=podcast)
        is_changed = is_catalog_changed or is_new or state.sources != source_counts
        # Without a change, too, a show that waited waits no longer.
        has_waited = state.waiting_since is not None
        if is_changed or has_waited:
            # A process that computes this catalog at the same time sees by the random value that it has to
            # compute it again.
            state.token = uuid4().hex
            state.waiting_since = None
            state.sources = source_counts
            state.save()
        return is_changed


class CatalogVersion(models.Model):
    """A change that pages show. The version of the catalog is the tokens of all rows together. There
    is mostly one row."""

    # Random, because a number could come again after a restored backup.
    token = models.CharField(max_length=40)
    raised_at = models.DateTimeField()

    @classmethod
    def latest(cls) -> tuple[str, datetime | None]:
        """Return the version, and the time of its change, or None if it has several rows."""
        rows = list(cls.objects.order_by("pk"))
        version = "".join(row.token for row in rows)
        # Of several rows the time of none is the time of the version.
        changed_at = rows[0].raised_at if len(rows) == 1 else None
        return version, changed_at

    @classmethod
    def version_and_is_any_show_waiting(cls) -> tuple[str, bool]:
        """Return the version, and whether any show waits to be resolved. Before the first change they are ""
        and False."""
        waiting = CatalogState.objects.filter(waiting_since__isnull=False)
        tokens = []
        is_any_show_waiting = False
        # One row, or a few after changes at the same time. Each repeats whether any show waits, so that one
        # query is enough.
        rows = cls.objects.order_by("pk").values_list("token", Exists(waiting))
        for token, is_waiting in rows:
            tokens.append(token)
            is_any_show_waiting = is_waiting
        return "".join(tokens), is_any_show_waiting


@transaction.atomic(savepoint=False)
def start_new_version() -> None:
    """Give the catalog another version, in the current transaction.

    Each change adds a row and deletes the rows that it sees, so no version ever comes again. Changing
    one row in place would make writers on PostgreSQL wait for each other. A row that another
    transaction is deleting is left to it. After the commit it would be too late: if the process
    ended in between, old pages would stay for good.
    """
    new_row = CatalogVersion.objects.create(token=uuid4().hex, raised_at=timezone.now())
    earlier_rows = CatalogVersion.objects.exclude(pk=new_row.pk)
    unlocked_rows = earlier_rows.select_for_update(skip_locked=True)
    CatalogVersion.objects.filter(pk__in=unlocked_rows.values("pk")).delete()


@contextmanager
def consistent_snapshot() -> Iterator[None]:
    """Run the block in a transaction that sees one state of the database, writes nothing, and lets
    others write."""
    # The isolation of a transaction that has begun cannot be changed.
    if connection.in_atomic_block:
        yield
        return
    if connection.vendor == "postgresql":
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
        return
    with _transactions_without_lock(), transaction.atomic():
        yield


@contextmanager
def _transactions_without_lock() -> Iterator[None]:
    usual_mode = getattr(connection, "transaction_mode", None)
    # IMMEDIATE, the usual mode of SQLite here, would lock the database for writers.
    connection.transaction_mode = "DEFERRED"  # type: ignore[attr-defined]
    try:
        yield
    finally:
        connection.transaction_mode = usual_mode  # type: ignore[attr-defined]
