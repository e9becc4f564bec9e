"""The state of each show's catalog: what it was made from, and whether it waits to be made; and the
version of all of them, another one after every change that readers' pages show."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from django.db import connection, models, transaction
from django.db.models import Exists
from django.utils import timezone

from .configuration import Podcast

# After which people are told that a show waits to be resolved.
LATE_AFTER = timedelta(seconds=10)
READ_ONLY = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"


class CatalogState(models.Model):
    """The state of the catalog of a show: since when a change waits to be resolved, and what the
    sources have.

    A row of its own and no column of the show: forms and the history copy rows of shows whole.
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
    def is_late(self) -> bool:
        """Return whether a waiting show should have been resolved by now."""
        return self.waiting_since < timezone.now() - LATE_AFTER  # type: ignore[operator]

    @classmethod
    def mark_changed(cls, podcast: Podcast, now: datetime) -> None:
        """Note that the catalog has to follow a change."""
        state, _ = cls.objects.get_or_create(podcast=podcast)
        state.token, state.waiting_since = uuid4().hex, state.waiting_since or now
        state.save(update_fields=("token", "waiting_since"))

    @classmethod
    def mark_resolved(cls, podcast: Podcast, sources: dict[str, Any], *, is_changed: bool) -> bool:
        """Note that the catalog is up to date, and what its sources have. Return whether the catalog or
        what the sources have is not as it was."""
        before = cls.objects.filter(podcast=podcast).first()
        is_changed |= before is None or before.sources != sources
        if before and before.waiting_since is None and not is_changed:
            return False
        state = before or cls(podcast=podcast)
        state.token, state.waiting_since, state.sources = uuid4().hex, None, sources
        state.save()
        return is_changed


class CatalogVersion(models.Model):
    """A change that pages show. The version is the tokens of all rows together, most often of
    one."""

    token = models.CharField(
        max_length=40
    )  # random: a number could come again after a restored backup
    raised_at = models.DateTimeField()

    @classmethod
    def latest(cls) -> tuple[str, datetime | None]:
        """The version, and when it came about; None where several changes of one moment left that
        open."""
        rows = list(cls.objects.order_by("pk"))
        return "".join(row.token for row in rows), rows[0].raised_at if len(rows) == 1 else None

    @classmethod
    def current_and_waiting(cls) -> tuple[str, bool]:
        """Return the version, "" before the first change, and whether any show waits to be resolved."""
        waiting = CatalogState.objects.filter(waiting_since__isnull=False)
        rows = list(cls.objects.order_by("pk").values_list("token", Exists(waiting)))
        return "".join(token for token, _ in rows), any(has_waiting for _, has_waiting in rows)


@transaction.atomic(savepoint=False)
def start_new_version() -> None:
    """Make another version of the catalog, together with the transaction at hand: both come, or
    neither.

    Each change adds a row and removes those it sees, so no version ever comes again. To change one
    row in place would make writers on PostgreSQL wait for each other until they end; a row that
    another change is removing is left to that one. To do it after the commit would leave old pages
    for good where the process ends in between.
    """
    row = CatalogVersion.objects.create(token=uuid4().hex, raised_at=timezone.now())
    earlier = CatalogVersion.objects.exclude(pk=row.pk).select_for_update(skip_locked=True)
    CatalogVersion.objects.filter(pk__in=earlier.values("pk")).delete()


@contextmanager
def consistent_snapshot() -> Iterator[None]:
    """A transaction that sees the database as it is now, writes nothing, and lets others write."""
    outermost, mode = not connection.in_atomic_block, getattr(connection, "transaction_mode", None)
    if outermost and connection.vendor == "sqlite":
        connection.transaction_mode = "DEFERRED"  # type: ignore[attr-defined]  # IMMEDIATE would keep writers out
    try:
        with transaction.atomic():
            if outermost and connection.vendor == "postgresql":
                with connection.cursor() as cursor:
                    cursor.execute(READ_ONLY)
            yield
    finally:
        if connection.vendor == "sqlite":
            connection.transaction_mode = mode  # type: ignore[attr-defined]
