"""Checks of `manage.py check --deploy`: what a server needs beyond its settings."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, register
from django.db import DatabaseError, connection
from django.utils import timezone

Row = TypeVar("Row")
LITTLE_SPACE = 1_000_000_000  # bytes
CLOCKS_AGREE = timedelta(minutes=1)
WAITING = timedelta(hours=1)
SILENCE = timedelta(days=3)  # without any reading at all


@register("deployment", deploy=True)
def folders_can_be_written(app_configs: Any, **_: Any) -> Sequence[CheckMessage]:
    """The folders of images and of the SQLite file, by writing to them."""
    found: list[CheckMessage] = []
    for name, folder in folders():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            hint = f"Give the user {os.geteuid()} that runs the site write access, or set another folder."
            found.append(
                checks.Error(
                    f"{name} {folder} cannot be written: {error.strerror}.",
                    hint=hint,
                    id="catalog.E001",
                )
            )
    return found


@register("deployment", deploy=True)
def there_is_space(app_configs: Any, **_: Any) -> Sequence[CheckMessage]:
    found: list[CheckMessage] = []
    for name, folder in folders():
        free = shutil.disk_usage(folder).free if folder.exists() else LITTLE_SPACE
        if free < LITTLE_SPACE:
            hint = "Free some space: imports stop when the disk is full, and lose nothing."
            message = f"{name} {folder} has {free / 1e6:.0f} MB left."
            found.append(checks.Warning(message, hint=hint, id="catalog.W001"))
    return found


def folders() -> list[tuple[str, Path]]:
    found = [("The folder of images", Path(settings.MEDIA_ROOT))]
    if connection.vendor == "sqlite":
        found.append(
            (
                "The folder of the database",
                Path(settings.DATABASES["default"]["NAME"]).absolute().parent,
            )
        )
    return found


@register("deployment", deploy=True)
def clocks_agree(app_configs: Any, **_: Any) -> Sequence[CheckMessage]:
    """This machine's clock and that of the database."""
    try:
        theirs = now_of_database()
    except DatabaseError as error:
        return [
            checks.Error(f"The database does not answer: {str(error).strip()}", id="catalog.E002")
        ]
    apart = abs(theirs - timezone.now())
    if apart < CLOCKS_AGREE:
        return []
    hint = "Set both by NTP: the order of changes and the times of readings depend on it."
    return [
        checks.Warning(
            f"This machine and the database are {apart} apart.", hint=hint, id="catalog.W002"
        )
    ]


def now_of_database() -> datetime:
    with connection.cursor() as cursor:
        cursor.execute("SELECT CURRENT_TIMESTAMP")
        (value,) = cursor.fetchone()
    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    return moment if timezone.is_aware(moment) else timezone.make_aware(moment)


def found_now(rows: Iterable[Row]) -> list[Row]:
    """The rows; none of a table that is not migrated yet."""
    try:
        return list(rows)
    except DatabaseError:
        return []


@register("deployment", deploy=True)
def the_schedule_is_alive(app_configs: Any, **_: Any) -> Sequence[CheckMessage]:
    """Some source was read lately, where any was read before."""
    from episodes.models import IngestRun

    ends = found_now(IngestRun.objects.order_by("-pk").values_list("finished_at", flat=True)[:1])
    if not ends or timezone.now() - ends[0] < SILENCE:
        return []
    said = f"No source was read since {ends[0]:%Y-%m-%d %H:%M} UTC."
    hint = "Run manage.py run_schedule or work as a service, or ingest by cron (docs/operating.md)."
    return [checks.Warning(said, hint=hint, id="catalog.W003")]


@register("deployment", deploy=True)
def changes_are_worked_in(app_configs: Any, **_: Any) -> Sequence[CheckMessage]:
    """No change waits for long."""
    from episodes.models import CatalogState

    rows = CatalogState.objects.filter(waiting_since__lt=timezone.now() - WAITING).select_related(
        "podcast"
    )
    waiting = [str(row.podcast) for row in found_now(rows)]
    if not waiting:
        return []
    said = f"Changes wait to be worked in for more than an hour: {', '.join(waiting)}."
    hint = "Run manage.py rebuild --pending, and manage.py run_schedule as a service."
    return [checks.Warning(said, hint=hint, id="catalog.W005")]


@register("deployment", deploy=True)
def workers_count_together(app_configs: Any, **_: Any) -> Sequence[CheckMessage]:
    """Each web worker counts for itself, and `/metrics` adds up what is in their common folder."""
    folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR", "")
    if not settings.METRICS_TOKEN or os.access(folder, os.W_OK):
        return []
    hint = "Set it to a folder that can be written to and is emptied before the server starts."
    said = f"PROMETHEUS_MULTIPROC_DIR={folder}: no such folder. /metrics is that of one worker."
    return [checks.Warning(said, hint=hint, id="catalog.W006")]


@register("deployment", deploy=True)
def clients_are_told_apart(app_configs: Any, **_: Any) -> Sequence[CheckMessage]:
    """Behind a proxy, what it says of clients is believed: otherwise all of them share its budget
    and its failed logins."""
    if not settings.HTTPS or settings.TRUSTED_PROXIES:
        return []
    hint = "Set TRUSTED_PROXIES=1, or however many proxies of yours add to X-Forwarded-For."
    said = (
        "HTTPS=on, so there is a proxy, but TRUSTED_PROXIES is 0: all visitors count as one client."
    )
    return [checks.Warning(said, hint=hint, id="catalog.W004")]
