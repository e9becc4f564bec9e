"""Good moments: chosen by curators for topics, on their pages, in feeds, through merges and undo."""

from xml.etree import ElementTree

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from episodes import curation
from episodes.curation import InvalidChange
from episodes.models import Change, Decision, Episode, Podcast, Topic, Transcript, decided_moments, moments_of_topic
from episodes.records import FetchedDocument

from ..admin.conftest import at, do, episode, logged_in, said, talks
from ..ingest.conftest import run
from ..read.pages import first, see
from ..tables import cases
from .conftest import curator, feed

CASES = cases("curation_moments")

__all__ = ["curator", "talks"]

PODCAST = "{https://podcastindex.org/namespace/1.0}"


def shown(slug: str = "household") -> list[tuple[str, str, str]]:
    return [(one.episode.title[-1], one.time_range, one.label) for one in moments_of_topic([slug])]


@pytest.fixture
def kettles(talks: Podcast, curator: User) -> Podcast:
    curation.add_list_entry(curator, episode(0), "moment", "Household 324-341", "The kettle sings")
    return talks


def test_moment_is_on_topic_page_and_history(kettles: Podcast, client: Client) -> None:
    page = see(client, "/topics/household/")
    line = page.one(".moments li")
    assert " ".join(line.text().split()) == "The kettle sings All about kettles 0, 5:24–5:41"
    assert [link.attributes["href"] for link in line.css("a")] == [
        episode(0).get_absolute_url(),
        f"{episode(0).get_absolute_url()}?t=324-341",
    ]
    assert curation.episode_changes(episode(0))[0].told == [["moment", "", "Household 5:24–5:41 The kettle sings"]]
    assert not see(client, "/topics/").tree.css(".moments")


def test_moment_goes_returns_and_follows_its_entry(kettles: Podcast, curator: User) -> None:
    there = [("0", "5:24–5:41", "The kettle sings")]
    run("rebuild")
    assert shown() == there
    curation.merge_episodes(curator, episode(1), episode(0))
    assert [one[1:] for one in shown()] == [("5:24–5:41", "The kettle sings")]
    curation.undo_change(curator, Change.objects.get(verb="merge"))
    curation.withdraw_episode(curator, episode(0), "no-episode")
    assert shown() == []
    curation.undo_change(curator, Change.objects.latest("id"))
    assert shown() == there
    curation.remove_list_entry(curator, episode(0), "moment", "household 324-341")
    assert shown() == []
    curation.end_removal_of_list_entry(curator, episode(0), "moment", "household 324-341")
    curation.add_list_entry(curator, episode(0), "moment", "household 324-341", "The kettle sings")
    assert shown() == there
    curation.undo_change(curator, Change.objects.latest("id"))
    assert shown() == []


def test_moment_follows_merged_topic(kettles: Podcast, curator: User, client: Client) -> None:
    other = Topic.objects.create(slug="kitchen", name="Kitchen")
    curation.merge_topics(curator, Topic.objects.get(slug="household"), other)
    assert len(see(client, "/topics/kitchen/").tree.css(".moments li")) == 1
    # The same moment under the topic's new name takes the place of this one.
    curation.add_list_entry(curator, episode(0), "moment", "kitchen 324-341", "Steam")
    assert curation.episode_changes(episode(0))[0].told == [["moment", "The kettle sings", "Kitchen 5:24–5:41 Steam"]]
    assert [row.detail for row in Decision.objects.in_force("moment")] == ["Steam"]


@pytest.mark.parametrize("key", CASES["what_is_no_part_of_an_episode_or_no_topic_is_refused"])
def test_invalid_moment_is_refused(talks: Podcast, curator: User, key: str) -> None:
    with pytest.raises(InvalidChange, match="choose a topic"):
        curation.add_list_entry(curator, episode(0), "moment", key)
    assert not Decision.objects.exists()
    curation.add_list_entry(curator, episode(0), "moment", "household 0-180")


def test_moments_are_grouped_by_episode_topic_show(kettles: Podcast, curator: User) -> None:
    curation.add_list_entry(curator, episode(0), "moment", "household 10-20")
    curation.add_list_entry(curator, episode(1), "moment", "household 1-2", "Ladders")
    curation.add_list_entry(curator, episode(0), "moment", "household 324-341", "It whistles")
    assert sorted(shown()) == [("0", "0:10–0:20", ""), ("0", "5:24–5:41", "It whistles"), ("1", "0:01–0:02", "Ladders")]
    first = episode(0)
    boss = User.objects.create_superuser("boss")
    late = curation.add_show(boss, FetchedDocument(feed(range(2), name="Late Talks"), "https://late.example/feed"))
    curation.add_list_entry(
        curator, Episode.objects.get(podcast=late, title__endswith=" 0"), "moment", "household 1-2", "Late"
    )
    assert [one.start for one in decided_moments(podcast=kettles) if one.episode == first] == [10, 324]
    labels = {(one.episode.podcast.title, one.label) for one in decided_moments()}
    of_small = {("Small Talks", label) for label in ("", "It whistles", "Ladders")}
    assert labels == {*of_small, ("Late Talks", "Late")}


