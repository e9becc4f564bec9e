"""The timeline page and the map of topics: every episode and topic once, gaps and what is not known as they are."""

from __future__ import annotations

import pytest
from django.test import Client

from episodes.models import Episode, Podcast, Topic
from episodes.views.topics.topic_map import shared, topic_map

from .pages import Seen, first, see

pytestmark = pytest.mark.usefixtures("catalog")


def marks(page: Seen) -> list[str]:
    return [a.attributes["href"] or "" for a in page.tree.css(".year svg a")]


def test_every_dated_episode_has_a_mark_in_the_order_of_dates(client: Client) -> None:
    dated = Episode.objects.filter(published_at__isnull=False).order_by("published_at")
    assert marks(see(client, "/timeline/")) == [e.get_absolute_url() for e in dated]


def test_a_mark_says_what_it_stands_for(client: Client) -> None:
    page = see(client, "/timeline/")
    said = [a.text().strip() for a in page.tree.css(".year svg a")]
    assert "34 vmap · 21 June 2021 · 17 min · functorch and vmap" in said
    assert any("length not known" in words for words in said)


def test_a_longer_episode_stands_taller_and_an_unknown_length_is_open(client: Client) -> None:
    page = see(client, "/timeline/")

    def height(slug: str) -> float:
        return float(
            (page.one(f'.year a[href="/episodes/{slug}/"] path:not(.room)').attributes["d"] or "")
            .split("v")[1]
            .split("h")[0]
        )

    assert height("torchdynamo") > height("vmap") > height("th")
    assert "open" in (page.one('.year a[href="/episodes/strides/"]').attributes.get("class") or "")


def test_every_year_has_twelve_months_also_those_without_an_episode(client: Client) -> None:
    page = see(client, "/timeline/")
    years = page.tree.css(".year:not(.undated)")
    assert [first(year, "h2").text() for year in years] == ["2021", "2022", "2023", "2024"]
    assert [len(year.css("ol > li")) for year in years] == [12] * 4
    assert len(years[2].css(".none")) == 11


def test_undated_episodes_are_told_and_stand_nowhere_else(client: Client) -> None:
    undated = [e.get_absolute_url() for e in Episode.objects.filter(published_at=None).order_by("order")]
    page = see(client, "/timeline/")
    assert [a.attributes["href"] for a in page.tree.css(".undated li a")] == undated
    assert not set(undated) & set(marks(page))


def test_the_table_holds_every_episode_oldest_first(client: Client) -> None:
    rows = see(client, "/timeline/").tree.css(".as-table tbody tr")
    assert [first(row, "a").attributes["href"] for row in rows] == [
        e.get_absolute_url() for e in Episode.objects.order_by("order")
    ]
    assert "not known" in rows[0].text()


def test_each_show_has_its_band(client: Client) -> None:
    other = Podcast.objects.create(slug="other", title="Another show")
    Episode.objects.create(podcast=other, slug="other-1", order=1, title="Its only episode")
    page = see(client, "/timeline/")
    assert [n.text() for n in page.tree.css(".band > h2")] == ["PyTorch Developer Podcast", "Another show"]
    assert len(page.tree.css(".as-table")) == 2


def test_episodes_of_one_day_share_its_width(client: Client) -> None:
    day = Episode.objects.get(slug="vmap").published_at
    Episode.objects.filter(slug__in=("strides", "cmake")).update(published_at=day)
    page = see(client, "/timeline/")
    places = [
        page.one(f'.year a[href="/episodes/{slug}/"] path').attributes["d"] for slug in ("strides", "cmake", "vmap")
    ]
    assert len(set(places)) == 3
    assert all("h2.0v" in (place or "") for place in places)


def test_an_empty_catalog_has_a_timeline_too(client: Client) -> None:
    Episode.objects.all().delete()
    assert "There is no episode yet" in see(client, "/timeline/").text
    Topic.objects.all().delete()
    assert see(client, "/topics/").status == 200


@pytest.mark.parametrize("address, questions", [("/timeline/", 8), ("/topics/", 3)])
def test_the_number_of_questions_is_fixed(
    client: Client, django_assert_num_queries, address: str, questions: int
) -> None:
    with django_assert_num_queries(questions):
        client.get(address)


def test_the_map_shows_every_used_topic_and_what_it_shares(client: Client) -> None:
    page = see(client, "/topics/")
    assert len(page.tree.css(".map svg a")) == 40
    words = " ".join(page.one('.map a[href="/topics/dynamic-shapes/"] title').text().split())
    assert words.startswith("Dynamic shapes, 2 episodes; in common with")
    assert "PyTorch 2 (1)" in words


def test_the_table_beside_the_map_counts_what_its_links_give(client: Client) -> None:
    rows = see(client, "/topics/").tree.css(".map tbody tr")
    assert len(rows) == len(shared()[1])
    for row in rows[:5]:
        link = first(row, "a")
        assert see(client, link.attributes["href"] or "").total == int(link.text().split()[0])


def test_an_arc_joins_the_dots_of_its_topics() -> None:
    counts, pairs = shared()
    topics = [t for t in Topic.objects.all() if t.slug in counts]
    figure = topic_map(topics, counts, pairs)
    assert figure
    heights = {dot.topic.slug: dot.y for dot in figure.dots}
    for arc in figure.arcs:
        assert f"M112 {heights[arc.upper.slug]}A" in arc.path
        assert arc.path.endswith(f" 112 {heights[arc.lower.slug]}")
    assert topic_map(topics, counts, {}) is None
