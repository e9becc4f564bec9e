"""Notices to people, by mail and to a webhook: of sources that begin to fail and of those that work
again, each once, and once a week the state of the catalog."""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.utils.translation import ngettext

from ..gather import Unreachable, pair_of, post
from ..models import (
    TROUBLE,
    Held,
    IngestRun,
    LinkCheck,
    Podcast,
    Revision,
    Source,
    SourceSchedule,
    worst_first,
)
from ..site import site
from .due import mark_told

WEEK = timedelta(days=7)

logger = logging.getLogger(__name__)


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
        """Send it by each way that is set up; returns what went wrong, "" for nothing. Failures are
        logged, and not tried again."""
        results = {}
        if settings.NOTIFY_PEOPLE:
            results["mail"] = self._mail()
        if settings.WEBHOOK_URL and not by_mail_only:
            results["webhook"] = self._post()
        for way, trouble in results.items():
            if trouble:
                logger.error(
                    "A notice could not be sent by %s (%s): %s", way, trouble, self.subject
                )
        return results

    def _mail(self) -> str:
        subject, people = f"[{site()}] {self.subject}", settings.NOTIFY_PEOPLE
        try:
            EmailMessage(subject, f"{self.text}\n", to=people).send()
        except Exception as error:  # mail servers fail in more ways than smtplib has classes for
            return f"{type(error).__name__}: {error}"
        return ""

    def _post(self) -> str:
        """Post it to the webhook. That is the operator's own setting, so it may be on a private
        network, where feeds may not; redirects are not followed, so nobody else can lead it
        there."""
        # `text` is what Slack and Mattermost show.
        text = f"[{site()}] {self.text}"
        body = {"text": text, "event": self.event, "site": str(site()), **self.data}
        sent = json.dumps(body, ensure_ascii=False).encode()
        try:
            allow = frozenset({pair_of(settings.WEBHOOK_URL)})
            post(settings.WEBHOOK_URL, sent, "application/json", allow=allow)
        except Unreachable as trouble:
            return str(trouble)
        return ""


def digest(now: datetime) -> Notice:
    """The numbers of the last seven days, and of what waits for people."""
    since = now - WEEK
    recorded = Revision.objects.filter(recorded_at__gt=since, recorded_at__lte=now)
    troubled = worst_first(Source.objects.all(), now).filter(state__in=TROUBLE)
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
    _tell("source.failing", "failing", mark_told(failing, is_told=True), now)
    recovered = plans.filter(failures=0, is_told=True)
    _tell("source.recovered", "working again", mark_told(recovered, is_told=False), now)


def _tell(event: str, words: str, sources: Sequence[int], now: datetime) -> None:
    if not sources:
        return
    several = Podcast.objects.several()
    rows = list(worst_first(Source.objects.filter(pk__in=sources), now)[:SHOWN])
    runs = IngestRun.objects.newest().filter(source__in=rows)
    reasons = dict(runs.values_list("source", "reason"))
    lines = [
        f"{row.name(several=several)}: {row.state}: {reasons.get(row.pk, '')}".removesuffix(": ")
        for row in rows
    ]
    data = [
        {
            "podcast": row.podcast.slug,
            "source": row.slug,
            "state": row.state,
            "failures": row.schedule.failures,
            "reason": reasons.get(row.pk, ""),
        }
        for row in rows
    ]
    one = f"{rows[0].name(several=several)} is"
    subject = ngettext(one, f"{len(sources)} sources are", len(sources))
    Notice(event, f"{subject} {words}", tuple(lines), {"sources": data}).send()
