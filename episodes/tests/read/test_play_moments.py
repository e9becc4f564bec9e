"""The page that plays the moments of a search, a topic or a person."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from episodes.models import Credit, Episode, Person, Topic

from .pages import Seen, see
from .test_moments import FILLER, transcribed

pytestmark = pytest.mark.usefixtures("catalog")


@pytest.fixture
def kumquats(catalog: None) -> None:
    """Two moments with sound, and one without."""
    transcribed("vmap", (0, f"A kumquat is sweet. {FILLER}"), (60, FILLER), (100, "A kumquat again, on trees."))
    transcribed("gradcheck", (0, "A silent kumquat."))
    Episode.objects.update(audio_url="")
    Episode.objects.filter(slug="vmap").update(audio_url="https://audio.example.org/vmap.mp3", duration_seconds=110)


def ranges(page: Seen) -> list[str | None]:
    return [link.attributes["href"] for link in page.tree.css("a.range")]


def test_search_plays_its_moments_with_sound(kumquats: None, client: Client) -> None:
    way = see(client, "/episodes/", q="kumquat").one("a.play-moments")
    assert (way.text(), way.attributes["href"]) == ("Play 2 moments, 28 s", "/moments/?q=kumquat")
    page = see(client, "/moments/?q=kumquat")
    assert page.one("h1").text() == "Moments with “kumquat”"
    assert page.one(".meta span").text() == "2 moments, 28 s"
    assert ranges(page) == ["/episodes/vmap/?t=0-22", "/episodes/vmap/?t=100-106"]
    assert page.tree.css(".playlist q")[1].text() == "A kumquat again, on trees."
    assert page.tree.css(".onward")[1].attributes["href"] == "/episodes/vmap/?t=100&q=kumquat#moment"
    assert page.one("link[rel=canonical]").attributes["href"] == "http://testserver/moments/?q=kumquat"


def test_reader_with_login_keeps_no_path(kumquats: None, client: Client) -> None:
    client.force_login(User.objects.create_user("reader"))
    assert "Keep as a learning path" not in see(client, "/moments/?q=kumquat").text


def test_single_moment_offers_no_playlist(kumquats: None, client: Client) -> None:
    assert see(client, "/episodes/", q="kumquat trees").tree.css(".play-moments") == []
    assert len(ranges(see(client, "/moments/?q=kumquat trees"))) == 1


def test_topic_and_person_play_their_moments(kumquats: None, client: Client) -> None:
    vmap = Episode.objects.get(slug="vmap")
    topic = vmap.topic_uses.first()
    assert topic
    Topic.objects.filter(pk=topic.topic_id).update(name="Kumquat", aliases=["again"])
    person = Person.objects.create(slug="ada", name="Kumquat")
    Credit.objects.create(episode=vmap, person=person, role="guest")
    for address, query, count in (
        (topic.topic.get_absolute_url(), f"?topic={topic.topic.slug}", 1),
        ("/people/ada/", "?person=ada", 2),
    ):
        assert len(see(client, address).tree.css(".play-moments")) == count - 1
        page = see(client, f"/moments/{query}")
        assert ranges(page)[-1] == "/episodes/vmap/?t=100-106"
        assert len(ranges(page)) == count


def test_at_most_twenty_moments_play(client: Client) -> None:
    episodes = list(Episode.objects.listed()[:8])
    Episode.objects.update(audio_url="https://audio.example.org/a.mp3")
    for episode in episodes:
        transcribed(episode.slug, *((100.0 * n, f"A kumquat number {n}. {FILLER}") for n in range(3)))
    assert see(client, "/episodes/", q="kumquat").one("a.play-moments").text() == "Play 20 moments, 10 min 20 s"
    assert len(ranges(see(client, "/moments/?q=kumquat"))) == 20


@pytest.mark.parametrize("query", ["", "?q=", "?topic=none", "?person=none", "?q=zzzz", "?q=%00", "?page=9"])
def test_page_without_moments_says_so(client: Client, query: str) -> None:
    page = see(client, f"/moments/{query}")
    assert (page.status, ranges(page)) == (200, [])
    assert "No moments with audio here." in page.text
