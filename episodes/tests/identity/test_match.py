"""Same episode, another one, or for a curator to tell: a table of hostile pairs, and the laws."""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from episodes.identity import match_entries
from episodes.identity.compare import Profile, compare_profiles, find_longest_shared_opening
from episodes.identity.match_keys import MatchKeys
from episodes.identity.partition import JUDGED, build_partition_from_decisions
from episodes.records import Decisions, EntryData, MatchDecision, MatchingResult, Show, SourceEntry

from ..examples import examples
from ..resolve.build import LONG, OTHER, SHOW, TEXTS, entry, entry_of
from ..tables import cases


def matching_of(
    entries: Sequence[SourceEntry], rulings: Sequence[MatchDecision] = (), show: Show = SHOW, **decided: Any
) -> MatchingResult:
    kinds: dict[str, Any] = {name: frozenset(refs) for name, refs in decided.items()}
    decisions = Decisions(match_decisions=tuple(rulings), **kinds)
    return match_entries(
        entries, {e.ref: MatchKeys(e.values, show, has_own_title=e.may_create) for e in entries}, decisions
    )


def outcome(*entries: SourceEntry) -> str:
    """Return the result of the last entry beside the others: `same`, `different`, `held` or `ignored`."""
    result = matching_of(entries)
    last = entries[-1]
    if any(e.ref == last.ref for e, _ in result.held):
        return "held"
    if any(e.ref == last.ref for e in result.ignored):
        return "ignored"
    (group,) = [group for group in result.groups if any(e.ref == last.ref for e in group)]
    return "same" if len(group) > 1 else "different"


AUDIO = "https://cdn.example/7.mp3"


def test_entry_beside_another_is_judged_once() -> None:
    a, b, d = entries = [entry("Springs", key=key, position=place) for place, key in enumerate("abd")]
    known = {one.ref: MatchKeys(one.values, SHOW) for one in entries}
    kept = [MatchDecision(b.ref[::2], a.ref[::2], True), MatchDecision(d.ref[::2], a.ref[::2], True, is_inherited=True)]
    assert build_partition_from_decisions(entries, known, kept).reasons == {b.ref: (JUDGED,)}
    judged = [*kept, MatchDecision(d.ref[::2], b.ref[::2], True)]
    assert build_partition_from_decisions(entries, known, judged).reasons == {b.ref: (JUDGED,), d.ref: (JUDGED,)}
    parted = build_partition_from_decisions(entries, known, [*kept[:1], MatchDecision(b.ref[::2], a.ref[::2], False)])
    assert (parted.reasons, len(parted.clusters_of_entries_each_once(entries))) == ({}, 3), (
        "two rulings that contradict each other join nothing"
    )


CASES = cases("identity_match")
TABLE = [
    (case["case"], [entry_of(one) for one in case["known"]], entry_of(case["new"]), case["expected"])
    for case in CASES["hostile_pairs"]
]


