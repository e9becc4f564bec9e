"""Topics proposed from keywords and shared words: what names a subject, and what never does."""

from __future__ import annotations

import pytest

from episodes.notes import ProposingEpisode, TopicRule, proposed_topics, proposing_count
from episodes.notes.topic_words import languages_of
from episodes.records import ProposedTopic

SUBJECTS = ("the rain", "a letter from home", "our old boat", "what we had for lunch", "the long way back")
ENGLISH = "This is what we talked about when {} came up, and it was good to hear more of it from all of you."


def show(*given: tuple[str, str] | str, keywords: dict[int, tuple[str, ...]] | None = None) -> list[ProposingEpisode]:
    """Episodes with these titles and notes, among others about nothing in particular."""
    told = [(one, "") if isinstance(one, str) else one for one in given]
    told += [("", ENGLISH.format(subject)) for subject in SUBJECTS * 2]
    words = keywords or {}
    return [ProposingEpisode(f"e-{n}", title, text, words.get(n, ())) for n, (title, text) in enumerate(told)]


def said(name: str) -> list[tuple[str, str]]:
    """Three episodes whose notes name something, each in other words."""
    return [
        ("", f"And when we came to {subject}, {name} was what all of us had to think of.") for subject in SUBJECTS[:3]
    ]


def proposed(episodes: list[ProposingEpisode], name: str = "The Harbour", **more: object) -> list[ProposedTopic]:
    return list(proposed_topics(episodes, name, "", **more))  # type: ignore[arg-type]


def names(episodes: list[ProposingEpisode], **more: object) -> list[str]:
    return [one.name for one in proposed(episodes, **more)]  # type: ignore[arg-type]


def test_a_word_of_several_titles_is_proposed_with_its_place_in_each_episode() -> None:
    (one,) = proposed(
        show("Lighthouses at night", ("A keeper", "She kept two lighthouses."), "New lighthouses", "Rope")
    )
    assert (one.name, one.source, one.terms, one.count) == ("Lighthouses", "words", ("lighthouses",), 3)
    found = {(use.episode, use.field, use.position, use.words) for use in one.uses}
    assert found == {
        ("e-0", "title", 0, "Lighthouses"),
        ("e-1", "notes", 13, "lighthouses"),
        ("e-2", "title", 4, "lighthouses"),
    }


def test_forms_of_one_name_are_one_proposal_in_the_form_that_is_written_most() -> None:
    episodes = show("Why LLM", "An LLM at sea", "Two LLMs", "LLM and tides")
    (one,) = proposed(episodes)
    assert (one.name, one.terms, one.count) == ("LLM", ("=LLM", "LLMs"), 4)


def test_names_need_no_title_and_keep_their_signs() -> None:
    assert names(show(*[*said("Node.js"), *said("C++")])) == ["Node.js", "C++"]


def test_a_common_word_is_part_of_a_name_that_has_capitals() -> None:
    assert names(show(*said("Great Bar"))) == []
    assert names(show(*said("Zephyr Bar"))) == ["Zephyr Bar"]


@pytest.mark.parametrize(
    "line",
    [
        "Follow the podcast on Instagram and write to hello@zephyr.example or www.zephyr.example",
        "This episode is sponsored by Zephyr, and with the offer code Zephyr you get more of it.",
        "With Ada Zephyr, who was here with us, and it was good to have her.",
        "Thanks to all who are with us, find us at @zephyr on all of these.",
        "On Monday in January we had more to say than we had time for.",
    ],
)
def test_addresses_sponsors_people_handles_and_days_are_no_topics(line: str) -> None:
    assert names(show(*[("", f"{line} {n} more to come of it then") for n in range(4)])) == []


def test_neither_the_show_nor_its_initials_nor_what_most_episodes_share_is_a_topic() -> None:
    assert names(show(*["Harbour THM"] * 4), name="The Harbour Master") == []
    assert names(show(*["Tides"] * 9)) == []
    assert names(show(*["Tides"] * 2)) == []


