"""The work in the background: plans when sources are due, sends notices of troubles by mail and to a
webhook, and declares jobs, each with the keys that are due.

On PostgreSQL any number of workers of Procrastinate run the jobs (`episodes/queue.py`). On SQLite one
process runs them one after another (`run_jobs`)."""

import json
import logging
import os
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from fcntl import LOCK_EX, LOCK_NB, flock
from functools import partial, wraps
from math import ceil
from pathlib import Path
from time import sleep
from typing import Any, NamedTuple, TextIO

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.management import CommandError, call_command
from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction
from django.db.models import F, Max, Q, QuerySet
from django.urls import reverse
from django.utils import timezone

from . import gather
from .gather import (
    Backoff,
    LinkSummary,
    Unreachable,
    evidence_size_in_bytes,
    host_and_port,
    post_and_require_success,
)
from .ingest import (
    IMPLAUSIBLE_REASON,
    ImportOptions,
    ImportReport,
    LostClaim,
    fetch_and_import_source,
    pause_host,
    paused_until,
    schedule_host,
)
from .models import (
    PROBLEM_STATES,
    QUERY_BATCH_SIZE,
    Held,
    Link,
    LinkCheck,
    Podcast,
    Revision,
    ScheduleMark,
    Source,
    SourceSchedule,
    UnsentNotice,
    sources_with_states_worst_first,
)
from .resolve import (
    has_missing_meanings,
    page_identity,
    resolve_all_waiting,
    resolve_waiting_show,
    retitle_links,
    shows_to_resolve,
    store_proposals_for_misheard_names,
    write_missing_meanings,
)
from .site import absolute_address_or_path, load_shows_and_sections
from .text.database_errors import find_fault

logger = logging.getLogger(__name__)
import_log = logging.getLogger("episodes.imports")  # commands that print reports silence it

# -- Plans: when each source is due. An import with an older token than its plan is not stored ------

# A job reads the due sources of one host after the other. A host that may be asked more than once at a
# time has as many slots, each with its own sources.

TROUBLED_LAST = ("attempts", "failures", "next_at", "pk")


def plan_new_and_moved_sources(now: datetime) -> None:
    """Store a plan, due now, for each source that has none or has another address."""
    sources = Source.objects.active().fetchable()
    new_plans = [
        SourceSchedule(source=source, **_first_plan_columns(source, now))
        for source in sources.filter(schedule=None)
    ]
    SourceSchedule.objects.bulk_create(
        new_plans,
        batch_size=QUERY_BATCH_SIZE,
        ignore_conflicts=True,  # another worker may have done so meanwhile
    )
    for source in sources.exclude(schedule__address=F("address")):
        # A plan with a token is being read now. When that ends, its next plan has the new address.
        idle_plans = SourceSchedule.objects.filter(source=source, token="")
        idle_plans.update(**_first_plan_columns(source, now))


def _first_plan_columns(source: Source, now: datetime) -> dict[str, Any]:
    return {"address": source.address, "host": schedule_host(source), "next_at": now}


def plan_new_sources_and_return_due_slots(now: datetime) -> list[str]:
    """Return the slots of hosts with due sources, the longest overdue first. New sources are due.

    Sources in trouble come last, as reading them may take all the time that a document has.
    """
    plan_new_and_moved_sources(now)
    due_plans = _active_plans().filter(next_at__lte=now).order_by(*TROUBLED_LAST)
    # A host is asked by one job at a time, or by as many as it has slots (HOST_SLOTS).
    hosts_and_sources = due_plans.values_list("host", "source")
    slots = [host_slot(host, source_id) for host, source_id in hosts_and_sources]
    return list(dict.fromkeys(slots))  # each once


def host_slot(host: str, source_id: int) -> str:
    """Return the slot of a source: its host and the number of the slot, `example.org/0`."""
    slot_count = settings.HOST_SLOTS.get(host, 1)
    return f"{host}/{source_id % slot_count}"


def due_or_unfinished_plans(slot: str, now: datetime) -> list[SourceSchedule]:
    """Return the plans of a slot of a host, such as "loom.example/2", that are due or have an unfinished job."""
    host, _, _ = slot.rpartition("/")
    is_due = Q(next_at__lte=now)
    # A job of a slot begins with this. No other job of the slot runs then, and each deletes its tokens when it
    # ends. So a plan with a token is of a job with a process that was killed.
    is_unfinished = ~Q(token="")
    plans = _active_plans().filter(is_due | is_unfinished, host=host)
    in_order = plans.order_by(*TROUBLED_LAST)
    return [plan for plan in in_order if host_slot(host, plan.source_id) == slot]


