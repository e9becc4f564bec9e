"""Two shows side by side: each entry says whose it is, a show can be chosen, and one show alone needs none of it."""

from __future__ import annotations

import html
import json
import re
from io import StringIO
from pathlib import Path

import feedparser
import pytest
from django.core.management import call_command
from django.test import Client

from episodes.models import Episode, Podcast, Source

from ..ingest.conftest import run
from .pages import see

pytestmark = pytest.mark.usefixtures("catalog")

NAMES = ("PyTorch Developer Podcast", "Kernel Corner")
FEED = """<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>
<title>Kernel Corner</title><link>https://kernelcorner.example</link><description>Kernels.</description>
<item><title>Scheduling</title><guid>k1</guid><pubDate>Mon, 03 Jun 2024 08:00:00 GMT</pubDate><description>Who is next.</description></item>
<item><title>Memory layout</title><guid>k2</guid><pubDate>Mon, 10 Jun 2024 08:00:00 GMT</pubDate><description>Pages.</description></item>
</channel></rss>"""


@pytest.fixture
def beside(catalog: None, tmp_path: Path) -> None:
    page = tmp_path / "feed.xml"
    page.write_text(FEED)
    call_command("ingest", str(page), url="https://kernelcorner.example/feed.xml", verbosity=0)


def test_one_show_needs_no_name_and_no_choice(client: Client) -> None:
    assert "<h2>Show</h2>" not in see(client, "/episodes/").html
    assert "?podcast=" not in see(client, "/episodes/vmap/").html


@pytest.mark.usefixtures("beside")
def test_a_show_is_chosen_beside_the_list_and_named_in_words(client: Client) -> None:
    page = see(client, "/episodes/").html
    assert "<h2>Show</h2>" in page
    assert "?podcast=kernel-corner" in page
    chosen = see(client, "/episodes/", podcast="kernel-corner")
    assert len(chosen.entries) == 2
    assert "Kernel Corner: 2 episodes" in " ".join(chosen.html.split())


@pytest.mark.usefixtures("beside")
def test_every_entry_says_whose_it_is(client: Client) -> None:
    assert (
        see(client, "/episodes/", q="memory layout").html.count(
            'href="/shows/kernel-corner/"><bdi>Kernel Corner</bdi></a>'
        )
        >= 1
    )
    page = see(client, "/episodes/vmap/").html
    assert 'href="/shows/pytorch-developer-podcast/"><bdi>PyTorch Developer Podcast</bdi></a>' in page
    assert '"partOfSeries":{"@type":"PodcastSeries","name":"PyTorch Developer Podcast","url":"http://testserver' in page
    assert '/episodes/?podcast=pytorch-developer-podcast"}}' in page


@pytest.mark.usefixtures("beside")
def test_a_show_that_is_added_later_takes_no_address(client: Client) -> None:
    page = see(client, "/episodes/memory-layout/").html
    assert 'href="/shows/pytorch-developer-podcast/"><bdi>PyTorch Developer Podcast</bdi></a>' in page
    assert "This address was once" not in page
    (later,) = Episode.objects.filter(podcast__slug="kernel-corner", title="Memory layout")
    assert re.fullmatch("memory-layout-[0-9a-f]{8}", later.slug)


@pytest.mark.usefixtures("beside")
def test_shows_stand_in_the_order_in_which_they_were_added(client: Client) -> None:
    """The later one would come first by the alphabet."""
    choices = see(client, "/episodes/").tree.css(".facets a[href*='podcast=']:not([href*='source='])")
    assert ["kernel" in (choice.attributes["href"] or "") for choice in choices] == [False, True]
    lines = [line.text() for line in see(client, "/sources/").tree.css("summary > b")]
    assert list(dict.fromkeys(line.partition(" · ")[0] for line in lines)) == list(NAMES)
    for address, pattern in (
        ("/shows.opml", '<outline text="({})">'),
        ("/about/", "<bdi>({})</bdi> has [0-9]+ episode"),
    ):
        assert re.findall(pattern.format("|".join(NAMES)), see(client, address).html) == list(NAMES)
    covers = [link.attributes["href"] for link in see(client, "/shows/").tree.css(".shows a[href^='/shows/']")]
    assert list(dict.fromkeys(covers)) == ["/shows/pytorch-developer-podcast/", "/shows/kernel-corner/"]


