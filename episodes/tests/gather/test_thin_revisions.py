"""The revisions of an entry that `tidy` deletes after 90 days, and those that stay."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodes.gather.thin_revisions import Dependents, StoredRevision, find_spare_revision_ids
from episodes.records import EntryData

from ..tables import cases

UNTIL = datetime(2024, 6, 1, tzinfo=UTC)
BASE = EntryData(title="Wax", text="All about wax.", published="2024-01-01", guid="w1")


Steps = Sequence[tuple[str, dict[str, Any]]]


def history(*steps: tuple[str, dict[str, Any]]) -> list[StoredRevision]:
    """Revisions numbered from 1, each with its time and the values that differ from BASE."""
    return [
        StoredRevision(number, datetime.fromisoformat(f"{at}+00:00"), replace(BASE, **values))
        for number, (at, values) in enumerate(steps, 1)
    ]


def kept(revisions: list[StoredRevision], **dependents: Any) -> list[int]:
    spare = find_spare_revision_ids(revisions, UNTIL, Dependents(**dependents))
    return [revision.id for revision in revisions if revision.id not in spare]


# The last two of each are there for its end: what was published before and is now.
END = ("2024-05-30 01:00", {"text": "Penultimate."}), ("2024-05-30 02:00", {"text": "Final."})


@pytest.mark.parametrize("case", cases("gather_thin_revisions")["histories"], ids=lambda case: case["case"])
def test_revisions_that_stay(case: dict[str, Any]) -> None:
    assert kept(history(*case["steps"])) == case["remaining"]


STEPS: Steps = [
    ("2024-02-01 00:00", {}),
    *((f"2024-02-02 {hour:02}:00", {"title": f"Wax {hour}"}) for hour in range(1, 5)),
    *END,
]


def test_revision_that_a_curator_saw_stays() -> None:
    decided = datetime(2024, 2, 2, 2, 30, tzinfo=UTC)
    assert kept(history(*STEPS)) == [1, 5, 6, 7]
    assert kept(history(*STEPS), decided_at=[decided]) == [1, 3, 5, 6, 7]


def test_former_titles_stay_beside_a_transcript() -> None:
    assert kept(history(*STEPS), has_transcript=True) == [1, 2, 3, 4, 5, 6, 7]


def test_last_offer_of_a_fetched_file_stays() -> None:
    offer = {"extras": (("transcript", "https://w.example/1.vtt", "text/vtt", "", ""),)}
    steps: Steps = [
        ("2024-02-01 00:00", {}),
        *((f"2024-02-02 0{hour}:00", offer) for hour in (1, 2)),
        ("2024-02-02 03:00", {}),
        *END,
    ]
    assert kept(history(*steps)) == [1, 5, 6]
    assert kept(history(*steps), fetched_files=frozenset({"https://w.example/1.vtt"})) == [1, 3, 5, 6]


@given(
    st.lists(
        st.tuples(
            st.integers(0, 96),  # hours since the one before
            st.sampled_from(["Wax", "Honey", "Combs"]),
            st.sampled_from([None, 60, 90]),
        ),
        min_size=1,
        max_size=25,
    ),
    st.lists(st.integers(0, 2000), max_size=3),
)
def test_thinning_twice_deletes_nothing_more(steps: list[tuple[int, str, int | None]], decided: list[int]) -> None:
    at, revisions = datetime(2024, 3, 1, tzinfo=UTC), []
    for number, (hours, title, seconds) in enumerate(steps, 1):
        at += timedelta(hours=hours)
        values = replace(BASE, title=title, seconds_low=seconds, seconds_high=seconds)
        revisions.append(StoredRevision(number, at, values))
    start = datetime(2024, 3, 1, tzinfo=UTC)
    dependents = Dependents([start + timedelta(hours=hours) for hours in decided])
    spare = find_spare_revision_ids(revisions, UNTIL, dependents)
    remaining = [revision for revision in revisions if revision.id not in spare]
    assert remaining[0] == revisions[0]
    assert remaining[-1] == revisions[-1]
    assert find_spare_revision_ids(remaining, UNTIL, dependents) == []
