"""Keeps count while one run asks for many files: how many, which hosts are left alone, and what
went wrong."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import cast

from ..text.urls import host_of
from .web_address import Unreachable

MOST = 100  # files that one run asks for; the next goes on
MOST_TOLD = 10  # troubles that one run tells one by one


def patience(
    asked_at: datetime | None, not_before: datetime | None, first: timedelta = timedelta(days=1)
) -> timedelta:
    """The wait after one more failure: first a day, then twice as long as the last time, at
    most a month."""
    last = not_before - cast(datetime, asked_at) if not_before else timedelta()
    return min(max(2 * last, first), timedelta(days=30))


def wait_of(trouble: Exception | None) -> timedelta:
    """The time for which a server asked to be left alone."""
    return timedelta(seconds=getattr(trouble, "retry_after", None) or 0)


class FetchRun:
    """The requests of one run."""

    def __init__(self) -> None:
        self.troubles: list[str] = []
        self._asked = 0
        self._left_alone: set[str] = set()  # hosts that did not answer, or asked for it

    def may_ask(self, address: str) -> bool:
        """True where the run goes on with this address, which then counts."""
        may = self._asked < MOST and host_of(address) not in self._left_alone
        self._asked += may
        return may

    def failed(self, address: str, trouble: Exception) -> timedelta:
        """Remember what went wrong; the time for which the server wants to be left alone."""
        wait = wait_of(trouble)
        words = f"{address}: {trouble}"
        if isinstance(trouble, Unreachable):
            words = trouble.message
            if trouble.status is None or wait:
                self._left_alone.add(host_of(address))
        self.troubles.append(words)
        return wait

    def told(self, taken: int, words: str) -> str:
        """The result of the run: `words` say what was taken, the first troubles follow; "" where
        there is nothing to say."""
        if not taken and not self.troubles:
            return ""
        failed = f"; failed: {len(self.troubles)}, see /sources/" if self.troubles else ""
        return "\n  ".join([f"{words}: {taken}{failed}", *self.troubles[:MOST_TOLD]])
