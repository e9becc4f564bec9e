"""Two shows side by side: each entry says whose it is, a show can be chosen, and one show alone needs none of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

from .pages import see

pytestmark = pytest.mark.usefixtures("catalog")

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
    assert "2 episodes of Kernel Corner" in " ".join(chosen.html.split())


@pytest.mark.usefixtures("beside")
def test_every_entry_says_whose_it_is(client: Client) -> None:
    assert see(client, "/episodes/", q="memory layout").html.count('podcast=kernel-corner">Kernel Corner</a>') >= 1
    page = see(client, "/episodes/vmap/").html
    assert 'podcast=pytorch-developer-podcast">PyTorch Developer Podcast</a>' in page
    assert '"partOfSeries":{"@type":"PodcastSeries","name":"PyTorch Developer Podcast","url":"http://testserver' in page
    assert '/episodes/?podcast=pytorch-developer-podcast"}}' in page


@pytest.mark.usefixtures("beside")
def test_an_address_that_another_show_took_leads_on_to_the_episode_that_had_it(client: Client) -> None:
    page = see(client, "/episodes/memory-layout/").html
    assert "This address was once that of" in page
    assert '<a href="/episodes/memory-layout-45/">Memory layout</a>, PyTorch Developer Podcast' in page
    assert "This address was once" not in see(client, "/episodes/memory-layout-45/").html
