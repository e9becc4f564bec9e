"""The list for the time there is: it fits, and says what it left out."""

from __future__ import annotations

import pytest
from django.test import Client

from episodes.models import Episode, Topic
from episodes.views.time_budget.fitting import fitting

from .pages import asked, see

ADDRESS = "/time/"


@pytest.mark.parametrize(
    "lengths, seconds, places",
    [([600, 600, 600], 1200, [0, 1]), ([630, 590, 600], 600, [1]), ([900, 600, 300, 600], 1200, [0, 2]),
     ([600, 700], 599, []), ([], 600, [])],
)  # fmt: skip
def test_the_first_that_still_fit_are_taken(lengths: list[int], seconds: int, places: list[int]) -> None:
    assert fitting(lengths, seconds) == places


@pytest.mark.usefixtures("catalog")
class TestPage:
    def test_the_list_fits_and_is_the_same_every_time(self, client: Client) -> None:
        page = see(client, ADDRESS, minutes=45)
        found = Episode.objects.filter(slug__in=[a.split("/")[2] for a in page.entries])
        seconds = sum(e.duration_seconds or 0 for e in found)
        assert 40 * 60 <= seconds <= 45 * 60
        assert page.entries == see(client, ADDRESS, minutes=45).entries
        assert "3 episodes, 4" in page.text

    def test_the_page_counts_what_it_could_not_add_up(self, client: Client) -> None:
        untimed = Episode.objects.filter(duration_seconds=None).count()
        assert f"{untimed} episodes without a known length were skipped" in see(client, ADDRESS, minutes=45).text

    def test_without_minutes_there_is_a_form_and_no_list(self, client: Client) -> None:
        page = see(client, ADDRESS)
        assert page.entries == []
        assert page.one("input[name=minutes]").attributes["type"] == "number"

    def test_a_topic_narrows_the_choice(self, client: Client) -> None:
        page = see(client, ADDRESS, minutes=60, topic="pt2")
        about = {
            e.get_absolute_url()
            for e in Episode.objects.about_all(Topic.objects.filter(slug="pt2").values_list("pk", flat=True))
        }
        assert page.entries
        assert set(page.entries) <= about

    def test_the_orders_differ_in_what_they_prefer(self, client: Client) -> None:
        newest, oldest = (see(client, ADDRESS, minutes=60, sort=sort).entries for sort in ("newest", "oldest"))
        orders = dict(Episode.objects.values_list("slug", "order"))
        places = [orders[a.split("/")[2]] for a in newest]
        assert places == sorted(places, reverse=True)
        places = [orders[a.split("/")[2]] for a in oldest]
        assert places == sorted(places)
        assert newest != oldest

    def test_too_little_time_is_said_with_the_shortest(self, client: Client) -> None:
        page = see(client, ADDRESS, minutes=3)
        assert "The shortest is 10 min" in page.text
        assert page.entries == []

    @pytest.mark.parametrize(
        "query, note",
        [
            ({"minutes": "soon"}, "“soon” is not a number of minutes"),
            ({"minutes": "0"}, "“0” is not a number of minutes"),
            ({"minutes": "-5"}, "“-5” is not a number of minutes"),
            ({"minutes": "1441"}, "“1441” is not a number of minutes"),
            ({"minutes": "9" * 400}, "is not a number of minutes"),
            ({"minutes": "45", "topic": "nope"}, "unknown topic “nope”"),
            ({"minutes": "45", "topic": "a\x00b"}, "unknown topic"),
            ({"minutes": "45", "sort": "best"}, "“best” is not a sort option"),
            ({"minutes": "45", "podcast": "nope"}, "unknown show “nope”"),
            ({"minutes": "45", "colour": "red"}, "unknown filter “colour”"),
        ],
    )
    def test_what_cannot_be_read_is_left_out_and_said(self, client: Client, query: dict[str, str], note: str) -> None:
        page = see(client, ADDRESS, **query)
        assert page.status == 200
        assert note in page.notes

    def test_a_renamed_topic_still_counts(self, client: Client) -> None:
        topic = Topic.objects.get(slug="pt2")
        topic.former.create(kind="topic", slug="pytorch-2")
        assert (
            see(client, ADDRESS, minutes=60, topic="pytorch-2").entries
            == see(client, ADDRESS, minutes=60, topic="pt2").entries
        )

    def test_the_address_to_share_gives_the_same_list(self, client: Client) -> None:
        page = see(client, ADDRESS, minutes=45, topic="autograd", utm_source="mail")
        address = page.one("[data-copy=address]").attributes["href"] or ""
        assert asked(address) == {"minutes": ["45"], "topic": ["autograd"]}
        assert see(client, address).entries == page.entries

    def test_the_number_of_questions_is_fixed(self, client: Client, django_assert_max_num_queries) -> None:
        queries: list[dict[str, str]] = [{}, {"minutes": "45"}, {"minutes": "600", "sort": "oldest"}]
        for query in queries:
            with django_assert_max_num_queries(14):
                client.get(ADDRESS, query)
