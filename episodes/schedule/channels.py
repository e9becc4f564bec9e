"""Sends notices by mail and to a webhook. A notice that cannot be sent is logged, and stops nothing."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field

from django.core.mail import EmailMessage

from ..gather import Unreachable, pair_of, post
from ..site import site
from .notices import Notice

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Channels:
    """Where notices go: to people by mail, and to a webhook; both may be empty.

    The webhook is the operator's own setting, so it may be on a private network, where feeds may not. Redirects are not
    followed, so nobody else can lead it there.
    """

    people: tuple[str, ...] = ()
    sender: str = ""
    webhook: str = field(default="", repr=False)  # such addresses are secret

    def send(self, notice: Notice) -> None:
        """Send it by all channels, and log what fails."""
        _log(notice, self.try_all(notice))

    def send_by_mail(self, notice: Notice) -> None:
        """Send what is for people to read, if there is a way to send mail."""
        if self.people:
            _log(notice, {"mail": self.mail(notice)})

    def try_all(self, notice: Notice) -> dict[str, str]:
        """For each channel that is set up what went wrong, "" where nothing did."""
        result = {"mail": self.mail(notice)} if self.people else {}
        return result | ({"webhook": self.call(notice)} if self.webhook else {})

    def mail(self, notice: Notice) -> str:
        message = EmailMessage(f"[{site()}] {notice.subject}", notice.text + "\n", self.sender, list(self.people))
        try:
            message.send()
        except Exception as error:  # a mail server can fail in more ways than smtplib has classes for
            return f"{type(error).__name__}: {error}"
        return ""

    def call(self, notice: Notice) -> str:
        body = json.dumps(notice.payload(str(site())), ensure_ascii=False).encode()
        try:
            allow = frozenset({pair_of(self.webhook)})
            post(self.webhook, body, "application/json", allow=allow)
        except Unreachable as trouble:
            return str(trouble)
        return ""


def _log(notice: Notice, troubles: Mapping[str, str]) -> None:
    for name, trouble in troubles.items():
        if trouble:
            logger.warning("A notice could not be sent by %s (%s): %s", name, trouble, notice.subject)
