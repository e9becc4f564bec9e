"""Related episodes: what counts, what does not, what is said of it, and that it beats the baseline on a hand-made key."""

import time
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodes.notes.related import REACH, Traits, related, telling_words
from episodes.tests.notes import related_figures as figures
from episodes.tests.notes.related_figures import baseline

FILLER = [Traits(f"filler-{n}", n, topics=(f"t{n}",), words=(f"w{n}",)) for n in range(1, 21)]


def show(*episodes):
    """The episodes after twenty that have nothing in common with anything."""
    return [*FILLER, *(replace(one, order=100 + place) for place, one in enumerate(episodes))]


def found(episodes, slug, **more):
    return [one.slug for one in related(episodes, **more)[slug]]


def said(episodes, slug, other, **more):
    (reasons,) = [one.reasons for one in related(episodes, **more)[slug] if one.slug == other]
    return reasons


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
            touched=draw(VALUES),
            links=draw(VALUES),
            names=draw(VALUES),
            words=draw(VALUES),
            said=draw(VALUES),
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
        replace(e, topics=shuffled(e.topics), links=shuffled(e.links), said=shuffled(e.said), references=shuffled(e.references))
        for e in shuffled(episodes)
    ]  # fmt: skip
    assert related(others) == related(episodes)
    assert baseline(others) == baseline(episodes)


@given(shows())
def test_what_two_share_counts_alike_from_either_side(episodes):
    every = related(episodes, most=len(episodes))
    scores = {(slug, one.slug): one.score for slug, others in every.items() for one in others}
    assert all(scores.get((other, slug)) == score for (slug, other), score in scores.items())


@given(shows(), st.integers(0, 4))
def test_every_episode_is_answered_for_with_at_most_so_many_others_each_with_a_reason(episodes, most):
    answers = related(episodes, most)
    assert answers.keys() == baseline(episodes).keys() == {e.slug for e in episodes}
    for slug, others in answers.items():
        assert len(others) <= most
        assert len({one.slug for one in others} - {slug}) == len(others)
        assert all(one.reasons and one.score > 0 for one in others)
        assert [one.score for one in others] == sorted((one.score for one in others), reverse=True)


@given(shows())
def test_a_shorter_answer_is_the_beginning_of_a_longer_one(episodes):
    whole, two = related(episodes, 9), related(episodes, 2)
    assert all(whole[slug][:2] == others for slug, others in two.items())


# --- What counts -----------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("kind", ["prerequisite", "follow-up", "see-also"])
@pytest.mark.parametrize("shared", [{"topics": ("a",)}, {"links": ("a",)}, {"names": ("a",)}, {"words": ("a",)}])
def test_a_reference_outweighs_any_one_thing_that_two_share(kind, shared):
    one, like = Traits("one", 0, references=((kind, "named"),)), Traits("like", 0)
    episodes = show(replace(one, **shared), replace(like, **shared), Traits("named", 0))
    assert found(episodes, "one") == ["named", "like"]


def test_a_topic_that_is_only_touched_counts_less():
    episodes = show(
        Traits("one", 0, topics=("a",)), Traits("touches", 0, touched=("a",)), Traits("about", 0, topics=("a",))
    )
    assert found(episodes, "one") == ["about", "touches"]
    assert said(episodes, "one", "touches") == ("both touch on a",)


def test_of_equals_the_nearest_comes_first_then_the_newer():
    episodes = show(*(Traits(slug, 0, topics=("a",)) for slug in ("oldest", "older", "one", "newer", "newest")))
    assert found(episodes, "one") == ["newer", "older", "newest", "oldest"]


def test_a_word_of_a_title_counts_in_notes_and_a_word_that_no_title_has_never():
    notes = ("vmap", "batch", "goal")
    episodes = show(
        Traits("one", 0, words=("vmap", "batch")), Traits("says", 0, said=notes), Traits("too", 0, said=notes)
    )
    assert found(episodes, "one") == ["says", "too"]
    assert found(episodes, "says") == ["one"]
    assert said(episodes, "says", "one") == ("both speak of “batch” and “vmap”",)


def test_a_lone_word_said_in_passing_is_not_enough_but_adds_to_what_is():
    episodes = show(Traits("one", 0, words=("view",)), Traits("says", 0, said=("view",)))
    assert found(episodes, "one") == []
    episodes = show(Traits("one", 0, words=("view",), topics=("a",)), Traits("says", 0, said=("view",), topics=("a",)))
    assert said(episodes, "one", "says") == ("both about a", "both speak of “view”")


