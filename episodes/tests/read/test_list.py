"""The episode list: what it shows, how it is narrowed, that its counts are true, and that nothing in an address breaks it."""

from typing import Any, cast

import pytest
from django.http import QueryDict
from django.test import Client

from episodes.models import Attachment, Episode, Podcast, Source
from episodes.site import load_shows_and_sections
from episodes.views.episode_filter import EpisodeFilter
from episodes.views.episode_list import choices_of_sort_order, explanations_and_direct_hits_context
from episodes.views.facets import FacetChoice, drop_empty_and_add_shares, labels_by_parameter_value_pair
from episodes.views.month_bars import build_years_of_month_bars
from episodes.views.selection import EPISODE_PARAMETERS, Selection

from ..examples import examples
from ..tables import cases
from .pages import see

CASES = cases("read_list")

pytestmark = pytest.mark.usefixtures("catalog")


def test_list_pages_show_all_newest_first(client: Client) -> None:
    pages = [see(client, "/episodes/", page=n) for n in (1, 2, 3, 4)]
    assert [len(p.entries) for p in pages] == [25, 25, 25, 7]
    shown = [entry for p in pages for entry in p.entries]
    assert shown == [e.get_absolute_url() for e in Episode.objects.order_by("-order")]
    assert len(set(shown)) == 82
    assert pages[0].total == 82


@pytest.mark.parametrize("page", ["5", "99999999999999999999"])
def test_page_beyond_the_end_is_not_found(client: Client, page: str) -> None:
    assert client.get("/episodes/", {"page": page}).status_code == 404


@pytest.mark.parametrize("address, number", [
    ("/episodes/", "abc"), ("/topics/", "0"), ("/people/", "-1"), ("/shows/", "1.0"), ("/sources/", " 1"), ("/timeline/", "１"),
    ("/topics/", "1\x00"), ("/shows/", "last"),
])  # fmt: skip
def test_bad_page_number_is_noted(client: Client, address: str, number: str) -> None:
    first_page, page = see(client, address, page=""), see(client, address, page=number)
    assert (page.status, page.total, "is not the number of a page" in page.notes) == (200, first_page.total, True)
    assert first_page.notes == ""


@pytest.mark.parametrize(
    "query, condition",
    [
        ({"source": "player-fm"}, {"attachments__item__document__source__slug": "player-fm"}),
        ({"link_kind": "paper"}, {"links__kind": "paper"}), ({"podcast": "pytorch-developer-podcast"}, {}),
        ({"year": "2023"}, {"published_at__year": 2023}), ({"year": "unknown"}, {"published_at": None}),
        ({"min_minutes": "15", "max_minutes": "20"}, {"duration_seconds__gte": 900, "duration_seconds__lte": 1200}),
    ],
)  # fmt: skip
def test_other_filters_keep_their_episodes(client: Client, query: dict[str, str], condition: dict[str, object]) -> None:
    page = see(client, "/episodes/", **query)
    assert page.total == Episode.objects.filter(**condition).distinct().count() > 0
    assert page.notes == ""
    assert ("15 to 20 min" in page.one("h1").text()) == ("min_minutes" in query)


def test_unknown_lengths_sort_last(client: Client) -> None:
    lengths = {e.get_absolute_url(): e.duration_seconds for e in Episode.objects.all()}
    for sort, sign in (("shortest", 1), ("longest", -1)):
        shown = [lengths[a] for n in (1, 2, 3, 4) for a in see(client, "/episodes/", sort=sort, page=n).entries]
        known = [n for n in shown if n is not None]
        assert known == sorted(known, key=lambda n: sign * n)
        assert shown[len(known) :] == [None] * (82 - len(known))


