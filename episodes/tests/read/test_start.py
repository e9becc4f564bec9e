"""The start page: what the site is, the first steps into it, and the ways to follow it."""

from __future__ import annotations

import pytest
from django.test import Client

from episodes.models import Episode, EpisodeCount, LearningPath, Podcast, Reference
from episodes.outputs import app_links
from episodes.views.lists.start import basics

from .pages import see

pytestmark = pytest.mark.usefixtures("catalog")


def test_the_start_page_says_what_it_is(client: Client) -> None:
    page = see(client, "/")
    assert page.one("h1").text() == "PyTorch Developer Podcast: all 82 episodes"
    assert page.one("title").text() == "PyTorch Developer Podcast: all 82 episodes"
    assert page.one("meta[property='og:title']").attributes["content"] == page.one("title").text()
    assert Podcast.objects.get().description in page.text
    assert "Hosted by Edward Yang" in page.text


def test_a_shared_link_to_a_filtered_list_names_the_show(client: Client) -> None:
    page = see(client, "/episodes/?topic=autograd")
    named = "6 episodes about Autograd · PyTorch Developer Podcast"
    assert page.one("title").text() == named
    assert page.one("meta[property='og:title']").attributes["content"] == named


def test_three_doors_lead_on(client: Client) -> None:
    page = see(client, "/")
    assert [door.text() for door in page.tree.css(".door > h2")] == ["Start here", "What’s new", "Playlist by time"]
    doors = [[a.attributes["href"] for a in door.css("a")] for door in page.tree.css(".door")]
    assert doors[0] == [*(path.get_absolute_url() for path in LearningPath.objects.shown()[:3]), "/paths/"]
    assert doors[1] == page.entries[:3]
    assert "/time/?minutes=45" in doors[2]


@pytest.mark.parametrize("count, leads_on", [(8, False), (9, True)])
def test_more_shows_than_the_start_page_lists_are_one_link_away(client: Client, count: int, leads_on: bool) -> None:
    for number in range(count):
        Podcast.objects.create(slug=f"show-{number}", title=f"Show {number}", rank=number + 2)
    page = see(client, "/")
    assert len(page.tree.css(".shows small")) == 9
    assert ("All shows" in page.one(".shows").text()) == leads_on


def test_the_doors_are_on_the_start_page_alone(client: Client) -> None:
    for address in ("/episodes/", "/?year=2021", "/?page=2", "/?sort=oldest"):
        assert not see(client, address).tree.css(".door"), address


def test_without_learning_paths_one_starts_with_what_several_others_name_as_prerequisite(client: Client) -> None:
    LearningPath.objects.all().delete()
    basic, *others = Episode.objects.order_by("-order")[:3]
    for other in others:
        Reference.objects.create(episode=other, target=basic, kind="prerequisite")
    assert see(client, "/").one(".door a").attributes["href"] == basic.get_absolute_url()


def test_the_first_steps_are_listed_episodes_of_the_show_the_most_needed_first(client: Client) -> None:
    LearningPath.objects.all().delete()
    ordered = list(Episode.objects.order_by("-order")[:12])
    show, other = Podcast.objects.get(), Podcast.objects.create(slug="other", title="Other Show")
    foreign, unlisted, *needed = ordered[:5]
    for target, times in ((foreign, 7), (unlisted, 6), (needed[0], 2), (needed[1], 4), (needed[2], 3)):
        for episode in ordered[5 : 5 + times]:
            Reference.objects.create(episode=episode, target=target, kind="prerequisite")
    Episode.objects.filter(pk=foreign.pk).update(podcast=other)
    Episode.objects.filter(pk=unlisted.pk).update(listed=False)
    found = basics(show)
    assert [episode.slug for episode in found] == [needed[1].slug, needed[2].slug, needed[0].slug]


def test_subscribing_takes_the_own_feed_of_the_show_to_the_apps(client: Client) -> None:
    links = {a.text(): a.attributes["href"] or "" for a in see(client, "/").tree.css(".subscribe a")}
    assert links["RSS"] == Podcast.objects.get().feed_url
    assert links["Overcast"].startswith("overcast://x-callback-url/add?url=https%3A%2F%2F")
    assert links["RSS of this catalog"] == "http://testserver/episodes.rss"


def test_subscribing_to_a_topic_says_how_many_episodes_an_app_will_show(client: Client) -> None:
    page = see(client, "/topics/autograd/").one(".subscribe")
    links = {a.text(): a.attributes["href"] or "" for a in page.css("a")}
    assert links["Pocket Casts"] == "pktc://subscribe/testserver/topics/autograd.rss"
    assert "1 of 6 here" in page.text()
    people = see(client, "/people/edward-yang/").one(".subscribe")
    assert "http://testserver/people/edward-yang.rss" in [a.attributes["href"] for a in people.css("a")]


def test_a_feed_opens_in_each_app() -> None:
    assert [link.name for link in app_links("https://example.org/a?b=c&d")] == [
        "Apple Podcasts", "Overcast", "Pocket Casts", "AntennaPod",
    ]  # fmt: skip
    assert app_links("https://example.org/a?b=c&d")[1].address.endswith("url=https%3A%2F%2Fexample.org%2Fa%3Fb%3Dc%26d")


def test_a_site_with_several_shows_names_them(client: Client) -> None:
    other = Podcast.objects.create(slug="other", title="Other Show", description="Something else.")
    page = see(client, "/")
    assert page.one("h1").text() == "Podcast catalog: all 82 episodes"
    assert [a.attributes["href"] for a in page.tree.css(".shows a")] == [
        show.get_absolute_url() for show in (Podcast.objects.first(), other) if show
    ]
    assert all("PyTorch Developer Podcast" in row.text() for row in page.tree.css(".door:has(.of) li"))
    assert see(client, "/episodes/?podcast=other").one("h1").text() == "Other Show: no episodes yet"


def test_an_empty_catalog_has_a_start_page(client: Client) -> None:
    Episode.objects.all().delete()
    EpisodeCount.objects.all().delete()
    page = see(client, "/")
    assert "No episodes yet. Whoever runs this site can add a show" in page.text
    assert not page.tree.css(".door, .subscribe")
    Podcast.objects.update(description="", author="", feed_url="", site_url="")
    assert see(client, "/").status == 200


def test_the_list_can_be_reached_past_the_filters(client: Client) -> None:
    for address in ("/", "/episodes/?q=zzzz"):
        page = see(client, address)
        assert page.one("a.skip").attributes["href"] == "#episodes"
        assert page.one("#episodes").attributes["tabindex"] == "-1"


def test_the_foot_names_the_show_in_the_data(client: Client) -> None:
    Podcast.objects.update(title="Bees")
    assert (
        "An unofficial index of the show “Bees”, compiled from its feed" in see(client, "/about/").one("footer").text()
    )


def test_a_topic_page_repeats_neither_its_own_name_nor_its_dot(client: Client) -> None:
    page = see(client, "/topics/autograd/")
    assert not page.tree.css("article a[href='/topics/autograd/'], .opening > .dot")
    kicker = see(client, "/topics/dispatcher/").one(".opening > .dot a")
    anchor = (kicker.attributes["href"] or "").partition("#")[2]
    assert see(client, "/topics/").tree.css(f"#{anchor}")
