"""Keeps count while one run asks for many files: how many, which hosts are left alone, and what
went wrong."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from typing import TypeVar

from ..models import Document, Image
from ..records import DocumentRejected
from ..text.urls import host_of
from .exchange import Unreachable

T = TypeVar("T")
Row = TypeVar("Row", Document, Image)

MOST = 100  # files that one run asks for; the next goes on
MOST_TOLD = 10  # troubles that one run tells one by one
LONGEST = timedelta(days=30)


def wait_of(trouble: Exception | None) -> timedelta:
    """The time for which a server asked to be left alone."""
    return timedelta(seconds=getattr(trouble, "retry_after", None) or 0)


class FetchRun:
    """The requests of one run, which begins with those for the rows that were asked for longest ago.

    `first` is the wait after the first failure; it doubles with each that follows, up to a month.
    """

    def __init__(
        self,
        name: str,
        first: timedelta,
        clock: Callable[[], datetime],
        watch: Callable[[str], None],
    ) -> None:
        self.troubles: list[str] = []
        self._name, self._first, self._clock, self._watch = name, first, clock, watch
        self._left_alone: set[str] = set()  # hosts that did not answer, or asked for it

    def each(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The rows that this run asks for."""
        asked = 0
        for row in rows:
            if asked < MOST and host_of(row.address) not in self._left_alone:
                asked += 1
                self._watch(f"{self._name}: fetching {row.address}")
                yield row

    def ask(self, row: Document | Image, fetch: Callable[[], T]) -> T | None:
        """The file that `fetch` brings; None where it fails. The row, to be saved afterwards, says
        when it was asked for, and why it could not be had until when."""
        last = row.not_before - row.asked_at if row.not_before and row.asked_at else timedelta()
        row.trouble, row.not_before = "", None
        try:
            return fetch()
        except (Unreachable, DocumentRejected) as trouble:
            row.trouble, wait = str(trouble)[:1000], wait_of(trouble)
            patience = min(max(2 * last, self._first), LONGEST)
            row.not_before = self._clock() + max(wait, patience)
            if not isinstance(trouble, Unreachable):
                self.troubles.append(f"{row.address}: {trouble}")
                return None
            self.troubles.append(trouble.message)
            # Whoever does not answer once is spared all other questions of this run.
            if trouble.status is None or wait:
                self._left_alone.add(host_of(row.address))
        finally:
            row.asked_at = self._clock()
        return None

    def told(self, taken: int, words: str) -> str:
        """The result of the run: `words` say what was taken, the first troubles follow; "" where
        there is nothing to say."""
        if not taken and not self.troubles:
            return ""
        failed = f"; failed: {len(self.troubles)}, see /sources/" if self.troubles else ""
        return "\n  ".join([f"{words}: {taken}{failed}", *self.troubles[:MOST_TOLD]])
