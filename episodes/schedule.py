"""The work in the background: finds the sources that are due, and gives each reading a token; tells
people of troubles, by mail and to a webhook; and declares jobs, each with what is due of it.

Who calls the jobs is no matter of theirs: on PostgreSQL Procrastinate does, in any number of workers
(`episodes/queue.py`); on SQLite one process calls them one after another (`run`)."""

import json
import logging
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from fcntl import LOCK_EX, LOCK_NB, flock
from functools import partial, wraps
from math import ceil
from pathlib import Path
from time import sleep
from typing import Any, NamedTuple

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.management import CommandError, call_command
from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction
from django.db.models import F, Max, Q, QuerySet
from django.utils import timezone
from django.utils.translation import ngettext

from . import gather
from .gather import Backoff, LinkSummary, Unreachable, evidence_size, host_and_port, post_bytes
from .ingest import (
    IMPLAUSIBLE_REASON,
    ImportOptions,
    ImportReport,
    LostClaim,
    import_source,
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
    order_worst_first,
)
from .resolve import (
    page_identity,
    resolve_all_waiting,
    resolve_waiting_show,
    retitle_links,
    shows_to_resolve,
)
from .site import load_site
from .text.database_errors import find_fault

logger = logging.getLogger(__name__)

# -- the sources that are due: only the import of the reading that a plan names is stored ----------

# A job reads the due sources of one host after the other; a host that may be asked more than once
# at a time has as many slots, each with its own sources.

UNFINISHED = timedelta(
    minutes=10
)  # after which a reading that never ended is due again, whatever became of its job
LATER = timedelta(minutes=1)
MOST_ATTEMPTS = 3  # readings in a row that never ended
TROUBLED_LAST = ("attempts", "failures", "next_at", "pk")


def plan_new_sources(now: datetime) -> None:
    """Plan the sources that have no plan yet, and those that have another address than their plan:
    they are due now."""
    sources = Source.objects.active().fetchable()
    SourceSchedule.objects.bulk_create(
        (
            SourceSchedule(source=source, **_first_plan(source, now))
            for source in sources.filter(schedule=None)
        ),
        batch_size=QUERY_BATCH_SIZE,
        ignore_conflicts=True,  # another worker may have done so meanwhile
    )
    for source in sources.exclude(schedule__address=F("address")):
        # Not while somebody reads it: the plan that follows has the new address.
        SourceSchedule.objects.filter(source=source, token="").update(**_first_plan(source, now))


def _first_plan(source: Source, now: datetime) -> dict[str, Any]:
    return {"address": source.address, "host": schedule_host(source), "next_at": now}


def slots(now: datetime) -> list[str]:
    """Return the slots of hosts with sources that are due, the longest overdue first; new sources are
    due. Sources in trouble come last, as reading them may take all the time that a document has."""
    plan_new_sources(now)
    rows = _readable().filter(next_at__lte=now).order_by(*TROUBLED_LAST)
    return list(dict.fromkeys(slot_of(*row) for row in rows.values_list("host", "source")))


def slot_of(host: str, source: int) -> str:
    return f"{host}/{source % settings.HOST_SLOTS.get(host, 1)}"


def of_slot(slot: str, now: datetime) -> list[SourceSchedule]:
    """The plans of a slot's sources whose reading a killed worker left unfinished, and of those that
    are due."""
    host = slot.rpartition("/")[0]
    rows = _readable().filter(Q(next_at__lte=now) | ~Q(token=""), host=host)
    rows = rows.order_by(*TROUBLED_LAST)
    return [row for row in rows if slot_of(host, row.source_id) == slot]


def last_asked(slot: str) -> datetime | None:
    """The moment at which a source of the slot was asked last."""
    host, _, number = slot.rpartition("/")
    # Asked before each reading: a large host has thousands of sources, which must not be loaded.
    rows = SourceSchedule.objects.alias(part=F("source_id") % settings.HOST_SLOTS.get(host, 1))
    at: datetime | None = rows.filter(host=host, part=number).aggregate(at=Max("attempted_at"))[
        "at"
    ]
    return at


def begin(row: SourceSchedule, now: datetime) -> str:
    """Count an attempt and give the token of the reading that begins; whoever had the last one
    stores nothing more."""
    row.token, row.attempts, row.attempted_at = uuid.uuid4().hex, row.attempts + 1, now
    # Due again by then, even where nobody notices that this process has died.
    row.next_at = now + UNFINISHED
    row.save(update_fields=["token", "attempts", "attempted_at", "next_at"])
    return row.token


