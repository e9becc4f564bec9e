"""The episode list: what it shows, how it is narrowed, and that its counts are true."""

from __future__ import annotations

import pytest
from django.test import Client

from episodes.models import Attachment, Episode
from episodes.views.lists.histogram import timeline
from episodes.views.lists.selection import Selection

from .pages import asked, see

pytestmark = pytest.mark.usefixtures("catalog")


def test_the_list_shows_all_episodes_over_its_pages_newest_first(client: Client) -> None:
    pages = [see(client, "/episodes/", page=n) for n in (1, 2, 3, 4)]
    assert [len(p.entries) for p in pages] == [25, 25, 25, 7]
    shown = [entry for p in pages for entry in p.entries]
    assert shown == [e.get_absolute_url() for e in Episode.objects.order_by("-order")]
    assert len(set(shown)) == 82
    assert pages[0].total == 82


@pytest.mark.parametrize(
    "page", ["0", "-1", "5", "abc", "1.0", "", " 1", "99999999999999999999", "１", "1\x00", "last"]
)
def test_what_is_not_the_number_of_a_page_is_not_found(client: Client, page: str) -> None:
    assert client.get("/episodes/", {"page": page}).status_code == 404


def test_an_empty_result_has_one_page(client: Client) -> None:
    assert client.get("/episodes/?q=zzzz&page=1").status_code == 200
    assert client.get("/episodes/?q=zzzz&page=2").status_code == 404


def test_topics_must_all_hold(client: Client) -> None:
    page = see(client, "/episodes/?topic=autograd&topic=pt2")
    both = Episode.objects.filter(topic_uses__topic__slug="autograd").filter(topic_uses__topic__slug="pt2")
    assert page.total == both.count() > 0
    assert "about Autograd and PyTorch 2" in page.text


def test_signs_with_a_meaning_in_databases_are_only_signs(client: Client) -> None:
    assert see(client, "/episodes/", q="%").total < 82
    assert see(client, "/episodes/", q="zz_zz").total == 0


@pytest.mark.parametrize("year", ["2021", "2023", "unknown"])
def test_the_year_filter_keeps_to_the_year(client: Client, year: str) -> None:
    episodes = Episode.objects.filter(published_at__isnull=True)
    if year != "unknown":
        episodes = Episode.objects.filter(published_at__year=year)
    assert see(client, "/episodes/", year=year).total == episodes.count()


def test_lengths_are_kept_on_both_sides(client: Client) -> None:
    kept = Episode.objects.filter(duration_seconds__gte=900, duration_seconds__lte=1200).count()
    page = see(client, "/episodes/?min_minutes=15&max_minutes=20")
    assert page.total == kept > 0
    assert "15 to 20 min" in page.text


@pytest.mark.parametrize(
    "query, condition",
    [
        ({"source": "player-fm"}, {"attachments__item__document__source__slug": "player-fm"}),
        ({"link_kind": "paper"}, {"links__kind": "paper"}),
        ({"podcast": "pytorch-developer-podcast"}, {}),
    ],
)
def test_the_other_filters_keep_what_they_say(client: Client, query: dict[str, str], condition: dict[str, str]) -> None:
    page = see(client, "/episodes/", **query)
    assert page.total == Episode.objects.filter(**condition).distinct().count() > 0
    assert page.notes == ""


def test_sorting_by_length_puts_the_unknown_last(client: Client) -> None:
    lengths = {e.get_absolute_url(): e.duration_seconds for e in Episode.objects.all()}
    for sort, sign in (("shortest", 1), ("longest", -1)):
        shown = [lengths[a] for n in (1, 2, 3, 4) for a in see(client, "/episodes/", sort=sort, page=n).entries]
        known = [n for n in shown if n is not None]
        assert known == sorted(known, key=lambda n: sign * n)
        assert shown[len(known) :] == [None] * (82 - len(known))


