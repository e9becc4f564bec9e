"""Re-uploads and rebroadcasts: the pairs that are proposed, those that are not, and the episodes that lists leave out."""

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from episodes.identity.repeats import repeats, unlisted
from episodes.records import Decisions, JudgedRepeat, RepeatData, ResolvedEpisode, SourceEntry
from episodes.resolve.catalog import resolve

from ..examples import examples
from ..resolve.build import LONG, OTHER, SHOW, entry
from ..resolve.shows import worlds

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
HOLIDAYS = "We are away this week, and have taken this one out of our archive for you. "
NEIGHBOURS = [
    entry(f"About part {name}", f"{OTHER} This time: {name}.", day=f"2020-0{n}-01", number=90 + n, guid=name)
    for n, name in enumerate(("cogs", "cams", "rods"), 1)
]


def again(**other: Any) -> SourceEntry:
    """The first episode published again, with what is other about it."""
    said = {**ORIGINAL, "number": None, "audio_url": None, "guid": "again", **other}
    return entry(**{name: value for name, value in said.items() if value is not None})


def proposed(*entries: SourceEntry, **decided: JudgedRepeat) -> list[RepeatData]:
    result = resolve(entries, Decisions(repeats=tuple(decided.values())), SHOW, [])
    assert len(result.episodes) == len(entries), "nothing is ever merged"
    return list(result.repeats)


def kind(*entries: SourceEntry) -> str:
    """The proposal about the last entry; "" for none."""
    kinds = [row.kind for row in proposed(*entries, *NEIGHBOURS)] or [""]
    assert len(kinds) == 1
    return kinds[0]


@pytest.mark.parametrize(
    "other",
    [
        {"title": "The knee of a horse", "text": OTHER, "day": "2021-06-14"},
        {"title": "The knee of a horse (fixed)", "day": "2021-05-04", "audio_url": FILE},
        {"title": "The knee of a horse", "text": "", "day": "2021-05-04", "seconds": 1805},
    ],
)
def test_what_is_uploaded_again_is_proposed_to_replace_the_first(other: dict[str, Any]) -> None:
    assert kind(FIRST, again(**other)) == "replaces"
    assert [row.accepted for row in proposed(FIRST, again(**other))] == [False], "nobody has said so yet"


@pytest.mark.parametrize(
    "other",
    [
        {"title": "Rebroadcast: The knee of a horse", "number": 80},
        {"title": "Rebroadcast: The knee of a horse", "day": "2021-05-20"},
        {"title": "The knee of a horse (Rebroadcast from May 2021)", "text": HOLIDAYS + LONG},
        {"title": "The knee of a horse (Wiederholung vom 3.5.2021)", "text": "", "seconds": None},
        {"title": "[Rediffusion] The knee of a horse", "text": OTHER},
        {"title": "【再放送】The knee of a horse", "text": OTHER},
        {"title": "#81 Encore: Episode 5: The knee of a horse", "number": None},
        {"title": "The knee of a horse", "text": OTHER},
        {"title": "The knee of a horse", "day": "2021-06-15"},
    ],
)
def test_what_is_published_again_later_is_proposed_as_a_rebroadcast(other: dict[str, Any]) -> None:
    assert kind(FIRST, again(**{"day": "2024-07-01", **other})) == "repeats"


@pytest.mark.parametrize(
    "other",
    [
        {"title": "The knee of a horse", "text": OTHER, "seconds": 600},
        {"title": "The knee of a horse", "seconds": 1806},
        {"title": "Best of 2021", "text": OTHER},
        {"title": "Encore: the hoof of a cow", "text": OTHER},
        {"title": "The ankle of a horse"},
        {"title": "The ankle of a horse", "seconds": 600, "audio_url": FILE},
        {"title": "The knee of a horse, part 2", "seconds": 1800},
        {"title": "The knee of a horse", "episode_type": "trailer"},
        {"title": "The knee of a horse", "episode_type": "bonus", "number": 5},
        {"title": "On hooves", "text": OTHER, "number": 5},
    ],
)
def test_one_sign_alone_or_another_part_proposes_nothing(other: dict[str, Any]) -> None:
    assert kind(FIRST, again(**{"day": "2024-07-01", **other})) == ""


def test_what_a_third_episode_shares_is_no_sign() -> None:
    same = [again(title="Questions and answers", guid=f"q{n}", day=f"202{n}-01-01") for n in range(1, 6)]
    assert proposed(*same) == []


