"""Keywords that some episodes of a show share are topics."""

import pytest

from episodes.notes.declared_topics import TopicNames, declared_topics_by_keyword, topic_name_key

from ..tables import cases

CASES = cases("notes_declared_topics")

FILLER: list[set[str]] = [set() for _ in range(6)]


def declared(*keywords, removed=()):
    topics = declared_topics_by_keyword([*map(set, keywords), *FILLER], "Loom Hour", TopicNames(), removed)
    return {topic.slug: topic.name for topic in topics.values()}


@pytest.mark.parametrize("count, is_topic", [(1, False), (2, True), (6, True), (7, False)])
def test_keyword_of_some_episodes_is_topic(count, is_topic):
    assert declared(*[["Weaving"]] * count) == ({"weaving": "Weaving"} if is_topic else {})


@pytest.mark.parametrize("name, topics", CASES["names_of_topics"])
def test_names_of_topics(name, topics):
    assert declared([name], [name]) == topics


def test_spellings_are_one_topic_under_the_most_frequent():
    assert declared(["Web design"], ["Web design"], ["web-design"]) == {"web-design": "Web design"}


def test_name_alias_and_former_address_are_one_topic():
    topics = [("film", ("Film", "motion pictures"))]
    names = TopicNames.collect(topics, {"movies": "film"}, ())
    keywords = ["FILM", "Motion Pictures", "movies"]
    found = declared_topics_by_keyword([set(keywords)] * 2 + FILLER, "Loom Hour", names)
    assert {topic.slug for topic in found.values()} == {"film"}


def test_removed_topic_stays_removed():
    assert declared(["Reeds"], ["Reeds"], removed={topic_name_key("reed")}) == {}
    assert declared(["C++"], ["C++"], removed={topic_name_key("c-cedb1bac")}) == {}
