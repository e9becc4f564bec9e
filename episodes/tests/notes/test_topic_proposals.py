"""Topics proposed from keywords and proper names: what names a subject, and what never does."""

from collections.abc import Mapping

import pytest

from episodes.notes import ProposingEpisode, TopicRule, proposed_topics, proposing_count
from episodes.records import ProposedTopic

SUBJECTS = ("rain", "a letter from home", "our boat", "lunch", "the long way back", "nets")


def show(*notes: str, keywords: Mapping[int, tuple[str, ...]] | None = None, more: int = 10) -> list[ProposingEpisode]:
    """Episodes with these notes, among others about nothing in particular."""
    words = keywords or {}
    texts = [*notes, *(f"We talked about our {number} boats." for number in range(more))]
    return [ProposingEpisode(f"e-{n}", "", text, words.get(n, ())) for n, text in enumerate(texts)]


def said(*names: str) -> list[str]:
    """Three episodes whose notes have all these names, each in other words."""
    return [
        " ".join(f"And when we came to {subject}, there was {name} to think of." for name in names)
        for subject in SUBJECTS[:3]
    ]


def proposed(episodes: list[ProposingEpisode], name: str = "The Harbour", **more: object) -> list[ProposedTopic]:
    return list(proposed_topics(episodes, name, "", **more))  # type: ignore[arg-type]


def names(episodes: list[ProposingEpisode], **more: object) -> list[str]:
    return [one.name for one in proposed(episodes, **more)]  # type: ignore[arg-type]


def test_a_name_of_several_notes_is_proposed_with_its_place_in_each_episode() -> None:
    told = ["She saw Zephyr.", "Then they sold Zephyr to us.", "And Zephyr sank."]
    (one,) = proposed(show(*told))
    assert (one.name, one.source, one.terms, one.count) == ("Zephyr", "words", ("Zephyr",), 3)
    assert {(use.episode, use.field, use.position, use.words) for use in one.uses} == {
        ("e-0", "notes", 8, "Zephyr"),
        ("e-1", "notes", 15, "Zephyr"),
        ("e-2", "notes", 4, "Zephyr"),
    }


def test_forms_of_one_name_are_one_proposal_in_the_form_that_is_written_most() -> None:
    (one,) = proposed(show("Why an LLM?", "One LLM at sea.", "We had two LLMs.", "This LLM has tides."))
    assert (one.name, one.terms, one.count) == ("LLM", ("=LLM", "LLMs"), 4)


@pytest.mark.parametrize(
    "name, is_new", [("Zephyr Harbour", True), ("Harbour", False), ("Harbour Monday Zephyr", False)]
)
def test_a_name_of_which_more_than_half_is_known_is_not_proposed(name: str, is_new: bool) -> None:
    assert names(show(*said(name))) == [name] * is_new


@pytest.mark.parametrize("name", [".NET", "C++", "Zephyr Bar", "iTide", "Маяк"])
def test_names_keep_their_signs_in_every_script(name: str) -> None:
    assert names(show(*said(name))) == [name]


@pytest.mark.parametrize(
    "line",
    [
        "Write to hello@zephyr.example or www.zephyr.example", "We met on Monday in January",
        "We had a zephyr, that is a Zephyr", "I think that I did what I could", "Zephyr came first",
        "The Great Zephyr Headline Is Here",
    ],
)  # fmt: skip
def test_what_is_no_proper_name_is_no_topic(line: str) -> None:
    assert names(show(*(f"{line} {word}." for word in ("now", "then", "soon", "late")))) == []


def test_people_are_no_topics() -> None:
    plain = show(*said("Ada Roe"))
    people = [ProposingEpisode(e.slug, e.title, e.text, people=("Ada Roe",)) for e in plain]
    assert (names(plain), names(people)) == (["Ada Roe"], [])


def test_neither_the_show_nor_what_most_episodes_share_is_a_topic() -> None:
    assert names(show(*said("Harbour")), name="The Harbour Master") == []
    assert names(show(*said("Zephyr"), more=5)) == ["Zephyr"]
    assert names(show(*said("Zephyr"), more=4)) == []
    assert names(show(*said("Zephyr")[:2])) == []


def test_keywords_that_few_episodes_have_are_proposed_and_all_of_them_or_two_are_not() -> None:
    keywords = {n: ("sailing", "the harbour", *(("Knots",) if n < 3 else ())) for n in range(10)}
    keywords |= {0: (*keywords[0], "oars"), 1: (*keywords[1], "oars", "knot")}
    (one,) = proposed(show(keywords=keywords))
    assert (one.name, one.source, one.terms) == ("Knots", "keyword", ("Knots", "knot"))
    assert (one.count, one.uses[0].field) == (3, "keywords")


def test_what_a_topic_of_the_show_covers_or_a_curator_refused_is_not_proposed() -> None:
    episodes = show(*said("Zephyr"), *said("Lagoon"), more=6)
    assert set(names(episodes)) == {"Zephyr", "Lagoon"}
    rule = TopicRule.from_fields("winds", ["Winds"], {"title": ["zephyr*"]})
    assert names(episodes, rules=[rule]) == ["Lagoon"]
    assert names(episodes, rules=[TopicRule("zephyr")]) == ["Lagoon"]
    assert names(episodes, refused=["zephyr"]) == ["Lagoon"]


def test_in_german_where_all_nouns_have_capitals_only_keywords_are_proposed() -> None:
    told = [f"Wir reden über die Gezeiten und {word}." for word in ("mehr", "Meer", "viel")]
    keywords = dict.fromkeys(range(3), ("Wind",))
    assert names(show(*told, keywords=keywords)) == ["Wind"]


def test_a_show_has_at_most_thirty_proposals_and_the_best_come_first() -> None:
    words = [f"{one}{other}ix" for one in "BDFGKLMN" for other in ("ara", "olo", "usu", "ete")]
    episodes = show(*(f"One more {word}, {n}." for word in words for n in "abc"), *said("Tide") * 2)
    found = names(episodes)
    assert (len(found), found[0]) == (30, "Tide")


def test_a_large_show_is_looked_at_anew_when_it_has_grown_by_a_few_percent() -> None:
    counts = [proposing_count(episodes) for episodes in range(20_001)]
    assert counts[:201] == list(range(201))
    assert counts == sorted(counts)
    assert all(0.93 * episodes <= count <= episodes for episodes, count in enumerate(counts))
    assert len(set(counts[1000:2000])) < 40
