"""Notes become text and markup that is safe, tidy and stable, whatever they were."""

import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodes.tests.growth import assert_even_growth_for_text
from episodes.tests.notes.test_links import FIXTURES, HOSTILE, feed_notes, mentions
from episodes.text.addresses import address_with_scheme
from episodes.text.show_notes import NOTES_TAGS, notes_to_safe_html, to_text

from ..tables import cases

CASES = cases("text_show_notes")

REL = 'rel="nofollow noopener noreferrer"'
TAG = re.compile(r'<(/?)([a-z0-9]+)((?: [a-z]+="[^"<>]*")*)>')
MARKUP = st.lists(
    st.sampled_from([
        *HOSTILE, "text", " ", "<p>", "</p>", "<br>", "<h1>", "</h1>", "<h5>", "</a>", '<a href="https://b.org/c">',
        "</b>", "</ul>", "<ol>", "<li>", "<blockquote>", "</blockquote>", "<pre>", "</pre>", "<code>", "<hr>", "<td>",
        '<img src=x onerror="alert(1)">', "<script>alert(1)</script>", "<svg><style>", "</style>", "<math><mi>",
        '<a href="javascript:alert(1)">', '<p style="x" class="y" onclick="z">', "https://a.org/b", "<template>",
    ])
).map("".join)  # fmt: skip


def assert_safe(html):
    assert re.sub(TAG, "", html).count("<") == 0
    depth = []
    for closing, tag, attributes in TAG.findall(html):
        assert tag in NOTES_TAGS
        assert attributes == "" or (tag == "a" and re.fullmatch(rf' href="https?://[^"]*" {REL}', attributes, re.I))
        if closing:
            assert depth.pop() == tag
        elif tag not in {"br", "hr"}:
            depth.append(tag)
    assert depth == []
    html.encode()
    assert "\x00" not in html


@given(MARKUP, st.booleans())
def test_any_markup_becomes_safe_and_balanced(markup, cut):
    assert_safe(notes_to_safe_html(markup, "", cut))


@given(st.text(), st.booleans())
def test_any_text_becomes_safe_paragraphs(text, cut):
    assert_safe(notes_to_safe_html("", text, cut))


@given(MARKUP)
def test_any_markup_becomes_text_in_lines(markup):
    text = to_text(markup)
    assert all(line == " ".join(line.split()) and line for line in text.split("\n")) or text == ""
    text.encode()


@pytest.mark.parametrize("piece", HOSTILE)
def test_work_for_long_notes_grows_evenly(piece):
    def show(notes):
        assert_safe(notes_to_safe_html(notes, "", True))
        assert_safe(notes_to_safe_html("", notes, False))
        to_text(notes)

    assert_even_growth_for_text(show, piece)


def test_only_unclosed_tags_have_a_limit():
    assert "<li>" not in notes_to_safe_html("<ul><li>a" * 600, "", False)
    assert notes_to_safe_html("<p>a<br><b>b</b></p>" * 1_500, "", False).count("<b>b</b>") == 1_500


@pytest.mark.parametrize("attack", CASES["nothing_that_runs_gets_through"])
def test_nothing_that_runs_gets_through(attack):
    for shown in (notes_to_safe_html(attack, "", False), notes_to_safe_html("", attack, False)):
        assert_safe(shown)


@pytest.mark.parametrize("html, expected", CASES["text_has_a_line_for_each_paragraph_and_item"])
def test_text_has_line_for_each_block(html, expected):
    assert to_text(html) == expected


@pytest.mark.parametrize("html, expected", CASES["markup_is_tidied"])
def test_markup_is_tidied(html, expected):
    shown = notes_to_safe_html(html, "", False)
    assert shown == expected or shown.replace(f"{REL} ", "") == expected


def test_a_cut_address_is_never_live():
    assert "<a" not in notes_to_safe_html("<p>see https://a.org/pyt…</p>", "", True)
    assert "<a" not in notes_to_safe_html('<p>see <a href="https://a.org/pyt">https://a.org/pyt</a>…</p>', "", True)
    assert "<a" not in notes_to_safe_html("", "see https://a.org/pyt", True)
    assert "<a" in notes_to_safe_html("", "see https://a.org/pyt", False)


def test_live_links_equal_mentioned_links():
    pages = [path.read_text(encoding="utf-8") for path in sorted((FIXTURES / "pages").glob("*.txt"))]
    for html, text in [(notes, "") for notes in feed_notes()] + [("", page) for page in pages]:
        shown = notes_to_safe_html(html, text, False)
        assert_safe(shown)
        tree = ET.fromstring(f"<x>{shown.replace('&nbsp;', ' ').replace('<br>', '')}</x>")
        hrefs = [link.get("href") for link in tree.iter("a")]
        assert hrefs == [address_with_scheme(mention.address) for mention in mentions(html, text, False)]


def test_private_address_and_plain_text_stay_text():
    assert notes_to_safe_html("", "a <b> & c\n\n\nd", False) == "<p>a &lt;b&gt; &amp; c</p><p>d</p>"
    assert (
        notes_to_safe_html("", "Try http://192.168.1.10/ at home", False) == "<p>Try http://192.168.1.10/ at home</p>"
    )
    html = '<p>My <a href="http://localhost:8000/">page</a></p>'
    assert notes_to_safe_html(html, "", False) == "<p>My page</p>"
    assert to_text(html) == "My page"
