"""A show that counts by seasons, from its feed to pages, lists, exports and a curator's decisions, and back."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest
from django.contrib.auth.models import User
from django.test import Client

from episodes.curation import add_episode, apply_sheet, override, read_sheet, release, undo, write_sheet
from episodes.models import Change, Decision, Episode, Podcast, Source

from ..curation.conftest import administrator, curator, small
from ..ingest.conftest import export, run
from .pages import see

__all__ = ["administrator", "curator", "small"]
pytestmark = pytest.mark.django_db

ITUNES = "{http://www.itunes.com/dtds/podcast-1.0.dtd}"
WORDS = ("kettles", "ladders", "mirrors", "needles", "organs", "pianos")
EPISODES = [(1, 1), (1, 2), (2, 1), (2, 2)]


def feed(*, seasons: bool = True, titled: bool = False) -> str:
    """A feed of two seasons that both count from 1, newest first; `titled`: only its titles say so."""
    items = ""
    for place, (season, number) in reversed(list(enumerate(EPISODES))):
        title = f"All about {WORDS[place]}"
        counted = f"<itunes:episode>{number}</itunes:episode>" + (
            f"<itunes:season>{season}</itunes:season>" if seasons else ""
        )
        items += (
            f"<item><title>{f'S{season}E{number}: {title}' if titled else title}</title>{'' if titled else counted}"
            f"<pubDate>{place + 1:02} May 2021 13:00:00 GMT</pubDate><guid isPermaLink='false'>small-{place}</guid>"
            f"<description>What {WORDS[place]} are made of, where they come from and who needs them.</description></item>"
        )
    return (
        '<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>'
        f"<title>Small Talks</title>{items}</channel></rss>"
    )


def ingest(tmp_path: Path, text: str, source: str = "feed") -> None:
    (tmp_path / "feed.xml").write_text(text)
    assert run(tmp_path / "feed.xml", "--source", source).code == 0


@pytest.fixture
def seasons(small: Podcast, tmp_path: Path) -> Podcast:
    ingest(tmp_path, feed())
    return small


def counted() -> list[tuple[str, int | None, int | None]]:
    rows = Episode.objects.order_by("order").values_list("title", "season", "number")
    return [(title.split()[-1], season, number) for title, season, number in rows]


def test_a_feed_with_seasons_becomes_a_catalog_in_their_order(seasons: Podcast) -> None:
    assert counted() == [("kettles", 1, 1), ("ladders", 1, 2), ("mirrors", 2, 1), ("needles", 2, 2)]
    assert not Episode.objects.exclude(conflicts=[]).exists()


def test_titles_that_say_season_and_number_do_as_well(small: Podcast, tmp_path: Path) -> None:
    ingest(tmp_path, feed(titled=True))
    assert counted() == [("kettles", 1, 1), ("ladders", 1, 2), ("mirrors", 2, 1), ("needles", 2, 2)]


def test_pages_and_lists_say_season_and_number(seasons: Podcast, client: Client) -> None:
    page = see(client, "/episodes/all-about-mirrors/")
    assert page.one(".opening .number").text() == "Episode S2 E1"
    assert page.one("a[rel=prev]").text().startswith("S1 E2")
    assert page.one("a[rel=next]").text().startswith("S2 E2")
    assert "episode S2 E1" in page.text
    listed = see(client, "/episodes/")
    assert [node.text() for node in listed.tree.css("article .number")] == ["S2 E2", "S2 E1", "S1 E2", "S1 E1"]
    assert "Season" in page.one(".provenance").text()


def test_a_show_without_seasons_does_not_speak_of_them(small: Podcast, tmp_path: Path, client: Client) -> None:
    ingest(tmp_path, feed(seasons=False))
    page = see(client, "/episodes/all-about-mirrors/")
    assert "season" not in page.html.lower()
    assert "itunes:season" not in client.get("/episodes.rss").content.decode()


def test_export_feeds_and_structured_data_carry_the_season(seasons: Podcast, client: Client) -> None:
    (mirrors,) = [e for e in json.loads(export())["episodes"] if e["slug"] == "all-about-mirrors"]
    assert list(mirrors)[:5] == ["podcast", "slug", "title", "number", "season"]
    assert (mirrors["number"], mirrors["season"]) == (1, 2)
    rows = list(csv.DictReader(io.StringIO(client.get("/episodes.csv").content.decode())))
    assert [(row["season"], row["number"]) for row in rows] == [("2", "2"), ("2", "1"), ("1", "2"), ("1", "1")]
    items = fromstring(client.get("/episodes.rss").content).iter("item")
    assert [item.findtext(f"{ITUNES}season") for item in items] == ["2", "2", "1", "1"]
    items = json.loads(client.get("/episodes.json").content)["items"]
    assert [item["_episode"]["season"] for item in items] == [2, 2, 1, 1]
    data = see(client, "/episodes/all-about-mirrors/").one('script[type="application/ld+json"]').text()
    assert json.loads(data)["partOfSeason"] == {"@type": "PodcastSeason", "seasonNumber": 2}


def test_what_the_catalog_says_in_its_feed_can_be_read_back(seasons: Podcast, tmp_path: Path, client: Client) -> None:
    before = counted()
    ingest(tmp_path, client.get("/episodes.rss").content.decode(), "other")
    assert counted() == before


def test_a_curators_season_orders_the_show_until_it_is_released(seasons: Podcast, curator: User) -> None:
    mirrors = Episode.objects.get(slug="all-about-mirrors")
    override(curator, mirrors, {"season": "3"})
    assert counted()[-1] == ("mirrors", 3, 1)
    release(curator, Episode.objects.get(slug="all-about-mirrors"), ["season"])
    assert counted()[-2] == ("mirrors", 2, 1)
    for change in list(Change.objects.order_by("-pk")):
        undo(curator, change)
    assert counted()[-2] == ("mirrors", 2, 1)
    assert not Decision.objects.filter(kind="value", ended_at=None).exists()


def test_a_season_is_edited_in_the_sheet(seasons: Podcast, curator: User) -> None:
    rows = list(csv.DictReader(io.StringIO(write_sheet(Episode.objects.newest_first()).decode("utf-8-sig"))))
    rows[0]["season"], rows[1]["season"] = "4", "many"
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    sheet = read_sheet(out.getvalue())
    assert [problem for problem in sheet.problems if "Season" in problem and "many" in problem]
    apply_sheet(curator, out.getvalue(), [cell.token for cell in sheet.cells])
    assert counted()[-1] == ("needles", 4, 2)


def test_an_episode_added_by_hand_stands_in_its_season(seasons: Podcast, curator: User) -> None:
    add_episode(curator, seasons, {"title": "All about organs", "season": "1", "number": "3"})
    assert counted()[2] == ("organs", 1, 3)


def test_a_directory_that_counts_on_its_own_makes_no_second_episode(seasons: Podcast, tmp_path: Path) -> None:
    Source.objects.filter(slug="other").update(may_create=True)
    directory = feed().replace("<itunes:episode>1<", "<itunes:episode>7<").replace("small-", "theirs-")
    length = "<itunes:duration>900</itunes:duration></item>"
    ingest(tmp_path, feed().replace("</item>", length))
    ingest(tmp_path, directory.replace("</item>", length), "other")
    assert counted() == [("kettles", 1, 1), ("ladders", 1, 2), ("mirrors", 2, 1), ("needles", 2, 2)]
    assert not seasons.held.exists()


def test_a_curator_is_told_of_conflicts_by_the_fields_label(
    seasons: Podcast, administrator: User, client: Client
) -> None:
    said = {"source": "feed", "value": "600", "other_source": "other", "other_value": "1200"}
    Episode.objects.filter(slug="all-about-mirrors").update(conflicts=[{"field": "duration_seconds", **said}])
    client.force_login(administrator)
    page = client.get("/admin/episodes/episode/all-about-mirrors/change/").content.decode()
    assert "<b>Length</b>: feed" in page
