"""Which addresses are secrets, and how text shows them."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodes.text.private_addresses import carries_secret, conceal, split_login
from episodes.text.urls import with_scheme

CASES = tomllib.loads((Path(__file__).parent.parent / "data" / "private_addresses.toml").read_text())


@pytest.mark.parametrize("address", CASES["secret"])
def test_a_login_or_token_makes_an_address_secret(address: str) -> None:
    assert carries_secret(address)


@pytest.mark.parametrize("address", CASES["public"])
def test_a_name_or_number_makes_no_secret(address: str) -> None:
    assert not carries_secret(address)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("https://a.example/f?auth=x answered 404", "https://a.example/… answered 404"),
        ("failed: https://a.example/f?auth=x. Try again", "failed: https://a.example/…. Try again"),
        ("see https://a.example/f?page=2", "see https://a.example/f?page=2"),
        ("'https://ann:pearl@a.example:81/it's', https://b.example/", "'https://a.example:81/…', https://b.example/"),
        ("http://ann:pe[arl@a.example/", "http://a.example/…"),
    ],
)
def test_a_text_keeps_the_host_alone(text: str, expected: str) -> None:
    assert conceal(text) == expected


@pytest.mark.parametrize(
    "address, plain, login",
    [
        ("https://ann:pearl@a.example:81/f?x#y", "https://a.example:81/f?x#y", "https://ann:pearl@a.example:81"),
        ("HTTP://ann@a.example", "HTTP://a.example", "HTTP://ann@a.example"),
        ("https://ann:p@ss@a.example/", "https://a.example/", "https://ann:p@ss@a.example"),
        ("https://a.example/@ann", "https://a.example/@ann", ""),
        ("https://a.example?x=b@c", "https://a.example?x=b@c", ""),
    ],
)
def test_a_login_is_split_off(address: str, plain: str, login: str) -> None:
    assert split_login(address) == (plain, login)


@given(st.text())
def test_any_text_is_concealed_once(text: str) -> None:
    once = conceal(text)
    assert conceal(once) == once


@pytest.mark.parametrize(
    "typed, address",
    [
        (" https://a.example/feed\t", "https://a.example/feed"),
        ("\u200bhttps://a.example/feed\ufeff", "https://a.example/feed"),
        ("a.example/feed", "https://a.example/feed"),
        ("www.a.example", "https://www.a.example"),
        ("a.example:443/feed", "https://a.example:443/feed"),
        ("127.0.0.1:8000/feed", "http://127.0.0.1:8000/feed"),
        ("localhost:8000", "http://localhost:8000"),
        ("[::1]:8000/feed", "http://[::1]:8000/feed"),
        ("ann:pearl@a.example/feed", "https://ann:pearl@a.example/feed"),
        ("ann:pearl@a.example:81/feed", "https://ann:pearl@a.example:81/feed"),
        ("feed.xml", "feed.xml"),
        ("pages/feed.xml", "pages/feed.xml"),
        ("javascript:1", "javascript:1"),
        ("feed://a.example/feed", "feed://a.example/feed"),
    ],
)
def test_a_typed_address_is_completed(typed: str, address: str) -> None:
    assert with_scheme(typed) == address
