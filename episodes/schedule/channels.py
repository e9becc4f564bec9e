"""The ways of notices to people: mail, and a webhook."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from django.core.mail import EmailMessage

from ..gather import Unreachable, pair_of, post
from ..site import site
from .notices import Notice

NAMES = ("mail", "webhook")


@dataclass(frozen=True, slots=True)
class Channels:
    """The ways of notices: to people by mail, and to a webhook; both may be empty.

    The webhook is the operator's own setting, so it may be on a private network, where feeds may
    not. Redirects are not followed, so nobody else can lead it there.
    """

    people: tuple[str, ...] = ()
    sender: str = ""
    webhook: str = field(default="", repr=False)  # such addresses are secret

    def send(self, name: str, notice: Notice) -> str:
        """Send it by one channel; returns what went wrong, "" for nothing. A channel that is not
        set up is left out."""
        if name == "mail":
            return self.mail(notice) if self.people else ""
        return self.call(notice) if self.webhook else ""

    def try_all(self, notice: Notice) -> dict[str, str]:
        """For each channel that is set up what went wrong, "" where nothing did."""
        there = {"mail": bool(self.people), "webhook": bool(self.webhook)}
        return {name: self.send(name, notice) for name in NAMES if there[name]}

    def mail(self, notice: Notice) -> str:
        message = EmailMessage(
            f"[{site()}] {notice.subject}", notice.text + "\n", self.sender, list(self.people)
        )
        try:
            message.send()
        except (
            Exception
        ) as error:  # a mail server can fail in more ways than smtplib has classes for
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
