"""Typed values are read in many forms; a value that could be two things, or is none, is refused with the way out."""

import pytest

from episodes.curation import InvalidChange, clean_typed_value

from .tables import cases

CASES = cases("typed")


@pytest.mark.parametrize("field, typed, stored", CASES["read"])
def test_typed_value_is_read_in_every_form(field: str, typed: str, stored: str) -> None:
    assert clean_typed_value(field, typed) == stored


@pytest.mark.parametrize("field, refusal, values", CASES["refused"])
def test_unreadable_or_ambiguous_value_is_refused(field: str, refusal: str, values: list[str]) -> None:
    for typed in values:
        with pytest.raises(InvalidChange, match=refusal):
            clean_typed_value(field, typed)