@pytest.mark.parametrize("known, new, expected", [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_the_table_of_hostile_pairs(known: list[SourceEntry], new: SourceEntry, expected: str) -> None:
    assert outcome(*known, new) == expected


@pytest.mark.parametrize("case", CASES["matchings"], ids=lambda case: case["case"])
def test_entries_become_episodes(case: dict[str, Any]) -> None:
    entries = [entry_of(one) for one in case["entries"]]
    refs = [one.ref[::2] for one in entries]
    rulings = [MatchDecision(refs[one], refs[other], True) for one, other in case.get("same", ())]
    rulings += [MatchDecision(refs[one], refs[other], False) for one, other in case.get("different", ())]
    kinds = {"not_episodes", "own_episodes", "never_joined"} & case.keys()
    decided: dict[str, Any] = {kind: [refs[place] for place in case[kind]] for kind in kinds}
    found = matching_of(entries, rulings, **decided)
    assert sorted(sorted(map(entries.index, group)) for group in found.groups) == case["groups"]
    assert [entries.index(one) for one, _ in found.held] == case.get("held", [])
    assert [entries.index(one) for one in found.ignored] == case.get("ignored", [])
    if "reason" in case:
        assert all(case["reason"] in candidates[0].reasons for _, candidates in found.held)


@pytest.mark.parametrize(
    "absences, means", [(((2, 3),), "same"), (((2, 3), (4, 5)), "same"), (((4, 5),), "different"), ((), "different")]
)
def test_entry_gone_earlier_was_not_beside(absences: tuple[tuple[int, int], ...], means: str) -> None:
    stays = entry("Springs", LONG, guid="a", day="2021-06-01", absences=absences)
    gone = entry("Springs", LONG, guid="b", day="2021-06-01", first_version=2, gone_version=3)
    assert outcome(gone, stays) == outcome(stays, gone) == means


def test_unmatched_entry_names_candidates_and_reasons() -> None:
    found = matching_of(
        [entry("Springs", day="2020-01-01", key="k"), entry("Springs", source="listing", day="2021-06-01")]
    )
    ((_, (candidate,)),) = found.held
    assert candidate.ref == ("feed", "https://feed.example/", "k")
    assert candidate.reasons == ("equal title", "against: dates 517 days apart")


@pytest.mark.parametrize("seed", range(examples(8, 20)))
def test_matching_ignores_order_of_evidence(seed: int) -> None:
    chance = random.Random(seed)
    entries = list({e.ref: e for row in TABLE for e in (*row[1], row[2])}.values())
    one = matching_of(entries)
    chance.shuffle(entries)
    assert matching_of(entries) == one


def test_thousands_of_entries_find_their_own_among_thousands() -> None:
    count, chance = examples(1_000, 4_000), random.Random(1)
    words = [f"w{n:x}" for n in range(3000)]
    titles = [" ".join(chance.choices(words, k=4)) for _ in range(count)]
    texts = [TEXTS["BOILERPLATE"] + " ".join(chance.choices(words, k=60)) for _ in range(count)]
    feed = [entry(t, x, position=n) for n, (t, x) in enumerate(zip(titles, texts, strict=True))]
    page = [
        entry(t if n % 2 else "", x[:250], source="listing", position=n)
        for n, (t, x) in enumerate(zip(titles, texts, strict=True))
    ]
    found = matching_of([*feed, *page])
    assert [len(group) for group in found.groups] == [2] * count


@pytest.mark.parametrize("length, counts", [(65, 0), (66, 66), (67, 67)])
def test_an_opening_counts_from_its_least_length_on(length: int, counts: int) -> None:
    same = "x" * length  # 80 characters are about 66 that are no spaces
    assert find_longest_shared_opening([f"{same}a"], [f"{same}b"]) == (counts, False)


def test_texts_differ_only_without_shared_ones() -> None:
    one, both, other = (
        Profile(entries, [MatchKeys(e.values, SHOW) for e in entries])
        for entries in ([entry("A", LONG)], [entry("A", LONG), entry("A", OTHER)], [entry("A", OTHER)])
    )
    assert compare_profiles(one, other).has_other_text
    assert not compare_profiles(one, both).has_other_text


@pytest.mark.parametrize("said", [{"guid": "spring-1"}, {"audio_url": AUDIO}])
def test_unconfirmed_identifier_supports_only_a_title(said: dict[str, Any]) -> None:
    def stranger(title: str, **more: Any) -> SourceEntry:
        return replace(entry(title, OTHER, source="page", may_create=False, **more), is_confirmed=False)

    known = entry("Springs", LONG, **said)
    assert outcome(known, stranger("Springs", **said)) == "same"
    assert outcome(known, stranger("Springs")) == "held"
    assert outcome(known, stranger("Coils", **said)) == "ignored"
    (held, _), *_ = matching_of([known, stranger("Springs", **said), stranger("Springs ", **said)]).held
    assert not held.is_confirmed  # of two that fit neither gets it


def test_number_behind_a_title_is_compared() -> None:
    assert MatchKeys(EntryData(title="Springs (S2E5)"), SHOW).seasons_and_numbers == {(2, 5)}


@pytest.mark.parametrize("address, identifies", CASES["home_page_identifies_no_episode"])
def test_home_page_identifies_no_episode(address: str, identifies: bool):
    """Lazy feeds give it to every item."""
    show = Show("tides", "Tides", site_url="https://casts.example/tides")
    assert bool(MatchKeys(EntryData(url=address), show).page) == identifies