@pytest.mark.parametrize(
    "query",
    ["", "?topic=autograd", "?topic=pt2&year=2024&max_minutes=20", "?min_minutes=20", "?q=torch", "?source=player-fm"],
)
def test_facet_count_equals_filtered_total(client: Client, query: str) -> None:
    page = see(client, f"/episodes/{query}")
    assert page.choices
    for address, count, chosen in page.choices[:: examples(2, 1)]:
        assert count == (page.total if chosen else see(client, address).total), address


def test_episode_listed_twice_counts_once(client: Client) -> None:
    listed = see(client, "/episodes/?source=player-fm").total
    first, second = Attachment.objects.filter(item__document__source__slug="player-fm")[:2]
    Attachment.objects.filter(pk=second.pk).update(episode=first.episode)
    assert see(client, "/episodes/?source=player-fm").total == listed - 1


@pytest.mark.parametrize("query, title", CASES["filters_are_in_the_title_under_the_names_that_people_know"])
def test_title_names_filters_for_people(client: Client, query: str, title: str) -> None:
    assert see(client, f"/episodes/?{query}").one("h1").text().startswith(title)


def test_empty_list_keeps_its_choices(client: Client) -> None:
    page = see(client, "/episodes/?topic=autograd&max_minutes=15")
    links = {a.text(): a.attributes["href"] or "" for a in page.tree.css(".facets a")}
    assert see(client, links["Length unknown"]).total == 3
    page = see(client, "/episodes/?topic=dispatcher&year=2023")
    assert [count for _, count, chosen in page.choices if chosen] == [0, 0]
    years = [row.text().split()[0] for row in page.tree.css(".facets section:first-child a")]
    assert years == ["2021", "2022", "2023", "Undated"]


def test_months_of_last_ten_years_have_bars() -> None:
    # One episode has no picture.
    assert not build_years_of_month_bars({"2001-05": 2, "2002-05": 1}, {"2001-05": 1}, Selection({}))
    counts = {"2001-05": 2, "2002-06": 4, "2011-02": 1}
    years = build_years_of_month_bars(counts, counts, Selection({}))
    assert [year.year for year in years] == [str(year) for year in range(2002, 2012)]
    assert {len(year.bars) for year in years} == {12}
    assert [bar.label for year in years for bar in year.bars if bar] == ["June 2002: 4", "February 2011: 1"]


def test_bars_share_the_fullest_months_height() -> None:
    whole, shown = {"2021-03": 8, "2021-05": 4, "2022-12": 1}, {"2021-03": 2, "2021-05": 4}
    years = build_years_of_month_bars(whole, shown, Selection({"year": ("2021",)}))
    choices = [(year.year, year.is_selected, year.query) for year in years]
    assert choices == [("2021", True, ""), ("2022", False, "?year=2022")]
    march, may, december = cast(Any, (years[0].bars[2], years[0].bars[4], years[1].bars[11]))
    assert (march.label, march.count, march.query) == ("March 2021: 2 of 8", 2, "?month=2021-03")
    assert [(bar.full_height, bar.filled_height) for bar in (march, may, december)] == [(40, 10), (20, 20), (5, 0)]
    assert [bar.label for bar in (may, december)] == ["May 2021: 4", "December 2022: 0 of 1"]
    in_may, _ = build_years_of_month_bars(whole, shown, Selection({"month": ("2021-05",)}))
    assert [bar.label for bar in in_may.bars if bar and bar.is_selected] == ["May 2021: 4"]


def test_facet_shares_have_ten_steps() -> None:
    rows = [FacetChoice("a", 100, "?a", False), FacetChoice("b", 50, "?b", False, "g")]
    rows += [FacetChoice("c", 1, "?c", False), FacetChoice("d", 0, "?d", True), FacetChoice("e", 0, "?e", False)]
    assert [(line.label, line.count, line.share, line.is_selected, line.group) for line in drop_empty_and_add_shares(rows)] == [
        ("a", 100, 10, False, ""), ("b", 50, 5, False, "g"), ("c", 1, 1, False, ""), ("d", 0, 0, True, ""),
    ]  # fmt: skip
    assert [line.share for line in drop_empty_and_add_shares(rows[3:])] == [0]
    assert drop_empty_and_add_shares([]) == []


