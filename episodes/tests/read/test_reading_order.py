"""Episodes stand in the order in which to hear them."""

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
    "needs, ordered",
    [
        ({}, "abcd"),
        ({"a": "d"}, "bcda"),
        ({"a": "c", "c": "d"}, "bdca"),
        ({"a": "b", "b": "a"}, "abcd"),
        ({"a": "b", "b": "ad"}, "cdab"),
        ({"c": "b", "b": "c", "d": "c"}, "abcd"),
        ({"a": "a"}, "abcd"),
        ({"a": "x", "x": "c"}, "bcad"),
    ],
)
def test_prerequisites_are_read_first_then_the_oldest(needs, ordered):
    assert in_reading_order("abcd", needs) == list(ordered)
    # Not what stands for an episode decides, but its place.
    names = dict(zip("abcd", "dbca", strict=True))
    renamed = {
        names.get(one, one): "".join(names.get(other, other) for other in others) for one, others in needs.items()
    }
    assert in_reading_order("dbca", renamed) == [names[one] for one in ordered]


GRAPHS = st.dictionaries(st.sampled_from("abcdefgh"), st.sets(st.sampled_from("abcdefgh")))


@given(GRAPHS, st.permutations("abcdefgh"))
def test_a_reading_order_has_everything_once_and_breaks_a_prerequisite_only_in_a_cycle(needs, slugs):
    ordered = in_reading_order(slugs, needs)
    assert sorted(ordered) == sorted(slugs)

    def reached(slug):
        seen, waiting = set(), [slug]
        while waiting:
            new = needs.get(waiting.pop(), set()) - seen
            seen |= new
            waiting += new
        return seen

    for slug in slugs:
        for first in reached(slug):
            assert ordered.index(first) < ordered.index(slug) or slug in reached(first)
