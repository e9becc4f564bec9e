"""Tells what an import of feeds would use of them; nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ..gather import ElementUse, explain, feed, read_feed
from ..records import DocumentRejected
from .loading import load, stored_page
from .shapes import Options, Target


@dataclass(frozen=True, slots=True)
class Explained:
    """The elements of a feed with their uses, or why they cannot be told."""

    name: str
    items: int = 0
    uses: tuple[ElementUse, ...] = ()
    trouble: str = ""


def explained(
    wanted: Sequence[Target], options: Options, clock: Callable[[], datetime]
) -> Iterator[Explained]:
    for target in wanted:
        loaded = load(target, replace(options, accept=True, now=True), clock())
        if loaded.trouble:
            yield Explained(target.name, trouble=str(loaded.trouble))
            continue
        page = loaded.page or (stored_page(target.document) if target.document else None)
        try:
            if page is None or not feed.recognises(page):
                raise DocumentRejected("not a feed; --explain is for feeds")
            items = len(read_feed(page).entries)
            yield Explained(target.name, items, tuple(explain(page)))
        except DocumentRejected as refusal:
            yield Explained(target.name, trouble=str(refusal))
