"""Pages do work for what they show: short ways give what the long ones do, and nothing is held longer than it is needed."""

from __future__ import annotations

import gc

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import example, given
from hypothesis import strategies as st

from episodes.models import Episode, Redirect, former_owners
from episodes.search import parse_query, terms_in
from episodes.search import terms as search_terms

TEXTS = st.text(st.sampled_from("abT. _+#-\n&<>\"'é—1\t\x00"), max_size=40)


def statements(client: Client, address: str) -> list[str]:
    with CaptureQueriesContext(connection) as asked:
        assert client.get(address).status_code == 200
    return [query["sql"] for query in asked]


@example("aa1", "aa1")  # a word made of two pieces
@given(TEXTS, st.text(st.sampled_from('abT. _+#"é1'), max_size=12))
def test_terms_are_found_by_their_beginnings_as_by_reading_every_word(text: str, query: str) -> None:
    asked = parse_query(query)
    words = [word for word, *_ in search_terms.words_in(text)]
    held = {
        number
        for number, term in enumerate(asked.terms)
        for place, word in enumerate(words)
        if word.startswith(term.made) or search_terms._is_held(words[place : place + len(term.pieces)], term)
    }
    assert terms_in(text, asked) == held


@pytest.mark.parametrize(
    "text, pieces",
    [("हिन्दी-गीत", ("हिन्दी", "गीत")), ("a\u0327b c", ("a\u0327b", "c")), ("_\u0327_", ()), ("C++14", ("C", "14"))],
)
def test_marks_belong_to_their_letters(text: str, pieces: tuple[str, ...]) -> None:
    assert search_terms.pieces_of(text) == pieces


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize(
    "address, most",
    [
        ("/links/", 10),
        ("/people/", 8),
        ("/names/", 6),
        ("/sources/", 14),
        ("/about/", 5),
        ("/changes/", 5),
        ("/shows/", 9),
        ("/topics/autograd/", 18),
    ],
)
def test_an_index_asks_for_its_page_alone(client: Client, address: str, most: int) -> None:
    client.get(address)  # what is worked out once for each version of the catalog
    assert len(statements(client, address)) <= most


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize("ending", ["rss", "atom", "json", "csv"])
def test_the_rows_of_a_feed_are_gone_when_it_is_written(client: Client, ending: str) -> None:
    client.get(f"/episodes.{ending}")
    gc.collect()
    gc.disable()
    try:
        before = sum(type(thing) is Episode for thing in gc.get_objects())
        client.get(f"/episodes.{ending}")
        assert sum(type(thing) is Episode for thing in gc.get_objects()) == before
    finally:
        gc.enable()


@pytest.mark.usefixtures("catalog")
def test_the_owner_of_a_former_address_is_found_by_indexes() -> None:
    Redirect.objects.of("episode").filter(slug="vmap").update(slug="vmap-formerly")
    with CaptureQueriesContext(connection) as asked:
        assert former_owners(["vmap-formerly"])["vmap-formerly"].leads_to == Episode.objects.get(slug="vmap").pk
    owners = next(query["sql"] for query in asked if "episodes_attachment" in query["sql"])
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {owners}")
        assert [step for *_, step in cursor.fetchall() if "SCAN" in step] == []
