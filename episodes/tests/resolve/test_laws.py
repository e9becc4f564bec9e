"""The laws of the catalog over invented shows: any order, no two true episodes merged, none lost, deleting changes only what was won."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from episodes.identity import was_in_future
from episodes.records import Decisions, ResolvedEpisode, ResolvedShow, Show, SourceEntry
from episodes.resolve.pipeline import resolve_show

from ..examples import examples
from .shows import STRANGER, besieged, worlds

SHOW = Show("machines", "The Machine Show")
World = list[tuple[SourceEntry, int]]


def catalog(entries: list[SourceEntry]) -> ResolvedShow:
    return resolve_show(entries, Decisions(), SHOW, [])


@settings(max_examples=examples(25, 300))
@given(worlds(), st.randoms(use_true_random=False))
def test_any_order_of_the_evidence_gives_the_same_catalog(world: World, chance: object) -> None:
    entries = [entry for entry, _ in world]
    one = catalog(entries)
    chance.shuffle(entries)  # type: ignore[attr-defined]
    assert catalog(entries) == one


@settings(max_examples=examples(25, 300))
@given(worlds(), st.integers(-40, 400))
def test_an_episode_that_is_ahead_leads_only_those_that_are_too(world: World, days: int) -> None:
    entries = [entry for entry, _ in world]
    dates = [entry.values.moment.at for entry in entries if entry.values.moment]
    read_at = min(dates, default=datetime(2021, 1, 1, tzinfo=UTC)) + timedelta(days=days)
    result = resolve_show(entries, Decisions(), SHOW, [], last_import_at=read_at).episodes
    waiting = [e for e in result if e.merged.moment and was_in_future(e.merged.moment.at, read_at)]
    assert not waiting or result[-1] not in waiting or waiting == list(result)
    # Only what waits sorts before its date: by that `release` finds what has come.
    before = [e for e in result if e.merged.moment and e.sorted_at < e.merged.moment.at]
    assert before == waiting
    at_last = max(dates, default=read_at)
    assert resolve_show(entries, Decisions(), SHOW, [], last_import_at=at_last) == catalog(entries)


@settings(max_examples=examples(50, 600))
@given(worlds())
def test_every_entry_is_in_one_place_no_two_true_episodes_are_merged_and_none_is_lost(world: World) -> None:
    truth = {entry.ref: number for entry, number in world}
    result = catalog([entry for entry, _ in world])
    attached, held = [e.ref for own in result.episodes for e in own.entries], [e.ref for e, _ in result.held]
    assert sorted([*attached, *held, *(e.ref for e in result.ignored)]) == sorted(truth)
    assert {truth[ref] for ref in attached + held} == set(truth.values())
    assert len({e.slug for e in result.episodes}) == len(result.episodes)
    assert [e.order for e in result.episodes] == list(range(1, len(result.episodes) + 1))
    for episode in result.episodes:
        assert len({truth[entry.ref] for entry in episode.entries}) == 1
        sources = {entry.source: entry.values for entry in episode.entries}
        title = episode.merged.provenance["title"].source
        assert (title is None) == (episode.merged.title == "")
        assert title is None or sources[title].title == episode.merged.title


@settings(max_examples=examples(25, 300), deadline=None)
@given(besieged())
def test_what_nobody_vouched_for_changes_nothing_but_where_an_episode_is_listed(
    world: tuple[list[SourceEntry], list[SourceEntry]],
) -> None:
    known, pages = world
    before, after = catalog(known), catalog([*known, *pages])
    assert [_of_trusted(episode) for episode in after.episodes] == list(before.episodes)
    assert [one for one in after.held if one[0].is_confirmed] == list(before.held)
    assert [entry for entry in after.ignored if entry.is_confirmed] == list(before.ignored)
    assert {ref: own for ref, own in after.reasons.items() if ref[0] != STRANGER} == before.reasons
    assert (after.link_titles, after.repeats, after.declared_topics) == (
        before.link_titles,
        before.repeats,
        before.declared_topics,
    )
    places = [e.ref for episode in after.episodes for e in episode.entries if not e.is_confirmed]
    places += [e.ref for e, _ in after.held if not e.is_confirmed] + [
        e.ref for e in after.ignored if not e.is_confirmed
    ]
    assert sorted(places) == sorted(entry.ref for entry in pages if not entry.is_post)


def _of_trusted(episode: ResolvedEpisode) -> ResolvedEpisode:
    """The episode without what only lists it."""
    return replace(episode, entries=tuple(entry for entry in episode.entries if entry.is_confirmed))
