"""Positions in the audio are found in notes; times of day, lengths, ratios, verses and addresses are not."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodes.tests.growth import SHORTEST_TEXT, assert_even_growth
from episodes.text.timecodes import timestamps

PIECES = st.lists(
    st.sampled_from([
        "12:34", "1:02:03", "00:00", "9:99", "at ", "from ", "~", "@", "(", ")", "[", "]", " ", "\n", "- ", " to ", ", ", "am", " UTC",
        "2021-08-18 ", "https://a.org/", "localhost:", "::", "99", ".", "Length: ", "٣:٢١", "é", "\U0001f600",
    ])
).map("".join)  # fmt: skip


@given(st.text() | PIECES, st.none() | st.integers(1, 10_000))
def test_what_is_found_in_any_text_stands_there_in_order_and_within_the_episode(text, length):
    after = 0
    for first, last, seconds in timestamps(text, length):
        assert after <= first < last <= len(text)
        assert re.fullmatch(r"(\d{1,2}:)?\d{1,3}:\d\d([.,]\d{3})?", text[first:last], re.ASCII)
        assert 0 <= seconds < (length or 10**9)
        after = last


@pytest.mark.parametrize(
    "text, expected",
    [
        ("12:34 The dispatcher", [754]),
        ("Intro\n12:34 The dispatcher\n1:02:03 Outro", [754, 3723]),
        ("- 12:34 – Keys\n* 13:34 Sets\n3. 14:34 Masks\n[15:34]: Maps", [754, 814, 874, 934]),
        ("⏱ 0:45 Scale of models", [45]),
        ("12:34: Today's news", [754]),
        ("00:10 At the beginning\n00:20 IT and PT-D\n00:30 Long context", [10, 20, 30]),
        ("125:30 A long talk", [7530]),
        ("12:34–13:00 Questions", [754]),
        ("Introductions - 0:45\nOur own runners - 12:03\nCost - 31:27", [45, 723, 1887]),
        ("Physics .......... 16:09\nNetcode .......... 41:00", [969, 2460]),
        ("00:00Hello\n04:15WAL mode", [0, 255]),
        ("00:00:00.000 Intro\n00:03:12.500 Migration story", [0, 192]),
    ],
)
def test_a_position_is_found(text, expected):
    assert [seconds for _, _, seconds in timestamps(text, None)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "We meet at 10:30 am", "at 10:30am", "at 10:30 a.m. sharp", "(10:30 PM)", "10:30 PM doors", "10:30 UTC: the talk",
        "at 13:00 UTC", "at 10:30 PST", "at 13:00Z", "from 13:00 to 14:00 UTC", "at 10:30 (PDT)", "at 10:30+02:00", "at 10:30 ET",
        "at 10 o'clock or at 10:30 o'clock", "We talk about views (12:34) at length", "The bug is at 12:34, listen", "at 10:30 in the morning", "at 10:30 local time", "at 10:30 on Tuesday", "at 19:00 tomorrow",
        "2021-08-18 13:00", "at 2021-08-18 13:00:00", "on August 18, 2021 at 13:00", "on 18 August at 13:00", "Monday at 10:30", "(Mon., 10:30)",
        "tomorrow from 10:30", "live from 19:00", "we stream at 20:15", "published at 13:00",
        "16:9 and (16:9)", "in 16:10 aspect ratio", "at 16:10 aspect", "John 3:16", "from John 3:16", "see Genesis 1:26", "the score was 10:12",
        "it runs 16:33", "Length: 16:33", "Duration (16:33)", "running time [1:16:33]", "(16:33 long)", "(16:33 minutes)", "clocking in at 16:33",
        "at 12:75", "at 12:345", "at 12:34:56:78", "at 12:34.56", "at 12:3", "at 1:2:03",
        "https://a.org/x?t=12:34", "at https://a.org/12:34", "a.org/at/12:34", "me@12:34.example.org", "localhost:12:34",
        "at fe80::12:34", "[2001:db8::12:34]", "at 10.0.0.1:12:34", "at file.py:12:34", "at 00:11:22:33:44:55", "$12:34", "at 12:34%",
        "the words 12:34 stand here alone", "the slice x[10:20] is empty", "Trains leave 10:00, 12:30 and 15:00",
        "Doors 20:00 sharp, dinner 19:00 before", "Only one line ends with 12:34",
        "Ends with 20:00\nEnds with 10:00", "Listen at 1:20Hello, it begins",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_position_is_none(text):
    assert timestamps(text, None) == ()


def test_nothing_is_beyond_the_end_of_the_episode():
    text = "10:00 Views\n16:33 Storages\n20:00 Keys"
    assert timestamps(text, 993) == ((0, 5, 600),)
    assert [seconds for _, _, seconds in timestamps(text, None)] == [600, 993, 1200]


@pytest.mark.parametrize(
    "piece", ["(0:00) ", "at 0:00, 0:00 ", "0:", "a@", "a.a.", "[", "- 0:00\n", "2021-08-18 ", "https://", " "]
)
def test_work_for_a_long_text_grows_evenly(piece):
    assert_even_growth(lambda length: timestamps(piece * (length // len(piece)), None), SHORTEST_TEXT)
