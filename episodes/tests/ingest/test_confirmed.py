"""Since when a source has said what is shown, and when it was last seen to say so."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.test import Client

from episodes.ingest import ImportOptions, ImportTarget, iterate_import_reports
from episodes.models import Episode
from episodes.views.field_sources import (
    ConfirmationPeriods,
    confirmation_periods_by_source_and_field,
    load_entries_of_episode,
)

from .conftest import of_the_feed

FEED = of_the_feed("Compiler collectives", "TORCH_TRACE and tlparse", "Higher order operators")


def on(day: int, path: Path) -> None:
    at = datetime(2026, 1, day, 12, tzinfo=UTC)
    (report,) = iterate_import_reports(
        [ImportTarget("feed.xml", path=path)], ImportOptions(source="snapshot"), lambda: at
    )
    assert not report.exit_code


GUIDED = FEED.replace("<item>", "<item><guid>collectives</guid>", 1)


@pytest.fixture
def history(ready: None, file: Callable[[str, bytes | str], Path]) -> None:
    """Seen on the 1st, retitled on the 3rd, a longer length on the 5th, unchanged on the 7th."""
    retitled = GUIDED.replace("Compiler collectives</", "Compiler collectives explained</")
    on(1, file("feed.xml", GUIDED))
    on(3, file("feed.xml", retitled))
    on(5, file("feed.xml", retitled.replace("00:16:33", "00:16:34")))
    on(7, file("feed.xml", retitled.replace("00:16:33", "00:16:34")))


def seen() -> ConfirmationPeriods:
    return confirmation_periods_by_source_and_field(load_entries_of_episode(Episode.objects.get(number=83)))


def test_field_knows_first_and_last_confirmation(history: None, client: Client) -> None:
    spans = {field: (c.first.day, c.last.day) for (_, field), c in seen().items()}
    same = dict.fromkeys(("number", "published", "description_text"), (1, 7))
    assert spans == {"title": (3, 7), "duration_seconds": (5, 7), **same}
    page = client.get("/episodes/compiler-collectives-explained/").content.decode()
    assert "first seen 3 January 2026, last checked 7 January 2026" in page
    assert "first seen 5 January 2026, last checked 7 January 2026" in page


def test_gone_entry_was_confirmed_before(history: None, file: Callable[[str, bytes | str], Path]) -> None:
    cut = FEED[: FEED.index("<item>")] + FEED[FEED.index("</item>") + len("</item>") :]
    on(9, file("feed.xml", cut))
    assert {c.last.day for c in seen().values()} == {5}
