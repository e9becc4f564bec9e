"""Checks of `manage.py check --deploy`: what a server needs beyond its settings."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core import checks, mail
from django.core.cache import caches
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone
from django.utils.translation import ngettext

MIN_FREE_BYTES = 1_000_000_000
HOSTS_HINT = "Set ALLOWED_HOSTS to the names of the site, such as podcasts.example.org."


@checks.register("deployment", deploy=True)
def check_folders_and_free_space(app_configs: Any, **_: Any) -> Iterator[checks.CheckMessage]:
    for name, folder in names_and_written_folders():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # Creating a file shows that the folder can be written.
            with tempfile.TemporaryFile(dir=folder):
                free_bytes = shutil.disk_usage(folder).free
        except OSError as error:
            hint = f"Give the user {os.geteuid()} that runs the site write access, or set another folder."
            message = f"{name} {folder} cannot be written: {error.strerror}."
            yield checks.Error(message, hint=hint, id="catalog.E001")
            continue
        if free_bytes < MIN_FREE_BYTES:
            hint = "Free some space: imports stop when the disk is full, and lose nothing."
            message = f"{name} {folder} has {free_bytes / 1_000_000:.0f} MB left."
            yield checks.Warning(message, hint=hint, id="catalog.W001")


def names_and_written_folders() -> list[tuple[str, Path]]:
    folders = [("The folder of images", Path(settings.MEDIA_ROOT))]
    if connection.vendor == "sqlite":
        # SQLite writes its log into the folder of the file.
        database = Path(settings.DATABASES["default"]["NAME"]).absolute()
        folders.append(("The folder of the database", database.parent))
    if settings.BACKUP_FOLDER:
        folders.append(("The folder of backups (BACKUP_FOLDER)", Path(settings.BACKUP_FOLDER)))
    return folders


@checks.register("deployment", deploy=True)
def check_page_cache_answers(app_configs: Any, **_: Any) -> Iterator[checks.CheckMessage]:
    try:
        caches["default"].get("doctor")  # any key: only the answer counts
    except Exception as error:  # each kind of cache has errors of its own
        message = f"Pages cannot be kept at CACHE_URL: {error}"
        hint = "Until they can, each is made anew: start the server, or pip install redis."
        yield checks.Warning(message, hint=hint, id="catalog.W009")


@checks.register("deployment", deploy=True)
def check_migrations(app_configs: Any, **_: Any) -> Iterator[checks.CheckMessage]:
    executor = MigrationExecutor(connection)
    last_migrations = executor.loader.graph.leaf_nodes()
    # The plan has the migrations that are not applied yet: ["episodes.0042_cover", …].
    names = []
    for migration, _is_backwards in executor.migration_plan(last_migrations):
        names.append(f"{migration.app_label}.{migration.name}")
    if names:
        first_names = ", ".join(names[:3])
        message = f"Migrations are not applied: {first_names} ({len(names)} in all)."
        yield checks.Error(message, hint="Run manage.py migrate.", id="catalog.E002")


@checks.register("deployment", deploy=True)
def check_late_sources(app_configs: Any, **_: Any) -> Iterator[checks.CheckMessage]:
    """Warn if sources are due for more than a day, as no schedule seems to run."""
    from episodes.models import Source, SourceSchedule

    plans = SourceSchedule.objects.filter(source__in=Source.objects.active().fetchable())
    day_ago = timezone.now() - timedelta(days=1)
    late_count = plans.filter(next_at__lt=day_ago).count()
    if late_count:
        sources_are = ngettext("source was", "sources were", late_count)
        message = f"{late_count:,} {sources_are} due more than a day ago."
        hint = "Run manage.py run_schedule or work as a service, or ingest by cron (docs/operating.md)."
        yield checks.Warning(message, hint=hint, id="catalog.W003")


@checks.register("deployment", deploy=True)
def check_failing_sources(app_configs: Any, **_: Any) -> Iterator[checks.CheckMessage]:
    from episodes.models import Podcast, Source, sources_with_states_worst_first

    # With the column `state`. Sources of removed shows are left out.
    sources = sources_with_states_worst_first(Source.objects.all(), timezone.now())
    failing = sources.filter(state__in=("gone", "refused", "failing"))
    failing_count = failing.count()
    if failing_count == 0:
        return
    lines = [f"{failing_count:,} of {sources.count():,} failing, see /sources/:"]
    has_several_shows = Podcast.objects.several()
    for source in failing[:50]:  # the worst ones. /sources/ has all
        name = source.name(several=has_several_shows)
        # The reason may have a secret address.
        lines.append(f"    {name}: {source.state}: {source.conceal(source.reason)}")
    hint = "Run manage.py ingest SOURCE --podcast SHOW to try one now, or pause it in the admin."
    yield checks.Warning("\n".join(lines), hint=hint, id="catalog.W010")


@checks.register("deployment", deploy=True)
def check_database_clock(app_configs: Any, **_: Any) -> Iterator[checks.CheckMessage]:
    """Warn if the clocks of this machine and of the database server are five seconds apart.

    One clock decides when a source is due, the other which worker is dead.
    """
    if connection.vendor == "sqlite":
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (database_time,) = cursor.fetchone()
        difference = abs(database_time - timezone.now())
    if difference >= timedelta(seconds=5):
        seconds = f"{difference.total_seconds():.0f} s"
        message = f"The clocks of this machine and of the database are {seconds} apart."
        yield checks.Warning(message, hint="Run an NTP client on both.", id="catalog.W007")


@checks.register("deployment", deploy=True)
def check_mail_server_by_login(app_configs: Any, **_: Any) -> Iterator[checks.CheckMessage]:
    """Log in to the mail server, if one is set. Nothing is sent."""
    if not settings.EMAIL_URL:
        return
    try:
        # Entering the block logs in.
        with mail.get_connection():
            pass
    except Exception as error:  # mail servers fail in more ways than smtplib has classes for
        message = f"The mail server of EMAIL_URL does not answer: {error}"
        hint = "Try it with manage.py notify --test."
        yield checks.Warning(message, hint=hint, id="catalog.W008")


@checks.register("deployment", deploy=True)
def check_unresolved_shows(app_configs: Any, **_: Any) -> Iterator[checks.CheckMessage]:
    from episodes.resolve import waiting_states

    late_shows = [str(state.podcast) for state in waiting_states() if state.is_late]
    if late_shows:
        message = f"Changes of these shows wait for more than 10 seconds: {', '.join(late_shows)}."
        hint = (
            "Run manage.py run_schedule or work as a service. If it runs, its log has the reason."
        )
        yield checks.Warning(message, hint=hint, id="catalog.W005")


@checks.register("security", deploy=True)
def check_https(app_configs: Any, **_: Any) -> Iterator[checks.CheckMessage]:
    if not settings.HTTPS:
        message = "HTTPS is off: passwords and session cookies are sent unencrypted."
        hint = (
            "Put the site behind a proxy that speaks HTTPS, and set HTTPS=on. It redirects to HTTPS, "
            "secures cookies and sets HSTS (docs/deploying.md)."
        )
        yield checks.Warning(message, hint=hint, id="catalog.W012")


@checks.register("security", deploy=True)
def check_trusted_proxies(app_configs: Any, **_: Any) -> Iterator[checks.CheckMessage]:
    if settings.HTTPS and not settings.TRUSTED_PROXIES:
        hint = "Set TRUSTED_PROXIES=1, or however many proxies of yours add to X-Forwarded-For."
        message = "HTTPS=on, so there is a proxy, but TRUSTED_PROXIES is 0: all visitors count as one client."
        yield checks.Warning(message, hint=hint, id="catalog.W004")


@checks.register("security", deploy=True)
def check_any_host(app_configs: Any, **_: Any) -> Iterator[checks.CheckMessage]:
    if "*" in settings.ALLOWED_HOSTS:
        message = (
            "ALLOWED_HOSTS has *: a request can name any host, and links in answers lead there."
        )
        yield checks.Warning(message, hint=HOSTS_HINT, id="catalog.W011")


# Without HTTPS `manage.py doctor` leaves this check out, as nobody else reaches one's own machine.
@checks.register("security", deploy=True)
def check_local_hosts(app_configs: Any, **_: Any) -> Iterator[checks.CheckMessage]:
    # The settings fill an empty list with the names of this machine.
    local_hosts = {"localhost", "127.0.0.1", "[::1]"}
    if local_hosts.issuperset(settings.ALLOWED_HOSTS):
        message = "ALLOWED_HOSTS is empty: the site answers only at localhost."
        yield checks.Warning(message, hint=HOSTS_HINT, id="catalog.W011")
