"""Same episode, another one, or for a curator to tell: a table of hostile pairs, and the laws."""

import random
from dataclasses import replace
from typing import Any

import pytest

from episodes.identity.compare import Profile, compare, longest_shared_opening
from episodes.identity.match_keys import MatchKeys
from episodes.identity.partition import JUDGED, cluster_by_decision
from episodes.records import EntryData, MatchDecision, Show, SourceEntry

from ..examples import examples
from ..resolve.build import LONG, OTHER, SHOW, TEXTS, entry, entry_of, matching_of, outcome
from ..tables import cases

AUDIO = "https://cdn.example/7.mp3"


def test_entry_beside_another_is_judged_once() -> None:
    a, b, d = entries = [entry("Springs", key=key, position=place) for place, key in enumerate("abd")]
    known = {one.ref: MatchKeys(one.values, SHOW) for one in entries}
    kept = [MatchDecision(b.ref[::2], a.ref[::2], True), MatchDecision(d.ref[::2], a.ref[::2], True, is_inherited=True)]
    assert cluster_by_decision(entries, known, kept).reasons == {b.ref: (JUDGED,)}
    judged = [*kept, MatchDecision(d.ref[::2], b.ref[::2], True)]
    assert cluster_by_decision(entries, known, judged).reasons == {b.ref: (JUDGED,), d.ref: (JUDGED,)}
    parted = cluster_by_decision(entries, known, [*kept[:1], MatchDecision(b.ref[::2], a.ref[::2], False)])
    assert (parted.reasons, len(parted.clusters_of(entries))) == ({}, 3), (
        "two rulings that contradict each other join nothing"
    )


@pytest.mark.parametrize(
    "title, day, seconds, is_contradicting",
    [("Springs", "2021-06-01", 800, False), ("Gears", "2021-06-01", 800, True), ("Springs", "2021-06-02", 800, True), ("Springs", "2021-06-01", 805, False), ("Springs", "2021-06-01", 0, True)],
)  # fmt: skip
def test_season_numbers_contradict_unless_alike(title: str, day: str, seconds: int, is_contradicting: bool) -> None:
    one = entry("Springs", day="2021-06-01", seconds=800, season=1, number=1)
    other = entry(title, day=day, seconds=seconds, season=2, number=5)
    first, second = (Profile([said], [MatchKeys(said.values, SHOW)]) for said in (one, other))
    assert ("different episode numbers" in compare(first, second).contradicting) == is_contradicting


TABLE = [
    (case["case"], [entry_of(one) for one in case["known"]], entry_of(case["new"]), case["expected"])
    for case in cases("identity_match")["hostile_pairs"]
]


