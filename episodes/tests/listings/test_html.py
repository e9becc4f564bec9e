"""An HTML page as a person sees it, line by line: blocks break lines, boilerplate is left out, links lead somewhere."""

import pytest

from episodes.listings.document import PageDocument
from episodes.listings.feeds import find_likeliest_feed_addresses
from episodes.listings.rows import Row, absolute_web_address_or_blank, page_rows_of_saved_text
from episodes.listings.show_names import has_show_name_as_part, is_lookalike, is_name_of_show
from episodes.records import FetchedDocument, Show

from ..tables import cases

CASES = cases("listings_html")

BASE = "https://site.example/shows/"
SHOW = Show("", "PyTorch Developer Podcast")


def rows(body: bytes, address: str = BASE) -> list[Row]:
    """The rows of a page that are no menu."""
    return [
        row
        for row in PageDocument.from_fetched(FetchedDocument(body, address)).rows.rows
        if row.text and not row.in_menu
    ]


def seen(markup: str) -> list[Row]:
    return rows(f"<html><head><title> A  &amp; B </title></head><body>{markup}</body></html>".encode())


@pytest.mark.parametrize("markup, expected", CASES["lines_are_what_stands_in_one_block"])
def test_lines_are_what_stands_in_one_block(markup: str, expected: list[str]):
    assert [row.text for row in seen(markup)] == expected


def test_headings_have_levels_and_ends():
    found = seen("<h1>One <small>x</small></h1>two<h3><a href=a>three</a></h3><h2>four</h2>")
    assert [(line.text, line.heading) for line in found] == [("One x", 1), ("two", 0), ("three", 3), ("four", 2)]


def test_a_break_parts_rows_of_one_block():
    found = seen("<p>a<br>b<br/><br>c</p><p>d<br></p>e")
    assert [row.text for row in found] == ["a", "b", "c", "d", "e"]
    first, second = found[0].path, found[3].path
    assert [row.path for row in found] == [first, first, first, second, found[4].path]
    assert len({first, second, found[4].path}) == 3


def test_link_around_blocks_covers_each_line():
    assert [line.links for line in seen('<a href="x?a=1&amp;b=2"><div>a</div><div>b</div></a>c')] == [
        (BASE + "x?a=1&b=2",),
        (BASE + "x?a=1&b=2",),
        (),
    ]


@pytest.mark.parametrize(
    "href", ["", "#", "#top", "javascript:alert(1)", "mailto:a@b.example", "data:text/html,x", "http://[", "http:"]
)
def test_what_leads_nowhere_else_is_no_link(href: str):
    assert absolute_web_address_or_blank(href, BASE) == ""


def test_relative_links_use_page_or_base():
    assert absolute_web_address_or_blank("../e/1", BASE) == "https://site.example/e/1"
    page = b'<html><head><base href="/b/"></head><body><a href="1">x</a></body></html>'
    assert rows(page)[0].links == ("https://site.example/b/1",)
    assert rows(b"<html><body><a href='1'>x</a></body></html>", "")[0].links == ()


def test_page_title_is_no_line():
    page = b"<html><head><title> A  &amp; B </title></head><body><p>x</p></body></html>"
    assert PageDocument.from_fetched(FetchedDocument(page)).head.title == "A & B"
    assert [row.text for row in rows(page)] == ["x"]


@pytest.mark.parametrize("count, listed", [(0, 0), (6, 6), (7, 6)])
def test_six_declared_feeds_are_tried(count: int, listed: int):
    links = "".join(f'<link rel="alternate" type="application/rss+xml" href="/{n}.xml">' for n in range(count))
    page = FetchedDocument(f"<html><head>{links}</head></html>".encode(), "https://a.example/")
    assert find_likeliest_feed_addresses(page) == tuple(f"https://a.example/{n}.xml" for n in range(listed))


def test_a_document_is_parsed_once():
    document = PageDocument.from_fetched(FetchedDocument(b"<html><body><p>x</p></body></html>"))
    assert PageDocument.from_fetched(document) is document
    assert (document.rows is document.rows, document.tree is document.tree) == (True, True)


@pytest.mark.parametrize("name, is_it, is_in_it", CASES["title_is_show_name_with_or_without_site"])
def test_title_is_show_name_with_or_without_site(name: str, is_it: bool, is_in_it: bool):
    assert (is_name_of_show(name, SHOW.title), has_show_name_as_part(name, SHOW)) == (is_it, is_in_it)


@pytest.mark.parametrize(
    "name, title, same",
    [("..", "..", True), ("..", "...", False), (" . ", ".", True), ("", "", False), ("", "..", False)],
)
def test_name_of_signs_stays(name: str, title: str, same: bool):
    assert is_name_of_show(name, title) is same


@pytest.mark.parametrize("name", CASES["lookalike_letters_match_the_name"])
def test_lookalike_letters_match_the_name(name: str):
    assert is_lookalike(name, "Bee Talk")
    assert is_lookalike("Bee Talk", name)


@pytest.mark.parametrize("name, title", CASES["other_names_do_not_look_alike"])
def test_other_names_do_not_look_alike(name: str, title: str):
    assert not is_lookalike(name, title)


def test_greek_name_ignores_case():
    assert is_lookalike("\u0397\u03bf\u03bd\u03b5\u03c5", "\u03b7\u039f\u039d\u0395\u03a5")


def test_direction_marks_leave_rows():
    page = "<html><body><p>\u202eWax\uffff\u2066 and\u2069 honey\u202c</p><p>\u200fשעוה\u200e \u0645\u06cc\u200c\u0631\u0648\u062f 👩\u200d🌾</p></body></html>"
    assert [row.text for row in rows(page.encode())] == [
        "Wax and honey",
        "\u200fשעוה\u200e \u0645\u06cc\u200c\u0631\u0648\u062f 👩\u200d🌾",
    ]


def test_saved_lines_form_paragraphs_in_sections() -> None:
    page = page_rows_of_saved_text("# Looms\nCard\n\nSpin\n## Reeds\nDent", "")
    *_, above, last = (row.path for row in page.rows)
    assert [page.blocks.shapes[number] for number in last] == ["", "section", "section", "paragraph", "line"]
    assert [page.blocks.parents[number] for number in last] == [0, *last[:-1]]
    assert above[:3] == last[:3], "a heading is in the first paragraph of its section"
