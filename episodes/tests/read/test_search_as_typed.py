"""The rank of the episode that was meant, by queries as people type them."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.test import Client

from episodes.models import Episode, Person, Topic
from episodes.search import nearest, parse_query, prepare, results

from .pages import see

pytestmark = pytest.mark.usefixtures("catalog")

# Written from the episodes and from knowledge of their subject before the ranking was tuned: for each query the
# episodes that answer it. "vague" queries are what an engineer half-remembers: symptoms and paraphrases.
KEY = json.loads((Path(__file__).parent.parent / "data" / "search_as_typed.json").read_text())


def found(text: str) -> list[str]:
    slugs = dict(Episode.objects.values_list("pk", "slug"))
    return [slugs[pk] for pk in results(prepare(text)).ids]


def reciprocal_rank(text: str, meant: list[str]) -> float:
    """One over the place of the first episode that answers the query, 0 where none is found."""
    places = [place for place, slug in enumerate(found(text), 1) if slug in meant]
    return 1 / places[0] if places else 0.0


def mean_rank(queries: dict[str, list[str]]) -> float:
    return sum(reciprocal_rank(text, meant) for text, meant in queries.items()) / len(queries)


# Measured: 1.000 and 0.855 on both databases; 0.860 and 0.120 before queries were relaxed.
@pytest.mark.parametrize("part, least", [("exact", 0.98), ("vague", 0.83)])
def test_the_episode_that_was_meant_comes_early(part: str, least: float) -> None:
    assert mean_rank(KEY[part]) >= least


# --- What is found, and in which order ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, first",
    [
        ("amp", ["automatic-mixed-precision"]),
        ("tensor deallocation order", ["reference-counting", "weak-references", "pyobject-preservation"]),
        ("gpu memory leak", ["dataloader-with-multiple-workers-leaks-memory"]),
        ("cuda stream", ["just-enough-cuda-to-be-dangerous"]),
        ("strides contiguous", ["strides"]),
        ("graph break", ["torchdynamo"]),
        ("fp16", ["half-precision"]),
        ("weakref", ["weak-references"]),
        ("horace he", ["aotautograd"]),
        ("autograd under 15 minutes", ["functionalization"]),
        ("52", ["batching"]),
        ("#52", ["batching"]),
    ],
)
def test_what_people_type_gives_the_obvious_episode_first(text: str, first: list[str]) -> None:
    assert found(text)[0] in first


def test_a_far_form_of_the_stem_is_another_word() -> None:
    slugs = found("functionalization")
    assert slugs[0] == "functionalization"
    assert "functional-modules" not in slugs
    assert "native-functions-yaml" not in slugs
    assert "vmap" in found("batched"), "a near form is the same word"


def test_what_holds_all_words_is_not_diluted_by_what_holds_most() -> None:
    assert not results(prepare("vmap jax")).near
    assert results(prepare("zebra")).ids == [], "one word has no nearest episodes"


def test_the_nearest_hold_most_and_each_says_what_it_lacks() -> None:
    answer = results(prepare("strides contiguous zebra"))
    strides = Episode.objects.get(slug="strides")
    assert answer.ids[0] == strides.pk
    assert answer.lacking[strides.pk] == {2}


def test_words_too_common_to_be_sought_are_not_said_to_be_lacking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "MOST_SOUGHT", 1)
    answer = results(prepare("strides pytorch zebra"))
    assert set(answer.lacking.values()) == {frozenset({2})}


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    assert found("pytorch philox zebra")[0] == "random-number-generators"


def test_a_topic_knows_words_that_no_episode_uses() -> None:
    Topic.objects.filter(slug="mobile").update(rules={"title": ["wristwatch*"]})
    assert found("wristwatches zebra")[0] == "mobile-selective-build"


def test_an_alias_says_what_an_abbreviation_is_short_for() -> None:
    assert found("qqz") == []
    Topic.objects.filter(slug="mobile").update(aliases=["shared memory (QQZ)"])
    assert found("qqz")[0] == "shared-memory"


def test_a_search_takes_one_query_and_the_nearest_three_more(django_assert_num_queries) -> None:
    Episode.objects.exists()
    with django_assert_num_queries(2):
        asked = prepare("strides contiguous zebra " + " ".join(f"word{n}" for n in range(20)))
    with django_assert_num_queries(4):
        assert results(asked).near
    with django_assert_num_queries(1):
        assert len(results(replace(asked, query=parse_query("autograd"))).ids) > 1
    with django_assert_num_queries(1):
        assert results(replace(asked, query=parse_query("zebra"))).ids == []


def test_no_more_are_near_than_a_reader_looks_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "MOST_NEAREST", 3)
    assert len(found("pytorch zebra")) == 3


# --- Numbers, dates and lengths -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, words",
    [
        ("52", ["episode 52"]),
        ("#52", ["episode 52"]),
        ("Ep. 52", ["episode 52"]),
        ("episode #52", ["episode 52"]),
        ("s2e5", ["season 2, episode 5"]),
        ("season 2 episode 5", ["season 2, episode 5"]),
        ("2024", ["published in 2024"]),
        ("autograd 2021", ["published in 2021"]),
        ("march 2021", ["published in March 2021"]),
        ("Sept. 2021 cuda", ["published in September 2021"]),
        ("vmap 2021-06", ["published in June 2021"]),
        ("vmap 2021-06-15", []),
        ("before 2021", ["published before 2021"]),
        ("vmap After 2021", ["published after 2021"]),
        ("since 2020 until 2021", ["published since 2020", "published until 2021"]),
        ("the day before", []),
        ("1 hour", ["about 60 min"]),
        ("over 1 h", ["over 60 min"]),
        ("at most 2 hours", ["at most 120 min"]),
        ("1-2 hours", ["60 to 120 min"]),
        ("1 horse", []),
        ("autograd under 15 minutes", ["under 15 min"]),
        ("at most 15 min", ["at most 15 min"]),
        ("more than 20 min", ["more than 20 min"]),
        ("10-15 minutes", ["10 to 15 min"]),
        ("vmap 10 to 15 min", ["10 to 15 min"]),
        ("about 15 minutes", ["about 15 min"]),
        ("15 minutes", ["about 15 min"]),
        ("2021 at least 20 min", ["published in 2021", "at least 20 min"]),
        ("issue 42368", []),
        ("pytorch 2.0", []),
        ("march", []),
        ("2024-99", []),
        ("under the hood", []),
        ('"march 2021"', []),
    ],
)
def test_a_number_a_date_and_a_length_are_understood(text: str, words: list[str]) -> None:
    assert [term.fact.words for term in parse_query(text).terms if term.fact] == words


@pytest.mark.parametrize(
    "side, holds", [("before", [True, False, False]), ("until", [True, True, False]),
                    ("since", [False, True, True]), ("after", [False, False, True])],
)  # fmt: skip
def test_a_year_may_be_a_limit(side: str, holds: list[bool]) -> None:
    for year in (2020, 2021, 2022):
        Episode.objects.filter(slug="strides").update(published_at=datetime(year, 6, 1, tzinfo=UTC))
        assert ("strides" in found(f"{side} 2021")) is holds[year - 2020], year


def test_a_month_finds_what_was_published_in_it() -> None:
    in_may = Episode.objects.filter(published_at__year=2021, published_at__month=5)
    assert set(in_may.values_list("slug", flat=True)) <= set(found("May 2021"))
    assert "vmap" not in found("may 2021")


@pytest.mark.parametrize("text", ["at most 10 min", "at least 10 min", "10-15 minutes", "about 11 minutes", "10 min"])
def test_a_length_of_ten_minutes_is_found(text: str) -> None:
    Episode.objects.filter(slug="strides").update(duration_seconds=600)
    assert "strides" in found(text)


@pytest.mark.parametrize("text", ["under 10 min", "over 10 min", "11-15 minutes", "about 12 minutes"])
def test_a_length_is_compared_as_it_is_worded(text: str) -> None:
    Episode.objects.filter(slug="strides").update(duration_seconds=600)
    assert "strides" not in found(text)


def test_a_text_may_say_a_year_too() -> None:
    Episode.objects.filter(slug="strides").update(title="Best of 2019")
    assert found("2019") == ["strides"]


def test_a_season_and_a_number_find_the_episode() -> None:
    Episode.objects.filter(slug="strides").update(season=2, number=5)
    for text in ("s2e5", "S2 E5", "season 2 episode 5"):
        assert found(text) == ["strides"], text


# --- The page -------------------------------------------------------------------------------------------------------------


def test_the_page_says_that_these_are_near_and_strikes_out_what_is_missing(client: Client) -> None:
    page = see(client, "/episodes/", q="strides contiguous <zebra>")
    assert page.one("h1").text().startswith(f"{page.total} episodes close to “strides contiguous <zebra>”")
    assert "No exact match for" in page.text
    assert page.one("article .why s").text() == "<zebra>"
    assert page.entries[0] == "/episodes/strides/"


def test_an_empty_list_says_nothing_of_what_is_missing(client: Client) -> None:
    page = see(client, "/episodes/", q="zzzebra qqqagga")
    assert page.entries == []
    assert "No episodes matching" in page.one("h1").text()
    assert "missing words" not in page.text


def test_the_page_says_nothing_is_missing_where_all_is_found(client: Client) -> None:
    page = see(client, "/episodes/", q="strides")
    assert not page.tree.css("s")
    assert "near" not in page.one("h1").text()
    assert "No episode matches" not in page.text


def test_the_page_says_what_was_understood(client: Client) -> None:
    assert "Understood as: published in 2021, under 15 min." in see(client, "/episodes/?q=cuda 2021 under 15 min").text


def test_outputs_hold_the_nearest_too(client: Client) -> None:
    text = "strides contiguous zebra"
    feed = json.loads(client.get("/episodes.json", {"q": text}).content)
    assert [item["url"].removeprefix("http://testserver") for item in feed["items"]] == see(
        client, "/episodes/", q=text
    ).entries


def test_other_filters_narrow_the_nearest(client: Client) -> None:
    whole = see(client, "/episodes/", q="strides contiguous zebra").entries
    about = see(client, "/episodes/", q="strides contiguous zebra", topic="memory-layout").entries
    assert about == [entry for entry in whole if entry in see(client, "/episodes/?topic=memory-layout").entries] != []


# --- Direct hits and suggestions --------------------------------------------------------------------------------------------


def hits(client: Client, text: str) -> dict[str, str]:
    page = see(client, "/episodes/", q=text)
    return {node.attributes["href"] or "": node.text() for node in page.tree.css("[aria-label='Matching pages'] a")}


def suggested(client: Client, text: str) -> dict[str, str]:
    page = see(client, "/search/suggest", q=text)
    return {node.attributes["href"] or "": " ".join(node.text().split()) for node in page.tree.css("[role=option]")}


def test_topics_symbols_people_and_links_stand_above_the_episodes(client: Client) -> None:
    assert hits(client, "inductor")["/topics/inductor/"] == "Inductor"
    assert "/people/horace/" in hits(client, "horace")
    assert "intrusive_ptr" in hits(client, "intrusive_ptr").values()
    assert any("130935" in name for name in hits(client, "pytorch#130935").values())
    assert hits(client, "zebra") == {}


def test_the_very_name_is_the_first_hit_of_its_kind(client: Client) -> None:
    assert next(iter(hits(client, "autograd"))) == "/topics/autograd/"


def test_nobody_without_an_episode_is_a_hit(client: Client) -> None:
    Person.objects.create(slug="ada", name="Ada Aardvark")
    assert hits(client, "aardvark") == {}


def test_suggestions_are_the_best_episodes_and_the_direct_hits(client: Client) -> None:
    options = suggested(client, "autogr")
    assert options["/episodes/why-is-autograd-so-complicated/"] == "Why is autograd so complicated Episode 22"
    assert options["/topics/autograd/"] == "Autograd Topic"
    assert list(suggested(client, "52")) == ["/episodes/batching/"]
    assert "/episodes/strides/" in suggested(client, "strides contiguous zebra")


@pytest.mark.parametrize("text", ["", "v", "zebra", "\x00", "?!", "%", '"', "x" * 5_000, "a " * 300])
def test_suggestions_take_whatever_is_typed(client: Client, text: str) -> None:
    answer = client.get("/search/suggest", {"q": text})
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/html")


def test_suggestions_escape_what_they_show(client: Client) -> None:
    Episode.objects.filter(slug="vmap").update(title="<b>vmap</b>")
    assert "<b>" not in see(client, "/search/suggest", q="vmap").html


def test_suggestions_ask_a_few_questions(client: Client, django_assert_max_num_queries) -> None:
    with django_assert_max_num_queries(13):
        client.get("/search/suggest", {"q": "strides contiguous zebra"})
