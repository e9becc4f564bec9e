"""The one way in: takes documents one after another, stores each as evidence, and brings the catalog up to date."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime

from django.db import transaction

from ..gather import Unreachable
from .adding import Added, ShowPreview, add_shows, find_feed, preview
from .by_hand import by_hand
from .explaining import Explained, explained
from .loading import conditions, load
from .shapes import LARGEST, Loaded, Options, Report, Target, Unknown, is_web
from .shows import feed_columns, feed_row, move_documents, show_row
from .taking import take
from .targets import reader_titles, targets
from .tears import tears

__all__ = [
    "LARGEST",
    "Added",
    "Explained",
    "Loaded",
    "Options",
    "Report",
    "ShowPreview",
    "Target",
    "Unknown",
    "Unreachable",
    "add_shows",
    "by_hand",
    "explained",
    "feed_columns",
    "feed_row",
    "find_feed",
    "ingest",
    "is_web",
    "load",
    "move_documents",
    "preview",
    "reader_titles",
    "show_row",
    "take",
    "targets",
    "tears",
]


def ingest(
    wanted: Sequence[Target],
    options: Options,
    clock: Callable[[], datetime],
    *,
    dry_run: bool = False,
    map: Callable[..., Iterable[Loaded]] = map,  # noqa: A002  a pool's map can be passed in
    watch: Callable[[str], None] = lambda message: None,
) -> Iterator[Report]:
    """Take the targets in turn and report on each. Each is one transaction: all of it is done, or nothing.

    `dry_run` does everything and takes it back at the end. `watch` is told what is being done.
    """
    plans = [(target, *conditions(target, clock())) for target in wanted]
    loads = map(lambda plan: load(plan, options, watch), plans)
    if not dry_run:
        for loaded in loads:
            watch(f"{loaded.target.name}: reading")
            yield take(loaded, options, clock, watch)
        return
    loads = list(loads)
    with transaction.atomic():
        reports = [take(loaded, options, clock, watch) for loaded in loads]
        transaction.set_rollback(True)
    yield from reports
