"""The page about the site, the pages for errors, and the way to all of them."""

from __future__ import annotations

import pytest
from django.template.loader import render_to_string
from django.test import Client

from episodes.models import Episode, Source
from episodes.views.errors import words_of

from .pages import first, see

pytestmark = pytest.mark.usefixtures("catalog")


def test_the_sources_stand_with_what_they_know(client: Client) -> None:
    rows = see(client, "/about/").tree.css(".prose tbody tr")
    assert [first(row, "th").text() for row in rows] == list(
        Source.objects.order_by("rank", "slug").values_list("title", flat=True)
    )
    assert first(rows[0], "td").text() == "–"
    assert "82 episodes" in rows[1].text()
    assert first(rows[-1], "td").text() == "6 posts"


def test_a_catalog_without_sources_has_the_page_too(client: Client) -> None:
    Episode.objects.all().delete()
    assert see(client, "/about/").status == 200


def test_the_foot_of_every_page_leads_on(client: Client) -> None:
    links = {a.attributes["href"] for a in see(client, "/").tree.css(".colophon a")}
    assert {"/people/", "/names/", "/time/", "/sources/", "/changes/", "/about/", "/data/"} <= links
    for address in links:
        assert see(client, address or "").status == 200


def test_the_keys_are_explained_without_javascript(client: Client) -> None:
    page = see(client, "/about/")
    assert page.one(".prose .keys").text() == page.one("dialog .keys").text()


@pytest.mark.parametrize(
    "path, words",
    [
        ("/episodes/no-such_vmap.html", "no such vmap"),
        ("/topics/", ""),
        ("/%E2%9C%93/caf%C3%A9", "café"),
        ("/a\x00b", "a b"),
        ("/%ff%fe", ""),
        ("/" + "x" * 500, "x" * 99),
    ],
)
def test_the_words_of_a_path(path: str, words: str) -> None:
    assert words_of(path) == words


def test_an_address_without_a_page_becomes_a_search(client: Client) -> None:
    page = see(client, "/episodes/functional_modules-2021.html")
    assert page.status == 404
    assert page.one("main input[name=q]").attributes["value"] == "functional modules 2021"


@pytest.mark.parametrize(
    "path", ["/%00", "/%ED%A0%80/x", "/" + "a/" * 900, "/'%22%3Cscript%3E", "/*/(((", '/"unclosed']
)
def test_no_address_breaks_the_page_for_what_is_not_there(client: Client, path: str) -> None:
    page = see(client, path)
    assert page.status == 404
    assert "<script>" not in page.html


@pytest.mark.parametrize("name", ["400.html", "500.html", "503.html"])
def test_the_plain_pages_need_no_database_and_no_request(name: str, django_assert_num_queries) -> None:
    with django_assert_num_queries(0):
        page = render_to_string(name)
    assert page.startswith("<!doctype html>")
    assert 'href="/episodes/"' in page