LONG = "x" * 10_000
WRONG = {
    "topic": ["nope", "\x00", LONG, "'; DROP TABLE episodes_episode; --"],
    "year": ["abc", "99999", "-1", "0", "2021.5", "9" * 5000, "\x002021", LONG],
    "month": ["2021", "2021-13", "2021-1", "0000-01", "٢٠٢١-٠١", "\x00", LONG],
    "length": ["15", "-15", "15-x", "-", "short", "99999-", "\x00", LONG],
    "min_minutes": ["-1", "ten", "1e400", "NaN", "9" * 400, "\x00", LONG],
    "max_minutes": ["-1", "1.5", "Infinity", "9" * 5000],
    "source": ["nowhere", "\x00", LONG],
    "person": ["nobody", LONG],
    "link_kind": ["letter", "\x00"],
    "podcast": ["other", "\x00"],
    "sort": ["upwards", "-order", LONG],
    "q": ["\x00", LONG],
}


@pytest.mark.parametrize("name, value", [(name, value) for name, values in WRONG.items() for value in values])
def test_bad_value_is_ignored_with_note(client: Client, name: str, value: str) -> None:
    page = see(client, "/episodes/", **{name: value})
    assert (page.status, page.total) == (200, 82)
    assert 0 < len(page.notes) < 400


def test_bad_topics_are_ignored_with_short_note(client: Client) -> None:
    page = see(client, "/episodes/?topic=autograd&topic=nope")
    assert page.total == see(client, "/episodes/?topic=autograd").total
    assert "nope" in page.notes
    page = see(client, "/episodes/?" + "&".join(f"topic=nope{n}" for n in range(900)))
    assert (page.status, page.notes.count("unknown topic")) == (200, 5)


@pytest.mark.parametrize("query, is_noted", CASES["unknown_filter_name_is_noted"])
def test_unknown_filter_name_is_noted(client: Client, query: str, is_noted: bool) -> None:
    page = see(client, f"/episodes/?{query}")
    assert (page.status, page.total, bool(page.notes)) == (200, 82, is_noted)


def test_filter_uses_unambiguous_titles() -> None:
    show, other = Podcast.objects.get(), Podcast.objects.create(slug="other", title="Other Show")
    for podcast, slug, title in ((show, "a", "Mill"), (other, "a", "Loom"), (show, "b", "Mill"), (other, "b", "Mill")):
        Source.objects.create(podcast=podcast, slug=slug, title=title)
    named = labels_by_parameter_value_pair(Selection({"source": ("a", "b")}, EPISODE_PARAMETERS), {}, other)
    assert named["podcast", "other"] == "Other Show"
    assert ("source", "a") not in named
    assert named["source", "b"] == "Mill"


def test_default_order_stays_out_of_address() -> None:
    assert choices_of_sort_order(EpisodeFilter(QueryDict("q=torch&sort=longest"))) == [
        ("Best match", "?q=torch", False),
        ("Newest", "?q=torch&sort=newest", False),
        ("Oldest", "?q=torch&sort=oldest", False),
        ("Shortest", "?q=torch&sort=shortest", False),
        ("Longest", "?q=torch&sort=longest", True),
    ]


@pytest.mark.parametrize("query, is_first, are_there", [
    ("q=autograd", True, True), ("q=autograd", False, False), ("q=autograd&year=2021", True, False),
])  # fmt: skip
def test_topic_is_offered_for_its_word_alone(query: str, is_first: bool, are_there: bool) -> None:
    filters = EpisodeFilter(QueryDict(query))
    hits = explanations_and_direct_hits_context(filters, load_shows_and_sections(), is_first_page=is_first)[
        "direct_hits"
    ]
    assert isinstance(hits, list)
    assert bool(hits) == are_there
