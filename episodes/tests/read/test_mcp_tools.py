"""Transcripts, people and links for assistants, and the sources that every answer names."""

from typing import Any

import pytest
from django.test import Client

from episodes.models import Credit, Episode, EpisodeLink, Link, Person, Podcast, Redirect, Source, Transcript

from ..tables import cases
from .test_mcp import complaint, tool
from .test_moments import transcribed

CASES = cases("read_mcp_tools")

pytestmark = pytest.mark.usefixtures("catalog")

PAGE = "http://testserver/episodes/vmap/"
CUES = [[0.0, "Ann", "Welcome."], [61.0, "Bob", "A zebra crosses the street."], [90.5, "", "Goodbye."]]


def written_down(cues: list[Any], **columns: Any) -> Transcript:
    episode = Episode.objects.get(slug="vmap")
    columns = {"url": "https://pod.example/vmap.vtt", "machine_made": True, **columns}
    return Transcript.objects.create(episode=episode, sha256="", text="", cues=cues, **columns)


def paragraphs(client: Client, **arguments: Any) -> list[int]:
    return [each["number"] for each in tool(client, "get_transcript", episode="vmap", **arguments)["paragraphs"]]


def test_paragraphs_have_second_speaker_and_address(client: Client) -> None:
    written_down(CUES)
    got = tool(client, "get_transcript", episode=f"{PAGE}?t=61")
    assert got["paragraphs"] == [
        {"number": 1, "second": 0, "speaker": "Ann", "words": "Welcome.", "address": f"{PAGE}?t=0#p1"},
        {
            "number": 2, "second": 61, "speaker": "Bob", "words": "A zebra crosses the street.",
            "address": f"{PAGE}?t=61#p2",
        },
        {"number": 3, "second": 90, "speaker": None, "words": "Goodbye.", "address": f"{PAGE}?t=90#p3"},
    ]  # fmt: skip
    assert got["transcript"] == {
        "file": "https://pod.example/vmap.vtt", "machine_made": True, "corrections_by_curators": 0,
    }  # fmt: skip
    assert (got["slug"], got["address"], got["captions"]) == ("vmap", PAGE, f"{PAGE}transcript.vtt")
    assert (got["paragraph_count"], got["notes"]) == (3, [])
    page = client.get(got["paragraphs"][1]["address"])
    assert b'id="p2"' in page.content


@pytest.mark.parametrize("arguments, numbers", CASES["transcript_between_two_times"])
def test_transcript_between_two_times(client: Client, arguments: dict[str, Any], numbers: list[int]) -> None:
    written_down(CUES)
    assert paragraphs(client, **arguments) == numbers


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"from": "soon"}, "arguments.from"), ({"to": -5}, "arguments.to"), ({"to": 1.5}, "arguments.to"),
        ({"from": 62, "to": 61}, "later"), ({"paragraph": 0}, "arguments.paragraph"), ({"from": None}, "arguments.from"),
    ],
)  # fmt: skip
def test_wrong_times_are_explained(client: Client, arguments: dict[str, Any], words: str) -> None:
    written_down(CUES)
    assert words in complaint(client, "get_transcript", {"episode": "vmap", **arguments})


def test_long_transcript_says_how_to_go_on(client: Client) -> None:
    written_down([[float(second), "", "x" * 1_000] for second in range(0, 45 * 60, 60)])
    first = tool(client, "get_transcript", episode="vmap")
    assert [each["number"] for each in first["paragraphs"]] == list(range(1, 21))
    assert first["notes"] == ["The transcript goes on. Ask again with paragraph 21."]
    assert paragraphs(client, paragraph=21) == list(range(21, 41))
    assert paragraphs(client, paragraph=41) == list(range(41, 46))


def test_transcript_without_times_has_paragraph_addresses(client: Client) -> None:
    assert "no transcript" in complaint(client, "get_transcript", {"episode": "vmap"})
    written_down([[None, "", "A zebra."], [None, "", "Another."]], machine_made=None)
    got = tool(client, "get_transcript", episode="vmap")
    assert [(each["second"], each["address"]) for each in got["paragraphs"]] == [
        (None, f"{PAGE}#p1"), (None, f"{PAGE}#p2"),
    ]  # fmt: skip
    assert got["transcript"]["machine_made"] is None
    assert "no times" in complaint(client, "get_transcript", {"episode": "vmap", "from": 1})


@pytest.mark.parametrize(
    "asked",
    ["edward-yang", "Edward Yang", " edward yang", "Yang", "ezy", "/people/edward-yang/", "http://testserver/people/edward-yang/"],
)  # fmt: skip
def test_person_by_name_slug_alias_or_address(client: Client, asked: str) -> None:
    person = Person.objects.get(slug="edward-yang")
    Person.objects.filter(pk=person.pk).update(url="https://ezyang.example/")
    vmap = Credit.objects.filter(person=person, episode__slug="vmap")
    vmap.update(credited_as="ezy", evidence="Hosted by ezy")
    got = tool(client, "get_person", person=asked, page=3)
    assert (got["slug"], got["name"], got["sites"]) == ("edward-yang", "Edward Yang", ["https://ezyang.example/"])
    assert (got["roles"], got["total"], got["is_last_page"]) == ({"host": 82}, 82, False)
    assert got["address"] == "http://testserver/people/edward-yang/"
    rows = {each["slug"]: each for each in got["episodes"]}
    assert len(rows) == 20
    assert rows["vmap"]["roles"] == [{"role": "host", "credited_as": "ezy", "evidence": "Hosted by ezy"}]
    assert rows["vmap"]["address"] == PAGE


