"""Episodes stand in the order in which to hear them, and circles are told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodes.models import Episode, Reference
from episodes.views.listen_first import in_reading_order, needs


@pytest.mark.usefixtures("catalog")
def test_a_follow_up_has_the_episode_that_names_it_for_prerequisite():
    a, b, c, d = Episode.objects.order_by("order")[:4]
    Reference.objects.all().delete()
    for episode, kind, target in ((a, "follow-up", b), (c, "prerequisite", a), (a, "see-also", d)):
        Reference.objects.create(episode=episode, kind=kind, target=target)
    assert needs() == {b.pk: {a.pk}, c.pk: {a.pk}}


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
    assert in_reading_order("abcd", needs) == (list(ordered), cycles)
    # Not what stands for an episode decides, but its place.
    names = dict(zip("abcd", "dbca", strict=True))
    renamed = {
        names.get(one, one): "".join(names.get(other, other) for other in others) for one, others in needs.items()
    }
    expected = [tuple(names[one] for one in cycle) for cycle in cycles]
    assert in_reading_order("dbca", renamed) == ([names[one] for one in ordered], expected)


GRAPHS = st.dictionaries(st.sampled_from("abcdefgh"), st.sets(st.sampled_from("abcdefgh")))


@given(GRAPHS, st.permutations("abcdefgh"))
def test_a_reading_order_has_everything_once_and_breaks_a_prerequisite_only_in_a_told_cycle(needs, slugs):
    ordered, cycles = in_reading_order(slugs, needs)
    assert sorted(ordered) == sorted(slugs)
    for slug, others in needs.items():
        for other in others - {slug}:
            together = any({slug, other} <= set(cycle) for cycle in cycles)
            assert together or ordered.index(other) < ordered.index(slug)
