"""Episodes stand in the order in which to hear them, and circles are told."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodes.views.listen_first.reading_order import prerequisites_of, reading_order


def test_a_follow_up_has_the_episode_that_names_it_for_prerequisite():
    before = prerequisites_of([("a", "follow-up", "b"), ("c", "prerequisite", "a"), ("a", "see-also", "d")])
    assert before == {"b": {"a"}, "c": {"a"}}


@pytest.mark.parametrize(
    "needs, ordered, cycles",
    [
        ({}, "abcd", []),
        ({"a": "d"}, "bcda", []),
        ({"a": "c", "c": "d"}, "bdca", []),
        ({"a": "b", "b": "a"}, "abcd", [("a", "b")]),
        ({"a": "b", "b": "ad"}, "cdab", [("a", "b")]),
        ({"c": "b", "b": "c", "d": "c"}, "abcd", [("b", "c")]),
        ({"a": "a"}, "abcd", [("a",)]),
        ({"a": "x", "x": "c"}, "bcad", []),
    ],
)
def test_prerequisites_are_read_first_then_the_oldest_and_cycles_are_told(needs, ordered, cycles):
    slugs = list("abcd")
    random.Random(7).shuffle(slugs)
    assert reading_order(slugs, needs, {"a": 1, "b": 2, "c": 3, "d": 4}) == (list(ordered), cycles)


GRAPHS = st.dictionaries(st.sampled_from("abcdefgh"), st.sets(st.sampled_from("abcdefgh")))


@given(GRAPHS, st.permutations("abcdefgh"))
def test_a_reading_order_has_everything_once_and_breaks_a_prerequisite_only_in_a_told_cycle(needs, slugs):
    ordered, cycles = reading_order(slugs, needs, {slug: index for index, slug in enumerate("abcdefgh")})
    assert sorted(ordered) == sorted(slugs)
    for slug, others in needs.items():
        for other in others - {slug}:
            together = any({slug, other} <= set(cycle) for cycle in cycles)
            assert together or ordered.index(other) < ordered.index(slug)