def last_attempt_at_host_slot(slot: str) -> datetime | None:
    """Return when a source of the host slot ("HOST/NUMBER") was last requested, or None."""
    host, _, number = slot.rpartition("/")
    slot_count = settings.HOST_SLOTS.get(host, 1)
    # The number of each source's slot, as in host_slot. The database computes it, because a large host has
    # thousands of sources.
    plans = SourceSchedule.objects.alias(slot_number=F("source_id") % slot_count)
    plans_of_slot = plans.filter(host=host, slot_number=number)
    last_attempt: datetime | None = plans_of_slot.aggregate(at=Max("attempted_at"))["at"]
    return last_attempt


def begin_attempt_and_return_token(plan: SourceSchedule, now: datetime) -> str:
    """Count an attempt to read a source and return its new token.

    An attempt with an earlier token can no longer store anything.
    """
    plan.token = uuid.uuid4().hex
    plan.attempts += 1
    plan.attempted_at = now
    # If this process dies unnoticed, the source is due again in ten minutes.
    plan.next_at = now + timedelta(minutes=10)
    plan.save(update_fields=["token", "attempts", "attempted_at", "next_at"])
    return plan.token


def postpone_attempt(plan: SourceSchedule, now: datetime) -> None:
    """End an attempt that the database stopped. It is repeated in a minute."""
    plans = SourceSchedule.objects.filter(pk=plan.pk, token=plan.token)
    plans.update(token="", next_at=now + timedelta(minutes=1))


def end_unfinished_attempts(now: datetime) -> None:
    """Make sources due that a killed process left unfinished. Only for the one process that reads."""
    SourceSchedule.objects.exclude(token="").update(token="", next_at=now)


@transaction.atomic
def set_is_told_and_return_source_ids(
    plans: QuerySet[SourceSchedule], *, is_told: bool
) -> list[int]:
    """Set `is_told` of plans and return the ids of their sources. No other process gets the same ids."""
    source_ids = list(plans.select_for_update().values_list("source", flat=True))
    SourceSchedule.objects.filter(source__in=source_ids).update(is_told=is_told)
    return source_ids


def _active_plans() -> QuerySet[SourceSchedule]:
    sources = Source.objects.active().fetchable().order_by().values("pk")
    return SourceSchedule.objects.filter(source__in=sources)


def try_to_begin_next_period(period_key: str, period: timedelta, now: datetime) -> bool:
    """Return True once after each period, and begin the next one. The first call begins the first period, so
    the first weekly digest is of a whole week.

    The database stores when a period began. Of several processes that call this at once, one gets True.
    """
    mark, is_first_call = ScheduleMark.objects.get_or_create(key=period_key, defaults={"at": now})
    period_ago = now - period
    if is_first_call or mark.at > period_ago:
        return False
    # Another process may have begun the next period since the mark was read. Then no row is updated.
    marks = ScheduleMark.objects.filter(key=period_key, at__lte=period_ago)
    updated_rows = marks.update(at=now)
    return updated_rows == 1


# -- Notices: of sources that fail and work again, each once, and weekly of the catalog --------------

WEEK = timedelta(days=7)
NOTICE_BACKOFF = Backoff(timedelta(minutes=5), timedelta(hours=6))


