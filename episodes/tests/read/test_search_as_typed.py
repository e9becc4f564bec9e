"""Queries as people type them: the rank of the episode that was meant, and the words of a search about its results."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree

import pytest
from django.test import Client

from episodes.models import Episode, Person, Topic
from episodes.search import iterate_matching_corrected_queries, parse_query, prepare_query, search_episodes

from ..tables import cases
from .pages import Seen, asked, found, see

CASES = cases("read_search_as_typed")

pytestmark = pytest.mark.usefixtures("catalog")

# Written from the episodes and from knowledge of their subject before the ranking was tuned: for each query the
# episodes that answer it. "vague" queries are what an engineer half-remembers: symptoms and paraphrases.
KEY = json.loads((Path(__file__).parent.parent / "data" / "search_as_typed.json").read_text())


# Measured: 1.000 and 0.846 on both databases; 0.860 and 0.120 before queries were relaxed.
@pytest.mark.on_both
@pytest.mark.parametrize("part, least", [("exact", 0.98), ("vague", 0.83)])
def test_intended_episode_ranks_early(part: str, least: float) -> None:
    ranks = []
    for text, meant in KEY[part].items():
        positions = [position for position, slug in enumerate(found(text), 1) if slug in meant]
        ranks.append(1 / positions[0] if positions else 0.0)
    assert sum(ranks) / len(ranks) >= least


@pytest.mark.parametrize("text, first", CASES["what_people_type_gives_the_obvious_episode_first"])
def test_typed_query_finds_obvious_episode_first(text: str, first: str) -> None:
    assert found(text)[0] == first


@pytest.mark.on_both
def test_minus_leaves_episodes_out() -> None:
    Episode.objects.filter(slug="vmap").update(description_text="A kumquat and a persimmon.")
    Episode.objects.filter(slug="strides").update(description_text="A kumquat.")
    assert set(found("kumquat")) == {"vmap", "strides"}
    assert found("kumquat -persimmon") == ["strides"]
    assert found('kumquat -"a persimmon"') == ["strides"]
    assert set(found("kumquat -persi")) == {"vmap", "strides"}, "only the very word"
    # A minus within a word excludes nothing.
    assert set(found("kum-quat kumquat")) == {"vmap", "strides"}


@pytest.mark.parametrize("order", ["match", "newest", "oldest"])
def test_episodes_with_every_word_come_first(client: Client, order: str) -> None:
    Episode.objects.filter(slug="vmap").update(description_text="A kumquat, a persimmon and a quince.")
    Episode.objects.filter(slug="strides").update(description_text="A kumquat and a persimmon.")
    page = see(client, "/episodes/", q="kumquat persimmon quince", sort=order)
    assert page.entries == ["/episodes/vmap/", "/episodes/strides/"]


@pytest.mark.on_both
def test_or_finds_either_word(client: Client) -> None:
    Episode.objects.filter(slug="vmap").update(description_text="A kumquat.")
    Episode.objects.filter(slug="strides").update(description_text="A persimmon.")
    assert not search_episodes(prepare_query("kumquat persimmon")).is_complete
    assert set(found("kumquat OR persimmon")) == {"vmap", "strides"}
    page = see(client, "/episodes/", q="kumquat OR persimmon")
    assert "Understood as: “kumquat” or “persimmon”." in page.text
    assert {mark.text() for mark in page.tree.css("article mark")} == {"kumquat", "persimmon"}


def test_function_words_are_searched_in_titles_only(client: Client) -> None:
    Episode.objects.filter(slug="vmap").update(title="The Who", description_text="Who is it?")
    Episode.objects.filter(slug="strides").update(description_text="Who is it?")
    assert found("who") == ["vmap"]
    assert not see(client, "/episodes/", q="who").tree.css("article mark")


def test_no_result_shows_nearest_and_single_words(client: Client) -> None:
    Episode.objects.filter(slug="vmap").update(description_text="A kumquat in pytorch.")
    page = see(client, "/episodes/", q="pytorch zebra aardvark")
    assert "No episodes matching" in page.one("h1").text()
    assert "Nearest episodes" in page.text
    assert len(page.tree.css("main article")) == 3
    words = page.tree.css("[aria-label='Results of single words'] a")
    assert [word.text() for word in words] == ["pytorch"]
    assert asked(words[0].attributes["href"] or "") == {"q": ["pytorch"]}
    alias = page.tree.css("a[href^='/suggest/?topic=']")[0]
    assert alias.text().startswith("Suggest “pytorch zebra aardvark” as another word for")
    assert asked(alias.attributes["href"] or "")["value"] == ["pytorch zebra aardvark"]


def test_filters_that_leave_nothing_offer_no_words(client: Client) -> None:
    assert see(client, "/episodes/", q="reference counting").total > 0
    page = see(client, "/episodes/", q="reference counting", year="1999")
    assert page.entries == []
    assert "No episode has all of these words" not in page.text
    assert "Nearest episodes" not in page.text


def test_single_words_drop_other_filters(client: Client) -> None:
    page = see(client, "/episodes/", q="pytorch zebra aardvark", year="2021")
    (word,) = page.tree.css("[aria-label='Results of single words'] a")
    assert asked(word.attributes["href"] or "") == {"q": ["pytorch"]}


def test_correction_is_no_name_of_a_person() -> None:
    Person.objects.create(slug="ada", name="Ada Zebrowski", episode_count=1)
    assert "zebrowski" not in list(iterate_matching_corrected_queries(prepare_query("zebrowsky")))


def test_topic_words_find_its_episodes() -> None:
    Topic.objects.filter(slug="mobile").update(rules={"title": ["wristwatch*"]})
    assert found("wristwatches zebra")[0] == "mobile-selective-build"


def test_alias_expands_abbreviation() -> None:
    assert found("qqz") == []
    Topic.objects.filter(slug="mobile").update(aliases=["shared memory (QQZ)"])
    assert found("qqz")[0] == "shared-memory"


def test_search_needs_few_queries(django_assert_num_queries) -> None:
    Episode.objects.exists()
    with django_assert_num_queries(2):
        prepare_query("strides contiguous")
    with django_assert_num_queries(2):
        asked = prepare_query("strides contiguous zebra " + " ".join(f"word{n}" for n in range(20)))
    with django_assert_num_queries(5):
        assert not search_episodes(asked).is_complete
    with django_assert_num_queries(2):
        assert len(search_episodes(replace(asked, query=parse_query("autograd"))).ids) > 1
    with django_assert_num_queries(2):
        assert search_episodes(replace(asked, query=parse_query("zebra"))).ids == []


@pytest.mark.parametrize("text, words", CASES["a_number_a_date_and_a_length_are_understood"])
def test_numbers_dates_and_lengths_are_understood(text: str, words: list[str]) -> None:
    assert [term.fact.words for term in parse_query(text).terms if term.fact] == words


@pytest.mark.on_both
@pytest.mark.parametrize(
    "side, holds", [("before", [True, False, False]), ("until", [True, True, False]),
                    ("since", [False, True, True]), ("after", [False, False, True])],
)  # fmt: skip
def test_a_year_may_be_a_limit(side: str, holds: list[bool]) -> None:
    for year in (2020, 2021, 2022):
        Episode.objects.filter(slug="strides").update(published_at=datetime(year, 6, 1, tzinfo=UTC))
        assert ("strides" in found(f"{side} 2021")) is holds[year - 2020], year


@pytest.mark.on_both
@pytest.mark.parametrize("month", ["June 2021", "2021-06"])
@pytest.mark.parametrize(
    "side, holds", [("before", [True, False, False, False]), ("until", [True, True, True, False]),
                    ("since", [False, True, True, True]), ("after", [False, False, False, True]),
                    ("in", [False, True, True, False])],
)  # fmt: skip
def test_a_month_may_be_a_limit(side: str, month: str, holds: list[bool]) -> None:
    last_second_of_may = datetime(2021, 5, 31, 23, 59, 59, tzinfo=UTC)
    for days, holds_then in zip((0, 1, 30, 31), holds, strict=True):
        published_at = last_second_of_may + timedelta(days=days)
        Episode.objects.filter(slug="strides").update(published_at=published_at)
        assert ("strides" in found(f"{side} {month}")) is holds_then, published_at


@pytest.mark.on_both
@pytest.mark.parametrize("typed", ["June 21, 2021", "21 June 2021", "2021-06-21", "Monday, 21 June 2021"])
def test_a_day_finds_its_episodes(typed: str) -> None:
    for day, is_found in ((20, False), (21, True), (22, False)):
        published_at = datetime(2021, 6, day, 23, 59, tzinfo=UTC)
        Episode.objects.filter(slug="strides").update(published_at=published_at)
        assert ("strides" in found(typed)) is is_found, published_at


@pytest.mark.parametrize("text, holds", CASES["a_length_is_compared_as_it_is_worded"])
def test_a_length_is_compared_as_it_is_worded(text: str, holds: bool) -> None:
    Episode.objects.filter(slug="strides").update(duration_seconds=600)
    assert ("strides" in found(text)) is holds


def test_limit_is_kept_by_first_results() -> None:
    Episode.objects.update(duration_seconds=900)
    Episode.objects.filter(slug="strides").update(title="Kumquat jam", duration_seconds=600)
    Episode.objects.filter(slug="vmap").update(description_text="Kumquats in jam.")
    ids = search_episodes(prepare_query("kumquat jam over 12 min")).ids
    assert [Episode.objects.get(pk=pk).slug for pk in ids] == ["vmap", "strides"]


@pytest.mark.parametrize("limit", ["under 15 min", "10-15 min"])
def test_words_of_a_limit_do_not_keep_it(limit: str) -> None:
    Episode.objects.filter(slug="vmap").update(title=f"Kumquat jam, {limit}", duration_seconds=1200)
    Episode.objects.filter(slug="strides").update(description_text="Kumquats.", duration_seconds=800)
    assert found(f"kumquat {limit}")[0] == "strides"


def test_a_season_and_a_number_find_the_episode() -> None:
    Episode.objects.filter(slug="strides").update(season=2, number=5)
    for text in ("s2e5", "S2 E5", "season 2 episode 5"):
        assert found(text) == ["strides"], text


def test_page_marks_near_results(client: Client) -> None:
    assert "Understood as: published in 2021, under 15 min." in see(client, "/episodes/?q=cuda 2021 under 15 min").text
    assert not see(client, "/episodes/", q="strides").tree.css("s")
    page = see(client, "/episodes/", q="strides contiguous <zebra>")
    assert page.one("h1").text().startswith(f"{page.total} episodes close to “strides contiguous <zebra>”")
    assert "No exact match for" in page.text
    assert page.one("article .why s").text() == "<zebra>"
    assert page.entries[0] == "/episodes/strides/"


def hits(client: Client, text: str) -> dict[str, str]:
    page = see(client, "/episodes/", q=text)
    return {node.attributes["href"] or "": node.text() for node in page.tree.css("[aria-label='Matching pages'] a")}


def suggested(client: Client, text: str) -> dict[str, str]:
    page = see(client, "/search/suggest", q=text)
    return {node.attributes["href"] or "": " ".join(node.text().split()) for node in page.tree.css("[role=option]")}


def test_direct_hits_stand_above_episodes(client: Client) -> None:
    assert hits(client, "inductor")["/topics/inductor/"] == "Inductor"
    assert "/people/horace/" in hits(client, "horace")
    assert "intrusive_ptr" in hits(client, "intrusive_ptr").values()
    assert any("130935" in name for name in hits(client, "pytorch#130935").values())
    Person.objects.create(slug="ada", name="Ada Aardvark")
    assert hits(client, "zebra") == hits(client, "aardvark") == {}, "nobody without an episode is a hit"
    assert next(iter(hits(client, "autograd"))) == "/topics/autograd/"


def test_suggestions_combine_episodes_and_hits(client: Client) -> None:
    options = suggested(client, "autogr")
    assert options["/episodes/why-is-autograd-so-complicated/"] == "Why is autograd so complicated Episode 22"
    assert options["/topics/autograd/"] == "Autograd Topic"
    assert list(suggested(client, "52")) == ["/episodes/batching/"]
    assert "/episodes/strides/" in suggested(client, "strides contiguous zebra")


SHOW = "PyTorch Developer Podcast"


def title(page: Seen) -> str:
    """The headline, without what follows about lengths."""
    return " ".join(page.one("h1").text().split()).split(" · ")[0]


def feed_titles(client: Client, **query: str) -> set[str]:
    rss = ElementTree.fromstring(client.get("/episodes.rss", query).content)
    atom = ElementTree.fromstring(client.get("/episodes.atom", query).content)
    return {
        rss.findtext("channel/title", ""),
        atom.findtext("{http://www.w3.org/2005/Atom}title", ""),
        json.loads(client.get("/episodes.json", query).content)["title"],
    }


@pytest.mark.parametrize("words, headline", CASES["search_titles_are_true"])
def test_search_titles_are_true(client: Client, words: str, headline: str) -> None:
    page = see(client, "/episodes/", q=words)
    before, _, after = headline.partition("|")
    assert title(page) == f"{before} “{words}”{after}"
    assert (
        page.one("title").text() == page.one('[property="og:title"]').attributes["content"] == f"{title(page)} · {SHOW}"
    )
    of_feed = before.partition(" ")[2].replace("episode matching", "episodes matching")
    assert feed_titles(client, q=words) == {f"{SHOW}: {of_feed} “{words}”"}


RIGHT = {"autogard": "autograd", "dispacther history": "dispatcher history", "seralization": "serialization"}


@pytest.mark.parametrize("typed, meant", RIGHT.items())
def test_misspelled_word_is_corrected_at_once(client: Client, typed: str, meant: str) -> None:
    page, right = see(client, "/episodes/", q=typed), see(client, "/episodes/", q=meant)
    assert page.entries == right.entries != []
    assert title(page) == title(right)
    assert page.notes == f"Showing {meant}. Search for {typed} instead"
    assert "Showing " not in right.text


@pytest.mark.on_both
def test_joined_words_are_parted(client: Client) -> None:
    Episode.objects.filter(slug="vmap").update(description_text="Kumquat jam in a jar.")
    Episode.objects.filter(slug="strides").update(description_text="A kumquats, no jam.")
    page = see(client, "/episodes/", q="kumquatjam")
    assert page.entries[0] == "/episodes/vmap/"
    assert "Showing kumquat jam" in " ".join(page.text.split())
    Episode.objects.filter(slug="vmap").update(description_text="Kumquats of lot 13 0936.")
    assert not see(client, "/episodes/", q="130936").entries


@pytest.mark.parametrize(
    "address", ["/episodes.json", "/episodes.rss", "/episodes.atom", "/episodes.csv", "/people/edward-yang.json"]
)
def test_every_feed_holds_what_was_meant(client: Client, address: str) -> None:
    def listed(query: str) -> list[str]:
        return re.findall(r"/episodes/[\w-]+/|podcast,\w[\w-]+", client.get(f"{address}?{query}").content.decode())

    assert listed("q=autogard") == listed("q=autograd")
    assert len(listed("q=autogard")) > len(listed("q=autogard&as_typed=1"))


@pytest.mark.parametrize("words", ["Dispacther zebra philox", "Dispacther philxo strides", "Zebra philox strides"])
def test_correction_needs_an_exact_match(client: Client, words: str) -> None:
    page = see(client, "/episodes/", q=words)
    assert title(page).endswith(f"close to “{words}”")
    assert page.notes.startswith(f"No exact match for “{words}”")


@pytest.mark.parametrize("typed, words, order", CASES["order_words_are_understood"])
def test_order_words_are_understood(client: Client, typed: str, words: str, order: str) -> None:
    page, right = see(client, "/episodes/", q=typed), see(client, "/episodes/", q=words, sort=order)
    assert page.entries == right.entries != []
    assert page.notes == f"Showing {words or 'all episodes'}, {order} first. Search for {typed} instead"
    literal = see(client, page.one(".complaints a").attributes["href"] or "")
    assert literal.notes.startswith("Showing") is False
    titles = {f"{SHOW}{f': episodes matching “{words}”' if words else ''}"}
    assert feed_titles(client, q=typed) == titles


@pytest.mark.parametrize("typed", ["first class", "newest tensor", "firsts", "latest episodic", "episode newest"])
def test_ambiguous_order_words_are_searched(client: Client, typed: str) -> None:
    assert "first. Search for" not in see(client, "/episodes/", q=typed).text


def test_literal_search_is_one_link_away(client: Client) -> None:
    page = see(client, "/episodes/?q=autogard&year=2021&sort=oldest")
    address = page.one(".complaints a").attributes["href"] or ""
    assert asked(address) == {"q": ["autogard"], "year": ["2021"], "sort": ["oldest"], "as_typed": ["1"]}
    literal = see(client, address)
    assert (literal.entries, literal.notes) == ([], "")
    assert title(literal) == "No episodes matching “autogard”, 2021"


def test_list_links_keep_literal_search(client: Client) -> None:
    Episode.objects.filter(number__lte=40).update(title="A sandwich of bread")
    literal = see(client, "/episodes/?q=bread+sandwich+autogard&as_typed=1")
    assert "close to" in title(literal)
    following = literal.one(".pages a[rel=next]").attributes["href"] or ""
    assert asked(following) == {"q": ["bread sandwich autogard"], "as_typed": ["1"], "page": ["2"]}
    assert see(client, following).entries
    assert {"as_typed": ["1"]}.items() <= asked(literal.one(".facets a").attributes["href"] or "").items()
    assert "as_typed" not in asked(literal.one(".chip").attributes["href"] or "")
    assert not literal.tree.css('.search [name="as_typed"]')
    assert [chip.text().strip() for chip in literal.tree.css(".chip")] == ["Remove filter: “bread sandwich autogard” ×"]


def test_corrected_page_is_canonical(client: Client) -> None:
    page = see(client, "/episodes/?q=autogard")
    assert page.one("[rel=canonical]").attributes["href"] == "http://testserver/episodes/?q=autograd"
    assert page.one("#q").attributes["value"] == "autograd"
    assert "/topics/autograd/" in [a.attributes["href"] for a in page.tree.css("[aria-label='Matching pages'] a")]


@pytest.mark.parametrize("words", ["autograd", "vmap jax", "zzzz", "130936", "autograd zebra", "the zzzz", "?!"])
def test_correct_words_are_not_corrected(client: Client, words: str) -> None:
    page = see(client, "/episodes/", q=words)
    assert "Showing " not in page.text
    assert page.entries == see(client, "/episodes/", q=words, as_typed=1).entries


def test_filtered_out_word_is_not_corrected(client: Client) -> None:
    """An episode has the word, so it is spelled right."""
    Episode.objects.filter(slug="vmap").update(description_text="autogard")
    page = see(client, "/episodes/?q=autogard&topic=autograd")
    assert (page.entries, "Showing " in page.text) == ([], False)


@pytest.mark.parametrize("value", ["0", "yes", "2"])
def test_bad_as_typed_value_is_reported(client: Client, value: str) -> None:
    page = see(client, f"/episodes/?q=autogard&as_typed={value}")
    assert f"“{value}” is not 1" in page.notes
    assert "Showing autograd" in page.text
