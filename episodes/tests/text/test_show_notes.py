"""Notes become text and markup that is safe, tidy and stable, whatever they were."""

import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodes.tests.growth import SHORTEST_TEXT, assert_even_growth
from episodes.tests.notes.test_links import FIXTURES, HOSTILE, feed_notes, mentions
from episodes.text.addresses import link_address
from episodes.text.show_notes import SHOWN, to_html, to_text

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
        assert tag in SHOWN
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
    shown = to_html(markup, "", cut)
    assert_safe(shown)


@given(st.text(), st.booleans())
def test_any_text_becomes_safe_paragraphs(text, cut):
    shown = to_html("", text, cut)
    assert_safe(shown)


@given(MARKUP)
def test_any_markup_becomes_text_in_lines(markup):
    text = to_text(markup)
    assert all(line == " ".join(line.split()) and line for line in text.split("\n")) or text == ""
    text.encode()


@pytest.mark.parametrize("piece", HOSTILE)
def test_work_for_long_notes_grows_evenly(piece):
    def show(length):
        notes = piece * (length // len(piece))
        assert_safe(to_html(notes, "", True))
        assert_safe(to_html("", notes, False))
        to_text(notes)

    assert_even_growth(show, SHORTEST_TEXT)


def test_many_closed_tags_stay_markup():
    assert to_html("<p>a<br><b>b</b></p>" * 1_500, "", False).count("<b>b</b>") == 1_500


def test_too_many_unclosed_tags_are_dropped():
    assert "<li>" not in to_html("<ul><li>a" * 600, "", False)


@pytest.mark.parametrize(
    "attack",
    [
        "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", '<a href="javascript:alert(1)">x</a>',
        '<a href="java\nscript:alert(1)">x</a>', '<a href=" &#x6A;avascript:alert(1)">x</a>',
        '<a href="data:text/html,<script>alert(1)</script>">x</a>',
        '<a href="https://a.org/&quot; onmouseover=&quot;alert(1)">x</a>',
        "<svg><p><style><a title='</style><img src onerror=alert(1)>'>",
        "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
        "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
        "<iframe src='https://a.org'></iframe><object data=x></object><embed src=x>",
        "<p style='background:url(x)' class='y' id='z' onclick='alert(1)'>x</p>",
        "https://a.org/\"onmouseover=alert(1)", "https://a.org/'><script>alert(1)</script>",
        "<form action=x><input><button formaction='javascript:alert(1)'>x</button></form>",
        "<<script>script>alert(1)<</script>/script>", "<scr\x00ipt>alert(1)</scr\x00ipt>",
    ],
)  # fmt: skip
def test_nothing_that_runs_gets_through(attack):
    for shown in (to_html(attack, "", False), to_html("", attack, False)):
        assert_safe(shown)


@pytest.mark.parametrize(
    "html, expected",
    [
        ("<p>One &amp; two</p><p>three<br/>four</p>", "One & two\nthree\nfour"),
        ("<ul><li>a</li><li>b</li></ul>", "a\nb"),
        ("<div>a </div><div>b   c\n d</div>", "a\nb c d"),
        ("a<script>x</script><style>y</style>b", "ab"),
        ("plain &lt;T&gt; text\n\nnext", "plain <T> text\nnext"),
        ("<b>a</b><i>b</i> c", "ab c"),
        ("<p>&nbsp;</p><p>x&nbsp;y</p>", "x y"),
        ("<p>a&#xE0041;&#xE0042;b</p>", "ab"),  # hidden from readers
        ("", ""),
    ],
)
def test_text_has_a_line_for_each_paragraph_and_item(html, expected):
    assert to_text(html) == expected


@pytest.mark.parametrize(
    "html, expected",
    [
        ("<h1>A</h1><h2>B</h2><h6>C</h6>", "<h3>A</h3><h3>B</h3><h4>C</h4>"),
        ("<div>a</div><div><p>b</p></div>", "<p>a</p><p>b</p>"),
        ("<p></p><p> <br> </p><p>a</p><p><b></b></p>", "<p>a</p>"),
        ("a<br>b<p>c</p>d", "<p>a<br>b</p><p>c</p><p>d</p>"),
        ("<p>a<b>b", "<p>a<b>b</b></p>"),
        ("<b><p>a</p></b>", "<p><b>a</b></p>"),
        ('<p><span class="x">a</span><img src="y"></p>', "<p>a</p>"),
        ("one\n\ntwo &lt;", "<p>one</p><p>two &lt;</p>"),
        ("<ul><li>a<li></ul>", "<ul><li>a</li></ul>"),
        ("<p>https://a.org/b.</p>", f'<p><a href="https://a.org/b" {REL}>https://a.org/b</a>.</p>'),
        ("<p>github.com/a/b</p>", f'<p><a href="https://github.com/a/b" {REL}>github.com/a/b</a></p>'),
        ('<a href="//a.org/b">x</a>', f'<p><a href="https://a.org/b" {REL}>x</a></p>'),
        ('<a href="/b">x</a>', "<p>x</p>"),
        (
            '<a class="y" target="z" title="a" href="https://a.org/b">x</a>',
            f'<p><a href="https://a.org/b" {REL}>x</a></p>',
        ),
    ],
)
def test_markup_is_tidied(html, expected):
    shown = to_html(html, "", False)
    assert shown == expected or shown.replace(f"{REL} ", "") == expected


def test_text_becomes_escaped_paragraphs():
    assert to_html("", "a <b> & c\n\n\nd", False) == "<p>a &lt;b&gt; &amp; c</p><p>d</p>"


def test_a_cut_address_is_never_live():
    assert "<a" not in to_html("<p>see https://a.org/pyt…</p>", "", True)
    assert "<a" not in to_html('<p>see <a href="https://a.org/pyt">https://a.org/pyt</a>…</p>', "", True)
    assert "<a" not in to_html("", "see https://a.org/pyt", True)
    assert "<a" in to_html("", "see https://a.org/pyt", False)


def test_what_is_live_in_the_shipped_notes_is_what_is_mentioned():
    pages = [path.read_text(encoding="utf-8") for path in sorted((FIXTURES / "pages").glob("*.txt"))]
    for html, text in [(notes, "") for notes in feed_notes()] + [("", page) for page in pages]:
        shown = to_html(html, text, False)
        assert_safe(shown)
        tree = ET.fromstring(f"<x>{shown.replace('&nbsp;', ' ').replace('<br>', '')}</x>")
        hrefs = [link.get("href") for link in tree.iter("a")]
        assert hrefs == [link_address(mention.address) for mention in mentions(html, text, False)]


def test_an_address_in_a_private_network_stays_as_text():
    assert to_html("", "Try http://192.168.1.10/ at home", False) == "<p>Try http://192.168.1.10/ at home</p>"
    html = '<p>My <a href="http://localhost:8000/">page</a></p>'
    assert to_html(html, "", False) == "<p>My page</p>"
    assert to_text(html) == "My page"
