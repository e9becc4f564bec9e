"""Related episodes: what counts, what does not, what is said of it, and that it beats the baseline on a hand-made key."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodes.notes.related import Traits, related, telling_words
from episodes.tests.notes import related_figures as figures

FILLER = [Traits(f"filler-{n}", n, topics=(f"t{n}",), words=(f"w{n}",)) for n in range(1, 21)]


def show(*episodes):
    """The episodes after twenty that have nothing in common with anything."""
    return [*FILLER, *(replace(one, order=100 + place) for place, one in enumerate(episodes))]


def found(episodes, slug, **more):
    return [one.slug for one in related(episodes, **more)[slug]]


def said(episodes, slug, other, **more):
    (reason,) = [one.reason for one in related(episodes, **more)[slug] if one.slug == other]
    return reason


VALUES = st.lists(st.sampled_from("abcd"), max_size=3, unique=True).map(tuple)
KINDS = st.sampled_from(["prerequisite", "follow-up", "see-also"])


@st.composite
def shows(draw):
    slugs = [f"e{n}" for n in range(draw(st.integers(0, 9)))]
    return [
        Traits(
            slug,
            draw(st.integers(1, 9)),
            topics=draw(VALUES),
            links=draw(VALUES),
            names=draw(VALUES),
            words=draw(VALUES),
            references=tuple(draw(st.lists(st.tuples(KINDS, st.sampled_from([*slugs, "gone"])), max_size=2))),
        )
        for slug in slugs
    ]


# --- Laws ------------------------------------------------------------------------------------------------------------


@given(shows(), st.randoms(use_true_random=False))
def test_the_order_in_which_episodes_and_their_traits_come_does_not_matter(episodes, random):
    def shuffled(values):
        return tuple(random.sample(values, len(values)))

    others = [
        replace(e, topics=shuffled(e.topics), links=shuffled(e.links), references=shuffled(e.references))
        for e in shuffled(episodes)
    ]  # fmt: skip
    assert related(others) == related(episodes)


@given(shows())
def test_what_two_share_counts_alike_from_either_side(episodes):
    every = related(episodes, most=len(episodes))
    scores = {(slug, one.slug): one.score for slug, others in every.items() for one in others}
    assert all(scores.get((other, slug)) == score for (slug, other), score in scores.items())


@given(shows(), st.integers(0, 4))
def test_every_episode_is_answered_for_with_at_most_so_many_others_each_with_a_reason(episodes, most):
    answers = related(episodes, most)
    assert answers.keys() == {e.slug for e in episodes}
    for slug, others in answers.items():
        assert len(others) <= most
        assert len({one.slug for one in others} - {slug}) == len(others)
        assert all(one.reason and one.score > 0 for one in others)
        assert [one.score for one in others] == sorted((one.score for one in others), reverse=True)


@given(shows())
def test_a_shorter_answer_is_the_beginning_of_a_longer_one(episodes):
    whole, two = related(episodes, 9), related(episodes, 2)
    assert all(whole[slug][:2] == others for slug, others in two.items())


# --- What counts -----------------------------------------------------------------------------------------------------


def test_five_are_told_unless_more_or_fewer_are_asked_for():
    episodes = show(*(Traits(name, 1, links=("one",)) for name in "abcdefgh"))
    assert [len(found(episodes, "a", **more)) for more in ({}, {"most": 6}, {"most": 2})] == [5, 6, 2]


def test_a_rare_topic_outweighs_a_common_one():
    common = [Traits(f"common-{n}", 0, topics=("python",)) for n in range(6)]
    episodes = show(Traits("one", 0, topics=("python", "rust")), Traits("rare", 0, topics=("rust",)), *common)
    assert found(episodes, "one")[0] == "rare"


def test_what_more_than_half_of_the_episodes_have_is_no_reason():
    episodes = [Traits(f"e{n}", n, topics=("everything",), links=("gh:pytorch/pytorch",)) for n in range(10)]
    assert set(related(episodes).values()) == {()}


def test_two_episodes_that_are_the_whole_show_may_be_related():
    episodes = [Traits("a", 1, links=("gh:o/r#1",)), Traits("b", 2, links=("gh:o/r#1",))]
    assert found(episodes, "a") == ["b"]


def test_of_equals_the_nearest_comes_first_then_the_newer():
    episodes = show(*(Traits(slug, 0, topics=("a",)) for slug in ("oldest", "older", "one", "newer", "newest")))
    assert found(episodes, "one") == ["newer", "older", "newest", "oldest"]


def test_titles_that_share_two_words_are_related_and_one_word_is_not_enough():
    episodes = show(
        Traits("one", 0, words=("history", "constraint", "dispatcher")),
        Traits("part-two", 0, words=("history", "constraint", "tensor")),
        Traits("other", 0, words=("history", "functorch")),
    )
    assert found(episodes, "one") == ["part-two"]
    assert said(episodes, "one", "part-two") == "Similar title"


@pytest.mark.parametrize("own, other", [("named", "gone"), ("gone", "named")])
def test_episodes_of_which_one_refers_to_the_other_are_told_elsewhere(own, other):
    one = Traits("one", 0, links=("a",), references=(("see-also", own), ("follow-up", "one")))
    named = Traits("named", 0, links=("a",), references=(("see-also", "one"),) * (other == "named"))
    episodes = show(one, named, Traits("like", 0, links=("a",)))
    assert (found(episodes, "one"), found(episodes, "named")) == (["like"], ["like"])


# --- What is said ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "link, words",
    [
        ("gh:pytorch/pytorch#78050", "Both link to pytorch/pytorch#78050"),
        ("https://www.example.com/a/", "Both link to example.com/a"),
        ("gdoc:1XDPNK3iNNShg07jRXDOrMk2V", "Both link to Google document 1XDPNK3i…"),
        ("episode:vmap", "Both link to “vmap”"),
        ("https://blog.example/titled/", "Both link to “A taxonomy”"),
    ],
)
def test_links_are_told_as_people_name_them(link, words):
    episodes = show(Traits("one", 0, links=(link,)), Traits("other", 0, links=(link,)))
    labels = {"episode:vmap": "“vmap”", "https://blog.example/titled/": "“A taxonomy”"}
    assert said(episodes, "one", "other", labels=labels) == words


def test_only_the_strongest_reason_is_told_with_topics_by_name():
    traits: dict[str, Any] = {"topics": ("b", "a"), "names": ("torch.nn", "a")}
    more = Traits("more", 0, topics=("a",))
    episodes = show(Traits("one", 0, **traits), Traits("other", 0, **traits), more)
    labels = {"a": "Autograd", "b": "Batching"}
    assert said(episodes, "one", "other", labels=labels) == "Same topic: Batching"
    named = show(Traits("one", 0, names=("a",)), Traits("other", 0, names=("a",)))
    assert said(named, "one", "other", labels=labels) == "Both mention a"


@pytest.mark.parametrize(
    "text, words",
    [
        ("CUDA graph trees", ["cuda", "graph", "tree"]),
        ("Tensor subclasses, libraries and strides", ["tensor", "subclass", "library", "stride"]),
        ("What is the TH series about? Part 2", ["th", "series"]),
        ("See https://github.com/pytorch/vmap", ["see"]),
        ("Анатомия библиотеки", ["анатомия", "библиотеки"]),
        ("", []),
    ],
)
def test_words_that_tell_are_folded_and_in_one_number(text, words):
    assert list(telling_words(text)) == words


# --- Size ------------------------------------------------------------------------------------------------------------


def test_of_a_topic_that_very_many_have_only_the_nearest_in_the_show_are_compared():
    count = 240
    episodes = [Traits(f"e{n}", n, topics=("a",) if n < count else ()) for n in range(count * 3)]
    answers = related(episodes, most=count)
    assert {one.slug for one in answers["e0"]} == {f"e{n}" for n in range(1, 61)}
    assert len(answers[f"e{count // 2}"]) == 120


# --- The key ---------------------------------------------------------------------------------------------------------


def test_related_episodes_agree_with_the_key():
    """The newest episodes of the same topic agree less, by a tenth or so."""
    assert figures.agreement() > 0.45


FALSE_FRIENDS = {
    "vmap": "random-number-generators",
    "api-design-via-lexical-and-dynamic-scoping": "dynamic-library-structure",
    "history-of-functorch": "history-and-constraints-of-tensor",
    "memory-layout": "shared-memory",
    "backend-extensibility": "cuda-graph-trees",
}


def test_false_friends_are_not_related():
    answers = figures.by_score(figures.shipped())
    pairs = [*FALSE_FRIENDS.items(), *((other, one) for one, other in FALSE_FRIENDS.items())]
    assert [(one, other) for one, other in pairs if other in answers[one]] == []
