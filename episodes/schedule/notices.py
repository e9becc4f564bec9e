"""Notices to people: an event with its words, and the same as data for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Notice:
    """`subject` is one line; `lines` say more. `data` is what a webhook gets beside the words."""

    event: str
    subject: str
    lines: tuple[str, ...] = ()
    data: Mapping[str, Any] | None = None

    @property
    def text(self) -> str:
        return "\n".join((self.subject, *self.lines))

    def payload(self, site: str) -> dict[str, Any]:
        """The body of a webhook; `text` is what Slack and Mattermost show."""
        return {
            "text": f"[{site}] {self.text}",
            "event": self.event,
            "site": site,
            **(self.data or {}),
        }
