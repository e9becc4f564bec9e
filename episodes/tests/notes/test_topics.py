"""Tests of the topic tagger: the shipped rules against a hand-made key, the traps, and the notation of the rules."""

import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from html import unescape
from pathlib import Path

import pytest

from episodes.notes.declared_topics import TopicNames, declared_topics_by_keyword, topic_name_key
from episodes.notes.links import identify_link
from episodes.notes.topics import TopicRule, describe_term_fault, find_topic_tags
from episodes.records import TopicTag
from episodes.tests.growth import assert_even_growth_for_text

from ..tables import cases

CASES = cases("notes_topics")

ROOT = Path(__file__).resolve().parents[3]
ITUNES = "{http://www.itunes.com/dtds/podcast-1.0.dtd}"
SHOW = "PyTorch Developer Podcast"
GROUPS = {"Language bindings", "Runtime", "Autograd", "Compiler", "GPU", "Distributed", "Project"}
FIXTURE = json.loads((ROOT / "fixtures" / "topics.json").read_text("utf-8"))
RULES = [
    TopicRule.from_fields(f["slug"], [f["name"], *f["aliases"]], f["rules"])
    for f in (entry["fields"] for entry in FIXTURE)
]
KEY = json.loads((ROOT / "episodes" / "tests" / "data" / "topics_key.json").read_text("utf-8"))


def topics(title="", text="", links=(), keywords=(), rules=RULES):
    return [proposal.topic for proposal in find_topic_tags(title, text, links, keywords, rules, SHOW)]


def shipped_episodes():
    for item in ET.parse(ROOT / "fixtures" / "feed.xml").getroot().iter("item"):
        title = item.findtext("title") or ""
        markup = unescape(item.findtext("description") or "")
        text = re.sub(r"<[^>]*>", " ", markup).strip()
        keys = [identify_link(address).key for address in re.findall(r"https?://[^\s<>\"]+", markup)]
        yield title or f"#{item.findtext(ITUNES + 'episode')}", title, text, keys


VIEWS = {
    "whole": lambda title, text, links: (title, text, links),
    "cut at 200": lambda title, text, links: (title, text[:200], []),
    "without title": lambda title, text, links: ("", text, links),
    "title only": lambda title, text, links: (title, "", []),
}


@pytest.mark.parametrize("view", VIEWS)
def test_shipped_topics_agree_with_key(view):
    right, extra, missed = Counter(), Counter(), Counter()
    for name, *said in shipped_episodes():
        title, text, links = VIEWS[view](*said)
        if not title and not text:
            continue
        found, wanted = set(topics(title, text, links)), set(KEY[name])
        right.update(found & wanted)
        extra.update(found - wanted)
        missed.update(wanted - found)
    precision = right.total() / (right.total() + extra.total())
    recall = right.total() / (right.total() + missed.total())
    f1 = {slug: 2 * right[slug] / (2 * right[slug] + extra[slug] + missed[slug]) for slug in right | extra | missed}
    worst = min(f1, key=lambda slug: (f1[slug], slug))
    print(f"{view}: precision {precision:.3f}, recall {recall:.3f}, worst topic {worst} (F1 {f1[worst]:.2f})")
    assert precision >= 0.85
    assert recall >= 0.85


def test_the_fixture_is_a_whole_vocabulary_in_order():
    fields = [entry["fields"] for entry in FIXTURE]
    assert all(entry["model"] == "episodes.topic" and "pk" not in entry for entry in FIXTURE)
    assert [f["position"] for f in fields] == list(range(1, len(fields) + 1))
    assert {f["group"] for f in fields} == GROUPS
    assert all(f["name"] and f["description"] and f["rules"]["title"] and f["rules"]["notes"] for f in fields)
    terms = [(kind, term) for f in fields for kind in f["rules"] for term in f["rules"][kind]]
    assert [
        (kind, term, describe_term_fault(kind, term)) for kind, term in terms if describe_term_fault(kind, term)
    ] == []
    assert all(len(set(f["rules"][kind])) == len(f["rules"][kind]) for f in fields for kind in f["rules"])


def test_topic_names_are_unique():
    owners = {}
    for f in (entry["fields"] for entry in FIXTURE):
        for name in {n.lower().replace("-", " ") for n in (f["slug"], f["name"], *f["aliases"])}:
            assert owners.setdefault(name, f["slug"]) == f["slug"], name


@pytest.mark.parametrize("title, text, expected", CASES["words_of_one_topic_make_no_other"])
def test_words_of_one_topic_make_no_other(title, text, expected):
    assert topics(title, text) == expected