def give_back(row: SourceSchedule, now: datetime) -> None:
    """Leave a reading that the database stopped to a later one."""
    SourceSchedule.objects.filter(pk=row.pk, token=row.token).update(token="", next_at=now + LATER)


def free_unfinished(now: datetime) -> None:
    """Make due what a process left that was killed. Only for the one process that reads."""
    SourceSchedule.objects.exclude(token="").update(token="", next_at=now)


@transaction.atomic
def mark_told(plans: QuerySet[SourceSchedule], *, is_told: bool) -> list[int]:
    """The sources of these plans, which no other process gets, marked as told of or no longer so."""
    sources = list(plans.select_for_update().values_list("source", flat=True))
    SourceSchedule.objects.filter(source__in=sources).update(is_told=is_told)
    return sources


def _readable() -> QuerySet[SourceSchedule]:
    sources = Source.objects.active().fetchable().order_by().values("pk")
    return SourceSchedule.objects.filter(source__in=sources)


# Things that are done once in a while, whatever the number of processes; the database remembers.


def claim(key: str, period: timedelta, now: datetime) -> bool:
    """Return whether a period has passed, and begin the next one. The first begins with the first call.

    Of several processes that call this at once, one gets True.
    """
    mark, is_new = ScheduleMark.objects.get_or_create(key=key, defaults={"at": now})
    if is_new or mark.at > now - period:
        return False
    return ScheduleMark.objects.filter(key=key, at__lte=now - period).update(at=now) == 1


# -- notices: of sources that fail and work again, each once; weekly of the catalog ----------------

WEEK = timedelta(days=7)
NOTICE_BACKOFF = Backoff(timedelta(minutes=5), timedelta(hours=6))
MAX_NOTICE_FAILURES = 10  # which take a day


@dataclass(frozen=True, slots=True)
class Notice:
    """`subject` is one line; `lines` say more. `data` is what a webhook gets beside the words."""

    event: str
    subject: str
    lines: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return "\n".join((self.subject, *self.lines))

    def send(self, *, by_mail_only: bool = False) -> dict[str, str]:
        """Send it by each channel that is set up. Return what went wrong, "" for nothing."""
        results = {}
        if settings.NOTIFY_PEOPLE:
            results["mail"] = self.send_by("mail")
        if settings.WEBHOOK_URL and not by_mail_only:
            results["webhook"] = self.send_by("webhook")
        return results

    def send_by(self, channel: str) -> str:
        """Send it by mail or webhook. Return what went wrong, "" for nothing."""
        send = {"mail": self._send_mail, "webhook": self._post_to_webhook}[channel]
        return send()

    def deliver(self, now: datetime, *, by_mail_only: bool = False) -> None:
        """Send it. A channel that does not take it gets it again, later each time. Its first failure is
        logged."""
        for channel, trouble in self.send(by_mail_only=by_mail_only).items():
            if trouble:
                logger.error(
                    "A notice could not be sent by %s (%s): %s", channel, trouble, self.subject
                )
                UnsentNotice.objects.create(
                    channel=channel,
                    notice=asdict(self),
                    not_before=NOTICE_BACKOFF.next_attempt(now, 1),
                )

    def _send_mail(self) -> str:
        subject, people = f"[{load_site()}] {self.subject}", settings.NOTIFY_PEOPLE
        try:
            EmailMessage(subject, f"{self.text}\n", to=people).send()
        except Exception as error:  # mail servers fail in more ways than smtplib has classes for
            return f"{type(error).__name__}: {error}"
        return ""

    def _post_to_webhook(self) -> str:
        """Post it to the webhook. That is the operator's own setting, so it may be on a private
        network, where feeds may not; redirects are not followed, so nobody else can lead it
        there."""
        # `text` is what Slack and Mattermost show.
        text = f"[{load_site()}] {self.text}"
        body = {"text": text, "event": self.event, "site": str(load_site()), **self.data}
        sent = json.dumps(body, ensure_ascii=False).encode()
        try:
            allow = frozenset({host_and_port(settings.WEBHOOK_URL)})
            post_bytes(settings.WEBHOOK_URL, sent, "application/json", allow=allow)
        except Unreachable as trouble:
            return str(trouble)
        return ""