def test_sorting_by_age_turns_the_list_round(client: Client) -> None:
    assert see(client, "/episodes/?sort=oldest").entries[0] == Episode.objects.get(order=1).get_absolute_url()


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?topic=autograd",
        "?year=2021",
        "?topic=pt2&year=2024&max_minutes=20",
        "?min_minutes=20",
        "?q=torch",
        "?source=player-fm",
    ],
)
def test_the_count_beside_a_choice_is_what_choosing_it_gives(client: Client, query: str) -> None:
    page = see(client, f"/episodes/{query}")
    assert page.choices
    for address, count, chosen in page.choices:
        assert count == (page.total if chosen else see(client, address).total), address


def test_a_chosen_year_leaves_the_other_years_to_choose(client: Client) -> None:
    page = see(client, "/episodes/?topic=autograd&year=2021")
    years = {asked(address).get("year", [""])[0]: count for address, count, _ in page.choices}
    assert years["2024"] == see(client, "/episodes/?topic=autograd&year=2024").total == 1


def test_a_chosen_length_leaves_the_other_lengths_to_choose(client: Client) -> None:
    page = see(client, "/episodes/?min_minutes=20")
    limits = [asked(address) for address, *_ in page.choices]
    assert {"length": ["0-15"]} in limits
    assert {"length": ["15-20"]} in limits


def test_an_episode_that_a_place_lists_twice_is_counted_once(client: Client) -> None:
    listed = see(client, "/episodes/?source=player-fm").total
    first, second = Attachment.objects.filter(item__document__source__slug="player-fm")[:2]
    Attachment.objects.filter(pk=second.pk).update(episode=first.episode)
    assert see(client, "/episodes/?source=player-fm").total == listed - 1


def test_every_episode_is_in_one_band_of_lengths(client: Client) -> None:
    first, second, third = Episode.objects.all()[:3]
    for episode, seconds in ((first, 900), (second, 1200), (third, None)):
        Episode.objects.filter(pk=episode.pk).update(duration_seconds=seconds)
    page = see(client, "/episodes/")
    bands = {address: count for address, count, _ in page.choices if "length" in asked(address)}
    assert sum(bands.values()) == 82
    shown = [entry for address in bands for n in (1, 2) if n == 1 or bands[address] > 25
             for entry in see(client, f"{address}&page={n}").entries]  # fmt: skip
    assert len(set(shown)) == len(shown) == 82
    assert bands["/episodes/?length=unknown"] == Episode.objects.filter(duration_seconds=None).count()


@pytest.mark.parametrize(
    "query, title",
    [
        ("length=0-15", "16 episodes, under 15 min"),
        ("length=unknown", "33 episodes, length unknown"),
        ("month=2021-06", "18 episodes, June 2021"),
        ("year=unknown", "22 episodes, undated"),
        ("person=edward-yang", "82 episodes with Edward Yang"),
        ("source=player-fm", "46 episodes listed by Player FM"),
    ],
)
def test_filters_are_in_the_title_under_the_names_that_people_know(client: Client, query: str, title: str) -> None:
    assert see(client, f"/episodes/?{query}").one("h1").text().startswith(title)


def test_sources_are_no_choice_for_readers(client: Client) -> None:
    assert not [address for address, *_ in see(client, "/").choices if "source" in asked(address)]


def test_an_empty_list_says_which_episodes_have_no_known_length_and_what_to_remove(client: Client) -> None:
    page = see(client, "/episodes/?topic=autograd&max_minutes=15")
    assert "3 matching episodes have no known length" in page.text
    links = {a.text(): a.attributes["href"] or "" for a in page.tree.css(".nothing a")}
    assert see(client, links["Show them"]).total == 3
    assert asked(links["Without “Up to 15 min”"]) == {"topic": ["autograd"]}
    assert "Autograd" not in links
    assert "undated" not in page.text


