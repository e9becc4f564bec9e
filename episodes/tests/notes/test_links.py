"""Addresses in notes are found whole, each is known for what it is, and a cut one is no link."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodes.notes.links import LinkTarget, fold_link_key, identify_link, plain_text_of_notes
from episodes.tests.growth import assert_even_growth_for_text
from episodes.text.addresses import find_spans_of_web_addresses
from episodes.text.urls import canonical_url

from ..tables import cases

CASES = cases("notes_links")

FIXTURES = Path(__file__).parents[3] / "fixtures"


def mentions(html, text, cut):
    return find_spans_of_web_addresses(plain_text_of_notes(html, text), is_cut=cut)


OWN = frozenset({"pytorch-dev-podcast.simplecast.com"})
PYTORCH = "https://github.com/pytorch/pytorch"


@pytest.mark.parametrize("address, kind, key", CASES["an_address_is_known_for_what_it_is"])
def test_an_address_is_known_for_what_it_is(address, kind, key):
    assert identify_link(address, OWN) == LinkTarget(kind, key)
    assert identify_link(canonical_url(address), OWN) == LinkTarget(kind, key)


@given(st.one_of(st.text(), st.text().map(PYTORCH.__add__), st.text().map("https://docs.pytorch.org/".__add__)))
def test_identity_equals_that_of_canonical_form(address):
    target = identify_link(address, OWN)
    assert identify_link(canonical_url(address), OWN) == target
    target.key.encode()


def test_link_key_keeps_spelling_of_repository():
    assert fold_link_key("gh:Acme/ATen:a/B.py") == fold_link_key("gh:acme/aten:a/B.py") == "gh:acme/aten:a/B.py"
    assert fold_link_key("doi:Acme/ATen") == "doi:Acme/ATen"


def test_without_own_hosts_no_address_is_an_episode():
    assert identify_link("https://pytorch-dev-podcast.simplecast.com/episodes/vmap").kind == "other"


def bare(text, cut=False):
    return [mention.address for mention in mentions("", text, cut)]


@pytest.mark.parametrize("text, expected", CASES["addresses_in_text_are_found_whole"])
def test_addresses_in_text_are_found_whole(text, expected):
    assert bare(text) == expected


@pytest.mark.parametrize("text, expected", CASES["a_cut_address_is_no_link"])
def test_a_cut_address_is_no_link(text, expected):
    assert bare(text, cut=True) == expected


@pytest.mark.parametrize("html, expected", CASES["addresses_in_markup_are_found_with_the_words_they_stand_behind"])
def test_addresses_in_markup_have_their_words(html, expected):
    found = mentions(html, "https://unused.org/a", False)
    assert [[mention.address, mention.words] for mention in found] == expected


def test_link_of_cut_address_is_no_link():
    cut = '<a href="https://a.org/pyt">https://a.org/pyt</a>…'
    assert mentions(cut, "", True) == []
    assert mentions('<a href="https://a.org/pyt…">https://a.org/pyt…</a> Show More', "", True) == []
    assert len(mentions(cut, "", False)) == 1
    assert len(mentions('<a href="https://a.org/pytorch">the source</a>…', "", True)) == 1


def test_shortened_words_of_whole_link_stay_a_link():
    [link] = mentions('<a href="https://a.org/podcast/1">a.org/pod…</a> Show More', "", True)
    assert link.address == "https://a.org/podcast/1"


def test_the_position_is_where_the_address_begins():
    text = "One: https://a.org/a, two: github.com/x/y"
    assert [text[m.start :].startswith(m.address) for m in mentions("", text, False)] == [True, True]


HOSTILE = [
    "https://", "http", "www.", "a.", "github.com/", "https://a.org/(", "https://a.org/)", ")", "(", "...", "…",
    "<a href=https://a.org/>", "<b>", "<div>", "<ul><li>", "</p>", "<!--", "<", "&", "&amp;", "\x00", "\ud800",
    "a.com/", " ", "\n", "https://web.archive.org/https://", "https://a.org/x.h", "<i><b><p>", "<table>", "<svg>",
    "<pre>\n", "-", "https://a.org ", "http://1.", "1.0x", "http://[",
]  # fmt: skip


@pytest.mark.parametrize(
    "host", ["8.8.8.8", "8.8.8.8:8080", "1.1.1.10", "[2001:4860:4860::8888]", "[2606:4700::1111]:81"]
)
def test_public_ip_address_is_a_link(host):
    address = f"http://{host}/a"
    found = [mentions("", address, False), mentions(f'<a href="{address}">here</a>', "", False)]
    assert [[mention.address for mention in those] for those in found] == [[address], [address]]
    assert identify_link(address) == LinkTarget("other", canonical_url(address))


@pytest.mark.parametrize("host", CASES["what_only_some_network_can_open_is_no_link"])
def test_private_address_is_no_link(host):
    address = f"http://{host}/a"
    assert mentions("", f"see {address} there", False) == []
    assert mentions(f'see <a href="{address}">this</a> there', "", False) == []


@pytest.mark.parametrize("piece", HOSTILE)
def test_work_for_long_notes_grows_evenly(piece):
    def read(notes):
        for html, text in ((notes, ""), ("", notes)):
            mentions(html, text, True)
            mentions(html, text, False)

    assert_even_growth_for_text(read, piece)


@given(st.lists(st.sampled_from([*HOSTILE, "a", "<p>", "<br>", "</a>", '<a href="https://b.org/c">', "github.com/x"])))
def test_any_mixture_is_read(parts):
    mixture = "".join(parts)
    for cut in (True, False):
        for mention in mentions(mixture, mixture, cut) + mentions("", mixture, cut):
            assert identify_link(mention.address).key
            mention.address.encode()


def feed_notes():
    return [item.findtext("description") or "" for item in ET.parse(FIXTURES / "feed.xml").iter("item")]


def test_shipped_feed_links_are_complete():
    found = [mention.address for notes in feed_notes() for mention in mentions(notes, "", False)]
    assert len(found) == 106  # counted by hand: 90 links and 16 bare addresses
    assert not any("…" in address or address.endswith(("...", ".", ",", ")...")) for address in found)
    others = {address for address in found if identify_link(address, OWN).kind == "other"}
    assert others == {"https://www.amazon.com/Programming-Massively-Parallel-Processors-Hands/dp/0128119861"}