def send_again(now: datetime) -> None:
    """Send the notices that are due after a failure. One that fails for a day is given up."""
    UnsentNotice.objects.filter(failures__gte=MAX_NOTICE_FAILURES).delete()
    for unsent in UnsentNotice.objects.filter(not_before__lte=now):
        # Counted before it is sent: what ends the process has failed as well.
        unsent.failures += 1
        unsent.not_before = NOTICE_BACKOFF.next_attempt(now, unsent.failures)
        unsent.save()
        if not Notice(**unsent.notice).send_by(unsent.channel):
            unsent.delete()


def weekly_digest(now: datetime) -> Notice:
    """The numbers of the last seven days, and of what waits for people."""
    since = now - WEEK
    recorded = Revision.objects.filter(recorded_at__gt=since, recorded_at__lte=now)
    troubled = order_worst_first(Source.objects.all(), now).filter(state__in=PROBLEM_STATES)
    lines = (
        f"New or changed entries, see /changes/: {recorded.count():,}",
        f"Entries waiting for review: {Held.objects.count():,}",
        f"Sources in trouble, see /sources/: {troubled.count():,}",
        f"Dead links in show notes: {LinkCheck.objects.in_trouble().count():,}",
    )
    return Notice("digest", f"Weekly digest, {since:%-d %B} to {now:%-d %B %Y}", lines)


SHOWN = 50  # sources that one notice names


def report_incidents(now: datetime) -> None:
    """Send a notice of the sources that have failed NOTIFY_FAILURES times in a row (0: of none), and
    one of those that work again."""
    if not settings.NOTIFY_FAILURES:
        return
    active = Source.objects.active().order_by().values("pk")
    plans = SourceSchedule.objects.filter(source__in=active)
    failing = plans.filter(failures__gte=settings.NOTIFY_FAILURES, is_told=False)
    # Read and marked under a lock: of two workers one tells.
    _send_incident("source.failing", "failing", mark_told(failing, is_told=True), now)
    recovered = plans.filter(failures=0, is_told=True)
    _send_incident("source.recovered", "working again", mark_told(recovered, is_told=False), now)


def _send_incident(event: str, words: str, sources: Sequence[int], now: datetime) -> None:
    if not sources:
        return
    several = Podcast.objects.several()
    rows = list(order_worst_first(Source.objects.filter(pk__in=sources), now)[:SHOWN])
    lines = [
        f"{row.name(several=several)}: {row.state}: {row.conceal(row.reason)}".removesuffix(": ")
        for row in rows
    ]
    data = [
        {
            "podcast": row.podcast.slug,
            "source": row.slug,
            "state": row.state,
            "failures": row.schedule.failures,
            "reason": row.conceal(row.reason),
        }
        for row in rows
    ]
    one = f"{rows[0].name(several=several)} is"
    subject = ngettext(one, f"{len(sources)} sources are", len(sources))
    Notice(event, f"{subject} {words}", tuple(lines), {"sources": data}).deliver(now)


def report_waiting(now: datetime) -> None:
    """Send a notice of the documents that look wrong, and wait for a person to accept them."""
    waiting = order_worst_first(Source.objects.active(), now).filter(
        reason__startswith=IMPLAUSIBLE_REASON
    )
    _send_incident(
        "source.waiting", "waiting for you", list(waiting.values_list("pk", flat=True)), now
    )


# -- jobs ------------------------------------------------------------------------------------------

PAUSE = timedelta(seconds=2)  # between two requests to one host
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
LINKS_ONCE_IN = timedelta(days=30)
MOST_LINKS = 50  # checked at once
BACKUPS_KEPT = 14
PING_EVERY = timedelta(minutes=5)


@dataclass
class JobContext:
    """The things that the jobs of one process share: settings, the clock, whom to tell, and whether they are
    to stop.

    `sleep` takes seconds. `on_report` gets the report of each reading, `on_progress` what is being done. Long
    jobs call `between` between two units: sources, links, pages.
    """

    options: ImportOptions = field(default_factory=ImportOptions)
    on_report: Callable[[ImportReport], None] = lambda report: None
    on_progress: Callable[[str], None] = lambda message: None
    clock: Callable[[], datetime] = timezone.now
    sleep: Callable[[float], Any] = sleep
    between: Callable[[], None] = lambda: None
    stopped: bool = False

    def must_stop(self) -> bool:
        """Do what is more urgent than the next unit of a job. Return whether the job is to end."""
        self.between()
        return self.stopped


class Job(NamedTuple):
    """One kind of work: `run` does one of the keys that `due` names."""

    name: str
    due: Callable[[datetime], Iterable[str]]
    run: Callable[[JobContext, str], None]


JOBS: dict[str, Job] = {}


