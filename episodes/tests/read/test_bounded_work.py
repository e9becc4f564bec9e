"""Pages do work for what they show: short ways give what the long ones do, and nothing is held longer than it is needed."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from xml.etree import ElementTree

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from episodes.models import Episode, FormerAddress, Snapshot, former_owners, snapshot
from episodes.models.bounded import OF_AN_ENTRY
from episodes.outputs.xml import NOT_XML, add, document, root
from episodes.search import Vocabulary, parse_query, prepare, spans
from episodes.search import terms as search_terms

TEXTS = st.text(st.sampled_from("abT. _+#-\n&<>\"'é—1\t\x00"), max_size=40)


def statements(client: Client, address: str) -> list[str]:
    with CaptureQueriesContext(connection) as asked:
        assert client.get(address).status_code == 200
    return [query["sql"] for query in asked]


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=3))
def test_xml_is_written_as_the_standard_library_writes_it(rows: list[tuple[str, str]]) -> None:
    ours, theirs = root("a", {"xmlns:b": "c"}), ElementTree.Element("a", {"xmlns:b": "c"})
    for text, value in rows:
        add(add(ours, "b:d"), "e", text, f=value)
        child = ElementTree.SubElement(ElementTree.SubElement(theirs, "b:d"), "e", {"f": NOT_XML.sub("", value)})
        child.text = NOT_XML.sub("", text) or None
    ElementTree.indent(theirs, "")
    whole = ElementTree.tostring(theirs, encoding="unicode")
    assert document(ours) == f'<?xml version="1.0" encoding="utf-8"?>\n{whole}\n'


@given(TEXTS, st.text(st.sampled_from('abT. _+#"é1'), max_size=12))
def test_terms_are_found_by_their_beginnings_as_by_reading_every_word(text: str, query: str) -> None:
    asked = parse_query(query)
    quick = spans(text, asked)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_terms, "is_plain", lambda *given: False)
        assert spans(text, asked) == quick


@pytest.mark.usefixtures("catalog")
def test_few_ids_are_found_one_by_one_and_many_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    index = snapshot().index
    ids = [*index.ids[::7], max(index.ids) + 1, 0]
    module = import_module("episodes.models.snapshot")
    monkeypatch.setattr(module, "FEW", 1)
    one_by_one = index.of_ids(ids)
    monkeypatch.setattr(module, "FEW", 1_000)
    assert index.of_ids(ids) & index.all == one_by_one


@pytest.mark.usefixtures("catalog")
def test_the_vocabulary_is_read_once_for_each_version_of_the_catalog(client: Client) -> None:
    assert "vmap" in Vocabulary.of().words([4])
    statements(client, "/episodes/?q=vmpa")
    asked = statements(client, "/episodes/?q=dispatchre")
    assert asked
    assert not any("DISTINCT term" in sql for sql in asked)
    Episode.objects.filter(slug="vmap").update(title="zorblax")
    assert "zorblax" in client.get("/episodes/?q=zorblxa").content.decode()


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize(
    "address, most",
    [
        ("/links/", 5),
        ("/people/", 4),
        ("/names/", 3),
        ("/sources/", 5),
        ("/about/", 2),
        ("/changes/", 2),
        ("/shows/", 2),
        ("/topics/autograd/", 6),
    ],
)
def test_an_index_asks_for_its_page_alone(client: Client, address: str, most: int) -> None:
    client.get(address)  # what is worked out once for each version of the catalog
    assert len(statements(client, address)) <= most


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize("ending", ["rss", "atom", "json", "csv", "m3u"])
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
def test_words_are_looked_up_once_for_each_version_of_the_catalog(client: Client) -> None:
    first, again = (statements(client, "/episodes/?q=tensor+memory") for _ in range(2))
    assert any("searchtext" in sql for sql in first)
    assert not any("searchtext" in sql or "searchword" in sql for sql in again)
    first, again = (statements(client, "/episodes/?link_kind=github-pr") for _ in range(2))
    assert len([sql for sql in first if "episodes_episodelink" in sql]) > len(
        [s for s in again if "episodes_episodelink" in s]
    )
    Episode.objects.filter(slug="vmap").update(title="tensor memory, again")
    assert "</mark>, again" in client.get("/episodes/?q=tensor+memory").content.decode()


@pytest.mark.usefixtures("catalog")
def test_symbols_are_filed_once_for_each_version_of_the_catalog(client: Client) -> None:
    first, again = (statements(client, f"/names/?unknown={number}") for number in range(2))
    assert sum("COUNT(" in sql for sql in first) == 1
    assert not any("COUNT(" in sql for sql in again)


@pytest.mark.usefixtures("catalog")
def test_the_owner_of_a_former_address_is_found_by_indexes() -> None:
    FormerAddress.objects.filter(slug="vmap").update(slug="vmap-formerly")
    with CaptureQueriesContext(connection) as asked:
        assert former_owners(["vmap-formerly"])["vmap-formerly"].leads_to == Episode.objects.get(slug="vmap").pk
    owners = next(query["sql"] for query in asked if "episodes_attachment" in query["sql"])
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {owners}")
        assert [step for *_, step in cursor.fetchall() if "SCAN" in step] == []


@pytest.mark.usefixtures("catalog")
def test_a_query_that_is_remembered_is_asked_by_the_connection_of_each_thread() -> None:
    asked = prepare("tensor memory")
    here = asked.connection
    with ThreadPoolExecutor(1) as another:
        assert another.submit(lambda: asked.connection is not here).result()


@pytest.mark.usefixtures("catalog")
def test_what_was_asked_longest_ago_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    module = import_module("episodes.models.snapshot")
    monkeypatch.setattr(module, "ROOM", 3 * OF_AN_ENTRY)
    monkeypatch.setattr(module, "MOST_ASKED", 2)
    monkeypatch.setattr(module._Memory, "last", Snapshot(""))
    now = snapshot()
    asked: list[object] = []

    def ids_of(questions: Sequence[str]) -> list[list[int]]:
        asked.extend(questions)
        return [[] for _ in questions]

    for questions in (["a", "b"], ["c", "a"], ["d"], ["a"], ["b"]):
        now.index.answers(questions, ids_of)
    assert asked == ["a", "b", "c", "d", "b"]
    for question in "ababcab":
        now.remembered(question, lambda question=question: asked.append(question))  # type: ignore[misc]
    assert asked[5:] == ["a", "b", "c", "a", "b"]


def test_an_element_is_written_alike_when_its_children_are_text_already() -> None:
    whole, settled = (root("feed", {"x": "<"}) for _ in range(2))
    for feed in (whole, settled):
        for number in range(3):
            entry = add(feed, "entry")
            add(entry, "title", f"{number} & more")
            add(add(entry, "author"), "name", "x")
            if feed is settled:
                entry.settle()
                assert not entry.children
        settled.settle()
    assert document(settled) == document(whole)
    assert "<title>2 &amp; more</title>" in document(settled)