@dataclass(frozen=True, slots=True)
class Notice:
    """A message for the people who run the site. A webhook gets `data` beside the words."""

    event: str
    subject: str  # one line
    lines: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return "\n".join((self.subject, *self.lines))

    def send_and_return_errors_by_channel(self, *, by_mail_only: bool = False) -> dict[str, str]:
        """Send it by each channel that is set up. Return the error or "", by the name of the channel."""
        errors_by_channel = {}
        if settings.NOTIFY_PEOPLE:
            errors_by_channel["mail"] = self.send_by_channel_and_return_error("mail")
        if settings.WEBHOOK_URL and not by_mail_only:
            errors_by_channel["webhook"] = self.send_by_channel_and_return_error("webhook")
        return errors_by_channel

    def send_by_channel_and_return_error(self, channel: str) -> str:
        if channel == "mail":
            return self._mail_and_return_error()
        return self._post_to_webhook_and_return_error()

    def send_and_store_failures(self, now: datetime, *, by_mail_only: bool = False) -> None:
        """Send it. Log the error of a channel, and store the notice to be sent there again."""
        errors_by_channel = self.send_and_return_errors_by_channel(by_mail_only=by_mail_only)
        for channel, error in errors_by_channel.items():
            if not error:
                continue
            logger.error("A notice could not be sent by %s (%s): %s", channel, error, self.subject)
            UnsentNotice.objects.create(
                channel=channel,
                notice=asdict(self),
                not_before=NOTICE_BACKOFF.next_attempt(now, 1),
            )

    def _mail_and_return_error(self) -> str:
        site = load_shows_and_sections()  # as text it is the name of the site
        subject = f"[{site}] {self.subject}"
        try:
            EmailMessage(subject, f"{self.text}\n", to=settings.NOTIFY_PEOPLE).send()
        except Exception as error:  # mail servers fail in more ways than smtplib has classes for
            return f"{type(error).__name__}: {error}"
        return ""

    def _post_to_webhook_and_return_error(self) -> str:
        """Post it to the webhook and return the error, or "".

        The operator sets the address, so it may be on a private network, unlike feeds. Redirects are not
        followed, so nobody else can lead it there.
        """
        site_name = str(load_shows_and_sections())
        body = {
            "text": f"[{site_name}] {self.text}",  # Slack and Mattermost show this alone
            "event": self.event,
            "site": site_name,
            **self.data,
        }
        json_body = json.dumps(body, ensure_ascii=False).encode()
        address = settings.WEBHOOK_URL
        try:
            allowed_private_hosts = frozenset({host_and_port(address)})
            post_and_require_success(
                address, json_body, "application/json", allowed_private_hosts=allowed_private_hosts
            )
        except Unreachable as error:
            return str(error)
        return ""


def resend_or_delete_unsent_notices(now: datetime) -> None:
    """Send the notices that are due after a failure. Delete a notice that failed for a day."""
    max_failures = 10  # which take a day
    UnsentNotice.objects.filter(failures__gte=max_failures).delete()
    for unsent in UnsentNotice.objects.filter(not_before__lte=now):
        # Counted before it is sent, so that an attempt that kills the process counts as a failure.
        unsent.failures += 1
        unsent.not_before = NOTICE_BACKOFF.next_attempt(now, unsent.failures)
        unsent.save()
        error = Notice(**unsent.notice).send_by_channel_and_return_error(unsent.channel)
        if not error:
            unsent.delete()


def build_weekly_digest(now: datetime) -> Notice:
    """Return the notice with the numbers of the last seven days and of the rows that wait for people.

    Nothing is sent.
    """
    week_ago = now - WEEK
    recorded = Revision.objects.filter(recorded_at__gt=week_ago, recorded_at__lte=now)
    troubled = sources_with_states_worst_first(Source.objects.all(), now).filter(
        state__in=PROBLEM_STATES
    )
    lines = (
        f"New or changed entries, see {absolute_address_or_path('/changes/')}: {recorded.count():,}",
        f"Entries waiting for review: {Held.objects.count():,}",
        f"Sources in trouble, see {absolute_address_or_path('/sources/')}: {troubled.count():,}",
        f"Dead links in show notes: {LinkCheck.objects.in_trouble().count():,}",
    )
    return Notice("digest", f"Weekly digest, {week_ago:%-d %B} to {now:%-d %B %Y}", lines)


def send_incident_notices(now: datetime) -> None:
    """Send a notice of the sources that have failed NOTIFY_FAILURES times in a row, and another of the
    sources that work again. Each source is reported once. If NOTIFY_FAILURES is 0, send nothing.
    """
    if not settings.NOTIFY_FAILURES:
        return
    active = Source.objects.active().order_by().values("pk")
    plans = SourceSchedule.objects.filter(source__in=active)
    # set_is_told_and_return_source_ids returns a source to one worker only, so two workers do not both send a notice.
    failing = plans.filter(failures__gte=settings.NOTIFY_FAILURES, is_told=False)
    failing_ids = set_is_told_and_return_source_ids(failing, is_told=True)
    _send_incident_notice("source.failing", "failing", failing_ids, now)
    recovered = plans.filter(failures=0, is_told=True)
    recovered_ids = set_is_told_and_return_source_ids(recovered, is_told=False)
    _send_incident_notice("source.recovered", "working again", recovered_ids, now)


