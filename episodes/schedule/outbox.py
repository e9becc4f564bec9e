"""Sends notices; one that cannot be sent is kept and tried again, a few times at most."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import asdict
from datetime import datetime, timedelta

from ..models import UnsentNotice
from .channels import NAMES, Channels
from .notices import Notice

# How long each failure is waited after; the schedule gives up after the last.
WAITS = (
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=8),
    timedelta(hours=24),
)
KEPT_FOR = timedelta(days=7)  # on the board of sources, once the schedule has given up

logger = logging.getLogger(__name__)


def send(channels: Channels, notice: Notice, now: datetime, only: Collection[str] = NAMES) -> None:
    """Send it by all channels that are set up, or some; what fails is tried again by a later run of
    the schedule."""
    for name in only:
        trouble = channels.send(name, notice)
        if trouble:
            logger.warning(
                "A notice could not be sent by %s (%s): %s", name, trouble, notice.subject
            )
            UnsentNotice.objects.create(
                channel=name,
                notice=asdict(notice),
                trouble=_shown(trouble),
                made_at=now,
                next_at=now + WAITS[0],
            )


def send_again(channels: Channels, now: datetime) -> None:
    """Try once more what is due; that is counted first, so that nothing is sent for ever."""
    for row in UnsentNotice.objects.filter(next_at__lte=now):
        row.tries += 1
        row.next_at = now + WAITS[row.tries - 1] if row.tries <= len(WAITS) else None
        row.save(update_fields=["tries", "next_at"])
        _try(row, channels)
    UnsentNotice.objects.filter(next_at=None, made_at__lt=now - sum(WAITS, KEPT_FOR)).delete()


def _try(row: UnsentNotice, channels: Channels) -> None:
    notice = Notice(**row.notice)
    trouble = channels.send(row.channel, notice)
    if not trouble:
        row.delete()
        return
    UnsentNotice.objects.filter(pk=row.pk).update(trouble=_shown(trouble))
    if row.next_at is None:
        logger.warning("Gave up on a notice by %s (%s): %s", row.channel, trouble, notice.subject)


def _shown(trouble: str) -> str:
    """The trouble without the webhook's address, which is secret: all roles see the board."""
    words = trouble.split(" ")
    return " ".join(
        "the webhook" if word.startswith(("http://", "https://")) else word for word in words
    )
