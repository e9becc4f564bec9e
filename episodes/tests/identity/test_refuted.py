"""A source that contradicts better ones more often than it agrees fills no gaps; field by field."""

from datetime import UTC, datetime
from typing import Any

import pytest

from episodes.identity.merging import merge, refuted_sources
from episodes.records import DurationRange, PublicationDate, RankedEntry

from ..resolve.build import entry, voices

Said = dict[str, Any]


def found(episodes: list[list[RankedEntry]]) -> set[tuple[str, str]]:
    """Source and field of all that is refuted."""
    return {(source, field) for field, own in refuted_sources(episodes).items() for source in own}


def refuted(right: int, wrong: int, better: Said, alike: Said, other: Said) -> set[tuple[str, str]]:
    """Values that are refuted of a page that agrees with the feed so often, and contradicts it so often."""
    page = [entry("a", source="page", **said) for said in [*[alike] * right, *[other] * wrong]]
    return found([voices(entry("a", **better), one) for one in page])


DAYS: tuple[Said, Said, Said] = (
    {"day": "2021-06-10"},
    {"day": "2021-06-10"},
    {"day": "2021-06-20"},
)


@pytest.mark.parametrize(
    "right, wrong, is_refuted",
    [
        (0, 4, False),
        (0, 5, True),
        (2, 3, True),
        (3, 3, False),
        (3, 2, False),
        (1, 3, False),
        (20, 21, True),
    ],
)
def test_it_takes_five_comparisons_and_more_contradictions_than_agreement(
    right: int, wrong: int, is_refuted: bool
) -> None:
    assert refuted(right, wrong, *DAYS) == ({("page", "published")} if is_refuted else set())


@pytest.mark.parametrize(
    "day, is_wrong",
    [("2021-06-09", False), ("2021-06-11", False), ("2021-06-12", True), ("2021-06-08", True)],
)
@pytest.mark.parametrize("better", [{"day": "2021-06-10"}, {"published": "2021-06-10T23:30:00Z"}])
def test_a_day_more_or_less_is_the_time_zone(better: Said, day: str, is_wrong: bool) -> None:
    assert bool(refuted(0, 5, better, {}, {"day": day})) == is_wrong


@pytest.mark.parametrize(
    "field, better, alike, other",
    [
        ("duration_seconds", {"seconds": 600}, {"minutes": 10}, {"minutes": 20}),
        ("number", {"number": 3}, {"number": 3}, {"number": 4}),
        ("season", {"season": 1}, {"season": 1}, {"season": 2}),
    ],
)
def test_each_field_is_judged_by_itself(field: str, better: Said, alike: Said, other: Said) -> None:
    both = {"day": "2021-06-10"}
    assert refuted(0, 5, better | both, alike, other | both) == {("page", field)}
    assert refuted(5, 4, better | both, alike | both, other | both) == set()


def test_a_title_is_never_refuted_because_an_episode_needs_one() -> None:
    episode = voices(entry("Springs"), entry("Ressorts", source="page"))
    assert found([episode] * 9) == set()


def test_only_better_ranked_sources_refute() -> None:
    equals = voices(
        entry("a", source="alpha", day="2021-06-10"),
        entry("a", source="beta", day="2021-06-20"),
    )
    assert found([equals] * 9) == set(), "both have the rank of any source"


def test_each_is_compared_with_the_best_value_alone() -> None:
    three = voices(
        entry("a", day="2021-06-10"),
        entry("a", source="listing", day="2021-06-20"),
        entry("a", source="page", day="2021-06-20"),
    )
    assert found([three] * 5) == {("listing", "published"), ("page", "published")}
    assert found([three[1:]] * 5) == set()


def test_two_documents_of_a_source_are_one_comparison() -> None:
    twice = voices(
        entry("a", day="2021-06-10"),
        entry("a", source="page", day="2021-06-20", document="one"),
        entry("a", source="page", day="2021-06-20", document="two"),
    )
    assert found([twice] * 4) == set()
    assert found([twice] * 5) == {("page", "published")}


def test_its_value_fills_no_gap_and_is_told_among_the_others() -> None:
    unused = {"published": frozenset({"page"})}
    late = entry("a", source="page", day="2021-06-20")
    gap = merge(voices(entry("a"), late), {}, refuted=unused)
    assert gap.moment is None
    told = gap.provenance["published"]
    assert (told.source, told.agree, told.refuted) == (None, (), ("page",))
    assert told.others == (("2021-06-20", ("page",)),)
    exact = entry("a", source="page", published="2021-06-10T09:00:00Z", seconds=600)
    both = merge(voices(entry("a", day="2021-06-10"), exact), {}, refuted=unused)
    assert both.moment == PublicationDate(datetime(2021, 6, 10, tzinfo=UTC), "day")
    assert both.length == DurationRange(600, 600), "of its fields only the date is refuted"
    assert both.provenance["duration_seconds"].refuted == ()