def report_refused_changes(now: datetime) -> None:
    sources = sources_with_states_worst_first(Source.objects.active(), now)
    refused = sources.filter(reason__startswith=IMPLAUSIBLE_REASON)
    ids = list(refused.values_list("pk", flat=True))
    _send_incident_notice("source.waiting", "waiting for you", ids, now)


def _send_incident_notice(
    event: str, state_words: str, source_ids: Sequence[int], now: datetime
) -> None:
    """Send a notice that sources are "failing", "working again" or "waiting for you" (`state_words`), unless
    there are none."""
    if not source_ids:
        return
    max_listed = 50  # in a mail
    sources = Source.objects.filter(pk__in=source_ids)
    worst_sources = sources_with_states_worst_first(sources, now)[:max_listed]
    lines: list[str] = []
    sources_as_data = []
    for source in worst_sources:
        source_data = _source_as_data(source)
        lines += _lines_about_source(source, source_data)
        sources_as_data.append(source_data)
    if len(source_ids) == 1:
        subject = f"{worst_sources[0].label(several=True)} is {state_words}"
    else:
        subject = f"{len(source_ids)} sources are {state_words}"
    notice = Notice(event, subject, tuple(lines), data={"sources": sources_as_data})
    notice.send_and_store_failures(now)


def _lines_about_source(source: Any, source_data: Mapping[str, Any]) -> list[str]:
    line = f"{source.label(several=True)}: {source.state}: {source_data['reason']}"
    return [
        # A source without a reason would leave the colon at the end.
        line.removesuffix(": "),
        f"  {source_data['admin_url']}",
        f"  {source_data['url']}",
    ]


def _source_as_data(source: Any) -> dict[str, Any]:
    """Return a source of `sources_with_states_worst_first` as programs get it from the webhook."""
    admin_path = reverse("admin:episodes_source_change", args=(source.pk,))
    page_path = f"{reverse('sources')}?podcast={source.podcast.slug}"
    return {
        "podcast": source.podcast.slug,
        "show": source.podcast.title,
        "source": source.slug,
        "title": source.heading,
        "state": source.state,
        "failures": source.schedule.failures,
        "reason": source.conceal(source.reason),
        "admin_url": absolute_address_or_path(admin_path),
        "url": absolute_address_or_path(page_path),
    }


# -- Jobs ------------------------------------------------------------------------------------------

HOST_PAUSE = timedelta(seconds=2)  # between two requests to one host
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


@dataclass
class JobContext:
    """The environment that the jobs of one process share: options, clock, reports and the signal to stop.

    `sleep` takes seconds. `on_report` gets the report of each reading, `on_progress` a line for people.
    Long jobs call `work_between_units` between two sources, links or pages.
    """

    options: ImportOptions = field(default_factory=ImportOptions)
    on_report: Callable[[ImportReport], None] = lambda report: None
    on_progress: Callable[[str], None] = lambda message: None
    clock: Callable[[], datetime] = timezone.now
    sleep: Callable[[float], Any] = sleep
    work_between_units: Callable[[], None] = lambda: None
    stopped: bool = False

    def work_and_return_must_stop(self) -> bool:
        """Do the work that is more urgent than the next unit of a job. Return whether the job is to end."""
        self.work_between_units()
        return self.stopped


class Job(NamedTuple):
    """A kind of work: `find_due_keys` returns the keys that are due, and `run` does the work of one key."""

    name: str
    find_due_keys: Callable[[datetime], Sequence[str]]
    run: Callable[[JobContext, str], None]


JOBS: dict[str, Job] = {}
ONLY_KEY = ""  # of a periodic job, which is about nothing in particular


def declare_job(
    find_due_keys: Callable[[datetime], Sequence[str]],
) -> Callable[[Callable[[JobContext, str], None]], Job]:
    """Return a decorator that adds a function to JOBS under its name and returns the job.

    `find_due_keys` returns the keys (such as host slots) for which the job is to run at a time.
    """

    def declare(run: Callable[[JobContext, str], None]) -> Job:
        job = Job(run.__name__, find_due_keys, run)
        JOBS[job.name] = job
        return job

    return declare


