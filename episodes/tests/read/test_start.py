"""The start page: what the site is, the first steps into it, and the ways to follow it."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from episodes.models import (
    CodeName,
    Episode,
    EpisodeCount,
    Image,
    LearningPath,
    Link,
    LoadedPath,
    PathEpisode,
    PathStep,
    Person,
    Podcast,
    Source,
    SourceSchedule,
    Topic,
    Transcript,
)
from episodes.outputs.covers import cover_data_url
from episodes.text.formatting import format_total_length
from episodes.views.shows import find_episode_to_begin_with

from ..tables import cases
from .pages import Seen, first, see
from .rows import complete

CASES = cases("read_start")

pytestmark = pytest.mark.usefixtures("catalog")


def test_the_start_page_says_what_it_is(client: Client) -> None:
    page = see(client, "/")
    show = Podcast.objects.get()
    assert [page.one(name).text() for name in ("h1", "title")] == ["PyTorch Developer Podcast"] * 2
    assert page.one("meta[property='og:title']").attributes["content"] == "PyTorch Developer Podcast"
    for name in ("meta[name=description]", "meta[property='og:description']"):
        assert page.one(name).attributes["content"] == show.description
    assert show.description in page.text
    for words in ("Hosted by Edward Yang", "82 episodes", "13+ hours"):
        assert words in page.one(".opening").text()
    assert page.entries == see(client, "/episodes/").entries[:10]
    assert page.tree.css(".facets a[href='/episodes/?topic=autograd']")
    paths = list(LearningPath.objects.published())
    begin = [a.attributes["href"] for a in page.tree.css(".begin a")]
    assert begin == [f"/episodes/{paths[0].well_formed_steps[0].episode}/", page.entries[0]]
    routes = page.tree.css(".path-list li")
    assert [first(row, "a").attributes["href"] for row in routes] == [path.get_absolute_url() for path in paths]
    assert [first(row, "p").text() for row in routes] == [path.description for path in paths]
    assert see(client, "/?utm_source=mail").one("link[rel=canonical]").attributes["href"] == "http://testserver/"


@pytest.mark.parametrize("query", ["q=vmap", "topic=autograd", "page=2", "sort=oldest", "nonsense=1", "q=%22a%26b%22"])
def test_with_filters_the_start_page_is_the_list(client: Client, query: str) -> None:
    answer = client.get(f"/?{query}")
    assert (answer.status_code, answer["Location"]) == (302, f"/episodes/?{query}")


def test_first_step_falls_back_to_oldest(client: Client) -> None:
    LearningPath.objects.all().delete()
    show, other = Podcast.objects.get(), Podcast.objects.create(slug="other", title="Other Show")
    rows = list(Episode.objects.order_by("-order")[:12])
    foreign, unlisted, trailer, bonus = (*rows[:3], rows[11])
    Episode.objects.filter(pk=foreign.pk).update(podcast=other)
    Episode.objects.filter(pk=unlisted.pk).update(listed=False)
    Episode.objects.filter(pk=trailer.pk).update(episode_type="trailer")
    Episode.objects.filter(pk=bonus.pk).update(episode_type="bonus")
    oldest = Episode.objects.filter(podcast=show, listed=True).order_by("order")[0]
    assert find_episode_to_begin_with([], show) == oldest
    step = PathEpisode(1, rows[3], PathStep(rows[3].slug, ""))
    path = LoadedPath(LearningPath(), [step])
    assert find_episode_to_begin_with([path], show) == rows[3]
    assert find_episode_to_begin_with([], other) == foreign
    Episode.objects.filter(podcast=other).delete()
    assert find_episode_to_begin_with([], other) is None


def test_menu_hides_empty_pages(client: Client) -> None:
    def leads() -> list[str | None]:
        page = see(client, "/about/")
        return [a.attributes["href"] for a in page.tree.css("header nav a, footer nav:first-of-type a")]

    everything = ["/episodes/", "/topics/", "/paths/", "/links/", "/timeline/", "/people/", "/names/", "/time/"]
    assert leads() == everything
    Topic.objects.all().delete()
    LearningPath.objects.all().delete()
    for model in (Link, Person, CodeName):
        model.objects.update(episode_count=0)
    assert leads() == ["/episodes/", "/timeline/", "/time/"]


@pytest.mark.parametrize("seconds, timed, words", CASES["total_length_is_rounded_for_people"])
def test_total_length_is_rounded_for_people(seconds: int, timed: int, words: str) -> None:
    assert format_total_length({"episodes": 4, "timed": timed, "seconds": seconds}) == words


def test_subscribing_uses_the_shows_feed(client: Client) -> None:
    links = {a.text(): a.attributes["href"] or "" for a in see(client, "/").tree.css(".subscribe a")}
    assert links["RSS"] == Podcast.objects.get().feed_url
    assert links["Overcast"].startswith("overcast://x-callback-url/add?url=https%3A%2F%2F")
    assert links["RSS of this catalog"] == "http://testserver/episodes.rss"
    page = see(client, "/topics/autograd/").one(".subscribe")
    links = {a.text(): a.attributes["href"] or "" for a in page.css("a")}
    assert links["Pocket Casts"] == "pktc://subscribe/testserver/topics/autograd.rss"
    assert "1 of 6 here" in page.text()
    people = see(client, "/people/edward-yang/").one(".subscribe")
    assert "http://testserver/people/edward-yang.rss" in [a.attributes["href"] for a in people.css("a")]


def test_several_shows_start_with_covers(client: Client, settings: Any) -> None:
    Image.objects.create(address="https://pictures.example/o.jpg", name=f"{'a' * 32}-{'1' * 8}", width=96, height=96)
    other = Podcast.objects.create(slug="other", title="Other Show", image_url="https://pictures.example/o.jpg")
    newest, heard = Episode.objects.newest_first()[:2]
    Episode.objects.filter(pk=heard.pk).update(podcast=other, audio_url="https://audio.example/a.mp3", listed=True)
    page = see(client, "/")
    assert page.one("title").text() == "Podcast catalog"
    assert page.one("h1").text() == "Search 2 podcasts at once, or get a playlist for the time you have"
    assert page.one(".subscribe summary").text() == "Subscribe to all 2 shows"
    rows = page.tree.css(".shows li")
    assert [[a.attributes["href"] for a in row.css("a")] for row in rows] == [
        ["/shows/pytorch-developer-podcast/", newest.get_absolute_url()],
        ["/shows/other/", heard.get_absolute_url(), heard.get_absolute_url()],
    ]
    assert rows[1].css("a.play")
    covers = [image.attributes["src"] for image in page.tree.css(".shows img")]
    # A drawn cover needs no request.
    assert covers == [cover_data_url("60de5e3916eb9e3e"), f"/media/{'a' * 32}-{'1' * 8}-150.webp"]
    assert page.tree.css("article img[src$='-150.webp']")
    assert not see(client, "/shows/other/").tree.css("article img")
    assert "All about podcasts" not in page.html
    settings.SITE_NAME, settings.SITE_DESCRIPTION = "Our podcasts", "All about podcasts"
    page = see(client, "/")
    assert page.one(".masthead .name").text() == "Our podcasts"
    assert page.one(".lead").text() == page.one("meta[name=description]").attributes["content"] == "All about podcasts"


def test_headline_counts_languages(client: Client) -> None:
    Podcast.objects.create(slug="other", title="Other Show", language="sv-SE")
    Podcast.objects.create(slug="silent", title="Silent Show", language="")
    Episode.objects.update(duration_seconds=None)
    complete()
    assert see(client, "/").one("h1").text() == "Search 3 podcasts in 2 languages at once"


def test_only_show_is_named_once(client: Client, settings: Any) -> None:
    assert see(client, "/").one(".masthead .name").attributes["class"] == "name hidden"
    assert see(client, "/episodes/").one(".masthead .name").attributes["class"] == "name"
    settings.SITE_NAME = "Our podcasts"
    assert see(client, "/").one(".masthead .name").attributes["class"] == "name"


def test_promise_follows_the_catalog(client: Client) -> None:
    def examples(page: Seen) -> list[list[str]]:
        return [[part.text() for part in row.css("small, span")] for row in page.tree.css(".promise li")]

    page = see(client, "/")
    line = "The notes, links, topics, symbols and people of 82 episodes are searchable."
    assert line in page.one(".promise p").text()
    assert examples(page) == [
        ["Try a symbol", "AOTAutograd", "4 episodes"],
        ["Try a topic", "PyTorch 2", "8 episodes"],
        ["Try a link", "aten/src/ATen/native/README.md", "Source file, 2 episodes"],
    ]
    for link in page.tree.css(".promise a"):
        assert see(client, link.attributes["href"] or "").entries
    vmap = Episode.objects.get(slug="vmap")
    sentence = "So what is vmap, and why would anybody want to write loops without it?"
    Transcript.objects.create(episode=vmap, text=sentence, cues=[[754, "", sentence]], sha256="0")
    page = see(client, "/")
    assert "are searchable, and every word of 1 transcript. Find the" in page.one(".promise p").text()
    assert examples(page)[0] == ["Try a sentence", sentence, "vmap, at 12:34"]
    Episode.objects.exclude(slug="vmap").update(listed=False)
    complete()
    assert "Every word of 1 episode is searchable." in see(client, "/").one(".promise p").text()


def test_small_catalog_offers_titles(client: Client) -> None:
    for model in (Link, Person, CodeName):
        model.objects.update(episode_count=0)
    Topic.objects.all().delete()
    page = see(client, "/")
    addresses = [a.attributes["href"] or "" for a in page.tree.css(".promise a")]
    assert addresses[0] == "/episodes/?q=Compiler+collectives"
    assert see(client, addresses[0]).entries[0] == "/episodes/compiler-collectives/"


def test_start_page_makes_a_playlist(client: Client) -> None:
    form = see(client, "/").one("form.minutes")
    assert form.attributes["action"] == "/time/"
    assert first(form, "input").attributes["value"] == "45"
    Episode.objects.update(duration_seconds=None)
    complete()
    assert not see(client, "/").tree.css("form.minutes")


def test_administrator_loads_the_live_feed(client: Client, django_user_model: Any) -> None:
    def forms() -> list[str]:
        return [form.attributes["action"] or "" for form in see(client, "/").tree.css("form.import")]

    feed = Source.objects.get(slug="feed")
    assert forms() == []
    client.force_login(django_user_model.objects.create_user("reader"))
    assert forms() == []
    client.force_login(django_user_model.objects.create_superuser("administrator"))
    assert forms() == [f"/admin/episodes/source/{feed.pk}/read/"]
    assert "81 of 82 episodes have no audio yet" in see(client, "/").one("form.import").text()
    assert "private" in client.get("/").headers["Cache-Control"]
    SourceSchedule.objects.update_or_create(source=feed, defaults={"changed_at": datetime(2026, 1, 1, tzinfo=UTC)})
    assert forms() == []


def test_an_empty_catalog_has_a_start_page(client: Client) -> None:
    Episode.objects.all().delete()
    EpisodeCount.objects.all().delete()
    page = see(client, "/")
    assert "No episodes yet. The site’s owner can add a show" in page.text
    assert not page.tree.css(".begin, .subscribe, .timeline")
    Podcast.objects.update(description="", author="", feed_url="", site_url="")
    assert see(client, "/").status == 200
    show = Podcast.objects.get().slug
    assert see(client, f"/episodes/?podcast={show}").one("h1").text().endswith(": No episodes")
    assert not see(client, f"/shows/{show}/").tree.css(".begin, .subscribe, .timeline, .seek")


def test_all_episodes_are_linked_if_more(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    for newest, heading in ((10, "Newest episodes"), (81, "Newest episodes"), (82, "Episodes"), (83, "Episodes")):
        monkeypatch.setattr("episodes.views.shows.NEWEST_EPISODES", newest)
        page = see(client, "/")
        assert page.one("#newest").text() == heading
        assert ("All 82 episodes" in page.text) == (newest < 82)
