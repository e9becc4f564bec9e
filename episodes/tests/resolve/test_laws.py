"""The laws of the catalog over invented shows: any order, no two true episodes merged, none lost, deleting changes only what was won."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from episodes.records import Decisions, Resolved, Show, SourceEntry
from episodes.resolve.catalog import resolve

from ..examples import examples
from .shows import worlds

SHOW = Show("machines", "The Machine Show")
World = list[tuple[SourceEntry, int]]


def catalog(entries: list[SourceEntry]) -> Resolved:
    return resolve(entries, Decisions(), SHOW, [])


@settings(max_examples=examples(100, 300))
@given(worlds(), st.randoms(use_true_random=False))
def test_any_order_of_the_evidence_gives_the_same_catalog(world: World, chance: object) -> None:
    entries = [entry for entry, _ in world]
    one = catalog(entries)
    chance.shuffle(entries)  # type: ignore[attr-defined]
    assert catalog(entries) == one


@settings(max_examples=examples(200, 600))
@given(worlds())
def test_no_two_true_episodes_are_merged_and_none_is_lost(world: World) -> None:
    truth = {entry.ref: number for entry, number in world}
    result = catalog([entry for entry, _ in world])
    for episode in result.episodes:
        assert len({truth[entry.ref] for entry in episode.entries}) == 1
    placed = {truth[e.ref] for episode in result.episodes for e in episode.entries} | {
        truth[e.ref] for e, _ in result.held
    }
    assert placed == set(truth.values())


@settings(max_examples=examples(70, 200))
@given(worlds())
def test_every_entry_is_in_exactly_one_place(world: World) -> None:
    result = catalog([entry for entry, _ in world])
    places = [e.ref for episode in result.episodes for e in episode.entries]
    places += [e.ref for e, _ in result.held] + [e.ref for e in result.ignored]
    assert sorted(places) == sorted(entry.ref for entry, _ in world)


@settings(max_examples=examples(70, 200))
@given(worlds())
def test_slugs_and_places_are_unique_and_values_come_from_those_who_are_named(world: World) -> None:
    result = catalog([entry for entry, _ in world])
    assert len({e.slug for e in result.episodes}) == len(result.episodes)
    assert [e.order for e in result.episodes] == list(range(1, len(result.episodes) + 1))
    for episode in result.episodes:
        sources = {entry.source: entry.said for entry in episode.entries}
        title = episode.merged.provenance["title"].source
        assert (title is None) == (episode.merged.title == "")
        assert title is None or sources[title].title == episode.merged.title