def declare_periodic_job(
    period: timedelta, period_key: str, is_enabled: Callable[[], object] = lambda: True
) -> Callable[[Callable[[JobContext], None]], Job]:
    """Return a decorator that declares a function as a job that is due once in each period:
    `@declare_periodic_job(DAY, "backup", lambda: settings.BACKUP_FOLDER)`.

    The first period begins when `find_due_keys` is called for the first time. When a period has passed,
    `find_due_keys` claims it under `period_key`, so that of several processes only one runs the job. A queued
    job runs to its end, also if a worker dies with it. A job that fails is due again after a period.
    """

    def find_due_keys(now: datetime) -> list[str]:
        is_due = is_enabled() and try_to_begin_next_period(period_key, period, now)
        return [ONLY_KEY] if is_due else []

    def declare(run: Callable[[JobContext], None]) -> Job:
        declare_with_keys = declare_job(find_due_keys)
        return declare_with_keys(_job_reporting_failure(run, period_key))

    return declare


def _job_reporting_failure(
    run: Callable[[JobContext], None], report_name: str
) -> Callable[[JobContext, str], None]:
    # Every job gets a key, of which `run` has no use: a periodic job has only ONLY_KEY.
    @wraps(run)
    def run_and_report_failure(context: JobContext, key: str) -> None:
        try:
            run(context)
        # An error such as a read-only folder is reported, and the other jobs go on.
        except (CommandError, OSError) as error:
            # A fault of the machine or the database comes with advice to the operator.
            reason = str(find_fault(error) or error)
            import_log.warning("%s: failed: %s", report_name, reason)
            context.on_report(ImportReport(report_name, "failed", reason))

    return run_and_report_failure


def iterate_due_jobs_with_keys(context: JobContext) -> Iterator[tuple[Job, str]]:
    for job in JOBS.values():
        for key in job.find_due_keys(context.clock()):
            yield job, key
            if context.stopped:
                return


# The first of all jobs: a curator waits for it.
@declare_job(lambda now: [str(podcast.pk) for podcast in shows_to_resolve(now)])
def follow_ups(context: JobContext, key: str) -> None:
    """Resolve a show that waits. The key is its id."""
    podcast = Podcast.objects.filter(pk=key).first()
    if podcast and resolve_waiting_show(podcast):
        context.on_progress(f"{podcast}: resolved")


@declare_job(lambda now: [""] if has_missing_meanings() else [])
def meanings(context: JobContext, key: str) -> None:
    write_missing_meanings(context.work_and_return_must_stop)


@declare_job(plan_new_sources_and_return_due_slots)
def read_host(context: JobContext, slot: str) -> None:
    """Import the due sources of a host slot ("HOST/NUMBER") one after another, for a minute at most.

    After that, other hosts get their turn.
    """
    began_at = context.clock()
    for plan in due_or_unfinished_plans(slot, began_at):
        # More urgent work, such as to resolve shows that wait. It counts in the minute.
        context.work_between_units()
        has_used_its_minute = context.clock() - began_at > MINUTE
        if context.stopped or has_used_its_minute:
            return  # the rest stays due, and the next round queues it again
        end_of_pause = paused_until(plan.host)
        if end_of_pause and end_of_pause > context.clock():
            # Sources of the host that were added since the pause was stored wait as well.
            pause_host(plan.host, end_of_pause)
            return
        _pause_before_request(context, slot)
        try:
            _import_or_postpone_if_database_lost(context, plan)
        # This process stood still, and another worker has taken over the source.
        except LostClaim:
            return


def _pause_before_request(context: JobContext, slot: str) -> None:
    last_attempt = last_attempt_at_host_slot(slot)
    if last_attempt is None:
        return
    rest_of_pause = last_attempt + HOST_PAUSE - context.clock()
    if rest_of_pause > timedelta():
        # At most HOST_PAUSE, even if the clock was set back since.
        context.sleep(min(rest_of_pause, HOST_PAUSE).total_seconds())


def _import_or_postpone_if_database_lost(context: JobContext, plan: SourceSchedule) -> None:
    try:
        _import_planned_source_and_report(context, plan)
    # A lost database is not a failure of the source. Import it again later.
    except OperationalError:
        # Without a database this fails, too. Then the source is due again in some minutes.
        with suppress(DatabaseError):
            postpone_attempt(plan, context.clock())
        raise