def test_two_parts_with_the_notes_of_both_are_no_repeats() -> None:
    first = replace(FIRST, said=replace(FIRST.said, title="The knee of a horse, part 1"))
    assert kind(first, again(title="The knee of a horse, part 2", day="2021-05-10")) == ""


def test_the_evidence_is_told_in_words() -> None:
    later = again(title="The knee of a horse (re-run)", day="2021-05-04")
    (found,) = proposed(FIRST, later, *NEIGHBOURS)
    assert found.evidence == (
        "equal title",
        "equal length",
        "says that it was published before",
    )


def judged(one: SourceEntry, other: SourceEntry, verdict: str) -> JudgedRepeat:
    return JudgedRepeat(one.ref[::2], other.ref[::2], verdict)


def test_what_a_curator_judged_holds_and_what_was_refused_is_not_proposed_again() -> None:
    later = again(day="2024-07-01")
    (found,) = proposed(FIRST, later, *NEIGHBOURS, one=judged(later, FIRST, "replaces"))
    assert (found.kind, found.accepted) == ("replaces", True)
    assert proposed(FIRST, later, *NEIGHBOURS, one=judged(FIRST, later, "unrelated")) == []
    # Which of the two is the later one their dates say, whatever was judged first.
    assert proposed(FIRST, later, *NEIGHBOURS, one=judged(FIRST, later, "replaces")) == [found]


def test_nothing_is_proposed_of_an_episode_that_another_stands_for() -> None:
    first = replace(FIRST, said=replace(FIRST.said, title="On knees"))
    fixed, later = again(guid="fixed", day="2021-05-04"), again(day="2024-07-01")
    accepted, other = proposed(first, fixed, later, *NEIGHBOURS, one=judged(fixed, first, "replaces"))
    assert (accepted.accepted, other.of, other.kind) == (True, accepted.episode, "repeats")
    accepted, *others = proposed(first, fixed, later, *NEIGHBOURS, one=judged(fixed, first, "repeats"))
    assert others == []  # lists show the first in its place


def row(episode: str, kind: str, of: str) -> RepeatData:
    return RepeatData(episode, of, kind, (), accepted=True)


def test_lists_show_the_newest_version_and_the_first_broadcast() -> None:
    assert unlisted([row("b", "replaces", "a")]) == {"a"}
    assert unlisted([row("b", "repeats", "a")]) == {"b"}
    assert unlisted([row("b", "replaces", "a"), row("c", "repeats", "b"), row("d", "replaces", "b")]) == {"a", "b", "c"}
    assert unlisted([replace(row("b", "repeats", "a"), accepted=False)]) == set()


def test_judgements_in_a_circle_leave_nobody_out() -> None:
    assert unlisted([row("b", "replaces", "a"), row("c", "replaces", "b"), row("c", "repeats", "a")]) == set()


@settings(max_examples=examples(30, 300))
@given(worlds(), st.integers(0, 1 << 30))
def test_any_order_of_the_evidence_gives_the_same_proposals(world: list[tuple[SourceEntry, int]], seed: int) -> None:
    entries = [e for e, _ in world]
    copies = [
        replace(e, key=f"{e.key}-again", position=e.position + 100, said=replace(e.said, guid="")) for e in entries[::3]
    ]
    everything = [*entries, *copies]
    expected = resolve(everything, Decisions(), SHOW, []).repeats
    random.Random(seed).shuffle(everything)
    result = resolve(everything, Decisions(), SHOW, [])
    assert result.repeats == expected
    episodes: list[ResolvedEpisode] = list(result.episodes)
    random.Random(seed).shuffle(episodes)
    assert tuple(repeats(episodes, SHOW)) == expected


@settings(max_examples=examples(30, 300))
@given(worlds())
def test_a_show_without_repeats_has_no_proposals(world: list[tuple[SourceEntry, int]]) -> None:
    feed = [replace(e, said=replace(e.said, guid=f"g{n}")) for e, n in world if e.source == "feed"]
    assert resolve(feed, Decisions(), SHOW, []).repeats == ()


def test_hostile_titles_take_no_time() -> None:
    for title in ("(" * 400 + "fixed", "repeat " * 80, "[fixed " * 80, ": - repeat" * 60, "encore " + "-" * 480):
        kind(FIRST, again(title=title, day="2024-07-01"))
