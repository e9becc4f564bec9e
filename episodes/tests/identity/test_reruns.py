"""Re-runs that curators decided about, and the episodes that lists leave out."""

from typing import Any

from episodes.identity import slugs_hidden_by_reruns
from episodes.records import Decisions, RerunData, RerunDecision, SourceEntry
from episodes.resolve.pipeline import ShowInputs, match_entries_and_read_outlines

from ..resolve.build import LONG, OTHER, SHOW, entry

FILE = "https://cdn.example/the-knee.mp3"
ORIGINAL: dict[str, Any] = {
    "title": "The knee of a horse",
    "text": LONG,
    "day": "2021-05-03",
    "number": 5,
    "seconds": 1800,
    "audio_url": FILE,
}
FIRST = entry(**ORIGINAL, guid="first")


def again(title: str, **other: Any) -> SourceEntry:
    """The first episode published again under a title."""
    values = {**ORIGINAL, "number": None, "audio_url": "", "guid": "again", "day": "2024-07-01", **other}
    return entry(**{**values, "title": title})


def reruns(*entries: SourceEntry, **decided: RerunDecision) -> list[RerunData]:
    reading = match_entries_and_read_outlines(
        ShowInputs(entries, Decisions(rerun_decisions=tuple(decided.values())), SHOW, [])
    )
    assert len(reading.drafts) == len(entries), "nothing is ever merged"
    return reading.facts.reruns


def judged(one: SourceEntry, other: SourceEntry, verdict: str) -> RerunDecision:
    return RerunDecision(one.ref[::2], other.ref[::2], verdict)


def test_dates_tell_the_later_episode() -> None:
    later = again("On knees", text=OTHER)
    (row,) = reruns(FIRST, later, one=judged(later, FIRST, "replaces"))
    assert (row.of, row.kind) == ("the-knee-of-a-horse", "replaces")
    assert reruns(FIRST, later, one=judged(FIRST, later, "replaces")) == [row]
    assert reruns(FIRST, later, one=judged(later, FIRST, "unrelated")) == []


def test_last_decision_about_a_pair_counts() -> None:
    later = again("On knees", text=OTHER)
    earlier_decision = judged(later, FIRST, "unrelated")
    (row,) = reruns(FIRST, later, one=earlier_decision, other=judged(later, FIRST, "repeats"))
    assert row.kind == "repeats"
    assert reruns(FIRST, later, one=judged(later, FIRST, "repeats"), other=earlier_decision) == []


def test_title_is_no_decision() -> None:
    assert reruns(FIRST, again("The knee of a horse (R)")) == []


def row(episode: str, kind: str, of: str) -> RerunData:
    return RerunData(episode, of, kind)


def test_lists_show_newest_version_and_first_broadcast() -> None:
    assert slugs_hidden_by_reruns([row("b", "replaces", "a")]) == {"a"}
    assert slugs_hidden_by_reruns([row("b", "repeats", "a")]) == {"b"}
    assert slugs_hidden_by_reruns([row("b", "replaces", "a"), row("c", "repeats", "b"), row("d", "replaces", "b")]) == {
        "a",
        "b",
        "c",
    }


def test_judgements_in_a_circle_leave_nobody_out() -> None:
    assert (
        slugs_hidden_by_reruns([row("b", "replaces", "a"), row("c", "replaces", "b"), row("c", "repeats", "a")])
        == set()
    )