def _import_planned_source_and_report(context: JobContext, plan: SourceSchedule) -> None:
    max_attempts = 3
    # Adds this attempt to `plan.attempts`. A finished import resets them, so only attempts that did not end add up.
    token = begin_attempt_and_return_token(plan, context.clock())
    fetch_error = None
    if plan.attempts > max_attempts:
        # The source may kill the process each time. With an error the import fetches nothing, and stores it as
        # the failure of the source.
        fetch_error = Unreachable(
            f"its reading did not end {max_attempts} times in a row: the process was stopped or killed"
        )
    # Loaded only now, because a curator may have changed it while it waited.
    source = Source.objects.select_related("podcast").get(pk=plan.source_id)
    report = fetch_and_import_source(
        source,
        context.options,
        context.clock,
        context.on_progress,
        token=token,
        fetch_error=fetch_error,
    )
    context.on_report(report)


@declare_periodic_job(MINUTE, "notices")
def send_notices(context: JobContext) -> None:
    now = context.clock()
    resend_or_delete_unsent_notices(now)
    send_incident_notices(now)
    # A refused change is reported every day, for as long as it waits for a person.
    if try_to_begin_next_period("waiting", DAY, now):
        report_refused_changes(now)
    if try_to_begin_next_period("digest", WEEK, now):
        build_weekly_digest(now).send_and_store_failures(now, by_mail_only=True)


@declare_periodic_job(HOUR, "links", lambda: settings.CHECK_LINKS)
def links(context: JobContext) -> None:
    """Check so many links an hour that each is checked once in 30 days, but at most 50."""
    max_age = timedelta(days=30)
    runs_in_max_age = max_age / HOUR
    links_per_run = ceil(Link.objects.count() / runs_in_max_age)
    # On SQLite the other jobs wait for some minutes while these links are checked.
    max_links = min(links_per_run, 50)
    check_and_title_links(
        max_links,
        max_age,
        allowed_private_hosts=context.options.allowed_private_hosts,
        clock=context.clock,
        sleep=context.sleep,
        on_progress=context.on_progress,
        must_stop=context.work_and_return_must_stop,
    )


@declare_periodic_job(timedelta(minutes=5), "ping", lambda: settings.PING_URL)
def ping(context: JobContext) -> None:
    """Request PING_URL. A monitor there raises an alarm when the requests end."""
    try:
        # The operator sets the address, so it may be on a private network, like the webhook.
        allowed_private_hosts = frozenset({host_and_port(settings.PING_URL)})
        post_and_require_success(
            settings.PING_URL, b"", "text/plain", allowed_private_hosts=allowed_private_hosts
        )
    except Unreachable as error:
        logger.warning("PING_URL cannot be reached (%s)", error.status or "no answer")


@declare_periodic_job(DAY, "tidy")
def tidy(context: JobContext) -> None:
    call_command("tidy", verbosity=0)


def store_evidence_sizes() -> None:
    for source in Source.objects.order_by("pk"):
        SourceSchedule.objects.update_or_create(
            source=source, defaults={"stored_bytes": evidence_size_in_bytes(source)}
        )


@declare_periodic_job(DAY, "proposals")
def proposals(context: JobContext) -> None:
    for podcast in Podcast.objects.listed():
        with transaction.atomic():
            store_proposals_for_misheard_names(podcast)
        context.work_between_units()