@pytest.mark.parametrize("known, new, expected", [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_the_table_of_hostile_pairs(known: list[SourceEntry], new: SourceEntry, expected: str) -> None:
    assert outcome(*known, new) == expected


@pytest.mark.parametrize(
    "absences, means", [(((2, 3),), "same"), (((2, 3), (4, 5)), "same"), (((4, 5),), "different"), ((), "different")]
)
def test_entry_gone_earlier_was_not_beside(absences: tuple[tuple[int, int], ...], means: str) -> None:
    stays = entry("Springs", LONG, guid="a", day="2021-06-01", absences=absences)
    gone = entry("Springs", LONG, guid="b", day="2021-06-01", first_version=2, gone_version=3)
    assert outcome(gone, stays) == outcome(stays, gone) == means


def test_reused_guid_joins_nothing() -> None:
    old = [
        entry("Alpha", LONG, guid="1", day="2021-01-01"),
        entry("Beta", OTHER, guid="2", day="2021-02-01", position=2),
    ]
    third = "Cams turn a turning into a lift. How their outlines are drawn, and why a follower needs a spring to stay on one."
    new = [
        entry("Alpha", LONG, source="listing", guid="2", day="2021-01-01"),
        entry("Gamma", third, source="listing", guid="1", day="2021-05-01", position=2),
    ]
    found = matching_of([*old, *new])
    assert sorted(len(group) for group in found.groups) == [1, 1, 2]
    assert {e.values.title for group in found.groups if len(group) == 2 for e in group} == {"Alpha"}


def test_curator_may_join_entries_of_document() -> None:
    twice = [entry("Springs", guid="a", key="a"), entry("Springs, again", guid="b", key="b", position=2)]
    same = MatchDecision(("feed", "a"), ("feed", "b"), True)
    assert [len(group) for group in matching_of(twice, [same]).groups] == [2]


def test_entries_of_page_never_share_episode() -> None:
    known = entry("Springs", LONG, day="2021-06-01")
    good = entry("Springs", LONG, source="listing", day="2021-06-01", position=1)
    worse = entry("Springs", LONG, source="listing", day="2021-06-02", position=2)
    found = matching_of([known, good, worse])
    (held,) = found.held
    assert held[0].position == 2
    assert "another entry of the same document fits it as well or better" in held[1][0].reasons
    assert [len(group) for group in found.groups] == [2]


def test_neighbours_evidence_joins_no_entry() -> None:
    known = entry("Springs", day="2021-06-01")
    first = entry("Springs", source="listing", day="2021-06-01", minutes=13, position=1)
    second = entry("Springs", source="listing", minutes=13, position=2)
    found = matching_of([known, first, second])
    assert [len(group) for group in found.groups] == [2]
    assert [held.position for held, _ in found.held] == [2]


@pytest.mark.parametrize("has_second_run", [False, True])
def test_waiting_entry_blocks_no_other(has_second_run: bool) -> None:
    known = [entry("Springs", day="2021-06-01")]
    if has_second_run:
        known.append(entry("Springs", day="2022-06-01", position=2))
    waiting = entry("Springs", source="listing", number=7)
    clear = entry("Springs", source="other", day="2021-06-01", number=7)  # similar to the unmatched entry, too
    matching = matching_of([*known, waiting, clear])
    assert [clear in group for group in matching.groups] == [True, False][: len(known)]
    assert [unmatched for unmatched, _ in matching.held] == [waiting]


def test_equally_fitting_entries_are_both_unmatched() -> None:
    twins = [entry("Springs", source="listing", day="2021-06-01", position=place) for place in (1, 2)]
    found = matching_of([entry("Springs", day="2021-06-01"), *twins])
    assert [len(group) for group in found.groups] == [1]
    assert [held.position for held, _ in found.held] == [1, 2]


def test_different_outweighs_same() -> None:
    entries = [entry(title, source=f"s{title}", key=title) for title in ("A", "B", "C")]
    a, b, c = (e.ref[::2] for e in entries)
    rulings = [MatchDecision(a, b, True), MatchDecision(b, c, True), MatchDecision(a, c, False)]
    groups = [{e.key for e in group} for group in matching_of(entries, rulings).groups]
    assert not [group for group in groups if {"A", "C"} <= group]


def test_place_in_list_is_no_reason() -> None:
    titles = ["A one", "B two", "C three", "D four"]
    feed = [entry(title, position=place) for place, title in enumerate(titles, 1)]
    page = [entry(title, source="listing", position=place) for place, title in enumerate(titles, 1)]
    found = matching_of([*feed, *page])
    assert [len(group) for group in found.groups] == [1, 1, 1, 1]
    assert [candidates[0].reasons for _, candidates in found.held] == [("equal title",)] * 4


def test_unmatched_entry_names_candidates_and_reasons() -> None:
    found = matching_of(
        [entry("Springs", day="2020-01-01", key="k"), entry("Springs", source="listing", day="2021-06-01")]
    )
    ((_, (candidate,)),) = found.held
    assert candidate.ref == ("feed", "https://feed.example/", "k")
    assert candidate.reasons == ("equal title", "against: dates 517 days apart")


def test_a_judgement_outweighs_the_rules_both_ways() -> None:
    one, other = entry("Springs", key="a"), entry("Coils", source="listing", key="b")
    same = MatchDecision(("feed", "a"), ("listing", "b"), True)
    assert [len(group) for group in matching_of([one, other], [same]).groups] == [2]
    twin = entry("Springs", LONG, source="listing", key="b", guid="g")
    apart = MatchDecision(("listing", "b"), ("feed", "a"), False)
    known = replace(one, values=replace(one.values, guid="g"))
    assert [len(group) for group in matching_of([known, twin], [apart]).groups] == [1, 1]


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


def test_passive_source_is_matched_last():
    theirs = replace(entry("Springs", source="page", day="2021-06-01", may_create=False), rank=0)
    (group,) = matching_of([theirs, entry("Springs", day="2021-06-01")]).groups
    assert len(group) == 2


def test_ignored_entry_is_left_alone() -> None:
    advert = entry("Advert", key="advert", position=2)
    found = matching_of([entry("Springs"), advert], not_episodes={("feed", "advert")})
    assert found.ignored == (advert,)
    assert len(found.groups) == 1


@pytest.mark.parametrize(
    "feed, together",
    [
        ([entry("Springs", day="2021-06-01")], True),
        ([entry("Springs")], False),  # that is no more than a doubt
        ([entry("Springs", day="2021-06-01"), entry("Springs", day="2021-06-02", position=2)], False),
        ([], False),
    ],
)
def test_new_episode_joins_certain_matches(feed: list[SourceEntry], together: bool) -> None:
    own = entry("Springs", key="own", source="listing", day="2021-06-01", may_create=False)
    found = matching_of([*feed, own], own_episodes={("listing", "own")})
    (group,) = (group for group in found.groups if own in group)
    assert (len(group) > 1) is together
    assert found.held == ()


def test_new_episode_of_earlier_version_joins_nothing() -> None:
    own = entry("Springs", key="own", source="listing", day="2021-06-01", may_create=False)
    theirs, key = entry("Springs", day="2021-06-01"), frozenset({("listing", "own")})
    assert len(matching_of([theirs, own], own_episodes=key, never_joined=key).groups) == 2


def test_equal_entries_of_page_may_be_new() -> None:
    twins = [entry("Springs", key=key, source="listing", day="2021-06-01", position=n) for n, key in enumerate("ab")]
    found = matching_of([entry("Springs", day="2021-06-01"), *twins], own_episodes={("listing", "a")})
    assert [[e.key for e in group] for group in found.groups][1:] == [["a"]]
    assert [e.key for e, _ in found.held] == ["b"]


@pytest.mark.parametrize("length, counts", [(65, 0), (66, 66), (67, 67)])
def test_an_opening_counts_from_its_least_length_on(length: int, counts: int) -> None:
    same = "x" * length  # 80 characters are about 66 that are no spaces
    assert longest_shared_opening([f"{same}a"], [f"{same}b"]) == (counts, False)


def test_texts_differ_only_without_shared_ones() -> None:
    one, both, other = (
        Profile(entries, [MatchKeys(e.values, SHOW) for e in entries])
        for entries in ([entry("A", LONG)], [entry("A", LONG), entry("A", OTHER)], [entry("A", OTHER)])
    )
    assert compare(one, other).has_other_text
    assert not compare(one, both).has_other_text


# What a feed lists no more, and a later item of it with the same title: how many episodes they are.
GONE = {"guid": "a", "day": "2021-06-01", "gone_version": 2}
LATER = {"guid": "b", "day": "2021-06-08", "first_version": 2}
ITEMS = [
    ("a week later", {}, {}, 2),
    ("a week later, of equal length", {"seconds": 800}, {"seconds": 800}, 2),
    ("a week later, with the same text", {"text": LONG}, {"text": LONG}, 1),
    ("a week later, with the same number", {"number": 7}, {"number": 7}, 1),
    ("a week later, with another number", {"number": 7}, {"number": 8}, 2),
    ("the same day", {}, {"day": "2021-06-01"}, 1),
    ("the same day, of another length", {"seconds": 800}, {"day": "2021-06-01", "seconds": 2_000}, 2),
    ("two days later, without texts", {}, {"day": "2021-06-03"}, 1),
    ("two days later, with another text", {"text": LONG}, {"day": "2021-06-03", "text": OTHER}, 2),
    ("three days later", {}, {"day": "2021-06-04"}, 2),
]


@pytest.mark.parametrize("gone, later, count", [row[1:] for row in ITEMS], ids=[row[0] for row in ITEMS])
def test_entry_gone_from_feed_stays_an_episode(gone: dict[str, object], later: dict[str, object], count: int) -> None:
    found = matching_of([entry("Letters", **GONE | gone), entry("Letters", **LATER | later)])  # type: ignore[arg-type]
    assert (len(found.groups), len(found.held)) == (count, 0)


def test_gone_entry_stays_apart_from_neighbours() -> None:
    beside = entry("Letters", guid="b", day="2021-06-02")
    found = matching_of([entry("Letters", guid="a", day="2021-06-01", gone_version=2, position=2), beside])
    assert (len(found.groups), len(found.held)) == (2, 0)


def test_gone_entry_of_passive_page_is_nothing() -> None:
    left = entry("Letters", **GONE | {"source": "other"})  # type: ignore[arg-type]
    found = matching_of([replace(left, may_create=False), entry("Letters", day="2021-06-08")])
    assert (len(found.groups), len(found.held)) == (1, 1)


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


@pytest.mark.parametrize(
    "address, identifies",
    [
        ("https://casts.example/tides", False),
        ("https://casts.example/", False),
        ("https://casts.example/tides/e/12", True),
    ],
)
def test_home_page_identifies_no_episode(address: str, identifies: bool):
    """Lazy feeds give it to every item."""
    show = Show("tides", "Tides", site_url="https://casts.example/tides")
    assert bool(MatchKeys(EntryData(url=address), show).page) == identifies