@pytest.mark.usefixtures("beside")
def test_an_export_does_not_depend_on_which_show_was_added_first() -> None:
    out = StringIO()
    call_command("export", stdout=out)
    slugs = [show["slug"] for show in json.loads(out.getvalue())["podcasts"]]
    assert slugs == ["kernel-corner", "pytorch-developer-podcast"]


@pytest.mark.usefixtures("beside")
@pytest.mark.parametrize("address", ["/episodes/", "/episodes.rss", "/episodes.atom", "/episodes.json"])
@pytest.mark.parametrize("most", [50, 1])
def test_a_list_of_one_show_is_titled_by_its_name(
    client: Client, monkeypatch: pytest.MonkeyPatch, address: str, most: int
) -> None:
    monkeypatch.setattr("episodes.site.MOST_SHOWS", most + 1)
    Podcast.objects.create(slug="aside", title="Aside")
    text = client.get(address, {"podcast": "kernel-corner", "year": "2024"}).content.decode()
    named = re.search(r"<title>([^<]*)|\"title\": \"([^\"]*)|PLAYLIST:(.*)", text)
    assert named is not None
    assert "Kernel Corner" in named[0]
    assert "kernel-corner" not in named[0]


@pytest.mark.usefixtures("beside")
def test_the_list_of_one_show_tells_machines_of_that_show_alone(client: Client) -> None:
    assert client.get("/episodes/").content.count(b'"PodcastSeries"') == 2
    page = client.get("/episodes/", {"podcast": "kernel-corner"}).content.decode()
    assert page.count('"PodcastSeries"') == 1
    assert '"name":"Kernel Corner","url":"http://testserver/episodes/?podcast=kernel-corner"' in page


@pytest.mark.usefixtures("beside")
def test_a_source_is_named_with_its_show(client: Client) -> None:
    feeds = see(client, "/episodes/?source=feed&podcast=kernel-corner")
    assert len(feeds.entries) == 2
    assert "listed by The show's RSS feed" in feeds.text
    assert "PyTorch Developer Podcast · " not in see(client, "/episodes/vmap/").html
    lines = see(client, "/sources/").tree.css("h2.of-show, summary > b")
    assert lines[0].text() == "PyTorch Developer Podcast · The show's RSS feed"
    Source.objects.get(podcast__slug="kernel-corner").runs.update(outcome="failed", reason="no answer")
    lines = see(client, "/sources/").tree.css("h2.of-show, summary > b")[:2]
    assert [line.text() for line in lines] == ["In trouble", "Kernel Corner · The show's RSS feed"]


def test_a_source_of_the_only_show_is_named_alone(client: Client) -> None:
    for address in ("/episodes/", "/episodes/vmap/", "/sources/"):
        assert "PyTorch Developer Podcast · The" not in html.unescape(see(client, address).html)


def test_the_command_names_the_show_where_there_are_several(beside: None, tmp_path: Path) -> None:
    again = run(tmp_path / "feed.xml", url="https://kernelcorner.example/feed.xml")
    assert again.out.startswith("kernel-corner · feed: 2 items: 0 new, 2 matched")
    (tmp_path / "feed.xml").write_text(FEED[:300])
    refused = run(tmp_path / "feed.xml", url="https://kernelcorner.example/feed.xml")
    assert refused.err.startswith("kernel-corner · feed: refused: ")


def test_what_changed_is_told_with_the_show(beside: None, tmp_path: Path, client: Client) -> None:
    (tmp_path / "feed.xml").write_text(FEED.replace("Memory layout", "Memory layouts"))
    run(tmp_path / "feed.xml", url="https://kernelcorner.example/feed.xml")
    title = Source.objects.get(podcast__slug="kernel-corner").title
    for address in ("/changes/", "/changes.rss"):
        assert f"Kernel Corner · {title}" in html.unescape(client.get(address).content.decode())
    feed = feedparser.parse(client.get("/changes.rss").content)
    assert not feed.bozo
    own = [link.href for link in feed.feed.links if link.rel == "self"]
    assert own == ["http://testserver/changes.rss"]
