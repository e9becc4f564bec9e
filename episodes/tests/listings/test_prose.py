"""Rows that read as a sentence, by the number of their words and by their end."""

import pytest

from episodes.listings.any_site.page_rows import is_prose


@pytest.mark.parametrize(
    "text, expected",
    [
        ("we walk along the river bank and talk", True),  # eight words
        ("we walk along the river and talk", False),
        ("We walk along the river.", True),  # five, and an end
        ("We walk along the river", False),
        ("Walk along the river.", False),
        ("We walk along the river...", False),  # an end that is none
        ("We walk along the river!", True),
        ("we walk a river a bank a hill b road", False),  # single letters are no words
        ("川" * 24, True),  # three signs are a word
        ("川" * 23, False),
        ("川" * 15 + "。", True),
    ],
)
def test_a_row_is_prose_from_so_many_words_on(text: str, expected: bool) -> None:
    assert is_prose(text) == expected
