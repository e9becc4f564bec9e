"""Texts that their own end shows to be cut, and names that say what an abbreviation is short for."""

import pytest

from episodes.text.normalize import is_truncated
from episodes.text.word_forms import are_forms_of_one_word, long_form_and_abbreviation, stem

from ..tables import cases

CASES = cases("text_normalize")


@pytest.mark.parametrize("text, cut", CASES["long_paragraph_with_dots_is_cut"])
def test_long_paragraph_with_dots_is_cut(text: str, cut: bool) -> None:
    assert is_truncated(text) is cut


@pytest.mark.parametrize(
    "word, stemmed",
    [("batched", "batch"), ("ties", "ti"), ("as", "as"), ("is", "is"), ("naïves", "naïves"), ("batches2", "batches2"), ("gäbe", "gäbe")],
)  # fmt: skip
def test_only_longer_english_words_are_stemmed(word: str, stemmed: str) -> None:
    assert stem(word) == stemmed


@pytest.mark.parametrize(
    "one, other, same",
    [("batching", "batches", True), ("function", "functional", True), ("function", "functionalization", False), ("loom", "reed", False)],
)  # fmt: skip
def test_word_forms_differ_by_ending(one: str, other: str, same: bool) -> None:
    assert (are_forms_of_one_word(one, other), are_forms_of_one_word(other, one)) == (same, same)


@pytest.mark.parametrize("name, found", CASES["a_name_with_an_abbreviation_behind_it_is_a_pair"])
def test_name_and_abbreviation_are_a_pair(name: str, found: list[str]) -> None:
    assert long_form_and_abbreviation(name) == tuple(found)
