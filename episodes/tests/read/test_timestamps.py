"""Positions in the audio are found in notes; times of day, lengths, ratios, verses and addresses are not."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodes.tests.growth import SHORTEST_TEXT, assert_even_growth
from episodes.text.timecodes import find_timecodes_at_line_edges

from ..tables import cases

CASES = cases("read_timestamps")

PIECES = st.lists(
    st.sampled_from([
        "12:34", "1:02:03", "00:00", "9:99", "at ", "from ", "~", "@", "(", ")", "[", "]", " ", "\n", "- ", " to ", ", ", "am", " UTC",
        "2021-08-18 ", "https://a.org/", "localhost:", "::", "99", ".", "Length: ", "٣:٢١", "é", "\U0001f600",
    ])
).map("".join)  # fmt: skip


@given(st.text() | PIECES, st.none() | st.integers(1, 10_000))
def test_found_timestamps_are_ordered_and_within_length(text, length):
    after = 0
    for first, last, seconds in find_timecodes_at_line_edges(text, length):
        assert after <= first < last <= len(text)
        assert re.fullmatch(r"(\d{1,2}:)?\d{1,3}:\d\d([.,]\d{3})?", text[first:last], re.ASCII)
        assert 0 <= seconds < (length or 10**9)
        after = last


@pytest.mark.parametrize("text, expected", CASES["a_position_is_found"])
def test_a_position_is_found(text, expected):
    assert [seconds for _, _, seconds in find_timecodes_at_line_edges(text, None)] == expected


@pytest.mark.parametrize("text", CASES["what_only_looks_like_a_position_is_none"])
def test_what_only_looks_like_a_position_is_none(text):
    assert find_timecodes_at_line_edges(text, None) == ()


def test_nothing_is_beyond_the_end_of_the_episode():
    text = "10:00 Views\n16:33 Storages\n20:00 Keys"
    assert find_timecodes_at_line_edges(text, 993) == ((0, 5, 600),)
    assert [seconds for _, _, seconds in find_timecodes_at_line_edges(text, None)] == [600, 993, 1200]


@pytest.mark.parametrize(
    "piece", ["(0:00) ", "at 0:00, 0:00 ", "0:", "a@", "a.a.", "[", "- 0:00\n", "2021-08-18 ", "https://", " "]
)
def test_work_for_a_long_text_grows_evenly(piece):
    assert_even_growth(lambda length: find_timecodes_at_line_edges(piece * (length // len(piece)), None), SHORTEST_TEXT)
