"""The timeline: every episode once, gaps and unknown values as they are."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.test import Client
from selectolax.lexbor import LexborNode

from episodes.models import Episode, Podcast, Topic
from episodes.templating.filters import hue

from .pages import Seen, first, see
from .rows import complete

pytestmark = pytest.mark.usefixtures("catalog")


def marks(page: Seen) -> list[str]:
    return [a.attributes["href"] or "" for a in page.tree.css(".year li li a")]


def bar(page: Seen, slug: str) -> LexborNode:
    return page.one(f'.year li li a[href="/episodes/{slug}/"] .bar')


def share(page: Seen, slug: str) -> int:
    """The length of an episode's bar in tenths of the longest."""
    return int((bar(page, slug).attributes["class"] or "").removeprefix("bar s"))


def test_every_dated_episode_has_a_mark_in_the_order_of_dates(client: Client) -> None:
    dated = Episode.objects.filter(published_at__isnull=False).order_by("published_at")
    assert marks(see(client, "/timeline/")) == [e.get_absolute_url() for e in dated]


def test_a_mark_has_a_label_with_title_date_length_and_topics(client: Client) -> None:
    page = see(client, "/timeline/")
    labels = [" ".join(label.text().split()) for label in page.tree.css(".year .label")]
    assert "34 vmap 21 June 2021 · 17 min · functorch and vmap" in labels
    assert any("length unknown" in words for words in labels)


def test_a_longer_episode_has_a_longer_bar_and_an_unknown_length_is_marked(client: Client) -> None:
    page = see(client, "/timeline/")
    assert share(page, "torchdynamo") > share(page, "vmap") > share(page, "th") > 0
    assert share(page, "strides") == 0


def test_a_bar_has_the_colours_of_its_topic_groups(client: Client) -> None:
    page = see(client, "/timeline/")
    episode = Episode.objects.get(slug="just-enough-cuda-to-be-dangerous")
    groups = {use.topic.group for use in episode.topic_uses.all()}
    colours = bar(page, episode.slug).css("i > i")
    assert {colour.attributes["class"] for colour in colours} == {hue(group) for group in groups}


def test_a_year_is_one_strip_of_twelve_months_also_those_without_an_episode(client: Client) -> None:
    page = see(client, "/timeline/")
    years = page.tree.css(".year:not(.undated)")
    assert [first(year, "h2").text() for year in years] == ["2021", "2022", "2023", "2024"]
    assert [len(year.css(".year > ol > li")) for year in years] == [12] * 4
    assert len(years[2].css(".none")) == 11


def test_undated_episodes_are_listed_below_and_nowhere_else(client: Client) -> None:
    undated = [e.get_absolute_url() for e in Episode.objects.filter(published_at=None).order_by("order")]
    page = see(client, "/timeline/")
    assert [a.attributes["href"] for a in page.tree.css(".undated li a")] == undated
    assert not set(undated) & set(marks(page))
    assert "22 undated episodes, not shown above; numbers give their order." in page.text
    Episode.objects.exclude(slug="strides").update(
        published_at=datetime(2021, 1, 1, tzinfo=UTC), published_precision="day"
    )
    Episode.objects.filter(slug="strides").update(published_at=None, published_precision="")
    assert "1 undated episode, not shown above; numbers give its order." in see(client, "/timeline/").text


def test_the_table_holds_every_episode_oldest_first(client: Client) -> None:
    rows = see(client, "/timeline/").tree.css(".as-table tbody tr")
    assert [first(row, "a").attributes["href"] for row in rows] == [
        e.get_absolute_url() for e in Episode.objects.order_by("order")
    ]
    assert "not known" in rows[0].text()


def test_of_several_shows_one_chooses_one(client: Client) -> None:
    other = Podcast.objects.create(slug="other", title="Another show")
    empty = Podcast.objects.create(slug="empty", title="Empty show")
    for number, day in enumerate((datetime(2019, 3, 1, tzinfo=UTC), datetime(2019, 4, 1, tzinfo=UTC), None), 1):
        Episode.objects.create(
            podcast=other, slug=f"o-{number}", order=number, title=f"Bees {number}", published_at=day,
            published_precision="day" if day else "",
        )  # fmt: skip
    complete()
    page = see(client, "/timeline/")
    rows = page.tree.css(".overview li")
    assert [row.text().strip() for row in rows] == ["Another show", "Empty show", "PyTorch Developer Podcast"]
    assert first(rows[0], "a").attributes["href"] == "/timeline/?podcast=other"
    page = see(client, "/timeline/?podcast=other")
    assert [n.text() for n in page.tree.css(".band > h2")] == ["Another show"]
    assert marks(page) == ["/episodes/o-1/", "/episodes/o-2/"]
    assert page.one("option[selected]").attributes["value"] == "other"
    assert "No episodes yet." in see(client, f"/timeline/?podcast={empty.slug}").text
    page = see(client, "/timeline/?podcast=nope")
    assert "unknown show “nope”" in page.text
    assert len(page.tree.css(".overview li")) == 3


def test_episodes_of_one_day_come_in_the_order_of_the_show(client: Client) -> None:
    day = Episode.objects.get(slug="vmap").published_at
    Episode.objects.filter(slug__in=("strides", "cmake")).update(published_at=day)
    found = [
        address for address in marks(see(client, "/timeline/")) if address.split("/")[2] in ("vmap", "strides", "cmake")
    ]
    assert found == ["/episodes/cmake/", "/episodes/vmap/", "/episodes/strides/"]


def test_an_empty_catalog_has_a_timeline_too(client: Client) -> None:
    Episode.objects.all().delete()
    assert "No episodes yet." in see(client, "/timeline/").text
    Topic.objects.all().delete()
    assert see(client, "/topics/").status == 200


@pytest.mark.parametrize("address, questions", [("/timeline/", 8), ("/topics/", 7)])
def test_the_number_of_questions_is_fixed(
    client: Client, django_assert_num_queries, address: str, questions: int
) -> None:
    with django_assert_num_queries(questions):
        client.get(address)