def job(
    due: Callable[[datetime], Iterable[str]],
) -> Callable[[Callable[[JobContext, str], None]], Job]:
    """Declare a function as a job."""

    def declare(run: Callable[[JobContext, str], None]) -> Job:
        declared = JOBS[run.__name__] = Job(run.__name__, due, run)
        return declared

    return declare


def every(
    period: timedelta, mark: str, wanted: Callable[[], object] = lambda: True
) -> Callable[[Callable[[JobContext], None]], Job]:
    """Declare a function as a job that is due once in each period, where it is wanted; the first
    period begins when it is first asked.

    To ask whether it is due claims it, for all processes. The job that is queued then runs to its
    end, also if a worker dies with it. One that fails is due again after a period.
    """

    def declare(run: Callable[[JobContext], None]) -> Job:
        @wraps(run)
        def run_and_report(work: JobContext, key: str) -> None:
            try:
                run(work)
            # A folder that cannot be written stops no reading of sources.
            except (CommandError, OSError) as trouble:
                work.on_report(ImportReport(mark, "failed", str(find_fault(trouble) or trouble)))

        def due(now: datetime) -> list[str]:
            return [""] if wanted() and claim(mark, period, now) else []

        return job(due)(run_and_report)

    return declare


def due_jobs(work: JobContext) -> Iterator[tuple[Job, str]]:
    """Yield the jobs that are due with their keys, until the work is stopped."""
    for job in JOBS.values():
        for key in job.due(work.clock()):
            yield job, key
            if work.stopped:
                return


# The first of all jobs: a curator waits for it.
@job(lambda now: [str(podcast.pk) for podcast in shows_to_resolve(now)])
def follow_ups(work: JobContext, key: str) -> None:
    """Resolve a show that waits."""
    podcast = Podcast.objects.filter(pk=key).first()
    if podcast and resolve_waiting_show(podcast):
        work.on_progress(f"{podcast}: resolved")


@job(slots)
def read_host(work: JobContext, slot: str) -> None:
    """Read the due sources of a host one after another, for a minute at most: other hosts wait
    too."""
    began = work.clock()
    for row in of_slot(slot, began):
        # What is left is due still, and the next sweep puts it in again.
        if work.must_stop() or work.clock() - began > MINUTE:
            return
        until = paused_until(row.host)
        if until and until > work.clock():
            pause_host(row.host, until)  # Sources that were added since wait as well.
            return
        asked = last_asked(slot)
        if asked and (left := asked + PAUSE - work.clock()) > timedelta():
            work.sleep(min(left, PAUSE).total_seconds())
        # Counted before it begins: what ends the process each time has failed as well.
        token, trouble = begin(row, work.clock()), None
        if row.attempts > MOST_ATTEMPTS:
            trouble = Unreachable(
                f"its reading did not end {MOST_ATTEMPTS} times in a row: the process was stopped or killed"
            )
        how = work.options, work.clock, work.on_progress
        try:
            # As it is now: a minute ago a curator may have changed it.
            source = Source.objects.select_related("podcast").get(pk=row.source_id)
            work.on_report(import_source(source, *how, token=token, fetch_error=trouble))
        except LostClaim:  # another worker has taken over while this one stood still
            return
        # The database went away: not a failure of the source, whose reading comes again.
        except OperationalError:
            with suppress(DatabaseError):
                give_back(row, work.clock())
            raise


@every(MINUTE, "notices")
def send_notices(work: JobContext) -> None:
    """Tell people of troubles, and once a week of all that is new."""
    now = work.clock()
    send_again(now)
    report_incidents(now)
    if claim("waiting", DAY, now):
        report_waiting(now)
    if claim("digest", WEEK, now):
        weekly_digest(now).deliver(now, by_mail_only=True)


@every(HOUR, "links", lambda: settings.CHECK_LINKS)
def links(work: JobContext) -> None:
    """Check as many links as it takes each hour to check all of them once in 30 days."""
    check_links(
        min(ceil(Link.objects.count() / (LINKS_ONCE_IN / HOUR)), MOST_LINKS),
        LINKS_ONCE_IN,
        allow=work.options.allow,
        clock=work.clock,
        sleep=work.sleep,
        on_progress=work.on_progress,
        stopped=work.must_stop,
    )


@every(PING_EVERY, "ping", lambda: settings.PING_URL)
def ping(work: JobContext) -> None:
    """Tell whoever watches it that the work goes on; silence is the alarm."""
    try:
        # The operator's own setting, like the webhook: it may be on a private network.
        post_bytes(
            settings.PING_URL,
            b"",
            "text/plain",
            allow=frozenset({host_and_port(settings.PING_URL)}),
        )
    except Unreachable as trouble:
        logger.warning("PING_URL cannot be reached (%s)", trouble.status or "no answer")