def test_unclear_name_lists_the_people(client: Client) -> None:
    assert "Nobody" in complaint(client, "get_person", {"person": "Zebra Zoo"})
    assert "Nobody" in complaint(client, "get_person", {"person": "http://elsewhere.example/people/edward-yang/"})
    told = complaint(client, "get_person", {"person": "a"})
    assert "Edward Yang (edward-yang), Eli Uriegas (eli-uriegas)" in told
    assert tool(client, "get_person", person="edward-yang", page=6)["episodes"] == []


def test_former_slug_finds_the_person(client: Client) -> None:
    person = Person.objects.get(slug="edward-yang")
    Redirect.objects.create(kind="person", slug="ed", identity=person.identity)
    assert tool(client, "get_person", person="ed")["slug"] == "edward-yang"


@pytest.mark.parametrize("asked", CASES["link_by_address_key_or_words"])
def test_link_by_address_key_or_words(client: Client, asked: str) -> None:
    (link,) = tool(client, "find_link", link=asked)["links"]
    assert (link["title"], link["kind"], link["episode_count"]) == ("pytorch/pytorch#78050", "github-issue", 1)
    assert link["url"] == "https://github.com/pytorch/pytorch/issues/78050"
    assert link["address"] == "http://testserver/links/item/?key=gh%3Apytorch%2Fpytorch%2378050"
    (episode,) = link["episodes"]
    assert (episode["slug"], episode["address"]) == ("strides", "http://testserver/episodes/strides/")
    assert episode["sentence"] == (
        "Mike Ruberry has an RFC about stride-agnostic operator semantics "
        "(https://github.com/pytorch/pytorch/issues/78050), so let's talk about strides."
    )


def test_links_with_words_come_most_mentioned_first(client: Client) -> None:
    got = tool(client, "find_link", link="pytorch docs")
    counts = [each["episode_count"] for each in got["links"]]
    assert counts == sorted(counts, reverse=True)
    assert len(counts) == min(10, got["total"])
    assert tool(client, "find_link", link="zebra zoo")["links"] == []
    assert "Not searched" in complaint(client, "find_link", {"link": "a" * 201})
    many_words = " ".join("bcdefghjklmnopqrst")
    assert "first 16 words" in tool(client, "find_link", link=many_words)["notes"][0]


def test_replaced_or_added_link_has_its_sentence(client: Client) -> None:
    link = Link.objects.get(key="gh:pytorch/pytorch#78050")
    mention = EpisodeLink.objects.get(link=link)
    new = "https://new.example/rfc"
    Link.objects.filter(pk=link.pk).update(replacement=new)
    Episode.objects.filter(pk=mention.episode_id).update(description_html=f'<p>Read <a href="{new}">it</a>.</p>')
    (got,) = tool(client, "find_link", link="gh:pytorch/pytorch#78050")["links"]
    assert (got["url"], got["episodes"][0]["sentence"]) == (new, "Read it.")
    Episode.objects.filter(pk=mention.episode_id).update(description_html="<p>Nothing.</p>")
    (got,) = tool(client, "find_link", link="gh:pytorch/pytorch#78050")["links"]
    assert got["episodes"][0]["sentence"] is None


def test_every_result_names_its_source(client: Client) -> None:
    transcribed("vmap", (5.0, "A zebra crosses."))
    answers = {
        "search": tool(client, "search", query="zebra"),
        "get_person": tool(client, "get_person", person="edward-yang"),
        "get_transcript": tool(client, "get_transcript", episode="vmap"),
    }
    link = tool(client, "find_link", link="gh:pytorch/pytorch#78050")
    results = [
        *answers["search"]["episodes"], *answers["get_person"]["episodes"], answers["get_transcript"],
        *link["links"][0]["episodes"], tool(client, "get_episode", episode="vmap"),
    ]  # fmt: skip
    for result in results:
        assert result["address"].startswith("http://testserver/episodes/")
        assert result["provenance"]["title"] == "snapshot"
    assert answers["search"]["episodes"][0]["moments"][0]["transcript"]["machine_made"] is None
    for answer in (*answers.values(), link):
        titles = {each["source"]: each["title"] for each in answer["sources"]}
        assert titles["snapshot"] == "Feed (archived copy)"
    assert {each["provenance"] for each in tool(client, "list_topics")["topics"]} == {"curator"}
    assert {each["provenance"] for each in tool(client, "list_paths")["paths"]} == {"curator"}


def test_sources_hide_a_secret_address(client: Client) -> None:
    Source.objects.filter(slug="snapshot").update(address="https://feeds.example/list", reader="feed")
    listed = {each["source"]: each["url"] for each in tool(client, "get_person", person="edward-yang")["sources"]}
    assert listed["snapshot"] == "https://feeds.example/list"
    Podcast.objects.update(feed_access="secret")
    written_down(CUES, url="https://pod.example/vmap.vtt?token=zebra4room9wing")
    got = tool(client, "get_transcript", episode="vmap")
    assert got["transcript"]["file"] is None
    assert {each["source"]: each["url"] for each in got["sources"]}["snapshot"] is None