def test_sentences_that_a_show_repeats_propose_nothing() -> None:
    assert names(show(*[("", "You can find all of our Zephyr kites in the shop of the Zephyr.")] * 4)) == []


def test_of_a_word_and_the_phrase_that_it_is_mostly_part_of_the_phrase_is_proposed() -> None:
    assert names(show(*["Solar kites on boats", "More solar kites", "Solar kites", "Anchors"])) == ["Solar kites"]


def test_keywords_that_few_episodes_have_are_proposed_and_all_of_them_or_two_are_not() -> None:
    keywords = {n: ("sailing", "the harbour", *(("Knots",) if n < 3 else ())) for n in range(12)}
    keywords |= {0: (*keywords[0], "oars"), 1: (*keywords[1], "oars", "knot")}
    (one,) = proposed(show(keywords=keywords))
    assert (one.name, one.source, one.terms, one.count) == ("Knots", "keyword", ("Knots", "knot"), 3)


def test_what_a_topic_of_the_show_covers_or_a_curator_refused_is_not_proposed() -> None:
    episodes = show("Lighthouses", "Lighthouses", "Lighthouses", "Ropes", "Ropes", "Ropes")
    assert names(episodes) == ["Lighthouses", "Ropes"]
    rule = TopicRule.from_fields("towers", ["Towers"], {"title": ["lighthouse*"]})
    assert names(episodes, rules=[rule]) == ["Ropes"]
    assert names(episodes, rules=[TopicRule("rope")]) == ["Lighthouses"]
    assert names(episodes, refused=["lighthouse"]) == ["Ropes"]


def test_what_joins_episodes_that_have_one_topic_already_is_not_proposed() -> None:
    plain = show("Lighthouses", "Lighthouses", "Lighthouses")
    known = [ProposingEpisode(e.slug, e.title, e.text, topics=("towers",)) if e.title else e for e in plain]
    assert (names(plain), names(known)) == (["Lighthouses"], [])


def test_in_german_only_nouns_are_proposed() -> None:
    text = "Wir reden über die {}, warum das so gewaltig ist und was man {} daraus machen kann."
    ways = ("jetzt", "bald", "hier")
    told = [(f"Gewaltig, diese {word}", text.format(word, way)) for word in ("Gezeiten", "Segel") for way in ways]
    others = [("", "Was wir noch sagen wollten, ist nicht so wichtig, aber es war schön mit euch.")] * 10
    episodes = [ProposingEpisode(str(n), *one) for n, one in enumerate([*told, *others])]
    assert set(names(episodes)) == {"Gezeiten", "Segel"}


@pytest.mark.parametrize(
    "text",
    [
        "今天我们聊聊灯塔和海浪的故事，欢迎收听。",
        "Сегодня мы говорим про маяки и волны.",
        "اليوم نتحدث عن المنارات",
        "wxy zqa qqz",
    ],
)
def test_a_language_without_a_list_proposes_no_words(text: str) -> None:
    assert languages_of([text]) == frozenset()
    episodes = [ProposingEpisode(str(n), text if n % 3 else "x", text, ("Wind",) if n < 4 else ()) for n in range(12)]
    assert names(episodes) == ["Wind"]


def test_a_show_has_at_most_thirty_proposals_and_the_best_come_first() -> None:
    words = [f"{one}{other}ix" for one in "bdfgklmn" for other in ("ara", "olo", "usu", "ete", "ipi")]
    episodes = show(*[f"{word.capitalize()} again" for word in words for _ in range(3)], *["Tides"] * 9)
    found = names(episodes)
    assert (len(found), found[0]) == (30, "Tides")


def test_a_large_show_is_looked_at_anew_when_it_has_grown_by_a_few_percent() -> None:
    counts = [proposing_count(episodes) for episodes in range(20_001)]
    assert counts[:201] == list(range(201))
    assert counts == sorted(counts)
    assert all(0.93 * episodes <= count <= episodes for episodes, count in enumerate(counts))
    assert len(set(counts[1000:2000])) < 40
