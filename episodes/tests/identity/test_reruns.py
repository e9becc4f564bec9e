"""Re-runs: pairs that titles propose, judged pairs, and the episodes that lists leave out."""

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from episodes.identity import find_reruns, hidden_slugs
from episodes.records import Decisions, RerunData, RerunDecision, ResolvedEpisode, SourceEntry
from episodes.resolve.pipeline import resolve_show

from ..examples import examples
from ..resolve.build import LONG, OTHER, SHOW, entry
from ..resolve.shows import worlds
from ..tables import cases

CASES = cases("identity_reruns")

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


def proposed(*entries: SourceEntry, **decided: RerunDecision) -> list[RerunData]:
    result = resolve_show(entries, Decisions(rerun_decisions=tuple(decided.values())), SHOW, [])
    assert len(result.episodes) == len(entries), "nothing is ever merged"
    return list(result.repeats)


@pytest.mark.parametrize("title", CASES["title_of_rerun_is_proposed"])
def test_title_of_rerun_is_proposed(title: str) -> None:
    (row,) = proposed(FIRST, again(title, text=OTHER, seconds=600))
    assert (row.of, row.kind, row.accepted) == ("the-knee-of-a-horse", "repeats", False)
    assert row.evidence == ("its title says so",)


@pytest.mark.parametrize("title", CASES["other_title_is_no_rerun"])
def test_other_title_is_no_rerun(title: str) -> None:
    assert proposed(FIRST, again(title)) == []


def test_older_episode_is_no_rerun() -> None:
    assert proposed(FIRST, again("The knee of a horse (R)", day="2020-07-01")) == []


def test_rerun_is_of_first_broadcast() -> None:
    second = again("The knee of a horse (R)", day="2023-01-01", guid="second")
    third = again("The knee of a horse (R)", day="2024-01-01", guid="third")
    rows = proposed(FIRST, second, third)
    assert [row.of for row in rows] == ["the-knee-of-a-horse"] * 2


def judged(one: SourceEntry, other: SourceEntry, verdict: str) -> RerunDecision:
    return RerunDecision(one.ref[::2], other.ref[::2], verdict)


def test_judgement_holds_and_is_not_proposed_again() -> None:
    later = again("The knee of a horse (R)")
    (row,) = proposed(FIRST, later, one=judged(later, FIRST, "replaces"))
    assert (row.kind, row.accepted) == ("replaces", True)
    assert proposed(FIRST, later, one=judged(FIRST, later, "unrelated")) == []
    # Their dates say which of the two is the later one.
    assert proposed(FIRST, later, one=judged(FIRST, later, "replaces")) == [row]


def test_judgement_needs_no_title() -> None:
    later = again("On knees", text=OTHER)
    (row,) = proposed(FIRST, later, one=judged(later, FIRST, "repeats"))
    assert (row.of, row.kind, row.accepted) == ("the-knee-of-a-horse", "repeats", True)


def test_hidden_episode_is_not_proposed() -> None:
    fixed = again("On knees", guid="fixed", day="2021-05-04")
    later = again("The knee of a horse (R)")
    rows = proposed(FIRST, fixed, later, one=judged(fixed, FIRST, "replaces"))
    assert [row.accepted for row in rows] == [True], "lists leave the first out"


def row(episode: str, kind: str, of: str) -> RerunData:
    return RerunData(episode, of, kind, (), accepted=True)


def test_lists_show_newest_version_and_first_broadcast() -> None:
    assert hidden_slugs([row("b", "replaces", "a")]) == {"a"}
    assert hidden_slugs([row("b", "repeats", "a")]) == {"b"}
    assert hidden_slugs([row("b", "replaces", "a"), row("c", "repeats", "b"), row("d", "replaces", "b")]) == {
        "a",
        "b",
        "c",
    }
    assert hidden_slugs([replace(row("b", "repeats", "a"), accepted=False)]) == set()


def test_judgements_in_a_circle_leave_nobody_out() -> None:
    assert hidden_slugs([row("b", "replaces", "a"), row("c", "replaces", "b"), row("c", "repeats", "a")]) == set()


@settings(max_examples=examples(30, 300))
@given(worlds(), st.integers(0, 1 << 30))
def test_proposals_ignore_order_of_evidence(world: list[tuple[SourceEntry, int]], seed: int) -> None:
    entries = [e for e, _ in world]
    copies = [
        replace(
            e,
            key=f"{e.key}-again",
            position=e.position + 100,
            values=replace(e.values, guid="", title=f"{e.values.title} (R)"),
        )
        for e in entries[::3]
    ]
    everything = [*entries, *copies]
    expected = resolve_show(everything, Decisions(), SHOW, []).repeats
    random.Random(seed).shuffle(everything)
    result = resolve_show(everything, Decisions(), SHOW, [])
    assert result.repeats == expected
    episodes: list[ResolvedEpisode] = list(result.episodes)
    random.Random(seed).shuffle(episodes)
    assert tuple(find_reruns(episodes, SHOW)) == expected


def test_hostile_titles_take_no_time() -> None:
    for title in ("(" * 400 + "r", "(repeat " * 80, "[rerun " * 80, "(r) " * 120, "encore (" + "-" * 480):
        proposed(FIRST, again(title))
