"""The fold of search, and the places of folded words in their text."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from episodes.search import parse_query
from episodes.search.excerpts import split_around_terms
from episodes.search.terms import folded_words_with_offsets
from episodes.text.search_letters import fold_for_search, fold_with_positions

from ..tables import cases

CASES = cases("text_search_letters")

LETTERS = "aZ0éİßœС# ＃Ｃ+²½ﬁ①ｶﾞﾀ第回ёйϊςاكَـשָ한\u1100\u1161हि№™\u0301\u0327\u3099-_"


@pytest.mark.parametrize("text, folded", CASES["letters_are_folded_for_search"])
def test_letters_are_folded_for_search(text: str, folded: str) -> None:
    assert fold_for_search(text) == folded
    assert fold_for_search(folded) == folded


@example("½½é́")
@example("½\u05b8\u0640")
@given(st.text(st.sampled_from(LETTERS), max_size=20) | st.text(max_size=20))
def test_places_lead_to_the_folded_letters(text: str) -> None:
    folded = fold_with_positions(text)
    assert folded.text == fold_for_search(text)
    done = 0
    for word, start, end in folded_words_with_offsets(text):
        assert 0 <= start < end <= len(text)
        assert end >= done  # "½" is two words at one place
        assert word in fold_for_search(text[start:end])
        done = end


@pytest.mark.parametrize("text, words, marks", CASES["marks_stand_in_the_text_itself"])
def test_marks_stand_in_the_text_itself(text: str, words: str, marks: str) -> None:
    parts = split_around_terms(text, parse_query(words))
    assert "".join(f"[{part}]" if number % 2 else part for number, part in enumerate(parts)) == marks