@every(DAY, "tidy")
def tidy(work: JobContext) -> None:
    call_command("tidy", verbosity=0)


def store_evidence_sizes() -> None:
    """Store how many bytes of evidence each source has. The health board shows the largest."""
    for source in Source.objects.order_by("pk"):
        SourceSchedule.objects.update_or_create(
            source=source, defaults={"stored_bytes": evidence_size(source)}
        )


@every(DAY, "backup", lambda: settings.BACKUP_FOLDER)
def backup(work: JobContext) -> None:
    """Write a backup to BACKUP_FOLDER, and keep the newest fourteen."""
    folder = Path(settings.BACKUP_FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{work.clock():%Y-%m-%d}.catalog"
    call_command("backup", str(path), overwrite=True, verbosity=0)
    for old in sorted(folder.glob("????-??-??.catalog"))[:-BACKUPS_KEPT]:
        old.unlink()


@every(DAY, "publish", lambda: settings.PUBLISH_FOLDER)
def publish(work: JobContext) -> None:
    """Bring the copy of the public site in PUBLISH_FOLDER up to date."""
    call_command(
        "publish", settings.PUBLISH_FOLDER, verbosity=0, watch=lambda message: work.between()
    )


def check_links(limit: int, lately: timedelta, **options: Any) -> LinkSummary:
    """Check links as `gather.check_links` does, for titles too where LINK_TITLES allows it."""
    identity = page_identity if settings.LINK_TITLES else None
    summary = gather.check_links(limit, lately, identity=identity, **options)
    retitle_links(summary.titled)
    return summary


# -- one process, one job after another; a file lock keeps a second process out --------------------

POLL = 5.0  # seconds between two looks at what is due
BEAT_EVERY = timedelta(seconds=4)
DOWN = 10.0  # seconds after which a database that does not answer is asked again


class AlreadyRunning(Exception):
    """Another process does the work."""


def run_jobs(work: JobContext, *, once: bool = False, waits: bool = False) -> None:
    """Go on until it is stopped; `once`: do what is due, and end; `waits`: wait for another process
    that does this to end.

    Raises:
        AlreadyRunning: another process does this.
    """
    work.between = partial(resolve_waiting, work)
    # The system lets the lock go when the process ends, however it does.
    with lock_file().open("a") as file:
        try:
            flock(file, LOCK_EX if waits else LOCK_EX | LOCK_NB)
        except BlockingIOError:
            raise AlreadyRunning("another run_schedule does this already") from None
        free_unfinished(work.clock())
        if not once:
            repeat_until_stopped(work, lambda: run_due_jobs(work) or work.sleep(POLL))
            return
        while not work.stopped and run_due_jobs(work):
            pass
        send_notices.run(work, "")


def record_heartbeat(now: datetime) -> None:
    """Note that something in the background resolves what waits, so that pages need not."""
    claim(ScheduleMark.BEAT, BEAT_EVERY, now)


def resolve_waiting(work: JobContext) -> None:
    """Resolve the shows that wait, before the next unit of a long job."""
    record_heartbeat(work.clock())
    for podcast in resolve_all_waiting():
        work.on_progress(f"{podcast}: resolved")


def run_due_jobs(work: JobContext) -> bool:
    """Do what is due now, and return False if there was nothing. Of the hosts only the first is read:
    others may be due before the next one."""
    something = False
    for job in JOBS.values():
        work.between()
        for key in job.due(work.clock()):
            something = True
            job.run(work, key)
            if work.stopped:
                return something
            if job is read_host:
                break
    return something


def repeat_until_stopped(work: JobContext, step: Callable[[], object]) -> None:
    """Repeat a step, whatever fails in it. Wait for a database that does not answer."""
    is_down = False
    while not work.stopped:
        try:
            step()
            is_down = False
        except (OperationalError, InterfaceError) as error:
            if not is_down:
                logger.warning("The database does not answer; trying again: %s", error)
            is_down = True
            # The next statement opens a new one.
            connection.close()
            work.sleep(DOWN)
        except Exception:
            # Nobody would start this process again after `make run`.
            logger.exception("Work in the background failed; going on")
            work.sleep(DOWN)


def lock_file() -> Path:
    return Path(f"{connection.settings_dict['NAME']}.schedule")
