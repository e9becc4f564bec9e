"""Which addresses are secrets, and how text shows them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodes.text.private_addresses import carries_secret, mask_parts_of_secret_address, mask_secrets, split_login
from episodes.text.urls import add_scheme

from ..tables import cases

CASES = cases("text_private_addresses")


@pytest.mark.parametrize("kind", ["secret", "public"])
def test_login_or_token_makes_an_address_secret(kind: str) -> None:
    for address in CASES[kind]:
        assert carries_secret(address) == (kind == "secret"), address


@pytest.mark.parametrize("text, expected", CASES["a_text_keeps_the_host_alone"])
def test_a_text_keeps_the_host_alone(text: str, expected: str) -> None:
    assert mask_secrets(text) == expected


@pytest.mark.parametrize("text, address, expected", CASES["a_known_secret_is_masked"])
def test_a_known_secret_is_masked(text: str, address: str, expected: str) -> None:
    assert mask_parts_of_secret_address(text, address) == expected


@pytest.mark.parametrize("address, plain, login", CASES["a_login_is_split_off"])
def test_a_login_is_split_off(address: str, plain: str, login: str) -> None:
    assert split_login(address) == (plain, login)


@given(st.text())
def test_any_text_is_concealed_once(text: str) -> None:
    once = mask_secrets(text)
    assert mask_secrets(once) == once


@pytest.mark.parametrize("typed, address", CASES["a_typed_address_is_completed"])
def test_a_typed_address_is_completed(typed: str, address: str) -> None:
    assert add_scheme(typed) == address
