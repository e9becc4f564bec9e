"""Values that mean nothing are left out with a visible note; nothing that stands in an address breaks a page."""

from __future__ import annotations

import pytest
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from episodes.views.lists.selection import NAMES

from .pages import see

pytestmark = pytest.mark.usefixtures("catalog")

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
def test_a_bad_value_is_left_out_with_a_note(client: Client, name: str, value: str) -> None:
    page = see(client, "/episodes/", **{name: value})
    assert page.status == 200
    assert page.total == 82
    assert 0 < len(page.notes) < 400


def test_of_several_topics_only_the_unknown_one_is_left_out(client: Client) -> None:
    page = see(client, "/episodes/?topic=autograd&topic=nope")
    assert page.total == see(client, "/episodes/?topic=autograd").total
    assert "nope" in page.notes


def test_of_several_values_where_one_counts_it_is_the_last(client: Client) -> None:
    page = see(client, "/episodes/?year=2021&year=2024")
    assert page.total == see(client, "/episodes/?year=2024").total


@pytest.mark.parametrize("query", ["topic[]=autograd", "topic[a][b]=c", "filter=x", "episodes__pk=1"])
def test_a_name_that_filters_nothing_is_noted(client: Client, query: str) -> None:
    page = see(client, f"/episodes/?{query}")
    assert (page.status, page.total) == (200, 82)
    assert page.notes


@pytest.mark.parametrize("query", ["q=&topic=&year=&min_minutes=&sort=", "utm_source=mail&fbclid=1", "q=%20%20"])
def test_what_asks_for_nothing_needs_no_note(client: Client, query: str) -> None:
    page = see(client, f"/episodes/?{query}")
    assert (page.status, page.total, page.notes) == (200, 82, "")


def test_many_bad_values_make_a_short_note(client: Client) -> None:
    page = see(client, "/episodes/?" + "&".join(f"topic=nope{n}" for n in range(900)))
    assert page.status == 200
    assert page.notes.count("unknown topic") == 5


@pytest.mark.parametrize(
    "raw", ["q=%ED%A0%80", "topic=%ED%A0%80", "year=%FF", "q=%00", "%00=1", "%ED%A0%80=1", "q=%F0%9F%98"]
)
def test_bytes_that_are_no_text_break_nothing(client: Client, raw: str) -> None:
    assert see(client, f"/episodes/?{raw}").status == 200


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(NAMES), st.text(max_size=30)), max_size=4))
def test_no_query_breaks_the_list(client: Client, pairs: list[tuple[str, str]]) -> None:
    query: dict[str, list[str]] = {}
    for name, value in pairs:
        query.setdefault(name, []).append(value.encode("utf-8", "replace").decode())
    assert client.get("/episodes/", query).status_code == 200


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_pages_are_only_read(client: Client, method: str) -> None:
    for address in (
        "/", "/episodes/", "/episodes/vmap/", "/topics/", "/topics/autograd/", "/links/", "/people/", "/names/", "/healthz",
    ):  # fmt: skip
        assert getattr(client, method)(address).status_code == 405