@pytest.mark.parametrize("text", CASES["xla_named_in_passing_makes_no_xla_episode"])
def test_xla_named_in_passing_makes_no_xla_episode(text):
    assert "backends" not in topics("Lowering", f"How does lowering see an operand? {text}", ["gh:pytorch/xla#1"])


# The notation, on rules of another show.


def rule(slug="t", aliases=(), **rules):
    return TopicRule.from_fields(slug, aliases, rules)


@pytest.mark.parametrize("term, text, found", CASES["a_term_matches_whole_words_as_written"])
def test_a_term_matches_whole_words_as_written(term, text, found):
    assert bool(find_topic_tags(text, "", (), (), [rule(title=[term])])) is found
    assert bool(find_topic_tags("", text, (), (), [rule(notes=[term])])) is found


@pytest.mark.parametrize("term, text, found", CASES["ending_sets_strength_of_mention"])
def test_ending_sets_strength_of_mention(term, text, found):
    assert bool(topics("", text, rules=[rule(notes=[term])])) is found


def test_words_of_show_title_are_ignored():
    rules = [rule(notes=["bread@about"])]
    text = "x " * 60 + "and about Oven Hour's bread."
    assert [t.topic for t in find_topic_tags("", text, (), (), rules, "The Oven Hour")] == ["t"]
    assert find_topic_tags("", text, (), (), rules, "Another Show") == ()
    assert find_topic_tags("", "x " * 60 + "and about x bread.", (), (), rules) == ()  # no show, no words of one


@pytest.mark.parametrize("case", CASES["rules"], ids=lambda case: case["case"])
def test_rules_make_topics(case):
    rules = [rule(**fields) for fields in case["rules"]]
    texts = case.get("title", ""), case.get("text", ""), case.get("links", ()), case.get("keywords", ())
    tags = find_topic_tags(*texts, rules, SHOW)
    assert [tag.topic for tag in tags] == case["topics"]
    assert not case.get("tags") or [*tags] == [TopicTag(*tag) for tag in case["tags"]]


def test_touched_topic_yields_to_main_topic():
    rules = [rule("bread", title=["bread"], notes=["bread@2", "dough", "oven"]), rule("salt", notes=["salt"])]
    text = "Bread: dough, oven, bread. " + "x" * 200 + " Then salt."
    assert topics("Bread", text, rules=rules) == ["bread"]
    assert topics("Cooking", "x" * 200 + " Then salt.", rules=rules) == ["salt"]
    assert topics("Bread", "Dough, oven, salt.", rules=rules) == ["bread"]
    assert topics("Bread", "Salt! And what is salt?", rules=rules) == ["bread", "salt"]


def test_position_is_in_given_text():
    text = "See https://example.com/ü. Stews like soup; then CUDA graphs and bread."
    (proposal,) = find_topic_tags("", text, (), (), [rule(notes=["bread"], excludes=["CUDA graph*"])])
    assert text[proposal.position :] == "bread."


def test_deep_mention_has_low_confidence():
    (proposal,) = find_topic_tags("", "x" * 200 + " bread", (), (), [rule(notes=["bread"])])
    assert proposal.confidence == "low"


def test_the_order_of_rules_does_not_matter():
    for _, title, text, links in shipped_episodes():
        assert find_topic_tags(title, text, links, (), RULES) == find_topic_tags(title, text, links, (), RULES[::-1])


@pytest.mark.parametrize(
    "fields", [{}, {"title": "bread"}, {"title": ["", " ", "*", "@2", "=", 3, None]}, {"notes": None}]
)
def test_a_half_written_rule_breaks_nothing(fields):
    assert topics("bread * @2 = 3", "bread", rules=[TopicRule.from_fields("t", [""], fields)]) == []


@pytest.mark.parametrize(
    "piece",
    ["a", " ", "a ", "a.", "a-", "what is the ", "like like ", "for example ", "://", "\n", "dispatch ", "x.com/ "],
)
def test_work_for_a_long_text_grows_evenly(piece):
    assert_even_growth_for_text(lambda text: find_topic_tags("", text, (), (), RULES), piece)


def test_title_and_notes_both_count():
    before = "rails " * 30  # neither is at the start
    made = [
        TopicRule.from_fields("steam", ["Steam"], {"hints": ["gauge"], "notes": ["boiler"]}),
        TopicRule.from_fields("rails", ["Railways"], {"title": ["rails"]}),
    ]
    # 2 points for a hint in the title and 2 for a term in the notes are just enough beside another topic.
    assert set(topics(before + "gauge", before + "boiler", rules=made)) == {"steam", "rails"}
    assert set(topics(before + "gauge", before, rules=made)) == {"rails"}


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