def test_feeds_carry_it_as_a_soundbite(kettles: Podcast, curator: User, client: Client) -> None:
    curation.add_list_entry(curator, episode(1), "moment", "household 10-20", "<b>&" + "x" * 200)
    root = ElementTree.fromstring(client.get("/episodes.rss").content)
    bites = {
        item.findtext("title", "")[-1]: [(bite.attrib, bite.text) for bite in item.iter(f"{PODCAST}soundbite")]
        for item in root.iter("item")
    }
    assert bites.pop("0") == [({"startTime": "324.0", "duration": "17.0"}, "The kettle sings")]
    assert bites.pop("1") == [({"startTime": "10.0", "duration": "10.0"}, "<b>&" + "x" * 124)]
    assert not any(bites.values())


def test_moment_is_added_and_removed_in_form(talks: Podcast, curator: User) -> None:
    admin = logged_in(curator)
    typed = {"new_about": "household", "new_start": "5:24", "new_end": "341", "new_quote": "Sings"}
    told = said(admin.post(at(episode(0)), typed, follow=True))
    assert "Added to the moments." in told
    assert shown() == [("0", "5:24–5:41", "Sings")]
    again = {**typed, "new_quote": "Whistles"}
    told = said(admin.post(at(episode(0)), again, follow=True))
    assert "Added to the moments." in told
    admin.post(at(episode(0)), typed)
    assert "household 5:24–5:41" in said(admin.get(at(episode(0))))
    page = said(admin.get(reverse("admin:episodes_topic_change", args=(Topic.objects.get(slug="household").pk,))))
    assert "5:24–5:41</a> Sings" in page
    admin.post(do(episode(0), "remove", kind="moment", key="household 324-341"))
    assert shown() == []
    curation.override_fields(curator, episode(0), {"duration_seconds": "100"})
    for end, is_within in (("1:41", False), ("1:40", True)):
        admin.post(at(episode(0)), {"new_about": "household", "new_start": "1:30", "new_end": end})
        assert bool(shown()) == is_within


def test_topic_page_has_its_densest_passages(talks: Podcast, curator: User, client: Client) -> None:
    Topic.objects.filter(slug="household").update(aliases=["home economics (HE)"])
    words = {
        0: "Of the household, and of home economics.",
        1: "A household, once.",  # too seldom
        2: "HE and a household and a household.",
    }
    for n in words:
        curation.add_list_entry(curator, episode(n), "topic", "household")
    say(words)
    lines = see(client, "/topics/household/").tree.css(".moments li")
    assert [first(line, "q").text() for line in lines] == [words[2], words[0]]
    address = lines[0].css("a")[-1].attributes["href"]
    assert address == f"{episode(2).get_absolute_url()}?t=7-10"
    # Chosen ones come first, and stand for their episode.
    curation.add_list_entry(curator, episode(0), "moment", "household 3-4", "Chosen")
    say(words)
    lines = see(client, "/topics/household/").tree.css(".moments li")
    assert [first(line, "q").text() for line in lines] == ["Chosen", words[2]]


def test_topic_page_has_two_moments_an_episode(talks: Podcast, curator: User, client: Client) -> None:
    for n in range(4):
        curation.add_list_entry(curator, episode(n), "topic", "household")
    say({3: f"A household and a household. {'Of other things we talk here. ' * 14}" * 3})
    section = see(client, "/topics/household/").one(".entries")
    kinds = [node.tag for node in section.iter() if node.tag in ("article", "section")]
    assert kinds == ["article", "article", "article", "section", "article"]
    lines = section.css(".moments li")
    assert len(lines) == 2
    say({3: f"A household and a household {'and of other things that we talk of ' * 8}, a household and a household."})
    assert len(see(client, "/topics/household/").tree.css(".moments li")) == 1


def say(words: dict[int, str]) -> None:
    """Give episodes transcripts without evidence, which an import would take away."""
    for n, text in words.items():
        values = {"url": "", "sha256": "", "text": text, "cues": [[7, "", text]]}
        Transcript.objects.update_or_create(episode=episode(n), defaults=values)
