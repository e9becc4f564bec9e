"""Related episodes: what counts, what does not, what is said of it, and that it beats the baseline on a hand-made key."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodes.gather.sources import readers
from episodes.notes.related import (
    Traits,
    list_traits_without_usual_sites,
    related_episodes_by_slug,
    subject_words_of_title,
)
from episodes.notes.topics import TopicRule
from episodes.records import (
    CreditData,
    Decisions,
    EntryData,
    EpisodeLinkData,
    FetchedDocument,
    ReferenceData,
    ResolvedEpisode,
    Show,
    SourceEntry,
)
from episodes.resolve.pipeline import ShowInputs, resolve_show

from ..tables import cases

ROOT = Path(__file__).parents[3]
FIXTURES = ROOT / "fixtures"
KEY: dict[str, list[str]] = json.loads((ROOT / "episodes" / "tests" / "data" / "related_key.json").read_text("utf-8"))[
    "episodes"
]
TOPICS = [entry["fields"] for entry in json.loads((FIXTURES / "topics.json").read_text("utf-8"))]
MAX_RELATED = 5


@cache
def shipped_traits() -> tuple[Traits, ...]:
    return tuple(list_traits_without_usual_sites(_resolved()))


def key_by_slug() -> dict[str, list[str]]:
    """Return the key by slug instead of by title."""
    slugs = {e.merged.title or f"#{e.merged.number}": e.slug for e in _resolved()}
    return {slugs[title]: [slugs[related] for related in related_titles] for title, related_titles in KEY.items()}


@cache
def _resolved() -> tuple[ResolvedEpisode, ...]:
    rows = json.loads((FIXTURES / "sources.json").read_text("utf-8"))
    fields = next(row["fields"] for row in rows if row["model"] == "episodes.podcast")
    names = ("slug", "title", "feed_url", "site_url", "author", "language")
    shipped_show = Show(*(fields[name] for name in names))
    page = FetchedDocument((FIXTURES / "feed.xml").read_bytes(), name="feed.xml")
    entries = []
    for position, values in enumerate(readers()["feed"].read(page, shipped_show).entries, 1):
        key = f"{values.number}|{values.title}"
        entries.append(SourceEntry("feed", "feed.xml", key, position, values, rank=1))
    rules = [TopicRule.from_fields(f["slug"], [f["name"], *f["aliases"]], f["rules"]) for f in TOPICS]
    return resolve_show(ShowInputs(entries, Decisions(), shipped_show, rules)).episodes


def agreement_with_key() -> float:
    """Return the mean nDCG of the related episodes. The first episode of the key gives 5 points, the last 1."""
    answers = answers_by_slug(shipped_traits())
    figures = []
    for slug, related in key_by_slug().items():
        gains = {other: MAX_RELATED - index for index, other in enumerate(related)}
        answer_gains = [gains.get(other, 0) for other in answers[slug]]
        figures.append(_dcg(answer_gains) / _dcg(sorted(gains.values(), reverse=True)))
    return sum(figures) / len(figures)


def _dcg(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(index + 2) for index, gain in enumerate(gains))


def answers_by_slug(episodes: Sequence[Traits]) -> dict[str, list[str]]:
    """Return the related episodes, the nearest first. The key also has referenced episodes, so drop the references."""
    without_references = [replace(episode, references=()) for episode in episodes]
    related = related_episodes_by_slug(without_references, MAX_RELATED)
    return {slug: [row.slug for row in rows] for slug, rows in related.items()}


CASES = cases("notes_related")

FILLER = [Traits(f"filler-{n}", n, topics=(f"t{n}",), words=(f"w{n}",)) for n in range(1, 21)]


def show(*episodes):
    """The episodes after twenty that have nothing in common with anything."""
    return [*FILLER, *(replace(one, order=100 + place) for place, one in enumerate(episodes))]


def found(episodes, slug, **more):
    return [one.slug for one in related_episodes_by_slug(episodes, **more)[slug]]


def said(episodes, slug, other, **more):
    (reason,) = [one.reason for one in related_episodes_by_slug(episodes, **more)[slug] if one.slug == other]
    return reason


VALUES = st.lists(st.sampled_from("abcd"), max_size=3, unique=True).map(tuple)


@st.composite
def shows(draw):
    slugs = [f"e{n}" for n in range(draw(st.integers(0, 9)))]
    return [
        Traits(
            slug,
            draw(st.integers(1, 9)),
            topics=draw(VALUES),
            links=draw(VALUES),
            people=draw(VALUES),
            words=draw(VALUES),
            references=tuple(
                f"episode:{slug}" for slug in draw(st.lists(st.sampled_from([*slugs, "gone"]), max_size=2))
            ),
        )
        for slug in slugs
    ]


@given(shows(), st.randoms(use_true_random=False))
def test_order_of_episodes_and_traits_is_irrelevant(episodes, random):
    def shuffled(values):
        return tuple(random.sample(values, len(values)))

    others = [
        replace(e, topics=shuffled(e.topics), links=shuffled(e.links), references=shuffled(e.references))
        for e in shuffled(episodes)
    ]  # fmt: skip
    assert related_episodes_by_slug(others) == related_episodes_by_slug(episodes)


@given(shows())
def test_what_two_share_counts_alike_from_either_side(episodes):
    every = related_episodes_by_slug(episodes, limit=len(episodes))
    scores = {(slug, one.slug): one.score for slug, others in every.items() for one in others}
    assert all(scores.get((other, slug)) == score for (slug, other), score in scores.items())


@given(shows(), st.integers(0, 4))
def test_related_episodes_are_limited_with_reasons(episodes, most):
    answers = related_episodes_by_slug(episodes, most)
    assert answers.keys() == {e.slug for e in episodes}
    for slug, others in answers.items():
        assert len(others) <= most
        assert len({one.slug for one in others} - {slug}) == len(others)
        assert all(one.reason and one.score > 0 for one in others)
        assert [one.score for one in others] == sorted((one.score for one in others), reverse=True)


@given(shows())
def test_shorter_answer_begins_the_longer(episodes):
    whole, two = related_episodes_by_slug(episodes, 9), related_episodes_by_slug(episodes, 2)
    assert all(whole[slug][:2] == others for slug, others in two.items())


def test_five_are_related_by_default():
    episodes = show(*(Traits(name, 1, topics=("one",)) for name in "abcdefgh"))
    assert [len(found(episodes, "a", **more)) for more in ({}, {"limit": 6}, {"limit": 2})] == [5, 6, 2]


@pytest.mark.parametrize("case", CASES["relations"], ids=lambda case: case["case"])
def test_episodes_are_related_for_reasons(case):
    rows = [*case["episodes"], *({"slug": f"common-{n}", "topics": ["a"]} for n in range(case.get("common", 0)))]
    traits: list[dict[str, Any]] = [
        {name: value if name == "slug" else tuple(value) for name, value in row.items()} for row in rows
    ]
    related = related_episodes_by_slug(show(*(Traits(order=0, **row) for row in traits)), labels=case.get("labels", {}))
    for slug, others in case.get("related", {}).items():
        assert [one.slug for one in related[slug]] == others
    first = related["one"][0]
    assert first.slug == case.get("first", first.slug)
    assert first.reason == case.get("reason", first.reason)


@pytest.mark.parametrize("kind, count, is_reason", CASES["frequent_features_are_no_reason"])
def test_frequent_features_are_no_reason(kind, count, is_reason):
    """Of thirty episodes: a tenth, or half for topics."""
    episodes = [Traits(f"e{n}", n, **{kind: ("x",) if n < count else ()}) for n in range(30)]
    assert bool(found(episodes, "e0")) is is_reason


def test_feature_of_sixty_episodes_counts():
    episodes = [Traits(f"e{n}", n, topics=("a",) if n < 60 else ("b",) if n < 121 else ()) for n in range(400)]
    answers = related_episodes_by_slug(episodes)
    assert (len(answers["e0"]), len(answers["e60"])) == (5, 0)


def test_thirty_rarest_features_of_an_episode_count():
    rare = [f"rare-{n}" for n in range(30)]
    others = [Traits(f"e{n}", n, links=(rare[n],)) for n in range(30)]
    common = [Traits(name, 40, links=("common",)) for name in ("first", "second")]
    filler = [Traits(f"filler-{n}", 50 + n) for n in range(30)]
    one = Traits("one", 100, links=("common", *rare))
    answers = related_episodes_by_slug([*others, *common, *filler, one], limit=40)
    assert {answer.slug for answer in answers["one"]} == {f"e{n}" for n in range(30)}


def test_only_two_episodes_may_be_related():
    episodes = [Traits("a", 1, links=("gh:o/r#1",)), Traits("b", 2, links=("gh:o/r#1",))]
    assert found(episodes, "a") == ["b"]


@pytest.mark.parametrize("link, words", CASES["links_are_told_as_people_name_them"])
def test_links_are_told_as_people_name_them(link, words):
    episodes = show(Traits("one", 0, links=(link,)), Traits("other", 0, links=(link,)))
    labels = {"https://blog.example/titled/": "“A taxonomy”"}
    assert said(episodes, "one", "other", labels=labels) == words


@pytest.mark.parametrize("text, words", CASES["words_that_tell_are_folded_and_in_one_number"])
def test_telling_words_are_folded(text, words):
    assert list(subject_words_of_title(text)) == words


def link(key, address, kind="other"):
    return EpisodeLinkData(kind, key, address, "", 0)


def resolved(number, *links, title="Reeds"):
    (episode,) = resolve_show(
        ShowInputs(
            [SourceEntry("feed", "d", "k", 1, EntryData(title=f"{title} {number}", guid="g"))],
            Decisions(),
            Show("s", "S"),
            [],
        )
    ).episodes
    people = (CreditData("bo@s", "host", "Bo", "Bo Ek"), CreditData("ada@s", "guest", "Ada", "Ada Roe"))
    references = (ReferenceData("see-also", "looms", ""),)
    return replace(episode, slug=f"e{number}", order=number, links=links, people=people, references=references)


def test_hosts_profiles_and_usual_sites_are_no_traits():
    episodes = [
        resolved(
            number,
            link("profile", "https://people.example/ada"),
            link("home", "https://anvil.example/"),
            link(f"shop-{number}", f"https://shop.example/dp/{number}"),
            link(f"talk-{number}", f"https://talks.example/2021/{number}") if number == 1 else link("home", "https://b.example"),
            link("video", "https://youtube.com/watch?v=1", "video"),
            link("episode:looms", "https://s.example/episodes/looms", "episode"),
        )
        for number in (1, 2, 3)
    ]  # fmt: skip
    first, second, _ = list_traits_without_usual_sites(episodes)
    assert (first.links, second.links) == (("talk-1", "video"), ("video",))
    assert first == Traits("e1", 1, ("talk-1", "video"), ("ada@s",), ("episode:looms",), (), ("reed",))


def test_names_of_people_are_no_title_words():
    (episode,) = list_traits_without_usual_sites([resolved(1, title="Reeds with Ada and Cy")])
    assert episode.words == ("reed", "cy")


def test_related_episodes_agree_with_the_key():
    """The newest episodes of the same topic agree less, by a tenth or so."""
    assert agreement_with_key() > 0.45
