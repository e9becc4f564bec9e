"""The words of a search about its results: a mention only where there is one, and the words it looked for."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest
from django.test import Client

from episodes.models import (
    Chapter,
    Credit,
    Episode,
    EpisodeLink,
    EpisodeTopic,
    Link,
    Person,
    Podcast,
    Topic,
)

from .pages import Seen, asked, see

pytestmark = pytest.mark.usefixtures("catalog")

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


# --- What is said of the results -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words, headline, of_feed",
    [
        ("cuda graphs", "2 episodes matching “cuda graphs”", "episodes matching “cuda graphs”"),
        ("zebra", "No episodes matching “zebra”", "episodes matching “zebra”"),
        ("fp16", "1 episode matching “fp16”, 4 more on related topics", "episodes matching “fp16”"),
        ("autograd", "3 episodes matching “autograd”, 7 more on related topics", "episodes matching “autograd”"),
        (
            "quantization",
            "5 episodes on topics related to “quantization”",
            "episodes on topics related to “quantization”",
        ),
        (
            "transformers",
            "2 episodes matching “transformers”, 3 more on related topics",
            "episodes matching “transformers”",
        ),
        ("52", "1 episode matching “52”", "episodes matching “52”"),
        ("vmap 2021", "2 episodes matching “vmap 2021”", "episodes matching “vmap 2021”"),
        ("gpu zebra", "3 episodes close to “gpu zebra”", "episodes close to “gpu zebra”"),
    ],
)
def test_every_title_of_a_search_says_what_is_true(client: Client, words: str, headline: str, of_feed: str) -> None:
    page = see(client, "/episodes/", q=words)
    assert title(page) == headline
    assert page.one("title").text() == f"{headline} · {SHOW}"
    assert page.one('[property="og:title"]').attributes["content"] == f"{headline} · {SHOW}"
    assert feed_titles(client, q=words) == {f"{SHOW}: {of_feed}"}


@pytest.fixture
def quiet(catalog: None) -> Episode:
    """An episode without notes."""
    Episode.objects.filter(slug="vmap").update(description_text="", description_html="")
    return Episode.objects.get(slug="vmap")


@pytest.mark.parametrize("name", ["Ǆ", "x ²", "日本語"])
def test_a_title_that_is_what_was_typed_is_found(client: Client, quiet: Episode, name: str) -> None:
    Episode.objects.filter(pk=quiet.pk).update(title=name)
    assert title(see(client, "/episodes/", q=name)) == f"1 episode matching “{name}”"


def test_what_is_written_from_right_to_left_stands_apart(client: Client, quiet: Episode) -> None:
    Episode.objects.filter(pk=quiet.pk).update(title="𞤀𞤣𞤤𞤢𞤥")
    assert title(see(client, "/episodes/", q="𞤀𞤣𞤤𞤢𞤥")) == "1 episode matching \u2068“𞤀𞤣𞤤𞤢𞤥”\u2069"


@pytest.mark.parametrize("place", ["person", "chapter", "link", "topic"])
def test_what_only_hangs_on_an_episode_is_a_match(client: Client, quiet: Episode, place: str) -> None:
    Episode.objects.filter(slug="strides").update(description_text="A kumquat.")
    if place == "person":
        Credit.objects.create(
            episode=quiet, person=Person.objects.create(slug="k", name="K. Umquat, kumquat"), role="guest"
        )
    elif place == "chapter":
        Chapter.objects.create(episode=quiet, start=1, title="The kumquat")
    elif place == "link":
        link = Link.objects.create(key="https://example.org/kumquat", kind="other")
        EpisodeLink.objects.create(episode=quiet, link=link, url=link.key, position=99)
    else:
        topic = Topic.objects.create(slug="fruit", name="Fruit", aliases=["kumquat"])
        EpisodeTopic.objects.create(episode=quiet, topic=topic, term="kumquat", field="title")
    headline = "2 episodes matching “kumquat”"
    if place == "topic":
        headline = "1 episode matching “kumquat”, 1 more on related topics"
    assert title(see(client, "/episodes/?q=kumquat")) == headline
    narrowed = title(see(client, "/episodes/?q=kumquat&topic=memory-layout"))
    assert narrowed == "1 episode about Memory layout matching “kumquat”"


# --- Misspelled words ------------------------------------------------------------------------------------------------------

RIGHT = {"autogard": "autograd", "dispacther history": "dispatcher history", "seralization": "serialization"}


@pytest.mark.parametrize("typed, meant", RIGHT.items())
def test_a_misspelled_word_shows_at_once_what_was_meant(client: Client, typed: str, meant: str) -> None:
    page, right = see(client, "/episodes/", q=typed), see(client, "/episodes/", q=meant)
    assert page.entries == right.entries != []
    assert title(page) == title(right)
    assert page.notes == f"Showing {meant}. Search for {typed} instead"
    assert "Showing " not in right.text


@pytest.mark.parametrize("form", ["json", "rss", "atom"])
def test_every_feed_holds_what_was_meant(client: Client, form: str) -> None:
    def listed(query: str) -> list[str]:
        body = client.get(f"/episodes.{form}?{query}").content.decode()
        return list(dict.fromkeys(re.findall(r"http://testserver(/episodes/[\w-]+/)", body)))

    assert listed("q=autogard") == see(client, "/episodes/?q=autograd").entries
    assert listed("q=autogard&as_typed=1") == []


def test_a_table_holds_what_was_meant(client: Client) -> None:
    typed, right = (client.get(f"/episodes.csv?q={word}").content for word in ("autogard", "autograd"))
    assert typed == right
    assert right.count(b"pytorch-developer-podcast,") == 10


def test_a_feed_says_what_was_typed(client: Client) -> None:
    assert feed_titles(client, q="autogard") == {f"{SHOW}: episodes matching “autograd” (instead of “autogard”)"}
    assert feed_titles(client, q="autogard", as_typed="1") == {f"{SHOW}: episodes matching “autogard”"}


@pytest.mark.parametrize(
    "typed, words, order",
    [
        ("newest", "", "newest"),
        ("First", "", "oldest"),
        ("the latest episodes", "", "newest"),
        ("most recent episode about autograd", "autograd", "newest"),
        ("oldest episode autograd", "autograd", "oldest"),
    ],
)
def test_words_that_ask_for_an_order_are_understood(client: Client, typed: str, words: str, order: str) -> None:
    page, right = see(client, "/episodes/", q=typed), see(client, "/episodes/", q=words, sort=order)
    assert page.entries == right.entries != []
    assert page.notes == f"Showing {words or 'all episodes'}, {order} first. Search for {typed} instead"
    literal = see(client, page.one(".complaints a").attributes["href"] or "")
    assert literal.notes.startswith("Showing") is False
    titles = {f"{SHOW}{f': episodes matching “{words}”' if words else ''} (instead of “{typed}”)"}
    assert feed_titles(client, q=typed) == titles


@pytest.mark.parametrize("typed", ["first class", "newest tensor", "firsts", "latest episodic", "episode newest"])
def test_words_that_may_mean_something_else_are_searched(client: Client, typed: str) -> None:
    assert "first. Search for" not in see(client, "/episodes/", q=typed).text


def test_the_words_as_typed_are_one_link_away(client: Client) -> None:
    page = see(client, "/episodes/?q=autogard&year=2021&sort=oldest")
    address = page.one(".complaints a").attributes["href"] or ""
    assert asked(address) == {"q": ["autogard"], "year": ["2021"], "sort": ["oldest"], "as_typed": ["1"]}
    literal = see(client, address)
    assert (literal.entries, literal.notes) == ([], "")
    assert title(literal) == "No episodes matching “autogard”, 2021"


def test_the_nearest_to_the_words_as_typed_are_within_reach(client: Client) -> None:
    literal = see(client, "/episodes/?q=dispacther+history&as_typed=1")
    assert title(literal) == "3 episodes close to “dispacther history”"
    assert literal.one("article .why s").text() == "dispacther"


def test_links_of_a_list_keep_the_words_as_typed_until_other_words_are_searched(client: Client) -> None:
    Episode.objects.filter(number__lte=40).update(title="A sandwich")
    literal = see(client, "/episodes/?q=sandwich+autogard&as_typed=1")
    assert "close to" in title(literal)
    following = literal.one(".pages a[rel=next]").attributes["href"] or ""
    assert asked(following) == {"q": ["sandwich autogard"], "as_typed": ["1"], "page": ["2"]}
    assert see(client, following).entries
    assert {"as_typed": ["1"]}.items() <= asked(literal.one(".facets a").attributes["href"] or "").items()
    assert "as_typed" not in asked(literal.one(".chip").attributes["href"] or "")
    assert not literal.tree.css('.search [name="as_typed"]')
    assert [chip.text().strip() for chip in literal.tree.css(".chip")] == ["Remove filter: “sandwich autogard” ×"]


def test_the_page_of_what_was_meant_is_that_of_the_right_word(client: Client) -> None:
    page = see(client, "/episodes/?q=autogard")
    assert page.one("[rel=canonical]").attributes["href"] == "http://testserver/episodes/?q=autograd"
    assert page.one("#q").attributes["value"] == "autograd"
    assert "/topics/autograd/" in [a.attributes["href"] for a in page.tree.css("[aria-label='Matching pages'] a")]


@pytest.mark.parametrize("words", ["autograd", "vmap jax", "zzzz", "130936", "autograd zebra", "the zzzz", "?!"])
def test_words_that_are_right_or_like_nothing_are_searched_as_they_are(client: Client, words: str) -> None:
    page = see(client, "/episodes/", q=words)
    assert "Showing " not in page.text
    assert page.entries == see(client, "/episodes/", q=words, as_typed=1).entries


def test_a_word_that_other_filters_leave_without_results_is_not_corrected(client: Client) -> None:
    """An episode has the word, so it is spelled right."""
    Episode.objects.filter(slug="vmap").update(description_text="autogard")
    page = see(client, "/episodes/?q=autogard&topic=autograd")
    assert (page.entries, "Showing " in page.text) == ([], False)


def test_corrections_are_searched_as_they_are(client: Client) -> None:
    """The correction of a word is never corrected itself."""
    Episode.objects.filter(slug="vmap").update(description_text="kumquat")
    for typed in ("kumquaat", "kumqat", "kumquatt"):
        page = see(client, "/episodes/", q=typed)
        assert page.notes == f"Showing kumquat. Search for {typed} instead"
        assert page.entries == ["/episodes/vmap/"]


def test_what_was_typed_is_shown_as_it_is(client: Client) -> None:
    assert "Search for <bdi>autogard &lt;&gt;</bdi> instead" in see(client, "/episodes/", q="autogard <>").html


def test_as_typed_alone_changes_nothing(client: Client) -> None:
    page = see(client, "/episodes/?as_typed=1")
    assert title(page) == f"{SHOW}: 82 episodes"
    assert not page.tree.css(".chip")


@pytest.mark.parametrize("value", ["0", "yes", "2"])
def test_a_value_that_says_nothing_is_told(client: Client, value: str) -> None:
    page = see(client, f"/episodes/?q=autogard&as_typed={value}")
    assert f"“{value}” is not 1" in page.notes
    assert "Showing autograd" in page.text


def test_a_feed_of_a_person_is_corrected_too(client: Client) -> None:
    right = json.loads(client.get("/people/edward-yang.json?q=autograd").content)
    typed = json.loads(client.get("/people/edward-yang.json?q=autogard").content)
    assert [item["id"] for item in typed["items"]] == [item["id"] for item in right["items"]] != []


@pytest.mark.usefixtures("catalog")
def test_a_second_show_is_searched_too(client: Client) -> None:
    other = Podcast.objects.create(slug="other", title="Other", rank=2)
    Episode.objects.create(podcast=other, slug="x", order=1, title="Nothing but plums")
    assert title(see(client, "/episodes/?q=plum")) == "1 episode matching “plum”"