@declare_periodic_job(DAY, "backup", lambda: settings.BACKUP_FOLDER)
def backup(context: JobContext) -> None:
    """Write a backup to BACKUP_FOLDER, and keep the newest fourteen."""
    folder = Path(settings.BACKUP_FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{context.clock():%Y-%m-%d}.catalog"
    call_command("backup", str(path), overwrite=True, verbosity=0)
    max_backups = 14
    # The names are days, so sorting puts the oldest first.
    backups = sorted(folder.glob("????-??-??.catalog"))
    for old_backup in backups[:-max_backups]:
        old_backup.unlink()


@declare_periodic_job(DAY, "publish", lambda: settings.PUBLISH_FOLDER)
def publish(context: JobContext) -> None:
    folder = settings.PUBLISH_FOLDER
    call_command(
        "publish", folder, verbosity=0, on_progress=lambda *counts: context.work_between_units()
    )


def check_and_title_links(limit: int, max_age: timedelta, **options: Any) -> LinkSummary:
    """Check links as `gather.check_due_links_and_count_outcomes` does, and store the titles of pages if LINK_TITLES is on."""
    # Without this function no page is read for its title.
    identity = page_identity if settings.LINK_TITLES else None
    summary = gather.check_due_links_and_count_outcomes(
        limit, max_age, page_identity=identity, **options
    )
    retitle_links(summary.titled)
    return summary


# -- One process, one job after another. A file lock keeps a second process out ----------------------


class AlreadyRunning(Exception):
    """Another process does the work."""


def run_jobs(
    context: JobContext, *, once: bool = False, waits_for_other_process: bool = False
) -> None:
    """Run the due jobs until the process is to stop. With `once`, return when nothing more is due.

    If another process runs jobs, wait until it has ended (`waits_for_other_process`) or raise an error.

    Raises:
        AlreadyRunning: another process runs jobs.
    """
    context.work_between_units = partial(resolve_waiting_shows, context)
    # The operating system releases the lock when the process ends, even if it is killed.
    with lock_file().open("a+") as file:
        _lock_file_or_raise_already_running(file, waits_for_other_process=waits_for_other_process)
        end_unfinished_attempts(context.clock())
        if not once:
            run_round = partial(_run_due_jobs_or_sleep, context)
            repeat_despite_errors_until_stopped(context, run_round)
            return
        has_more = True
        while has_more and not context.stopped:
            has_more = run_each_due_job_and_return_has_run(context)
        # Sent even if they are not due: with --once there may be no later run.
        send_notices.run(context, ONLY_KEY)


def _lock_file_or_raise_already_running(file: TextIO, *, waits_for_other_process: bool) -> None:
    # LOCK_NB raises an error in place of waiting until the lock is free.
    operation = LOCK_EX if waits_for_other_process else LOCK_EX | LOCK_NB
    try:
        flock(file, operation)
    except BlockingIOError:
        # The process with the lock has written its id into the file.
        file.seek(0)
        process_id = file.read(20)
        raise AlreadyRunning(
            f"Another run_schedule is working on this database (process {process_id})."
        ) from None
    # The id of this process, for the message of AlreadyRunning in another process.
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()


def _run_due_jobs_or_sleep(context: JobContext) -> None:
    seconds_between_rounds = 5.0
    if not run_each_due_job_and_return_has_run(context):
        context.sleep(seconds_between_rounds)


def record_heartbeat(now: datetime) -> None:
    """Store that something in the background resolves shows that wait, so that pages need not."""
    # Rounds may follow each other at once, so it is stored at most every four seconds.
    try_to_begin_next_period(ScheduleMark.BEAT, timedelta(seconds=4), now)


def resolve_waiting_shows(context: JobContext) -> None:
    record_heartbeat(context.clock())
    for podcast in resolve_all_waiting():
        context.on_progress(f"{podcast}: resolved")


def run_each_due_job_and_return_has_run(context: JobContext) -> bool:
    """Run each due job with its first key only, and return whether any was due.

    Further keys wait for the next round. Otherwise a job with many hosts would keep all other jobs waiting.
    """
    has_run = False
    for job in JOBS.values():
        context.work_between_units()
        first_due_key = job.find_due_keys(context.clock())[:1]  # a list without a key, or with one
        for key in first_due_key:
            has_run = True
            job.run(context, key)
        if context.stopped:
            break
    return has_run


def repeat_despite_errors_until_stopped(context: JobContext, step: Callable[[], object]) -> None:
    """Call `step` until the process is to stop. After an error, log it, wait ten seconds and go on."""
    seconds_after_error = 10.0
    is_database_down = False
    while not context.stopped:
        try:
            step()
            is_database_down = False
        except (OperationalError, InterfaceError) as error:
            # Logged once, however long the database is down.
            if not is_database_down:
                logger.warning("The database does not answer; trying again: %s", error)
            is_database_down = True
            # The next statement opens a new connection.
            connection.close()
            context.sleep(seconds_after_error)
        except Exception:
            # Go on after any error: under `make run`, nobody would restart this process.
            logger.exception("Work in the background failed; going on")
            context.sleep(seconds_after_error)


def lock_file() -> Path:
    return Path(f"{connection.settings_dict['NAME']}.schedule")
