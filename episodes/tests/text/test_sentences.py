"""The ends of sentences."""

import pytest

from episodes.text.sentences import sentence_spans


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Dr. Roe joins us. So does Prof. Ek.", ["Dr. Roe joins us.", "So does Prof. Ek."]),
        ("Welcome back. Dr. Roe joins us.", ["Welcome back.", "Dr. Roe joins us."]),
        ("First line\nDr. Roe joins us.", ["First line", "Dr. Roe joins us."]),
    ],
)
def test_an_abbreviation_ends_no_sentence_wherever_it_is(text, expected):
    assert [text[start:end] for start, end in sentence_spans(text)] == expected