def test_an_empty_list_of_a_year_offers_the_undated(client: Client) -> None:
    page = see(client, "/episodes/?topic=dispatcher&year=2023")
    links = {a.text(): a.attributes["href"] or "" for a in page.tree.css(".nothing a")}
    assert asked(links["Show them"] if "Show them" in links else links["Show it"])["year"] == ["unknown"]


def test_a_chosen_year_without_episodes_stays_among_the_years(client: Client) -> None:
    page = see(client, "/episodes/?topic=dispatcher&year=2023")
    assert [count for _, count, chosen in page.choices if chosen] == [0, 0]
    assert [row.text().split()[0] for row in page.tree.css(".facets section:first-child a")][-1] == "Undated"


def test_where_nothing_can_be_chosen_there_are_no_filters_to_open(client: Client) -> None:
    assert not see(client, "/episodes/?q=zzzqqqx").tree.css(".facets")


def test_what_is_chosen_can_be_taken_off_one_by_one(client: Client) -> None:
    page = see(client, "/episodes/?q=autograd&topic=autograd&year=2021")
    chips = [a.attributes["href"] or "" for a in page.tree.css(".chip")]
    assert [sorted(asked(address)) for address in chips] == [["topic", "year"], ["q", "year"], ["q", "topic"]]


def test_one_of_two_topics_is_taken_off_and_the_other_stays(client: Client) -> None:
    chips = see(client, "/episodes/?topic=autograd&topic=pt2").tree.css(".chip")
    assert [asked(a.attributes["href"] or "") for a in chips] == [{"topic": ["pt2"]}, {"topic": ["autograd"]}]


def test_a_page_link_keeps_what_is_chosen(client: Client) -> None:
    links = see(client, "/episodes/?year=2021").tree.css(".pages a[rel=next]")
    assert asked(links[0].attributes["href"] or "") == {"year": ["2021"], "page": ["2"]}


def test_no_result_offers_a_way_out(client: Client) -> None:
    page = see(client, "/episodes/?q=autogradd&as_typed=1")
    assert {"/topics/", "/episodes/"} <= {a.attributes["href"] for a in page.tree.css(".nothing a")}


def test_the_title_says_in_words_what_is_shown(client: Client) -> None:
    page = see(client, "/episodes/?topic=autograd&year=2021&max_minutes=20")
    assert page.text.startswith("2 episodes about Autograd, 2021, up to 20 min · 32 min")


def test_a_sum_of_lengths_some_of_which_are_unknown_says_so(client: Client) -> None:
    assert "82 episodes · 13+ hours" in see(client, "/episodes/").text


def test_the_timeline_has_every_year_and_says_its_months(client: Client) -> None:
    page = see(client, "/episodes/")
    years = [asked(a.attributes["href"] or "") for a in page.tree.css(".timeline .year")]
    assert years == [{"year": [str(y)]} for y in range(2021, 2025)]
    months = {a.attributes["aria-label"]: a.attributes["href"] or "" for a in page.tree.css(".months a")}
    assert see(client, months["June 2021: 18"]).total == 18


def test_more_than_ten_years_have_a_bar_each() -> None:
    ten = {"2001-05": 2, "2010-02": 1}
    assert [len(year.bars) for year in timeline(ten, ten, Selection({}))] == [12] * 10
    eleven = {"2001-05": 2, "2001-06": 4, "2011-02": 1}
    years = timeline(eleven, eleven, Selection({}))
    assert [year.year for year in years] == [str(year) for year in range(2001, 2012)]
    assert [[bar and bar.label for bar in year.bars] for year in years] == [["2001: 6"], *[[None]] * 9, ["2011: 1"]]
    assert [bar and (bar.query, bar.all_height) for bar in years[0].bars] == [("?year=2001", 40)]
    chosen = timeline(eleven, eleven, Selection({"month": ("2001-06",)}))
    assert [bar and bar.label for year in (chosen[0], chosen[-1]) for bar in year.bars] == [
        "2001: 4 of 6",
        "2011: 0 of 1",
    ]