def test_references_to_itself_and_to_what_is_not_there_are_nothing():
    episodes = show(Traits("one", 0, references=(("see-also", "one"), ("follow-up", "gone"))))
    assert found(episodes, "one") == []


# --- What is said ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind, here, there",
    [
        ("prerequisite", "listen to this first", "builds on this"),
        ("follow-up", "follow-up", "is continued here"),
        ("see-also", "see also", "points here"),
    ],
)
def test_a_reference_is_told_on_both_pages_as_it_is_seen_from_there(kind, here, there):
    episodes = show(Traits("one", 0, references=((kind, "other"),)), Traits("other", 0))
    assert said(episodes, "one", "other") == (here,)
    assert said(episodes, "other", "one") == (there,)


@pytest.mark.parametrize(
    "links, words",
    [
        (["gh:pytorch/pytorch#78050"], "shares pytorch/pytorch#78050"),
        (["https://www.example.com/a/"], "shares example.com/a"),
        (["gdoc:1XDPNK3iNNShg07jRXDOrMk2V"], "shares a document"),
        (["episode:vmap"], "shares a link to vmap"),
        (["gh:pytorch/pytorch:" + "deep/" * 20 + "OVERVIEW.md"], "shares pytorch/pytorch/…/OVERVIEW.md"),
        (["https://blog.example/2020/" + "05/" * 20 + "a-taxonomy"], "shares blog.example/…/a-taxonomy"),
        (["gh:o/r#1", "gh:o/r#2"], "2 shared links"),
    ],
)
def test_links_are_told_as_people_name_them(links, words):
    episodes = show(Traits("one", 0, links=tuple(links)), Traits("other", 0, links=tuple(links)))
    assert said(episodes, "one", "other") == (words,)


def test_reasons_come_the_strongest_first_with_topics_by_name_and_the_rarest_first():
    traits: dict[str, Any] = {"topics": ("b", "a"), "names": ("torch.nn",)}
    more = Traits("more", 0, topics=("a",))
    episodes = show(Traits("one", 0, **traits), Traits("other", 0, **traits), more)
    reasons = said(episodes, "one", "other", topic_names={"a": "Autograd", "b": "Batching"})
    assert reasons == ("both about Batching and Autograd", "both name torch.nn")


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
    count = REACH * 4
    episodes = [Traits(f"e{n}", n, topics=("a",) if n < count else ()) for n in range(count * 3)]
    answers = related(episodes, most=count)
    assert {one.slug for one in answers["e0"]} == {f"e{n}" for n in range(1, REACH + 1)}
    assert len(answers[f"e{count // 2}"]) == 2 * REACH


def test_a_thousand_episodes_take_about_a_second():
    episodes = [
        Traits(f"e{n}", n, (f"t{n % 37}", f"t{n % 41}"), (), (f"l{n % 700}",), (f"n{n % 90}",), (f"w{n % 300}",), tuple(f"w{n * k % 900}" for k in range(99)))
        for n in range(1000)
    ]  # fmt: skip
    start = time.perf_counter()
    related(episodes)
    assert time.perf_counter() - start < 5


# --- The key ---------------------------------------------------------------------------------------------------------


def test_the_key_speaks_of_every_shipped_episode_and_names_at_most_five_others():
    assert set(figures.key()) == {episode.slug for episode in figures.shipped()}
    assert all(
        1 <= len(set(others)) == len(others) <= 5 and slug not in others for slug, others in figures.key().items()
    )


def test_related_episodes_agree_better_with_the_key_than_the_newest_of_the_same_topic():
    ours, theirs = (figures.measured(way(figures.shipped())) for way in (figures.by_score, baseline))
    assert ours.precision > theirs.precision + 0.05
    assert ours.recall > theirs.recall + 0.05
    assert ours.ndcg > theirs.ndcg + 0.1
    assert ours.right > theirs.right
    assert ours.shown > theirs.shown


@pytest.mark.parametrize("half", ["odd", "even"])
def test_they_do_so_on_each_half_of_the_key(half):
    slugs = figures.halves()[half]
    ours, theirs = (figures.measured(way(figures.shipped()), slugs) for way in (figures.by_score, baseline))
    assert (ours.precision, ours.recall, ours.ndcg) > (theirs.precision, theirs.recall, theirs.ndcg)
    assert ours.ndcg > theirs.ndcg + 0.08
