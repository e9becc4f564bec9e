"""The version of the catalog: another one after every change that readers' pages show."""

from __future__ import annotations

from datetime import datetime
from uuid import uuid4

from django.db import connection, models, transaction
from django.utils import timezone


class CatalogVersion(models.Model):
    """A change that pages show. The version is the tokens of all rows together, most often of
    one."""

    token = models.CharField(
        max_length=40
    )  # random: a number could come again after a restored backup
    raised_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.token

    @classmethod
    def latest(cls) -> tuple[str, datetime | None]:
        """The version, and when it came about; None where several changes of one moment left that
        open."""
        rows = list(cls.objects.order_by("pk"))
        return "".join(map(str, rows)), rows[0].raised_at if len(rows) == 1 else None

    @classmethod
    def current(cls) -> str:
        """The version; "" before the first change."""
        # Every page asks for it, and Django would take longer to compile the query than the
        # database to answer.
        with connection.cursor() as cursor:
            cursor.execute("SELECT token FROM episodes_catalogversion ORDER BY id")
            return "".join(token for (token,) in cursor.fetchall())


@transaction.atomic(savepoint=False)
def raise_version() -> None:
    """Make another version of the catalog, together with the transaction at hand: both come, or
    neither.

    Each change adds a row and removes those it sees, so no version ever comes again. To change one
    row in place would make writers on PostgreSQL wait for each other until they end; a row that
    another change is removing is left to that one. To do it after the commit would leave old pages
    for good where the process ends in between.
    """
    row = CatalogVersion.objects.create(token=uuid4().hex, raised_at=timezone.now())
    earlier = CatalogVersion.objects.exclude(pk=row.pk).select_for_update(skip_locked=True)
    CatalogVersion.objects.filter(pk__in=list(earlier.values_list("pk", flat=True))).delete()
