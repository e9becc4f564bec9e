"""Addresses that are the same have one form, and nothing an address may be made of breaks that."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from episodes.tests.growth import assert_even_growth_for_text
from episodes.text.urls import canonical_address_parts_or_none, canonical_url, enclosure_key, page_key

from ..tables import cases

CASES = cases("text_urls")

WORD = st.text("abcXYZ019-_.~%/:@!$&'()*+,;=[]{}|\\ é漢\ud800\x00", max_size=12)
HOSTS = ["a.org", "WWW.GitHub.com", "user:pw@a.org", "[::1]", "[::1", "münchen.de", "a.org.", "", "1.2.3.4"]
ADDRESSES = st.builds(
    lambda *parts: "".join(parts),
    st.sampled_from(["http://", "https://", "HTTPS://", "//", ""]),
    st.sampled_from(HOSTS),
    st.sampled_from(["", ":80", ":443", ":8080", ":99999", ":x", ":", ":0443"]),
    WORD.map(lambda word: f"/{word}" if word else ""),
    st.one_of(st.just(""), WORD.map(lambda word: f"?utm_source=x&{word}=1&b")),
    st.one_of(st.just(""), WORD.map(lambda word: f"#{word}")),
)
SIMPLECAST = "https://show.simplecast.com/episodes/"


@given(st.one_of(ADDRESSES, st.text()))
@example("https://a.org/%%341")
@example("https://a.org/a#:%7E:text=b")
@example("https://a.org/%2e%2E//b/..")
@example("https://a.org/?utm%5Fsource=x")
def test_canonical_twice_is_canonical_once(address):
    once = canonical_url(address)
    assert canonical_url(once) == once
    once.encode()


@given(st.one_of(ADDRESSES, st.text()))
def test_every_address_has_a_canonical_key(address):
    for key in (page_key, enclosure_key):
        assert key(canonical_url(address)) == key(address)


@given(ADDRESSES)
def test_canonical_leads_where_the_address_led(address):
    before, after = canonical_address_parts_or_none(address), canonical_address_parts_or_none(canonical_url(address))
    assert before == after


@pytest.mark.parametrize("address, expected", CASES["canonical_folds_what_never_matters_and_nothing_else"])
def test_canonical_folds_what_never_matters_and_nothing_else(address, expected):
    assert canonical_url(address) == expected


@pytest.mark.parametrize("tail", ["TCcEyBRZ", "t_HiJlOu", "L2wJSVA_", "a3yF3fEQ", "aB-dEf_g"])
def test_simplecast_page_ignores_its_tail(tail):
    assert page_key(f"{SIMPLECAST}reference-counting-{tail}") == page_key(f"{SIMPLECAST}reference-counting")


@pytest.mark.parametrize("slug", CASES["words_of_a_title_are_no_tail"])
def test_words_of_a_title_are_no_tail(slug):
    assert page_key(SIMPLECAST + slug).endswith(f"/{slug}")
    assert page_key("https://example.org/episodes/a-TCcEyBRZ") == "example.org/episodes/a-TCcEyBRZ"


def test_page_ignores_scheme_slash_and_tracking():
    spellings = ["http://www.a.org/e/1/", "https://a.org/e/1?utm_source=feed", "https://a.org/e/1#t=5", "a.org/e/1"]
    assert {page_key(spelling) for spelling in spellings} == {"a.org/e/1"}
    assert page_key("https://a.org/?p=1") != page_key("https://a.org/?p=2")
    assert page_key("https://a.org/#!/1") != page_key("https://a.org/#!/2")


@pytest.mark.parametrize("prefix", CASES["an_audio_file_is_the_same_behind_any_other_host"])
def test_audio_file_ignores_its_host(prefix):
    assert enclosure_key(f"{prefix}cdn.example.org/a/ep1.mp3?aid=rss&updated=1") == "cdn.example.org/a/ep1.mp3"


def test_query_stays_if_it_names_file():
    first, second = (enclosure_key(f"https://a.org/download.php?token=x&id={number}") for number in (1, 2))
    assert first == "a.org/download.php?id=1"
    assert first != second


@pytest.mark.parametrize("piece", ["https://", "pdst.fm/e/", "/..", "%41", "a.", "\x00", "[", "@", "https://gum.fm/a/"])
def test_work_for_a_long_address_grows_evenly(piece):
    def read(path):
        for function in (canonical_url, page_key, enclosure_key):
            function(f"https://a.org/{path}")
            function(path)

    assert_even_growth_for_text(read, piece)
