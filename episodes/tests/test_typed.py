"""Typed values are read in many forms; a value that could be two things, or is none, is refused with the way out."""

import pytest

from episodes.curation import InvalidChange, clean_typed_value

from .tables import cases

CASES = cases("typed")


@pytest.mark.parametrize(
    "typed, stored",
    [
        ("13:45", "825"), ("1:02:03", "3723"), ("14 min", "840"), ("1h 2m", "3720"), ("1020.0", "1020"), ("825", "825"),
        ("90 Minuten", "5400"), ("13m45s", "825"), ("0:13:45", "825"), (" ١٣:٤٥ ", "825"), ("", ""),
    ],
)  # fmt: skip
def test_a_length_is_read_in_every_form(typed: str, stored: str) -> None:
    assert clean_typed_value("duration_seconds", typed) == stored


@pytest.mark.parametrize("typed", ["abc", "0", "-5", "13.45", "1:75", "14 minutes 5", "9" * 200])
def test_what_is_no_length_is_refused_with_examples(typed: str) -> None:
    with pytest.raises(InvalidChange, match=r"Length: “.+” is not a length. Enter 13:45, 1:02:03, 14 min"):
        clean_typed_value("duration_seconds", typed)


@pytest.mark.parametrize("typed, stored", CASES["a_date_is_read_in_every_form_and_keeps_its_time"])
def test_date_is_read_in_every_form(typed: str, stored: str) -> None:
    assert clean_typed_value("published", typed) == stored


@pytest.mark.parametrize(
    "typed", ["tomorrow", "2021", "2021-13-01", "31/02/2021", "19 August 2021 13:00 XYZ", "0001-01-01"]
)
def test_what_is_no_date_is_refused(typed: str) -> None:
    with pytest.raises(InvalidChange, match=r"Date: “.+” is not a date. Enter a date such as 2021-08-18"):
        clean_typed_value("published", typed)


@pytest.mark.parametrize("typed", ["03/04/2021", "3.4.21", "03-04-2021 13:00"])
def test_ambiguous_date_is_refused_with_both(typed: str) -> None:
    with pytest.raises(
        InvalidChange, match=r"could be 4 March 2021.* or 3 April 2021.*Enter 2021-03-04\S* or 2021-04-03"
    ):
        clean_typed_value("published", typed)


@pytest.mark.parametrize("field, typed, stored", CASES["typed_number_and_address_are_lenient"])
def test_typed_number_and_address_are_lenient(field: str, typed: str, stored: str) -> None:
    assert clean_typed_value(field, typed) == stored


@pytest.mark.parametrize(
    "field, refusal, values",
    [
        ("number", "Number: “.+” is not a whole number above 0", ["0", "-1", "4.5", "many", "²"]),
        (
            "url",
            "Page: “.+” is not a web address",
            ["example", "javascript:alert(1)", "ftp://example.org/a", "http://", "//example.org", "a@b"],
        ),
    ],
)
def test_what_is_no_number_or_address_is_refused(field: str, refusal: str, values: list[str]) -> None:
    for typed in values:
        with pytest.raises(InvalidChange, match=refusal):
            clean_typed_value(field, typed)
